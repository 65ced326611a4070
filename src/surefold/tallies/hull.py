"""The corners of the convex hull of the ROC curve, of one tally or of many draws at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefold.tallies.score_groups import ScoreGroups

__all__ = ["Hull", "corners_of"]

Array = NDArray[np.float64]
#: Rounds of dropping dents after which what is left is gone over point by point: each round leaves about half.
_ROUNDS = 40


@dataclass(frozen=True, eq=False)
class Hull:
    """Where the lead of the positives can be greatest: false and true positives at each corner, and squared weights.

    The corners run from (0, 0), nothing called, to everything called.

    >>> h = Hull.of(ScoreGroups.of(np.array([4.0, 3.0, 2.0, 1.0]), np.array([True, False, True, False])))
    >>> h.fp.tolist(), h.tp.tolist()
    ([0.0, 0.0, 1.0, 2.0], [0.0, 1.0, 2.0, 2.0])
    """

    fp: Array
    tp: Array
    fp2: Array
    tp2: Array

    @classmethod
    def of(cls, t: ScoreGroups) -> Hull:
        """Walk the scores once; kept with the tally.

        Counted from below, the hull is the lower one, and its corners follow a negative and come before a positive.
        """
        if "hull" not in t.ledger:
            t.ledger["hull"] = cls._walked(t)
        kept: Hull = t.ledger["hull"]
        return kept

    @classmethod
    def _walked(cls, t: ScoreGroups) -> Hull:
        below, parts = np.zeros((4, 1)), [np.zeros((4, 1))]
        for whole in t.runs():
            run = whole.held
            steps = run.negative, run.positive
            if not t.counts_rows:
                weights = (*steps, run.negative2, run.positive2) if t.is_weighted else steps
                points = np.stack([np.cumsum(x) for x in weights])
            else:  # running sums of whole numbers are several times as fast
                points = np.stack([np.cumsum(x.astype(np.int64)) for x in steps])
            between = np.flatnonzero((steps[0][:-1] > 0) & (steps[1][1:] > 0))
            found = points[:, np.append(between, -1)].astype(np.float64)
            found = found[:, corners_of(found[0], found[1])]
            found = below + np.tile(found, (1 if t.is_weighted else 2, 1))
            parts.append(found)
            below = found[:, -1:]
        points = np.concatenate(parts, axis=1)
        points = points[:, corners_of(points[0], points[1])]
        fp, tp, fp2, tp2 = (points[:, -1:] - points)[:, ::-1]
        return cls(fp, tp, fp2, tp2)


def corners_of(x: Array, y: Array, ends: NDArray[np.bool_] | None = None) -> NDArray[np.intp]:
    """Which points of rising chains are corners of their lower hulls; the first and the last point of a chain are.

    `ends` marks these where several chains follow one another. Of equal points one stays, or all would be dents.
    """
    place = np.arange(len(x))
    held = np.zeros(len(x), dtype=bool) if ends is None else ends.copy()
    held[[0, -1]] = True
    for rounds in range(_ROUNDS + len(x)):
        run, rise = np.diff(x), np.diff(y)
        kept = held.copy()
        still = (run == 0) & (rise == 0)
        if still.any():
            kept[1:] |= ~still  # it moved on from the one before
            kept[:-1] &= ~(still & held[1:] & ~held[:-1])  # the last of a chain stays in place of its equal
        elif rounds < _ROUNDS or ends is not None:
            kept[1:-1] |= rise[:-1] * run[1:] < rise[1:] * run[:-1]
        else:
            return place[_chain(x, y)]
        if kept.all():
            break
        x, y, place, held = x[kept], y[kept], place[kept], held[kept]
    return place


def _chain(x: Array, y: Array) -> list[int]:
    """The same, point by point."""
    corners: list[int] = []
    for i in range(len(x)):
        while len(corners) > 1:
            a, b = corners[-2], corners[-1]
            if (y[b] - y[a]) * (x[i] - x[b]) < (y[i] - y[b]) * (x[b] - x[a]):
                break
            corners.pop()
        corners.append(i)
    return corners
