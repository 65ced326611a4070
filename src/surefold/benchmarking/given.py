"""Tables that people bring, such as figures from a paper: arrays, mappings and data frames."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefold.benchmarking.table import ValueTable
from surefold.errors import InputError, UnknownNameError, show
from surefold.measures import catalogue
from surefold.measures.measure import Better

__all__ = ["checked_names", "given_table"]

Names = tuple[str, ...]
_NO_VALUE = "no value was given"


def given_table(
    values: Any,
    models: Sequence[str] | None = None,
    datasets: Sequence[str] | None = None,
    measure: str = "value",
    better: str | None = None,
) -> ValueTable:
    """Data sets by models, from whatever holds numbers; names that are not said come from the table, or are made up."""
    cells, columns, rows = _read(values)
    if cells.ndim != 2 or not cells.size:
        raise InputError("bad_shape", f"values has shape {cells.shape}", cure="give a row a data set, a column a model")
    if np.isinf(cells).any():
        at = (np.flatnonzero(np.isinf(cells).any(axis=1)) + 1).tolist()
        raise InputError("missing_value", "values holds infinity", rows=at, count=len(at), cure="leave the cell empty")
    n, k = cells.shape
    model_names = checked_names("models", models if models is not None else columns, k, "model")
    dataset_names = checked_names("datasets", datasets if datasets is not None else rows, n, "data set")
    lacking = np.argwhere(np.isnan(cells)).tolist()
    reasons = {(dataset_names[i], model_names[j]): _NO_VALUE for i, j in lacking}
    return ValueTable(measure, _direction(measure, better), dataset_names, model_names, cells, reasons)


def checked_names(option: str, names: Iterable[Any] | None, count: int, kind: str) -> Names:
    """As many different names as there are; made up where none are given."""
    if names is None:
        return tuple(f"{kind} {i + 1}" for i in range(count))
    found = tuple(str(name) for name in names)
    if len(found) != count:
        problem = f"{option} has {len(found)} names, and there are {count} {kind}s"
        raise InputError("length_mismatch", problem, cure=f"give one name a {kind}")
    twice = [name for name in found if found.count(name) > 1]
    if twice:
        raise InputError("bad_option", f"two {kind}s are called {show(twice[0])}", cure="give each its own name")
    return found


def _direction(measure: str, better: str | None) -> Better:
    """What was said; else what the catalogue says of a measure by that name; else higher."""
    if not isinstance(measure, str) or not measure.strip():
        raise InputError("bad_option", f"measure is {show(measure)}", cure="name what the values are")
    if better not in (None, "higher", "lower"):
        raise UnknownNameError("direction", better, ("higher", "lower"))
    try:
        known = catalogue[measure].better
    except UnknownNameError:
        known = "neither"
    if better is None:
        return known if known != "neither" else "higher"
    if known not in (better, "neither"):
        problem = f"better={better!r}, and of {measure} the {known} is better"
        raise InputError("bad_option", problem, cure="leave better= out, or call the measure by another name")
    return "higher" if better == "higher" else "lower"


def _read(values: Any) -> tuple[NDArray[np.float64], Iterable[Any] | None, Iterable[Any] | None]:
    """The numbers, and the names of columns and rows where there are some."""
    if isinstance(values, Mapping):
        return _mapping(values)
    if hasattr(values, "shape") and hasattr(values, "columns"):
        return _frame(values)
    return _numbers(values), None, None


def _mapping(values: Mapping[Any, Any]) -> tuple[NDArray[np.float64], Iterable[Any], Iterable[Any] | None]:
    """A column a model; columns that are mappings themselves are by data set."""
    if not values:
        raise InputError("no_rows", "values is empty", cure="give a column of numbers a model")
    columns = list(values.values())
    if all(isinstance(column, Mapping) for column in columns):
        rows = list(dict.fromkeys(name for column in columns for name in column))
        return _numbers([[column.get(row) for column in columns] for row in rows]), list(values), rows
    lists = [
        list(column) if isinstance(column, Iterable) and not isinstance(column, str | Mapping) else None
        for column in columns
    ]
    for name, column in zip(values, lists, strict=True):
        if column is None or len(column) != len(lists[0] or []):
            problem = f"the column of {name} is {show(values[name])}"
            raise InputError("length_mismatch", problem, cure="give every model a list with a number a data set")
    return _numbers(list(zip(*(column for column in lists if column is not None), strict=True))), list(values), None


def _frame(frame: Any) -> tuple[NDArray[np.float64], Iterable[Any], Iterable[Any] | None]:
    """A pandas or polars frame: a first column of text names the data sets, else pandas' index where it has names."""
    columns, cells, names = list(frame.columns), np.asarray(frame.to_numpy(), dtype=object), None
    if columns and len(cells) and all(isinstance(cell, str) for cell in cells[:, 0]):
        names, columns, cells = cells[:, 0].tolist(), columns[1:], cells[:, 1:]
    else:
        index = getattr(frame, "index", None)
        if index is not None and type(index).__name__ != "RangeIndex":
            names = list(index)
    return _numbers(cells.tolist()), columns, names


def _numbers(values: Any) -> NDArray[np.float64]:
    """Floats with NaN for what is missing; text that is no number is refused with its place."""
    if np.ma.isMaskedArray(values):
        values = np.ma.filled(values.astype(float), np.nan)
    if isinstance(values, np.ndarray) and values.dtype.kind in "biuf":
        return np.array(values, dtype=float)
    try:
        rows = [[_number(cell) for cell in row] for row in values]
        return np.array(rows, dtype=float)
    except (TypeError, ValueError):
        raise InputError(
            "not_an_array",
            f"values is no table of numbers: {show(values)}",
            cure="give a row a data set, each with a number a model; None where there is none",
        ) from None


def _number(cell: Any) -> float:
    if cell is None or type(cell).__name__ in ("NAType", "MaskedConstant"):
        return float("nan")
    if isinstance(cell, str | bytes):
        raise TypeError
    return float(cell)
