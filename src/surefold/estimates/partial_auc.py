"""Part of the area under the ROC curve, over a range of false or of true positive rates, with its interval.

The interval is the one-row interval of the area as a share of the range's width, with the row added to the tally as for
the whole area and the influence of each row on the part. The range holds few rows of the class it is a share of (ten
negatives for FPR up to .1 of a hundred), so the effective rows are cut by (z/t)^2 with that many less one d.f.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from surefold.errors import InputError
from surefold.estimates.auc import enlarged_groups, few_of_a_class, few_weighted_errors, missing_class, undefined
from surefold.estimates.estimate import Estimate
from surefold.estimates.one_row import beta_interval, effective_rows
from surefold.estimates.quantiles import checked_confidence, normal_quantile, t_quantile
from surefold.tallies.score_groups import ScoreGroups

__all__ = ["partial_area", "partial_auc", "partial_influence"]

Array = NDArray[np.float64]
Span = tuple[float, float]

FEW_INSIDE = 20


def _parts(t: ScoreGroups, a: float, b: float) -> tuple[float, Array, Array]:
    """The area over FPR in [a, b], and what a positive and a negative at each score put into it, before centring."""
    f1, t1 = t.fp / t.negatives, t.tp / t.positives
    f0, t0 = f1 - t.negative / t.negatives, t1 - t.positive / t.positives
    run = np.where(t.negative > 0, t.negative / t.negatives, 1.0)
    flat = t.negative == 0
    low, high = np.clip(f0, a, b), np.clip(f1, a, b)
    before, after = np.clip(a - f0, 0.0, run), np.clip(f1 - b, 0.0, run)
    # a positive counts from the rate where the curve passes it; along a tie it is passed evenly
    mean_rate = np.where(flat, np.clip(f1, a, b), (before * a + (high - low) * (low + high) / 2 + after * b) / run)
    of_positive = b - mean_rate
    area = float(t.positive @ of_positive) / t.positives
    at_a, at_b = _height(f0, f1, t0, t1, a), _height(f0, f1, t0, t1, b)
    slope = (t1 - t0) / run
    middle = (high - low) * (t0 + slope * ((low + high) / 2 - f0))
    height = np.where(
        flat,
        np.where(f1 < a, at_a, np.where(f1 > b, at_b, (t0 + t1) / 2)),
        (before * at_a + middle + after * at_b) / run,
    )
    of_negative = height - at_b + b * at_b - a * at_a
    return area, of_positive, of_negative


def _height(f0: Array, f1: Array, t0: Array, t1: Array, rate: float) -> float:
    """The curve at a false positive rate; half-way up where it rises straight."""
    x, y = np.append(f0[:1], f1), np.append(t0[:1], t1)
    left, right = np.searchsorted(x, rate, side="left"), np.searchsorted(x, rate, side="right")
    if right > left:
        return float(y[left] + y[right - 1]) / 2
    i = min(max(int(left), 1), len(x) - 1)
    return float(y[i - 1] + (y[i] - y[i - 1]) * (rate - x[i - 1]) / (x[i] - x[i - 1]))


def partial_area(t: ScoreGroups, fpr: Span) -> float:
    """The area over a range of false positive rates, linear along the segments of the curve.

    >>> t = ScoreGroups.of(np.array([0.9, 0.8, 0.8, 0.8, 0.1]), np.array([True, False, True, True, False]))
    >>> partial_area(t, (0, 0.5))  # from (0, 1/3) to (1/2, 1): (1/3 + 1)/2 x 1/2
    0.3333333333333333
    """
    return _parts(t, *fpr)[0]


def partial_influence(t: ScoreGroups, fpr: Span) -> tuple[Array, Array]:
    """What one more unit of weight moves the part by: of a positive, and of a negative, at each score."""
    area, of_positive, of_negative = _parts(t, *fpr)
    return (of_positive - area) / t.positives, (of_negative - area) / t.negatives


def partial_auc(
    t: ScoreGroups,
    *,
    fpr: Span | None = None,
    tpr: Span | None = None,
    mcclish: bool = False,
    confidence: float = 0.95,
    design_effect: float = 1.0,
    group_factor: float = 1.0,
) -> Estimate:
    """The area over FPR in a range, or (1 - FPR) integrated over TPR in a range, with its interval.

    With `mcclish=True` on McClish's scale, where chance is 1/2 and the best possible 1.

    >>> t = ScoreGroups.of(np.array([0.9, 0.8, 0.8, 0.8, 0.1]), np.array([True, False, True, True, False]))
    >>> round(float(partial_auc(t, fpr=(0, 0.5))), 4), round(float(partial_auc(t, fpr=(0, 0.5), mcclish=True)), 4)
    (0.3333, 0.7778)
    """
    confidence = checked_confidence(confidence)
    a, b = _checked_range(fpr, tpr)
    reason = missing_class(t)
    if reason:
        return undefined("partial_auc", reason, confidence, t.total)
    side, limits = t if tpr is None else t.mirrored(), (0.0, b - a)
    area = min(partial_area(side, (a, b)), b - a)  # not past it by rounding
    bigger = enlarged_groups(side)
    centre = partial_area(bigger, (a, b))
    rows = [float(x.sum() ** 2 / x2.sum()) for x, x2 in zip((t.positive, t.negative), t.squares, strict=True)]
    inside = (b - a) * rows[1 if tpr is None else 0]
    n = effective_rows(centre, _variance(bigger, (a, b)), limits) / design_effect * group_factor
    ends = beta_interval(centre, n * _few_factor(inside, confidence), area, limits, confidence)
    cautious, _ = beta_interval(centre, n * _few_factor(inside, 0.5), area, limits, 0.5)
    scale = _mcclish(a, b) if mcclish else (0.0, 1.0)
    value, low, high, worst = (scale[0] + scale[1] * float(x) for x in (area, *ends, cautious))
    se = math.sqrt(_variance(side, (a, b)) * design_effect) * scale[1]
    flags = ["degenerate"] if area <= 1e-12 or area >= b - a - 1e-12 else []
    if few_of_a_class(min(*rows)) or inside < FEW_INSIDE - 1e-9:
        flags.append("few_of_a_class")
    if few_weighted_errors(t):
        flags.append("few_weighted_errors")
    facts = (se, confidence, "one_row", sum(rows) / design_effect, tuple(flags), "partial_auc")
    return Estimate(value, low, high, *facts, pessimistic=worst)


def _few_factor(rows: float, confidence: float) -> float:
    """(z/t)^2 with as many degrees of freedom as there are rows in the range, less one."""
    p = (1 + confidence) / 2
    return float((normal_quantile(p) / t_quantile(p, max(rows - 1, 1.0))) ** 2)


def _variance(t: ScoreGroups, fpr: Span) -> float:
    of_positive, of_negative = partial_influence(t, fpr)
    return float(t.squares[0] @ of_positive**2 + t.squares[1] @ of_negative**2)


def _mcclish(a: float, b: float) -> Span:
    """What to add and to multiply by for McClish's scale: (1 + (area - chance) / (best - chance)) / 2."""
    chance, best = (b * b - a * a) / 2, b - a
    return 0.5 - chance / (best - chance) / 2, 0.5 / (best - chance)


def _checked_range(fpr: Span | None, tpr: Span | None) -> Span:
    """The range of false positive rates, on the mirrored data where true positive rates were given."""
    if (fpr is None) == (tpr is None):
        raise InputError("bad_option", "one range is needed", cure="give fpr=(0, 0.1) or tpr=(0.9, 1), not both")
    given = fpr or tpr or (0.0, 0.0)
    a, b = (float(x) for x in given)
    if not 0 <= a < b <= 1:
        name = "fpr" if tpr is None else "tpr"
        raise InputError("bad_option", f"{name}={given!r}", cure="give two rates, the lower first, from 0 to 1")
    return (a, b) if tpr is None else (1 - b, 1 - a)
