"""Columns of a file as features: numbers as numbers, words as categories, and no guess where a column mixes both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from surefold.errors import InputError, show
from surefold.findings import Finding
from surefold.inputs.scores import parse_numbers
from surefold.inputs.tables import Table
from surefold.resampling.row_names import is_numbering, named, names_rows, row_names_finding

if TYPE_CHECKING:
    import polars

__all__ = ["Features", "feature_names", "read_features", "read_times"]

#: From this share of numbers on, the words in a column are taken for mistakes.
MOSTLY = 0.5


@dataclass(frozen=True, eq=False)
class Features:
    """The features as a polars frame; which columns hold words, and which never vary.

    Columns that look like names of rows, which models learn by heart: `left_out` are not in the frame, `like_ids` are.
    """

    frame: polars.DataFrame = field(repr=False)
    text: tuple[str, ...] = ()
    constant: tuple[str, ...] = ()
    like_ids: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What was noticed about the columns."""
        found = []
        if self.left_out:
            text = f"Left out {named(self.left_out)}: most rows have a value of their own there, as if it named them; "
            text += "--categorical or --features keeps it."
            found.append(Finding.of("row_names_left_out", text, columns=list(self.left_out)))
        if self.like_ids:
            found.append(row_names_finding(self.like_ids))
        return tuple(found)

    @property
    def prepared(self) -> tuple[str, ...]:
        """Lines for the person who waits, before the first fit: what is left out, and how words are taken."""
        lines = [finding.sentence for finding in self.findings]
        if self.text:
            levels = ", ".join(f"{show(name)} ({self.frame[name].n_unique():,})" for name in self.text[:5])
            more = f" and {len(self.text) - 5:,} more" if len(self.text) > 5 else ""
            one = "those that a training part has once count as one"
            lines.append(f"Words as one column a level, {one}: {levels}{more}.")
        return tuple(lines)

    @property
    def numeric(self) -> tuple[str, ...]:
        """Those that are numbers."""
        return tuple(name for name in self.frame.columns if name not in self.text)

    def refuse_missing(self, table: Table) -> None:
        """InputError that names the columns, how many values are missing in each, and the first rows."""
        counts = {name: self.frame[name].null_count() for name in self.frame.columns}
        counts = {name: count for name, count in counts.items() if count}
        if not counts:
            return
        told = ", ".join(f"{show(name)} ({count:,})" for name, count in list(counts.items())[:5])
        more = f" and {len(counts) - 5:,} more columns" if len(counts) > 5 else ""
        bad = np.zeros(self.frame.height, dtype=bool)
        for name in counts:
            bad |= self.frame[name].is_null().to_numpy()
        rows = (np.flatnonzero(bad) + 1).tolist()
        error = InputError("bad_features", f"values are missing in {told}{more}", rows=rows, count=len(rows),
                           cure="fill them in inside each training part with --impute, or --drop the columns"
                           )  # fmt: skip
        raise table.locate(error)


def feature_names(
    table: Table, taken: Sequence[str], features: Sequence[str] = (), drop: Sequence[str] = ()
) -> list[str]:
    """The columns to learn from, as the header spells them: those asked for, or all that have no other part."""
    used = [table.name_of(name) for name in taken]
    dropped = [table.name_of(name) for name in drop]
    if features:
        named = [table.name_of(name) for name in features]
        for name in named:
            if name == used[0]:
                raise InputError("bad_features", f"{show(name)} is the target, so it cannot be a feature",
                                 source=table.path, cure="leave it out of --features")  # fmt: skip
    else:
        named = [name for name in table.columns if name not in used]
    kept = list(dict.fromkeys(name for name in named if name not in dropped))
    if not kept:
        raise InputError("bad_features", "no column is left to learn from", source=table.path,
                         cure="say which with --features, or --drop fewer")  # fmt: skip
    for name in kept:
        table.name_of(name)  # a name that stands in the header twice is refused
    return kept


def read_features(
    table: Table, names: Sequence[str], categorical: Sequence[str] = (), leave_out: bool = True
) -> Features:
    """The columns as a polars frame of float64 and text, missing values as null.

    `leave_out` those that look like names of rows, but for what was declared categorical: words that mostly occur once,
    and numberings without a gap. Where nothing would be left to learn from, they stay.
    """
    import polars as pl

    declared = {table.name_of(name) for name in categorical}
    unused = declared - set(names)
    if unused:
        raise InputError("bad_option", f"--categorical {sorted(unused)[0]} is not among the features",
                         cure="name a feature, or leave it out")  # fmt: skip
    columns = [_column(table, name, name in declared) for name in names]
    like_ids = [c.name for c in columns if c.name not in declared and names_rows(c.to_numpy())]
    out = [c.name for c in columns if c.name in like_ids and (c.dtype == pl.String or is_numbering(c.to_numpy()))]
    if not leave_out or len(out) == len(columns):
        out = []
    kept = [c for c in columns if c.name not in out]
    text = tuple(c.name for c in kept if c.dtype == pl.String)
    constant = tuple(c.name for c in kept if c.drop_nulls().n_unique() <= 1)
    return Features(pl.DataFrame(kept), text, constant, tuple(n for n in like_ids if n not in out), tuple(out))


def _column(table: Table, name: str, is_categorical: bool) -> polars.Series:
    import polars as pl

    column = table.column(name)
    if is_categorical:
        text = column.cast(pl.String) if column.dtype != pl.String else column
        return text.set(text.str.strip_chars() == "", None)
    if column.dtype != pl.String:
        if not (column.dtype.is_numeric() or column.dtype == pl.Boolean):
            raise InputError("bad_features", f"column {show(name)} holds {column.dtype} values", source=table.path,
                             cure="write it as numbers or text, or --drop it")  # fmt: skip
        numbers = column.cast(pl.Float64)
        _refuse_infinite(table, numbers, name)
        return numbers.fill_nan(None)
    return _from_text(table, column, name)


def _from_text(table: Table, column: polars.Series, name: str) -> polars.Series:
    """Numbers where every value is one; words where most are none; refused in between."""
    import polars as pl

    plain = column.str.strip_chars()
    if table.decimal == ",":
        plain = plain.str.replace_all(".", "?", literal=True).str.replace(",", ".", literal=True)
    missing = column.is_null() | (plain == "").fill_null(True) | (plain.str.to_lowercase() == "nan").fill_null(False)
    numbers = plain.cast(pl.Float64, strict=False).set(missing, None)
    words = numbers.is_null() & ~missing
    there = int((~missing).sum())
    if there == 0 or not words.any():
        _refuse_infinite(table, numbers, name)
        return numbers
    share = 1 - int(words.sum()) / there
    if share < MOSTLY:
        return column.set(missing, None)
    rows = (np.flatnonzero(words.to_numpy()) + 1).tolist()
    try:  # the door for numbers knows decimal commas, thousands and percent signs
        parse_numbers([column[rows[0] - 1]], f"column {name!r}", table.decimal, rows[:1])
    except InputError as error:
        problem, cure = error.problem, error.cure if error.code != "number_format" else ""
        cure = cure if cure.startswith(("read it", "write")) else "correct them, or leave them blank and use --impute"
        told = InputError(
            error.code, f"{problem}, and {share:.0%} of the column are numbers", rows=rows, count=len(rows),
            cure=f"{cure}; or say --categorical {show(name)} if its values are names",
        )  # fmt: skip
        raise table.locate(told) from None
    return numbers


def _refuse_infinite(table: Table, numbers: polars.Series, name: str) -> None:
    infinite = np.flatnonzero(numbers.is_infinite().fill_null(False).to_numpy())
    if len(infinite):
        raise table.locate(InputError("bad_features", f"column {show(name)} holds infinite values",
                           rows=(infinite + 1).tolist(), count=len(infinite), cure="write finite numbers"
                           ))  # fmt: skip


def read_times(table: Table, name: str) -> Any:
    """When each row was: numbers, dates, or text that is in order as text because it begins with the year."""
    import polars as pl

    column = table.column(name)
    if column.null_count():
        rows = (np.flatnonzero(column.is_null().to_numpy()) + 1).tolist()
        error = InputError("bad_option", f"column {show(name)} has no time", rows=rows, count=len(rows),
                           cure="give every row a time, or leave those rows out")  # fmt: skip
        raise table.locate(error)
    if column.dtype != pl.String:
        return column.to_numpy()
    numbers = column.str.strip_chars().cast(pl.Float64, strict=False)
    if not numbers.null_count():
        return numbers.to_numpy()
    dates = column.str.contains(r"^\s*\d{4}-\d{2}(-\d{2}([T ].*)?)?\s*$")
    if not dates.all():
        rows = (np.flatnonzero(~dates.to_numpy()) + 1).tolist()
        error = InputError("bad_option", f"column {show(name)} holds {show(column[rows[0] - 1])}, neither a number nor "
                           "a date as in 2024-05-31", rows=rows, count=len(rows),
                           cure="write times as numbers or as year-month-day")  # fmt: skip
        raise table.locate(error)
    return column.str.strip_chars().to_numpy()
