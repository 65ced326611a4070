"""The row that the variance of a difference of scores gains, by the kind of interval of the measure.

Areas gain a quarter row in each class, half of which each model ranks above all and half below all. Average precision
gains one positive more, half of which each model ranks above all; a share of the rows gains one row, half won by each.
A mean loss, or what is a line of one, gains half a row whose label is flipped. None of them moves the difference
itself: they are in the variance alone.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from surefold.measures import proper
from surefold.measures.score_measure import IntervalKind, Moved, ScoreMeasure
from surefold.significance.paired_auc import DELONG, QUARTER_ROW
from surefold.tallies.score_groups import ScoreGroups
from surefold.tallies.score_matrix import ScoreMatrix

__all__ = ["ADDED", "QUARTER", "AddedRow", "flipped", "flipped_rows"]

Array = NDArray[np.float64]

#: A quarter of a positive leaves average precision at .87 with 20 positives; half a flipped row is enough for losses.
QUARTER, POSITIVE, SHARED, FLIPPED = 0.25, 1.0, 1.0, 0.5


@dataclass(frozen=True)
class AddedRow:
    """How much of a row is added `to` each class, the positives, or all rows, and what the difference gains by it.

    "won": each model wins half of it, so it is one away from the difference either way; "one": it is one away from no
    difference; "flipped": as far away as flipped labels are on average. `less`: the divisors are one row less.
    """

    weight: float
    to: Literal["classes", "positives", "rows"]
    gains: Literal["won", "one", "flipped"]
    method: str
    less: float = 0.0
    plain: str = "delta"
    name: str = "paired influence"
    plain_name: str = "paired influence"

    def variance(self, apart: Array, rows: float, difference: Array, far: Array | None, most: float) -> Array:
        """Of each pair, from sums over these rows of how far apart moves are, and those of flipped rows.

        Where models never differ, half a row each wins by what a row loses at most, so that none means little.
        """
        extra: Any = self.weight
        if self.gains == "won":
            extra = self.weight * (1 + difference**2)
        elif far is not None:
            extra = np.where((far <= 0) & (apart <= 0), most**2, self.weight * far)
        more = rows + self.weight
        return np.asarray((apart * rows**2 + extra) / (more * (more - self.less)))


_FLIPPED = AddedRow(FLIPPED, "rows", "flipped", "flipped_row")
#: The kinds of measures whose differences were measured with an added row; others are drawn.
ADDED: dict[IntervalKind, AddedRow] = {
    "area": AddedRow(
        QUARTER, "classes", "won", "quarter_row", less=1.0, plain="delong", name=QUARTER_ROW, plain_name=DELONG
    ),
    "precision": AddedRow(POSITIVE, "positives", "won", "one_row"),
    "share": AddedRow(SHARED, "rows", "one", "one_row"),
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


def flipped_rows(measure: ScoreMeasure, m: ScoreMatrix) -> Array:
    """The loss of each row of a matrix if its label were another: the mean over the others."""
    each = [measure.row_losses(replace(m, truth=np.full(m.n, c))) for c in range(m.classes)]
    return np.asarray((sum(each) - measure.row_losses(m)) / max(m.classes - 1, 1))
