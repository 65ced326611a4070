"""What bias and variance show: the loss and its parts, a line a value of the parameter that was varied."""

from __future__ import annotations

from surefold.show.blocks import Cell, Column, Document, Name, Table, Text
from surefold.studies.bias_variance import BiasVariance

__all__ = ["document"]


def document(found: BiasVariance) -> Document:
    """The card, then a line a value."""
    o = found.plan.options
    where = {"all": "all rows, also those trained on", "out_of_bag": "rows that a sample leaves out"}
    tested = where.get(o["test"], f"{found.plan.test_sizes[0]:,} rows set aside")
    again = f", {o['repeats']} times" if o["repeats"] > 1 else ""
    heading = f"{found.model}: {found.kind} loss, {o['samples']} {o['how']} samples{again}, tested on {tested}"
    return Document.of(found.verdict, [Text.of(heading), _table(found)], found.findings)


def _table(found: BiasVariance) -> Table:
    """Noise is left out where labels were taken as certain."""
    silent = () if any(p.noise.value for p in found.points) else ("noise", "net_noise")
    shown = [part for part in found.parts if part not in silent]
    head = [Column(found.param or "", "name"), *map(Column, shown)]
    rows: list[tuple[Cell, ...]] = []
    for p in found.points:
        name = Name(str(p.value) if found.param else found.model)
        rows.append((name, *(str(p[part]) for part in shown)))
    return Table.of(head, rows)
