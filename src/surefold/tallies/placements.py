"""Where rows of one class stand among the rows of the other: what areas and their variances are made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefold.tallies.keys import ScoreKeys
from surefold.tallies.ordering import order_bits, row_order, runs_of

__all__ = ["Placements", "doubled_placements"]

Counts = NDArray[np.int64]
Moments = tuple[int, int]


@dataclass(frozen=True)
class Placements:
    """Sums over rows of doubled placements, as whole numbers: no digit is lost where they are subtracted.

    A positive's doubled placement is twice the negatives below it and those tied with it; a negative's, here, is
    counted likewise from the positives below it. `tied` are the pairs that tie.

    >>> keys = ScoreKeys.of(np.array([0.9, 0.8, 0.8, 0.1]), np.array([True, False, True, False]))
    >>> Placements.of(keys)  # the positives have 2 x 2 and 2 x 1 + 1, the negatives 1 and 0
    Placements(positives=2, negatives=2, tied=1, up=7, up2=25, down=1, down2=1)
    """

    positives: int
    negatives: int
    tied: int
    up: int
    up2: int
    down: int
    down2: int

    @classmethod
    def of(cls, keys: ScoreKeys) -> Placements:
        """One pass over sorted rows."""
        m = n = tied = up = up2 = down = down2 = 0
        for rows in keys.cuts():
            ups, downs, both, of_up, of_down = _within(keys.labels(rows), keys.starts(rows))
            # of (2 n + a)^2 and (2 m + b)^2, n and m being the rows below these
            tied += both
            up += 2 * n * ups + of_up[0]
            up2 += 4 * n * n * ups + 4 * n * of_up[0] + of_up[1]
            down += 2 * m * downs + of_down[0]
            down2 += 4 * m * m * downs + 4 * m * of_down[0] + of_down[1]
            m, n = m + ups, n + downs
        return cls(m, n, tied, up, up2, down, down2)

    @property
    def bounds(self) -> tuple[float, float]:
        """The area if every tie were in the wrong order, and in the right one."""
        pairs = 2 * self.positives * self.negatives
        return (self.up - self.tied) / pairs, (self.up + self.tied) / pairs

    @property
    def area(self) -> float:
        """Share of (positive, negative) pairs in order, ties counting half."""
        return self.up / (2 * self.positives * self.negatives)

    @property
    def spreads(self) -> tuple[float, float]:
        """Of each class, the sum over its rows of (placement - area)^2."""
        m, n = self.positives, self.negatives
        of_up, of_down = m * self.up2 - self.up**2, n * self.down2 - self.down**2
        return of_up / (4 * m * n * n), of_down / (4 * n * m * m)


def _within(labels: Counts, starts: Counts | None) -> tuple[int, int, int, Moments, Moments]:
    """Of rows in order: positives, negatives, pairs tied, and sums of doubled placements and of their squares."""
    if starts is None:
        rows, above = len(labels), np.cumsum(labels)
        ups = int(above[-1])
        below = np.arange(1, rows + 1)
        below -= above
        below *= labels
        # A sum over negatives is that over all rows less that over positives, which stand at 1, 2, 3, ...
        first = int(above.sum()) - ups * (ups + 1) // 2
        second = int(above @ above) - ups * (ups + 1) * (2 * ups + 1) // 6
        return ups, rows - ups, 0, (2 * int(below.sum()), 4 * int(below @ below)), (2 * first, 4 * second)
    p = np.add.reduceat(labels, starts)
    q = np.diff(starts, append=len(labels)) - p
    if len(starts) == 1:  # perhaps of more rows than 64 bits could multiply
        ups, downs = int(p[0]), int(q[0])
        return ups, downs, ups * downs, (ups * downs, ups * downs**2), (ups * downs, downs * ups**2)
    of_up, of_down = (_moments(x, 2 * np.cumsum(y) - y) for x, y in ((p, q), (q, p)))
    return int(p.sum()), int(q.sum()), int(p @ q), of_up, of_down


def _moments(rows: Counts, placed: Counts) -> Moments:
    weighted = rows * placed
    return int(weighted.sum()), int(weighted @ placed)


def doubled_placements(scores: NDArray[np.float64], is_positive: NDArray[np.bool_]) -> tuple[Any, Any]:
    """Twice the number of negatives below each positive, and of positives above each negative, ties counting half.

    >>> ups, downs = doubled_placements(np.array([3.0, 2.0, 1.0, 1.0]), np.array([True, False, True, False]))
    >>> ups.tolist(), downs.tolist()
    ([4, 1], [2, 3])
    """
    order, ordered = row_order(order_bits(scores))
    kind: type[Any] = np.int32 if len(scores) < 1 << 30 else np.int64
    labels = is_positive.take(order).view(np.int8)
    above: NDArray[Any] = np.cumsum(labels, dtype=kind)  # positives down from here; the rest are negatives
    total = above[-1] if len(above) else 0
    rows: NDArray[Any] = np.arange(1, len(above) + 1, dtype=kind)
    tied = np.flatnonzero(ordered[1:] == ordered[:-1])
    if len(tied):  # of tied rows: those below them all, and half of those among them
        cut = np.flatnonzero(np.diff(tied) > 1)
        starts, ends = tied[np.append(0, cut + 1)], tied[np.append(cut, -1)] + 1
        sizes = ends - starts + 1
        among, at = runs_of(starts, sizes), np.maximum(starts - 1, 0)
        doubled = [x[ends] + np.where(starts > 0, x[at], 0) for x in (above, rows)]
        above *= 2
        rows *= 2
        above[among], rows[among] = (np.repeat(x, sizes) for x in doubled)
    else:
        above *= 2
        rows *= 2
    rows -= 2 * above
    rows *= labels
    rows += above  # of a positive the negatives, of a negative the positives
    placed = np.empty_like(rows)
    placed[order] = rows
    return placed.compress(is_positive), 2 * total - placed.compress(~is_positive)
