"""Rows won and lost from powers: by hand, against exact chances and draws, and the laws that every bound obeys."""

import math

import numpy as np
import pytest
from scipy import integrate, stats

from surefold.significance.wins_and_losses import (
    FEW_ROWS,
    Counts,
    Powers,
    WinsAndLosses,
    bounds_of,
    gamma_deviate,
    gamma_quantile,
)

approx = pytest.approx
LIMITS = (-1.0, 1.0)


def powers(x: np.ndarray, floor: float = 0.0, reversal: float = 0.0) -> Powers:
    second, third, fourth = ((x**p).sum(axis=-1) for p in (2, 3, 4))
    return Powers(second, third, fourth, floor=floor, reversal=reversal)


def bounds(x: np.ndarray, value: float, reversal: float = 1e-4, beside: float = 0.0) -> WinsAndLosses:
    """From what every row moves a difference by."""
    return WinsAndLosses(value, powers(x, reversal=reversal).counts(), LIMITS, beside)


def tail(c: float, won: float, lost: float) -> float:
    """P[G(won) - G(lost) >= c] by quadrature."""
    if lost == 0:
        return float(stats.gamma.sf(c, won))

    def part(x: float) -> float:
        return float(stats.gamma.pdf(x, lost) * stats.gamma.sf(c + x, won))

    return float(integrate.quad(part, 0, np.inf, limit=400, points=None)[0])


@pytest.mark.parametrize(("won", "lost"), [(1, 0), (3, 0), (1, 1), (3, 1), (4, 12), (40, 30)])
@pytest.mark.parametrize("level", [0.1, 0.025, 0.005])
def test_the_tail_of_two_gamma_variables(won: float, lost: float, level: float) -> None:
    c = float(gamma_quantile(stats.norm.isf(level), won, lost))
    assert float(gamma_deviate(c, won, lost)) == approx(stats.norm.isf(level), abs=1e-8)
    assert tail(c, won, lost) == approx(level, rel=0.05)


def test_the_tail_falls_and_the_mean_is_no_hole() -> None:
    c = np.linspace(2.0, 40.0, 2001)  # the mean is at 2
    found = gamma_deviate(c, 5.0, 3.0)
    assert (np.diff(found) > 0).all()
    assert found[0] == approx((gamma_deviate(1.99, 5.0, 3.0) + gamma_deviate(2.01, 5.0, 3.0)) / 2, abs=1e-4)


def test_rows_of_one_size_are_counted_by_hand() -> None:
    # of 200 rows 12 won and 5 lost, each worth 1/200: d = 7/200 and x = (1 - d)/200, (-1 - d)/200, -d/200
    d = 7 / 200
    x = np.repeat([(1 - d) / 200, (-1 - d) / 200, -d / 200], [12, 5, 183])
    counts = powers(x).counts()
    assert 200 * float(counts.step) == approx(1, abs=0.04)
    assert float(counts.won) == approx(12, abs=1)
    assert float(counts.lost) == approx(5, abs=1)
    assert float(counts.step**2 * (counts.won + counts.lost)) == approx(float((x**2).sum()))
    assert float(counts.step**3 * (counts.won - counts.lost)) == approx(float((x**3).sum()))
    # p: twice the smaller tail, by quadrature with one row more on the far side
    w, lost, a, step = (float(v) for v in (counts.won, counts.lost, counts.added, counts.step))
    assert bounds(x, d).p() == approx(2 * tail(d / step - (w - lost), lost + a, w), rel=0.03)


def test_where_nothing_differs_three_rows_in_n_are_left_open() -> None:
    # exp(-c) = .025 at c = 3.69, and each reversed row is worth 1/100
    found = bounds(np.zeros(100), 0.0, reversal=1e-4)
    low, high = found.at(0.975)
    assert low == approx(-high)
    assert high == approx(-math.log(0.025) / 100, rel=0.02)
    assert found.p() == 1
    assert found.deciding == 0
    assert found.flags == ("few_rows_decide",)


def test_many_rows_give_the_normal_interval() -> None:
    x = np.random.default_rng(1).normal(size=200_000) / 200_000
    low, high = bounds(x - x.mean(), 0.1).at(0.975)
    half = stats.norm.ppf(0.975) * math.sqrt(((x - x.mean()) ** 2).sum())
    assert low == approx(0.1 - half, abs=0.01 * half)
    assert high == approx(0.1 + half, abs=0.01 * half)


def skewed(seed: int, n: int = 60) -> np.ndarray:
    x = np.random.default_rng(seed).gamma(0.5, size=n)
    return np.asarray((x - x.mean()) / n)


@pytest.mark.parametrize("seed", range(6))
def test_laws_of_sign_agreement_and_width(seed: int) -> None:
    x, value = skewed(seed), 0.01 * seed
    one, turned = bounds(x, value, beside=0.002), bounds(-x, -value, beside=0.002)
    for confidence in (0.8, 0.95, 0.999):
        low, high = one.at(confidence)
        assert turned.at(confidence) == approx((-high, -low))
        assert low < value < high
        # the p of a bound is what it leaves out, and the tests of a margin are those of the bounds
        assert one.p(low) == approx(2 * (1 - confidence), rel=1e-6)
        assert one.p(high) == approx(2 * (1 - confidence), rel=1e-6)
    margin = max(-one.at(0.95)[0], one.at(0.95)[1])
    assert one.outside_p(margin) == approx(0.05, rel=1e-6)
    assert one.p() == approx(turned.p())
    assert one.score() == approx(-turned.score())
    assert one.p() == approx(min(1.0, 2 * stats.norm.sf(abs(one.score()))))


def test_a_difference_multiplied_is_bounded_by_multiples() -> None:
    x = skewed(3)
    one = bounds(x, 0.02)
    for times in (2.0, -3.0):
        counts = Counts(*one.counts).times(times)
        low, high = (float(end) for end in bounds_of(counts, times * 0.02, 0.9))
        assert sorted(times * end for end in bounds_of(one.counts, 0.02, 0.9)) == [approx(low), approx(high)]


def test_bounds_beside_are_never_passed() -> None:
    x = skewed(4)
    alone, wide = bounds(x, 0.0), bounds(x, 0.0, beside=1.0)
    assert wide.at(0.8) == approx((-stats.norm.ppf(0.8), stats.norm.ppf(0.8)))
    assert wide.p(0.5) > alone.p(0.5)
    assert wide.spread == 1


def test_limits_hold_and_are_the_end() -> None:
    found = WinsAndLosses(0.0, Powers(0.0, 0.0, 0.0, reversal=4.0).counts(), LIMITS)
    assert found.at(0.975) == LIMITS


def test_few_rows_decide_is_about_sizes_alone() -> None:
    equal = np.repeat([1.0, -1.0], 3) / 10  # six rows of one size
    assert bounds(equal, 0.0).deciding == approx(6)
    assert bounds(equal, 0.0).flags == ()
    one_large = np.append(equal, [1.0, -1.0])
    assert bounds(one_large, 0.0).deciding < FEW_ROWS
    assert bounds(one_large, 0.0).flags == ("few_rows_decide",)


def test_tails_of_the_counts_are_those_of_all_rows_reweighed() -> None:
    """The rows themselves with gamma weights (a Dirichlet posterior) and the same added row give the same chance."""
    rng, x = np.random.default_rng(7), skewed(11, n=40)
    found = bounds(x, 0.0)
    step, added = float(found.counts.step), float(found.counts.added)
    draws = (rng.gamma(1.0, size=(100_000, 40)) - 1) @ x + step * rng.gamma(added, size=100_000)
    for t in (0.05, 0.1, 0.15):
        assert found.p(t) / 2 == approx(float((draws >= t).mean()), abs=0.012)


def test_arrays_of_pairs_are_counted_as_each_alone() -> None:
    x = [skewed(s) for s in range(4)]
    stacked = powers(np.stack(x), floor=1e-5, reversal=1e-3).counts()
    low, high = bounds_of(stacked, np.zeros(4), 0.975)
    for i, one in enumerate(x):
        alone = powers(one, floor=1e-5, reversal=1e-3).counts()
        ends = WinsAndLosses(0.0, alone).at(0.975)
        assert (low[i], high[i]) == (approx(ends[0]), approx(ends[1]))
