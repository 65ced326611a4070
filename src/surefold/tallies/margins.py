"""What the formulas read: one class against the rest, or a whole table by its margins.

Both have any number of leading batch axes, so that one formula serves one table, ten thousand bootstrap tables, or
the complex-step perturbations of a derivative.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Margins", "OneVsRest"]

Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class OneVsRest:
    """True and false positives and negatives of each class taken as the positive one; the class axis is last."""

    tp: Array
    fp: Array
    fn: Array
    tn: Array

    @property
    def positives(self) -> Array:
        """Rows that are of the class."""
        return np.asarray(self.tp + self.fn)

    @property
    def negatives(self) -> Array:
        """Rows that are not of the class."""
        return np.asarray(self.fp + self.tn)

    @property
    def called(self) -> Array:
        """Rows that were called the class."""
        return np.asarray(self.tp + self.fp)

    @property
    def total(self) -> Array:
        """The weight of all rows."""
        return np.asarray(self.tp + self.fp + self.fn + self.tn)


@dataclass(frozen=True, eq=False)
class Margins:
    """A k x k table by what nearly every measure needs of it: the diagonal and the two margins.

    `averaged` marks the classes that macro, micro and weighted averages run over. `loss` is the sum of the cells times
    `cell_weights` (k x k), for the few measures that weigh kinds of error differently.
    """

    tp: Array
    actual: Array
    called: Array
    averaged: NDArray[np.bool_]
    loss: Array | None = None
    cell_weights: NDArray[np.float64] | None = None

    @property
    def classes(self) -> int:
        """How many classes there are."""
        return int(self.tp.shape[-1])

    @property
    def total(self) -> Array:
        """The weight of all rows."""
        return np.asarray(self.actual.sum(axis=-1))

    @property
    def correct(self) -> Array:
        """The weight of rows that were called right."""
        return np.asarray(self.tp.sum(axis=-1))

    @property
    def one_vs_rest(self) -> OneVsRest:
        """For each class, the four cells of its table against the rest."""
        fn, fp = self.actual - self.tp, self.called - self.tp
        return OneVsRest(self.tp, fp, fn, self.total[..., None] - self.tp - fn - fp)
