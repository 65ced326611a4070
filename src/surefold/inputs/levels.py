"""What rows are sliced by: a column of values as levels, with their names and where each row stands among them.

Text has a level a value, and few numbers have too; more numbers are cut, at quartiles unless it is said where. Text
of CSV that is all numbers is numbers. A column of True and False is a mask: its one level are the rows that it marks.
What is missing is a level of its own.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from surefold.errors import InputError, show

from .kinds import is_missing, kind_of, plain
from .options import Given
from .raw import columns_of, raw_column

if TYPE_CHECKING:
    import polars

__all__ = [
    "MISSING",
    "MOST_LEVELS",
    "Bins",
    "By",
    "Levels",
    "by_series",
    "is_numeric",
    "levels_of",
    "named_columns",
    "plain_series",
]

Array = NDArray[np.float64]
#: What rows are sliced by: a column, or columns by name; of a source names.
By = Given | Mapping[str, Given] | str | Sequence[str]
#: Into how many parts of equal size numbers are cut, or where.
Bins = int | Sequence[float]

MISSING = "(missing)"
#: Parts that numbers are cut into where nothing is said: at their quartiles.
QUARTERS = 4
#: A column of more distinct numbers than this is cut.
MOST_NUMBERS = 20
#: More levels than this are names of rows, not of slices.
MOST_LEVELS = 10_000
#: Whole numbers as people write them; what begins with a zero is a code.
_NUMBER = r"^\s*[+-]?(0|[1-9]\d*)?(\.\d*)?([eE][+-]?\d+)?\s*$"


@dataclass(frozen=True, eq=False)
class Levels:
    """The names of the levels, in order, and the place of each entry's level; -1: of none."""

    names: tuple[str, ...]
    codes: NDArray[np.intp]


def by_series(values: object, name: str) -> polars.Series:
    """A column of any library as a series of bools, whole numbers, floats or text; what is missing is null.

    >>> by_series(["north", None, "south"], "region").to_list()
    ['north', None, 'south']
    """
    import polars

    raw = raw_column(values, name)
    if raw.categories is not None:
        made = polars.Series([_text(v) for v in raw.categories], dtype=polars.String).gather(np.asarray(raw.data))
    elif isinstance(raw.data, list):
        kinds = {kind_of(type(v)) for v in raw.data if not is_missing(v)}
        kept = [None if is_missing(v) else v for v in raw.data]
        numeric = kinds <= {"int", "float"} or kinds <= {"bool"}
        made = polars.Series(kept if numeric else [None if v is None else _text(v) for v in kept], strict=False)
    elif raw.data.dtype.kind in "mM":
        made = polars.Series([None if is_missing(v) else _text(v) for v in raw.data], dtype=polars.String)
    else:
        made = polars.Series(raw.data.tolist() if raw.data.dtype.kind in "US" else raw.data)
    if raw.missing is not None:
        made = polars.select(polars.when(polars.Series(~raw.missing)).then(made)).to_series()
    return plain_series(made.alias(name))


def _text(value: object) -> str:
    return str(plain(value, "text")) if kind_of(type(value)) == "date" else str(value)


def plain_series(column: polars.Series) -> polars.Series:
    """A column in one of four types, so that parts written differently can meet."""
    import polars

    kind = column.dtype
    if kind == polars.Boolean:
        return column
    if kind.is_integer():
        return column.cast(polars.Int64, strict=False)
    if kind.is_float() or isinstance(kind, polars.Decimal):
        return column.cast(polars.Float64).fill_nan(None)
    if kind.is_nested() or kind == polars.Object:
        problem = f"column {show(column.name)} holds {kind} values, which name no slice"
        raise InputError("not_a_scalar", problem, cure="slice by text, numbers or True and False")
    text = column.cast(polars.String)
    return polars.select(polars.when(text != "").then(text)).to_series().alias(column.name)


def levels_of(
    column: polars.Series, times: Array | None = None, bins: Bins | None = None, *, parsed: bool = False
) -> Levels:
    """The levels of a column of entries, each of which stands for so many rows; `parsed`: numbers came as text.

    `bins=0` makes every number a level.

    >>> import polars
    >>> found = levels_of(polars.Series("age", [31.0, 64.5, 40.0, 52.0]), bins=[40, 60])
    >>> found.names, found.codes.tolist()
    (('under 40', '40 to 60', '60 and over'), [0, 2, 1, 1])
    """
    import polars

    column = _numbers(column) if parsed else column
    missing = column.is_null().to_numpy()
    if column.dtype == polars.Boolean:
        if bins is not None and bins != 0:
            raise _no_numbers(column)
        return Levels((column.name,), np.where(column.fill_null(False).to_numpy(), 0, -1).astype(np.intp))
    if column.dtype == polars.String:
        if bins is not None and bins != 0:
            raise _no_numbers(column)
        names, codes = _distinct(column)
    else:
        few = column.n_unique() - bool(missing.any()) <= MOST_NUMBERS
        if (bins is None and few) or (isinstance(bins, int) and bins == 0):
            values, codes = _distinct(column)
            names = [_written(float(v)) for v in values]
        else:
            numbers = column.cast(polars.Float64).fill_null(np.nan).to_numpy()
            names, codes = _cut(numbers, ~missing, times, QUARTERS if bins is None else bins)
    if len(names) > MOST_LEVELS:
        problem = f"column {show(column.name)} has {len(names):,} levels, which is no way to slice"
        raise InputError("bad_option", problem, cure=f"choose a column of at most {MOST_LEVELS:,}, or join its levels")
    if missing.any():
        codes = np.where(missing, len(names), codes)
        names = [*names, MISSING]
    return Levels(tuple(str(name) for name in names), codes.astype(np.intp))


def is_numeric(column: polars.Series, parsed: bool) -> bool:
    """Whether it holds numbers, or text that is all numbers where those are `parsed`."""
    return (_numbers(column) if parsed else column).dtype.is_numeric()


def _no_numbers(column: polars.Series) -> InputError:
    problem = f"bins were given for column {show(column.name)}, which holds no numbers"
    return InputError("bad_option", problem, cure="give bins= for columns of numbers, as {'age': [30, 60]}")


def _numbers(column: polars.Series) -> polars.Series:
    """Text that is all numbers as numbers."""
    import polars

    if column.dtype != polars.String or not column.unique().drop_nulls().str.contains(_NUMBER).all():
        return column
    numbers = column.str.strip_chars().cast(polars.Float64, strict=False)
    return numbers if numbers.null_count() == column.null_count() else column


def _distinct(column: polars.Series) -> tuple[list[Any], NDArray[np.intp]]:
    """The values that are there, in order, and where each entry's stands; missing entries get any place."""
    import polars

    values = column.drop_nulls().unique().sort()
    if column.dtype == polars.String:
        codes = column.cast(polars.Enum(values)).to_physical().fill_null(0).to_numpy()
    else:
        there = column.fill_null(values[0] if len(values) else 0).to_numpy()
        codes = np.searchsorted(values.to_numpy(), there)
    return values.to_list(), np.asarray(codes, dtype=np.intp)


def _written(value: float) -> str:
    """A number as people write it.

    >>> _written(7.0), _written(0.25)
    ('7', '0.25')
    """
    return str(int(value)) if value.is_integer() and abs(value) < 1e15 else f"{value:.6g}"


def _cut(numbers: Array, there: NDArray[np.bool_], times: Array | None, bins: Bins) -> tuple[list[str], Any]:
    """Numbers cut where it is said, or into parts of about equal size; by sizes alone, never by outcomes."""
    edges = _edges(numbers[there], None if times is None else times[there], bins)
    if not edges:
        return ["all"], np.zeros(len(numbers), dtype=np.intp)
    written = [_written(e) for e in edges]
    if len(set(written)) < len(written):
        written = [repr(e) for e in edges]
    middle = [f"{low} to {high}" for low, high in pairwise(written)]
    names = [f"under {written[0]}", *middle, f"{written[-1]} and over"]
    return names, np.searchsorted(np.asarray(edges), np.where(there, numbers, edges[0]), side="right")


def _edges(numbers: Array, times: Array | None, bins: Bins) -> list[float]:
    if isinstance(bins, bool) or (isinstance(bins, int | np.integer) and bins < 2):
        raise InputError(
            "bad_option", f"bins={show(bins)}", cure="give how many, 2 or more (0: no bins), or their edges"
        )
    if not isinstance(bins, int | np.integer):
        edges = sorted({float(edge) for edge in bins})
        if not edges or not np.isfinite(edges).all():
            raise InputError("bad_option", f"bins={show(bins)}", cure="give finite edges, as [30, 60]")
        return edges
    order = np.argsort(numbers, kind="stable")
    reached = np.cumsum(np.ones(len(order)) if times is None else times[order])
    wanted = reached[-1] * np.arange(1, int(bins)) / int(bins) if len(order) else np.zeros(0)
    found = numbers[order][np.minimum(np.searchsorted(reached, wanted + 1e-9, side="left"), max(len(order) - 1, 0))]
    if not len(found):
        return []
    least, greatest = float(numbers.min()), float(numbers.max())
    digits = 2 - math.floor(math.log10(max(greatest - least, 1e-300)))  # so that names say all of an edge
    rounded = np.unique(np.round(found, digits)) + 0.0
    return [edge for edge in rounded.tolist() if least < edge <= greatest]


def named_columns(given: object) -> dict[str, Any]:
    """What rows are sliced by, each column under its name."""
    if isinstance(given, Mapping):
        return {str(name): column for name, column in given.items()}
    columns = columns_of(given, "by")
    if columns is not None:
        return dict(columns)
    return {str(getattr(given, "name", None) or "slice"): given}
