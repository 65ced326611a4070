"""Calibration with its uncertainty: slope, intercept, in the large, expected calibration error, and the two tests."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefold.estimates.estimate import Estimate
from surefold.estimates.losses import (
    mean_estimate,
    rare_flags,
    t_reach,
)
from surefold.estimates.quantiles import checked_confidence, normal_quantile, normal_tail, t_two_sided
from surefold.estimates.roots import root_between
from surefold.estimates.share_intervals import share_interval
from surefold.findings import Finding
from surefold.measures import calibration as measures
from surefold.measures.odds import Odds
from surefold.measures.proper import has_probabilities
from surefold.measures.recalibration import Fit, profile, separation, slope_deviance
from surefold.measures.score_bins import Bins, bin_scores
from surefold.numbers import number
from surefold.tallies.class_counts import CountedMatrix
from surefold.tallies.score_groups import ScoreGroups
from surefold.tallies.score_matrix import ScoreMatrix

__all__ = [
    "bin_share_bounds",
    "calibration_finding",
    "calibration_intercept_estimate",
    "calibration_slope_estimate",
    "ece_bounds",
    "ece_estimate",
    "hosmer_lemeshow_estimate",
    "shift_bounds",
    "slope_cutoff",
    "spiegelhalter_estimate",
]

Array = NDArray[np.float64]

APART = "the scores separate the classes"
INFINITE = "a score is infinite, and so no probability"
#: Above this many standard errors from 0 the likelihood of the slope is as good as normal.
_PRECISE = 50.0
#: A variance of log odds beyond this says that the rows say nothing.
_USELESS = 1e6


def _scaled(t: ScoreGroups) -> tuple[Odds, float]:
    """Log odds with weights scaled to the effective number of rows, and that number."""
    scale = measures.effective_scale(t)
    return Odds.of(t).scaled(scale), t.total * scale


def _undefined(name: str, t: ScoreGroups, confidence: float, why: str = "") -> Estimate:
    why = "there are no rows" if not t.total > 0 else INFINITE if np.isinf(t.ends).any() else why
    return Estimate(math.nan, math.nan, math.nan, math.nan, confidence, "undefined", t.total, (), name, why)


def _clip_flags(t: ScoreGroups) -> list[str]:
    below, above = t.outside(t.clip, 1 - t.clip)
    return ["clipped_probabilities"] if sum(below) + sum(above) > 0 else []


# recalibration


def slope_cutoff(fit: Fit, n: ArrayLike, confidence: float, factor: float = 1.0) -> Array:
    """How large the deviance of a slope in the interval may be: t^2, and more where rows vary more than the model."""
    inflation = np.maximum(fit.sandwich[..., 1, 1] / np.maximum(fit.information[..., 1, 1], 1e-300), 1.0)
    reach = t_reach(np.asarray(n) - 2, confidence)
    return np.asarray(reach**2 * inflation / factor if factor > 0 else inflation * np.inf)


def calibration_slope_estimate(
    t: ScoreGroups, *, confidence: float = 0.95, design_effect: float = 1.0, group_factor: float = 1.0
) -> Estimate:
    """The calibration slope, with the profile likelihood interval of the fit with added rows.

    One row a parameter is added, half of either class, shared by leverage (Firth's penalty), so that the interval has a
    finite end even where the scores separate the classes. The p-value is for a slope of 1.
    """
    name = "calibration_slope"
    confidence = checked_confidence(confidence)
    value = measures.calibration_slope(t) if has_probabilities(t) else math.nan
    if math.isnan(value):
        return _undefined(name, t, confidence, separation(t))
    odds, n = _scaled(t)
    fit = odds.line(added=True)
    factor = group_factor / design_effect
    cutoff = float(slope_cutoff(fit, n, confidence, factor))
    inflation = cutoff / float(t_reach(n - 2, confidence)) ** 2 if math.isfinite(cutoff) else math.inf
    centre, step = float(fit.slope), math.sqrt(max(float(fit.information[1, 1]), 1e-300))
    if abs(centre) > _PRECISE * step or not math.isfinite(cutoff):
        low, high = (centre + side * step * math.sqrt(cutoff) for side in (-1, 1))
        statistic = (centre - 1) / (step * math.sqrt(inflation)) if math.isfinite(cutoff) else 0.0
    else:
        low, high = slope_bounds(odds, fit, cutoff)
        off = float(slope_deviance(odds.x, odds.positive, odds.negative, np.asarray(1.0), fit))
        statistic = math.copysign(math.sqrt(off / inflation), centre - 1)
    raw = odds.line() if math.isfinite(value) else None
    se = math.nan if raw is None else _se(raw, 1, t.is_weighted)
    flags = [*_clip_flags(t), *rare_flags(t)] + ([] if math.isfinite(value) else ["degenerate"])
    return _with_test(
        name, value, min(low, value), max(high, value), se, confidence, "profile", n, flags, statistic, n - 2
    )


def slope_bounds(odds: Odds, fit: Fit, cutoff: float) -> tuple[float, float]:
    """Where the deviance reaches the cutoff on either side of the fit, infinite where it never does.

    Secants on its root, which is nearly a line in the slope; both ends at once, each kept between a slope whose
    deviance is below and one whose is above.
    """
    centre, wanted = float(fit.slope), math.sqrt(cutoff)
    reach = np.array([-1.0, 1.0]) * wanted * math.sqrt(max(float(fit.information[1, 1]), 1e-300))
    inside, outside, last, below = np.zeros(2), np.copysign(np.inf, reach), np.zeros(2), np.full(2, -wanted)
    start, settled = None, np.zeros(2, dtype=bool)
    for _ in range(60):
        deviance, start = profile(odds.x, odds.positive, odds.negative, centre + reach, fit, start)
        over = np.sqrt(deviance) - wanted
        inside, outside = np.where(over < 0, reach, inside), np.where(over < 0, outside, reach)
        with np.errstate(divide="ignore", invalid="ignore"):
            ahead = reach - over * (reach - last) / (over - below)
        open_end = np.isinf(outside)
        between = np.abs(ahead - inside) <= np.abs(outside - inside)
        between &= np.sign(ahead - inside) * np.sign(reach) >= 0
        fallback = np.where(open_end, 2 * inside, (inside + np.where(open_end, inside, outside)) / 2)
        ahead = np.where(between & (np.abs(ahead) <= 8 * np.abs(reach)), ahead, fallback)
        settled = np.abs(ahead - reach) <= 1e-9 * np.abs(reach)
        last, below, reach = reach, over, ahead
        if (settled | ~np.isfinite(reach)).all():
            break
    ends = np.where(settled, centre + reach, outside)
    return float(ends[0]), float(ends[1])


def shift_bounds(fit: Fit, n: ArrayLike, confidence: float, factor: float = 1.0) -> tuple[Array, Array]:
    """Fitted intercept -+ t standard errors, from the information or the sandwich, whichever is larger."""
    variance = np.maximum(fit.information[..., 0, 0], fit.sandwich[..., 0, 0])
    variance = np.where(variance < _USELESS, variance / factor if factor > 0 else np.inf, np.inf)
    reach = t_reach(np.asarray(n) - fit.information.shape[-1], confidence) * np.sqrt(variance)
    return fit.intercept - reach, fit.intercept + reach


def calibration_intercept_estimate(
    t: ScoreGroups,
    *,
    fitted: str = "shift",
    confidence: float = 0.95,
    design_effect: float = 1.0,
    group_factor: float = 1.0,
) -> Estimate:
    """The calibration intercept, slope held at 1 ("shift") or fitted as well ("line"); p is for an intercept of 0.

    The interval is that of the fit with added rows, half of either class. Its standard error is the larger of the
    information's and the sandwich's: with a slope other than 1 the first is too small.
    """
    name = "calibration_intercept"
    confidence = checked_confidence(confidence)
    value = float(measures.calibration_intercept.formula(t, fitted=fitted))
    if math.isnan(value):
        return _undefined(name, t, confidence, separation(t))
    odds, n = _scaled(t)
    solve = Odds.line if fitted == "line" else Odds.shift
    fit = solve(odds, added=True)
    factor = group_factor / design_effect
    low, high = (float(end) for end in shift_bounds(fit, n, confidence, factor))
    df = n - fit.information.shape[-1]
    one_se = (high - low) / 2 / float(t_reach(df, confidence)) if math.isfinite(high - low) else math.inf
    statistic = float(fit.intercept) / one_se
    se = _se(solve(odds), 0, t.is_weighted) if math.isfinite(value) else math.nan
    flags = [*_clip_flags(t), *rare_flags(t)] + ([] if math.isfinite(value) else ["degenerate"])
    return _with_test(
        name, value, min(low, value), max(high, value), se, confidence, "one_row", n, flags, statistic, df
    )


def _se(fit: Fit, place: int, robust: bool) -> float:
    """From the information matrix; the sandwich where rows have weights."""
    covariance = fit.sandwich if robust else fit.information
    return float(np.sqrt(covariance[..., place, place]))


def _with_test(
    name: str, value: float, low: float, high: float, se: float, confidence: float, method: str, n: float,
    flags: list[str], statistic: float, df: float,
) -> Estimate:  # fmt: skip
    p = min(1.0, t_two_sided(statistic, df)) if df > 0.05 else 1.0
    return Estimate(value, low, high, se, confidence, method, n, tuple(flags), name, statistic=statistic, p_value=p)


def calibration_finding(t: ScoreGroups, confidence: float = 0.95) -> Finding | None:
    """Told when the interval of calibration in the large leaves out 0."""
    e = mean_estimate(measures.calibration_error_in_the_large, t, confidence=confidence)
    if not e.defined or 0.0 in e:
        return None
    share = t.positives / t.total
    mean = e.value + share
    code, word = ("scores_run_high", "high") if e.low > 0 else ("scores_run_low", "low")
    text = f"Scores run {word}: mean {number(mean)}, share of positives {number(share)}; the difference is {e}."
    return Finding.of(code, text, mean_score=mean, share=share, difference=e.to_dict())


# expected calibration error


def ece_bounds(b: Bins, norm: str = "l1", confidence: float = 0.95, factor: float = 1.0) -> tuple[float, float]:
    """The interval of the error over these bins, by asking which true errors would give the one seen.

    The gaps are taken to be normal with the noise of the bins (one row added to each, half of either class), their true
    values in proportion to those seen. The ends are the true errors under which one as small, or as large, as that seen
    has chance (1 - confidence) / 2. So noise does not count as error, and 0 is inside where noise explains it all. The
    upper end is never below what noise alone gives on average, nor, where even less was seen, below what it can give.
    That rows fall into other bins in another sample varies the error too: without it, it was covered in .69 to .81 of
    the samples of sure scores.
    """
    tail, part = (1 - confidence) / 2, b.weight / b.total
    if factor <= 0:
        return 0.0, 1.0
    noise = measures.gap_noise(b, added=True) / math.sqrt(factor)
    seen = measures.ece_of_bins(b, norm)
    direction = b.gap if seen > 1e-12 else noise
    unit = float(_norm(direction, part, norm))
    rows = float(b.total**2 / b.squares.sum()) * factor

    def below(seen: float, gap: Array, noise: Array, part: Array) -> float:
        return _CHANCES[norm](seen, gap, noise, part, rows)

    def chance(true: float) -> float:
        """Of an error no larger than the one seen."""
        return below(seen, direction * (true / unit), noise, part)

    low = 0.0 if chance(0.0) <= 1 - tail else _falling(chance, 1 - tail)
    nothing = np.zeros_like(noise)
    if chance(0.0) <= tail:
        high = _falling(lambda x: 1 - below(x, nothing, noise, part), tail)
    else:
        noise_alone = _falling(lambda x: 1 - below(x, nothing, noise, part), 0.5)
        high = max(noise_alone, 1.0 if chance(1.0) > tail else _falling(chance, tail))
    return min(low, seen), min(max(high, seen), 1.0)


def _norm(gap: Array, part: Array, norm: str) -> float:
    if norm == "max":
        return float(np.abs(gap).max())
    return float(part @ np.abs(gap)) if norm == "l1" else float(np.sqrt(part @ gap**2))


def _falling(chance: Callable[[float], float], target: float) -> float:
    """Where a chance that falls from 0 to 1 passes the target; the end that is nearest to it where it never does."""
    first, last = chance(0.0) - target, chance(1.0) - target
    if first <= 0 or last >= 0:
        return 0.0 if first <= 0 else 1.0
    return root_between(lambda x: chance(x) - target, 0.0, 1.0)


def _gamma(x: float, mean: float, variance: float) -> float:
    """P(X <= x) for a gamma variable with this mean and variance."""
    from scipy.special import gammainc

    if variance <= 0 or mean <= 0:
        return float(x >= mean)
    return float(gammainc(mean**2 / variance, x * mean / variance))


def _chance_l1(seen: float, gap: Array, noise: Array, part: Array, rows: float) -> float:
    mean, variance = measures.folded_moments(gap, noise)
    return _gamma(seen, float(part @ mean), float(part**2 @ variance) + _occupancy(mean, part, rows))


def _occupancy(of_bin: Array, part: Array, rows: float) -> float:
    """The variance of a mean over bins by how the rows fall into them."""
    return max(float(part @ of_bin**2 - (part @ of_bin) ** 2), 0.0) / rows


def _chance_l2(seen: float, gap: Array, noise: Array, part: Array, rows: float) -> float:
    of_bin = gap**2 + noise**2
    variance = float(part**2 @ (2 * noise**4 + 4 * gap**2 * noise**2)) + _occupancy(of_bin, part, rows)
    return _gamma(seen**2, float(part @ of_bin), variance)


def _chance_max(seen: float, gap: Array, noise: Array, part: Array, _rows: float) -> float:
    above, below = normal_tail((seen - gap) / noise), normal_tail((seen + gap) / noise)
    return float(np.prod(np.clip(1 - above - below, 0.0, 1.0)))


_CHANCES: dict[str, Callable[[float, Array, Array, Array, float], float]] = {
    "l1": _chance_l1,
    "l2": _chance_l2,
    "max": _chance_max,
}


def ece_estimate(
    t: ScoreGroups | ScoreMatrix | CountedMatrix,
    *,
    bins: int = 15,
    norm: str = "l1",
    strategy: str = "width",
    debiased: bool = False,
    confidence: float = 0.95,
    design_effect: float = 1.0,
    group_factor: float = 1.0,
) -> Estimate:
    """Expected calibration error with an interval that allows for its bias; of the top label for many classes.

    The plain value is biased upward and says so by a flag; `debiased=True` takes the bias off. The interval is the same
    for both: it is about the error of the population, in these bins.
    """
    name = "ece" if isinstance(t, ScoreGroups) else "ece_multiclass"
    confidence = checked_confidence(confidence)
    if not isinstance(t, ScoreGroups):
        if not has_probabilities(t):
            why = INFINITE if t.n else "there are no rows"
            return Estimate(math.nan, math.nan, math.nan, math.nan, confidence, "undefined", float(t.n), (), name, why)
        t = measures.top_label(t)
    if not has_probabilities(t):
        return _undefined(name, t, confidence)
    b = bin_scores(t, bins, strategy)
    value, factor = measures.ece_of_bins(b, norm, debiased), group_factor / design_effect
    low, high = ece_bounds(b, norm, confidence, factor)
    if debiased:
        low, high = min(low, value), max(high, value)
    flags = () if debiased else ("biased_upward",)
    n = t.total * measures.effective_scale(t)
    return Estimate(value, low, high, _ece_se(b, norm), confidence, "inverted", n, flags, name)


def _ece_se(b: Bins, norm: str) -> float:
    """Delta-method standard error: the noise of the bins through the slopes of the norm."""
    part, noise = b.weight / b.total, measures.gap_noise(b)
    if norm == "max":
        return float(noise[np.abs(b.gap).argmax()])
    if norm == "l1":
        return float(np.sqrt(part**2 @ noise**2))
    size = _norm(b.gap, part, "l2")
    return float(np.sqrt((part * b.gap) ** 2 @ noise**2) / size) if size > 0 else 0.0


# tests


def hosmer_lemeshow_estimate(
    t: ScoreGroups, *, bins: int = 10, breaks: str = "counts", held_out: bool = False, confidence: float = 0.95
) -> Estimate:
    """Hosmer and Lemeshow's statistic with `.statistic`, `.p_value` and `.df`.

    By default bins - 2 degrees of freedom, as published and as R has it. Those are for the rows of the fit; on others
    p is too small too often, so it carries a flag. `held_out=True` gives as many as bins.
    The interval is that of the statistic's expectation, df under calibration, from the non-central chi-squared.
    """
    name = "hosmer_lemeshow"
    confidence = checked_confidence(confidence)
    found = measures.hosmer_lemeshow_test(t, bins, breaks, held_out)
    if math.isnan(found.statistic):
        return _undefined(name, t, confidence)
    n = t.total * measures.effective_scale(t)
    if math.isnan(found.df):
        why = "the scores fill fewer than three bins" if not held_out else "there are no bins"
        return Estimate(math.nan, math.nan, math.nan, math.nan, confidence, "undefined", n, (), name, why)
    low, high = _expected_chi_squared(found.statistic, found.df, confidence)
    se = math.sqrt(2 * (found.df + 2 * max(found.statistic - found.df, 0.0)))
    return Estimate(
        found.statistic, low, high, se, confidence, "noncentral", n, () if held_out else ("df_of_the_fit",), name,
        statistic=found.statistic, p_value=found.p_value, df=found.df,
    )  # fmt: skip


def _expected_chi_squared(x: float, df: float, confidence: float) -> tuple[float, float]:
    if not math.isfinite(x):
        return 0.0, math.inf
    from scipy.special import chndtr

    tail, spread = (1 - confidence) / 2, math.sqrt(2 * (df + 2 * max(x, df)))
    z = normal_quantile(1 - tail)
    if x > 2000:  # normal by then, and the series is long
        return max(x - z * spread, df), x + z * spread
    top = x + df + 12 * spread + 50
    ends = []
    for chance in (1 - tail, tail):
        low, high = 0.0, top
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if chndtr(x, df, middle) > chance else (low, middle)
        ends.append(df + (low + high) / 2)
    return min(ends[0], x), max(ends[1], x)


def spiegelhalter_estimate(t: ScoreGroups, *, confidence: float = 0.95) -> Estimate:
    """Spiegelhalter's z with its p-value; the interval is that of z's expectation, 0 under calibration."""
    name = "spiegelhalter"
    confidence = checked_confidence(confidence)
    value = measures.spiegelhalter(t)
    if math.isnan(value):
        return _undefined(name, t, confidence, "every score is 0, 1/2 or 1")
    _, variance, seen = measures.spiegelhalter_parts(t)
    se = math.sqrt(max(seen, 0.0) / variance)  # beside a far heavier row a sum of squares may be below 0
    reach = normal_quantile((1 + confidence) / 2) * max(se, 1.0)
    n = t.total * measures.effective_scale(t)
    p = min(1.0, 2 * float(normal_tail(abs(value))))
    return Estimate(
        value, value - reach, value + reach, se, confidence, "delta", n, (), name, statistic=value, p_value=p
    )


# bins


def bin_share_bounds(b: Bins | None, confidence: float, simultaneous: bool = False) -> tuple[Array, Array]:
    """The interval of each bin's share of positives: the rule for shares, on the bin's effective rows.

    `simultaneous`: all of them at once, each at a level of 1 - (1 - confidence) / bins.
    """
    if b is None:
        return np.zeros(0), np.zeros(0)
    level = 1 - (1 - checked_confidence(confidence)) / (len(b.weight) if simultaneous else 1)
    worth = b.weight**2 / b.squares
    return share_interval("auto", b.share * worth, worth, level)
