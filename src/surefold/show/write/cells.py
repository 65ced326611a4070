"""A cell as text, for writers that have nothing but text."""

from __future__ import annotations

from surefold.estimates.estimate import Estimate
from surefold.numbers import count, number
from surefold.show.blocks import Cell, Name
from surefold.show.names import label_text, plain

__all__ = ["cell_text"]


def cell_text(cell: Cell, longest: int = 40) -> str:
    """The cell, safe to show; a stranger's name is cut, nothing else is."""
    match cell:
        case None:
            return ""
        case Estimate():
            return plain(str(cell)) if cell.defined else "undefined"
        case Name():
            return label_text(cell.text, longest) + plain(cell.more)
        case bool() | str():
            return plain(cell)
        case int():
            return count(cell)
        case _:
            return number(float(cell))
