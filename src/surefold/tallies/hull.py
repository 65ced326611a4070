"""The corners of the convex hull of the ROC curve, of one tally or of many draws at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefold.tallies.score_groups import ScoreGroups
from surefold.tallies.walks import Sum, Walk, has_both_classes, usual

__all__ = ["Hull", "corners_of"]

Array = NDArray[np.float64]
#: Rounds of dropping dents after which what is left is gone over point by point: each round leaves about half.
_ROUNDS = 40
#: The lowest of so many neighbouring points tells which of the others are out of the question.
_STRETCH = 64
#: More points than this are brought down to corners before those of other blocks join them.
_MANY = 512


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
        """The hull of a tally, which keeps it."""
        return HULL.of(t)

    @classmethod
    def walk(cls, t: ScoreGroups) -> Walk[Hull]:
        """Go over the scores once.

        Counted from below, the hull is the lower one, and its corners follow a negative and come before a positive.
        """
        below, parts = np.zeros((4, 1)), [np.zeros((4, 1))]
        while (run := (yield)) is not None:
            if run.labels is not None:
                between = np.flatnonzero(run.labels[1:] > run.labels[:-1])
            else:
                between = np.flatnonzero((run.negative[:-1] > 0) & (run.positive[1:] > 0))
            at = np.append(between, len(run.score) - 1)
            tp, fp = run.reached(at)
            kept = _low(fp, tp)
            columns = [fp[kept], tp[kept]]
            if t.is_weighted:
                columns += [np.cumsum(side).take(at[kept]) for side in (run.negative2, run.positive2)]
            found = np.stack(columns)
            if len(kept) > _MANY:
                found = found[:, corners_of(found[0], found[1])]
            found = below + np.tile(found, (1 if t.is_weighted else 2, 1))
            parts.append(found)
            below = found[:, -1:]
        points = np.concatenate(parts, axis=1)
        points = points[:, corners_of(points[0], points[1])]
        fp, tp, fp2, tp2 = (points[:, -1:] - points)[:, ::-1]
        return cls(fp, tp, fp2, tp2)


HULL = usual(Sum("hull", Hull.walk, has_both_classes))


def _low(x: Array, y: Array) -> NDArray[np.intp]:
    """Which points of a chain from about 0 may be corners: those not above the lower hull of some low ones."""
    stretches = len(x) // _STRETCH
    if stretches < 2:
        return np.arange(len(x))
    lead = (y - x * (y[-1] / x[-1]))[: stretches * _STRETCH].reshape(stretches, _STRETCH)
    lowest = lead.argmin(axis=1) + np.arange(0, stretches * _STRETCH, _STRETCH)
    some = np.unique(np.concatenate([[0], lowest, [len(x) - 1]]))
    some = some[_chain(x[some].tolist(), y[some].tolist())]
    low = y <= np.interp(x, x[some], y[some]) + 1e-9 * y[-1]
    low[-1] = True
    return np.flatnonzero(low)


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
            return place[_chain(x.tolist(), y.tolist())]
        if kept.all():
            break
        x, y, place, held = x[kept], y[kept], place[kept], held[kept]
    return place


def _chain(x: list[float], y: list[float]) -> list[int]:
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
