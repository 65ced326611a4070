"""Neighbouring scores of a tally, some ten thousand at a time: what sums over all scores are made from."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from surefold.inputs.scores import CLIP

__all__ = ["Run"]

Array = NDArray[np.float64]
Counts = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Run:
    """Distinct scores, rising, with the weight of the positives and of the negatives at each, and squared weights.

    `clip` is that of the tally, so a loss reads a run as it reads a tally. `labels` are there where every score has one
    row, and no row a weight: 1 of a positive, 0 of a negative. `counted`: the weights are whole numbers of rows.

    What several sums read is worked out once, when the first of them asks.
    """

    score: Array
    positive: Array
    negative: Array
    positive2: Array
    negative2: Array
    clip: float = CLIP
    labels: Counts | None = None
    counted: bool = False

    @classmethod
    def of_counts(cls, groups: tuple[Array, Array, Array], clip: float, labels: Counts | None = None) -> Run:
        """Of rows without weights, whose squares are their counts."""
        score, positive, negative = groups
        return cls(score, positive, negative, positive, negative, clip, labels, counted=True)

    def __getitem__(self, rows: slice) -> Run:
        """Some neighbours of them."""
        (up, up2), (down, down2) = ((weight[rows], square[rows]) for weight, square in self.sides)
        labels = None if self.labels is None else self.labels[rows]
        return Run(self.score[rows], up, down, up2, down2, self.clip, labels, self.counted)

    @property
    def sides(self) -> tuple[tuple[Array, Array], tuple[Array, Array]]:
        """Weights and squared weights of the positives, then those of the negatives."""
        return (self.positive, self.positive2), (self.negative, self.negative2)

    @property
    def held(self) -> Run:
        """Without scores that no weight is left of."""
        kept = (self.positive > 0) | (self.negative > 0)
        if kept.all():
            return self
        (up, up2), (down, down2) = ((weight[kept], square[kept]) for weight, square in self.sides)
        return Run(self.score[kept], up, down, up2, down2, self.clip)

    @cached_property
    def weight(self) -> tuple[float, float]:
        """Of the positives, and of the negatives."""
        up = float(self.positive.sum())
        return up, float(self.negative.sum()) if self.labels is None else len(self.labels) - up

    @cached_property
    def _reached(self) -> tuple[Counts | Array, ...]:
        if self.labels is not None:
            return (np.cumsum(self.labels),)
        if self.counted:
            return tuple(np.cumsum(side.astype(np.int64)) for side in (self.positive, self.negative))
        return np.cumsum(self.positive), np.cumsum(self.negative)

    def reached(self, at: NDArray[np.intp]) -> tuple[Array, Array]:
        """The positives, and the negatives, with the score at a place or a lower one."""
        up = self._reached[0].take(at).astype(np.float64)
        return up, at + 1 - up if self.labels is not None else self._reached[1].take(at).astype(np.float64)

    def below_positives(self) -> tuple[Array, Array]:
        """The positives, and the negatives, with a lower score than each score that some positive has."""
        at = self.places[0]
        if self.labels is not None:
            up = np.arange(len(at), dtype=np.float64)
            return up, at - up
        up, down = self.reached(at)
        return up - self.positive.take(at), down - self.negative.take(at)

    @cached_property
    def below(self) -> Array:
        """The weight of all rows with a lower score."""
        if self.labels is not None:
            return np.arange(len(self.labels), dtype=np.float64)
        rows = self.positive + self.negative
        reached: Counts | Array = np.cumsum(rows.astype(np.int64)) if self.counted else np.cumsum(rows)
        return np.asarray(reached - rows)

    @cached_property
    def places(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Which scores some positive has, and which some negative."""
        if self.labels is None:
            return np.flatnonzero(self.positive != 0), np.flatnonzero(self.negative != 0)
        return np.flatnonzero(self.labels != 0), np.flatnonzero(self.labels == 0)

    @property
    def negatives_between(self) -> Array:
        """The squared weight of the negatives from each score that some positive has up to the next such score."""
        at = self.places[0]
        if self.labels is not None:
            return np.diff(at, append=len(self.labels)) - 1.0
        return np.add.reduceat(self.negative2, at) if len(at) else np.zeros(0)

    @cached_property
    def logarithms(self) -> tuple[Array, Array]:
        """log p and log(1 - p), with neither p nor 1 - p below the clip."""
        up, down = np.maximum(self.score, self.clip), np.minimum(self.score, 1 - self.clip)
        np.negative(down, out=down)
        return np.log(up, out=up), np.log1p(down, out=down)

    @cached_property
    def log_odds(self) -> Array:
        """log(p / (1 - p)), with p kept off 0 and 1 by the clip."""
        found = np.subtract(*self.logarithms)
        # Of a score beyond the clip the logarithm that is not clipped belongs to the score as it was.
        found[: np.searchsorted(self.score, self.clip)] = np.log(self.clip) - np.log1p(-self.clip)
        found[np.searchsorted(self.score, 1 - self.clip, side="right") :] = np.log(1 - self.clip) - np.log1p(
            -(1 - self.clip)
        )
        return found
