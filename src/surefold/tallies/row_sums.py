"""Sums over the rows of a matrix of scores of what each row loses: a mean loss and its interval are read from them."""

from __future__ import annotations

import operator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from surefold.tallies.mean_sums import MeanSums

__all__ = ["RowSums"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class RowSums:
    """`losses` with weights that add up to the effective rows; sums of parts with one guess add up.

    flipped: of the losses had another class been true, each as likely; of logarithmic losses alone.
    worst:   the largest of a row's losses times its weight.
    turned:  the sum of the squares of what a loss with another label is away from it; where that was asked for.
    clipped: the weight, as it came, of rows whose true class got a probability below the clip.
    """

    losses: MeanSums
    flipped: MeanSums | None = None
    worst: float = 0.0
    turned: float = 0.0
    clipped: float = 0.0

    def __add__(self, other: RowSums) -> RowSums:
        both = None if self.flipped is None or other.flipped is None else self.flipped + other.flipped
        sums = map(operator.add, (self.turned, self.clipped), (other.turned, other.clipped))
        return RowSums(self.losses + other.losses, both, max(self.worst, other.worst), *sums)

    @classmethod
    def of(cls, losses: Array, weight: Array, flipped: Array | None = None, start: MeanSums | None = None) -> RowSums:
        """Of rows; added to sums of no rows yet that have the guess of all parts, or else about their own mean.

        >>> float(RowSums.of(np.array([0.1, 0.3]), np.ones(2)).losses.mean)
        0.2
        """
        worst = float((weight * losses).max(initial=0.0))
        if start is None:
            turned = None if flipped is None else MeanSums.of(flipped, weight, weight)
            return cls(MeanSums.of(losses, weight, weight**2), turned, worst)
        plain = MeanSums.none(start.guess)
        return cls(
            start.plus(losses, weight, weight**2), None if flipped is None else plain.plus(flipped, weight), worst
        )

    def beside(self, *, turned: float = 0.0, clipped: float = 0.0) -> RowSums:
        """The same with what else was added up."""
        return replace(self, turned=turned, clipped=clipped)
