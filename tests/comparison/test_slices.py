"""Slices of the rows: each against the rest by hand arithmetic, the same from arrays and files, and their laws."""

import json
from math import comb, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import polars
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import surefold as sf
from surefold.comparison.slices.fast_rests import RestAreas, RestLosses
from surefold.comparison.slices.result import Slices
from surefold.errors import InputError, UnknownNameError
from surefold.estimates.auc import AucMoments
from surefold.estimates.losses import loss_moments
from surefold.estimates.proportion import clopper_pearson
from surefold.measures.proper import brier, log_loss
from surefold.significance.hypergeometric import fisher_mid_p
from surefold.significance.multiplicity import holm
from surefold.tallies.score_groups import ScoreGroups

TRUTH = [1] * 60
CALLS = [1] * 18 + [0] * 2 + [1] * 10 + [0] * 10 + [1] * 19 + [0] * 1
REGION = ["north"] * 20 + ["south"] * 20 + ["west"] * 20


def drawn(n: int = 900, seed: int = 5) -> dict[str, NDArray[Any]]:
    """Rows of two classes whose calls are worse in one region."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    s = np.round(1 / (1 + np.exp(-(rng.normal(0, 1, n) + 1.5 * y - 0.7))), 2)
    region = np.array(["north", "south", "west"])[rng.integers(0, 3, n)]
    p = np.where((region == "south") & (rng.random(n) < 0.4), 1 - y, (s >= 0.5).astype(int))
    age, w, g = np.round(rng.normal(50, 12, n), 1), rng.integers(1, 4, n).astype(float), rng.integers(0, 60, n)
    return {"y": y, "p": p, "s": s, "region": region, "age": age, "w": w, "g": g}


def test_shares_go_by_fishers_mid_p() -> None:
    found = sf.slices(TRUTH, CALLS, by={"region": REGION}, measure="recall", pos_label=1)
    # 10 of 20 against 37 of 40: P(X <= 10) less half of P(X = 10), twice; X of 20 of 60 rows, 47 of them right
    chances = [comb(47, x) * comb(13, 20 - x) / comb(60, 20) for x in range(21)]
    p = 2 * (sum(chances[:10]) + chances[10] / 2)
    assert found["south"].p_value == pytest.approx(p, rel=1e-9)
    assert found["south"].adjusted_p == pytest.approx(3 * p, rel=1e-9)
    assert [s.status for s in found.slices] == ["cannot_tell", "below", "cannot_tell"]
    assert found["south"].estimate.interval == clopper_pearson(10, 20).interval
    level = 0.95 ** (1 / 3)
    assert found.level == level
    assert found["south"].simultaneous is not None
    assert found["south"].simultaneous.interval == pytest.approx(clopper_pearson(10, 20, confidence=level).interval)
    gap = found["south"].difference
    assert gap is not None
    rest = clopper_pearson(37, 40, confidence=level)
    low = 10 / 20 - 37 / 40 - sqrt((0.5 - found["south"].simultaneous.low) ** 2 + (rest.high - 37 / 40) ** 2)
    assert (gap.value, gap.low) == pytest.approx((10 / 20 - 37 / 40, low))


def test_the_worst_slice_allows_for_the_choice_at_its_flattered_end_alone() -> None:
    found = sf.slices(TRUTH, CALLS, by={"region": REGION}, measure="recall", pos_label=1)
    assert found.worst is not None
    assert found.worst.low == pytest.approx(clopper_pearson(10, 20).low)
    assert found.worst.high == pytest.approx(clopper_pearson(10, 20, confidence=1 - 0.05 / 3).high)
    assert found.worst_slice is found["south"]
    losses = sf.slices(TRUTH, CALLS, by={"region": REGION}, measure="error_rate", pos_label=1)
    assert losses.worst is not None
    assert losses.worst.high == pytest.approx(1 - found.worst.low)
    assert [s.name for s in losses.worse] == [s.name for s in losses.above] == ["region = south"]


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 60), st.data())
def test_fishers_mid_p_is_the_sum_of_its_terms(total: int, data: st.DataObject) -> None:
    k, n = data.draw(st.integers(0, total)), data.draw(st.integers(0, total))
    s = data.draw(st.integers(max(0, n + k - total), min(n, k)))
    chances = [comb(k, x) * comb(total - k, n - x) / comb(total, n) for x in range(n + 1)]
    below = sum(chances[:s]) + chances[s] / 2
    assert float(fisher_mid_p(s, n, k, total)) == pytest.approx(
        min(1.0, 2 * min(below, 1 - below)), rel=1e-8, abs=1e-14
    )


MEASURES = (
    "mcc",
    "balanced_accuracy",
    "kappa",
    "roc_auc",
    "gini",
    "average_precision",
    "brier",
    "log_loss",
    "brier_skill",
    "ece",
)


@pytest.mark.parametrize("facts", [(), ("w",), ("g",), ("w", "g")], ids=["plain", "weights", "groups", "both"])
@pytest.mark.parametrize("measure", MEASURES)
def test_a_slice_is_what_its_rows_are_alone(measure: str, facts: tuple[str, ...]) -> None:
    rows = drawn()
    names = {"w": "sample_weight", "g": "groups"}
    both: dict[str, Any] = {"y_score": rows["s"], "pos_label": 1} | {names[f]: rows[f] for f in facts}
    found = sf.slices(rows["y"], rows["p"], by={"region": rows["region"]}, measure=measure, **both)
    held = rows["region"] == "south"
    more: dict[str, Any] = {names[f]: rows[f][held] for f in facts}
    alone = sf.assess(rows["y"][held], rows["p"][held], y_score=rows["s"][held], pos_label=1, **more)[measure]
    e = found["south"].estimate
    assert (e.value, e.low, e.high) == pytest.approx((alone.value, alone.low, alone.high), rel=1e-9)
    assert set(e.flags) == set(alone.flags)
    gap = found["south"].difference
    assert gap is not None
    more = {names[f]: rows[f][~held] for f in facts}
    rest = sf.assess(rows["y"][~held], rows["p"][~held], y_score=rows["s"][~held], pos_label=1, **more)
    assert gap.value == pytest.approx(alone.value - rest[measure].value, rel=1e-9)
    if measure in ("ece",):
        assert found["south"].reason.startswith("differences of ece between slices have not been measured")
        return
    level = (
        rest.measure(measure)
        if found.level == 0.95
        else sf.assess(
            rows["y"][~held], rows["p"][~held], y_score=rows["s"][~held], pos_label=1, confidence=found.level, **more
        )[measure]
    )
    wide = found["south"].simultaneous
    assert wide is not None
    assert gap.high == pytest.approx(gap.value + np.hypot(wide.high - wide.value, level.value - level.low), rel=2e-3)


@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize("facts", [(), ("w",), ("g",)], ids=["plain", "weights", "groups"])
def test_arrays_and_files_say_the_same(facts: tuple[str, ...], kind: str, tmp_path: Path) -> None:
    rows = drawn()
    frame, path = polars.DataFrame(rows), tmp_path / "parts"
    path.mkdir()
    for i, part in enumerate((frame[:250], frame[250:])):
        part.write_csv(path / f"{i}.csv") if kind == "csv" else part.write_parquet(path / f"{i}.parquet")
    measures = ["recall", "mcc", "roc_auc", "brier"]
    asked: dict[str, Any] = {"pos_label": 1, "pairs": True, "margin": 0.1}
    names = {"w": ("sample_weight", "weights"), "g": ("groups", "groups")}
    here = sf.slices(
        rows["y"],
        rows["p"],
        y_score=rows["s"],
        by=frame.select("region", "age"),
        measure=measures,
        **(asked | {names[f][0]: rows[f] for f in facts}),
    )
    of_file: dict[str, Any] = {"truth": "y", "pred": "p", "score": "s"} | {names[f][1]: f for f in facts}
    there = sf.slices(path, by=["region", "age"], measure=measures, **(asked | of_file))
    for measure, s in here.items():
        assert [x.name for x in s.slices] == [x.name for x in there[measure].slices]
        for a, b in zip(s.to_frame().rows(), there[measure].to_frame().rows(), strict=True):
            numbers = [(x, y) for x, y in zip(a, b, strict=True) if isinstance(x, float)]
            assert [y for _, y in numbers] == pytest.approx([x for x, _ in numbers], rel=1e-9, abs=1e-12)
            assert [x for x in a if not isinstance(x, float)] == [y for y in b if not isinstance(y, float)]
        assert str(s.worst) == str(there[measure].worst)


def test_crossings_are_every_pair_of_levels_and_count() -> None:
    rows = drawn()
    found = sf.slices(rows["y"], rows["p"], by={"region": rows["region"], "old": rows["age"] > 50}, pairs=True)
    assert list(found)[:4] == ["region = north", "region = south", "region = west", "old"]
    assert found["south", "old"].rows == int(((rows["region"] == "south") & (rows["age"] > 50)).sum())
    p = [s.p_value for s in found.counted]
    assert [s.adjusted_p for s in found.counted] == pytest.approx(holm(p).tolist())
    again = sf.slices(rows["y"], rows["p"], by={"region": rows["region"], "same": rows["region"]}, pairs=True)
    assert len(again) == 6  # the crossings hold the rows of a region each
    assert "slices_alike" in [f.code for f in again.findings]


def test_what_does_not_count_is_shown_and_said() -> None:
    truth = [1, 1, 1, 0, 0, 0] * 10 + [0] * 9 + [1, 1]
    region = ["a"] * 60 + ["none positive"] * 9 + ["two"] * 2
    calls = [1, 1, 0, 0, 0, 1] * 10 + [0] * 9 + [1, 0]
    found = sf.slices(truth, calls, by={"region": region}, measure="recall", pos_label=1)
    assert found["none positive"].status == "undefined"
    assert found["none positive"].reason == "no row is 1"
    assert (found["two"].status, found["two"].simultaneous) == ("too_few", None)
    assert len(found.counted) == 1
    assert found.level == 0.95
    everything = sf.slices(truth, calls, by={"all": ["x"] * 71})
    assert everything["x"].status == "no_rest"
    assert "slice_of_all" in [f.code for f in everything.findings]
    assert "no slice has a value" in str(everything.verdict)
    empty = sf.slices(truth, calls, by={"mask": np.zeros(71, dtype=bool), "region": region})
    assert "empty_slice" in [f.code for f in empty.findings]


def test_missing_levels_are_a_slice_and_numbers_are_cut() -> None:
    y = np.tile([0, 1], 60)
    found = sf.slices(y, y, by={"region": [None, "b", "c"] * 40, "few": [1, 2, 3] * 40, "x": np.arange(120.0)})
    assert list(found) == [
        "region = b",
        "region = c",
        "region = (missing)",
        "few = 1",
        "few = 2",
        "few = 3",
        "x = under 30",
        "x = 30 to 60",
        "x = 60 to 90",
        "x = 90 and over",
    ]
    assert [s.name for s in sf.slices(y, y, by={"x": np.arange(120.0)}, bins=[60]).slices] == [
        "x = under 60",
        "x = 60 and over",
    ]
    assert len(sf.slices(y, y, by={"x": np.arange(120) // 4}, bins=0, min_rows=2)) == 30


def test_gates_of_slices() -> None:
    found = sf.slices(TRUTH, CALLS, by={"region": REGION}, measure="recall", pos_label=1)
    one_sided = clopper_pearson(10, 20, confidence=0.9).low
    passed, failed = found.gate(at_least=round(one_sided - 0.001, 3)), found.gate(at_least=0.85)
    assert (passed.status, passed.exit_code, bool(passed)) == ("passed", 0, True)
    assert passed["south"].bounds[0] == pytest.approx(one_sided)
    assert (failed.status, [s.name for s in failed.failing]) == ("failed", ["region = south"])
    assert failed["south"].bounds[1] == pytest.approx(clopper_pearson(10, 20, confidence=1 - 0.1 / 3).high)
    waiting = found.gate(at_least=0.6)
    assert (waiting.status, waiting.exit_code) == ("cannot_tell", 3)
    assert waiting.open[0].name == "region = south"
    assert (waiting.open[0].more_rows or 0) > 0
    for gate in (passed, failed, waiting):
        json.dumps(gate.to_dict())
        assert str(gate)


def test_benjamini_and_hochberg_lists_with_a_warning() -> None:
    found = sf.slices(TRUTH, CALLS, by={"region": REGION}, pos_label=1, adjust="benjamini_hochberg")
    assert "false_among_listed" in [f.code for f in found.findings]
    assert "1 in 20" in str(found.verdict.doubt)


def test_alike_inside_a_margin() -> None:
    y = np.tile([0, 1], 1000)
    wrong = np.arange(2000) % 21 == 0
    found = sf.slices(y, np.where(wrong, 1 - y, y), by={"half": np.arange(2000) % 4 < 2}, margin=0.1)
    assert [s.status for s in found.slices] == ["alike"]
    assert found.verdict.status == "practically_equal"


def test_slices_that_cannot_be_are_refused_with_a_cure() -> None:
    rows = drawn(100)
    a = sf.assess(rows["y"], rows["p"], by={"region": rows["region"]})
    assert isinstance(a.by("region"), Slices)
    with pytest.raises(InputError, match=r"rows cannot be sliced by 'age' \('region'\).*assess\(\.\.\., by=\.\.\.\)"):
        a.by("age")
    with pytest.raises(InputError, match="has 3 rows, and there are 100"):
        a.by({"x": [1, 2, 3]})
    with pytest.raises(InputError, match="holds no numbers"):
        a.by("region", bins={"region": 3})
    with pytest.raises(InputError, match="bins names 'age'"):
        a.by("region", bins={"age": 3})
    with pytest.raises(InputError, match="min_rows=0"):
        a.by("region", min_rows=0)
    with pytest.raises(UnknownNameError, match="region = north"):
        a.by("region")["east"]
    with pytest.raises(InputError, match="nothing was named"):
        sf.assess(rows["y"], rows["p"]).by()


def test_slices_of_a_model_cut_at_another_threshold() -> None:
    rows = drawn()
    a = sf.assess(rows["y"], y_score=rows["s"], by={"region": rows["region"]}, pos_label=1).at(0.3)
    held = rows["region"] == "south"
    found, alone = a.by(measure="recall"), sf.assess(rows["y"][held], (rows["s"][held] >= 0.3).astype(int), pos_label=1)
    assert float(found["south"].estimate) == float(alone["recall"])


def test_swapping_the_classes_of_a_share_turns_the_sides() -> None:
    rows = drawn()
    first = sf.slices(rows["y"], rows["p"], by={"region": rows["region"]}, measure="accuracy")
    second = sf.slices(rows["y"], rows["p"], by={"region": rows["region"]}, measure="error_rate")
    for a, b in zip(first.slices, second.slices, strict=True):
        assert a.p_value == pytest.approx(b.p_value, rel=1e-9)
        assert {"below": "above", "above": "below"}.get(a.status, a.status) == b.status


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(4, 60))
def test_sums_over_the_slice_give_the_rest(seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    score, up = rng.integers(1, 12, n) / 12, rng.random(n) < 0.5
    held = rng.random(n) < 0.4
    whole, part = (ScoreGroups.of(score[rows], up[rows]) for rows in (np.ones(n, dtype=bool), held))
    rest = whole.without(part)
    assert (rest.positives, rest.negatives) == (int((up & ~held).sum()), int((~up & ~held).sum()))
    if rest.positives * rest.negatives:
        found, alone = RestAreas(whole).without(part), AucMoments.of(rest)
        for name in ("auc", "positives", "negatives", "positive_spread", "negative_spread"):
            assert getattr(found, name) == pytest.approx(getattr(alone, name), rel=1e-9, abs=1e-9)
    for measure in (brier, log_loss):
        if rest.total:
            mean, centre, variance = RestLosses(measure, whole).without(part)
            assert mean == pytest.approx(measure(rest))
            assert (centre, variance) == pytest.approx(loss_moments(measure, rest))


def test_where_the_new_model_got_worse() -> None:
    rows = drawn()
    worse = np.where((rows["region"] == "west") & (np.arange(900) % 3 == 0), 1 - rows["p"], rows["p"])
    c = sf.compare(rows["y"], {"new": worse, "old": rows["p"]}, measure="mcc")
    found = c.by({"region": rows["region"], "half": rows["age"] > 50})
    alone = []
    for held in (*(rows["region"] == level for level in ("north", "south", "west")), rows["age"] > 50):
        part = sf.compare(rows["y"][held], {"new": worse[held], "old": rows["p"][held]}, measure="mcc")
        alone.append(part["new", "old"])
    assert [one.difference.effect.value for one in found.slices] == pytest.approx([d.effect.value for d in alone])
    p = [one.difference.adjusted_p for one in found.slices]
    assert p == pytest.approx(holm([d.test.p_value for d in alone]).tolist(), rel=1e-9)
    assert [one.name for one in found.worse] == ["region = west", "half"][: len(found.worse)]
    assert "new is worse than old" in str(found.verdict)
    assert "region = west" in str(found)
    with pytest.raises(InputError, match="nothing was named"):
        c.by()
