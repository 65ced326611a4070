"""The candidate's rows in one file and the baseline's in another: one table, once both speak of the same rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from surefold.errors import InputError, show
from surefold.inputs.columns import number_column
from surefold.inputs.tables import Table

if TYPE_CHECKING:
    import polars

__all__ = ["TwoFiles"]

#: Weights that one file holds in single precision and the other in double differ by less than this share.
_SINGLE = 1e-6


@dataclass(frozen=True)
class TwoFiles:
    """The new file and the old one, and for each row of the new one its place in the old one."""

    new: Table
    old: Table
    place: NDArray[np.intp]

    @classmethod
    def matched(cls, new: Table, old: Table, row_id: str) -> TwoFiles:
        """Rows matched by their ids; InputError where an id is missing, repeated or in one file only."""
        first, second = (_ids(table, row_id) for table in (new, old))
        known = {name: i for i, name in enumerate(second)}
        for table, have, others, path in ((new, first, known, old.path), (old, second, set(first), new.path)):
            absent = [i + 1 for i, name in enumerate(have) if name not in others]
            if absent:
                problem = f"ids such as {show(have[absent[0] - 1])} are not in {path}"
                cure = "give both files the same rows"
                raise table.locate(InputError("different_rows", problem, rows=absent[:3], count=len(absent), cure=cure))
        return cls(new, old, np.array([known[name] for name in first]))

    def same_labels(self, what: str, column: str, *, strip: bool = False, fold: bool = False) -> None:
        """InputError where the rows of a column of labels or groups differ: as text and, 1 and 1.0, as numbers."""
        was, now = (_text(table, column, strip, fold) for table in (self.old, self.new))
        was = was.gather(self.place)
        differ = np.flatnonzero(was.ne_missing(now).to_numpy())
        each = zip(differ.tolist(), was.gather(differ), now.gather(differ), strict=True)
        cure = "compare answers to the same rows"
        self._refuse(what, [(i, a, b) for i, a, b in each if not _one_number(a, b)], cure)

    def same_numbers(self, what: str, column: str) -> None:
        """InputError where the rows of a column of numbers differ."""
        read = []
        for table in (self.old, self.new):
            try:
                read.append(number_column(table, column))
            except InputError as error:
                raise table.locate(error) from None
        was, now = read[0][self.place], read[1]
        differ = np.flatnonzero(~np.isclose(was, now, rtol=_SINGLE, atol=0, equal_nan=True))
        self._refuse(what, [(i, float(was[i]), float(now[i])) for i in differ.tolist()], "give each row one weight")

    def in_both(self, column: str) -> bool:
        """Whether the old file has this column too; the new one must."""
        self.new.name_of(column)
        return any(c.strip() == column.strip() for c in self.old.columns)

    def joined(self, columns: dict[str, polars.Series]) -> Table:
        """The new file with these columns beside its own."""
        extra = [c.alias(str(len(self.new.columns) + i)) for i, c in enumerate(columns.values())]
        return replace(self.new, columns=(*self.new.columns, *columns), frame=self.new.frame.with_columns(extra))

    def _refuse(self, what: str, differ: list[tuple[int, object, object]], cure: str) -> None:
        if differ:
            _, was, now = differ[0]
            problem = (
                f"{what} of the same rows is another in {self.old.path}, such as {show(was, 40)} for {show(now, 40)}"
            )
            rows = [i + 1 for i, *_ in differ[:3]]
            raise self.new.locate(InputError("different_rows", problem, rows=rows, count=len(differ), cure=cure))


def _ids(table: Table, row_id: str) -> list[str]:
    import polars

    column = table.column(row_id).cast(polars.String)
    missing = column.is_null() | (column.fill_null("").str.strip_chars() == "")
    for odd, what in ((missing, "is missing"), (column.is_duplicated(), "is not unique")):
        rows = np.flatnonzero(odd.to_numpy()) + 1
        if len(rows):
            problem, cure = f"the id in column {row_id!r} {what}", "name every row by an id of its own"
            raise table.locate(
                InputError("different_rows", problem, rows=rows[:3].tolist(), count=len(rows), cure=cure)
            )
    return column.to_list()


def _text(table: Table, column: str, strip: bool, fold: bool) -> polars.Series:
    import polars

    text = table.column(column).cast(polars.String)
    text = text.str.strip_chars() if strip else text
    return text.map_elements(str.casefold, polars.String) if fold else text


def _one_number(first: object, second: object) -> bool:
    """Whether two texts are one number, as tools write whole numbers with and without a point."""
    try:
        return Decimal(str(first)) == Decimal(str(second))
    except InvalidOperation:
        return False
