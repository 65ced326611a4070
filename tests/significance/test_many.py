"""Many models over many data sets, and many tests at once."""

import math
from itertools import permutations

import numpy as np
import pytest

from surefold.comparison import (
    benjamini_hochberg,
    bonferroni,
    bonferroni_dunn,
    friedman,
    hochberg,
    holm,
    nemenyi,
    rank_differences,
)
from surefold.errors import InputError, UnknownNameError

approx = pytest.approx

# Demšar (2006), table 6: ranks of C4.5, with m, with cf, with both, on 14 data sets.
RANKS = np.array([
    [4, 3, 2, 1], [1, 2, 3, 4], [4, 1, 2, 3], [4, 1, 3, 2], [4, 2, 3, 1], [1, 2.5, 4, 2.5], [3, 2, 4, 1],
    [2.5, 2.5, 4, 1], [4, 3, 2, 1], [2.5, 2.5, 2.5, 2.5], [4, 2.5, 1, 2.5], [3, 2, 4, 1], [4, 1, 2, 3], [3, 1, 4, 2],
])  # fmt: skip


def test_demsars_example():
    r = friedman(RANKS, better="lower", ties="none")
    assert r.average_ranks == approx([3.143, 2.000, 2.893, 1.964], abs=5e-4)
    assert r.statistic == approx(9.28, abs=0.005)
    assert r.f_statistic == approx(3.69, abs=0.005)
    assert (r.df, r.f_df) == (3, (3, 39))
    assert r.f_p_value < 0.05
    assert nemenyi(RANKS, better="lower").critical_difference == approx(1.25, abs=0.005)
    assert nemenyi(RANKS, better="lower", confidence=0.9).critical_difference == approx(1.12, abs=0.005)
    dunn = bonferroni_dunn(RANKS, better="lower").critical_difference
    assert dunn == approx(2.394 * math.sqrt(4 * 5 / (6 * 14)), abs=5e-4)
    z = rank_differences(RANKS, control=0, better="lower").z
    assert z == approx((r.average_ranks[1:] - r.average_ranks[0]) / math.sqrt(4 * 5 / (6 * 14)))


def test_ties_leave_less_rank_variance():
    loose, corrected = friedman(RANKS, better="lower", ties="none"), friedman(RANKS, better="lower")
    # ties: one pair of 6 = 2^3 - 2 in three data sets, one quadruple of 60 = 4^3 - 4
    left = 1 - (3 * 6 + 60) / (14 * 4 * 15)
    assert corrected.statistic == approx(loose.statistic / left)


def test_friedman_by_hand():
    r = friedman([[0.9, 0.8, 0.7], [0.8, 0.7, 0.6], [0.7, 0.8, 0.6], [0.9, 0.8, 0.5]])
    assert r.average_ranks.tolist() == [1.25, 1.75, 3.0]
    assert r.statistic == approx(12 * 4 / (3 * 4) * (1.25**2 + 1.75**2 + 3**2 - 3 * 16 / 4))
    assert r.p_value == approx(math.exp(-r.statistic / 2))
    assert r.f_statistic == approx(3 * 6.5 / (4 * 2 - 6.5))
    assert r.flags == ("few_data_sets",)


def test_direction():
    table = np.random.default_rng(0).normal(size=(9, 4))
    up, down = friedman(table), friedman(-table, better="lower")
    assert up.average_ranks == approx(down.average_ranks)
    assert friedman(table, better="lower").average_ranks == approx(5 - up.average_ranks)
    assert friedman(table, better="lower").p_value == approx(up.p_value)


def test_nothing_to_rank():
    r = friedman(np.full((6, 3), 0.5))
    assert (r.statistic, r.p_value, r.f_statistic, r.f_p_value) == (0, 1, 0, 1)
    assert "no_spread" in r.flags
    n = nemenyi(np.full((6, 3), 0.5))
    assert n.p_values.tolist() == np.ones((3, 3)).tolist()
    assert n.p_value == 1
    assert bonferroni_dunn(np.full((6, 3), 0.5)).p_values.tolist() == [1, 1, 1]


def test_the_same_order_everywhere_is_not_impossible():
    r = friedman(np.tile([0.9, 0.8, 0.7], (5, 1)))
    assert r.statistic == approx(5 * 2)
    assert r.f_statistic == math.inf
    assert r.f_p_value == approx(1 / 6**4)  # the other four in the order of the first
    one = friedman([[0.9, 0.8, 0.7]])
    assert one.f_p_value == 1
    assert "few_data_sets" in one.flags


def test_two_models():
    table = np.array([[0.9, 0.8]] * 7 + [[0.7, 0.8]] * 2 + [[0.5, 0.5]])
    r = friedman(table)
    assert r.effect.value == approx((2 - 7) / 10)
    assert r.effect.low < r.effect.value < r.effect.high
    assert friedman(table[:, ::-1]).effect.value == approx(0.5)
    assert "no single" in friedman(np.eye(3)).effect.reason


def test_nemenyi_agrees_with_itself():
    table = np.random.default_rng(1).normal(size=(12, 5)) + np.arange(5) * 0.5
    r = nemenyi(table)
    gaps = np.abs(r.average_ranks[:, None] - r.average_ranks)
    assert ((r.p_values < 0.05) == (gaps > r.critical_difference)).all()
    assert (r.p_values == r.p_values.T).all()
    assert np.diagonal(r.p_values).tolist() == [1] * 5
    assert r.p_value == r.p_values.min()
    assert nemenyi(table, df=5 * 11).critical_difference > r.critical_difference
    b = bonferroni_dunn(table, control=-1)
    gaps = np.abs(b.average_ranks - b.average_ranks[-1])
    assert ((b.p_values < 0.05) == (gaps > b.critical_difference)).all()
    assert b.to_dict()["p_values"] == b.p_values.tolist()


def test_dunn_for_nine_models_is_computed_not_copied():
    # a printed table has 2.724 for the normal quantile at 1 - .05/16; it is 2.734
    r = bonferroni_dunn(np.random.default_rng(2).normal(size=(54, 9)))
    assert r.critical_difference == approx(2.734 * math.sqrt(9 * 10 / (6 * 54)), abs=5e-4)


def test_rank_differences_feed_the_adjustments():
    table = np.random.default_rng(3).normal([0, 0, 0.5, 2], 1, (10, 4))
    every = rank_differences(table)
    assert every.pairs == ((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3))
    against = rank_differences(table, control=3)
    assert against.pairs == ((0, 3), (1, 3), (2, 3))
    assert against.z == approx(every.z[[2, 4, 5]])
    assert (holm(against.p_values) >= against.p_values).all()
    dunn = bonferroni_dunn(table, control=3).p_values
    assert dunn[:3] == approx(np.minimum(1, 3 * against.p_values))


def test_order_of_data_sets_and_of_models_does_not_matter():
    rng = np.random.default_rng(4)
    table = rng.integers(0, 6, (8, 3)) / 10
    r = friedman(table)
    for columns in permutations(range(3)):
        moved = friedman(table[rng.permutation(8)][:, columns])
        assert (moved.statistic, moved.f_p_value) == approx((r.statistic, r.f_p_value))
        assert moved.average_ranks == approx(r.average_ranks[list(columns)])
    assert friedman(np.exp(3 * table)).statistic == approx(r.statistic)  # ranks do not change


def test_adjustments_by_hand():
    p = [0.01, 0.04, 0.03]
    assert holm(p) == approx([0.03, 0.06, 0.06])
    assert hochberg(p) == approx([0.03, 0.04, 0.04])
    assert benjamini_hochberg(p) == approx([0.03, 0.04, 0.04])
    assert holm([0.5, 0.9]).tolist() == [1, 1]
    assert bonferroni([0.01, 0.04, 0.5]) == approx([0.03, 0.12, 1])


@pytest.mark.parametrize("adjust", [holm, hochberg, bonferroni, benjamini_hochberg])
def test_laws_of_adjustments(adjust):
    rng = np.random.default_rng(5)
    for _ in range(50):
        p = rng.random(int(rng.integers(1, 12))) ** 3
        found = adjust(p)
        assert (found >= p - 1e-15).all()
        assert (found <= 1).all()
        order = rng.permutation(len(p))
        assert adjust(p[order]) == approx(found[order])
        assert (np.diff(found[np.argsort(p)]) >= -1e-15).all()
        assert (benjamini_hochberg(p) <= hochberg(p) + 1e-15).all()
        assert (hochberg(p) <= holm(p) + 1e-15).all()
        assert (holm(p) <= bonferroni(p) + 1e-15).all()
    for bad in ([0.5, 1.2], [math.nan], [], ["0.1"], 0.3):
        with pytest.raises(InputError):
            adjust(bad)


def test_what_is_refused():
    for bad in ([[1], [2]], [1, 2, 3], [[1, math.nan], [1, 2]]):
        with pytest.raises(InputError):
            friedman(bad)
    with pytest.raises(UnknownNameError):
        friedman(np.eye(3), better="more")  # type: ignore[arg-type]
    with pytest.raises(UnknownNameError):
        friedman(np.eye(3), ties="all")  # type: ignore[arg-type]
    with pytest.raises(InputError):
        nemenyi(np.eye(3), df=0)
    for control in (3, -4, "a"):
        with pytest.raises(InputError):
            bonferroni_dunn(np.eye(3), control=control)  # type: ignore[arg-type]
