"""Rates at a place of the ROC curve: by hand, by the curve and its band, in files, comparisons and gates."""

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score, roc_curve

import surefold as sf
from surefold.errors import InputError

RNG = np.random.default_rng(11)
N = 240
Y = RNG.integers(0, 2, N)
S = np.round(RNG.normal(size=N) + 1.3 * Y, 2)
T = np.round(S + 0.8 * RNG.normal(size=N), 2)
A = sf.assess(Y, y_score=S, threshold=0.5)

#: Negatives at 8, 5, 3, 1 and positives at 9, 8, 6, 4: (0, 1/4), a slanted tie to (1/4, 1/2), (1/4, 3/4), (1/2, 1)...
SMALL_Y = [1, 1, 0, 1, 0, 1, 0, 0]
SMALL_S = [9, 8, 8, 6, 5, 4, 3, 1]


@pytest.mark.parametrize(
    ("name", "place", "value"),
    [
        ("tpr_at_fpr", {"fpr": 0.125}, (1 / 4 + 2 / 4) / 2),  # half-way along the tie
        ("tpr_at_fpr", {"fpr": 0.25}, 3 / 4),  # the highest of an upright part
        ("sensitivity_at_specificity", {"specificity": 0.75}, 3 / 4),
        ("tpr_at_fpr", {"fpr": 0}, 1 / 4),
        ("fpr_at_tpr", {"tpr": 0.75}, 1 / 4),
        ("fpr_at_tpr", {"tpr": 0.375}, 1 / 8),
        ("precision_at_recall", {"recall": 0.75}, 3 / (3 + 1)),
        ("precision_at_recall", {"recall": 1}, 4 / (4 + 2)),
        ("partial_auc", {"fpr": (0, 0.25)}, (1 / 4 + 2 / 4) / 2 / 4),
        ("partial_auc", {"tpr": (0.75, 1)}, (1 - 1 / 2) / 4),
    ],
)
def test_by_hand(name: str, place: dict[str, Any], value: float) -> None:
    e = sf.measure(name, SMALL_Y, y_score=SMALL_S, **place)
    assert e.value == pytest.approx(value)
    assert e.low <= e.value <= e.high


def test_the_curve_and_its_band_say_the_same() -> None:
    for f in (0.0, 0.0625, 0.125, 0.5, 1.0):  # where the band has points
        e = A.measure("tpr_at_fpr", fpr=f)
        assert e.value == pytest.approx(A.roc.at(fpr=f).tpr)
        low, high = A.roc.band(0.95).at(f)
        assert e.low >= float(low) - 1e-12  # the band takes the wider side where its line would fall
        assert e.high <= float(high) + 1e-12
    assert A.measure("fpr_at_tpr", tpr=0.9).value == pytest.approx(A.roc.at(tpr=0.9).fpr)


def test_the_areas_are_those_of_scikit_learn() -> None:
    theirs = roc_auc_score(Y, S, max_fpr=0.2)  # on McClish's scale
    assert A.measure("partial_auc", fpr=(0, 0.2), mcclish=True).value == pytest.approx(theirs)
    assert A.measure("partial_auc", fpr=(0, 0.2)) == A.roc.partial_area(fpr=(0, 0.2))
    fpr, tpr, _ = roc_curve(Y, S)
    assert A.measure("tpr_at_fpr", fpr=0.2).value == pytest.approx(tpr[np.flatnonzero(fpr <= 0.2)[-1]], abs=0.02)


def test_a_point_has_the_other_rate_with_an_interval() -> None:
    point = A.roc.at(specificity=0.9)
    assert point.interval() == A.measure("tpr_at_fpr", specificity=0.9)
    assert point.tpr == pytest.approx(point.interval().value)
    assert str(point).startswith(f"sensitivity {point.interval()} at specificity 0.9, threshold ")
    other = A.roc.at(sensitivity=0.9).interval()
    e = A.measure("fpr_at_tpr", tpr=0.9)
    assert (other.value, other.low, other.high) == pytest.approx((1 - e.value, 1 - e.high, 1 - e.low))
    assert A.roc.at(fpr=0.1).interval(0.8).width < A.roc.at(fpr=0.1).interval(0.95).width
    with pytest.raises(InputError, match="threshold that was given"):
        A.roc.at(threshold=0.5).interval()


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(st.booleans(), st.integers(0, 6)), min_size=2, max_size=30), st.floats(0, 1))
@example([(True, 0), (False, 0)], 2.225073858507e-311)
def test_intervals_hold_their_value(rows: list[tuple[bool, int]], rate: float) -> None:
    y, s = [int(b) for b, _ in rows], [x for _, x in rows]
    places: dict[str, dict[str, Any]] = {"tpr_at_fpr": {"fpr": rate}, "fpr_at_tpr": {"tpr": rate}}
    if rate > 0:
        places["precision_at_recall"] = {"recall": rate}
    for name, place in places.items():
        e = sf.measure(name, y, y_score=s, **place)
        if len(set(y)) < 2:
            assert not e.defined
            assert "needs both classes" in e.reason
        else:
            assert 0 <= e.low <= e.value <= e.high <= 1


def test_weights_are_rows_and_groups_widen() -> None:
    w = RNG.integers(1, 4, N)
    weighted = sf.measure("tpr_at_fpr", Y, y_score=S, sample_weight=w, fpr=0.1)
    repeated = sf.measure("tpr_at_fpr", np.repeat(Y, w), y_score=np.repeat(S, w), fpr=0.1)
    assert weighted.value == pytest.approx(repeated.value)
    twice = sf.measure("tpr_at_fpr", np.tile(Y, 3), y_score=np.tile(S, 3), groups=np.tile(np.arange(N), 3), fpr=0.1)
    once = sf.measure("tpr_at_fpr", Y, y_score=S, fpr=0.1)
    assert twice.width == pytest.approx(once.width, rel=0.1)  # copies of rows tell nothing more
    assert twice.width > 1.4 * sf.measure("tpr_at_fpr", np.tile(Y, 3), y_score=np.tile(S, 3), fpr=0.1).width


def test_files_say_the_same(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    pl.DataFrame({"y": Y, "s": S}).write_csv(path)
    of_file = sf.assess(path, truth="y", score="s", pos_label="1", threshold=0.5)
    for name, place in (("tpr_at_fpr", {"fpr": 0.1}), ("precision_at_recall", {"recall": 0.8})):
        assert of_file.measure(name, **place) == A.measure(name, **place)  # type: ignore[arg-type]


def test_comparisons_and_gates_take_them() -> None:
    c = sf.compare(Y, {"s": S, "t": T}, measure="tpr_at_fpr", fpr=0.2, draws=300, random_state=1)
    d = c["s", "t"]
    assert d.effect.value == pytest.approx(
        sf.measure("tpr_at_fpr", Y, y_score=S, fpr=0.2).value - sf.measure("tpr_at_fpr", Y, y_score=T, fpr=0.2).value
    )
    assert "known_to_mislead" in d.effect.flags
    g = sf.gate(Y, None, S, measure="tpr_at_fpr", fpr=0.2, at_least=0.3)
    assert (g.status, g.measure) == ("passed", "tpr_at_fpr")
    assert sf.scorer("tpr_at_fpr", fpr=0.2).name == "tpr_at_fpr"


def test_the_place_has_to_be_said() -> None:
    for name, told in (("tpr_at_fpr", "fpr= or specificity="), ("partial_auc", "fpr= or tpr="), ("fpr_at_tpr", "tpr=")):
        with pytest.raises(InputError, match=f"{name} needs {told}"):
            sf.measure(name, Y, y_score=S)
        assert name not in A
    with pytest.raises(InputError, match=r"fpr=1.2 is no share"):
        A.measure("tpr_at_fpr", fpr=1.2)
    with pytest.raises(InputError, match="one place"):
        A.measure("tpr_at_fpr", fpr=0.1, specificity=0.9)
    with pytest.raises(InputError, match="needs fpr= or specificity="):
        sf.compare(Y, {"s": S, "t": T}, measure="tpr_at_fpr")
    with pytest.raises(InputError, match="needs fpr= or specificity="):
        sf.scorer("tpr_at_fpr")


def test_predictive_values_at_another_prevalence() -> None:
    a = sf.assess([1] * 50 + [0] * 100, [1] * 45 + [0] * 5 + [1] * 20 + [0] * 80)  # sensitivity .9, specificity .8
    found = a.predictive_values(0.1)
    assert found.positive.value == pytest.approx(0.9 * 0.1 / (0.9 * 0.1 + 0.2 * 0.9))
    assert found.negative.value == pytest.approx(0.8 * 0.9 / (0.8 * 0.9 + 0.1 * 0.1))
    same = a.predictive_values(1 / 3)  # as in these rows
    assert same.positive.value == pytest.approx(a["precision"].value)
    assert same.negative.value == pytest.approx(a["npv"].value)
    for e in found:
        assert e.low < e.value < e.high
        assert e.method == "one_row"
    with pytest.raises(InputError, match="prevalence=1 is no share"):
        a.predictive_values(1)
