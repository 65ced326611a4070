"""Part of the area: by hand, against scikit-learn, influence by finite differences, the edges."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from surefold.errors import InputError
from surefold.estimates.auc import auc_estimate
from surefold.estimates.partial_auc import partial_area, partial_auc, partial_influence
from surefold.tallies.score_groups import ScoreGroups

approx = pytest.approx
# ex22.5: (0,0) (0,1/3) (.5,1) (1,1)
T = ScoreGroups.of(np.array([0.9, 0.8, 0.8, 0.8, 0.1]), np.array([True, False, True, True, False]))


def test_by_hand_over_fpr():
    # at FPR .25 the curve is at 1/3 + (2/3)/2 = 2/3
    assert partial_area(T, (0, 0.25)) == approx((1 / 3 + 2 / 3) / 2 * 0.25)
    assert partial_area(T, (0.25, 0.75)) == approx((2 / 3 + 1) / 2 * 0.25 + 0.25)
    assert partial_auc(T, fpr=(0.25, 0.75)).value == approx(partial_area(T, (0.25, 0.75)))


def test_by_hand_over_tpr():
    # TPR 1/3 to 1 is passed while FPR goes from 0 to .5; below 1/3 at FPR 0
    assert partial_auc(T, tpr=(0, 1 / 3)).value == approx(1 / 3)
    assert partial_auc(T, tpr=(1 / 3, 1)).value == approx(2 / 3 * (1 + 0.5) / 2)
    assert partial_auc(T, tpr=(0, 1)).value == approx(T.auc)


def test_mcclish_by_hand():
    area, chance, best = 1 / 3, 0.125, 0.5
    e = partial_auc(T, fpr=(0, 0.5), mcclish=True)
    assert e.value == approx((1 + (area - chance) / (best - chance)) / 2)
    raw = partial_auc(T, fpr=(0, 0.5))
    assert e.se == approx(raw.se / (2 * (best - chance)))
    assert e.low == approx((1 + (raw.low - chance) / (best - chance)) / 2)


ROWS = st.lists(
    st.tuples(st.integers(-4, 4), st.booleans(), st.sampled_from([0.5, 1.0, 3.0])), min_size=4, max_size=30
).filter(lambda rows: len({y for _, y, _ in rows}) == 2)


@settings(max_examples=60, deadline=None)
@given(ROWS, st.tuples(st.floats(0.01, 0.99), st.floats(0.01, 0.99)).filter(lambda r: abs(r[0] - r[1]) > 0.02))
def test_influence_is_the_derivative(rows, ends):
    s, y, w = (np.array(column) for column in zip(*rows, strict=True))
    t = ScoreGroups.of(s.astype(float), y, w)
    span = (min(ends), max(ends))
    corners = t.fp / t.negatives
    if min(abs(corners[:, None] - np.array(span)).min(), 1) < 1e-4:
        return  # at a corner of the curve there is a left and a right derivative
    slopes, step = partial_influence(t, span), 1e-6
    for which in (0, 1):
        counts = (t.positive, t.negative)[which]
        assert counts @ slopes[which] == approx(0, abs=1e-12)
        for g in np.flatnonzero(counts):
            areas = []
            for sign in (1, -1):
                moved = [t.positive.copy(), t.negative.copy()]
                moved[which][g] += sign * step
                areas.append(partial_area(ScoreGroups(t.score, moved[0], moved[1]), span))
            assert slopes[which][g] == approx((areas[0] - areas[1]) / (2 * step), abs=1e-6)


@settings(max_examples=60, deadline=None)
@given(ROWS, st.floats(0.05, 1))
def test_equal_to_scikit_learn(rows, end):
    s, y, w = (np.array(column) for column in zip(*rows, strict=True))
    t = ScoreGroups.of(s.astype(float), y, w)
    if end < 1:
        theirs = roc_auc_score(y, s, sample_weight=w, max_fpr=end)  # McClish's scale
        assert partial_auc(t, fpr=(0, end), mcclish=True).value == approx(theirs)
    middle = end / 2
    assert partial_area(t, (0, middle)) + partial_area(t, (middle, 1)) == approx(t.auc)


def test_the_whole_is_the_area():
    rng = np.random.default_rng(0)
    y = np.arange(300) < 100
    t = ScoreGroups.of(rng.normal(size=300) + y, y)
    whole, e = partial_auc(t, fpr=(0, 1)), auc_estimate(t)
    assert whole.value == approx(e.value)
    assert whole.se == approx(e.se, rel=0.02)
    assert whole.interval == approx(e.interval, abs=0.01)
    assert whole.flags == ()


@pytest.mark.parametrize("span", [{"fpr": (0, 0.1)}, {"tpr": (0.9, 1)}])
def test_edges(span):
    for scores in (np.arange(40.0), -np.arange(40.0), np.zeros(40)):
        e = partial_auc(ScoreGroups.of(scores, np.arange(40) >= 20), **span)
        assert 0 <= e.low <= e.value <= e.high <= 0.1 + 1e-12
        assert e.width > 0
        assert "few_of_a_class" in e.flags  # two rows in the range
    e = partial_auc(ScoreGroups.of(np.arange(4.0), np.ones(4, dtype=bool)), **span)
    assert "no row is negative" in e.reason
    assert math.isnan(e.value)


@pytest.mark.parametrize("span", [{}, {"fpr": (0, 0.1), "tpr": (0.9, 1)}, {"fpr": (0.2, 0.1)}, {"tpr": (0.5, 1.5)}])
def test_bad_ranges(span):
    with pytest.raises(InputError):
        partial_auc(T, **span)
