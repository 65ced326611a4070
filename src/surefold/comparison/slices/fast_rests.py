"""Areas and mean losses of all rows but those of a slice, from sums over the slice alone.

Of a million rows in 500 slices a tally of each rest would take half a minute; what a rest lacks of the whole takes a
tenth of a second. For rows that are independent and weigh alike.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from surefold.estimates.auc import AucMoments
from surefold.estimates.losses import bounded_moments, log_moments
from surefold.measures.score_measure import Moved, ScoreMeasure
from surefold.tallies.mean_sums import MeanSums
from surefold.tallies.score_groups import ScoreGroups

__all__ = ["RestAreas", "RestLosses"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class _Placed:
    """Rows of one class at each score, and the doubled placement of each among those of the other class.

    Scores are in the order in which the other class is passed: of a positive those below it count, of a negative the
    positives above it.
    """

    rows: Array
    others: Array

    @cached_property
    def placed(self) -> Array:
        """Twice the others before each score, and those at it once."""
        return 2 * np.cumsum(self.others) - self.others

    @cached_property
    def sums(self) -> tuple[float, float]:
        """Of the placements of all rows, and of their squares."""
        weighted = self.rows * self.placed
        return float(weighted.sum()), float(weighted @ self.placed)

    @cached_property
    def _after(self) -> Array:
        """Twice the placements of the rows after each score, and those of the rows at it once."""
        weighted = self.rows * self.placed
        return 2 * np.cumsum(weighted[::-1])[::-1] - weighted

    @cached_property
    def _reached(self) -> Array:
        return np.cumsum(self.rows)

    def without(self, at: NDArray[np.intp], rows: Array, others: Array) -> tuple[float, float]:
        """The same sums of the rows that are not in a part, among the others that are not: at rising places."""
        own = 2 * np.cumsum(others) - others  # placements of the part's rows among the part's others
        first = self.sums[0] - float(rows @ self.placed[at])
        second = self.sums[1] - float(rows @ self.placed[at] ** 2)
        crossed = float(others @ self._after[at]) - float(rows @ (self.placed[at] * own))
        below, here = np.cumsum(others), self.rows[at]
        between = np.diff(self._reached[at], append=self._reached[-1])  # rows after a place, up to the next one
        between[:-1] -= here[1:]
        squared = float(here @ own**2 + between @ (2 * below) ** 2) - float(rows @ own**2)
        lost = float(here @ own + between @ (2 * below)) - float(rows @ own)
        return first - lost, second - 2 * crossed + squared


class RestAreas:
    """Areas of the rests of one tally.

    >>> whole = ScoreGroups.of(np.array([4.0, 3.0, 2.0, 1.0, 2.5]), np.array([True, False, True, False, True]))
    >>> part = ScoreGroups.of(np.array([2.5]), np.array([True]))
    >>> RestAreas(whole).without(part).auc, whole.without(part).auc
    (0.75, 0.75)
    """

    def __init__(self, t: ScoreGroups) -> None:
        self.tally = t
        self._ups = _Placed(t.positive[::-1], t.negative[::-1])  # from the lowest score up
        self._downs = _Placed(t.negative, t.positive)

    def without(self, part: ScoreGroups) -> AucMoments:
        """The area of the rows that are not in a part, and what its interval is made from."""
        t = self.tally
        at = t.places(part.score)
        m, n = t.positives - part.positives, t.negatives - part.negatives
        up = self._ups.without(len(t.score) - 1 - at[::-1], part.positive[::-1], part.negative[::-1])
        down = self._downs.without(at, part.negative, part.positive)
        auc = up[0] / (2 * m * n) if m * n > 0 else np.nan
        spreads = [
            max(second / (4 * other**2) - own * auc**2, 0.0) if m * n > 0 else np.nan
            for (_, second), own, other in ((up, m, n), (down, n, m))
        ]
        return AucMoments(auc, m, n, *spreads)


class RestLosses:
    """Mean losses of the rests of one tally."""

    def __init__(self, measure: ScoreMeasure, t: ScoreGroups) -> None:
        self.tally, self._losses, self._is_log = t, measure.losses(t), measure.interval == "log"
        self._limits = measure.span
        every = np.arange(len(t.score))
        self._guess = tuple(float(self._sums(0.0, every, t, turned=x).mean) for x in (False, True))
        self._whole = tuple(self._sums(g, every, t, turned=x) for g, x in zip(self._guess, (False, True), strict=True))

    def _sums(self, guess: float, at: NDArray[np.intp], t: ScoreGroups, *, turned: bool) -> MeanSums:
        """Of the losses of some rows, or of what they would lose with the other label."""
        up, down = self._losses if not turned else Moved(self._losses.negative, self._losses.positive)
        values, rows = np.concatenate([up[at], down[at]]), np.concatenate([t.positive, t.negative])
        return MeanSums.none(guess).plus(values, rows)

    def without(self, part: ScoreGroups) -> tuple[float, float, float]:
        """The mean loss of the rows that are not in a part, and with a row added its centre and variance."""
        at = self.tally.places(part.score)
        own, turned = (self._left(place, at, part) for place in (0, 1))
        if not own.weight > 0:
            return np.nan, np.nan, np.nan
        centre, variance = log_moments(own, turned) if self._is_log else bounded_moments(own, self._limits)
        return float(own.mean), float(centre), float(variance)

    def _left(self, place: int, at: NDArray[np.intp], part: ScoreGroups) -> MeanSums:
        whole, taken = self._whole[place], self._sums(self._guess[place], at, part, turned=place == 1)
        names = ("weight", "lead", "square", "first", "second")
        return MeanSums(whole.guess, *(getattr(whole, name) - getattr(taken, name) for name in names))
