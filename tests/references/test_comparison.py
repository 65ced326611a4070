"""The plain tests beside peers: frozen answers of statsmodels and MLstatkit, and scipy live on random inputs."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from surefold import comparison as c

approx = pytest.approx
FROZEN = json.loads((Path(__file__).parent / "comparison_tests.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", FROZEN["two_proportions"], ids=lambda case: str(case["given"]))
def test_two_proportions(case):
    a, n, b, m = case["given"]
    for name, bounds in case["bounds"].items():
        ours = c.two_proportions(a / n, n, b / m, m, interval=name).effect
        assert ours.interval == approx((max(bounds[0], -1), min(bounds[1], 1)), abs=1e-9), name
    for name, (z, p) in case["tests"].items():
        found = c.two_proportions(a / n, n, b / m, m, pooled=name == "pooled")
        assert (found.statistic, found.p_value) == approx((z, p), abs=1e-9), name


@pytest.mark.parametrize(("shares", "low", "high"), [
    ((56, 70, 48, 80), 0.0528, 0.3382),
    ((9, 10, 3, 10), 0.1700, 0.8406),
    ((5, 56, 0, 29), -0.0326, 0.1933),
])  # fmt: skip
def test_miettinen_nurminen_as_newcombe_prints_it(shares, low, high):
    a, n, b, m = shares
    found = c.two_proportions(a / n, n, b / m, m, interval="miettinen_nurminen").effect
    assert found.interval == approx((low, high), abs=6e-5)


@pytest.mark.parametrize("case", FROZEN["cochran_q"])
def test_cochran_q(case):
    found = c.cochran_q(case["given"])
    assert [found.statistic, found.p_value] == approx(case["found"])


@pytest.mark.parametrize("case", FROZEN["bowker"])
def test_bowker(case):
    found = c.bowker(case["given"])
    assert [found.statistic, found.p_value, found.df] == approx(case["found"])


@pytest.mark.parametrize("case", FROZEN["adjusted"])
def test_adjusted_p(case):
    for name, adjusted in case["found"].items():
        assert getattr(c, name)(case["given"]) == approx(adjusted), name


@pytest.mark.parametrize("case", FROZEN["sign_test"])
def test_sign_test(case):
    d = np.array(case["given"])
    assert c.sign_test(d, np.zeros(len(d))).p_value == approx(case["found"])


@pytest.mark.parametrize("case", FROZEN["delong"])
def test_delong_as_published(case):
    y, a, b = case["given"]
    z, p, first, second = case["found"]
    found = c.delong_test(y, a, b, method="delong")
    assert (found.statistic, found.p_value, found.effect.value) == approx((z, p, first - second))


@pytest.mark.parametrize("seed", range(20))
def test_paired_t(seed):
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=(2, int(rng.integers(2, 40))))
    for side in ("two-sided", "greater", "less"):
        theirs = stats.ttest_rel(a, b, alternative=side)
        ours = c.paired_t(a, b, alternative=side)
        assert (ours.statistic, ours.p_value, ours.df) == approx((theirs.statistic, theirs.pvalue, theirs.df))
    ends = stats.ttest_rel(a, b).confidence_interval(0.9)
    assert c.paired_t(a, b, confidence=0.9).effect.interval == approx((ends.low, ends.high))


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("zeros", "theirs"), [("split", "zsplit"), ("drop", "wilcox"), ("pratt", "pratt")])
def test_wilcoxon(seed, zeros, theirs):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(5, 9))
    d = rng.integers(-4, 8, n).astype(float)  # zeros and ties
    d[:2] = 1, -3
    for side in ("two-sided", "greater", "less"):
        ways = stats.PermutationMethod(n_resamples=np.inf)
        exact = stats.wilcoxon(d, zero_method=theirs, alternative=side, method=ways)
        ours = c.wilcoxon(d, np.zeros(n), zeros, "exact", alternative=side)
        assert ours.p_value == approx(exact.pvalue), side
        many = np.concatenate([d, rng.integers(-4, 8, 60)])
        for corrected in (False, True):
            normal = stats.wilcoxon(
                many, zero_method=theirs, alternative=side, method="asymptotic", correction=corrected
            )
            ours = c.wilcoxon(many, np.zeros(len(many)), zeros, "normal", corrected, alternative=side)
            assert ours.p_value == approx(normal.pvalue), side


@pytest.mark.parametrize("n", [5, 17, 50])
def test_wilcoxon_without_ties(n):
    d = np.random.default_rng(n).normal(0.3, 1, n)
    theirs = stats.wilcoxon(d, method="exact")
    ours = c.wilcoxon(d, np.zeros(n))
    assert ours.p_value == approx(theirs.pvalue)
    assert min(ours.positive_ranks, ours.negative_ranks) == theirs.statistic


@pytest.mark.parametrize("seed", range(4))
def test_permutation(seed):
    rng = np.random.default_rng(seed)
    a, b, short = rng.normal(size=9), rng.normal(0.5, 1, 9), rng.normal(size=4)
    for side in ("two-sided", "greater", "less"):
        middles: dict[Any, Any] = {"mean": np.mean, "median": np.median}
        for statistic, middle in middles.items():
            theirs = stats.permutation_test(
                (a - b,), middle, permutation_type="samples", n_resamples=np.inf, alternative=side
            )
            assert c.permutation(a, b, statistic, alternative=side).p_value == approx(theirs.pvalue)

            def apart(x, y, axis, middle=middle):
                return middle(x, axis=axis) - middle(y, axis=axis)

            for x, y in ((a, short), (short, a)):
                theirs = stats.permutation_test((x, y), apart, n_resamples=np.inf, alternative=side, vectorized=True)
                ours = c.permutation(x, y, statistic, paired=False, alternative=side)
                assert ours.p_value == approx(theirs.pvalue)


@pytest.mark.parametrize("seed", range(20))
def test_friedman(seed):
    rng = np.random.default_rng(seed)
    table = rng.integers(0, 8, (int(rng.integers(3, 15)), int(rng.integers(3, 7)))).astype(float)
    theirs = stats.friedmanchisquare(*table.T)
    ours = c.friedman(table)
    assert (ours.statistic, ours.p_value) == approx((theirs.statistic, theirs.pvalue))


@pytest.mark.parametrize("k", [2, 3, 5, 10, 30])
def test_studentised_range(k):
    from surefold.significance.studentised_range import range_quantile, range_tail

    for q in (0.1, 1.0, 3.0, 5.0, 7.5):
        assert range_tail(q, k) == approx(stats.studentized_range.sf(q, k, np.inf), rel=1e-7, abs=1e-11)
    assert range_tail(range_quantile(0.95, k), k) == approx(0.05, rel=1e-9)
    assert range_tail(3.0, k, 20) == approx(stats.studentized_range.sf(3.0, k, 20))
    if k == 2:  # the range of two is √2 |Z|
        assert range_tail(12.0, 2) == approx(2 * stats.norm.sf(12 / math.sqrt(2)), rel=1e-9)


def test_five_by_two_and_corrected_t_from_their_distributions():
    rng = np.random.default_rng(3)
    d = rng.normal(size=(5, 2))
    variances = d.var(axis=1, ddof=1)
    t = d[0, 0] / math.sqrt(variances.mean())
    assert c.five_by_two_t(d).p_value == approx(2 * stats.t.sf(abs(t), 5))
    f = (d**2).sum() / (2 * variances.sum())
    assert c.five_by_two_f(d).p_value == approx(stats.f.sf(f, 10, 5))
    a, b = rng.normal(size=(2, 100))
    se = math.sqrt((1 / 100 + 1 / 9) * (a - b).var(ddof=1))
    found = c.corrected_t(a, b, 90, 10, df=9)
    assert found.p_value == approx(2 * stats.t.sf(abs((a - b).mean()) / se, 9))


def test_bayes_correlated_t_is_the_student_distribution():
    d = np.random.default_rng(4).normal(0.02, 0.03, 100)
    found = c.bayes_correlated_t(d, 90, 10, rope=0.01)
    rho = 10 / 100
    scale = math.sqrt((1 / 100 + rho / (1 - rho)) * d.var(ddof=1))
    posterior = stats.t(99, d.mean(), scale)
    assert (found.worse, found.same, found.better) == approx(
        (posterior.cdf(-0.01), posterior.cdf(0.01) - posterior.cdf(-0.01), posterior.sf(0.01))
    )
