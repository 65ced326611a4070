"""Counts of the cells that occur, for tables too large to hold whole."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["DENSE_CLASSES", "SparseCounts"]

#: Up to this many classes a table is held whole (8 MB); above it only the cells that occur are held.
DENSE_CLASSES = 1000


@dataclass(frozen=True, eq=False)
class SparseCounts:
    """The non-zero cells of a k x k table: `value[m]` stands at (`true[m]`, `predicted[m]`), each cell once.

    >>> s = SparseCounts.collect(3, [0, 0, 2], [0, 0, 1], [1.0, 1.0, 5.0])
    >>> s.true_totals, s.diagonal
    (array([2., 0., 5.]), array([2., 0., 0.]))
    """

    classes: int
    true: NDArray[np.intp]
    predicted: NDArray[np.intp]
    value: NDArray[np.float64]

    @classmethod
    def collect(cls, classes: int, true: Any, predicted: Any, value: Any) -> SparseCounts:
        """Sum the values given for each cell; cells may come in any order and more than once."""
        cell = np.asarray(true, dtype=np.int64) * classes + np.asarray(predicted, dtype=np.int64)
        distinct, where = np.unique(cell, return_inverse=True)
        total = _sums(where, np.asarray(value, dtype=float), len(distinct))
        return cls(classes, (distinct // classes).astype(np.intp), (distinct % classes).astype(np.intp), total)

    @property
    def true_totals(self) -> NDArray[np.float64]:
        """The rows of each class."""
        return _sums(self.true, self.value, self.classes)

    @property
    def predicted_totals(self) -> NDArray[np.float64]:
        """The rows that were called each class."""
        return _sums(self.predicted, self.value, self.classes)

    @property
    def diagonal(self) -> NDArray[np.float64]:
        """The rows of each class that were called it."""
        right = self.true == self.predicted
        return _sums(self.true[right], self.value[right], self.classes)

    def relabelled(self, codes: NDArray[np.intp], classes: int) -> SparseCounts:
        """The same cells with class c renamed to codes[c], among `classes` classes."""
        return SparseCounts.collect(classes, codes[self.true], codes[self.predicted], self.value)

    def __add__(self, other: SparseCounts) -> SparseCounts:
        return SparseCounts.collect(
            self.classes,
            np.concatenate([self.true, other.true]),
            np.concatenate([self.predicted, other.predicted]),
            np.concatenate([self.value, other.value]),
        )

    def __mul__(self, factor: float) -> SparseCounts:
        return SparseCounts(self.classes, self.true, self.predicted, self.value * factor)

    def dense(self) -> NDArray[np.float64]:
        """The whole table, with zeros."""
        table = np.zeros((self.classes, self.classes))
        table[self.true, self.predicted] = self.value
        return table


def _sums(places: NDArray[np.intp], values: NDArray[np.float64], size: int) -> NDArray[np.float64]:
    return np.asarray(np.bincount(places, weights=values, minlength=size), dtype=float)
