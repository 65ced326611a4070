"""What slices of the rows show: each one's value from the worst to the best, and how it stands to the rest."""

from __future__ import annotations

import math

from surefold.comparison.slices.compared import ComparedSlices
from surefold.comparison.slices.gate import SliceGate
from surefold.comparison.slices.result import Slice, Slices, SlicesOfMeasures
from surefold.numbers import number, p_text
from surefold.phrases import STATUS_NAMES, measure_title, phrase_of
from surefold.show.blocks import Cell, Column, Document, Name, Table

__all__ = ["document", "gate_table", "slices_table"]

#: Slices that a table shows; all are in the frame, CSV and JSON.
MOST = 60


def document(found: Slices | SlicesOfMeasures | SliceGate | ComparedSlices) -> Document:
    """The card says where it is worse; below it stand all slices from the worst to the best."""
    if isinstance(found, ComparedSlices):
        return Document.of(found.verdict, [_compared_table(found)], found.findings)
    if isinstance(found, SliceGate):
        return _of_gate(found)
    if isinstance(found, SlicesOfMeasures):
        blocks = [slices_table(s) for s in found.each.values()]
        findings = {(f.code, f.sentence): f for s in found.each.values() for f in s.findings}
        return Document.of(found.verdict, blocks, tuple(findings.values()))
    return Document.of(found.verdict, [slices_table(found)], found.findings)


def slices_table(s: Slices) -> Table:
    """A row a slice, the undefined ones last."""
    head = (
        Column(measure_title(s.measure), "name"),
        Column("rows", "number"),
        Column("value", "number"),
        Column(f"{s.confidence * 100:g}% interval"),
        Column("all at once", drop=1),
        Column("less the rest", drop=1),
        Column("status"),
        Column("p", "number", drop=1),
        Column("", "words", drop=1),
        Column("", "code", drop=2),
    )
    rows: list[tuple[Cell, ...]] = [("all rows", f"{s.rows:,}", s.whole.texts[0], s.whole.bounds_text, *[""] * 6)]
    shown = [*s.ordered, *s.undefined]
    for one in shown[:MOST]:
        e = one.estimate
        wide = "" if one.simultaneous is None else one.simultaneous.bounds_text
        gap = "" if one.difference is None else str(one.difference)
        p = "" if math.isnan(one.adjusted_p) else p_text(one.adjusted_p)
        words = "; ".join([*([one.reason] if one.reason else []), *map(phrase_of, e.flags)])
        told = (wide, gap, one.short, p, words, " ".join(e.flags))
        rows.append((Name(one.name), behind(one), e.texts[0], e.bounds_text, *told))
    left = f"{len(shown) - MOST:,} more slices are in to_frame(), CSV and JSON." if len(shown) > MOST else ""
    return Table.of(head, rows, "", left)


def _compared_table(c: ComparedSlices) -> Table:
    head = (
        Column(measure_title(c.whole.measure), "name"),
        Column("rows", "number"),
        Column("first \N{MINUS SIGN} second", "name", drop=0 if len(c.whole.values) > 2 else 1),
        Column("difference"),
        Column("status"),
        Column("p", "number"),
    )
    rows: list[tuple[Cell, ...]] = []
    for one in c.slices[:MOST]:
        d = one.difference
        pair = Name(f"{d.first} \N{MINUS SIGN} {d.second}")
        shown = str(d.effect) if d.effect.defined else "undefined"
        rows.append((Name(one.name), f"{one.rows:,}", pair, shown, STATUS_NAMES[d.status], p_text(d.adjusted_p)))
    left = f"{len(c.slices) - MOST:,} more are in JSON." if len(c.slices) > MOST else ""
    return Table.of(head, rows, "", left)


def behind(one: Slice) -> str:
    """The rows of a slice, and how many of them a share is of: few positives make a wide interval of many rows."""
    n = one.estimate.n
    return f"{n:,.0f} of {one.rows:,}" if one.estimate.defined and n < one.rows - 0.5 else f"{one.rows:,}"


def gate_table(g: SliceGate) -> Table:
    """A row a slice with the bounds that decide, from the worst to the best."""
    head = (
        Column(measure_title(g.measure), "name"),
        Column("rows", "number"),
        Column("value", "number"),
        Column("bound below"),
        Column("bound above", drop=1),
        Column("status"),
    )
    sign = -1.0 if g.better == "lower" else 1.0
    words = {"passed": "good enough", "failed": "not good enough", "cannot_tell": "cannot tell"}
    rows: list[tuple[Cell, ...]] = [
        (Name(one.name), f"{one.rows:,}", one.estimate.texts[0], *map(number, one.bounds), words[one.status])
        for one in sorted(g.each, key=lambda one: sign * one.estimate.value)
    ]
    left = f"{len(rows) - MOST:,} more slices are in JSON." if len(rows) > MOST else ""
    return Table.of(head, rows[:MOST], "", left)


def _of_gate(g: SliceGate) -> Document:
    asked = f"{'at least' if g.kind == 'at_least' else 'at most'} {number(g.limit, 'g')} in every slice"
    facts = Table.of((Column("", "text"), Column("", "broken")), [("asked", asked)])
    overall = None
    if g.overall is not None:
        overall = Table.of((Column("", "text"), Column("", "broken")), [("all rows", g.overall.sentence)])
    return Document.of(g.verdict, [gate_table(g), overall, facts], g.findings)
