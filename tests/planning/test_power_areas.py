"""Power of areas: closed forms against integrals, exact cases and data."""

import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import ndtr, ndtri
from scipy.stats import multivariate_normal, norm

import surefold as sf
from surefold.estimates.auc import AucMoments, delong
from surefold.planning.areas import AucDesign, PairedAucDesign
from surefold.planning.binormal import AreaMoments, PairMoments, both_below
from surefold.planning.power import expected_width, power, sample_size
from surefold.significance.paired_auc import PairedAreas
from surefold.tallies.score_groups import ScoreGroups


@pytest.mark.parametrize("correlation", [-0.9, -0.3, 0.0, 0.25, 0.5, 0.8, 0.99])
@pytest.mark.parametrize(
    ("h", "k"), [(0.3, 1.2), (-0.5, 0.9), (0.0, 0.7), (0.0, -0.7), (-1.1, -0.2), (0.0, 0.0), (2.5, 0.0)]
)
def test_two_normals_below(h, k, correlation):
    spread = [[1, correlation], [correlation, 1]]
    assert both_below(h, k, correlation) == pytest.approx(multivariate_normal.cdf([h, k], cov=spread), abs=1e-6)
    # integrating one out: P(X < h, Y < k) = ∫ φ(x) Φ((k - r x) / √(1 - r²)) over x < h
    scale = math.sqrt(1 - correlation**2)
    whole, _ = quad(lambda x: norm.pdf(x) * ndtr((k - correlation * x) / scale), -12, h, epsabs=1e-12, limit=200)
    assert both_below(h, k, correlation) == pytest.approx(whole, abs=1e-9)


def test_two_normals_that_are_one():
    assert both_below(0.3, 1.0, 1.0) == pytest.approx(ndtr(0.3))
    assert both_below(0.3, 1.0, -1.0) == pytest.approx(ndtr(0.3) + ndtr(1.0) - 1)
    assert both_below(0.3, 1.0, 0.0) == pytest.approx(ndtr(0.3) * ndtr(1.0))


@pytest.mark.parametrize("form", ["binormal", "exponential"])
def test_an_area_of_a_half_has_the_variance_of_mann_and_whitney(form):
    # (m + n + 1) / (12 m n), whatever the scores: nothing tells the classes apart
    assert AreaMoments.of(0.5, form).variance(7, 11) == pytest.approx((7 + 11 + 1) / (12 * 7 * 11))


def test_the_exponential_form_by_hand():
    # A = .9, m = n = 50: Q1 = .9/1.1, Q2 = 2 x .81/1.9; (.09 + 49 (Q1 - .81) + 49 (Q2 - .81)) / 2500
    wanted = (0.09 + 49 * (0.9 / 1.1 - 0.81) + 49 * (1.62 / 1.9 - 0.81)) / 2500
    assert AreaMoments.of(0.9, "exponential").variance(50, 50) == pytest.approx(wanted)
    assert math.sqrt(wanted) == pytest.approx(0.0321, abs=5e-5)


@pytest.mark.parametrize("area", [0.55, 0.8, 0.97])
def test_the_forms_are_what_their_scores_have(area):
    # normal: a positive at x beats a negative with chance Φ(x), x about √2 Φ^-1(A); both of two with its square
    ahead = math.sqrt(2) * ndtri(area)
    both, _ = quad(lambda x: norm.pdf(x - ahead) * ndtr(x) ** 2, -12, 15)
    assert AreaMoments.of(area).one == pytest.approx(both, abs=1e-9)
    assert AreaMoments.of(area).two == pytest.approx(both, abs=1e-9)
    # exponential with mean r = A / (1 - A) against mean 1
    r = area / (1 - area)
    one, _ = quad(lambda x: math.exp(-x / r) / r * (1 - math.exp(-x)) ** 2, 0, 60 * r)
    two, _ = quad(lambda y: math.exp(-y) * math.exp(-2 * y / r), 0, 60)
    form = AreaMoments.of(area, "exponential")
    assert (form.one, form.two) == pytest.approx((one, two), abs=1e-7)


def drawn(area, m, n, rng):
    return np.append(rng.normal(math.sqrt(2) * ndtri(area), 1, m), rng.normal(size=n))


def test_what_the_interval_reads_on_average():
    m, n, rng = 12, 20, np.random.default_rng(1)
    y = np.arange(m + n) < m
    found = [AucMoments.of(ScoreGroups.of(drawn(0.85, m, n, rng), y)) for _ in range(3000)]
    wanted = AreaMoments.of(0.85).expected(m, n)
    for part in ("auc", "positive_spread", "negative_spread"):
        seen = np.array([getattr(each, part) for each in found])
        assert seen.mean() == pytest.approx(getattr(wanted, part), abs=4 * seen.std() / math.sqrt(len(seen)))
    areas = np.array([each.auc for each in found])
    assert areas.var() == pytest.approx(AreaMoments.of(0.85).variance(m, n), rel=0.12)


def pairs(first, second, correlation, m, n, rng):
    y = np.arange(m + n) < m
    a, own = rng.normal(size=(2, m + n))
    b = correlation * a + math.sqrt(1 - correlation**2) * own
    return y, a + math.sqrt(2) * ndtri(first) * y, b + math.sqrt(2) * ndtri(second) * y


def test_what_delong_reads_on_average():
    m, n, rng = 12, 20, np.random.default_rng(2)
    found = [PairedAreas.of(*pairs(0.85, 0.7, 0.6, m, n, rng)) for _ in range(3000)]
    moments = PairMoments.of(0.85, 0.7, 0.6)
    wanted = PairedAreas(0.15, m, n, *moments.spreads(m, n))
    for part in ("difference", "positive_spread", "negative_spread"):
        seen = np.array([getattr(each, part) for each in found])
        assert seen.mean() == pytest.approx(getattr(wanted, part), abs=4 * seen.std() / math.sqrt(len(seen)))
    seen = np.array([each.difference for each in found])
    assert seen.var() == pytest.approx(moments.variance(m, n), rel=0.12)


def test_scores_that_are_nearly_the_same_differ_by_nothing():
    moments = PairMoments.of(0.8, 0.8, 1 - 1e-12)
    assert moments.variance(30, 40) == pytest.approx(0, abs=1e-8)
    # and with nothing shared the variances add up
    apart = PairMoments.of(0.8, 0.7, 0.0)
    alone = AreaMoments.of(0.8).variance(30, 40) + AreaMoments.of(0.7).variance(30, 40)
    assert apart.variance(30, 40) == pytest.approx(alone)


def test_the_promise_is_kept_on_data():
    """A smoke test; the validity page has more designs and draws."""
    n, rng = sample_size("auc", value=0.9, null=0.75, positives_share=0.4).n, np.random.default_rng(3)
    parts = power("auc", n=n, value=0.9, null=0.75, positives_share=0.4).parts
    y = np.arange(n) < parts["positives"]
    ends = [delong(y, drawn(0.9, parts["positives"], parts["negatives"], rng)).interval for _ in range(800)]
    assert np.mean([low > 0.75 for low, _ in ends]) == pytest.approx(0.8, abs=0.03 + 3 * math.sqrt(0.16 / 800))
    width = float(expected_width("auc", n=n, value=0.9, positives_share=0.4))
    assert np.mean([high - low for low, high in ends]) == pytest.approx(width, rel=0.04)


def test_with_many_rows_the_width_is_of_the_normal_interval():
    # 2 z se, se² from the binormal moments
    se = math.sqrt(AreaMoments.of(0.8).variance(30_000, 70_000))
    assert float(expected_width("auc", n=100_000, value=0.8, positives_share=0.3)) == pytest.approx(
        2 * 1.959964 * se, rel=0.002
    )


def test_the_averaged_width_meets_the_plain_one():
    # the switch lies where the area is worth 10,000 plain rows
    design = AucDesign(confidence=0.95, value=0.8, positives_share=0.5, width=0.1)
    scaled = [design.width_at(n) * math.sqrt(n) for n in range(5000, 16_000, 500)]
    assert np.ptp(scaled) / scaled[0] < 0.002


def test_with_many_rows_power_is_the_normal_formula():
    # (z se0 + z_b se1 ≈ difference): P(Z > z - d / se), the same error at both areas when they are near
    design = AucDesign(confidence=0.95, value=0.801, null=0.8, positives_share=0.5)
    n = 10**6
    se = math.sqrt(AreaMoments.of(0.8005).variance(n / 2, n / 2))
    assert design.power_at(n) == pytest.approx(float(ndtr(0.001 / se - 1.959964)), abs=0.01)
    pair = PairedAucDesign(confidence=0.95, first=0.801, second=0.8, correlation=0.5, positives_share=0.5)
    se = math.sqrt(PairMoments.of(0.801, 0.8, 0.5).variance(n / 2, n / 2))
    assert pair.power_at(n) == pytest.approx(float(ndtr(0.001 / se - 1.959964)), abs=0.01)


def test_a_beta_tail_meets_the_normal_one():
    design = AucDesign(confidence=0.95, value=0.8001, null=0.8, positives_share=0.5)
    low, high = (design._tail(0.80005, rows, upper=True) for rows in (0.999999e8, 1.000001e8))
    assert low == pytest.approx(high, abs=1e-5)
    assert 0.85 < low < 0.95


@pytest.mark.parametrize("value", [1e-4, 0.02, 0.5, 0.98, 1 - 1e-4])
@pytest.mark.parametrize("n", [4, 5, 12])
def test_few_rows_and_extreme_areas_have_a_width(value, n):
    width = float(expected_width("auc", n=n, value=value, positives_share=0.3))
    assert 0.1 < width <= 1
    assert 0 <= float(power("auc", n=n, value=value, null=0.6, positives_share=0.3)) <= 1


def test_few_rows_say_nothing():
    assert float(power("auc", n=4, value=0.9, null=0.5, positives_share=0.5)) == pytest.approx(0, abs=0.2)
    assert float(power("paired_auc", n=4, first=0.9, second=0.5, correlation=0, positives_share=0.1)) == 0


def test_a_plan_for_two_areas_is_judged_as_compare_judges():
    """Drawn from the normal scores that the plan has in mind, the shipped comparison tells them apart as often."""
    plan = sample_size("paired_auc", first=0.8, second=0.9, correlation=0.5, positives_share=0.3, power=0.8)
    n = plan.n
    m, rng, told = round(0.3 * n), np.random.default_rng(3), 0
    truth, ahead = (np.arange(n) < m).astype(int), np.sqrt(2) * ndtri([0.8, 0.9])
    for _ in range(200):
        z = rng.multivariate_normal([0, 0], [[1, 0.5], [0.5, 1]], size=n) + truth[:, None] * ahead
        found = sf.compare(truth, {"a": z[:, 0], "b": z[:, 1]}, measure="roc_auc", pos_label=1).differences[0]
        told += found.test.p_value <= 0.05
    assert told / 200 == pytest.approx(plan.power, abs=0.085)  # three standard errors of 200 draws


def test_counts_of_alike_models_grow_with_their_rows():
    few, many = (PairMoments.of(0.9, 0.91, 0.95).counts(m, m) for m in (100, 400))
    assert float(many.deciding) == pytest.approx(4 * float(few.deciding), rel=0.05)
