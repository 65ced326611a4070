"""Posterior probabilities of worse, same and better."""

import math
from typing import Any

import numpy as np
import pytest

from surefold.comparison import bayes_correlated_t, bayes_sign, bayes_signed_rank, corrected_t
from surefold.errors import InputError

approx = pytest.approx
DRAWN: list[Any] = [bayes_sign, bayes_signed_rank]


def total(p):
    return p.worse + p.same + p.better


def test_correlated_t_by_hand():
    d = [0.02, 0.03, 0.01, 0.04, 0.0]  # mean .02, s² = .001/4
    p = bayes_correlated_t(d, 80, 20)
    assert (p.mean, p.scale, p.df) == approx((0.02, math.sqrt((1 / 5 + 20 / 80) * 0.001 / 4), 4))
    assert total(p) == approx(1)
    assert p.effect.value == approx(0.02)
    assert p.effect.low == approx(0.02 - 2.7764 * p.scale, abs=1e-6)


def test_correlated_t_mirrors_the_corrected_t():
    d = np.random.default_rng(0).normal(0.01, 0.02, 10)
    p = bayes_correlated_t(d, 90, 10, rope=0)
    t = corrected_t(d, np.zeros(10), 90, 10, alternative="greater")
    assert p.worse == approx(t.p_value)
    assert p.same == approx(0, abs=1e-12)
    assert p.effect.interval == approx(t.effect.interval)


def test_correlated_t_without_spread():
    for value, where in ((0.02, "better"), (-0.02, "worse"), (0.0, "same"), (0.01, "same")):
        p = bayes_correlated_t([value] * 5, 80, 20)
        assert getattr(p, where) == 1
        assert total(p) == 1
        assert p.flags == ("no_spread",)
        assert all(math.isnan(end) for end in p.effect.interval)
        assert "no spread" in p.effect.reason
    one = bayes_correlated_t([0.02], 80, 20)
    assert math.isnan(one.better)
    assert one.reason
    assert one.to_dict()["better"] is None
    assert "undefined" in str(one)


def test_sign_by_beta():
    # 4 better, none worse, no prior, nothing within the rope: better has all the mass
    assert bayes_sign([0.1] * 4, prior=0).better == 1
    # 3 better, 1 worse: P(Beta(3, 1) > 1/2) = 1 - 1/8
    p = bayes_sign([0.1, 0.1, 0.1, -0.1], prior=0, draws=200_000)
    assert p.better == approx(7 / 8, abs=0.003)
    # 2 better, prior 1 of the same: P(Beta(2, 1) > 1/2) = 3/4
    assert bayes_sign([0.1, 0.1], prior=1, draws=200_000).better == approx(3 / 4, abs=0.004)


def test_signed_rank_of_one_difference():
    # weights w of the difference and 1 - w of zero, w ~ Beta(1, 1); above the rope are pairs (d, d) and (d, 0):
    # 1 - (1 - w)², which is the most when w > 1 - sqrt(1/2)
    p = bayes_signed_rank([0.1], prior=1, draws=200_000)
    assert p.better == approx(math.sqrt(0.5), abs=0.004)
    assert p.same == approx(1 - math.sqrt(0.5), abs=0.004)
    assert p.worse == 0


def test_signed_rank_by_all_pairs():
    d = np.array([0.03, -0.02, 0.005, 0.02, 0.04, -0.01, 0.0])
    points, rng = np.append(0.0, d), np.random.default_rng(1)
    weights = rng.dirichlet([0.6, *[1] * 7], 20_000)
    means = (points[:, None] + points) / 2
    regions = [means < -0.01 - 1e-12, np.abs(means) <= 0.01 + 1e-12, means > 0.01 + 1e-12]
    mass = np.stack([np.einsum("di,ij,dj->d", weights, r.astype(float), weights) for r in regions], axis=1)
    share = np.bincount(mass.argmax(axis=1), minlength=3) / len(mass)
    p = bayes_signed_rank(d)
    assert (p.worse, p.same, p.better) == approx(share, abs=0.01)


@pytest.mark.parametrize("test", DRAWN)
def test_laws(test):
    d = np.random.default_rng(2).normal(0.01, 0.03, 15).round(3)
    p, back = test(d), test(-d)
    assert total(p) == approx(1)
    assert (p.worse, p.same, p.better) == (back.better, back.same, back.worse)
    assert test(d[::-1]) == p
    assert test(10 * d, rope=0.1).better == approx(p.better)
    assert test(d + 0.05).better > p.better
    assert test(d, rope=0.1).same > p.same
    assert test(d, random_state=1).better == approx(p.better, abs=0.02)


@pytest.mark.parametrize("test", DRAWN)
def test_identical_learners_are_the_same(test):
    for n in (1, 10):
        p = test([0.0] * n)
        assert (p.worse, p.same, p.better) == (0, 1, 0)


def test_balanced_differences_are_balanced():
    d = np.array([0.05, -0.05, 0.03, -0.03, 0.08, -0.08])
    for test in DRAWN:
        p = test(d, draws=100_000)
        assert p.worse == approx(p.better, abs=0.01)


def test_what_is_refused():
    for bad in ({"rope": -1}, {"rope": math.nan}, {"prior": -0.5}, {"draws": 0}, {"draws": 1.5}):
        for test in DRAWN:
            with pytest.raises(InputError):
                test([0.1, 0.2], **bad)
    for test in (*DRAWN, lambda d: bayes_correlated_t(d, 80, 20)):
        for differences in ([], [math.nan], "abc", [[0.1, 0.2]]):
            with pytest.raises(InputError):
                test(differences)
    with pytest.raises(InputError):
        bayes_correlated_t([0.1, 0.2], 0, 20)
    assert "better" in str(bayes_sign([0.1]))
