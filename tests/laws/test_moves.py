"""Laws of what a row moves a measure of scores by: what groups, differences and intervals are made from."""

from dataclasses import replace

import numpy as np
import pytest

from surefold import catalogue
from surefold.measures.row_moves import row_move
from surefold.measures.score_measure import ScoreMeasure
from surefold.tallies.score_groups import ScoreGroups
from surefold.tallies.score_matrix import ScoreMatrix

approx = pytest.approx
STEP = 1e-4
MOVED = {name: m for name, m in catalogue.of_scores.items() if m.has_moves and not m.needs_options}
#: The place that each of these is asked at.
PLACED = {"tpr_at_fpr": {"fpr": 0.3}, "fpr_at_tpr": {"tpr": 0.6}, "precision_at_recall": {"recall": 0.6}}
#: Their moves take the slope of the curve over as many rows as chance may move the threshold by: no derivative there.
SMOOTHED = [catalogue.of_scores[name].with_options(**place) for name, place in PLACED.items()]
#: A curve that bends within the range where a class gets its first row at a score: `test_partial_auc` has their moves.
PARTS = [
    catalogue.of_scores["partial_auc"].with_options(fpr=(0.05, 0.43)),
    catalogue.of_scores["partial_auc"].with_options(tpr=(0.61, 0.97), mcclish=True),
]
OF_TALLY = [m for m in MOVED.values() if m.reads != "matrix"] + [
    MOVED["ece"].with_options(norm="l2"),
    MOVED["ece"].with_options(norm="max", bins=4),
    MOVED["calibration_intercept"].with_options(fitted="line"),
]
OF_MATRIX = [m for m in MOVED.values() if m.reads == "matrix"] + [MOVED["brier_multiclass"].with_options(scaled=True)]


def told(m: ScoreMeasure) -> str:
    return " ".join([m.name, *(f"{k}={v}" for k, v in m.settings.items())])


def weighted_and_tied(seed: int) -> ScoreGroups:
    """Sixty weighted rows at nineteen scores; no measure is separated, and no two bins have the largest gap."""
    rng = np.random.default_rng(seed)
    scores = rng.integers(1, 20, 60) / 20
    return ScoreGroups.of(scores, rng.random(60) < scores, rng.uniform(0.5, 2, 60))


def test_what_has_no_moves_is_a_statistic_that_grows_with_the_rows_or_a_hull() -> None:
    known = {*MOVED, *PLACED, "partial_auc"}
    assert set(catalogue.of_scores) - known == {"h_measure", "hosmer_lemeshow", "spiegelhalter"}


@pytest.mark.parametrize("measure", OF_TALLY, ids=told)
@pytest.mark.parametrize("seed", range(3))
def test_moves_are_central_differences_by_a_rows_weight(measure: ScoreMeasure, seed: int) -> None:
    t = weighted_and_tied(seed)
    moved = measure.moved(t)
    for which in (0, 1):
        for g in range(len(t.score)):
            values = []
            for sign in (1, -1):
                sums = [t.positive.copy(), t.negative.copy()]
                sums[which][g] += sign * STEP
                values.append(measure(ScoreGroups(t.score, sums[0], sums[1])))
            assert moved[which][g] == approx((values[0] - values[1]) / (2 * STEP), rel=1e-6, abs=1e-9)
    assert max(np.abs(x).max() for x in moved) > 1e-4  # moves of zero would pass anything


@pytest.mark.parametrize("measure", [*OF_TALLY, *SMOOTHED, *PARTS], ids=told)
@pytest.mark.parametrize("seed", range(3))
def test_moves_add_up_to_zero(measure: ScoreMeasure, seed: int) -> None:
    t = weighted_and_tied(seed)
    moved = measure.moved(t)
    assert float(t.positive @ moved.positive + t.negative @ moved.negative) == approx(0, abs=1e-13)


@pytest.mark.parametrize("measure", OF_MATRIX, ids=told)
def test_moves_of_a_matrix(measure: ScoreMeasure) -> None:
    rng = np.random.default_rng(4)
    scores = rng.dirichlet(np.ones(3), size=60)
    truth = (rng.random(60)[:, None] > np.cumsum(scores, axis=1)[:, :-1]).sum(axis=1)
    m = ScoreMatrix(scores, truth, ("a", "b", "c"), rng.uniform(0.5, 2, 60))
    assert m.weights is not None
    moved = row_move(measure, m).of(m)
    for i in range(m.n):
        step = STEP * (np.arange(m.n) == i)
        up, down = (measure(replace(m, weights=m.weights + sign * step)) for sign in (1, -1))
        assert moved[i] == approx((up - down) / (2 * STEP), abs=1e-9)
    assert float(m.weights @ moved) == approx(0, abs=1e-13)


def test_a_line_moves_as_much_as_it_is_steep() -> None:
    t = weighted_and_tied(0)
    assert MOVED["gini"].moved(t).positive == approx(2 * MOVED["roc_auc"].moved(t).positive)


@pytest.mark.parametrize("name", [name for name, m in MOVED.items() if m.interval in ("profile", "shift")])
def test_moves_are_finite_where_the_classes_are_apart(name: str) -> None:
    t = ScoreGroups.of(np.array([0.9, 0.8, 0.2, 0.1]), np.array([True, True, False, False]))
    assert np.isfinite(MOVED[name].moved(t)).all()
