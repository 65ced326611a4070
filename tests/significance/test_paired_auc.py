"""Two areas: by hand, by listing all pairs, and where DeLong's variance vanishes."""

import math

import numpy as np
import pytest
from scipy import stats

from surefold.comparison import delong_test, delong_test_unpaired
from surefold.errors import InputError, UnknownNameError
from surefold.estimates import delong
from surefold.estimates.auc import AucMoments
from surefold.tallies.score_groups import ScoreGroups

approx = pytest.approx
Y = [0, 0, 0, 0, 1, 1, 1, 1]
A, B = [1, 2, 3, 5, 4, 6, 7, 8], [1, 5, 3, 6, 4, 2, 7, 8]


def test_by_hand():
    # placements of the positives 3/4 1 1 1 and 1/2 1/4 1 1, of the negatives 1 1 1 3/4 and 1 1/2 3/4 1/2:
    # they differ by 1/4 3/4 0 0 and 0 1/2 1/4 1/4, squares about 1/4 are .375 and .125
    r = delong_test(Y, A, B)
    assert r.effect.value == approx(15 / 16 - 11 / 16)
    assert r.effect.se == approx(math.sqrt(0.375 / 12 + 0.125 / 12))
    added = 0.25 * (1 + 0.25**2)
    variance = (0.375 + added) / (4.25 * 3.25) + (0.125 + added) / (4.25 * 3.25)
    assert r.statistic == approx(0.25 / math.sqrt(variance))
    assert r.p_value == approx(2 * stats.norm.sf(r.statistic))
    assert r.effect.high == approx(0.25 + 1.959964 * math.sqrt(variance), abs=1e-6)
    assert r.flags == ("few_of_a_class",)
    plain = delong_test(Y, A, B, method="delong")
    assert plain.statistic == approx(0.25 / r.effect.se)
    assert "known_to_mislead" in plain.flags


def _scores(seed, n=60, step=1):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.4
    y[:2] = True, False
    s = rng.normal(size=n) + y
    return y.astype(int), *(np.round(s + rng.normal(size=n), step) for _ in range(2))


@pytest.mark.parametrize("seed", range(8))
def test_by_all_pairs(seed):
    y, a, b = _scores(seed)
    places = []
    for s in (a, b):
        x, z = s[y == 1][:, None], s[y == 0][None, :]
        wins = (x > z) + 0.5 * (x == z)
        places.append((wins.mean(axis=1), wins.mean(axis=0)))
    up, down = (places[0][i] - places[1][i] for i in (0, 1))
    r = delong_test(y, a, b)
    assert r.effect.value == approx(up.mean())
    assert r.effect.se == approx(math.sqrt(up.var(ddof=1) / len(up) + down.var(ddof=1) / len(down)))
    assert r.effect.value == approx(float(delong(y, a)) - float(delong(y, b)))


@pytest.mark.parametrize("seed", range(5))
def test_laws(seed):
    y, a, b = _scores(seed)
    r, back = delong_test(y, a, b), delong_test(y, b, a)
    assert (r.statistic, r.p_value) == approx((-back.statistic, back.p_value))
    assert r.effect.interval == approx((-back.effect.high, -back.effect.low))
    order = np.random.default_rng(seed).permutation(len(y))
    assert delong_test(y[order], a[order], b[order]).p_value == approx(r.p_value)
    assert delong_test(y, np.exp(a), 3 * b - 1).p_value == approx(r.p_value)
    # the other class as positive, scores turned round
    assert delong_test(y, -a, -b, pos_label=0).effect.value == approx(r.effect.value)
    one, other = (delong_test(y, a, b, alternative=side).p_value for side in ("greater", "less"))
    assert one + other == approx(1)
    assert delong_test(y, a, b, confidence=0.5).effect.width < r.effect.width
    half = len(y) // 2
    two = delong_test_unpaired(y[:half], a[:half], y[half:], b[half:])
    turned = delong_test_unpaired(y[half:], b[half:], y[:half], a[:half])
    assert (two.statistic, two.p_value, two.df) == approx((-turned.statistic, turned.p_value, turned.df))
    assert two.effect.interval == approx((-turned.effect.high, -turned.effect.low))


def test_identical_scores():
    y, a, _ = _scores(1)
    r = delong_test(y, a, a)
    assert (r.p_value, r.statistic, r.effect.value) == (1, 0, 0)
    assert r.effect.low < 0 < r.effect.high
    perfect = delong_test(Y, Y, np.array(Y) * 2 + 1)
    assert perfect.p_value == 1
    assert perfect.effect.width > 0
    both = delong_test_unpaired(Y, Y, Y, Y)
    assert (both.p_value, both.effect.value) == (1, 0)
    assert both.effect.low < 0 < both.effect.high


def test_without_variance_delong_as_published_is_undefined():
    """It never takes the quarter row, or the one row, in its place."""
    alike, single = "the placements of all rows differ by the same", ([1, 0, 0, 0], [4, 3, 2, 1], [1, 2, 3, 4])
    worst = delong_test(Y, Y, [-y for y in Y], method="delong")  # each placement 1 and 0
    for r, value, why in (
        (delong_test(Y, A, A, method="delong"), 0.0, alike),
        (worst, 1.0, alike),
        (delong_test(*single, method="delong"), 1.0, "needs two rows of each class"),
        (delong_test_unpaired(Y, Y, Y, Y, method="delong"), 0.0, "both areas are 0 or 1"),
        (delong_test_unpaired([1, 0, 0], [3, 2, 1], Y, A, method="delong"), 1 / 16, "needs two rows of each class"),
    ):
        assert r.effect.value == approx(value)
        assert all(map(math.isnan, (*r.effect.interval, r.effect.se, r.statistic)))
        assert r.p_value == 1
        assert why in r.effect.reason
        assert {"known_to_mislead", "no_spread"} <= set(r.flags)
    assert delong_test(Y, A, B, method="delong").name == "DeLong, paired"
    assert delong_test(Y, A, B).name == "DeLong + 1/4 row, paired"


def test_one_row_of_a_class():
    r = delong_test([1, 0, 0, 0], [4, 3, 2, 1], [1, 2, 3, 4])
    assert r.effect.value == 1
    assert 0 < r.p_value < 1
    assert r.effect.width > 0
    two = delong_test_unpaired([1, 0, 0], [3, 2, 1], [1, 0, 0], [1, 2, 3])
    assert 0 < two.p_value < 1
    assert isinstance(two.df, float)
    assert two.df > 0


def test_one_class_is_undefined_and_says_why():
    r = delong_test([1, 1, 1], [0.1, 0.2, 0.3], [0.3, 0.1, 0.2])
    assert (r.p_value, r.flags) == (1, ("single_class",))
    assert math.isnan(r.effect.value)
    assert "both classes" in r.effect.reason
    two = delong_test_unpaired([0, 1], [0.1, 0.2], [1, 1], [0.1, 0.2])
    assert two.p_value == 1
    assert "both classes" in two.effect.reason


def test_unpaired_as_published():
    (y, a, _), (y2, _, b) = _scores(2, 80), _scores(3, 50)
    first, second = delong(y, a), delong(y2, b)
    v, w = first.se**2, second.se**2
    r = delong_test_unpaired(y, a, y2, b, method="delong")
    assert r.statistic == approx((float(first) - float(second)) / math.sqrt(v + w))
    assert r.df == approx((v + w) ** 2 / (v**2 / 79 + w**2 / 49))
    assert r.p_value == approx(2 * stats.t.sf(abs(r.statistic), r.df))
    honest = delong_test_unpaired(y, a, y2, b)
    assert honest.effect.se == approx(math.sqrt(v + w))
    rows = [min(int(x.sum()), int((1 - x).sum())) for x in (y, y2)]
    parts = [AucMoments.of(ScoreGroups.of(s, x == 1)).one_row()[1] for s, x in ((a, y), (b, y2))]
    assert honest.statistic == approx((float(first) - float(second)) / math.sqrt(sum(parts)))
    assert honest.df == approx(sum(parts) ** 2 / sum(u**2 / (k - 1) for u, k in zip(parts, rows, strict=True)))
    assert honest.p_value == approx(2 * stats.t.sf(abs(honest.statistic), honest.df))
    assert honest.p_value == approx(r.p_value, abs=0.05)
    assert honest.flags == ()


def test_unpaired_interval_squares_and_adds():
    (y, a, _), (y2, _, b) = _scores(4, 80), _scores(5, 50)
    first, second = delong(y, a), delong(y2, b)
    e = delong_test_unpaired(y, a, y2, b).effect
    assert e.low == approx(e.value - math.hypot(first.value - first.low, second.high - second.value))
    assert e.high == approx(e.value + math.hypot(first.high - first.value, second.value - second.low))


def test_what_is_refused():
    with pytest.raises(InputError) as caught:
        delong_test([0, 1, 1], [0.1, 0.2, 0.3], [0.1, 0.2])
    assert caught.value.code == "length_mismatch"
    assert "s2" in str(caught.value)
    with pytest.raises(InputError) as caught:
        delong_test([0, 1, 1], [0.1, math.nan, 0.3], [0.1, 0.2, 0.4])
    assert caught.value.code == "missing_score"
    with pytest.raises(InputError) as caught:
        delong_test(["no", "yes"], [0.1, 0.2], [0.1, 0.2])
    assert caught.value.code == "positive_class_unknown"
    assert delong_test(["no", "yes"], [0.1, 0.2], [0.1, 0.2], pos_label="yes").p_value == 1
    with pytest.raises(UnknownNameError):
        delong_test(Y, A, B, method="hanley")  # type: ignore[arg-type]
    with pytest.raises(UnknownNameError):
        delong_test_unpaired(Y, A, Y, B, method="hanley")  # type: ignore[arg-type]
