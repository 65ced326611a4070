"""A section of the page: where it stands, what draws it, and what it says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

__all__ = ["Place", "Section", "Table"]

#: Above the desk; the panel of the desk that stays in view; beside that panel; below the desk.
Place = Literal["top", "panel", "beside", "below"]


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

    @classmethod
    def of(cls, head: Sequence[str], rows: Sequence[Sequence[str]], note: str = "") -> Table:
        return cls(tuple(head), tuple(tuple(row) for row in rows), (), note)

    def to_dict(self) -> dict[str, Any]:
        shown: dict[str, Any] = {"head": self.head, "rows": self.rows}
        if self.heat:
            shown["heat"] = self.heat
        if self.note:
            shown["note"] = self.note
        return shown
