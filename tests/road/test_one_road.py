"""The same rows as arrays and as files: the same figures, or a refusal in one sentence, whatever is asked of them."""

from __future__ import annotations

import math
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import surefold as sf
from surefold.assessment import Assessment
from surefold.engines.local import LocalRows
from surefold.errors import InputError
from surefold.estimates.estimate import Estimate
from surefold.report.sections.cuts import cuts_of

Columns = dict[str, Any]


def rows(kind: str = "plain", n: int = 240, groups: int = 24) -> Columns:
    """Scores that groups share, of both classes: what one row of a group tells, the next tells again."""
    rng = np.random.default_rng(7)
    g = rng.integers(0, groups, n)
    shared = rng.normal(size=groups)[g]
    y = (rng.random(n) < 1 / (1 + np.exp(-shared))).astype(int)
    s, t = (1 / (1 + np.exp(-(shared + k * y + rng.normal(size=n) - 0.5))) for k in (1.0, 0.6))
    found: Columns = {"y": y, "s": s, "t": t, "g": g}
    if "ties" in kind:
        found |= {"s": s.round(1), "t": t.round(1)}
    if "weights" in kind:
        found["w"] = rng.choice([0.0, 0.5, 1.0, 2.5], n)
    if "text" in kind:
        found["g"] = np.array([f"patient {99 - x}" for x in g])
    return found


def written(folder: Path, columns: Columns, how: str) -> Any:
    frame = pl.DataFrame(columns)
    if how == "parquet":
        frame.write_parquet(folder / "rows.parquet")
        return str(folder / "rows.parquet")
    if how == "csv":
        frame.write_csv(folder / "rows.csv")
        return str(folder / "rows.csv")
    for i, part in enumerate(frame.iter_slices(100)):
        part.write_csv(folder / f"{i}.csv")
    return [str(folder / f"{i}.csv") for i in (2, 0, 1)]  # in another order


def by_arrays(c: Columns, **asked: Any) -> Assessment:
    return sf.assess(c["y"], y_score=c["s"], groups=c["g"], sample_weight=c.get("w"), pos_label=1, **asked)


def by_files(source: Any, c: Columns, **asked: Any) -> Assessment:
    weights = "w" if "w" in c else None
    return sf.assess(source, truth="y", score="s", groups="g", weights=weights, pos_label=1, **asked)


def facts(e: Estimate) -> list[float]:
    return [e.value, e.low, e.high, e.se, e.n]


KINDS = ["plain", "ties", "weights", "text", "weights ties text"]


# rows in groups


@pytest.mark.parametrize(
    ("kind", "how"), [(KINDS[0], "csv"), (KINDS[1], "parquet"), *((k, "several") for k in KINDS[2:])]
)
def test_groups_are_allowed_for_at_every_threshold(kind: str, how: str, tmp_path: Path) -> None:
    c = rows(kind)
    arrays, files = by_arrays(c), by_files(written(tmp_path, c, how), c)
    one = float(c["s"][3])
    for threshold in (0.3, one, math.nextafter(one, 2), -math.inf, 2.0):
        there, here = arrays.at(threshold), files.at(threshold)
        assert list(there) == list(here)
        for name in there:
            np.testing.assert_allclose(facts(here[name]), facts(there[name]), rtol=1e-9, err_msg=f"{name} {threshold}")
            assert here[name].flags == there[name].flags
    assert files.at(0.3)["recall"].n < 0.9 * float(np.sum(np.asarray(c.get("w", np.ones(240))) * c["y"]))


@pytest.mark.parametrize("kind", KINDS)
def test_cuts_of_the_report_allow_for_groups(kind: str, tmp_path: Path) -> None:
    c = rows(kind)
    there, here = cuts_of(by_arrays(c)), cuts_of(by_files(written(tmp_path, c, "several"), c))
    assert here.threshold.tolist() == there.threshold.tolist()
    assert here.shares == pytest.approx(there.shares)
    for name, bounds in there.bounds.items():
        np.testing.assert_allclose(here.bounds[name], bounds, rtol=1e-9, err_msg=name)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("asked", [{}, {"by": "cost", "costs": {"fp": 1, "fn": 4}}, {"by": "fbeta", "beta": 2}])
def test_thresholds_are_judged_by_whole_groups(kind: str, asked: Any, tmp_path: Path) -> None:
    c = rows(kind)
    there, here = (a.best_threshold(**asked) for a in (by_arrays(c), by_files(written(tmp_path, c, "several"), c)))
    assert here.cross_fitted is not None
    assert there.cross_fitted is not None
    assert here.point.counts.ravel() == pytest.approx(there.point.counts.ravel())
    assert here.cross_fitted.thresholds.tolist() == there.cross_fitted.thresholds.tolist()
    assert here.cross_fitted.point.counts.ravel() == pytest.approx(there.cross_fitted.point.counts.ravel())
    assert str(here) == str(there)


def test_parts_for_thresholds_depend_on_no_name_of_a_group_and_no_order_of_rows() -> None:
    c = rows()
    order = np.random.default_rng(1).permutation(len(c["y"]))
    renamed: Columns = {"y": c["y"][order], "s": c["s"][order], "g": [f"{(x * 7) % 24} x" for x in c["g"][order]]}
    assert str(by_arrays(renamed).best_threshold()) == str(by_arrays(c).best_threshold())


def test_groups_of_more_rows_than_memory_holds_are_gone_over_again(tmp_path: Path) -> None:
    """4,200 scores are more than 1 MB holds: the tally is cut to leading bits, and the rows are asked for the rest."""
    c = rows(n=4_200)
    source = written(tmp_path, c, "csv")
    arrays, files = by_arrays(c), by_files(source, c, memory="1MB")
    assert files.tally.quantised
    for name in ("recall", "precision", "mcc"):
        assert facts(files.at(0.3)[name]) == pytest.approx(facts(arrays.at(0.3)[name]))
    there, here = arrays.best_threshold().cross_fitted, files.best_threshold().cross_fitted
    assert there is not None
    assert here is not None
    assert here.thresholds.tolist() == there.thresholds.tolist()
    assert here.point.counts.tolist() == there.point.counts.tolist()
    page = files.report(tmp_path / "page.html").read_text()
    assert "No threshold can be moved" not in page


def test_rows_that_changed_or_went_are_refused_after_the_assessment(tmp_path: Path) -> None:
    c = rows("weights")
    (tmp_path / "was").mkdir()
    source = written(tmp_path / "was", c, "csv")
    files = by_files(source, c)
    again: Assessment = pickle.loads(pickle.dumps(files))
    assert facts(again["roc_auc"]) == facts(files["roc_auc"])  # what groups do was found before
    with pytest.raises(InputError, match=r"the rows are not here any more.*assess them again"):
        again.at(0.3)
    assert "(the rows are not here any more, so there is no figure for other rows)" in str(again.best_threshold())
    page = again.report(tmp_path / "page.html").read_text()
    assert "No threshold can be moved: the rows are not here any more" in page
    stored = Assessment.from_dict(files.to_dict())
    assert facts(stored["recall"]) == facts(files["recall"])
    with pytest.raises(InputError, match="the scores were not stored with the assessment"):
        stored.at(0.3)
    pl.DataFrame(rows())[:50].write_csv(source)
    for asked in (lambda: files.at(0.3), files.best_threshold):
        with pytest.raises(InputError, match="the file changed"):
            asked()


def test_a_pass_over_the_rows_is_made_only_where_groups_need_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    passes: list[str] = []
    before = LocalRows.reduce

    def counting(self: LocalRows, job: Any, what: str = "rows") -> Any:
        passes.append(what)
        return before(self, job, what)

    monkeypatch.setattr(LocalRows, "reduce", counting)
    c = rows("weights")
    source = written(tmp_path, c, "several")
    plain = sf.assess(source, truth="y", score="s", pos_label=1)
    _ = plain.to_dict(), plain.at(0.3).to_dict(), plain.best_threshold(), cuts_of(plain)
    assert passes == ["rows"]
    passes.clear()
    grouped = by_files(source, c)
    assert passes == ["rows", "moves"]
    grouped.to_dict()
    assert passes == ["rows", "moves"]
    _ = grouped.at(0.3).to_dict(), grouped.measure("ece", bins=5), grouped.measure("ece", bins=5), cuts_of(grouped)
    assert passes == ["rows", "moves", "thresholds", "moves", "thresholds"]
    grouped.best_threshold()
    assert passes[5:] == ["groups", "folds"]


def test_truth_of_bools_in_one_file_and_ints_in_another(tmp_path: Path) -> None:
    """pos_label=1 is True in the file of bools: its positives are positives."""
    c = rows()
    pl.DataFrame(c | {"y": c["y"].astype(bool)})[:100].write_parquet(tmp_path / "0.parquet")
    pl.DataFrame(c)[100:].write_parquet(tmp_path / "1.parquet")
    arrays = by_arrays(c)
    for order in ((0, 1), (1, 0)):
        files = by_files([str(tmp_path / f"{i}.parquet") for i in order], c)
        for name in ("roc_auc", "brier"):
            assert facts(files[name]) == pytest.approx(facts(arrays[name]))
        assert facts(files.at(0.3)["recall"]) == pytest.approx(facts(arrays.at(0.3)["recall"]))


def test_a_threshold_of_rows_that_no_others_can_judge(tmp_path: Path) -> None:
    """One group, or one a class: the threshold is there, and why no other rows have judged it."""
    c = rows()
    for groups, why in ((0 * c["g"], "no rows are left"), (c["y"], "one class is missing")):
        given = c | {"g": groups}
        for a in (by_arrays(given), by_files(written(tmp_path, given, "csv"), given)):
            choice = a.best_threshold()
            assert choice.point.threshold in c["s"]
            assert f"without the rows judged {why}, so there is no figure for other rows" in str(choice)


# what is compared


@pytest.mark.parametrize(
    ("answers", "measure"),
    [
        (lambda s: np.round(100 * s).astype(int), "roc_auc"),
        (lambda s: np.round(100 * s), "roc_auc"),
        (lambda s: s, "roc_auc"),
        (lambda s: (s > 0.5).astype(int), "accuracy"),
        (lambda s: np.minimum(np.round(5 * s), 4).astype(int), "accuracy"),  # grades may be labels
        (lambda s: np.where(s > 0.5, "yes", "no"), "accuracy"),
    ],
)
@pytest.mark.parametrize("how", ["csv", "parquet", "several"])
def test_without_a_measure_the_same_one_is_taken(answers: Any, measure: str, how: str, tmp_path: Path) -> None:
    c = rows()
    named = {"a": answers(c["s"]), "b": answers(c["t"])}
    is_text = named["a"].dtype.kind == "U"
    truth, positive = (np.where(c["y"] == 1, "yes", "no"), "yes") if is_text else (c["y"], 1)
    there = sf.compare(truth, named, pos_label=positive)
    here = sf.compare(written(tmp_path, {"y": truth, **named}, how), ["a", "b"], truth="y", pos_label=positive)
    assert here.measure == there.measure == measure
    first, second = (comparison.differences[0] for comparison in (there, here))
    assert facts(second.effect) == pytest.approx(facts(first.effect))
    assert second.test.p_value == pytest.approx(first.test.p_value)
    assert second.test.name == first.test.name


@pytest.mark.parametrize("wrong", [{"draws": -5}, {"draws": 0}, {"draws": 2.5}, {"draws": True}, {"draws": "many"},
                                   {"random_state": -1}, {"random_state": "seed"}])  # fmt: skip
@pytest.mark.parametrize("method", ["auto", "bootstrap", "swap"])
def test_draws_are_refused_alike(wrong: Any, method: Any, tmp_path: Path) -> None:
    c = rows()
    named = {"a": (c["s"] > 0.5).astype(int), "b": (c["t"] > 0.5).astype(int)}
    source = written(tmp_path, {"y": c["y"], **named}, "csv")
    told = []
    for given in ((c["y"], named), (source, ["a", "b"])):
        with pytest.raises(InputError) as caught:
            sf.compare(*given, method=method, **wrong)
        told.append(str(caught.value))
    assert told[0] == told[1]
    assert next(iter(wrong)) in told[0]


@pytest.mark.parametrize("kind", ["plain", "weights", "weights ties text"])
@pytest.mark.parametrize("grouped", [False, True])
def test_delong_is_the_same_test(kind: str, grouped: bool, tmp_path: Path) -> None:
    c = rows(kind)
    c["again"] = c["s"]
    source, names = written(tmp_path, c, "several"), ["s", "t", "again"]
    asked: Columns = {"measure": "roc_auc", "method": "delong", "pos_label": 1}
    there = sf.compare(c["y"], {name: c[name] for name in names}, sample_weight=c.get("w"),
                       groups=c["g"] if grouped else None, **asked)  # fmt: skip
    here = sf.compare(source, names, truth="y", weights="w" if "w" in c else None, groups="g" if grouped else None,
                      **asked)  # fmt: skip
    for first, second in zip(there.differences, here.differences, strict=True):
        assert second.test.name == first.test.name == "DeLong, paired"
        np.testing.assert_allclose(facts(second.effect), facts(first.effect), rtol=1e-9)
        assert second.test.p_value == pytest.approx(first.test.p_value)
        assert second.effect.flags == first.effect.flags
        assert second.effect.reason == first.effect.reason
    assert "DeLong's variance is 0" in here["s", "again"].effect.reason
    with pytest.raises(InputError, match="brier is none"):
        sf.compare(c["y"], {name: c[name] for name in names}, measure="brier", method="delong")
    with pytest.raises(InputError, match="brier is none"):
        sf.compare(source, names, measure="brier", method="delong", truth="y")


# rows of weight zero


def test_rows_of_weight_zero_are_on_no_curve(tmp_path: Path) -> None:
    c = rows("weights", n=2_400)
    held = c["w"] > 0
    those = sf.assess(c["y"][held], y_score=c["s"][held], sample_weight=c["w"][held], pos_label=1)
    c["s"][~held] = np.where(np.arange(2_400) % 2, 5.0, c["s"])[~held]  # and no probability either
    arrays = sf.assess(c["y"], y_score=c["s"], sample_weight=c["w"], pos_label=1)
    files = sf.assess(written(tmp_path, c, "csv"), truth="y", score="s", weights="w", pos_label=1)
    for found in (arrays, files):
        for curve in ("roc", "precision_recall", "gains"):
            assert getattr(found, curve).threshold.tolist() == getattr(those, curve).threshold.tolist()
            np.testing.assert_allclose(getattr(found, curve).y, getattr(those, curve).y)
        for name in ("roc_auc", "h_measure", "average_precision", "ks", "brier", "log_loss", "ece"):
            assert found[name].value == pytest.approx(those[name].value), name
    assert those["h_measure"].value > 0.1
