"""Part of the area under the ROC curve, over a range of false or of true positive rates, with its interval.

The interval is the one-row interval of the area as a share of the range's width, with the row added to the tally as for
the whole area and the influence of each row on the part. The range holds few rows of the class it is a share of (ten
negatives for FPR up to .1 of a hundred), so the effective rows are cut by (z/t)^2 with that many less one d.f.
"""

from __future__ import annotations

import math

from surefold.estimates.auc import enlarged_groups, few_of_a_class, few_weighted_errors, missing_class, undefined
from surefold.estimates.estimate import Estimate
from surefold.estimates.one_row import beta_interval, effective_rows
from surefold.estimates.quantiles import checked_confidence, normal_quantile, t_quantile
from surefold.measures.partial_area import Rates, checked_range, mcclish_scale, partial_area, partial_influence
from surefold.tallies.score_groups import ScoreGroups

__all__ = ["partial_area", "partial_auc", "partial_influence"]

FEW_INSIDE = 20


def partial_auc(
    t: ScoreGroups,
    *,
    fpr: Rates = None,
    tpr: Rates = None,
    mcclish: bool = False,
    confidence: float = 0.95,
    design_effect: float = 1.0,
    group_factor: float = 1.0,
) -> Estimate:
    """The area over FPR in a range, or (1 - FPR) integrated over TPR in a range, with its interval.

    With `mcclish=True` on McClish's scale, where chance is 1/2 and the best possible 1.

    >>> import numpy as np
    >>> t = ScoreGroups.of(np.array([0.9, 0.8, 0.8, 0.8, 0.1]), np.array([True, False, True, True, False]))
    >>> round(float(partial_auc(t, fpr=(0, 0.5))), 4), round(float(partial_auc(t, fpr=(0, 0.5), mcclish=True)), 4)
    (0.3333, 0.7778)
    """
    confidence = checked_confidence(confidence)
    a, b = checked_range(fpr, tpr)
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
    scale = mcclish_scale(a, b) if mcclish else (0.0, 1.0)
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


def _variance(t: ScoreGroups, fpr: tuple[float, float]) -> float:
    of_positive, of_negative = partial_influence(t, fpr)
    return float(t.squares[0] @ of_positive**2 + t.squares[1] @ of_negative**2)
