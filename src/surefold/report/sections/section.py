"""A section of the page: where it stands, what draws it, and what it says."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

__all__ = ["Place", "Section", "Table"]

#: Above the desk; the panel of the desk that stays in view; beside that panel; below the desk.
Place = Literal["top", "panel", "beside", "below"]


#: A number, with its unit, its interval, or another one to which it runs.
ONE = r"[-\N{MINUS SIGN}]?[\d.,]+(e[-+]\d+)?%?"
NUMBERS = re.compile(rf"(< )?{ONE}( (ms|s|kB|MB))?( to {ONE})?( \[{ONE}, {ONE}\])?|\[{ONE}, {ONE}\]")
NO_NUMBER = ("", "\N{EN DASH}", "\N{INFINITY}", "undefined")


@dataclass(frozen=True)
class Section:
    """`template` is a file in page/sections; `data` is what it reads as `data`. One that exists is shown."""

    id: str
    title: str
    template: str
    place: Place = "below"
    data: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Table:
    """A table of texts, as the template draws it and as the script redraws it.

    The first column names the rows. `heat`, a string of digits a row, shades the cells from 0 to 9.
    """

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    heat: tuple[str, ...] = ()
    note: str = ""

    @property
    def numeric(self) -> tuple[bool, ...]:
        """Which columns hold numbers, or two with a word between them: they are set to the right.

        >>> Table.of(("a", "b", "c"), [("x", "-0.1 to 0.2", "0.5 (low)"), ("y", "", "1")]).numeric
        (False, True, False)
        """
        columns = list(zip(*self.rows, strict=True)) if self.rows else [()] * len(self.head)
        found = [any(NUMBERS.fullmatch(cell) for cell in column) for column in columns]
        alike = [all(cell in NO_NUMBER or NUMBERS.fullmatch(cell) for cell in column) for column in columns]
        return tuple(i > 0 and a and b for i, (a, b) in enumerate(zip(found, alike, strict=True)))

    @classmethod
    def of(cls, head: Sequence[str], rows: Sequence[Sequence[str]], note: str = "") -> Table:
        """A table of these rows; a last column in which nothing stands is left out.

        >>> Table.of(("Measure", "Value", "To know"), [("recall", "0.5", ""), ("f1", "0.6", "")]).head
        ('Measure', 'Value')
        """
        wide = len(head) - (len(head) > 2 and bool(rows) and not any(row[-1] for row in rows))
        return cls(tuple(head[:wide]), tuple(tuple(row[:wide]) for row in rows), (), note)

    def to_dict(self) -> dict[str, Any]:
        shown: dict[str, Any] = {"head": self.head, "rows": self.rows}
        if any(numbers := self.numeric):
            shown["numeric"] = [i for i, is_numeric in enumerate(numbers) if is_numeric]
        if self.heat:
            shown["heat"] = self.heat
        if self.note:
            shown["note"] = self.note
        return shown
