"""Models on the same rows or splits: every difference with its interval, who wins, and what p allows for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from surefold.assessment import assess
from surefold.comparison.result import Comparison, Comparisons, Difference
from surefold.numbers import p_text
from surefold.phrases import STATUS_NAMES, measure_title
from surefold.report.sections.contents import Contents, Part, own_section
from surefold.report.sections.section import Section, Table
from surefold.report.sections.tables import estimate_cells
from surefold.report.sections.told import Told, with_titles
from surefold.show.blocks import Table as Described
from surefold.show.charts.comparison import forest_chart, values_chart
from surefold.show.names import label_text, plain
from surefold.show.of.comparison import adjustment_sentence, hidden_sentence, shown_pairs, win_tie_loss
from surefold.show.of.ranks import best_sentence, ranks_table
from surefold.show.write.cells import cell_text

__all__ = ["comparison_section", "contents", "told_of_comparison"]

#: Pairs that get a sentence at the top.
MOST_TOLD = 4


def contents(result: Comparison | Comparisons) -> Contents:
    each = list(result.each.values()) if isinstance(result, Comparisons) else [result]
    first = each[0]
    told = told_of_comparison(first) if len(each) == 1 else _told_of_several(each)
    sections = [
        comparison_section(c, id="comparison" if i == 0 else f"comparison-{i + 1}", named=len(each) > 1)
        for i, c in enumerate(each)
    ]
    effects = [d.effect for c in each for d in shown_pairs(c)]
    values = [e for c in each for e in c.values.values()]
    return Contents(
        told,
        tuple(sections),
        lambda: _parts(first),
        title="Comparison of models",
        measures=tuple(c.measure for c in each),
        shown=(*values, *effects),
        notes=_notes(each),
        facts=tuple(_facts(first)),
        confidence=first.confidence,
    )


def told_of_comparison(c: Comparison) -> Told:
    """The card, then the pairs that were told, a sentence each."""
    pairs = sorted(shown_pairs(c), key=lambda d: d.status == "cannot_tell")  # what is told comes first
    told = [with_titles(str(d), c.measure) for d in pairs]
    more = told[:MOST_TOLD] if len(pairs) > 1 else []
    left = len(told) - len(more)
    if left > 0 and len(pairs) > 1:
        more.append(f"{left:,} more pairs are in the table of differences.")
    return Told.of(c.verdict, {}, _rows(c), c.findings, c.confidence, more)


def _told_of_several(each: Sequence[Comparison]) -> Told:
    lines = [f"{measure_title(c.measure)}: {c.verdict}" for c in each[1:]]
    findings = tuple({str(f): f for c in each for f in c.findings}.values())
    return Told.of(each[0].verdict, {}, _rows(each[0]), findings, each[0].confidence, lines)


def _rows(c: Comparison) -> list[tuple[str, str]]:
    facts = [("Models", f"{len(c.values):,}"), ("Pairs compared", f"{len(c.differences):,}")]
    return facts if c.models is None else [("Rows", f"{c.models.n:,}"), *facts]


def _facts(c: Comparison) -> list[tuple[str, str]]:
    facts = [("Adjustment of p", c.adjust)]
    if c.margin is not None:
        facts.append(("Largest difference that does not matter", f"{c.margin:g}"))
    if c.control is not None:
        facts.append(("Control", label_text(c.control)))
    return facts


def _notes(each: Sequence[Comparison]) -> tuple[str, ...]:
    tests = dict.fromkeys(d.test.name for c in each for d in c.differences if d.effect.defined)
    notes = [
        "A difference is the first model's figure less the second's, on the same rows or splits: both met the same "
        "easy and hard rows, so its interval is narrower than the two models' own intervals suggest."
    ]
    if tests:
        notes.append(f"Tests of a difference: {', '.join(tests)}.")
    if any(c.winner is not None and len(c.values) > 2 for c in each):
        notes.append("The best of several looks better than it is: its second interval holds for all models at once.")
    return tuple(notes)


def _parts(c: Comparison) -> Mapping[str, Part]:
    """Each model's own assessment, where its answers are there."""
    if c.models is None:
        return {}
    return {
        name: Part(None, assess(p, confidence=c.confidence), python=f"sf.assess(c.models.each[{name!r}])")
        for name, p in c.models.each.items()
    }


def comparison_section(c: Comparison, *, id: str = "comparison", named: bool = False) -> Section:
    """The forest plot, the models' own figures, how often each wins, and every pair that is shown."""
    pairs = shown_pairs(c)
    tables = [
        ("Every difference" if len(pairs) == len(c.differences) else "Differences from the best", _pair_table(c, pairs))
    ]
    charts = [chart for chart in (forest_chart(c, pairs, f"{id}-forest"), values_chart(c, f"{id}-values")) if chart]
    if len(c.values) > 2:
        tables.append(("Wins, ties and losses", _described(win_tie_loss(c))))
    best = ""
    if c.best_set is not None and c.ranks is not None:
        tables.append(("Places", _described(ranks_table(c.ranks, c.best_set))))
        best = best_sentence(c.best_set, len(c.ranks))
    hidden = hidden_sentence(c) if len(pairs) < len(c.differences) else ""
    title = f"Comparison by {measure_title(c.measure)}" if named else "Comparison"
    return own_section(id, title, charts=charts, tables=tables, asides=[best, adjustment_sentence(c), hidden])


def _described(table: Described) -> Table:
    """A table of the description, as the page has it."""
    head = [column.title.capitalize() for column in table.columns]
    return Table.of(head, [[cell_text(cell) for cell in row] for row in table.rows])


def _pair_table(c: Comparison, pairs: Sequence[Difference]) -> Table:
    head = ["First − second", "Difference", f"{c.confidence * 100:g}% interval", "Status", "Test", "p", "To know"]
    return Table.of(head, [_pair_row(d) for d in pairs])


def _pair_row(d: Difference) -> tuple[str, ...]:
    pair = f"{label_text(d.first)} − {label_text(d.second)}"
    value, bounds, _, _ = estimate_cells(d.effect)
    if not d.effect.defined:
        return pair, value, "", STATUS_NAMES[d.status], "", "", plain(d.effect.reason)
    flags = ", ".join(dict.fromkeys((*d.effect.flags, *d.test.flags)))
    return pair, value, bounds, STATUS_NAMES[d.status], plain(d.test.name), p_text(d.adjusted_p), flags
