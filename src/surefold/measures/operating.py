"""Measures at a place of the ROC curve: a rate where the other is given, and precision at a recall.

Each needs to be told the place, so tables show none unless it is asked for. Between thresholds the curve is straight,
as `roc.at` reads it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from surefold.errors import InputError, show
from surefold.measures.score_measure import Moved, score_measure
from surefold.tallies.score_groups import ScoreGroups

__all__ = ["fpr_at_tpr", "fpr_wanted", "precision_at_recall", "tpr_at_fpr"]

Array = NDArray[np.float64]
Rate = float | None

BOTH = "needs both classes"
SOURCE = "Pepe (2003), The Statistical Evaluation of Medical Tests for Classification and Prediction, Oxford, ch. 4-5"


def share(name: str, value: object) -> float:
    """A rate from 0 to 1. No rows show one below 1e-9 that is not 0, and floats divided by it overflow."""
    if not (isinstance(value, int | float | np.number) and 0 <= value <= 1):
        raise InputError("bad_option", f"{name}={show(value)} is no share", cure=f"give one from 0 to 1, as {name}=0.1")
    return float(value) if value == 0 else max(float(value), 1e-9)


def fpr_wanted(fpr: Rate, specificity: float | None) -> float:
    """The false positive rate, of which specificity is the rest.

    >>> fpr_wanted(None, 0.9)  # 1 - .9, without what floats add
    0.1
    """
    if (fpr is None) == (specificity is None):
        raise InputError("bad_option", "one place is needed", cure="give fpr=0.1 or specificity=0.9")
    return share("fpr", fpr) if fpr is not None else round(1 - share("specificity", specificity), 12)


def corners(t: ScoreGroups) -> tuple[Array, Array]:
    """False and true positive rates, from nothing called to everything."""
    return np.append(0.0, t.fp) / t.negatives, np.append(0.0, t.tp) / t.positives


def height(t: ScoreGroups, fpr: float) -> float:
    """The greatest true positive rate at a false positive rate.

    >>> t = ScoreGroups.of(np.array([0.9, 0.8, 0.8, 0.8, 0.1]), np.array([True, False, True, True, False]))
    >>> round(height(t, 0.25), 4)  # half-way from (0, 1/3) to (1/2, 1)
    0.6667
    """
    x, y = corners(t)
    near = np.flatnonzero(np.abs(x - fpr) <= 1e-12)
    found = float(y[near[-1]]) if len(near) else float(np.interp(fpr, x, y))
    return min(max(found, 0.0), 1.0)  # sums of weights end a hair beside their total


def depth(t: ScoreGroups, tpr: float) -> float:
    """The least false positive rate at a true positive rate."""
    return 1 - height(t.mirrored(), 1 - tpr)


def _height_moves(t: ScoreGroups, fpr: float) -> Moved:
    """A row called with some chance where rows tie; a negative moves the threshold along the slope of the curve."""
    x, _ = corners(t)
    tpr, run = height(t, fpr), np.diff(x)
    called = np.clip((fpr - x[:-1]) / np.where(run > 0, run, 1.0), 0.0, 1.0)
    called = np.where(run > 0, called, (x[1:] <= fpr + 1e-12).astype(np.float64))
    reach = np.sqrt(fpr * (1 - fpr) / t.negatives) + 1 / t.negatives
    low, high = max(fpr - reach, 0.0), min(fpr + reach, 1.0)
    slope = (height(t, high) - height(t, low)) / (high - low)
    mean = float(t.negative @ called) / t.negatives
    return Moved((called - tpr) / t.positives, -slope * (called - mean) / t.negatives)


def _turned(moved: Moved) -> Moved:
    """Moves of the mirrored tally, on the scores as they are."""
    return Moved(-moved.negative[::-1], -moved.positive[::-1])


def _tpr_moves(t: ScoreGroups, fpr: Rate, specificity: float | None) -> Moved:
    return _height_moves(t, fpr_wanted(fpr, specificity))


@score_measure(
    reads="ranking",
    range=(0.0, 1.0),
    better="higher",
    text="TPR where FPR is the one given, along the ROC curve",
    undefined=BOTH,
    source=SOURCE,
    aliases=("sensitivity_at_specificity",),
    options={"fpr": None, "specificity": None},
    needs=("fpr", "specificity"),
    interval="rate",
    moves=_tpr_moves,
    monotone=True,
)
def tpr_at_fpr(t: ScoreGroups, fpr: Rate = None, specificity: float | None = None) -> float:
    """True positive rate (sensitivity) at a false positive rate, or at a specificity.

    >>> t = ScoreGroups.of(np.array([0.9, 0.8, 0.7, 0.1]), np.array([True, False, True, False]))
    >>> tpr_at_fpr(t, specificity=0.5), tpr_at_fpr(t, fpr=0)  # 2 of 2 with one of two negatives called; 1 of 2
    (1.0, 0.5)
    """
    return np.nan if _missing(t) else height(t, fpr_wanted(fpr, specificity))


def _fpr_moves(t: ScoreGroups, tpr: Rate) -> Moved:
    return _turned(_height_moves(t.mirrored(), 1 - share("tpr", tpr)))


@score_measure(
    reads="ranking",
    range=(0.0, 1.0),
    better="lower",
    text="FPR where TPR is the one given, along the ROC curve",
    undefined=BOTH,
    source=SOURCE,
    options={"tpr": None},
    needs=("tpr",),
    interval="rate",
    moves=_fpr_moves,
    monotone=True,
)
def fpr_at_tpr(t: ScoreGroups, tpr: Rate = None) -> float:
    """False positive rate at a true positive rate: what that sensitivity costs in false alarms.

    >>> t = ScoreGroups.of(np.array([0.9, 0.8, 0.7, 0.1]), np.array([True, False, True, False]))
    >>> fpr_at_tpr(t, tpr=1)  # one of two negatives scores above the last positive
    0.5
    """
    return np.nan if _missing(t) else depth(t, share("tpr", tpr))


def _precision(t: ScoreGroups, recall: float, fpr: float) -> float:
    return recall * t.positives / (recall * t.positives + fpr * t.negatives)


def _precision_moves(t: ScoreGroups, recall: float | None) -> Moved:
    """By way of the false positive rate, and of how many positives and negatives there are."""
    r = share("recall", recall)
    fpr = depth(t, r)
    p = _precision(t, r, fpr)
    by_fpr = -(p**2) * t.negatives / (r * t.positives)
    up, down = _fpr_moves(t, r)
    by_odds = p**2 * fpr / r  # of precision by -N / P
    return Moved(
        by_fpr * up + by_odds * t.negatives / t.positives**2 * np.ones_like(up),
        by_fpr * down - by_odds / t.positives * np.ones_like(down),
    )


@score_measure(
    reads="ranking",
    range=(0.0, 1.0),
    better="higher",
    text="TP / (TP + FP) where TPR is the recall given, along the ROC curve",
    undefined=BOTH,
    source="Davis & Goadrich (2006), ICML 23:233-240",
    options={"recall": None},
    needs=("recall",),
    interval="rate",
    moves=_precision_moves,
    monotone=True,
)
def precision_at_recall(t: ScoreGroups, recall: float | None = None) -> float:
    """Precision at a recall, with the positives as rare as in these rows.

    >>> t = ScoreGroups.of(np.array([0.9, 0.8, 0.7, 0.1]), np.array([True, False, True, False]))
    >>> round(precision_at_recall(t, recall=1), 4)  # 2 positives among 3
    0.6667
    """
    if recall is not None and not share("recall", recall) > 0:
        raise InputError("bad_option", "recall=0 calls nothing, so it has no precision", cure="give a recall above 0")
    return np.nan if _missing(t) else _precision(t, share("recall", recall), depth(t, share("recall", recall)))


def _missing(t: ScoreGroups) -> bool:
    return t.positives == 0 or t.negatives == 0
