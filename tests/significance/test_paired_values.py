"""Signs, signed ranks and permutations of paired values."""

import math
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surefold.comparison import permutation, sign_test, wilcoxon
from surefold.errors import InputError, UnknownNameError

approx = pytest.approx
TESTS: list[Any] = [sign_test, wilcoxon, permutation]

# Demšar (2006): AUC of C4.5 without and with tuning of m on 14 data sets.
PLAIN = [0.763, 0.599, 0.954, 0.628, 0.882, 0.936, 0.661, 0.583, 0.775, 1.0, 0.940, 0.619, 0.972, 0.957]
TUNED = [0.768, 0.591, 0.971, 0.661, 0.888, 0.931, 0.668, 0.583, 0.838, 1.0, 0.962, 0.666, 0.981, 0.978]


def test_the_ranks_that_demsar_prints():
    r = wilcoxon(TUNED, PLAIN)
    assert (r.positive_ranks, r.negative_ranks) == (93, 12)
    assert r.statistic == 93
    # signs of twelve differences, ranks 3.5 3.5 5 6 … 14: by listing all 4,096
    ranks = [3.5, 3.5, *range(5, 15)]
    sums = [sum(r for r, up in zip(ranks, signs, strict=True) if up) for signs in product((0, 1), repeat=12)]
    assert r.p_value == approx(2 * np.mean(np.array(sums) >= 93 - 1.5))
    assert r.p_value < 0.05
    wins = sign_test(TUNED, PLAIN)
    assert (wins.wins, wins.losses, wins.ties) == (10, 2, 2)
    assert wins.p_value == approx(2 * (1 + 12 + 66) / 2**12)


def test_rounding_does_not_break_ties():
    # .8 - .7 and .7 - .6 are both .1, which floats do not say
    assert 0.8 - 0.7 != 0.7 - 0.6
    r = wilcoxon([0.7, 0.7, 0.9], [0.8, 0.6, 0.7])
    assert (r.positive_ranks, r.negative_ranks) == (1.5 + 3, 1.5)


def test_what_becomes_of_zeros():
    d = [0, 0, 1, -2, 3, 4, 5, 6]
    split, drop, pratt = (wilcoxon(d, [0] * 8, zeros) for zeros in ("split", "drop", "pratt"))
    # ranks with zeros: 1.5 1.5 3 4 5 6 7 8; without: 1 2 3 4 5 6
    assert (split.positive_ranks, split.negative_ranks) == (3 + 5 + 6 + 7 + 8 + 1.5, 4 + 1.5)
    assert (pratt.positive_ranks, pratt.negative_ranks) == (29, 4)
    assert (drop.positive_ranks, drop.negative_ranks) == (19, 2)
    assert drop.p_value == approx(2 * 3 / 64)  # negative sums 0, 1 and 2
    assert split.p_value == pratt.p_value == approx(2 * 3 / 64)  # negative sums 0, 3 and 4


def test_hodges_lehmann_by_hand():
    r = wilcoxon([1, 2, 4], [0, 0, 0])
    # means of pairs: 1 1.5 2 2.5 3 4
    assert r.effect.value == approx(2.25)
    assert r.effect.interval == (-math.inf, math.inf)
    assert "too_few_to_tell" in r.flags
    six = wilcoxon([1, 2, 3, 4, 5, 7], [0] * 6)
    assert six.effect.interval == approx((1, 7))  # p at a shift of just under 1 is 2/64
    assert six.p_value == 2 / 64
    assert six.flags == ()


def test_the_wilcoxon_interval_is_the_test_turned_round():
    rng = np.random.default_rng(0)
    for n in (7, 12, 25, 80):
        d = rng.normal(0.4, 1, n)
        e = wilcoxon(d, np.zeros(n)).effect
        for end, inside in ((e.low, 1), (e.high, -1)):
            step = 1e-6 * inside
            assert wilcoxon(d, np.full(n, end + step)).p_value > 0.05
            assert wilcoxon(d, np.full(n, end - step)).p_value <= 0.05


def test_many_differences_without_listing_all_means():
    d = np.random.default_rng(1).normal(0.1, 1, 1100)
    e = wilcoxon(d, np.zeros(1100)).effect
    i, j = np.triu_indices(1100)
    assert e.value == approx(np.median((d[i] + d[j]) / 2), rel=1e-9)
    assert e.low < e.value < e.high


def test_permutation_by_listing():
    d = np.array([0.5, -0.2, 0.9, 0.4])
    flips = np.array(list(product((1, -1), repeat=4)))
    means = (flips * d).mean(axis=1)
    assert permutation(d, np.zeros(4), alternative="greater").p_value == approx((means >= d.mean() - 1e-12).mean())
    a, b = np.array([3.0, 5.0, 4.0]), np.array([1.0, 4.5])
    everything = np.concatenate([a, b])
    rows = [list(x) for x in combinations(range(5), 3)]
    gaps = np.array([everything[x].mean() - np.delete(everything, x).mean() for x in rows])
    found = permutation(a, b, paired=False, alternative="greater")
    assert found.p_value == approx((gaps >= a.mean() - b.mean() - 1e-12).mean())


def test_the_permutation_interval_is_the_test_turned_round():
    rng = np.random.default_rng(2)
    for n in (8, 11):
        a, b = rng.normal(0.4, 1, n), rng.normal(0, 1, n)
        e = permutation(a, b).effect
        for end, inside in ((e.low, 1), (e.high, -1)):
            assert permutation(a - end - 1e-6 * inside, b).p_value > 0.05
            assert permutation(a - end + 1e-6 * inside, b).p_value <= 0.05
    x, y = rng.normal(0.4, 1, 6), rng.normal(0, 1, 8)
    e = permutation(x, y, paired=False).effect
    for end, inside in ((e.low, 1), (e.high, -1)):
        assert permutation(x - end - 1e-6 * inside, y, paired=False).p_value > 0.05
        assert permutation(x - end + 1e-6 * inside, y, paired=False).p_value <= 0.05


def test_drawn_deals_count_the_seen_one():
    d = np.random.default_rng(3).normal(5, 1, 30)
    r = permutation(d, np.zeros(30), draws=999)
    assert r.p_value == approx(2 / 1000)  # no draw reaches it
    assert r.name == "permutation, 999 draws"
    again = permutation(d, np.zeros(30), draws=999)
    assert (r.p_value, r.effect) == (again.p_value, again.effect)
    exact = np.random.default_rng(4).normal(0.3, 1, 16)
    drawn = permutation(np.append(exact, 0.3), np.zeros(17), draws=20_000)
    assert drawn.name.startswith("permutation, 20,000")
    assert permutation(exact, np.zeros(16)).name == "permutation, exact"


@pytest.mark.parametrize("test", TESTS)
def test_identical_columns(test):
    for n in (1, 3, 20):
        r = test([0.5] * n, [0.5] * n)
        assert r.p_value == 1
        assert r.effect.value == 0
        seen = r.effect.low < 0 < r.effect.high  # of wins and losses; values that are all equal have no spread
        assert seen or (math.isnan(r.effect.low) and r.effect.reason)
        assert r.flags
    apart = permutation([1, 1], [1, 1, 1], paired=False)
    assert (apart.p_value, apart.effect.value) == (1, 0)


@pytest.mark.parametrize("test", TESTS)
def test_equal_differences(test):
    r = test([0.5] * 10, [0.4] * 10)
    assert r.p_value == 2 / 2**10
    if "no_spread" in r.flags:
        assert math.isnan(r.effect.width)
        assert r.effect.reason
    else:  # wins and losses
        assert r.effect.low < r.effect.value <= r.effect.high
    one = test([0.5], [0.4])
    assert one.p_value == 1
    assert "too_few_to_tell" in one.flags


def test_mostly_equal_differences_still_have_a_width():
    d = [0.01] * 20 + [0.02, 0.0]
    e = wilcoxon(d, [0] * 22).effect
    assert (e.low, e.high) == (0.0, 0.02)


@pytest.mark.parametrize("n", [9, 40])
@pytest.mark.parametrize("test", TESTS)
def test_swap_and_order(test, n):
    rng = np.random.default_rng(n)
    a, b = rng.normal(0.3, 1, n).round(1), rng.normal(0, 1, n).round(1)
    there, back, order = test(a, b), test(b, a), rng.permutation(n)
    assert there.p_value == approx(back.p_value)
    assert there.effect.value == approx(-back.effect.value)
    assert there.effect.interval == approx((-back.effect.high, -back.effect.low))
    assert test(a, b, alternative="greater").p_value == approx(test(b, a, alternative="less").p_value)
    moved = test(a[order], b[order])
    assert (moved.p_value, moved.effect.low) == approx((there.p_value, there.effect.low))
    assert test(a + 4, b + 4).p_value == approx(there.p_value)
    assert test(2 * a, 2 * b).p_value == approx(there.p_value)


def test_swap_and_order_of_two_groups():
    rng = np.random.default_rng(5)
    for m, n in ((5, 5), (4, 9), (30, 30), (20, 45)):
        x, y = rng.normal(0.3, 1, m), rng.normal(0, 1, n)
        there, back = permutation(x, y, paired=False, draws=499), permutation(y, x, paired=False, draws=499)
        assert there.p_value == approx(back.p_value)
        assert there.effect.interval == approx((-back.effect.high, -back.effect.low))
        moved = permutation(rng.permutation(x), rng.permutation(y), paired=False, draws=499)
        assert moved.p_value == approx(there.p_value)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(-3, 3), min_size=1, max_size=12))
def test_never_nan_without_a_reason(d):
    zero = [0] * len(d)
    for r in (sign_test(d, zero), wilcoxon(d, zero), permutation(d, zero), wilcoxon(d, zero, method="normal")):
        assert 0 < r.p_value <= 1
        assert math.isfinite(r.statistic)
        assert math.isfinite(r.effect.value)
        if len(set(d)) == 1 and math.isnan(r.effect.width):
            assert r.effect.reason
            continue
        assert r.effect.low <= r.effect.value + 1e-12
        assert r.effect.value <= r.effect.high + 1e-12
        assert r.effect.width > 0
    greater, less = (wilcoxon(d, zero, alternative=side).p_value for side in ("greater", "less"))
    assert greater + less >= 1  # both tails hold what was seen


def test_median_has_no_interval_and_says_why():
    e = permutation([1, 2, 3, 4], [0, 1, 1, 0], statistic="median").effect
    assert e.value == approx(1.5)
    assert math.isnan(e.low)
    assert e.reason


def test_what_is_refused():
    with pytest.raises(UnknownNameError):
        wilcoxon([1, 2], [0, 0], zeros="zsplit")  # type: ignore[arg-type]
    with pytest.raises(UnknownNameError):
        wilcoxon([1, 2], [0, 0], method="approx")  # type: ignore[arg-type]
    with pytest.raises(UnknownNameError):
        permutation([1, 2], [0, 0], statistic="max")  # type: ignore[arg-type]
    with pytest.raises(InputError):
        permutation([1, 2], [0, 0], draws=0)
    for test in TESTS:
        with pytest.raises(UnknownNameError):
            test([1, 2], [0, 0], alternative="larger")
        with pytest.raises(InputError):
            test([1, 2], [0, 0, 1])
        with pytest.raises(InputError):
            test([1, math.nan], [0, 0])


def test_extras_reach_the_dictionary():
    assert wilcoxon([1, 2], [0, 0]).to_dict()["positive_ranks"] == 3
    assert sign_test([1, 2], [0, 0]).to_dict()["wins"] == 2


def test_more_pairs_than_floats_can_count():
    d = np.random.default_rng(6).normal(0.02, 1, 2000)
    r = permutation(d, np.zeros(2000), draws=199)
    assert 0 < r.p_value <= 1
    assert r.effect.low < r.effect.value < r.effect.high
    two = permutation(d[:900], d[900:], paired=False, draws=199)
    assert 0 < two.p_value <= 1
    assert sign_test(np.ones(2000), np.zeros(2000)).p_value > 0
