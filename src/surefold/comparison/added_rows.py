"""What bounds of a difference of scores need beside the rows' own moves, by the kind of interval of the measure.

How large one unlucky row may be, where the rows at hand say too little of it: what rows would move a mean loss by had
their label been the other, and how far a row moves an area or average precision that one model ranks above and the
other below. Areas and average precision also keep the normal bounds with rows added in the variance alone: half of such
a row each model ranks above all, half below all.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from surefold.measures import proper
from surefold.measures.score_measure import IntervalKind, Moved, ScoreMeasure
from surefold.significance.paired_auc import DELONG
from surefold.tallies.score_groups import ScoreGroups

__all__ = ["ADDED", "QUARTER", "AddedRow", "deleted", "flipped", "reversals"]

Array = NDArray[np.float64]

#: A quarter of a positive leaves average precision at .87 with 20 positives.
QUARTER, POSITIVE = 0.25, 1.0


@dataclass(frozen=True)
class AddedRow:
    """How much of a row normal bounds add `to` each class, or the positives; each model wins half of it.

    `flips`: whether a row with the other label says how large one may be. `less`: the divisors are one row less.
    """

    weight: float = 0.0
    to: Literal["classes", "positives", "rows"] = "rows"
    flips: bool = False
    less: float = 0.0
    plain: str = "delta"
    plain_name: str = "paired influence"

    def variance(self, apart: Array, rows: float | Array, difference: Array, weight: Array) -> Array:
        """Of each pair, from sums over these rows of how far apart moves are, and how much is added of each."""
        more = rows + weight
        found = (apart * rows**2 + weight * (1 + difference**2)) / np.where(more > self.less, more, np.nan)
        return np.asarray(found / np.where(more > self.less, more - self.less, np.nan))


_FLIPPED = AddedRow(flips=True)
#: The kinds of measures whose differences were measured; others are drawn.
ADDED: dict[IntervalKind, AddedRow] = {
    "area": AddedRow(QUARTER, "classes", less=1.0, plain="delong", plain_name=DELONG),
    "precision": AddedRow(POSITIVE, "positives"),
    "share": AddedRow(),
    "bounded": _FLIPPED,
    "log": _FLIPPED,
    "skill": _FLIPPED,
}


def flipped(measure: ScoreMeasure, t: ScoreGroups) -> Moved:
    """How far a row with the other label, at each score, is from the value."""
    base = proper.brier if measure.interval == "skill" else measure
    up, down = base.losses(t)
    mean = float(t.positive @ up + t.negative @ down) / t.total
    times = 1.0
    if measure.interval == "skill":
        q = t.positives / t.total
        times = -1 / (q * (1 - q))
    return Moved(times * (down - mean), times * (up - mean))


def deleted(t: ScoreGroups) -> Moved:
    """What a row at each score moves average precision by: how much is lost without it.

    The derivative of average precision understates the few positives at the top, on which it rests.

    >>> t = ScoreGroups.of(np.array([3.0, 2.0, 1.0]), np.array([True, False, True]))  # (1 + 2/3) / 2; without a
    >>> up, down = deleted(t)  # row 1/2, 1, 1: 1/3, -1/6 and -1/6 more with it, times 2/3, less the mean of the three
    >>> [round(float(x), 3) for x in (up[0], down[1], up[2])]
    [0.222, -0.111, -0.111]
    """
    called = t.tp + t.fp
    safe = np.where(called > 0, called, 1.0)
    left = np.maximum(called - 1, safe / 2)  # weights may leave less than a row
    precision = t.tp / safe
    value = float(t.positive @ precision) / t.positives

    def from_here_down(x: Array) -> Array:
        return np.asarray(np.cumsum(x[::-1])[::-1])

    fewer = from_here_down(t.positive * t.tp / (safe * left)) / t.positives  # precisions gain where a negative goes
    lost = t.fp / (safe * left)
    total = t.positives * value - precision - from_here_down(t.positive * lost) + lost
    without = total / max(t.positives - 1, t.positives / 2), value + fewer
    up, down = ((value - x) * (t.total - 1) / t.total for x in without)
    mean = float(t.positive @ up + t.negative @ down) / t.total
    return Moved(up - mean, down - mean)


def reversals(measure: ScoreMeasure, t: ScoreGroups, moved: Moved) -> tuple[float, float]:
    """The mean square of what a row that is turned round moves the measure by, and, of measures of order, that of a
    row of typical size.

    `moved` are the measure's moves.
    """
    n, held = t.total, (t.positive, t.negative)
    if measure.interval == "area":
        reached = [float(w @ (2 * (x * w.sum() + t.auc) - 1) ** 2) / w.sum() for x, w in zip(moved, held, strict=True)]
        m, k = t.positives, t.negatives
        return (reached[0] * k / m**2 + reached[1] * m / k**2) / n, (1 / m + 1 / k) / n
    if measure.interval == "precision":
        m, k = t.positives, t.negatives
        of_negative = float(t.positive @ moved.negative**2) / m
        centre = float(t.positive @ moved.positive) / m
        of_positive = float(t.negative @ (moved.positive - centre) ** 2) / k
        return (of_negative + of_positive) / 2, 4 * (k * of_negative + m * of_positive) / n
    far = flipped(measure, t)
    apart = sum(float(w @ (f - n * x) ** 2) for w, f, x in zip(held, far, moved, strict=True))
    return apart / n**3, 0.0
