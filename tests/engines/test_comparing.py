"""Models compared and gated on rows that are counted in parts: what arrays of the same rows give."""

from pathlib import Path
from typing import Any

import numpy as np
import polars
import pytest

import surefold as sf
from surefold.comparison.compare import compare_files
from surefold.comparison.gate import gate, gate_files
from surefold.engines.local import LocalRows
from surefold.errors import InputError, UnknownNameError
from tests.engines.test_local import same_estimates


@pytest.mark.parametrize("measure", ["accuracy", "mcc", "recall", "f1_macro", "precision", "roc_auc", "gini",
                                     "average_precision", "brier", "log_loss", "brier_skill"])  # fmt: skip
@pytest.mark.parametrize("extra", [{}, {"groups": "g"}, {"weights": "w"}, {"groups": "g", "weights": "w"}],
                         ids=["plain", "groups", "weights", "both"])  # fmt: skip
def test_comparison_of_files_is_that_of_arrays(
    measure: str, extra: dict[str, Any], rows: polars.DataFrame, parquet: Path
) -> None:
    of_scores = measure in ("roc_auc", "gini", "average_precision", "brier", "log_loss", "brier_skill")
    names = {"a": "p_a", "b": "p_b"} if of_scores else {"a": "a", "b": "b"}
    found = compare_files(parquet, names, truth="y", measure=measure, margin=0.01, **extra)
    facts: dict[str, Any] = {"groups": rows["g"]} if "groups" in extra else {}
    facts |= {"sample_weight": rows["w"]} if "weights" in extra else {}
    wanted = sf.compare(rows["y"], {m: rows[c] for m, c in names.items()}, measure=measure, margin=0.01, **facts)
    assert isinstance(found, sf.Comparison)
    for name in wanted.values:
        same_estimates(found.values[name], wanted.values[name])
    a, b = found.differences[0], wanted.differences[0]
    same_estimates(a.effect, b.effect, rel=1e-7)
    assert a.test.p_value == pytest.approx(b.test.p_value, rel=1e-6)
    assert (a.test.name, a.status, a.test.flags) == (b.test.name, b.status, b.test.flags)
    assert str(found.winner) == str(wanted.winner)


def test_comparison_of_many_measures_and_controls(parquet: Path) -> None:
    found = compare_files(parquet, ["a", "b"], truth="y", measure=["accuracy", "kappa"], control="a", method="delta")
    assert list(found) == ["accuracy", "kappa"]
    assert "known_to_mislead" in found["kappa"].differences[0].test.flags
    with pytest.raises(UnknownNameError):
        compare_files(parquet, ["a", "b"], truth="y", control="c")
    with pytest.raises(UnknownNameError):
        compare_files(parquet, ["a", "b"], truth="y", method="bootstrap")
    for name in ("ks", "ece", "mce", "h_measure", "hosmer_lemeshow"):
        with pytest.raises(InputError, match=f"{name} cannot be compared over parts of the rows"):
            compare_files(parquet, ["p_a", "p_b"], truth="y", measure=name)
    with pytest.raises(InputError, match="models to compare: 1"):
        compare_files(parquet, ["a"], truth="y")


def test_a_label_that_one_model_alone_predicts(tmp_path: Path) -> None:
    y = ["a", "b", "a", "b"] * 20
    columns = {"y": y, "m": y, "k": ["a", "b", "c", "b"] * 20}
    polars.DataFrame(columns).write_parquet(tmp_path / "a.parquet")
    found = compare_files(tmp_path / "a.parquet", ["m", "k"], truth="y", measure="f1_macro")
    wanted = sf.compare(y, {"m": columns["m"], "k": columns["k"]}, measure="f1_macro")
    same_estimates(found.values["k"], wanted.values["k"])


def test_quantised_areas_are_compared_and_flagged(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    n = 20_000
    y = rng.random(n) < 0.5
    columns = {"y": y, "s": y + rng.standard_normal(n), "t": y + rng.standard_normal(n) * 1.1}
    polars.DataFrame(columns).write_parquet(tmp_path / "a.parquet")
    found = compare_files(tmp_path / "a.parquet", ["s", "t"], truth="y", measure="roc_auc", memory="1MB")
    wanted = sf.compare(y, {"s": columns["s"], "t": columns["t"]}, measure="roc_auc").differences[0]
    told = found.differences[0]
    assert "quantised_scores" in told.test.flags
    assert "quantised_scores" in {f.code for f in found.findings}
    assert told.effect.value == pytest.approx(wanted.effect.value, abs=1e-3)
    assert told.effect.se == pytest.approx(wanted.effect.se, rel=1e-2)


@pytest.mark.parametrize(("measure", "names"), [("roc_auc", ("p_a", "p_b")), ("accuracy", ("a", "b"))])
def test_gates_of_files(measure: str, names: tuple[str, str], rows: polars.DataFrame, parquet: Path) -> None:
    found = gate_files(parquet, *names, truth="y", measure=measure, margin=0.05)
    wanted = gate(rows["y"], rows[names[0]], rows[names[1]], measure=measure, margin=0.05, names=names)
    assert (found.status, found.limit, found.rows) == (wanted.status, wanted.limit, wanted.rows)
    assert found.bounds == pytest.approx(wanted.bounds, abs=1e-3 if measure == "accuracy" else 1e-9)
    alone = gate_files(parquet, None, names[1], truth="y", measure=measure, at_least=0.6)
    apart = gate(rows["y"], None, rows[names[1]], measure=measure, at_least=0.6)
    assert alone.status == apart.status
    assert alone.bounds == pytest.approx(apart.bounds)


# few rows that two models answer differently


def hardly_apart(apart: int, n: int = 600) -> polars.DataFrame:
    """Two models of three classes that agree but for a few rows, two thirds of which the first gets right."""
    rng = np.random.default_rng(apart)
    y = rng.integers(3, size=n)
    a = np.where(rng.random(n) < 0.8, y, (y + 1) % 3)
    b = a.copy()
    b[:apart] = np.where(np.arange(apart) % 3, (y[:apart] + 2) % 3, y[:apart])
    a[:apart] = np.where(np.arange(apart) % 3, y[:apart], (y[:apart] + 2) % 3)
    c = np.where(rng.random(n) < 0.7, y, (y + 1) % 3)
    w, g = rng.integers(1, 4, n).astype(float), rng.integers(40, size=n)
    return polars.DataFrame({"y": y, "a": a, "b": b, "c": c, "w": w, "g": g, "one": np.full(n, 2.0)})


@pytest.mark.parametrize("apart", [0, 1, 6, 29, 40])
@pytest.mark.parametrize("measure", ["accuracy", "mcc", "f1_macro", "kappa", "error_rate"])
@pytest.mark.parametrize("extra", [{}, {"groups": "g"}, {"weights": "one"}], ids=["plain", "groups", "weights"])
def test_the_interval_by_score_is_that_of_arrays(
    apart: int, measure: str, extra: dict[str, Any], tmp_path: Path
) -> None:
    rows = hardly_apart(apart)
    rows[:100].write_parquet(tmp_path / "0.parquet")
    rows[100:].write_parquet(tmp_path / "1.parquet")
    facts: dict[str, Any] = {"groups": rows["g"]} if "groups" in extra else {}
    facts |= {"sample_weight": rows["one"]} if "weights" in extra else {}
    answers = {m: rows[m] for m in "abc"}
    found = sf.compare(tmp_path, ["a", "b", "c"], truth="y", measure=measure, margin=0.02, **extra)
    wanted = sf.compare(rows["y"], answers, measure=measure, margin=0.02, **facts)
    for x, y in zip(found.differences, wanted.differences, strict=True):
        same_estimates(x.effect, y.effect, rel=1e-6)
        assert (x.test.name, x.test.flags, x.status) == (y.test.name, y.test.flags, y.status)
        assert (x.test.p_value, x.equal_p) == pytest.approx((y.test.p_value, y.equal_p), rel=1e-5)
    if 0 < apart < 30:
        assert found["a", "b"].effect.method == "one_row_score"
    assert found["a", "c"].effect.method == "one_row"
    passed = sf.gate(tmp_path, "b", "a", truth="y", measure=measure, margin=0.02, **extra)
    same_gate(passed, sf.gate(rows["y"], rows["b"], rows["a"], measure=measure, margin=0.02, names=("b", "a"), **facts))


def same_gate(a: sf.Gate, b: sf.Gate) -> None:
    assert (a.status, a.kind, a.rows) == (b.status, b.kind, b.rows)
    assert a.bounds == pytest.approx(b.bounds, rel=1e-6, abs=1e-9, nan_ok=True)
    assert a.rows_needed == (b.rows_needed if b.rows_needed is None else pytest.approx(b.rows_needed, abs=1))
    assert a.sentence == b.sentence


@pytest.mark.parametrize("weights", ["w", "unequal"])
@pytest.mark.parametrize("measure", ["accuracy", "mcc"])
def test_weights_that_vary_are_those_of_arrays(measure: str, weights: str, tmp_path: Path) -> None:
    """Cells are divided by weight: the sum of squares alone would give bounds that are narrower by up to a tenth."""
    rows = hardly_apart(12)
    rows = rows.with_columns(unequal=np.random.default_rng(1).lognormal(0, 1.5, len(rows)))
    rows[:150].write_parquet(tmp_path / "0.parquet")
    rows[150:].write_parquet(tmp_path / "1.parquet")
    found = sf.compare(tmp_path, ["a", "b"], truth="y", measure=measure, weights=weights).differences[0].effect
    facts: dict[str, Any] = {"measure": measure, "sample_weight": rows[weights]}
    wanted = sf.compare(rows["y"], {"a": rows["a"], "b": rows["b"]}, **facts).differences[0].effect
    same_estimates(found, wanted, rel=1e-6)
    assert found.method == "one_row_score"
    passed = sf.gate(tmp_path, "b", "a", truth="y", measure=measure, margin=0.02, weights=weights)
    same_gate(passed, sf.gate(rows["y"], rows["b"], rows["a"], margin=0.02, names=("b", "a"), **facts))


def test_without_the_added_row_there_is_no_score(tmp_path: Path) -> None:
    rows = hardly_apart(6)
    rows.write_parquet(tmp_path / "a.parquet")
    found = sf.compare(tmp_path, ["a", "b"], truth="y", method="delta").differences[0]
    wanted = sf.compare(rows["y"], {"a": rows["a"], "b": rows["b"]}, method="delta").differences[0]
    same_estimates(found.effect, wanted.effect)
    assert found.test.flags == wanted.test.flags == ("known_to_mislead",)
    one_row = sf.compare(tmp_path, ["a", "b"], truth="y", method="one_row").differences[0].test
    assert one_row.name == "paired influence"  # McNemar's p is that of "auto" alone
    gates = sf.gate(tmp_path, "b", "a", truth="y", method="delta", margin=0.1)
    arrays = sf.gate(rows["y"], rows["b"], rows["a"], method="delta", margin=0.1)
    assert gates.bounds == pytest.approx(arrays.bounds)


# what may be asked


def test_labels_and_scores_at_once(rows: polars.DataFrame, parquet: Path) -> None:
    asked: dict[str, Any] = {"measure": ["accuracy", "roc_auc"], "threshold": 0.4}
    found = sf.compare(parquet, {"a": "p_a", "b": "p_b"}, truth="y", **asked)
    wanted = sf.compare(rows["y"], {"a": rows["p_a"], "b": rows["p_b"]}, **asked)
    for name in ("accuracy", "roc_auc"):
        same_estimates(found[name].differences[0].effect, wanted[name].differences[0].effect, rel=1e-7)
    assert "labels_from_scores" not in {f.code for f in found["roc_auc"].findings}


def test_what_models_hold_is_seen_in_their_first_rows(parquet: Path, csv: Path) -> None:
    for folder in (parquet, csv):
        assert sf.compare(folder, ["p_a", "p_b"], truth="y").measure == "roc_auc"
        assert sf.compare(folder, models=["a", "b"], truth="y").measure == "accuracy"
        with pytest.raises(InputError, match=r"'p_a' holds fractional numbers.*looks_like_scores"):
            sf.compare(folder, ["p_a", "p_b"], truth="y", measure="accuracy")


def test_options_of_measures(rows: polars.DataFrame, parquet: Path) -> None:
    found = sf.compare(parquet, ["a", "b"], truth="y", measure="fbeta", beta=2)
    wanted = sf.compare(rows["y"], {"a": rows["a"], "b": rows["b"]}, measure="fbeta", beta=2)
    same_estimates(found.differences[0].effect, wanted.differences[0].effect)
    same_estimates(found.values["a"], wanted.values["a"])
    alone = sf.gate(parquet, None, "a", truth="y", measure="fbeta", beta=2, at_least=0.1)
    assert alone.bounds == pytest.approx(
        sf.gate(rows["y"], None, rows["a"], measure="fbeta", beta=2, at_least=0.1).bounds
    )


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"models": "a"}, "the models are 'a'"),
        ({"models": None}, "the models are None"),
        ({"models": ["a", "b"], "kind": "label"}, "did you mean 'labels'"),
        ({"models": ["a", "b"], "measure": []}, "no measure was given"),
        ({"models": ["a", "b"], "margin": 3.0}, "margin=3 for accuracy"),
        ({"models": ["a", "b"], "measure": "prevalence"}, "neither more nor less"),
        ({"models": ["a", "q"]}, "there is no column 'q'"),
    ],
)
def test_what_cannot_be_asked(asked: dict[str, Any], told: str, parquet: Path) -> None:
    with pytest.raises((InputError, UnknownNameError), match=told):
        sf.compare(parquet, truth="y", **asked)


def test_gates_that_cannot_be_asked(parquet: Path) -> None:
    with pytest.raises(UnknownNameError, match="method for rows that are not held"):
        sf.gate(parquet, "a", "b", truth="y", method="bootstrap")
    with pytest.raises(InputError, match="both 'a'"):
        sf.gate(parquet, "a", "a", truth="y")


def test_arrays_do_not_go_with_files(parquet: Path) -> None:
    misspelt: Any = {"pos_lable": 1}
    with pytest.raises(InputError, match="y_pred and y_score are arrays"):
        sf.assess(parquet, [0, 1], truth="y")
    with pytest.raises(TypeError, match="unexpected keyword argument 'pos_lable'"):
        sf.assess([0, 1], [0, 1], **misspelt)


def test_what_quantising_leaves_open_is_in_the_interval_and_the_p(tmp_path: Path) -> None:
    rng = np.random.default_rng(8)
    y = rng.random(30_000) < 0.5
    s, t = y + rng.standard_normal(30_000), y + rng.standard_normal(30_000)
    polars.DataFrame({"y": y, "s": s, "t": t}).write_parquet(tmp_path / "a.parquet")
    found = sf.compare(tmp_path, ["s", "t"], truth="y", memory="1MB", margin=0.02).differences[0]
    wanted = sf.compare(y, {"s": s, "t": t}, margin=0.02).differences[0]
    low, high = found.effect.interval
    assert low < wanted.effect.low < wanted.effect.high < high  # the exact interval is inside
    assert high - low < 1.5 * (wanted.effect.high - wanted.effect.low)
    assert found.test.p_value >= wanted.test.p_value
    assert found.equal_p is not None
    assert wanted.equal_p is not None
    assert found.equal_p >= wanted.equal_p


@pytest.mark.parametrize(
    ("measures", "groups", "passes"),
    [
        (["accuracy", "mcc", "recall"], None, 1),
        (["accuracy", "mcc", "recall"], "g", 1),
        (["roc_auc", "average_precision", "brier", "log_loss"], None, 2),
        (["roc_auc", "average_precision", "brier", "log_loss"], "g", 3),  # what groups do to the values is one more
    ],
)
def test_rows_are_gone_over_once_for_all_measures(
    measures: list[str], groups: str | None, passes: int, parquet: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []
    reduce = LocalRows.reduce

    def counted(rows: LocalRows, job: Any, what: str = "rows") -> Any:
        read.append(type(job).__name__)
        return reduce(rows, job, what)

    monkeypatch.setattr(LocalRows, "reduce", counted)
    names = {m: f"p_{m}" if measures[0] == "roc_auc" else m for m in "ab"}
    found = sf.compare(parquet, names, truth="y", measure=measures, groups=groups)
    assert list(found) == measures
    assert len(read) == passes
