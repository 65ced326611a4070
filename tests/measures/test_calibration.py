"""Calibration: by hand, beside scikit-learn and statsmodels, and its laws."""

from __future__ import annotations

from math import sqrt
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import chi2
from sklearn.calibration import calibration_curve

from surefold.errors import InputError, UnknownNameError
from surefold.measures.calibration import (
    calibration_error_in_the_large,
    calibration_intercept,
    calibration_slope,
    ece,
    ece_multiclass,
    folded_moments,
    gap_noise,
    hosmer_lemeshow,
    hosmer_lemeshow_test,
    mce,
    spiegelhalter,
    top_label,
)
from surefold.measures.recalibration import fit_line, fit_shift, log_odds, slope_deviance
from surefold.measures.score_bins import bin_scores
from surefold.tallies.score_groups import ScoreGroups
from surefold.tallies.score_matrix import ScoreMatrix

approx = pytest.approx
BIRTH_WEIGHTS = Path(__file__).parents[1] / "references" / "birth_weights.csv"

SCORES = [0.92, 0.85, 0.8, 0.74, 0.66, 0.61, 0.55, 0.48, 0.43, 0.37, 0.3, 0.24, 0.17, 0.11, 0.06, 0.03]
TRUTH = [1, 1, 0, 1, 1, 0, 1, 0, 1, 0, 0, 1, 0, 0, 0, 0]
WEIGHTS = [1, 2, 1, 3, 1, 1, 2, 1, 1, 2, 1, 1, 3, 1, 1, 2]


def asked(measure, **options):
    return measure.with_options(**options)


def tally(scores, truth, weights=None) -> ScoreGroups:
    w = None if weights is None else np.asarray(weights, dtype=float)
    return ScoreGroups.of(np.asarray(scores, dtype=float), np.asarray(truth, dtype=bool), w)


def drawn(seed: int, n: int = 200):
    rng = np.random.default_rng(seed)
    odds = rng.normal(0, 1.5, n)
    return 1 / (1 + np.exp(-1.5 * odds)), rng.random(n) < 1 / (1 + np.exp(-odds)), rng.uniform(0.2, 3, n)


# expected calibration error

# two bins of .5: (.1, .3) with 1 of 2 positive, (.6, .7, .8) with 3 of 3
FIVE = tally([0.1, 0.3, 0.6, 0.7, 0.8], [0, 1, 1, 1, 1])


def test_ece_by_hand() -> None:
    gaps, part = (0.2 - 0.5, 0.7 - 1), (2 / 5, 3 / 5)
    assert asked(ece, bins=2)(FIVE) == approx(part[0] * 0.3 + part[1] * 0.3)
    assert asked(ece, bins=2, norm="l2")(FIVE) == approx(sqrt(part[0] * gaps[0] ** 2 + part[1] * gaps[1] ** 2))
    assert asked(ece, bins=2, norm="max")(FIVE) == asked(mce, bins=2)(FIVE) == approx(0.3)


def test_debiased_l2_by_hand() -> None:
    # residuals score - y: .1, -.7 (variance .32, over 2 rows .16) and -.4, -.3, -.2 (variance .01, over 3 rows .01 / 3)
    square = 2 / 5 * (0.3**2 - 0.32 / 2) + 3 / 5 * (0.3**2 - 0.01 / 3)
    found = asked(ece, bins=2, norm="l2", debiased=True)(FIVE)
    assert found == approx(sqrt(max(square, 0)))


def test_debiased_is_nearer_to_zero_for_calibrated_scores() -> None:
    plain, better, square = [], [], []
    for seed in range(200):
        rng = np.random.default_rng(seed)
        p = rng.random(100)
        t = tally(p, rng.random(100) < p)
        plain.append(ece(t))
        better.append(asked(ece, debiased=True)(t))
        b = bin_scores(t, 15)
        square.append(float(b.weight @ (b.gap**2 - gap_noise(b) ** 2)) / 100)
    assert np.mean(better) < 0.75 * np.mean(plain)
    assert abs(np.mean(square)) < 4 * np.std(square) / sqrt(200)  # the square is unbiased


def test_folded_normal_moments() -> None:
    x = np.abs(np.random.default_rng(0).normal(0.3, 0.5, 400_000))
    mean, variance = folded_moments(np.array([0.3, -0.2]), np.array([0.5, 0.0]))
    assert mean[0] == approx(x.mean(), abs=0.003)
    assert variance[0] == approx(x.var(), abs=0.003)
    assert mean[1] == 0.2
    assert variance[1] == approx(0, abs=1e-15)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("bins", [5, 10, 15])
def test_bins_as_scikit_learn(seed, bins) -> None:
    p, y, _ = drawn(seed)
    for ours, theirs in (("width", "uniform"), ("quantiles", "quantile")):
        share, mean = calibration_curve(y, p, n_bins=bins, strategy=theirs)
        b = bin_scores(tally(p, y), bins, ours)
        assert b.share == approx(share)
        assert b.mean_score == approx(mean)


def test_mass_bins_are_of_equal_size_and_keep_ties_together() -> None:
    p, y, _ = drawn(0, 100)
    assert bin_scores(tally(p, y), 10, "mass").weight.tolist() == [10] * 10
    assert bin_scores(tally([0.1, 0.5, 0.5, 0.5, 0.9], [0, 1, 0, 1, 1]), 5, "mass").weight.tolist() == [1, 3, 1]
    assert bin_scores(tally([0.4] * 7, [1] * 7), 10, "mass").weight.tolist() == [7]


def test_an_edge_belongs_to_the_lower_bin() -> None:
    assert bin_scores(tally([0.0, 0.5, 1.0], [0, 1, 1]), 2).weight.tolist() == [2, 1]


def test_top_label() -> None:
    m = ScoreMatrix(np.array([[0.5, 0.3, 0.2], [0.1, 0.1, 0.8], [0.4, 0.4, 0.2]]), np.array([0, 1, 1]), (0, 1, 2))
    t = top_label(m)
    assert (t.score.tolist(), t.positive.tolist(), t.negative.tolist()) == ([0.8, 0.5, 0.4], [0, 1, 0], [1, 0, 1])
    assert ece_multiclass(m) == approx((0.8 + 0.5 + 0.4) / 3)


@pytest.mark.parametrize("options", [{"bins": 0}, {"bins": 2.5}, {"bins": True}, {"norm": "max", "debiased": True}])
def test_bad_options(options) -> None:
    with pytest.raises(InputError):
        asked(ece, **options)(FIVE)


def test_unknown_names() -> None:
    for options in ({"norm": "l3"}, {"strategy": "depth"}):
        with pytest.raises(UnknownNameError):
            asked(ece, **options)(FIVE)
    with pytest.raises(UnknownNameError):
        asked(hosmer_lemeshow, breaks="deciles")(FIVE)
    with pytest.raises(UnknownNameError):
        asked(calibration_intercept, fitted="curve")(FIVE)


# recalibration: frozen answers of statsmodels, by tests/references/logistic_recalibration.py


def test_line_and_shift_as_statsmodels() -> None:
    t = tally(SCORES, TRUTH)
    assert calibration_slope(t) == approx(0.9648012946659446, rel=1e-9)
    assert asked(calibration_intercept, fitted="line")(t) == approx(-0.11837223309049233, rel=1e-8)
    assert calibration_intercept(t) == approx(-0.11833112049200795, rel=1e-9)
    fit = fit_line(log_odds(t.score), t.positive, t.negative)
    assert np.sqrt(np.diagonal(fit.information)) == approx([0.6033061318770108, 0.5222549061759865], rel=1e-8)
    assert np.sqrt(np.diagonal(fit.sandwich)) == approx([0.6118052913427585, 0.439094332590163], rel=1e-8)
    shift = fit_shift(log_odds(t.score), t.positive, t.negative)
    assert sqrt(shift.information[0, 0]) == approx(0.6086588673582918, rel=1e-8)


def test_weights_are_repeated_rows() -> None:
    assert calibration_slope(tally(SCORES, TRUTH, WEIGHTS)) == approx(1.3800688682894884, rel=1e-9)
    again = np.repeat(np.arange(16), WEIGHTS)
    repeated = tally(np.array(SCORES)[again], np.array(TRUTH)[again])
    fits = [fit_line(log_odds(t.score), t.positive, t.negative) for t in (repeated, tally(SCORES, TRUTH, WEIGHTS))]
    assert np.sqrt(np.diagonal(fits[0].information)) == approx([0.551194005579363, 0.5539236402961913], rel=1e-8)
    assert fits[1].intercept == approx(0.023139511166650962, rel=1e-7)


def test_the_score_equations_hold() -> None:
    p, y, w = drawn(4)
    t = tally(p, y, w)
    x = log_odds(t.score)
    fit = fit_line(x, t.positive, t.negative)
    fitted = 1 / (1 + np.exp(-(fit.intercept + fit.slope * x)))
    residual = t.positive - (t.positive + t.negative) * fitted
    assert residual.sum() == approx(0, abs=1e-9)
    assert residual @ x == approx(0, abs=1e-9)


def test_added_rows_are_firths_penalty() -> None:
    """For a constant x there is one parameter, h = 1/n each: half a positive and half a negative row are added."""
    shift = fit_shift(np.zeros(10), np.array([1.0] * 3 + [0.0] * 7), np.array([0.0] * 3 + [1.0] * 7), added=True)
    assert shift.intercept == approx(np.log(3.5 / 7.5))


def test_added_rows_keep_separated_classes_finite() -> None:
    t = tally([0.9, 0.8, 0.2, 0.1], [1, 1, 0, 0])
    fit = fit_line(log_odds(t.score), t.positive, t.negative, added=True)
    assert 0 < fit.slope < 5
    assert calibration_slope(t) == np.inf
    assert calibration_slope(tally([0.9, 0.8, 0.2, 0.1], [0, 0, 1, 1])) == -np.inf
    assert slope_deviance(log_odds(t.score), t.positive, t.negative, fit.slope, fit) == approx(0, abs=1e-9)


def test_recalibrated_scores_have_slope_one_and_intercept_zero() -> None:
    p, y, _ = drawn(7)
    t = tally(p, y)
    fit = fit_line(log_odds(t.score), t.positive, t.negative)
    again = tally(1 / (1 + np.exp(-(fit.intercept + fit.slope * log_odds(p)))), y)
    assert calibration_slope(again) == approx(1)
    assert calibration_intercept(again) == approx(0, abs=1e-9)
    assert calibration_error_in_the_large(again) == approx(0, abs=1e-9)


def test_slopes_that_are_not_there() -> None:
    assert np.isnan(calibration_slope(tally([0.3, 0.6], [1, 1])))
    assert np.isnan(calibration_slope(tally([0.3, 0.3], [1, 0])))
    assert calibration_intercept(tally([0.3, 0.6], [1, 1])) == np.inf
    assert calibration_intercept(tally([0.3, 0.6], [0, 0])) == -np.inf


def test_scores_of_zero_and_one_are_clipped() -> None:
    assert np.isfinite(calibration_slope(tally([0.0, 1.0, 0.0, 1.0, 0.4], [0, 1, 1, 0, 1])))


def test_in_the_large_by_hand() -> None:
    assert calibration_error_in_the_large(FIVE) == approx((0.1 + 0.3 + 0.6 + 0.7 + 0.8) / 5 - 4 / 5)


# tests


def test_hosmer_lemeshow_by_hand() -> None:
    # three groups of two: expected .3 of 2 (0 seen), .9 (1 seen), 1.7 (2 seen)
    t = tally([0.1, 0.2, 0.4, 0.5, 0.8, 0.9], [0, 0, 1, 0, 1, 1])
    statistic = (
        (0 - 0.3) ** 2 / 0.3 + (2 - 1.7) ** 2 / 1.7
        + (1 - 0.9) ** 2 / 0.9 + (1 - 1.1) ** 2 / 1.1
        + (2 - 1.7) ** 2 / 1.7 + (0 - 0.3) ** 2 / 0.3
    )  # fmt: skip
    found = hosmer_lemeshow_test(t, bins=3)
    assert found.statistic == asked(hosmer_lemeshow, bins=3)(t) == approx(statistic)
    assert found.df == 1
    assert found.p_value == approx(chi2.sf(statistic, 1))
    held_out = hosmer_lemeshow_test(t, bins=3, held_out=True)
    assert held_out.df == 3
    assert held_out.p_value == approx(chi2.sf(statistic, 3))


def test_hosmer_lemeshow_of_birth_weights_as_published() -> None:
    """189 births (Hosmer & Lemeshow 1989): chi-squared 9.65 on 8 degrees of freedom, p .2904, printed by Stata's manual
    at `estat gof`. The scores are those of the logistic fit that it shows there: low on the rest, race by its kinds.
    """
    low, age, weight, race, *others = np.loadtxt(BIRTH_WEIGHTS, delimiter=",", skiprows=1).T
    x = np.column_stack([np.ones(len(low)), age, weight, race == 2, race == 3, *others])
    b = np.zeros(9)
    for _ in range(8):  # Newton's steps
        p = 1 / (1 + np.exp(-x @ b))
        b += np.linalg.solve(x.T @ (x * (p * (1 - p))[:, None]), x.T @ (low - p))
    printed = [0.4612239, -0.0271003, -0.0151508, 1.262647, 0.8620792, 0.9233448, 0.5418366, 1.832518, 0.7585135]
    assert b.tolist() == approx(printed, rel=5e-6)
    found = hosmer_lemeshow_test(tally(p, low))
    assert (round(found.statistic, 2), found.df, round(found.p_value, 4)) == (9.65, 8, 0.2904)


def test_hosmer_lemeshow_cuts_at_the_score_where_its_share_of_the_rows_is_reached() -> None:
    """Ten rows in three: the 4th and the 7th lowest score (ceil 10/3, ceil 20/3), with what is tied with them."""
    p = np.array([0.1, 0.2, 0.3, 0.4, 0.4, 0.4, 0.5, 0.6, 0.7, 0.8])
    bins = bin_scores(tally(p, p > 0.5), 3, "counts")
    assert bins.weight.tolist() == [6, 1, 3]
    thirds = tally(p, p > 0.5, np.full(10, 1 / 3))  # in sums of thirds nothing comes out exact
    assert bin_scores(thirds, 10, "counts").weight.tolist() == approx([1 / 3] * 3 + [1] + [1 / 3] * 4)


def test_hosmer_lemeshow_alarms_of_calibrated_scores_as_often_as_it_says() -> None:
    """400 sets of 500 rows whose scores are their probabilities: a twentieth, give or take three of its errors."""
    rng = np.random.default_rng(14)
    p = rng.beta(2, 2, size=(400, 500))
    y = rng.random(p.shape) < p
    alarms = np.array([
        [hosmer_lemeshow_test(tally(*each), held_out=h).p_value < 0.05 for h in (True, False)]
        for each in zip(p, y, strict=True)
    ])  # fmt: skip
    assert alarms[:, 0].mean() == approx(0.05, abs=3 * np.sqrt(0.05 * 0.95 / 400))
    assert alarms[:, 1].mean() > 0.08  # bins - 2 is for the rows of the fit


def test_hosmer_lemeshow_at_type_7_quantiles() -> None:
    """As R: cut(p, quantile(p, 0:10/10), include.lowest = TRUE), then the same sum."""
    p, y, _ = drawn(2)
    edges = np.quantile(p, np.linspace(0, 1, 11))
    group = np.clip(np.searchsorted(edges, p, side="left") - 1, 0, 9)
    statistic = 0.0
    for g in range(10):
        e, o, n = p[group == g].sum(), y[group == g].sum(), (group == g).sum()
        statistic += (o - e) ** 2 / e + (o - e) ** 2 / (n - e)
    assert hosmer_lemeshow_test(tally(p, y), breaks="quantiles").statistic == approx(statistic)


def test_hosmer_lemeshow_of_certain_scores() -> None:
    assert hosmer_lemeshow_test(tally([0, 0, 0.5, 0.5, 1, 1], [0, 0, 1, 0, 1, 1]), bins=3).statistic == 0
    wrong = hosmer_lemeshow_test(tally([0, 0, 0.5, 0.5, 1, 1], [1, 0, 1, 0, 1, 1]), bins=3)
    assert wrong.statistic == np.inf
    assert wrong.p_value == 0


def test_spiegelhalter_by_hand() -> None:
    t = tally([0.8, 0.3], [0, 0])
    top = (0 - 0.8) * (1 - 1.6) + (0 - 0.3) * (1 - 0.6)
    bottom = sqrt((1 - 1.6) ** 2 * 0.8 * 0.2 + (1 - 0.6) ** 2 * 0.3 * 0.7)
    assert spiegelhalter(t) == approx(top / bottom)
    assert np.isnan(spiegelhalter(tally([0.0, 0.5, 1.0], [0, 1, 1])))


# laws


@pytest.mark.parametrize("f", [ece, mce, calibration_slope, calibration_intercept, calibration_error_in_the_large])
def test_duplicates_are_weight_two_and_tallies_merge(f) -> None:
    p, y, w = drawn(9)
    repeats = np.arange(len(y)) % 3
    again = np.repeat(np.arange(len(y)), repeats)
    assert f(tally(p, y, repeats)) == approx(f(tally(p[again], y[again])), rel=1e-8)
    first, second = np.split(np.arange(len(y)), 2)
    merged = tally(p[first], y[first], w[first]) + tally(p[second], y[second], w[second])
    assert f(merged) == approx(f(tally(p, y, w)), rel=1e-8)


def test_equal_weights_leave_the_tests_alone() -> None:
    p, y, _ = drawn(9)
    one, three = tally(p, y), tally(p, y, np.full(len(y), 3.0))
    assert hosmer_lemeshow(three) == approx(hosmer_lemeshow(one))
    assert spiegelhalter(three) == approx(spiegelhalter(one))


def test_perfect_scores_are_calibrated() -> None:
    y = [1, 0, 1, 1, 0]
    t = tally(y, y)
    assert ece(t) == mce(t) == calibration_error_in_the_large(t) == 0
    assert asked(ece, norm="l2", debiased=True)(t) == 0


@pytest.mark.parametrize("f", [ece, mce, calibration_slope, calibration_intercept, calibration_error_in_the_large,
                               hosmer_lemeshow, spiegelhalter])  # fmt: skip
def test_infinite_scores_leave_it_undefined_and_percent_is_refused(f) -> None:
    assert np.isnan(f(tally([0.2, np.inf], [0, 1])))
    with pytest.raises(InputError, match="0-100"):
        f(tally([20, 90], [0, 1]))
