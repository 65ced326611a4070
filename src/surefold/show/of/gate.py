"""What a gate shows: the values, what is held against what."""

from __future__ import annotations

from surefold.comparison.gate_result import Gate
from surefold.numbers import number, texts
from surefold.phrases import phrase_of
from surefold.show.blocks import Column, Document, Table, estimates_table
from surefold.show.of.comparison import pairs_table

__all__ = ["document"]

ASKED = {
    "noninferiority": "not worse by more than",
    "superiority": "better by more than",
    "at_least": "at least",
    "at_most": "at most",
}


def document(g: Gate) -> Document:
    """The card says whether it passed; below it stand the figures and the bounds."""
    _, low, high = texts(g.effect.value, *g.bounds)
    limit = g.limit if g.margin is None else g.margin
    facts = [
        ("asked", f"{ASKED[g.kind]} {number(limit, 'g')}" if limit or g.margin is None else "better"),
        ("one-sided bounds", f"{low} and {high}, each {g.confidence * 100:g}%"),
        ("rows", f"{g.rows:,.0f}"),
        ("direction", f"{g.better} is better"),
    ]
    if g.effect.flags:
        facts.append(("to know", "; ".join(map(phrase_of, g.effect.flags))))
    blocks = [
        estimates_table(g.values, g.confidence, g.measure, names=True),
        None if g.difference is None else pairs_table([g.difference]),
        Table.of((Column("", "text"), Column("", "broken")), facts),
    ]
    return Document.of(g.verdict, blocks, g.findings)
