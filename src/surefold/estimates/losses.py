"""Losses of probabilities with their uncertainty.

The interval functions (`*_bounds`) work on arrays with leading batch axes, rows last; the estimates read a tally. Rows
are given by value, weight and squared weight; weights are scaled so that they add up to the effective number of rows.
`design_effect` and `group_factor` are what groups of rows do to the effective number of rows, from `grouping`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefold.errors import refuse_unknown
from surefold.estimates.estimate import Estimate
from surefold.estimates.one_row import beta_interval, effective_rows
from surefold.estimates.proportion import share_interval
from surefold.estimates.quantiles import checked_confidence, normal_quantile
from surefold.measures import proper
from surefold.measures.calibration import effective_scale
from surefold.measures.row_moves import row_sums
from surefold.measures.score_measure import ScoreMeasure
from surefold.tallies.class_counts import CountedMatrix
from surefold.tallies.mean_sums import MeanSums
from surefold.tallies.score_groups import ScoreGroups
from surefold.tallies.score_matrix import ScoreMatrix

__all__ = [
    "DOMINATES",
    "LOSS_METHODS",
    "bounded_mean_bounds",
    "bounded_moments",
    "brier_skill_estimate",
    "log_mean_bounds",
    "log_moments",
    "loss_moments",
    "mean_estimate",
    "one_row_share",
    "rare_flags",
    "skill_bounds",
    "skill_moments",
    "t_bounds",
    "t_reach",
]

Array = NDArray[np.float64]
Bounds = tuple[Array, Array]

#: A row with more than this share of the loss is told of.
DOMINATES = 0.1
RARE = 10
LOSS_METHODS = ("auto", "one_row", "t", "delta")


def bounded_mean_bounds(
    values: Array,
    weight: Array,
    square: Array,
    *,
    limits: tuple[float, float] = (0.0, 1.0),
    confidence: float = 0.95,
    factor: float = 1.0,
) -> Bounds:
    """The one-row interval of a mean of bounded values: half a row at either limit, Beta quantiles (h = 0).

    Where rows are weighted, each half row weighs what the rows on its side of 0 do, and no less than one row: heavy
    rows that happened not to be drawn would otherwise be forgotten.
    """
    sums = MeanSums.of(values, weight, square)
    return _bounded(sums, limits=limits, confidence=confidence, factor=factor)


def _bounded(
    sums: MeanSums, *, limits: tuple[float, float] = (0.0, 1.0), confidence: float = 0.95, factor: float = 1.0
) -> Bounds:
    raw = sums.mean
    centre, variance = bounded_moments(sums, limits)
    rows = effective_rows(centre, variance, limits) * factor * _few_heavy(sums, centre, confidence)
    low, high = beta_interval(centre, rows, raw, limits, confidence, shape=0.0)
    return np.minimum(low, raw), np.maximum(high, raw)


def bounded_moments(sums: MeanSums, limits: tuple[float, float]) -> tuple[Array, Array]:
    """The mean with half a row at either limit, and its variance."""
    (least, greatest), (up, down) = limits, sums.typical_weights
    more = sums.weight + (up + down) / 2
    centre = (sums.total + (up * greatest + down * least) / 2) / more
    spread = np.maximum(sums.about(centre), 0.0)
    added = (up**2 * (greatest - centre) ** 2 + down**2 * (centre - least) ** 2) / 2
    return np.asarray(centre), np.asarray((spread + added) / more**2)


def _few_heavy(sums: MeanSums, centre: Array, confidence: float) -> Array | float:
    """(z/t)^2 with Satterthwaite's degrees of freedom where weights vary: a few heavy rows may make up the variance."""
    if sums.heavy is None:
        return 1.0
    fourth = sums.fourth_about(centre)
    degrees = np.where(fourth > 0, sums.about(centre) ** 2 / np.where(fourth > 0, fourth, 1.0), 1.0)
    reach = normal_quantile((1 + confidence) / 2) / t_reach(np.maximum(degrees, 1.0), confidence)
    return np.asarray(reach**2)


def log_mean_bounds(
    values: Array, flipped: Array, weight: Array, square: Array, *, confidence: float = 0.95, factor: float = 1.0
) -> Bounds:
    """The interval of a mean loss from 0 to infinity: half a row with flipped labels, then t on the log scale.

    The rows vary by at least half a row with no loss, so that equal losses do not make a point.
    """
    sums, turned = MeanSums.of(values, weight, square), MeanSums.of(flipped, weight, weight)
    return _logarithmic(sums, turned, confidence=confidence, factor=factor)


def _logarithmic(sums: MeanSums, flipped: MeanSums, *, confidence: float = 0.95, factor: float = 1.0) -> Bounds:
    centre, variance = log_moments(sums, flipped)
    return _on_log_scale(sums.mean, centre, variance, sums.weight, confidence, factor)


def log_moments(sums: MeanSums, flipped: MeanSums) -> tuple[Array, Array]:
    """The mean with half a row of flipped labels, and its variance."""
    n = sums.weight
    centre = (sums.total + flipped.mean / 2) / (n + 0.5)
    spread = sums.about(centre) + flipped.about(centre) / (2 * flipped.weight)
    return np.asarray(centre), np.asarray(np.maximum(spread, centre**2 / 2) / (n + 0.5) ** 2)


def _on_log_scale(
    raw: Array, centre: Array, variance: Array, n: Array | float, confidence: float, factor: float
) -> Bounds:
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        reach = t_reach(np.asarray(n) - 1, confidence) * np.sqrt(
            variance / factor if factor > 0 else np.full_like(variance, np.inf)
        )
        times = np.exp(np.where(centre > 0, reach / centre, np.inf))
        low, high = centre / times, centre * times
    return np.where(raw <= 0, 0.0, np.minimum(low, raw)), np.maximum(high, raw)


def t_reach(df: ArrayLike, confidence: float) -> Array:
    """The two-sided t quantile; infinite without degrees of freedom."""
    from scipy.special import stdtrit

    df = np.asarray(df, dtype=float)
    return np.where(df > 0.05, stdtrit(np.maximum(df, 0.05), (1 + confidence) / 2), np.inf)


def skill_bounds(
    loss: Array, is_positive: Array, weight: Array, square: Array, *, confidence: float = 0.95, factor: float = 1.0
) -> Bounds:
    """The interval of the Brier skill: one row, half of each class, half of loss 1; then t on the log of the ratio."""
    sides = (is_positive, 1 - is_positive)
    up, down = (MeanSums.of(loss, weight * side, square * side) for side in sides)
    return _skill(up, down, confidence=confidence, factor=factor)


def _skill(up: MeanSums, down: MeanSums, *, confidence: float = 0.95, factor: float = 1.0) -> Bounds:
    n = up.weight + down.weight
    q_raw, b_raw = up.weight / n, (up.total + down.total) / n
    centre, variance = skill_moments(up, down)
    with np.errstate(divide="ignore", invalid="ignore"):
        raw = np.where(b_raw <= 0, 0.0, b_raw / (q_raw * (1 - q_raw)))
    low, high = _on_log_scale(raw, centre, variance, n, confidence, factor)
    return 1 - high, 1 - low


def skill_moments(up: MeanSums, down: MeanSums) -> tuple[Array, Array]:
    """One less the skill with a row added, half of each class and half of loss 1, and its variance."""
    n = up.weight + down.weight
    q, b = (up.weight + 0.5) / (n + 1), (up.total + down.total + 0.5) / (n + 1)
    u = q * (1 - q)
    spread = _skill_spread(up, down, q, b)
    for some_loss, some_y in ((0.0, 0.0), (0.0, 1.0), (1.0, 0.0), (1.0, 1.0)):
        spread = spread + ((some_loss - b - (some_y - q) * (1 - 2 * q) * b / u) / u) ** 2 / 4
    return np.asarray(b / u), np.asarray(spread / (n + 1) ** 2)


def _skill_spread(up: MeanSums, down: MeanSums, q: Array, b: Array) -> Array:
    """Sum of squared influence on b/u, u = q(1 - q), at these values: of (loss - b - (y - q)(1 - 2q) b/u) / u."""
    u = q * (1 - q)
    drift = (1 - 2 * q) * b / u
    return np.asarray((up.about(b + (1 - q) * drift) + down.about(b - q * drift)) / u**2)


def t_bounds(values: Array, weight: Array, square: Array, *, confidence: float = 0.95, factor: float = 1.0) -> Bounds:
    """The t interval of a mean, by name: it misses where a few rows carry the loss."""
    return _by_t(MeanSums.of(values, weight, square), confidence=confidence, factor=factor)


def _by_t(sums: MeanSums, *, confidence: float = 0.95, factor: float = 1.0) -> Bounds:
    raw, n = sums.mean, np.asarray(sums.weight)
    with np.errstate(divide="ignore", invalid="ignore"):
        reach = t_reach(n - 1, confidence) * np.sqrt(np.maximum(sums.about(raw), 0.0) / (n * (n - 1)) / factor)
    return raw - reach, raw + reach


def one_row_share(values: Array, weight: Array, largest: Array) -> Array:
    """The share of the loss that the worst single row makes up; `largest` is the weight of one row at each place."""
    total = (weight * values).sum(-1)
    worst = (np.where(weight > 0, largest, 0.0) * values).max(-1, initial=0.0)
    return np.where(total > 0, worst / np.where(total > 0, total, 1.0), 0.0)


# estimates


@dataclass(frozen=True, eq=False)
class _Losses:
    """Sums of the losses of positives and of negatives (of many classes: all of them, and none), weights scaled to the
    effective rows; of the losses with flipped labels, by the weights as they came; and the largest of a row's losses
    times its weight.
    """

    up: MeanSums
    down: MeanSums | None
    flipped: MeanSums | None
    worst: float

    @property
    def all(self) -> MeanSums:
        return self.up if self.down is None else self.up + self.down

    @property
    def worth(self) -> float:
        """How many rows of equal loss the loss rests on: (sum w loss)^2 / sum (w loss)^2."""
        total, squared = float(self.all.total), float(self.all.about(0.0))
        return total**2 / squared if squared > 0 else 0.0


def loss_moments(measure: ScoreMeasure, t: ScoreGroups | ScoreMatrix) -> tuple[float, float]:
    """A mean loss, or one less the skill, with its row added, and its variance there."""
    if measure.interval == "skill":
        losses = _losses_of(proper.brier, t)
        found = skill_moments(losses.up, losses.down or losses.up)
    else:
        losses = _losses_of(measure, t)
        sums = losses.all
        if losses.flipped is not None:
            found = log_moments(sums, losses.flipped)
        else:
            centre, variance = bounded_moments(sums, measure.span)
            found = centre, variance / np.asarray(_few_heavy(sums, centre, 0.95))
    return float(found[0]), float(found[1])


def _losses_of(measure: ScoreMeasure, t: ScoreGroups | ScoreMatrix | CountedMatrix) -> _Losses:
    if not isinstance(t, ScoreGroups):
        found = row_sums(measure, t)
        return _Losses(found.losses, None, found.flipped, found.worst)
    scale = effective_scale(t)
    sums = measure.loss_sums(t)
    return _Losses(sums.positive.scaled(scale), sums.negative.scaled(scale), sums.flipped, scale * sums.worst)


@dataclass(frozen=True, eq=False)
class _Certain:
    """Rows whose score is exactly 0 or 1, apart: how many, how many of them are wrong, and what a wrong one loses.

    A log loss has no other mean than that of the clip there, and a sample says of it only how often they were wrong.
    """

    rows: float
    wrong: float
    loss: float
    others: MeanSums
    others_flipped: MeanSums

    @classmethod
    def of(cls, measure: ScoreMeasure, t: ScoreGroups) -> _Certain | None:
        """None where no score is certain. The `others` are all rows, with no loss where the score is certain."""
        found, scale = measure.loss_sums(t).certain, effective_scale(t)
        if found is None:
            return None
        facts = scale * found.rows, scale * found.wrong, -math.log(t.clip)
        return cls(*facts, found.others.scaled(scale), found.flipped)

    def bounds(self, level: float, factor: float) -> Bounds:
        """Bounds of the whole mean: those of the others, and the exact ones of the wrong share, squared and added."""
        n, of_rest = float(self.others.weight), float(self.others.mean)
        rest = (np.zeros(()), np.zeros(()))
        if self.rows < n - 1e-9:
            rest = _logarithmic(self.others, self.others_flipped, confidence=level, factor=factor)
        used = self.rows * factor
        ends = share_interval("clopper_pearson", self.wrong / self.rows * used, used, level)
        times = self.rows / n * self.loss
        own, value = self.wrong / self.rows * times, of_rest + self.wrong / n * self.loss
        low = value - np.hypot(of_rest - rest[0], own - times * ends[0])
        return np.asarray(low), np.asarray(value + np.hypot(rest[1] - of_rest, times * ends[1] - own))


def _undefined(name: str, t: ScoreGroups | ScoreMatrix | CountedMatrix, confidence: float) -> Estimate:
    """No value and no interval, but the reason."""
    n = float(t.total if isinstance(t, ScoreGroups) else t.n)
    if not n:
        why = "there are no rows"
    elif np.isinf(t.ends).any():
        why = "a score is infinite, and so no probability"
    else:
        why = "the truth has one class only"
    return Estimate(math.nan, math.nan, math.nan, math.nan, confidence, "undefined", n, (), name, why)


def mean_estimate(
    measure: ScoreMeasure,
    t: ScoreGroups | ScoreMatrix | CountedMatrix,
    *,
    confidence: float = 0.95,
    method: str = "auto",
    design_effect: float = 1.0,
    group_factor: float = 1.0,
) -> Estimate:
    """A mean loss with its interval.

    Bounded losses get half a row of the greatest and half a row of the least, and Beta quantiles. Others get half a row
    with flipped labels, then t on the log scale; a row with more than a tenth of the loss, and true classes of
    probability 0, are flagged. Scores of exactly 0 or 1 are apart: how often they are wrong is bounded as a share is.

    >>> t = ScoreGroups.of(np.array([0.9, 0.7, 0.4, 0.2]), np.array([True, True, False, False]))
    >>> print(mean_estimate(proper.brier, t))  # (.01 + .09 + .16 + .04) / 4
    0.08 [0.01, 0.46]
    """
    confidence = checked_confidence(confidence)
    if not proper.has_probabilities(t):
        return _undefined(measure.name, t, confidence)
    losses, limits, factor = _losses_of(measure, t), measure.span, group_factor / design_effect
    sums = losses.all
    certain = _Certain.of(measure, t) if measure.interval == "log" and isinstance(t, ScoreGroups) else None
    # No row can lose more than the logarithm of the clip.
    least, greatest = limits if measure.interval == "bounded" else (0.0, -math.log(t.clip))

    def bounds(level: float) -> Bounds:
        if _named(method) != "one_row":
            low, high = _by_name(method, sums, level, factor)
        elif losses.flipped is None:
            low, high = _bounded(sums, limits=limits, confidence=level, factor=factor)
        elif certain is not None:
            low, high = certain.bounds(level, factor)
        else:
            low, high = _logarithmic(sums, losses.flipped, confidence=level, factor=factor)
        return np.maximum(low, least), np.minimum(high, greatest)

    value = float(sums.mean)
    flags = ["degenerate"] if value <= limits[0] or value >= limits[1] else []
    if measure.interval == "bounded":
        few = losses.worth < RARE - 1e-9
        if limits[0] < 0 and isinstance(t, ScoreGroups):  # losses cancel, so their sum does not say what it rests on
            few = bool(rare_flags(t))
        flags += ["few_weighted_errors"] if sums.heavy is not None and few else []
    else:
        if losses.worst > DOMINATES * sums.total:
            flags.append("one_row_dominates")
        if certain is not None:
            flags.append("certain_scores")
        if proper.clipped_rows(t) > 0:
            flags.append("clipped_probabilities")
    return _finished(measure, value, float(sums.standard_error), bounds, confidence, method, float(sums.weight), flags)


def brier_skill_estimate(
    t: ScoreGroups, *, confidence: float = 0.95, design_effect: float = 1.0, group_factor: float = 1.0
) -> Estimate:
    """The Brier skill with its interval; undefined where the truth has one class only."""
    confidence = checked_confidence(confidence)
    value = proper.brier_skill(t)
    if math.isnan(value):
        return _undefined("brier_skill", t, confidence)
    losses = _losses_of(proper.brier, t)
    up, down, sums = losses.up, losses.down or losses.up, losses.all

    def bounds(level: float) -> Bounds:
        return _skill(up, down, confidence=level, factor=group_factor / design_effect)

    q, b, n = float(up.weight / sums.weight), float(sums.mean), float(sums.weight)
    se = math.sqrt(max(float(_skill_spread(up, down, np.asarray(q), np.asarray(b))), 0.0)) / n
    flags = rare_flags(t) + (["degenerate"] if value >= 1 else [])
    return _finished(proper.brier_skill, value, se, bounds, confidence, "one_row", n, flags)


def rare_flags(t: ScoreGroups) -> list[str]:
    """`rare_class` where a class has fewer than ten effective rows."""
    sums = zip((t.positives, t.negatives), t.squared_weights, strict=True)
    return ["rare_class"] if min(x * x / x2 if x2 > 0 else 0.0 for x, x2 in sums) < RARE - 1e-9 else []


def _named(method: str) -> str:
    refuse_unknown("interval method", method, LOSS_METHODS)
    return "one_row" if method == "auto" else method


def _by_name(method: str, sums: MeanSums, level: float, factor: float) -> Bounds:
    if method == "t":
        return _by_t(sums, confidence=level, factor=factor)
    with np.errstate(divide="ignore"):
        reach = normal_quantile((1 + level) / 2) * sums.standard_error / np.sqrt(factor)
    return np.asarray(sums.mean - reach), np.asarray(sums.mean + reach)


def _finished(
    measure: ScoreMeasure,
    value: float,
    se: float,
    bounds: Callable[[float], Bounds],
    confidence: float,
    method: str,
    n: float,
    flags: list[str],
) -> Estimate:
    low, high = bounds(confidence)
    if _named(method) in ("t", "delta"):
        flags = [*flags, "known_to_mislead"]
    worst = math.nan
    if measure.better != "neither":  # the end that is missed on the bad side with chance 1/4
        worst = float(bounds(0.5)[0 if measure.better == "higher" else 1])
    facts = (se, confidence, _named(method), n, tuple(flags), measure.name)
    return Estimate(value, float(low), float(high), *facts, pessimistic=worst)
