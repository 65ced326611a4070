"""The truth and every model's call, together: rows that are held, or cells of rows that are alike, counted anywhere.

A row that is held is a cell of one row, and is not copied. Every difference of a measure of labels is made of a few
sums over these cells, whatever the measure.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from surefold.inputs.labels import Label
from surefold.inputs.predictions import Predictions
from surefold.tallies.clusters import Clusters
from surefold.tallies.confusion import Confusion
from surefold.tallies.joint import MOST_CALLS, joint_counts
from surefold.tallies.kernels import cell_codes, count_cells
from surefold.tallies.moves import Family, Moves, moves_of
from surefold.tallies.sparse import DENSE_CLASSES, SparseCounts

__all__ = ["GroupedCells", "Kinds", "LabelCells"]

Array = NDArray[np.float64]
Codes = NDArray[Any]

#: Up to this many classes what a cell moves a measure by is looked up in a whole k x k array.
_WHOLE = 200
_BLOCK = 1 << 15


class Slope(Protocol):
    """What a row in each cell of the table moves a measure by."""

    def dense(self) -> Array:
        """By true class and call."""
        ...

    def at(self, true: NDArray[np.intp], predicted: NDArray[np.intp]) -> Array:
        """Of these cells."""
        ...


class Kinds(NamedTuple):
    """Rows of two models by true class, first call and second call: how many of each kind, and what each weighs.

    `weight` adds up to the effective rows; None: one each.
    """

    codes: tuple[NDArray[np.intp], ...]
    rows: Array
    weight: Array | None = None


class GroupedCells(NamedTuple):
    """Cells within groups of rows: the group, the true class, every model's call, and the weight (None: one row)."""

    group: NDArray[np.intp]
    truth: Codes
    calls: Sequence[Codes]
    weight: Array | None = None


@dataclass(frozen=True, eq=False)
class LabelCells:
    """Cells by the true class and what each model called, `calls[model][cell]`.

    rows:    how many rows each cell holds; None: one.
    weight:  the sum of their weights, and `squares` that of their squares; None: unweighted.
    grouped: the same for each group of rows; None where rows are independent.
    """

    labels: tuple[Label, ...]
    truth: Codes
    calls: Sequence[Codes]
    rows: NDArray[np.int64] | None = None
    weight: Array | None = None
    squares: Array | None = None
    declared: bool = False
    grouped: GroupedCells | None = None
    _rests: dict[int, LabelCells] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, models: Sequence[Predictions]) -> LabelCells:
        """From labels of rows that are held.

        >>> cells = LabelCells.of([Predictions.of([0, 1, 1], y, pos_label=1) for y in ([0, 1, 0], [0, 1, 1])])
        >>> (
        ...     int(cells.apart[0, 1]),
        ...     int(cells.right[0, 1]),
        ... )  # rows that the two call differently, and that both get right
        (1, 2)
        """
        first, calls = models[0], [p.predicted for p in models if p.predicted is not None]
        if len(calls) < len(models):
            raise AssertionError("some model has no labels")
        w = first.weights
        grouped = None if first.groups is None else GroupedCells(first.groups, first.truth, calls, w)
        squares = None if w is None else w**2
        return cls(first.labels, first.truth, calls, None, w, squares, first.declared, grouped)

    # weights

    @property
    def weighted(self) -> bool:
        """Whether rows have weights."""
        return self.weight is not None

    @cached_property
    def scale(self) -> float:
        """What makes weights add up to the effective number of rows, (sum w)^2 / sum w^2."""
        if self.weight is None or self.squares is None:
            return 1.0
        return float(self.weight.sum() / self.squares.sum())

    @property
    def n(self) -> int:
        """How many rows there are."""
        return len(self.truth) if self.rows is None else int(self.rows.sum())

    @property
    def effective_n(self) -> float:
        """How many rows of one weight they are worth."""
        return float(self.n) if self.weight is None else float(self.weight.sum()) * self.scale

    @cached_property
    def weights_vary(self) -> bool:
        """Whether some row weighs more than another."""
        if self.weight is None or self.squares is None:
            return False
        held = self.weight > 0
        mean = float(self.weight.sum()) / self.n
        return bool(np.abs(self.squares[held] / self.weight[held] - mean).max(initial=0.0) > 1e-9 * mean)

    # tables

    @cached_property
    def tables(self) -> tuple[Confusion, ...]:
        """The table of each model."""
        found = []
        for call in self.calls:
            squares = None if self.squares is None else self._table(call, self.squares)
            found.append(
                Confusion(self._table(call, self._counts), self.labels, squares=squares, declared=self.declared)
            )
        return tuple(found)

    def _table(self, call: Codes, weights: Array | None) -> NDArray[np.float64] | SparseCounts:
        k = len(self.labels)
        if k <= DENSE_CLASSES:
            return count_cells(self.truth, call, k, weights)
        return SparseCounts.collect(k, self.truth, call, np.ones(len(call)) if weights is None else weights)

    @property
    def _counts(self) -> Array | None:
        """What is counted: weights, or rows; None: one each."""
        return self.weight if self.weight is not None or self.rows is None else self.rows.astype(float)

    def clusters(self, model: int) -> Clusters | None:
        """What each group put into the table of a model."""
        if self.grouped is None:
            return None
        group, truth, calls, weight = self.grouped
        k = len(self.labels)
        pair = group.astype(np.int64) * (k * k) + cell_codes(truth, calls[model], k)
        distinct, where = np.unique(pair, return_inverse=True)
        summed = np.bincount(where, weights=weight).astype(float)
        cell = distinct % (k * k)
        return Clusters(int(group.max()) + 1, k, distinct // (k * k), cell // k, cell % k, summed)

    # one class

    def one_against_rest(self, c: int) -> LabelCells:
        """The same with one class as the positive one, the second, and all others joined."""
        if len(self.labels) == 2 and c == 1:
            return self
        if c not in self._rests:

            def joined(truth: Codes, calls: Sequence[Codes]) -> tuple[Codes, list[Codes]]:
                return (truth == c).astype(np.uint8), [(call == c).astype(np.uint8) for call in calls]

            grouped, (truth, calls) = self.grouped, joined(self.truth, self.calls)
            if grouped is not None:
                in_groups = (truth, calls) if grouped.truth is self.truth else joined(grouped.truth, grouped.calls)
                grouped = GroupedCells(grouped.group, *in_groups, grouped.weight)
            labels: tuple[Label, ...] = (0, 1)
            self._rests[c] = replace(self, labels=labels, truth=truth, calls=calls, grouped=grouped, _rests={})
        return self._rests[c]

    # two models

    @cached_property
    def joint(self) -> Array | None:
        """How many rows have each true class and calls of any two models; None where those would be too many."""
        return self._joint(self._counts)

    @cached_property
    def joint_squares(self) -> Array | None:
        """The same of squared weights."""
        return self.joint if self.squares is None else self._joint(self.squares)

    def _joint(self, weights: Array | None) -> Array | None:
        k = len(self.labels)
        return joint_counts(self.truth, self.calls, k, weights) if len(self.calls) * k <= MOST_CALLS else None

    @cached_property
    def apart(self) -> Array:
        """How many effective rows any two models call differently."""
        sums = self._apart(self.joint, self._counts)
        if self.squares is None:
            return sums
        squares = self._apart(self.joint_squares, self.squares)
        return np.where(squares > 0, sums**2 / np.where(squares > 0, squares, 1.0), 0.0)

    def _apart(self, joint: Array | None, weights: Array | None) -> Array:
        m, k = len(self.calls), len(self.labels)
        if joint is not None:  # sums, not differences: models that never differ are 0 apart whatever rows weigh
            calls = joint.sum(axis=0).reshape(m, k, m, k)
            return np.asarray((calls * ~np.eye(k, dtype=bool)[:, None, :]).sum(axis=(1, 3)))
        found = np.zeros((m, m))
        for i, first in enumerate(self.calls):
            for j, second in enumerate(self.calls[:i]):
                differ = np.asarray(first != second)
                found[i, j] = found[j, i] = differ.sum() if weights is None else weights[differ].sum()
        return found

    @cached_property
    def right(self) -> NDArray[np.int64]:
        """How many rows any two models both get right, and each by itself on the diagonal."""
        m, k = len(self.calls), len(self.labels)
        if self.joint is not None and not self.weighted:
            own = np.arange(m) * k
            found = sum(self.joint[c][np.ix_(own + c, own + c)] for c in range(k))
        else:
            found = np.zeros((m, m))
            for cells in self._blocks():
                right = np.stack([self.truth[cells] == call[cells] for call in self.calls]).astype(float)
                found += (right if self.rows is None else right * self.rows[cells]) @ right.T
        return np.asarray(np.rint(found), dtype=np.int64)

    def _blocks(self) -> Iterator[slice]:
        return (slice(start, start + _BLOCK) for start in range(0, len(self.truth), _BLOCK))

    def kinds(self, i: int, j: int) -> Kinds:
        """The rows of two models by kind.

        A cell of weighted rows stands for its effective rows, each of the weight that keeps the cell's two sums.
        """
        k = len(self.labels)
        if self.weight is not None and self.squares is not None:
            held = self.weight > 0  # a row of weight zero is no row
            weight, squares = self.weight[held], self.squares[held]
            codes = tuple(x[held].astype(np.intp) for x in (self.truth, self.calls[i], self.calls[j]))
            return Kinds(codes, weight**2 / squares, squares / weight * self.scale)
        if self.joint is not None:
            counts = self.joint[:, i * k : (i + 1) * k, j * k : (j + 1) * k]
            there = np.nonzero(counts)
            return Kinds(there, counts[there])
        code = (self.truth.astype(np.intp) * k + self.calls[i]) * k + self.calls[j]
        distinct, where = np.unique(code, return_inverse=True)
        rows = np.bincount(where, weights=self._counts).astype(float)
        return Kinds((distinct // (k * k), distinct // k % k, distinct % k), rows)

    # what rows move measures by

    def moves(self, families: Sequence[Sequence[Slope]]) -> Moves:
        """Sums and products of what rows move each measure by: a family has a slope for each model."""
        if self.joint_squares is not None:
            products = tuple(self._products(family, self.joint_squares) for family in families)
        else:
            each = None
            if self._counts is not None:
                each = self.scale * np.sqrt(self._counts if self.squares is None else self.squares)
            products = self._of_cells(families, (self.truth, self.calls), each).products
        if self.grouped is None:
            return Moves(products)
        group, truth, calls, weight = self.grouped
        each = None if weight is None else weight * self.scale
        return Moves(products, self._of_cells(families, (truth, calls), each, group).units)

    def _products(self, family: Sequence[Slope], joint: Array) -> Array:
        m, k = len(self.calls), len(self.labels)
        each = np.stack([_finite(slope.dense()) for slope in family]).transpose(1, 0, 2).reshape(k, m * k)
        summed = (each[:, :, None] * joint * each[:, None, :]).sum(axis=0).reshape(m, k, m, k).sum(axis=(1, 3))
        return np.asarray(summed * self.scale**2)[None, None]

    def _of_cells(
        self,
        families: Sequence[Sequence[Slope]],
        coded: tuple[Codes, Sequence[Codes]],
        weights: Array | None,
        groups: NDArray[np.intp] | None = None,
    ) -> Moves:
        """The moves of rows whose truth and calls have these codes."""
        (truth, calls), k = coded, len(self.labels)
        if k <= _WHOLE:
            places = [cell_codes(truth, call, k) for call in calls]
            tables = [Family(tuple(_finite(slope.dense()).reshape(1, -1) for slope in f)) for f in families]
            return moves_of(tables, None, 1, places, weights, groups)
        true = truth.astype(np.intp)
        numbers = [
            Family(tuple(_finite(slope.at(true, call.astype(np.intp))) for slope, call in zip(f, calls, strict=True)))
            for f in families
        ]
        return moves_of(numbers, None, 1, (), weights, groups)


def _finite(slopes: Array) -> Array:
    """Where a measure has no slope no row moves it."""
    return np.nan_to_num(slopes, nan=0.0, posinf=0.0, neginf=0.0)
