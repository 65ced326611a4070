"""Power of shares and of McNemar's test: by hand, by the textbook's formulas, and over all outcomes with the tests."""

import math
from itertools import product

import numpy as np
import pytest
from scipy.stats import binom

from surefold.comparison import mcnemar, two_proportions
from surefold.estimates.proportion import share_interval
from surefold.planning.matched import McNemarDesign, largest_rejected
from surefold.planning.power import expected_width, power, sample_size, smallest_difference
from surefold.planning.shares import LARGE, ProportionDesign, TwoProportionsDesign, likely_counts

# normal quantiles as tables print them: .975 and .8
Z, Z80 = 1.959964, 0.841621


def test_one_share_by_hand():
    # of 5 rows only 5 right has an interval above .3: Clopper and Pearson's starts at .025^(1/5) = .478, with 4 at .284
    assert round(0.025 ** (1 / 5), 3) == 0.478
    assert float(power("proportion", n=5, value=0.9, null=0.3)) == pytest.approx(0.9**5)
    # from the other side: none of 5 right ends at 1 - .025^(1/5) = .522, one of 5 at .716
    assert float(power("proportion", n=5, value=0.1, null=0.6)) == pytest.approx(0.9**5)


@pytest.mark.parametrize("n", [1, 2, 7, 8, 20, 53, 200])
@pytest.mark.parametrize("null", [0.02, 0.3, 0.5, 0.9, 0.995])
@pytest.mark.parametrize("confidence", [0.6, 0.95, 0.999])
def test_one_share_over_all_counts(n, null, confidence):
    counts = np.arange(n + 1)
    low, high = share_interval("auto", counts, n, confidence)
    outside = (high < null) | (low > null)
    for value in (0.0, 0.1, 0.45, 0.97, 1.0):
        found = ProportionDesign(confidence=confidence, value=value, null=null).power_at(n)
        assert found == pytest.approx(float(binom.pmf(counts, n, value) @ outside), abs=1e-10)


def test_one_share_by_the_normal_formula():
    # (z √(p0 q0) + z_b √(p1 q1))² / d² = (1.96 x .5 + .8416 x .4996)² / .0004 = 4903
    n = ((Z * 0.5 + Z80 * math.sqrt(0.52 * 0.48)) / 0.02) ** 2
    assert round(n) == 4903
    assert sample_size("proportion", value=0.52, null=0.5).n == pytest.approx(n, rel=0.02)


@pytest.mark.parametrize("n", [3, 8, 30, 150])
@pytest.mark.parametrize("value", [0.0, 0.03, 0.5, 0.9])
def test_mean_width_over_all_counts(n, value):
    counts = np.arange(n + 1)
    low, high = share_interval("auto", counts, n, 0.95)
    mean = float(binom.pmf(counts, n, value) @ (high - low))
    assert float(expected_width("proportion", n=n, value=value)) == pytest.approx(mean, rel=1e-9)


def test_width_by_the_textbook():
    # n = 4 z² p q / width²
    n = 4 * Z**2 * 0.9 * 0.1 / 0.02**2
    assert sample_size("proportion", value=0.9, width=0.02).n == pytest.approx(n, rel=0.005)


@pytest.mark.parametrize(("value", "null"), [(0.245, 0.302), (0.713, 0.686), (0.242, 0.265), (0.97, 0.99)])
def test_no_tooth_of_one_share_is_overlooked(value, null):
    design = ProportionDesign(confidence=0.95, value=value, null=null)
    n = sample_size("proportion", value=value, null=null).n
    later = design.powers_at(np.arange(n, 2 * n))
    assert later.min() >= 0.8
    assert design.power_at(n - 1) < 0.8


def test_mean_width_meets_the_one_that_many_rows_are_given():
    few = ProportionDesign(confidence=0.95, value=0.9, width=0.1)
    assert few.width_at(LARGE - 1) == pytest.approx(few.width_at(LARGE), rel=1e-6)


def test_likely_counts_are_the_binomial():
    for n, p in ((1, 0.5), (9, 0.001), (300, 0.2), (5000, 0.999)):
        counts, chance = likely_counts(n, p)
        assert chance == pytest.approx(binom.pmf(counts, n, p), rel=1e-8, abs=1e-16)
        assert 1 - binom.cdf(counts[-1], n, p) + binom.cdf(counts[0] - 1, n, p) < 1e-15


def test_two_shares_by_the_textbooks_formulas():
    # .85 against .90: (z + z_b)² (p1 q1 + p2 q2) / d² = 7.8489 x (.1275 + .09) / .0025 = 682.9, unpooled
    unpooled = (Z + Z80) ** 2 * (0.85 * 0.15 + 0.9 * 0.1) / 0.05**2
    assert math.ceil(unpooled) == 683
    design = TwoProportionsDesign(confidence=0.95, first=0.85, second=0.9)
    assert design.by_normal(683) >= 0.8 > design.by_normal(682)
    # with the pooled share .875 under the null: (z √(2 p q) + z_b √(p1 q1 + p2 q2))² / d² = 685.6
    pooled = (Z * math.sqrt(2 * 0.875 * 0.125) + Z80 * math.sqrt(0.85 * 0.15 + 0.9 * 0.1)) ** 2 / 0.05**2
    assert math.ceil(pooled) == 686
    # over all outcomes the unpooled test needs a little less
    assert sample_size("two_proportions", first=0.85, second=0.9).n == pytest.approx(683, abs=7)


@pytest.mark.parametrize(("n", "m"), [(2, 2), (3, 7), (10, 10), (25, 12)])
@pytest.mark.parametrize("confidence", [0.8, 0.95])
def test_two_shares_over_all_pairs_of_counts(n, m, confidence):
    level = 1 - confidence
    pairs = list(product(range(n + 1), range(m + 1)))
    rejected = [two_proportions(a / n, n, b / m, m).p_value <= level for a, b in pairs]
    for first, second in ((0.1, 0.6), (0.5, 0.55), (0.0, 0.3), (1.0, 0.0), (0.97, 0.8)):
        chance = [binom.pmf(a, n, first) * binom.pmf(b, m, second) for a, b in pairs]
        design = TwoProportionsDesign(confidence=confidence, first=first, second=second, ratio=m / n)
        assert design.second_rows(n) == m
        assert design.power_at(n) == pytest.approx(float(np.dot(chance, rejected)), abs=1e-9)


def test_two_shares_have_two_routes_that_meet():
    design = TwoProportionsDesign(confidence=0.95, first=0.5, second=0.502)
    n = LARGE - 1
    assert design.power_at(n) == pytest.approx(design.by_normal(n), abs=5e-4)
    assert 0.7 < design.power_at(LARGE) < 0.9


def test_mcnemar_by_hand():
    # two models that never agree, 5 rows: mid-p of 0 : 5 is 2/32 - 1/32 = .031, of 1 : 4 it is .219
    assert mcnemar(0, 5).p_value == pytest.approx(1 / 32)
    found = power("mcnemar", n=5, only_first=0.9, only_second=0.1)
    assert float(found) == pytest.approx(0.9**5 + 0.1**5)
    # only the first is ever right alone, on half the rows: of 6 rows, 5 or 6 such rows tell, (6 + 1) / 64
    assert float(power("mcnemar", n=6, only_first=0.5, only_second=0.0)) == pytest.approx(7 / 64)


@pytest.mark.parametrize("confidence", [0.5, 0.9, 0.95, 0.999])
def test_the_largest_rejected_count_is_the_tests(confidence):
    found = largest_rejected(np.arange(61.0), confidence)
    for apart in range(61):
        rejected = [c for c in range(apart // 2 + 1) if mcnemar(c, apart - c).p_value <= 1 - confidence]
        assert found[apart] == max(rejected, default=-1)


@pytest.mark.parametrize("n", [2, 9, 24])
@pytest.mark.parametrize(("first", "second"), [(0.3, 0.1), (0.6, 0.4), (0.05, 0.0), (0.2, 0.5)])
def test_mcnemar_over_all_tables(n, first, second):
    total = 0.0
    for b, c in product(range(n + 1), repeat=2):
        if b + c <= n and mcnemar(b, c).p_value <= 0.05:
            ways = math.comb(n, b) * math.comb(n - b, c)
            total += ways * first**b * second**c * max(0.0, 1 - first - second) ** (n - b - c)
    assert float(power("mcnemar", n=n, only_first=first, only_second=second)) == pytest.approx(total, abs=1e-10)


def test_mcnemar_by_the_normal_formula():
    # (z √q + z_b √(q - d²))² / d² with q = .1 and d = .02: (1.96 x .31623 + .8416 x .31559)² / .0004 = 1959.8
    n = (Z * math.sqrt(0.1) + Z80 * math.sqrt(0.1 - 0.02**2)) ** 2 / 0.02**2
    assert n == pytest.approx(1959.8, abs=0.1)
    assert sample_size("mcnemar", difference=0.02, disagreement=0.1).n == pytest.approx(n, rel=0.01)


def test_mcnemar_has_two_routes_that_meet():
    for n, d in ((10**5, 0.0028), (LARGE - 1, 0.00089)):
        design = McNemarDesign(confidence=0.95, only_first=0.05 + d / 2, only_second=0.05 - d / 2)
        assert 0.7 < design.power_at(n) < 0.9
        assert design.power_at(n) == pytest.approx(design.by_normal(n), abs=0.001)


def test_two_ways_to_say_the_disagreements():
    one = power("mcnemar", n=300, only_first=0.08, only_second=0.02)
    other = power("mcnemar", n=300, difference=0.06, disagreement=0.1)
    assert float(one) == pytest.approx(float(other), rel=1e-12)
    assert one.facts["difference"] == pytest.approx(0.06)
    assert one.facts["disagreement"] == pytest.approx(0.1)


def test_the_smallest_difference_keeps_the_disagreement():
    one = smallest_difference("mcnemar", n=300, only_first=0.08, only_second=0.02)
    assert one.value == smallest_difference("mcnemar", n=300, disagreement=0.1).value
    assert one.facts["disagreement"] == pytest.approx(0.1)


def test_one_model_that_is_never_right_alone():
    # every row tells, and all for the first: mid-p of 0 : n is 2 / 2^n - 1 / 2^n
    for n in (2, 4, 5, LARGE):
        assert McNemarDesign(confidence=0.95, only_first=1.0, only_second=0.0).power_at(n) == (
            1 / 2 ** min(n, 60) <= 0.05
        )


def test_without_a_difference_the_power_is_the_size():
    """Not offered as a plan, but what the sums have to give: at most the level, or a little more for mid-p."""
    for n in (50, 400):
        size = McNemarDesign(confidence=0.95, only_first=0.1, only_second=0.1).power_at(n)
        assert 0.01 < size < 0.055
        size = ProportionDesign(confidence=0.95, value=0.3, null=0.3).power_at(n)
        assert 0.02 < size < 0.07
