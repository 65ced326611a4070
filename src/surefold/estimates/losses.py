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

from surefold.errors import UnknownNameError
from surefold.estimates.estimate import Estimate
from surefold.estimates.one_row import beta_interval, effective_rows
from surefold.estimates.quantiles import checked_confidence, normal_quantile
from surefold.measures import proper
from surefold.measures.calibration import effective_scale
from surefold.measures.score_measure import ScoreMeasure
from surefold.tallies.score_groups import ScoreGroups
from surefold.tallies.score_matrix import ScoreMatrix

__all__ = [
    "DOMINATES",
    "LOSS_METHODS",
    "bounded_mean_bounds",
    "brier_skill_estimate",
    "log_mean_bounds",
    "mean_estimate",
    "one_row_share",
    "rare_flags",
    "skill_bounds",
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
    least, greatest = limits
    n = weight.sum(-1)
    raw = (weight * values).sum(-1) / n
    up, down = (_typical_weight(np.maximum(side, 0.0), weight, square) for side in (values, -values))
    more = n + (up + down) / 2
    centre = (n * raw + (up * greatest + down * least) / 2) / more
    each = square * (values - centre[..., None]) ** 2
    spread = each.sum(-1)
    added = (up**2 * (greatest - centre) ** 2 + down**2 * (centre - least) ** 2) / 2
    rows = (
        effective_rows(centre, (spread + added) / more**2, limits)
        * factor
        * _few_heavy(each, weight, square, confidence)
    )
    low, high = beta_interval(centre, rows, raw, limits, confidence, shape=0.0)
    return np.minimum(low, raw), np.maximum(high, raw)


def _few_heavy(each: Array, weight: Array, square: Array, confidence: float) -> Array:
    """(z/t)^2 with Satterthwaite's degrees of freedom where weights vary: a few heavy rows may make up the variance.

    `each` is what a cell adds to the variance; it holds weight^2 / square rows.
    """
    vary = (abs(square - weight) > 1e-9 * weight.max()).any(-1)
    rows = np.where(square > 0, weight**2 / np.where(square > 0, square, 1.0), 1.0)
    fourth = (each**2 / np.maximum(rows, 1.0)).sum(-1)
    degrees = np.where(fourth > 0, each.sum(-1) ** 2 / np.where(fourth > 0, fourth, 1.0), 1.0)
    reach = normal_quantile((1 + confidence) / 2) / t_reach(np.maximum(degrees, 1.0), confidence)
    return np.where(vary, reach**2, 1.0)


def _typical_weight(size: Array, weight: Array, square: Array) -> Array:
    """The weight of a row, averaged by what it adds to a sum; at least 1, and 1 where rows are not weighted."""
    total = (weight * size).sum(-1)
    return np.maximum(np.where(total > 0, (square * size).sum(-1) / np.where(total > 0, total, 1.0), 1.0), 1.0)


def log_mean_bounds(
    values: Array, flipped: Array, weight: Array, square: Array, *, confidence: float = 0.95, factor: float = 1.0
) -> Bounds:
    """The interval of a mean loss from 0 to infinity: half a row with flipped labels, then t on the log scale.

    The rows vary by at least half a row with no loss, so that equal losses do not make a point.
    """
    n = weight.sum(-1)
    raw = (weight * values).sum(-1) / n
    half = 0.5 * weight / n[..., None]
    centre = ((weight * values).sum(-1) + (half * flipped).sum(-1)) / (n + 0.5)
    away = (values - centre[..., None]) ** 2
    spread = (square * away).sum(-1) + (half * (flipped - centre[..., None]) ** 2).sum(-1)
    return _on_log_scale(raw, centre, np.maximum(spread, centre**2 / 2) / (n + 0.5) ** 2, n, confidence, factor)


def _on_log_scale(raw: Array, centre: Array, variance: Array, n: Array, confidence: float, factor: float) -> Bounds:
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        reach = t_reach(n - 1, confidence) * np.sqrt(
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
    n = weight.sum(-1)
    q_raw, b_raw = (weight * is_positive).sum(-1) / n, (weight * loss).sum(-1) / n
    q, b = (n * q_raw + 0.5) / (n + 1), (n * b_raw + 0.5) / (n + 1)
    u = q * (1 - q)

    def influence(some_loss: ArrayLike, some_y: ArrayLike, at: Callable[[Array], Array]) -> Array:
        off_q = (np.asarray(some_y) - at(q)) * at((1 - 2 * q) * b / u)
        return np.asarray((np.asarray(some_loss) - at(b) - off_q) / at(u))

    spread = (square * influence(loss, is_positive, lambda x: x[..., None]) ** 2).sum(-1)
    for corner in ((0.0, 0.0), (0.0, 1.0), (1.0, 0.0), (1.0, 1.0)):
        spread = spread + influence(*corner, lambda x: x) ** 2 / 4
    with np.errstate(divide="ignore", invalid="ignore"):
        raw = np.where(b_raw <= 0, 0.0, b_raw / (q_raw * (1 - q_raw)))
    low, high = _on_log_scale(raw, b / u, spread / (n + 1) ** 2, n, confidence, factor)
    return 1 - high, 1 - low


def t_bounds(values: Array, weight: Array, square: Array, *, confidence: float = 0.95, factor: float = 1.0) -> Bounds:
    """The t interval of a mean, by name: it misses where a few rows carry the loss."""
    n = weight.sum(-1)
    raw = (weight * values).sum(-1) / n
    spread = (square * (values - raw[..., None]) ** 2).sum(-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        reach = t_reach(n - 1, confidence) * np.sqrt(spread / (n * (n - 1)) / factor)
    return raw - reach, raw + reach


def one_row_share(values: Array, weight: Array, largest: Array) -> Array:
    """The share of the loss that the worst single row makes up; `largest` is the weight of one row at each place."""
    total = (weight * values).sum(-1)
    worst = (np.where(weight > 0, largest, 0.0) * values).max(-1, initial=0.0)
    return np.where(total > 0, worst / np.where(total > 0, total, 1.0), 0.0)


# estimates


@dataclass(frozen=True, eq=False)
class _Rows:
    """Losses with scaled weights, one entry a row or a class at a distinct score; `single`: the weight of one row."""

    loss: Array
    flipped: Array
    is_positive: Array
    weight: Array
    square: Array
    single: Array

    @property
    def n(self) -> float:
        return float(self.weight.sum())

    @property
    def vary(self) -> bool:
        """Whether rows have different weights."""
        return not np.allclose(self.square, self.weight)

    @property
    def worth(self) -> float:
        """How many rows of equal loss the loss rests on: (sum w loss)^2 / sum (w loss)^2."""
        total, squared = float(self.weight @ self.loss), float(self.square @ self.loss**2)
        return total**2 / squared if squared > 0 else 0.0

    @property
    def se(self) -> float:
        mean = self.weight @ self.loss / self.n
        return float(np.sqrt(self.square @ (self.loss - mean) ** 2) / self.n)


def _rows_of(measure: ScoreMeasure, t: ScoreGroups | ScoreMatrix) -> _Rows:
    if isinstance(t, ScoreMatrix):
        losses = measure.row_losses(t)
        flipped = proper.flipped_log_losses(t) if measure.interval == "log" else losses
        w = np.ones(t.n) if t.weights is None else t.weights * (t.weights.sum() / (t.weights @ t.weights))
        return _Rows(losses, flipped, np.zeros(t.n), w, w**2, w)
    truth, (up, down) = np.repeat([True, False], len(t.score)), measure.losses(t)
    losses, flipped = np.concatenate([up, down]), np.concatenate([down, up])
    scale = effective_scale(t)
    weight, square = np.concatenate([t.positive, t.negative]) * scale, np.concatenate(t.squares) * scale**2
    if not t.is_weighted:
        square = weight
    single = np.where(weight > 0, square / np.where(weight > 0, weight, 1.0), 0.0)
    return _Rows(losses, flipped, truth.astype(float), weight, square, single)


def _undefined(name: str, t: ScoreGroups | ScoreMatrix, confidence: float) -> Estimate:
    """No value and no interval, but the reason."""
    scores = t.scores if isinstance(t, ScoreMatrix) else t.score
    if not scores.size:
        why = "there are no rows"
    elif np.isinf(scores).any():
        why = "a score is infinite, and so no probability"
    else:
        why = "the truth has one class only"
    n = float(t.n if isinstance(t, ScoreMatrix) else t.total)
    return Estimate(math.nan, math.nan, math.nan, math.nan, confidence, "undefined", n, (), name, why)


def mean_estimate(
    measure: ScoreMeasure,
    t: ScoreGroups | ScoreMatrix,
    *,
    confidence: float = 0.95,
    method: str = "auto",
    design_effect: float = 1.0,
    group_factor: float = 1.0,
) -> Estimate:
    """A mean loss with its interval.

    Bounded losses get half a row of the greatest and half a row of the least, and Beta quantiles. Others get half a row
    with flipped labels, then t on the log scale; a row with more than a tenth of the loss, and true classes of
    probability 0, are flagged.

    >>> t = ScoreGroups.of(np.array([0.9, 0.7, 0.4, 0.2]), np.array([True, True, False, False]))
    >>> print(mean_estimate(proper.brier, t))  # (.01 + .09 + .16 + .04) / 4
    0.08 [0.01, 0.46]
    """
    confidence = checked_confidence(confidence)
    if not proper.has_probabilities(t):
        return _undefined(measure.name, t, confidence)
    rows, limits, factor = _rows_of(measure, t), measure.span, group_factor / design_effect
    # No row can lose more than the logarithm of the clip.
    least, greatest = limits if measure.interval == "bounded" else (0.0, -math.log(t.clip))

    def bounds(level: float) -> Bounds:
        if _named(method) != "one_row":
            low, high = _by_name(method, rows.loss, rows, level, factor)
        elif measure.interval == "bounded":
            return bounded_mean_bounds(
                rows.loss, rows.weight, rows.square, limits=limits, confidence=level, factor=factor
            )
        else:
            low, high = log_mean_bounds(
                rows.loss, rows.flipped, rows.weight, rows.square, confidence=level, factor=factor
            )
        return np.maximum(low, least), np.minimum(high, greatest)

    value = float(rows.weight @ rows.loss / rows.n)
    flags = ["degenerate"] if value <= limits[0] or value >= limits[1] else []
    if measure.interval == "bounded":
        is_weighted = t.weights is not None if isinstance(t, ScoreMatrix) else t.is_weighted
        few = rows.worth < RARE - 1e-9
        if limits[0] < 0 and isinstance(t, ScoreGroups):  # losses cancel, so their sum does not say what it rests on
            few = bool(rare_flags(t))
        flags += ["few_weighted_errors"] if is_weighted and rows.vary and few else []
    else:
        if one_row_share(rows.loss, rows.weight, rows.single) > DOMINATES:
            flags.append("one_row_dominates")
        if proper.clipped_rows(t) > 0:
            flags.append("clipped_probabilities")
    return _finished(measure, value, rows.se, bounds, confidence, method, rows.n, flags)


def brier_skill_estimate(
    t: ScoreGroups, *, confidence: float = 0.95, design_effect: float = 1.0, group_factor: float = 1.0
) -> Estimate:
    """The Brier skill with its interval; undefined where the truth has one class only."""
    confidence = checked_confidence(confidence)
    value = proper.brier_skill(t)
    if math.isnan(value):
        return _undefined("brier_skill", t, confidence)
    rows = _rows_of(proper.brier, t)

    def bounds(level: float) -> Bounds:
        return skill_bounds(
            rows.loss, rows.is_positive, rows.weight, rows.square, confidence=level,
            factor=group_factor / design_effect,
        )  # fmt: skip

    q = float(rows.weight @ rows.is_positive / rows.n)
    u, b = q * (1 - q), float(rows.weight @ rows.loss / rows.n)
    influence = (rows.loss - b - (rows.is_positive - q) * (1 - 2 * q) * b / u) / u
    se = float(np.sqrt(rows.square @ influence**2) / rows.n)
    flags = rare_flags(t) + (["degenerate"] if value >= 1 else [])
    return _finished(proper.brier_skill, value, se, bounds, confidence, "one_row", rows.n, flags)


def rare_flags(t: ScoreGroups) -> list[str]:
    """`rare_class` where a class has fewer than ten effective rows."""
    sums = ((float(x.sum()), float(x2.sum())) for x, x2 in zip((t.positive, t.negative), t.squares, strict=True))
    return ["rare_class"] if min(x * x / x2 if x2 > 0 else 0.0 for x, x2 in sums) < RARE - 1e-9 else []


def _named(method: str) -> str:
    if method not in LOSS_METHODS:
        raise UnknownNameError("interval method", method, LOSS_METHODS)
    return "one_row" if method == "auto" else method


def _by_name(method: str, losses: Array, rows: _Rows, level: float, factor: float) -> Bounds:
    if method == "t":
        return t_bounds(losses, rows.weight, rows.square, confidence=level, factor=factor)
    raw = rows.weight @ losses / rows.n
    with np.errstate(divide="ignore"):
        se = np.sqrt(rows.square @ (losses - raw) ** 2 / factor) / rows.n
    reach = normal_quantile((1 + level) / 2) * se
    return np.asarray(raw - reach), np.asarray(raw + reach)


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
