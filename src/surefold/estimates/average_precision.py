"""Average precision with its interval.

The one-row interval in the form for average precision: with n positives and the influence standard error se,
c = (AP n + 1/2)/(n + 1), v = (se^2 n^2 + (1 - AP)^2/2 + AP^2/2)/(n + 1)^2, and Beta quantiles with c(1 - c)/v rows.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefold.errors import refuse_unknown
from surefold.estimates.auc import few_weighted_errors, missing_class, moves_of_rows, undefined
from surefold.estimates.estimate import Estimate
from surefold.estimates.one_row import beta_interval, effective_rows
from surefold.estimates.quantiles import checked_confidence, normal_quantile
from surefold.estimates.score_draws import drawn_bounds, score_replicates
from surefold.measures.ranking import average_precision, precision_sums
from surefold.tallies.score_groups import ScoreGroups

__all__ = ["AP_METHODS", "ap_one_row", "average_precision_estimate"]

Array = NDArray[np.float64]
Number = Any  # a float, or an array over many samples

AP_METHODS = ("auto", "one_row", "logit", "percentile", "bca")
FEW_POSITIVES = 20
_UNIT = (0.0, 1.0)


def ap_one_row(ap: Number, variance: Number, positives: Number) -> tuple[Number, Number]:
    """Average precision and its variance with the row added."""
    more = positives + 1
    added = ((1 - ap) ** 2 + ap**2) / 2
    return (ap * positives + 0.5) / more, (variance * positives**2 + added) / more**2


def average_precision_estimate(
    t: ScoreGroups,
    *,
    confidence: float = 0.95,
    method: str = "auto",
    design_effect: float = 1.0,
    group_factor: float = 1.0,
    draws: int = 10_000,
    random_state: int | np.random.Generator | None = None,
) -> Estimate:
    """Average precision with its interval.

    >>> t = ScoreGroups.of(np.array([3.0, 2.0, 1.0]), np.array([True, False, True]))
    >>> e = average_precision_estimate(t)
    >>> round(float(e), 4), e.flags
    (0.8333, ('few_positives',))
    """
    confidence = checked_confidence(confidence)
    refuse_unknown("interval for average precision", method, AP_METHODS)
    method = "one_row" if method == "auto" else method
    reason, name = missing_class(t), "average_precision"
    if reason:
        return undefined(name, reason, confidence, t.total)
    value, variance = precision_sums(t)
    positives = t.positives**2 / t.squared_weights[0]
    se = math.sqrt(variance * design_effect)
    if method == "logit" and not (0 < value < 1 and se > 0):
        method = "one_row"
    drawn = None
    if method in ("percentile", "bca"):
        drawn = np.concatenate([_values(*block) for block in score_replicates(t, draws, random_state)])

    def bounds(level: float) -> tuple[float, float]:
        if drawn is not None:
            return drawn_bounds(drawn, value, level, method, lambda: moves_of_rows(t, average_precision.moved(t)))
        if method == "logit":
            reach = normal_quantile((1 + level) / 2) * se / (value * (1 - value) * math.sqrt(max(group_factor, 1e-12)))
            odds = value / (1 - value)
            return odds / (odds + math.exp(min(reach, 700.0))), odds / (odds + math.exp(-reach))
        centre, v = ap_one_row(value, variance, positives)
        n = effective_rows(centre, v, _UNIT) / design_effect * group_factor
        low, high = beta_interval(centre, n, value, _UNIT, level)
        return float(low), float(high)

    low, high = bounds(confidence)
    flags = ["degenerate"] if value >= 1 - 1e-12 else []
    if positives < FEW_POSITIVES - 1e-9:
        flags.append("few_positives")
    if few_weighted_errors(t):
        flags.append("few_weighted_errors")
    if method != "one_row":
        flags.append("known_to_mislead")
    if drawn is not None and np.isnan(drawn).any():
        flags.append("undefined_replicates")
    n = t.total if not t.is_weighted else t.total**2 / sum(t.squared_weights)
    facts = (se, confidence, method, n / design_effect, tuple(flags), name)
    return Estimate(value, low, high, *facts, pessimistic=bounds(0.5)[0])


def _values(positive: Array, negative: Array) -> Array:
    tp, fp = np.cumsum(positive, axis=1), np.cumsum(negative, axis=1)
    called = np.where(tp + fp > 0, tp + fp, 1.0)
    total = tp[:, -1]
    sums = np.einsum("dg,dg->d", positive, tp / called)
    return np.where((total > 0) & (fp[:, -1] > 0), sums / np.where(total > 0, total, 1.0), np.nan)
