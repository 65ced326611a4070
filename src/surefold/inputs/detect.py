"""Whether answers are scores or labels: the one detector, for arrays and for the first rows of files."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefold.errors import InputError

from .door import Columns
from .raw import raw_column
from .tables import Table

__all__ = ["fractional", "holds_scores", "refuse_scores"]

Array = NDArray[np.float64]

#: From this many distinct whole numbers on, most of them no label of the truth, answers are taken for scores.
MANY_VALUES = 20
#: So many rows tell whether text may be numbers.
TELLING_ROWS = 1000


def holds_scores(columns: Columns[Any], head: Table | None = None) -> bool:
    """Whether some model's answers are scores: between whole numbers, mostly no label of the truth, or one a class.

    With the first rows of a source, columns are names in it.

    >>> from surefold.inputs.door import Answers
    >>> holds_scores(Columns([0, 1], {"a": Answers([0, 1]), "b": Answers([0.3, 0.9])}))
    True
    """
    for name, one in columns.models.items():
        if len(one.scores) > 1:
            return True
        column = one.scores[0] if one.pred is None else one.pred
        try:
            numbers = _of_array(column, f"model {name!r}") if head is None else _of_head(head, columns.truth, column)
        except InputError as error:
            if error.code in ("multilabel", "bad_shape"):  # one column a class
                return True
            raise
        if _are_scores(numbers, lambda: _labels(columns.truth, head)):
            return True
    return False


def refuse_scores(table: Table, truth: str, name: str, cure: str) -> None:
    """InputError where text such as 0.731 stands where labels belong: each would be a class of its own."""
    import polars

    head = table.column(name).head(TELLING_ROWS)
    if head.dtype != polars.String and not head.dtype.is_float():
        return
    if not len(fractional(_of_head(table, truth, name, TELLING_ROWS))):
        return
    odd = fractional(_of_head(table, truth, name))
    if not len(odd):
        return
    rows, problem = (odd[:3] + 1).tolist(), f"column {name!r} holds fractional numbers, not labels"
    raise table.locate(InputError("looks_like_scores", problem, rows=rows, count=len(odd), cure=cure))


def fractional(numbers: NDArray[Any]) -> NDArray[np.intp]:
    """Rows whose number lies between whole ones."""
    if numbers.dtype.kind != "f":
        return np.zeros(0, dtype=np.intp)
    with np.errstate(invalid="ignore"):
        return np.flatnonzero(np.isfinite(numbers) & (np.rint(numbers) != numbers))


def _are_scores(numbers: NDArray[Any], labels: Callable[[], NDArray[Any]]) -> bool:
    """Whether numbers lie between whole ones, or are many of which most are no label of the truth."""
    if len(fractional(numbers)):
        return True
    distinct = np.unique(numbers[np.isfinite(numbers)])
    if len(distinct) < MANY_VALUES:
        return False
    known = labels()
    return bool(np.isin(distinct, known if known.dtype.kind in "biuf" else _as_numbers(known)).mean() < 0.5)


def _labels(truth: Any, head: Table | None) -> NDArray[Any]:
    return _values(truth, "y_true") if head is None else head.column(truth).to_numpy()


def _of_array(column: Any, name: str) -> NDArray[Any]:
    """The values of a column of numbers; nothing of any other."""
    values = _values(column, name)
    return values if values.dtype.kind in "iuf" else np.zeros(0)


def _values(column: Any, name: str) -> NDArray[Any]:
    """The values of a column; of categories, each once."""
    raw = raw_column(column, name)
    return np.asarray(raw.data if raw.categories is None else raw.categories)


def _of_head(head: Table, truth: Any, name: str, rows: int | None = None) -> Array:
    """The numbers of a column, NaN where it holds none; all of them NaN where a label of the truth looks like one."""
    import polars

    column = head.column(name) if rows is None else head.column(name).head(rows)
    text = column.cast(polars.String, strict=False)
    numbers = text.cast(polars.Float64, strict=False).to_numpy()
    odd = fractional(numbers)
    if not len(odd):
        return numbers
    labels = head.column(truth).cast(polars.String, strict=False)
    return np.full(len(numbers), np.nan) if text[int(odd[0])] in set(labels.unique().to_list()) else numbers


def _as_numbers(labels: NDArray[Any]) -> Array:
    """Those labels that are numbers, however they are written."""
    found = []
    for label in (np.unique(labels) if labels.dtype.kind == "U" else labels.ravel()).tolist():
        try:
            found.append(float(label))
        except (TypeError, ValueError):
            continue
    return np.array(found)
