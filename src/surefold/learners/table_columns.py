"""Columns of a table in whatever form it has: rows, an array, a frame of pandas or polars, a table of pyarrow."""

from __future__ import annotations

from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
from scipy.sparse import issparse

from surefold.errors import InputError
from surefold.given import Features

__all__ = ["column_kind", "column_names", "column_values", "is_missing", "is_number", "shape_of", "table_shape"]

#: How the types of columns begin that hold no numbers though their cells turn into some, such as days since 1970.
_NO_NUMBERS = ("date", "time", "duration", "period", "interval", "list", "large_list", "array", "struct", "map")


def table_shape(X: Features) -> tuple[int, int]:
    """Rows and columns; InputError where there are none, or no table."""
    if issparse(X):
        raise InputError("bad_shape", "X is a sparse matrix, which is not supported", cure="pass X.toarray()")
    shape = shape_of(X)
    if len(shape) != 2:
        raise InputError("bad_shape", f"X has {len(shape)} dimensions", cure="give a table: rows and columns")
    if shape[0] == 0 or shape[1] == 0:
        raise InputError("no_rows", f"X has {shape[0]:,} rows and {shape[1]:,} columns", cure="give some of both")
    return shape[0], shape[1]


def shape_of(X: Features) -> tuple[int, ...]:
    """How long X is in each of its dimensions; nothing of a sparse matrix, which scikit-learn's check refuses."""
    if issparse(X):
        return ()
    shape = getattr(X, "shape", None)
    return tuple(int(k) for k in (np.asarray(X, dtype=object).shape if shape is None else shape))


def column_names(X: Features) -> list[str]:
    """The names of the columns of a frame; none of rows and arrays."""
    return [str(name) for name in getattr(X, "column_names", getattr(X, "columns", ()))]


def _column(X: Features, j: int) -> Any:
    if hasattr(X, "iloc"):
        return X.iloc[:, j]
    if hasattr(X, "to_series"):
        return X.to_series(j)
    if hasattr(X, "column_names") and hasattr(X, "column"):
        return X.column(j)
    return np.asarray(X, dtype=None if hasattr(X, "dtype") else object)[:, j]


def column_values(X: Features, j: int) -> list[Any]:
    """The cells of one column, as Python's own values where they have such."""
    column = _column(X, j)
    for way in ("to_list", "to_pylist", "tolist"):
        if hasattr(column, way) and getattr(getattr(column, "dtype", None), "kind", "") not in ("m", "M"):
            return list(getattr(column, way)())
    return list(column)


def column_kind(X: Features, j: int) -> str:
    """The type of a column in the words of its table, in small letters."""
    column = _column(X, j)
    return str(getattr(column, "dtype", getattr(column, "type", ""))).lower()


def holds_no_numbers(X: Features) -> bool:
    """Whether a column is declared as one of instants, durations or lists."""
    shape = shape_of(X) if hasattr(X, "shape") else ()
    if len(shape) != 2:
        return False
    each = range(shape[1] if hasattr(X, "columns") else min(shape[1], 1))  # an array has one type
    return any(column_kind(X, j).startswith(_NO_NUMBERS) for j in each)


def is_missing(value: object) -> bool:
    """Whether a cell is None, NA, NaT or NaN."""
    return value is None or type(value).__name__ in ("NAType", "NaTType") or bool(np.all(value != value))


def is_number(value: object) -> bool:
    """Whether a cell is a number or true or false, or text that reads as a number.

    >>> [is_number(v) for v in (1, 2.5, True, "3.5", "red", 1j, [1.0])]
    [True, True, True, True, False, False, False]
    """
    if isinstance(value, str | bytes):
        try:
            float(value)
        except ValueError:
            return False
        return True
    return isinstance(value, Real | Decimal | np.bool_) and not isinstance(value, np.timedelta64)
