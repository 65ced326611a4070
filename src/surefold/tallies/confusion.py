"""The confusion tally: how often each true class was called each class.

`counts[..., true, predicted]`: rows are true, columns predicted, always. The chapter that this library follows draws
the table the other way; `rows="predicted"` reads and shows that convention.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefold.errors import InputError, UnknownNameError, show
from surefold.inputs.labels import Label
from surefold.inputs.predictions import Predictions
from surefold.tallies.kernels import count_cells
from surefold.tallies.margins import Margins, OneVsRest
from surefold.tallies.sparse import DENSE_CLASSES, SparseCounts

if TYPE_CHECKING:
    from surefold.estimates.estimate import Estimate

__all__ = ["Confusion", "Table", "named_square"]

Orientation = Literal["true", "predicted"]


@dataclass(frozen=True, eq=False)
class Table:
    """One weighted count of cells, held whole or, above a thousand classes, by the cells that occur."""

    counts: NDArray[np.float64] | SparseCounts

    @property
    def classes(self) -> int:
        """How many classes there are."""
        return self.counts.classes if isinstance(self.counts, SparseCounts) else int(self.counts.shape[-1])

    def margins(self, averaged: NDArray[np.bool_], cell_weights: NDArray[np.float64] | None = None) -> Margins:
        """The sums of rows and columns, and the diagonal."""
        counts = self.counts
        if isinstance(counts, SparseCounts):
            return Margins(counts.diagonal, counts.true_totals, counts.predicted_totals, averaged)
        return Margins(
            np.diagonal(counts, axis1=-2, axis2=-1),
            counts.sum(axis=-1),
            counts.sum(axis=-2),
            averaged,
            None if cell_weights is None else np.einsum("...ij,ij->...", counts, cell_weights),
            cell_weights,
        )


class Confusion:
    """Weighted counts of (true, predicted) pairs, with leading batch axes if wanted.

    A table typed from a paper is enough:

    >>> table = Confusion([[10, 0, 0], [0, 7, 5], [0, 3, 5]], labels=["c1", "c2", "c3"], rows="predicted")
    >>> print(table)
    true \\ predicted  c1  c2  c3
    c1                10   0   0
    c2                 0   7   3
    c3                 0   5   5
    >>> table.tp.astype(int).tolist(), table.fp.astype(int).tolist()
    ([10, 7, 5], [0, 5, 3])

    Tables add up: `+` merges by label, so parts can be counted anywhere.
    """

    def __init__(
        self,
        counts: ArrayLike | SparseCounts,
        labels: Sequence[Label] | None = None,
        *,
        rows: Orientation = "true",
        squares: NDArray[np.float64] | SparseCounts | None = None,
        declared: bool = True,
        averaged: NDArray[np.bool_] | None = None,
    ) -> None:
        """`squares` are the summed squares of the weights in each cell, when rows were weighted.

        `declared` says that the labels were listed by somebody; if not, a label that never occurs in the truth is
        left out of macro averages. `averaged` says which are in them, where that is known from more rows.
        """
        if rows not in ("true", "predicted"):
            raise InputError("bad_option", f"rows={rows!r}", cure="use rows='true' or rows='predicted'")
        if hasattr(counts, "index") and hasattr(counts, "columns"):  # a pandas frame says what its rows are
            frame: Any = counts
            labels = tuple(frame.index) if labels is None else labels
            counts = named_square(frame, _plain(labels), "bad_table")
        table = counts if isinstance(counts, SparseCounts) else _checked(counts, rows)
        self._table = Table(table)
        self._squares = None if squares is None else Table(squares)
        self.labels: tuple[Label, ...] = tuple(range(self.classes)) if labels is None else _plain(labels)
        self.declared = declared
        self._averaged = averaged
        if len(self.labels) != self.classes:
            problem = f"the table has {self.classes} classes and labels= names {len(self.labels)}"
            raise InputError("bad_table", problem, cure="give one label a row of the table")
        if len(set(self.labels)) != len(self.labels):
            raise InputError("bad_table", "labels= names a class twice", cure="give each class its own label")

    @classmethod
    def of(cls, predictions: Predictions) -> Confusion:
        """Count checked predictions."""
        p = predictions
        if p.predicted is None:
            cure = "give y_pred=, or a threshold= for the scores (--threshold)"
            raise InputError("bad_option", "the scores are no probabilities, so no labels could be made", cure=cure)
        k, squares = len(p.labels), None
        if k <= DENSE_CLASSES:
            counts: NDArray[np.float64] | SparseCounts = count_cells(p.truth, p.predicted, k, p.weights)
            if p.weights is not None:
                squares = count_cells(p.truth, p.predicted, k, p.weights**2)
            return cls(counts, p.labels, squares=squares, declared=p.declared)
        weights = np.ones(p.n) if p.weights is None else p.weights
        sparse = SparseCounts.collect(k, p.truth, p.predicted, weights)
        sparse_squares = None if p.weights is None else SparseCounts.collect(k, p.truth, p.predicted, p.weights**2)
        return cls(sparse, p.labels, squares=sparse_squares, declared=p.declared)

    # what is counted

    @property
    def classes(self) -> int:
        """How many classes there are."""
        return self._table.classes

    @property
    def is_sparse(self) -> bool:
        """Whether only cells that hold rows are kept."""
        return isinstance(self._table.counts, SparseCounts)

    @property
    def counts(self) -> NDArray[np.float64]:
        """The whole table, `[..., true, predicted]`. Above a thousand classes ask for `cells` instead."""
        if isinstance(self._table.counts, SparseCounts):
            problem = f"a whole table of {self.classes:,} classes would take {self.classes**2 * 8 / 1e6:,.0f} MB"
            raise InputError("bad_table", problem, cure="read .cells: the (true, predicted, count) that occur")
        return self._table.counts

    @property
    def cells(self) -> SparseCounts:
        """The cells that occur, without the zeros."""
        if isinstance(self._table.counts, SparseCounts):
            return self._table.counts
        return _cells_of(self._table.counts)

    @property
    def table(self) -> Table:
        """The counts with what is known of them."""
        return self._table

    @property
    def squares(self) -> Table:
        """Summed squares of weights; the counts themselves where rows were not weighted."""
        return self._squares or self._table

    @property
    def is_weighted(self) -> bool:
        """Whether rows have weights that differ."""
        return self._squares is not None

    @property
    def total(self) -> NDArray[Any]:
        """The weight of all rows."""
        return self.margins().total

    @property
    def averaged(self) -> NDArray[np.bool_]:
        """The classes that averages run over: the declared ones, else those that occur in the truth."""
        if self._averaged is not None:
            return self._averaged
        everything = np.ones(self.classes, dtype=bool)
        if self.declared:
            return everything
        actual = self._table.margins(everything).actual
        return np.asarray((actual > 0).reshape(-1, self.classes).any(axis=0))

    def margins(self, cell_weights: NDArray[np.float64] | None = None) -> Margins:
        """The sums of rows and columns, and the diagonal; with `cell_weights` what these make of the table."""
        return self._table.margins(self.averaged, cell_weights)

    @property
    def one_vs_rest(self) -> OneVsRest:
        """For each class, the four cells of its table against the rest."""
        return self.margins().one_vs_rest

    @property
    def tp(self) -> NDArray[Any]:
        """For each class, rows of it that were called it."""
        return self.one_vs_rest.tp

    @property
    def fp(self) -> NDArray[Any]:
        """For each class, rows of others that were called it."""
        return self.one_vs_rest.fp

    @property
    def fn(self) -> NDArray[Any]:
        """For each class, rows of it that were called another."""
        return self.one_vs_rest.fn

    @property
    def tn(self) -> NDArray[Any]:
        """For each class, rows of others that were called others."""
        return self.one_vs_rest.tn

    def index(self, label: Label) -> int:
        """Where a label stands; text '1' and the number 1 are different labels."""
        for i, known in enumerate(self.labels):
            if known == label and isinstance(known, str) == isinstance(label, str):
                return i
        raise UnknownNameError("label", label, self.labels)

    # tables from tables

    def __add__(self, other: Confusion) -> Confusion:
        """One table over the labels of both, this one's order first."""
        if not isinstance(other, Confusion):
            return NotImplemented
        if self.labels == other.labels:
            a, b = self, other
        else:
            known = set(self.labels)
            union = self.labels + tuple(label for label in other.labels if label not in known)
            a, b = self._over(union), other._over(union)
        squares = _sum(a.squares.counts, b.squares.counts) if a.is_weighted or b.is_weighted else None
        counts = _sum(a.table.counts, b.table.counts)
        return Confusion(counts, a.labels, squares=squares, declared=self.declared and other.declared)

    def _over(self, labels: tuple[Label, ...]) -> Confusion:
        place = {label: i for i, label in enumerate(labels)}
        codes = np.array([place[label] for label in self.labels], dtype=np.intp)

        def spread(counts: NDArray[np.float64] | SparseCounts) -> NDArray[np.float64] | SparseCounts:
            if isinstance(counts, SparseCounts):
                return counts.relabelled(codes, len(labels))
            if len(labels) > DENSE_CLASSES:
                return _cells_of(counts).relabelled(codes, len(labels))
            wide = np.zeros((*counts.shape[:-2], len(labels), len(labels)))
            wide[..., codes[:, None], codes] = counts
            return wide

        squares = spread(self.squares.counts) if self.is_weighted else None
        return Confusion(spread(self._table.counts), labels, squares=squares, declared=self.declared)

    def by_chance(self) -> Confusion:
        """The table that random answers with the same margins would give: what kappa compares with."""
        m = self.margins()
        expected = m.actual[..., :, None] * m.called[..., None, :] / m.total[..., None, None]
        return Confusion(expected, self.labels, declared=self.declared)

    # shown

    def to_dict(self) -> dict[str, Any]:
        """Labels and counts as plain values; of many classes, the cells that hold rows."""
        cells = self.cells
        shown: dict[str, Any] = {"labels": list(self.labels), "rows": "true", "columns": "predicted"}
        if self.is_sparse:
            triples = zip(cells.true.tolist(), cells.predicted.tolist(), cells.value.tolist(), strict=True)
            return shown | {"cells": [list(t) for t in triples]}
        return shown | {"counts": self.counts.tolist()}

    def show(self, rows: Orientation = "true", *, totals: bool = False) -> str:
        """The table as text, either way round; `totals` adds the sums of rows and columns.

        >>> print(Confusion([[7, 3], [7, 13]], ["P", "N"]).show(rows="predicted", totals=True))
        predicted \\ true   P   N  total
        P                  7   7     14
        N                  3  13     16
        total             10  20     30
        """
        from surefold.show.of.assessment import confusion_text

        return confusion_text(self, rows, totals=totals)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self.counts, dtype=dtype) if copy is not False else np.asarray(self.counts, dtype=dtype)

    def _repr_html_(self) -> str:
        from surefold.report.notebook import figure_html

        return figure_html(self)

    def plot(self, ax: Any = None, **options: Any) -> Any:
        """Draw the table: counts, and shares of the true class as colours; rows="predicted" turns it."""
        from surefold.show.plots import plot

        return plot(self, None, ax, **options)

    def __str__(self) -> str:
        return self.show()

    def __repr__(self) -> str:
        return f"Confusion({self.classes} classes, total {self.total.sum():g})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Confusion):
            return NotImplemented
        a, b = self.cells, other.cells
        return self.labels == other.labels and all(
            np.array_equal(x, y) for x, y in ((a.true, b.true), (a.predicted, b.predicted), (a.value, b.value))
        )

    __hash__ = None  # type: ignore[assignment]  # compared by value, as arrays are

    def measure(
        self,
        name: str,
        pos_label: Label | None = None,
        *,
        confidence: float = 0.95,
        method: str = "auto",
        draws: int = 10_000,
        random_state: int | np.random.Generator | None = None,
        **options: Any,
    ) -> Estimate:
        """One measure of this table with its interval."""
        from surefold.estimates.of_table import measure_table

        return measure_table(
            self,
            name,
            pos_label=pos_label,
            confidence=confidence,
            method=method,
            draws=draws,
            random_state=random_state,
            options=options,
        )


def _checked(counts: ArrayLike, rows: Orientation) -> NDArray[np.float64]:
    try:
        if np.iscomplexobj(counts):
            raise TypeError
        table = np.asarray(counts, dtype=float)
    except (OverflowError, TypeError, ValueError) as error:
        raise InputError("bad_table", "the table is not made of numbers", cure="give k rows of k counts") from error
    if table.ndim < 2 or table.shape[-1] != table.shape[-2] or table.shape[-1] == 0:
        shape = " x ".join(map(str, table.shape)) or "a single number"
        raise InputError("bad_table", f"the table is {shape}, not square", cure="give k rows of k counts")
    if not np.isfinite(table).all():
        raise InputError("bad_table", "the table has a count that is not finite", cure="give counts or weights >= 0")
    if (table < 0).any():
        raise InputError("bad_table", "the table has a negative count", cure="give counts or weights >= 0")
    if not table.sum() > 0:
        raise InputError("bad_table", "the table holds no rows: every count is zero", cure="count at least one row")
    return np.swapaxes(table, -1, -2) if rows == "predicted" else table


def _cells_of(counts: NDArray[np.float64]) -> SparseCounts:
    true, predicted = np.nonzero(counts)
    return SparseCounts(counts.shape[-1], true, predicted, counts[true, predicted])


def named_square(frame: Any, labels: Sequence[Label], code: str) -> NDArray[Any]:
    """The values of a data frame with named rows and columns, in the order of the labels."""
    names = [_plain(tuple(axis)) for axis in (frame.index, frame.columns)]
    if any(sorted(map(repr, axis)) != sorted(map(repr, labels)) for axis in names):
        listed = " and ".join(", ".join(map(repr, axis[:6])) for axis in names)
        cure = f"name rows and columns by the labels: {', '.join(map(repr, labels[:6]))}"
        raise InputError(code, f"the frame names rows and columns {listed}", cure=cure)
    rows, columns = ([axis.index(label) for label in labels] for axis in names)
    return np.asarray(frame)[np.ix_(rows, columns)]


def _plain(labels: Sequence[Label]) -> tuple[Label, ...]:
    try:
        names = tuple(label.item() if isinstance(label, np.generic) else label for label in labels)
        hash(names)
    except TypeError:
        problem = f"labels= is {show(labels)}, no list of labels"
        raise InputError("bad_table", problem, cure="give one label a row of the table") from None
    return names


def _sum(
    a: NDArray[np.float64] | SparseCounts, b: NDArray[np.float64] | SparseCounts
) -> NDArray[np.float64] | SparseCounts:
    if isinstance(a, SparseCounts) and isinstance(b, SparseCounts):
        return a + b
    if isinstance(a, SparseCounts) or isinstance(b, SparseCounts):
        raise AssertionError("tables over the same labels are held the same way")
    return np.asarray(a + b)
