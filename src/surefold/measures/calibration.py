"""Calibration: do events given probability p happen a share p of the time?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from surefold.errors import InputError, refuse_unknown
from surefold.measures.odds import Odds
from surefold.measures.proper import INFINITE, has_probabilities
from surefold.measures.recalibration import Fit, both_probabilities, fit_line, fit_shift, log_odds, separation
from surefold.measures.score_bins import Bins, bin_scores
from surefold.measures.score_measure import Line, Moved, score_measure
from surefold.tallies.class_counts import CountedMatrix
from surefold.tallies.mean_sums import MeanSums
from surefold.tallies.runs import Run
from surefold.tallies.score_groups import ScoreGroups
from surefold.tallies.score_matrix import ScoreMatrix
from surefold.tallies.walks import Sum, Walk, usual
from surefold.tallies.walks import has_probabilities as every_score_is_one

__all__ = [
    "Fitted",
    "HosmerLemeshow",
    "calibration_error_in_the_large",
    "calibration_intercept",
    "calibration_slope",
    "ece",
    "ece_multiclass",
    "ece_of_bins",
    "effective_scale",
    "folded_moments",
    "gap_noise",
    "hosmer_lemeshow",
    "hosmer_lemeshow_test",
    "mce",
    "spiegelhalter",
    "spiegelhalter_parts",
    "top_label",
]

Array = NDArray[np.float64]
Norm = Literal["l1", "l2", "max"]
Fitted = Literal["shift", "line"]
NORMS = ("l1", "l2", "max")

NAEINI = "Naeini, Cooper & Hauskrecht (2015), AAAI 29:2901; Guo et al. (2017), ICML 70:1321"
KUMAR = "Kumar, Liang & Ma (2019), NeurIPS 32:3792, for the debiased forms"
COX = "Cox (1958), Biometrika 45:562; Van Calster et al. (2019), BMC Medicine 17:230"


def effective_scale(t: ScoreGroups) -> float:
    """What weights are multiplied by so that they add up to the effective number of rows; 1 without weights."""
    if not t.is_weighted:
        return 1.0
    squares = sum(t.squared_weights)
    return t.total / squares if squares > 0 else 1.0


# expected calibration error


def _bin_moves(
    t: ScoreGroups, bins: int = 15, norm: str = "l1", strategy: str = "width", debiased: bool = False
) -> Moved:
    """The bins, and of the largest gap which one it is, stay as they are; 0 where there is no gap to move."""
    b, error = bin_scores(t, bins, strategy), 0.0
    part, size = b.weight / b.total, np.abs(b.gap)
    if norm == "max":
        error, rate = float(size.max()), np.where(np.arange(len(part)) == size.argmax(), 1 / b.weight, 0.0)
        slope, rest = np.sign(b.gap) * rate, -size * rate
    elif norm == "l2":
        error = float(np.sqrt(part @ size**2))
        half = 1 / (2 * error * b.total) if error > 0 else 0.0
        slope, rest = 2 * b.gap * half, -(size**2 + error**2) * half
    else:
        error = float(part @ size)
        slope, rest = np.sign(b.gap) / b.total, np.full(len(part), -error / b.total)
    held = t.positive + t.negative > 0  # a score without rows is in no bin
    slope, rest = slope[b.place], rest[b.place]
    of_positive, of_negative = (np.where(held, slope * off + rest, 0.0) for off in (t.score - 1, t.score))
    return Moved(of_positive, of_negative)


@score_measure(
    reads="probabilities",
    range=(0.0, 1.0),
    better="lower",
    text="over bins, weighted by rows: mean of |mean score - share of positives| (l2: root mean square, max: largest)",
    undefined=INFINITE,
    source=f"{NAEINI}; {KUMAR}",
    aliases=("expected_calibration_error",),
    options={"bins": 15, "norm": "l1", "strategy": "width", "debiased": False},
    interval="bins",
    moves=_bin_moves,
    twin="ece_multiclass",
)
def ece(t: ScoreGroups, bins: int = 15, norm: str = "l1", strategy: str = "width", debiased: bool = False) -> float:
    """Distance between the mean score and the share of positives, averaged over bins of scores."""
    if not has_probabilities(t):
        return np.nan
    return ece_of_bins(bin_scores(t, bins, strategy), norm, debiased)


@score_measure(
    reads="probabilities",
    range=(0.0, 1.0),
    better="lower",
    text="largest |mean score - share of positives| over bins",
    undefined=INFINITE,
    source=NAEINI,
    aliases=("maximum_calibration_error",),
    options={"bins": 15, "strategy": "width"},
    line=Line(ece.with_options(norm="max")),
)
def mce(t: ScoreGroups, bins: int = 15, strategy: str = "width") -> float:
    """Largest distance between the mean score and the share of positives over bins: ece with norm="max"."""
    return float(ece.formula(t, bins=bins, norm="max", strategy=strategy))


def _top_label(m: ScoreMatrix) -> tuple[Array, NDArray[np.bool_]]:
    """The largest probability of each row (the first of equals), and whether its class is the true one."""
    called = m.scores.argmax(axis=1)
    return m.scores[np.arange(m.n), called], np.asarray(called == m.truth)


def top_label(m: ScoreMatrix | CountedMatrix) -> ScoreGroups:
    """The largest probability of each row as the score, being right as the positive class."""
    if isinstance(m, CountedMatrix):
        return m.top_label
    return ScoreGroups.of(*_top_label(m), m.weights)


@score_measure(
    reads="matrix",
    range=(0.0, 1.0),
    better="lower",
    text="ece of the largest probability as the score and being right as the positive class",
    undefined=INFINITE,
    source=f"{NAEINI}; {KUMAR}",
    options={"bins": 15, "norm": "l1", "strategy": "width", "debiased": False},
    line=Line(ece, rows=_top_label),
)
def ece_multiclass(
    m: ScoreMatrix | CountedMatrix, bins: int = 15, norm: str = "l1", strategy: str = "width", debiased: bool = False
) -> float:
    """Distance between how sure the top label is and how often it is right, averaged over bins."""
    if not has_probabilities(m):
        return np.nan
    return float(ece.formula(top_label(m), bins=bins, norm=norm, strategy=strategy, debiased=debiased))


def ece_of_bins(b: Bins, norm: str = "l1", debiased: bool = False) -> float:
    """The error over bins that are there.

    Noise alone makes it positive. `debiased` takes off what noise is expected to add: exactly for the square of l2, by
    the mean of a folded normal for l1; there is no such form for max.
    """
    refuse_unknown("norm", norm, NORMS)
    part = b.weight / b.total
    if norm == "max":
        if debiased:
            raise InputError("bad_option", "debiased=True with norm='max'", cure="use norm='l1' or norm='l2'")
        return float(np.abs(b.gap).max())
    noise = gap_noise(b) if debiased else np.zeros_like(b.gap)
    if norm == "l2":
        return float(np.sqrt(max(float(part @ (b.gap**2 - noise**2)), 0.0)))
    expected = folded_moments(b.gap, noise)[0]
    return max(float(part @ (2 * np.abs(b.gap) - expected)), 0.0)


def gap_noise(b: Bins, added: bool = False) -> Array:
    """Standard error of each bin's gap, given its rows; all of the gap where a bin has one row.

    `added`: with one more row in each bin, half positive and half negative at its mean score, and no less than the
    noise that calibrated scores would have.
    """
    scale = effective_scale(b.tally)
    squared = b.spread(b.gap) * scale**2
    n = b.weight * scale
    if added:
        row = ((b.mean_score - 1 - b.gap) ** 2 + (b.mean_score - b.gap) ** 2) / 2
        calibrated = b.calibrated_spread * scale**2
        return np.sqrt(np.maximum((squared + row) / (n + 1) ** 2, calibrated / n**2))
    worth = b.weight**2 / b.squares
    alone = worth <= 1 + 1e-9
    correction = np.where(alone, 1.0, worth / np.where(alone, 1.0, worth - 1))
    return np.where(alone, np.abs(b.gap), np.sqrt(squared * correction) / n)


def folded_moments(mean: Array, sd: Array) -> tuple[Array, Array]:
    """Mean and variance of |N(mean, sd^2)|."""
    from scipy.special import ndtr

    safe = np.where(sd > 0, sd, 1.0)
    z = mean / safe
    expected = sd * np.sqrt(2 / np.pi) * np.exp(-z * z / 2) + mean * (1 - 2 * ndtr(-z))
    expected = np.where(sd > 0, expected, np.abs(mean))
    return expected, np.maximum(mean**2 + sd**2 - expected**2, 0.0)


# recalibration


def _line_moves(t: ScoreGroups, place: int) -> Moved:
    """Of the slope (1) or the intercept (0) of the line: the inverse information times what is left of each row.

    Where there is no line, of the one that half a row of either class for each parameter keeps finite.
    """
    x = log_odds(t.score)
    fit = fit_line(x, t.positive, t.negative, added=bool(separation(t)))
    return _fitted_moves(fit, x, fit.information[place, 0] + fit.information[place, 1] * x)


def _fitted_moves(fit: Fit, x: Array, each: Array) -> Moved:
    p, q = both_probabilities(fit.intercept + fit.slope * x)
    return Moved(each * q, -each * p)


def _slope_moves(t: ScoreGroups) -> Moved:
    return _line_moves(t, 1)


def _intercept_moves(t: ScoreGroups, fitted: str = "shift") -> Moved:
    if fitted == "line":
        return _line_moves(t, 0)
    x = log_odds(t.score)
    fit = fit_shift(x, t.positive, t.negative, added=not (t.positives > 0 and t.negatives > 0))
    return _fitted_moves(fit, x, np.full(len(x), float(fit.information[0, 0])))


def _off(t: ScoreGroups | Run) -> Moved:
    return Moved(t.score - 1, t.score)


@score_measure(
    reads="probabilities",
    range=(-np.inf, np.inf),
    better="neither",
    text="b of log odds(y) = a + b log odds(p); 1 is right, below 1 the scores are too extreme",
    undefined="the truth has one class only, all scores are equal or clipped to one value, or one is infinite",
    source=COX,
    interval="profile",
    moves=_slope_moves,
)
def calibration_slope(t: ScoreGroups) -> float:
    """Slope of the truth's log odds on the scores' log odds: below 1 the scores are too sure of themselves.

    Infinite where the scores separate the classes.
    """
    if not has_probabilities(t):
        return np.nan
    why = separation(t)
    if why == "the scores separate the classes":
        return np.inf if t.auc > 0.5 else -np.inf
    if why:
        return np.nan
    return float(Odds.of(t).line().slope)


@score_measure(
    reads="probabilities",
    range=(-np.inf, np.inf),
    better="neither",
    text="a of log odds(y) = a + log odds(p); with fitted='line' the slope is fitted too",
    undefined="a score is infinite; fitted='line': one class only, all scores equal, or the classes are separated",
    source=COX,
    options={"fitted": "shift"},
    interval="shift",
    moves=_intercept_moves,
)
def calibration_intercept(t: ScoreGroups, fitted: str = "shift") -> float:
    """How far the scores' log odds have to be moved: above 0 the scores are too low.

    "shift" holds the slope at 1 (calibration in the large), "line" fits it as well.
    """
    refuse_unknown("fitted", fitted, ("shift", "line"))
    if not has_probabilities(t):
        return np.nan
    if fitted == "line":
        return np.nan if separation(t) else float(Odds.of(t).line().intercept)
    if not (t.positives > 0 and t.negatives > 0):
        return np.inf if t.positives > 0 else -np.inf
    return float(Odds.of(t).shift().intercept)


@score_measure(
    reads="probabilities",
    range=(-1.0, 1.0),
    better="neither",
    text="mean score - share of positives",
    undefined=INFINITE,
    source=COX,
    aliases=("mean_calibration_error",),
    interval="bounded",
    loss=_off,
)
def calibration_error_in_the_large(t: ScoreGroups) -> float:
    """Mean score less the share of positives: above 0 the scores run high."""
    if not has_probabilities(t):
        return np.nan
    return calibration_error_in_the_large.loss_sums(t).mean


# tests


@dataclass(frozen=True)
class HosmerLemeshow:
    """The statistic, its degrees of freedom and the chance of one as large under perfect calibration."""

    statistic: float
    df: float
    p_value: float


@score_measure(
    reads="probabilities",
    range=(0.0, np.inf),
    better="lower",
    text="sum over bins of (O - E)^2 / E, for positives and for negatives",
    undefined=INFINITE,
    source="Hosmer & Lemeshow (1980), Communications in Statistics A9:1043; "
    "the 189 births of their book give 9.65, p .2904, as Stata prints",
    options={"bins": 10, "breaks": "counts", "held_out": False},
    interval="chi2",
)
def hosmer_lemeshow(t: ScoreGroups, bins: int = 10, breaks: str = "counts", held_out: bool = False) -> float:
    """Chi-squared distance between expected and observed positives and negatives in groups of equal size."""
    return hosmer_lemeshow_test(t, bins, breaks, held_out).statistic


def hosmer_lemeshow_test(
    t: ScoreGroups, bins: int = 10, breaks: str = "counts", held_out: bool = False
) -> HosmerLemeshow:
    """Hosmer and Lemeshow's test, on bins - 2 degrees of freedom, as R has it: right for the rows of a logistic fit.

    With `held_out=True` on as many as bins: nothing was fitted to rows that were held out.

    `breaks`: "counts" cuts groups of equal size at the ceil(n g / bins)-th score, as was published and as Stata has it;
    "quantiles" cuts at R's type-7 quantiles. Weights are scaled to the effective number of rows.
    """
    refuse_unknown("breaks", breaks, ("counts", "quantiles"))
    if not has_probabilities(t):
        return HosmerLemeshow(np.nan, np.nan, np.nan)
    b = bin_scores(t, bins, breaks)
    scale = effective_scale(t)
    n, observed, expected = b.weight * scale, b.positive * scale, b.weight * b.mean_score * scale
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        parts = (observed - expected) ** 2 / (expected * (n - expected) / n)
    parts = np.where(np.isclose(observed, expected, rtol=0, atol=1e-12), 0.0, parts)
    df = float(len(n) - (0 if held_out else 2))
    if df < 1:
        return HosmerLemeshow(float(parts.sum()), np.nan, np.nan)
    from scipy.special import chdtrc

    return HosmerLemeshow(float(parts.sum()), df, float(chdtrc(df, parts.sum())))


@score_measure(
    reads="probabilities",
    range=(-np.inf, np.inf),
    better="neither",
    text="z = sum (y - p)(1 - 2p) / sqrt(sum (1 - 2p)^2 p (1 - p))",
    undefined="every score is 0, 1/2 or 1, or one is infinite",
    source="Spiegelhalter (1986), Statistics in Medicine 5:421",
    interval="z",
)
def spiegelhalter(t: ScoreGroups) -> float:
    """How far the Brier score is from what calibrated scores would give, in standard errors."""
    if not has_probabilities(t):
        return np.nan
    excess, variance, _ = spiegelhalter_parts(t)
    return excess / np.sqrt(variance) if variance > 0 else np.nan


def spiegelhalter_parts(t: ScoreGroups) -> tuple[float, float, float]:
    """The excess, its variance under calibration, and its variance as the rows show it; weights scaled as elsewhere."""
    scale = effective_scale(t)
    excess, variance = SPIEGELHALTER.of(t)
    excess = excess.scaled(scale)
    return float(excess.total), variance * scale**2, float(excess.about(excess.mean))


def _spiegelhalter_walk(t: ScoreGroups) -> Walk[tuple[MeanSums, float]]:
    """The excess of all rows, and its variance if every score is the chance of a positive."""
    excess, variance = MeanSums.none(0.0), 0.0
    while (run := (yield)) is not None:
        twist, rest = 1 - 2 * run.score, 1 - run.score
        of_up, of_down = rest * twist, run.score * -twist
        for value, (weight, square) in zip((of_up, of_down), run.sides, strict=True):
            excess = excess.plus(value, weight, square if t.is_weighted else None)
        variance -= float((of_up * of_down * (run.positive2 + run.negative2)).sum())
    return excess, variance


SPIEGELHALTER = usual(Sum("spiegelhalter", _spiegelhalter_walk, every_score_is_one))
