"""Part of the area under the ROC curve, over a range of false or of true positive rates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefold.errors import InputError
from surefold.measures.score_measure import Moved, score_measure
from surefold.tallies.score_groups import ScoreGroups

__all__ = ["Rates", "checked_range", "mcclish_scale", "partial_area", "partial_auc", "partial_influence"]

Array = NDArray[np.float64]
Span = tuple[float, float]
#: A range of rates, the lower first; None where the range is of the other rate.
Rates = tuple[float, float] | None


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
    height = np.where(flat, np.where(f1 < a, at_a, np.where(f1 > b, at_b, (t0 + t1) / 2)),
                      (before * at_a + middle + after * at_b) / run)  # fmt: skip
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


def mcclish_scale(a: float, b: float) -> Span:
    """What to add and to multiply by for McClish's scale: (1 + (area - chance) / (best - chance)) / 2."""
    chance, best = (b * b - a * a) / 2, b - a
    return 0.5 - chance / (best - chance) / 2, 0.5 / (best - chance)


def checked_range(fpr: Rates, tpr: Rates) -> Span:
    """The range of false positive rates, on the mirrored data where true positive rates were given."""
    if (fpr is None) == (tpr is None):
        raise InputError("bad_option", "one range is needed", cure="give fpr=(0, 0.1) or tpr=(0.9, 1), not both")
    given = fpr or tpr or (0.0, 0.0)
    a, b = (float(x) for x in given)
    if not 0 <= a < b <= 1:
        name = "fpr" if tpr is None else "tpr"
        raise InputError("bad_option", f"{name}={given!r}", cure="give two rates, the lower first, from 0 to 1")
    return (a, b) if tpr is None else (1 - b, 1 - a)


def _side(t: ScoreGroups, tpr: Rates) -> ScoreGroups:
    """The tally whose false positive rates the range is of: of true ones the mirrored one."""
    return t if tpr is None else t.mirrored()


def _moves(t: ScoreGroups, fpr: Rates, tpr: Rates, mcclish: bool) -> Moved:
    span = checked_range(fpr, tpr)
    up, down = partial_influence(_side(t, tpr), span)
    times = mcclish_scale(*span)[1] if mcclish else 1.0
    up, down = (up, down) if tpr is None else (down[::-1], up[::-1])
    return Moved(times * up, times * down)


def _span(settings: Mapping[str, Any]) -> Span:
    """Up to the width of the range; on McClish's scale from what no area at all has there."""
    if settings["fpr"] is None and settings["tpr"] is None:
        return 0.0, 1.0
    a, b = checked_range(settings["fpr"], settings["tpr"])
    plus, times = mcclish_scale(a, b) if settings["mcclish"] else (0.0, 1.0)
    return plus, plus + times * (b - a)


@score_measure(
    reads="ranking",
    range=(0.0, 1.0),
    better="higher",
    text="area under the ROC curve over a range of FPR; or of 1 - FPR over a range of TPR",
    undefined="needs both classes",
    source="McClish (1989), Medical Decision Making 9:190-195",
    options={"fpr": None, "tpr": None, "mcclish": False},
    needs=("fpr", "tpr"),
    interval="part",
    moves=_moves,
    span_of=_span,
    monotone=True,
)
def partial_auc(t: ScoreGroups, fpr: Rates = None, tpr: Rates = None, mcclish: bool = False) -> float:
    """Part of the area under the ROC curve, over a range of false or of true positive rates.

    With `mcclish=True` chance is 1/2 and the best possible 1.

    >>> t = ScoreGroups.of(np.array([0.9, 0.8, 0.8, 0.8, 0.1]), np.array([True, False, True, True, False]))
    >>> round(partial_auc(t, fpr=(0, 0.5)), 4), round(partial_auc(t, fpr=(0, 0.5), mcclish=True), 4)
    (0.3333, 0.7778)
    """
    span = checked_range(fpr, tpr)
    if t.positives == 0 or t.negatives == 0:
        return np.nan
    area = min(partial_area(_side(t, tpr), span), span[1] - span[0])  # not past it by rounding
    plus, times = mcclish_scale(*span) if mcclish else (0.0, 1.0)
    return plus + times * area
