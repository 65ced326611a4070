"""Neighbouring scores of a tally, some ten thousand at a time: what sums over all scores are made from."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from surefold.inputs.scores import CLIP

__all__ = ["Run"]

Array = NDArray[np.float64]


class Run(NamedTuple):
    """Distinct scores, rising, with the weight of the positives and of the negatives at each, and squared weights.

    `clip` is that of the tally, so a loss reads a run as it reads a tally.
    """

    score: Array
    positive: Array
    negative: Array
    positive2: Array
    negative2: Array
    clip: float = CLIP

    @classmethod
    def of_counts(cls, groups: tuple[Array, Array, Array], clip: float) -> Run:
        """Of rows without weights, whose squares are their counts."""
        score, positive, negative = groups
        return cls(score, positive, negative, positive, negative, clip)

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
        columns = (self.score, self.positive, self.negative, self.positive2, self.negative2)
        return Run._make((*(column[kept] for column in columns), self.clip))
