"""Intervals and tests for a share, against printed tables, hand arithmetic and scipy."""

import functools
import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

from surefold import InputError, UnknownNameError
from surefold.estimates import (
    agresti_coull,
    clopper_pearson,
    jeffreys,
    pessimistic_error,
    proportion_test,
    wald,
    wilson,
)
from surefold.estimates.proportion import share_interval

approx = pytest.approx


def _cases(count: int, largest: int = 400) -> list[tuple[int, int]]:
    rng = np.random.default_rng(7)
    ns = rng.integers(1, largest, size=count)
    cases = [(int(rng.integers(0, n + 1)), int(n)) for n in ns]
    ends = [(s, n) for n in (1, 2, 3, 10, 57) for s in {0, 1, n - 1, n}]
    return cases + ends + [(0, 100_000), (3, 1_000_000), (499_000, 1_000_000), (1_000_000, 1_000_000)]


CASES = _cases(150)
TESTED = _cases(250, 120)


# printed figures


@pytest.mark.parametrize(
    ("n", "low", "high"),
    [
        (20, 0.584, 0.919),
        (50, 0.670, 0.888),
        (100, 0.711, 0.867),
        (500, 0.763, 0.833),
        (1000, 0.774, 0.824),
        (5000, 0.789, 0.811),
    ],
)
def test_tan4_4_wilson_at_accuracy_80_per_cent(n, low, high):
    z, p = 1.959964, 0.8
    centre = (2 * n * p + z**2) / (2 * (n + z**2))
    half = z * math.sqrt(z**2 + 4 * n * p - 4 * n * p**2) / (2 * (n + z**2))
    e = wilson(0.8 * n, n)
    assert e.value == approx(0.8)
    assert e.interval == approx((centre - half, centre + half), abs=1e-7)
    assert (round(e.low, 3), round(e.high, 3)) == (low, high)
    assert e.se == approx(math.sqrt(0.8 * 0.2 / n))
    assert (e.method, e.n, e.confidence) == ("wilson", n, 0.95)


def test_pessimistic_error_of_a_pure_node_of_six():
    z = stats.norm.ppf(0.75)
    assert z == approx(0.6745, abs=5e-5)
    # Wilson's upper bound at 0 of n is z^2 / (n + z^2)
    assert pessimistic_error(0, 6) == approx(z**2 / (6 + z**2))
    assert round(pessimistic_error(0, 6), 3) == 0.070
    # the rate u at which no error in 6 rows has chance .25, (1 - u)^6 = .25
    assert pessimistic_error(0, 6, bound="c45") == approx(1 - 0.25 ** (1 / 6))
    assert round(pessimistic_error(0, 6, bound="c45"), 3) == 0.206


def test_pessimistic_error_with_errors():
    # 2 of 10: Wilson written out, and C4.5's limit by its own definition P(X <= 2 | u) = .25
    z, n, f = stats.norm.ppf(0.75), 10, 0.2
    slides = (f + z**2 / (2 * n) + z * math.sqrt(f / n - f**2 / n + z**2 / (4 * n**2))) / (1 + z**2 / n)
    assert pessimistic_error(2, 10) == approx(slides)
    assert stats.binom.cdf(2, 10, pessimistic_error(2, 10, bound="c45")) == approx(0.25)
    assert pessimistic_error(10, 10) == 1
    assert pessimistic_error(10, 10, bound="c45") == 1


def test_what_the_program_c45_adds_to_the_errors():
    """.157 for 1 of 16 and .206, .143, .750 for none of 6, 9 and 1 are printed in Quinlan (1993), section 4.2."""
    of = {b: functools.partial(pessimistic_error, bound=b) for b in ("c45", "c45_program", "j48")}
    for program in ("c45_program", "j48"):
        assert [round(of[program](0, n), 3) for n in (6, 9, 1)] == [0.206, 0.143, 0.750]  # 1 - .25^(1/n)
    # (1.5 + z²/2 + sqrt(z² (1.5 (1 - 1.5/16) + z²/4))) / (16 + z²), z a quarter of the way from .84 to .25
    squared = (0.84 - (0.84 - 0.25) / 4) ** 2
    by_table = (1.5 + squared / 2 + math.sqrt(squared * (1.5 * (1 - 1.5 / 16) + squared / 4))) / (16 + squared)
    assert of["c45_program"](1, 16) == approx(by_table)
    assert [round(of[b](1, 16), 4) for b in of] == [0.1596, 0.1567, 0.1547]  # exact, by the table, by z = .6745
    # up to one error straight on; near n, .67 of the rest or all of it
    for program in ("c45_program", "j48"):
        assert of[program](0.25, 16) == approx(0.75 * of[program](0, 16) + 0.25 * of[program](1, 16))
        assert of[program](5, 5) == 1
    assert of["c45_program"](4.75, 5) == approx((4.75 + 0.67 * 0.25) / 5)
    assert of["j48"](4.75, 5) == 1


def test_agresti_coull_by_hand():
    z = 1.959963985
    n = 20 + z**2
    p = (16 + z**2 / 2) / n
    half = z * math.sqrt(p * (1 - p) / n)
    e = agresti_coull(16, 20)
    assert e.value == 0.8  # of the data, not of the enlarged data
    assert e.interval == approx((p - half, p + half), abs=1e-8)
    assert agresti_coull(0, 5).low == 0  # clipped


def test_wald_by_hand_and_flagged():
    half = 1.959963985 * math.sqrt(0.8 * 0.2 / 20)
    e = wald(16, 20)
    assert e.interval == approx((0.8 - half, 0.8 + half), abs=1e-8)
    assert "known_to_mislead" in e.flags
    assert wald(20, 20).interval == (1, 1)
    assert wald(19, 20).high == 1  # clipped


def test_clopper_pearson_closed_forms():
    # no error in n: low solves p^n = .025
    assert clopper_pearson(20, 20).interval == approx((0.025 ** (1 / 20), 1))
    assert clopper_pearson(0, 20).interval == approx((0, 1 - 0.025 ** (1 / 20)))
    assert clopper_pearson(1, 1).interval == approx((0.025, 1))


# against scipy


@pytest.mark.parametrize("confidence", [0.5, 0.9, 0.95, 0.99])
@pytest.mark.parametrize(
    ("ours", "options", "theirs"),
    [
        (wilson, {}, "wilson"),
        (wilson, {"correction": True}, "wilsoncc"),
        (clopper_pearson, {}, "exact"),
    ],
    ids=["wilson", "wilson_corrected", "clopper_pearson"],
)
def test_against_scipy_binomtest(ours, options, theirs, confidence):
    for s, n in CASES:
        e = ours(s, n, confidence=confidence, **options)
        reference = stats.binomtest(s, n).proportion_ci(confidence, method=theirs)
        assert e.interval == approx(tuple(reference), abs=1e-9), (s, n)


@pytest.mark.parametrize("confidence", [0.9, 0.95])
def test_jeffreys_is_the_beta_posterior_reaching_the_ends(confidence):
    tail = (1 - confidence) / 2
    for s, n in CASES:
        posterior = stats.beta(s + 0.5, n - s + 0.5)
        low = 0 if s == 0 else posterior.ppf(tail)
        high = 1 if s == n else posterior.ppf(1 - tail)
        assert jeffreys(s, n, confidence=confidence).interval == approx((low, high), abs=1e-9), (s, n)


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_exact_test_against_scipy(alternative):
    rng = np.random.default_rng(3)
    for s, n in TESTED:
        for rate in (float(rng.random()), 0.5, 0.02, 0.97):
            ours = proportion_test(s, n, rate, alternative=alternative).p_value
            theirs = stats.binomtest(s, n, rate, alternative=alternative).pvalue
            assert ours == approx(theirs, rel=1e-6, abs=1e-12), (s, n, rate)


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("rate", [0.0, 1.0])
def test_exact_test_at_impossible_rates(rate, alternative):
    for s, n in ((0, 5), (1, 5), (3, 5), (4, 5), (5, 5), (0, 1), (1, 1)):
        ours = proportion_test(s, n, rate, alternative=alternative).p_value
        assert ours == approx(stats.binomtest(s, n, rate, alternative=alternative).pvalue), (s, n)


def test_exact_two_sided_by_hand_where_only_one_tail_counts():
    # 3 of 5 at .1: P(0) = .9^5 is likelier than P(3), so p is the upper tail alone
    upper = 10 * 0.1**3 * 0.9**2 + 5 * 0.1**4 * 0.9 + 0.1**5
    assert proportion_test(3, 5, 0.1).p_value == approx(upper)
    # 9 of 10 at .5: both ends, 2 (1 + 10) / 2^10
    assert proportion_test(9, 10, 0.5).p_value == approx(22 / 1024)
    assert proportion_test(5, 10, 0.5).p_value == 1


def test_fractional_counts_double_the_smaller_tail():
    # P(X >= s) continued to fractions is the incomplete beta function
    greater = stats.beta.cdf(0.5, 7.5, 10.2 - 7.5 + 1)
    assert proportion_test(7.5, 10.2, 0.5, alternative="greater").p_value == approx(greater)
    assert proportion_test(7.5, 10.2, 0.5).p_value == approx(2 * greater)


def test_score_test_is_what_wilson_inverts():
    for s, n in ((16, 20), (3, 40), (55, 60)):
        e = wilson(s, n)
        for bound in e.interval:
            assert proportion_test(s, n, bound, method="score").p_value == approx(0.05)
    z = (0.8 - 0.5) / math.sqrt(0.25 / 20)
    found = proportion_test(16, 20, 0.5, method="score")
    assert found.statistic == approx(z)
    assert found.p_value == approx(2 * stats.norm.sf(z))
    assert proportion_test(16, 20, 0.5, method="score", alternative="greater").p_value == approx(stats.norm.sf(z))
    assert proportion_test(16, 20, 0.5, method="score", alternative="less").p_value == approx(stats.norm.cdf(z))


def test_the_test_carries_its_effect():
    assert proportion_test(16, 20, 0.5).effect == clopper_pearson(16, 20)
    assert proportion_test(16, 20, 0.5, method="score").effect == wilson(16, 20)
    assert proportion_test(16, 20, 0.5, confidence=0.9).effect.confidence == 0.9


# the rule between the two


@pytest.mark.parametrize("n", [5, 8, 20, 100])
def test_auto_is_exact_with_three_or_fewer_errors_or_successes(n):
    for s in range(n + 1):
        chosen = clopper_pearson if min(s, n - s) <= 3 else wilson
        low, high = share_interval("auto", s, n, 0.95)
        assert (float(low), float(high)) == approx(chosen(s, n).interval, abs=1e-12)


@pytest.mark.parametrize("slices", [10, 500])
def test_above_99_per_cent_a_share_is_exact_and_many_slices_hold_together(slices):
    # each at Sidak's level; every result of 50 rows is enumerated, so this is the chance itself that all of them hold
    n, level = 50, 0.95 ** (1 / slices)
    p, s = np.linspace(0.5, 0.999, 400)[:, None], np.arange(n + 1)
    together = {}
    for method in ("auto", "wilson", "clopper_pearson"):
        low, high = share_interval(method, s, n, level)
        each = (((low <= p) & (p <= high)) * stats.binom.pmf(s, n, p)).sum(axis=1)
        together[method] = float((each**slices).min())
    assert together["auto"] == together["clopper_pearson"] > 0.95
    assert together["wilson"] < 0.9


@pytest.mark.parametrize(
    "method", ["auto", "wilson", "wilson_corrected", "clopper_pearson", "jeffreys", "agresti_coull", "wald"]
)
def test_arrays_equal_the_scalars_and_no_rows_means_no_knowledge(method):
    s, n = np.array([0.0, 2.0, 30.0, 0.0]), np.array([4.0, 5.0, 44.0, 0.0])
    low, high = share_interval(method, s, n, 0.9)
    for i in range(3):
        assert (low[i], high[i]) == approx(tuple(map(float, share_interval(method, s[i], n[i], 0.9))))
    assert (low[3], high[3]) == (0, 1)


def test_bad_arguments():
    for s, n in ((3, 2), (-1, 5), (0, 0), (1, math.nan), (math.nan, 3)):
        with pytest.raises(InputError) as error:
            wilson(s, n)
        assert error.value.code == "bad_option"
    confidences: list[Any] = [0, 1, 95, -0.1, math.nan, "0.95"]
    for confidence in confidences:
        with pytest.raises(InputError, match="confidence"):
            wilson(3, 5, confidence=confidence)
    with pytest.raises(InputError, match="rate"):
        proportion_test(3, 5, 1.2)
    with pytest.raises(UnknownNameError, match="alternative"):
        proportion_test(3, 5, 0.5, alternative="two_sided")  # type: ignore[arg-type]
    with pytest.raises(UnknownNameError, match="method"):
        proportion_test(3, 5, 0.5, method="wald")  # type: ignore[arg-type]
    with pytest.raises(UnknownNameError, match="bound"):
        pessimistic_error(3, 5, bound="c5")  # type: ignore[arg-type]
    with pytest.raises(UnknownNameError, match="interval for a share"):
        share_interval("blaker", 1, 2, 0.95)
