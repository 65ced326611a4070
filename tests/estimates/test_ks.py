"""The Kolmogorov-Smirnov distance with its interval: bounds by hand, influence by finite differences, the edges."""

import math

import numpy as np
import pytest

from surefold.estimates.ks import ks_estimate
from surefold.measures.ranking import ks
from surefold.tallies.score_groups import ScoreGroups

approx = pytest.approx


def tally(m: int = 40, n: int = 60, shift: float = 1.0) -> ScoreGroups:
    y = np.arange(m + n) < m
    return ScoreGroups.of(np.random.default_rng(0).normal(size=m + n) + shift * y, y)


def test_lower_bound_by_hand():
    t = tally()
    # 2.5 % on each side: sqrt(ln(40)/2 (1/40 + 1/60)) below
    assert ks_estimate(t).low == approx(ks(t) - math.sqrt(math.log(40) / 2 * (1 / 40 + 1 / 60)))


def test_influence_is_the_derivative_where_the_best_threshold_stays():
    t, step = tally(), 1e-7
    slopes = ks.moved(t)
    for which in (0, 1):
        for g in np.flatnonzero((t.positive, t.negative)[which]):
            moved = [t.positive.copy(), t.negative.copy()]
            moved[which][g] += step
            difference = (ks(ScoreGroups(t.score, moved[0], moved[1])) - ks(t)) / step
            assert slopes[which][g] == approx(difference, abs=1e-6)


@pytest.mark.parametrize("scores", [np.zeros(40), np.arange(40.0), -np.arange(40.0)])
def test_edges(scores):
    e = ks_estimate(ScoreGroups.of(scores, np.arange(40) >= 20))
    assert 0 <= e.low <= e.value <= e.high <= 1
    assert e.width > 0.01
    assert e.flags == ("degenerate",)


def test_groups_widen_and_one_class_has_a_reason():
    assert ks_estimate(tally(), design_effect=3.0, group_factor=0.9).width > ks_estimate(tally()).width
    assert "few_of_a_class" in ks_estimate(tally(5, 30)).flags
    assert ks_estimate(ScoreGroups.of(np.arange(3.0), np.ones(3, dtype=bool))).reason
