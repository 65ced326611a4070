"""Average precision with its interval: influence by finite differences, the rule by hand, the edges."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from surefold.errors import UnknownNameError
from surefold.estimates.average_precision import average_precision_estimate
from surefold.measures.ranking import average_precision
from surefold.tallies.score_groups import ScoreGroups

approx = pytest.approx
ROWS = st.lists(
    st.tuples(st.integers(-4, 4), st.booleans(), st.sampled_from([0.5, 1.0, 3.0])), min_size=3, max_size=30
).filter(lambda rows: len({y for _, y, _ in rows}) == 2)


@settings(max_examples=60, deadline=None)
@given(ROWS)
def test_influence_is_the_derivative(rows):
    s, y, w = (np.array(column) for column in zip(*rows, strict=True))
    t, step = ScoreGroups.of(s.astype(float), y, w), 1e-6
    slopes = average_precision.moved(t)
    assert t.positive @ slopes[0] + t.negative @ slopes[1] == approx(0, abs=1e-12)
    for which in (0, 1):
        for g in np.flatnonzero((t.positive, t.negative)[which]):
            values = []
            for sign in (1, -1):
                moved = [t.positive.copy(), t.negative.copy()]
                moved[which][g] += sign * step
                values.append(average_precision(ScoreGroups(t.score, moved[0], moved[1])))
            assert slopes[which][g] == approx((values[0] - values[1]) / (2 * step), abs=1e-6)


def test_one_row_by_hand():
    # scores 4 3 2 1 as + - + -: precision 1 at the first positive, 2/3 at the second
    t = ScoreGroups.of(np.array([4.0, 3.0, 2.0, 1.0]), np.array([True, False, True, False]))
    ap = (1 + 2 / 3) / 2
    # one more unit: a positive adds its precision, and (1/2) fp/called^2 to every later one; a negative takes away
    first = (1 / 9) / 2 + (1 - ap) / 2
    second = (1 / 9) / 2 + (2 / 3 - ap) / 2
    negative = -(2 / 9) / 2
    variance = first**2 + second**2 + negative**2
    c = (ap * 2 + 0.5) / 3
    v = (variance * 4 + ((1 - ap) ** 2 + ap**2) / 2) / 9
    n = c * (1 - c) / v
    e = average_precision_estimate(t)
    assert [e.value, e.se] == approx([ap, math.sqrt(variance)])
    assert e.low == approx(stats.beta.ppf(0.025, n * c - 0.5, n * (1 - c) + 0.5))
    assert e.high == approx(stats.beta.ppf(0.975, n * c + 0.5, n * (1 - c) - 0.5))
    assert e.flags == ("few_positives",)


@pytest.mark.parametrize("scores", [np.zeros(60), np.arange(60.0), -np.arange(60.0)])
def test_never_zero_width(scores):
    for method in ("auto", "logit"):
        e = average_precision_estimate(ScoreGroups.of(scores, np.arange(60) >= 35), method=method)
        assert 0 <= e.low <= e.value <= e.high <= 1
        assert e.width > 0.005
        assert ("degenerate" in e.flags) == (e.value == 1)


@pytest.mark.parametrize("y", [np.zeros(4, dtype=bool), np.ones(4, dtype=bool)])
def test_undefined_needs_both_classes(y):
    e = average_precision_estimate(ScoreGroups.of(np.arange(4.0), y))
    assert math.isnan(e.value)
    assert e.reason.startswith("needs both classes")


def test_other_methods_weights_and_groups():
    rng = np.random.default_rng(0)
    y = rng.random(400) < 0.3
    s = rng.normal(size=400) + 1.2 * y
    t = ScoreGroups.of(s, y)
    plain = average_precision_estimate(t)
    for method in ("logit", "percentile", "bca"):
        e = average_precision_estimate(t, method=method, draws=2000, random_state=1)
        assert e.interval == approx(plain.interval, abs=0.05)
        assert e.flags == ("known_to_mislead",)
    assert average_precision_estimate(ScoreGroups.of(s, y, np.full(400, 3.0))).interval == approx(plain.interval)
    assert average_precision_estimate(ScoreGroups.of(s, y, rng.lognormal(size=400))).width > plain.width
    assert average_precision_estimate(t, design_effect=2.0, group_factor=0.9).width > 1.3 * plain.width
    few = ScoreGroups.of(s[:8], np.arange(8) < 1)
    assert "undefined_replicates" in average_precision_estimate(few, method="percentile", random_state=0).flags
    with pytest.raises(UnknownNameError):
        average_precision_estimate(t, method="delong")
