"""Tables of many slices at once, and of all rows but those of each; and what groups put into them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefold.tallies.clusters import Clusters
from surefold.tallies.label_cells import LabelCells

__all__ = ["GroupsOfSlices", "group_cells", "slice_counts", "slice_groups", "without"]

Array = NDArray[np.float64]
Codes = NDArray[np.intp]
Number = Any  # of a table a float, of many an array
#: What is left of a sum of weights by rounding, as a share of it, where its parts were taken off.
_DUST = 1e-9


def slice_counts(codes: Codes, slices: int, cell: Codes, cells: int, weights: Array | None) -> Array:
    """`[slice, cell]`: the rows, or their weights, of each cell in each slice; rows with code -1 are in none."""
    kept = codes >= 0
    place = codes[kept] * cells + cell[kept]
    each = None if weights is None else weights[kept]
    return np.bincount(place, weights=each, minlength=slices * cells).astype(float).reshape(slices, cells)


def without(whole: Array, part: Array) -> Array:
    """What is left, where rounding of weights leaves nothing that is no row.

    >>> without(np.array([0.3, 1.0]), np.array([[0.1 + 0.2, 1.0]])).tolist()
    [[0.0, 0.0]]
    """
    left = whole - part
    return np.where(left <= _DUST * whole, 0.0, left)


@dataclass(frozen=True, eq=False)
class GroupsOfSlices(Clusters):
    """The groups of many tables at once. Derivatives are asked for at every cell, table after table."""

    each: tuple[Clusters, ...]

    @classmethod
    def of_each(cls, each: Sequence[Clusters], classes: int) -> GroupsOfSlices:
        """Of tables with so many classes."""
        cell, nothing = np.arange(classes * classes), np.zeros(0)
        groups = max((one.groups for one in each), default=0)
        return cls(groups, classes, nothing.astype(np.intp), cell // classes, cell % classes, nothing, tuple(each))

    def scaled(self, factor: Number) -> GroupsOfSlices:
        """The same groups with the weights of each table multiplied by its own factor."""
        each = [one.scaled(float(f)) for one, f in zip(self.each, factor, strict=True)]
        return GroupsOfSlices.of_each(each, self.classes)

    def of_table(self, influence: NDArray[Any], is_share: bool) -> tuple[Number, Number, Number]:
        """Of each table, from the derivatives at every cell."""
        found = np.zeros((3, len(self.each)))
        for i, (one, slopes) in enumerate(zip(self.each, influence, strict=True)):
            if one.groups:
                found[:, i] = one.of_table(slopes[one.true * self.classes + one.predicted], is_share)
        return found[0], found[1], found[2]

    def one_vs_rest_variance(self, gradients: NDArray[Any], cells: NDArray[np.bool_] | None = None) -> Array:
        """gradients[table, (tp, fp, fn, tn), class]."""
        found = np.zeros((len(self.each), self.classes))
        for i, one in enumerate(self.each):
            if one.groups:
                found[i] = one.one_vs_rest_variance(gradients[i], cells)
        return found

    def groups_in(self, cells: NDArray[np.bool_]) -> Array:
        """`[table, class]`: how many groups of one size the weights in some of the cells are worth."""
        nothing = np.zeros(self.classes)
        return np.stack([one.groups_in(cells) if one.groups else nothing for one in self.each])


def group_cells(cells: LabelCells, model: int) -> tuple[Codes, Codes, Array] | None:
    """Of each entry its group, its cell and its weight; None where rows are independent."""
    if cells.grouped is None:
        return None
    group, truth, calls, weight = cells.grouped
    cell = truth.astype(np.intp) * len(cells.labels) + calls[model]
    return group, cell, np.ones(len(group)) if weight is None else weight


def slice_groups(
    entries: tuple[Codes, Codes, Array], codes: Codes, slices: int, classes: int
) -> tuple[GroupsOfSlices, GroupsOfSlices]:
    """The groups in each slice, and in all but each."""
    group, cell, weight = entries
    cells = classes * classes
    pair, where = np.unique(group * cells + cell, return_inverse=True)
    whole = np.bincount(where, weights=weight).astype(float)
    order = np.argsort(codes, kind="stable")
    starts = np.searchsorted(codes[order], np.arange(slices + 1))
    inside, outside = [], []
    for i in range(slices):
        rows = order[starts[i] : starts[i + 1]]
        held = np.bincount(where[rows], weights=weight[rows], minlength=len(pair)).astype(float)
        inside.append(_clusters(pair, held, classes))
        outside.append(_clusters(pair, without(whole, held), classes))
    return GroupsOfSlices.of_each(inside, classes), GroupsOfSlices.of_each(outside, classes)


def _clusters(pair: Codes, weight: Array, classes: int) -> Clusters:
    """Groups with their cells, those that weigh something, numbered anew."""
    held = weight > 0
    cells, pair = classes * classes, pair[held]
    _, group = np.unique(pair // cells, return_inverse=True)
    cell = pair % cells
    return Clusters(int(group.max(initial=-1)) + 1, classes, group, cell // classes, cell % classes, weight[held])
