"""What inference reads of a set of predictions: the table, the squares of its weights, and its groups.

Weights are rescaled so that they add up to the effective number of rows, (sum w)^2 / (sum w^2). Then a weighted table
has the same meaning as a plain one everywhere below, and plain rows are the case where nothing changes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from surefold.tallies.clusters import Clusters
from surefold.tallies.confusion import Confusion, Table
from surefold.tallies.margins import Margins, OneVsRest
from surefold.tallies.sparse import SparseCounts

__all__ = ["Sample"]


@dataclass(frozen=True, eq=False)
class Sample:
    """A table ready for inference. `table` and `squares` may have leading batch axes; `clusters` then must be None."""

    table: Table
    squares: Table
    averaged: NDArray[np.bool_]
    clusters: Clusters | None = None

    @classmethod
    def of(cls, confusion: Confusion, clusters: Clusters | None = None) -> Sample:
        """A table whose weights add up to the rows that they are worth."""
        if not confusion.is_weighted:
            return cls(confusion.table, confusion.table, confusion.averaged, clusters)
        total, squared = (_total(t) for t in (confusion.table, confusion.squares))
        scale = total / squared
        rescaled = None if clusters is None else clusters.scaled(scale)
        table, squares = Table(confusion.table.counts * scale), Table(confusion.squares.counts * scale**2)
        return cls(table, squares, confusion.averaged, rescaled)

    @property
    def classes(self) -> int:
        """How many classes there are."""
        return self.table.classes

    def margins(self, cell_weights: NDArray[np.float64] | None = None) -> Margins:
        """The sums of rows and columns; with `cell_weights` what these make of the table."""
        return self.table.margins(self.averaged, cell_weights) if cell_weights is not None else self._margins

    @cached_property
    def _margins(self) -> Margins:
        return self.table.margins(self.averaged)

    @cached_property
    def squared_margins(self) -> Margins:
        """The same of squared weights."""
        return self.squares.margins(self.averaged)

    @cached_property
    def one_vs_rest(self) -> OneVsRest:
        """For each class, the four cells of its table against the rest."""
        return self._margins.one_vs_rest

    @cached_property
    def squared_one_vs_rest(self) -> OneVsRest:
        """The same of squared weights."""
        return self.squared_margins.one_vs_rest

    @cached_property
    def rows(self) -> NDArray[np.float64]:
        """Effective true rows of each class."""
        return _worth(self._margins.actual, self.squared_margins.actual)

    @cached_property
    def called(self) -> NDArray[np.float64]:
        """Effective rows that were called each class."""
        return _worth(self._margins.called, self.squared_margins.called)


def _worth(sums: NDArray[np.float64], squares: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.where(squares > 0, sums**2 / np.where(squares > 0, squares, 1.0), 0.0)


def _total(table: Table) -> float:
    counts = table.counts
    return float(counts.value.sum() if isinstance(counts, SparseCounts) else counts.sum())
