"""What ways of keeping a tree small show: error and size at every value, and the ways of pruning in pairs."""

from __future__ import annotations

from surefold.numbers import number
from surefold.show.blocks import Block, Cell, Column, Document, Name, Table, Text
from surefold.show.of.comparison import pairs_table
from surefold.show.of.curves import times_text
from surefold.studies.pruning.result import PruningCurves

__all__ = ["document"]

MOST_UNDEFINED = 3


def document(found: PruningCurves) -> Document:
    """The card, then a line a value."""
    how = times_text(found.plan.options)
    blocks: list[Block] = [
        Text.of(f"{found.model}: error rates by what keeps it small, {found.plan.n:,} rows, {how}"),
        _table(found),
    ]
    if found.differences:
        blocks.append(pairs_table(list(found.differences)))
    undefined = [p for p in found.points if not p.held_out.defined]
    if undefined:
        blocks.append(Text.of(*(f"Undefined: {p.name}: {p.held_out.reason}" for p in undefined[:MOST_UNDEFINED])))
    return Document.of(found.verdict, blocks, found.findings)


def _table(found: PruningCurves) -> Table:
    head = [Column("", "name"), Column("held-out error"), Column("training error"), Column("leaves, depth", "number")]
    rows: list[tuple[Cell, ...]] = []
    for p in (*(p for points in found.curves.values() for p in points), *found.ways.values()):
        sizes = ", ".join(number(p.size[what].value, ".1f") for what in ("leaves", "depth") if what in p.size)
        rows.append((Name(p.name), *(str(e) if e.defined else "undefined" for e in (p.held_out, p.training)), sizes))
    return Table.of(head, rows)
