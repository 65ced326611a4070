"""The columns of one part of the rows, checked as the door checks them and made ready to be counted.

What can be told of a part alone is checked here: values that are missing, that are no numbers, or that cannot be
labels. What needs all labels (kinds that differ, the positive class) is checked once, on the distinct labels of all
parts together, by the door itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from surefold.errors import InputError, show

from .columns import as_in_column, number_column
from .labels import encode_labels
from .levels import plain_series
from .raw import GROUP_CURE, Mask, first_rows
from .scores import clip_of
from .tables import Table
from .weights import read_weights

if TYPE_CHECKING:
    import polars

__all__ = ["Batch", "Roles", "as_said", "read_batch", "read_labels"]


@dataclass(frozen=True)
class Roles:
    """Which columns hold what; labels and scores have one column a model."""

    truth: str
    predicted: tuple[str, ...] = ()
    scores: tuple[str, ...] = ()
    weight: str | None = None
    group: str | None = None
    drop_missing: bool = False
    by: tuple[str, ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        """Every column that has a role."""
        extra = tuple(c for c in (self.weight, self.group) if c is not None)
        return tuple(dict.fromkeys((self.truth, *self.predicted, *self.scores, *extra, *self.by)))


@dataclass(frozen=True, eq=False)
class Batch:
    """Checked columns of some rows: labels and groups as series, scores and weights as float64."""

    truth: polars.Series
    predicted: tuple[polars.Series, ...] = ()
    scores: tuple[NDArray[np.float64], ...] = ()
    clips: tuple[float, ...] = ()  # of the logarithm of each column of scores
    weights: NDArray[np.float64] | None = None
    groups: polars.Series | None = None
    by: tuple[polars.Series, ...] = ()  # what rows are sliced by, as it stands in the part
    dropped: Mapping[str, int] = field(default_factory=dict)  # rows left out, by what they miss; "" is all of them

    @property
    def n(self) -> int:
        """How many rows there are."""
        return len(self.truth)


def read_batch(table: Table, roles: Roles) -> Batch:
    """The batch of one table; InputError with the rows that cannot be used."""
    truth = read_labels(table, roles.truth)
    predicted = [read_labels(table, name) for name in roles.predicted]
    scores = [_numbers(table, name) for name in roles.scores]
    clips = tuple(clip_of(table.column(name).dtype) for name in roles.scores)
    weights = None if roles.weight is None else _weights(table, roles.weight)
    groups = None if roles.group is None else _groups(table, roles.group)
    by = tuple(plain_series(table.column(name)) for name in roles.by)
    missing: list[tuple[str, str, Mask]] = []
    for name, column in zip((roles.truth, *roles.predicted), (truth, *predicted), strict=True):
        if column.null_count():
            missing.append((name, "label", column.is_null().to_numpy()))
    for name, values in zip(roles.scores, scores, strict=True):
        if values.size and np.isnan(values.min()):
            missing.append((name, "score", np.isnan(values)))
    if not missing:
        return Batch(truth, tuple(predicted), tuple(scores), clips, weights, groups, by)
    if not roles.drop_missing:
        name, what, mask = missing[0]
        rows, count = first_rows(mask)
        raise InputError(
            f"missing_{what}", f"column {name!r} has missing {what}s", rows=rows, count=count,
            cure="drop them with drop_missing=True (--drop-missing)",
        )  # fmt: skip
    drop = np.logical_or.reduce([mask for _, _, mask in missing])
    counts = {name: int(np.count_nonzero(mask)) for name, _, mask in missing}
    keep = ~drop
    return Batch(
        truth.filter(keep),
        tuple(p.filter(keep) for p in predicted),
        tuple(s[keep] for s in scores),
        clips,
        None if weights is None else weights[keep],
        None if groups is None else groups.filter(keep),
        tuple(column.filter(keep) for column in by),
        counts | {"": int(np.count_nonzero(drop))},
    )


def as_said(value: Any, column: polars.Series) -> Any:
    """A label typed as text as the kind of label that a column holds."""
    return as_in_column(value, column)


def read_labels(table: Table, name: str) -> polars.Series:
    """A column of labels in one of a few types, so that parts written differently can meet; missing is null."""
    import polars

    column, title = table.column(name), f"column {name!r}"
    kind = column.dtype
    if kind in (polars.String, polars.Boolean, polars.Int64) or isinstance(kind, polars.Enum):
        return column
    if isinstance(kind, polars.Categorical) or kind == polars.Null:  # a column of nulls alone has no type of its own
        return column.cast(polars.String)
    if kind.is_integer():
        return column.cast(polars.Int128 if kind == polars.UInt64 else polars.Int64)
    if kind.is_float():
        column = column.fill_nan(None)
        if (column.drop_nulls().round() != column.drop_nulls()).any() or column.is_infinite().any():
            encode_labels(column, title)  # refuses, with the rows
        return column.cast(_int_type(column))
    return _as_text(column, title)


def _as_text(column: polars.Series, title: str) -> polars.Series:
    """Dates and the like as the labels they are, the same from every unit; what is no label is refused."""
    import polars

    coded = encode_labels(column, title)
    made = polars.Series(column.name, coded.values).gather(coded.codes)
    if coded.missing is None:
        return made
    return polars.select(polars.when(polars.Series(~coded.missing)).then(made)).to_series()


def _int_type(column: polars.Series) -> Any:
    """The type that holds whole floats: 64 bits, or 128 where those are too few."""
    import polars

    ends = [v for v in (column.min(), column.max()) if v is not None]
    return polars.Int128 if any(not -(2**63) <= v < 2**63 for v in ends) else polars.Int64  # type: ignore[operator]


def _numbers(table: Table, name: str) -> NDArray[np.float64]:
    import polars

    if table.column(name).dtype == polars.Null:
        return np.full(table.n, np.nan)
    return number_column(table, name)


def _weights(table: Table, name: str) -> NDArray[np.float64]:
    values = _numbers(table, name)
    if not values.size or values.min() == values.max() == 0:
        return values  # no rows, or all of weight zero: an error only if every part is so
    return read_weights(values, f"column {name!r}", part=True)


def _groups(table: Table, name: str) -> polars.Series:
    """Groups as ints, floats or text: 7 and 7.0 are one group, whatever types the parts were written with."""
    import polars

    column = table.column(name)
    kind = column.dtype
    if isinstance(kind, polars.Decimal):
        column = column.cast(polars.Float64)
    if column.dtype.is_float():
        column = column.fill_nan(None)
    if column.null_count():
        rows, count = first_rows(column.is_null().to_numpy())
        raise InputError("missing_group", f"column {name!r} is missing", rows=rows, count=count,
                         cure="name the group of every row")  # fmt: skip
    if kind.is_integer():
        return column.cast(polars.Int128 if kind == polars.UInt64 else polars.Int64)
    if column.dtype.is_float():
        whole = not column.is_infinite().any() and bool((column.round() == column).all())
        return column.cast(_int_type(column)) if whole else column
    if kind == polars.Duration:
        return column.dt.total_nanoseconds()
    if kind.is_nested() or kind == polars.Object:
        raise InputError("not_a_scalar", f"column {name!r} holds {show(column[0])}, which cannot name a group",
                         rows=[1], count=table.n, cure=GROUP_CURE)  # fmt: skip
    if kind in (polars.Date, polars.Datetime):
        return _as_text(column, f"column {name!r}")
    return column.cast(polars.String)
