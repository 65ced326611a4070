"""Slices of the rows on a page: the forest of them, and two columns crossed as a table of values."""

from __future__ import annotations

from surefold.comparison.slices.gate import SliceGate
from surefold.comparison.slices.result import Slice, Slices, SlicesOfMeasures
from surefold.phrases import measure_title
from surefold.report.sections.contents import Contents, own_section
from surefold.report.sections.section import Section, Table
from surefold.report.sections.told import Told
from surefold.show.blocks import Table as Described
from surefold.show.charts.slices import slices_chart
from surefold.show.names import label_text
from surefold.show.of.slices import gate_table, slices_table
from surefold.show.write.cells import cell_text

__all__ = ["contents"]

#: Levels of a column that a table of two columns has at most.
MOST_LEVELS = 24


def contents(result: Slices | SlicesOfMeasures | SliceGate) -> Contents:
    each = [result.slices] if isinstance(result, SliceGate) else _each(result)
    first = each[0]
    facts = [("Rows", f"{first.rows:,}"), ("Slices", f"{len(first.slices):,}"), ("Tested", f"{len(first.counted):,}")]
    told = Told.of(result.verdict, {}, facts, first.findings, first.confidence)
    sections = [section_of(s, "slices" if i == 0 else f"slices-{i + 1}", len(each) > 1) for i, s in enumerate(each)]
    if isinstance(result, SliceGate):
        bounds = [("Every slice against the limit", _as_table(gate_table(result)))]
        sections.insert(0, own_section("gate", "Gate", tables=bounds))
    notes = (
        "A slice is held against all other rows. p and the intervals that hold at once allow for the number of slices; "
        "the thin interval of a slice is for it alone.",
    )
    more = [("Adjustment of p", first.adjust), ("Least rows of a slice that is tested", f"{first.min_rows:,}")]
    return Contents(
        told,
        tuple(sections),
        title="Slices of the rows",
        measures=tuple(s.measure for s in each),
        shown=tuple(one.estimate for s in each for one in s.slices),
        notes=notes,
        facts=tuple(more),
        confidence=first.confidence,
    )


def _each(result: Slices | SlicesOfMeasures) -> list[Slices]:
    return list(result.each.values()) if isinstance(result, SlicesOfMeasures) else [result]


def section_of(s: Slices, id: str, named: bool) -> Section:
    """The forest, the table of every slice, and a table of two columns where they are crossed."""
    chart = slices_chart(s, f"{id}-forest")
    tables = [("Every slice", _as_table(slices_table(s)))]
    tables += [(" by ".join(pair), table) for pair, table in _crossed(s)]
    title = f"Slices by {measure_title(s.measure)}" if named else "Slices"
    undefined = "; ".join(f"{label_text(one.name)}: {one.reason}" for one in s.undefined[:10])
    aside = f"Undefined: {undefined}." if undefined else ""
    return own_section(id, title, charts=[chart] if chart else [], tables=tables, asides=[aside])


def _as_table(shown: Described) -> Table:
    head = [column.title.capitalize() for column in shown.columns]
    return Table.of(head, [[cell_text(cell) for cell in row] for row in shown.rows])


def _crossed(s: Slices) -> list[tuple[tuple[str, ...], Table]]:
    """For each two columns that are crossed: the value of each pair of levels, and what is told of it."""
    pairs: dict[tuple[str, ...], dict[tuple[str, ...], Slice]] = {}
    for one in s.slices:
        if len(one.columns) == 2:
            pairs.setdefault(one.columns, {})[one.levels] = one
    found = []
    for columns, cells in pairs.items():
        down, across = (list(dict.fromkeys(levels[i] for levels in cells)) for i in (0, 1))
        if max(len(down), len(across)) > MOST_LEVELS:
            continue
        rows = [[label_text(level), *(_cell(cells.get((level, other))) for other in across)] for level in down]
        found.append((columns, Table.of([columns[0], *map(label_text, across)], rows)))
    return found


def _cell(one: Slice | None) -> str:
    if one is None:
        return ""
    return one.estimate.texts[0] if one.status == "cannot_tell" else f"{one.estimate.texts[0]} ({one.short})"
