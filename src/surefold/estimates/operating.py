"""Rates at a place of the ROC curve with their intervals: those of the pointwise band there.

A false positive rate at a true one is read from the curve with the classes swapped. Precision at a recall moves with
that rate and with the share of positives; the margins of both are added in squares.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from surefold.curves.roc import Place, Roc
from surefold.errors import InputError
from surefold.estimates.auc import few_of_a_class, few_weighted_errors, missing_class, undefined
from surefold.estimates.bands import effective_rows, tpr_bounds
from surefold.estimates.estimate import Estimate
from surefold.estimates.quantiles import checked_confidence
from surefold.estimates.share_intervals import share_interval
from surefold.measures.operating import fpr_at_tpr, fpr_wanted, share, tpr_at_fpr
from surefold.measures.score_measure import ScoreMeasure
from surefold.tallies.score_groups import ScoreGroups

__all__ = ["rate_estimate", "rate_there"]

Bounds = tuple[float, float]
#: Rows of the class that the given rate is a share of, on either side of the threshold, below which it is a guess.
FEW_INSIDE = 5


def rate_estimate(
    measure: ScoreMeasure,
    t: ScoreGroups,
    *,
    confidence: float = 0.95,
    design_effect: float = 1.0,
    group_factor: float = 1.0,
) -> Estimate:
    """The measure with the interval that the pointwise band has there.

    >>> from surefold.measures import catalogue
    >>> t = ScoreGroups.of(np.arange(40.0), np.arange(40) % 20 > 6)
    >>> print(rate_estimate(catalogue["tpr_at_fpr"].with_options(specificity=0.9), t))
    0.50 [0.00, 0.68]
    """
    confidence, value = checked_confidence(confidence), measure(t)
    reason = missing_class(t)
    if reason:
        return undefined(measure.name, reason, confidence, t.total)
    m, n = (rows * group_factor / design_effect for rows in effective_rows(t))
    given = measure.settings

    def bounds(level: float) -> Bounds:
        if "recall" in given:
            return _precision_bounds(value, share("recall", given["recall"]), t, (m, n), level)
        if "tpr" in given:
            return _fpr_bounds(share("tpr", given["tpr"]), t, (m, n), level)
        return _tpr_bounds(fpr_wanted(given["fpr"], given["specificity"]), t, (m, n), level)

    low, high = bounds(confidence)
    worst = bounds(0.5)
    moved = measure.moved(t)
    se = math.sqrt(design_effect * float(t.squares[0] @ moved.positive**2 + t.squares[1] @ moved.negative**2))
    flags = ["degenerate"] if value in (0.0, 1.0) else []
    rate, rows = _given(measure, (m, n))
    if few_of_a_class(min(m, n)) or rows * min(rate, 1 - rate) < FEW_INSIDE - 1e-9:
        flags.append("few_of_a_class")
    if few_weighted_errors(t):
        flags.append("few_weighted_errors")
    cautious = worst[1] if measure.better == "lower" else worst[0]
    facts = (se, confidence, "band", (m + n) / max(group_factor, 1e-12), tuple(flags), measure.name)
    return Estimate(value, min(low, value), max(high, value), *facts, pessimistic=cautious)


def rate_there(place: Place | None, confidence: float = 0.95) -> Estimate:
    """The rate that was not given at a place of the curve; of a sensitivity given the specificity.

    >>> t = ScoreGroups.of(np.arange(40.0), np.arange(40) % 20 > 6)
    >>> print(rate_there(Place(t, "sensitivity", 0.8)))
    0.50 [0.27, 0.73]
    """
    if place is None:
        cure = "ask by a rate, as roc.at(specificity=0.9)"
        raise InputError("bad_option", "a threshold that was given has no rate that is fixed", cure=cure)
    if place.given in ("fpr", "specificity"):
        return rate_estimate(tpr_at_fpr.with_options(**{place.given: place.value}), place.tally, confidence=confidence)
    e = rate_estimate(fpr_at_tpr.with_options(tpr=place.value), place.tally, confidence=confidence)
    if place.given == "tpr":
        return e
    ends = (1 - e.value, 1 - e.high, 1 - e.low)
    return replace(e, value=ends[0], low=ends[1], high=ends[2], pessimistic=1 - e.pessimistic, name="specificity")


def _given(measure: ScoreMeasure, rows: Bounds) -> tuple[float, float]:
    """The rate that was given, and the rows that it is a share of."""
    s = measure.settings
    if "fpr" in s:
        return fpr_wanted(s["fpr"], s["specificity"]), rows[1]
    return share("tpr", s["tpr"] if "tpr" in s else s["recall"]), rows[0]


def _tpr_bounds(fpr: float, t: ScoreGroups, rows: Bounds, confidence: float) -> Bounds:
    low, high = tpr_bounds(Roc.of(t), np.array([fpr]), rows, confidence)
    return float(low[0]), float(high[0])


def _fpr_bounds(tpr: float, t: ScoreGroups, rows: Bounds, confidence: float) -> Bounds:
    low, high = _tpr_bounds(1 - tpr, t.mirrored(), rows[::-1], confidence)
    return 1 - high, 1 - low


def _precision_bounds(value: float, recall: float, t: ScoreGroups, rows: Bounds, confidence: float) -> Bounds:
    """Of the odds of a false call, from those of the rate and those of the classes."""
    prevalence = t.positives / t.total
    fpr = (1 - value) * prevalence * recall / (value * (1 - prevalence)) if value > 0 else 1.0

    def precision(rate: float, positive: float) -> float:
        return recall * positive / (recall * positive + rate * (1 - positive)) if positive > 0 else 0.0

    of_rate = _fpr_bounds(recall, t, rows, confidence)
    total = sum(rows)
    of_share = (float(x) for x in share_interval("auto", prevalence * total, total, confidence))
    rarest, commonest = of_share
    down = math.hypot(value - precision(of_rate[1], prevalence), value - precision(fpr, rarest))
    up = math.hypot(precision(of_rate[0], prevalence) - value, precision(fpr, commonest) - value)
    return max(0.0, value - down), min(1.0, value + up)
