"""A gate: passed, failed or cannot tell, what was held against which limit, and the models behind it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from surefold.assessment import assess
from surefold.comparison.gate_result import Gate
from surefold.comparison.result import about_rows
from surefold.inputs.predictions import Predictions
from surefold.numbers import count, p_text, texts
from surefold.phrases import measure_title
from surefold.report.figures.rows import Row, RowChart, axis_of
from surefold.report.sections.contents import Contents, Part, own_section
from surefold.report.sections.section import Table
from surefold.report.sections.tables import estimate_cells, range_of
from surefold.report.sections.told import Told
from surefold.show.names import cut, label_text, plain

__all__ = ["GateOfModels", "contents"]

LONGEST = 15


@dataclass(frozen=True, eq=False)
class GateOfModels:
    """A gate together with the answers it was asked about, so that its page has their curves too."""

    gate: Gate
    models: Mapping[str, Predictions] = field(repr=False)


def contents(result: Gate | GateOfModels) -> Contents:
    gate = result.gate if isinstance(result, GateOfModels) else result
    models = result.models if isinstance(result, GateOfModels) else {}
    charts = [chart for chart in (held_chart(gate), _values_chart(gate)) if chart is not None]
    section = own_section("gate", "Gate", charts=charts, tables=[("What was asked, and found", _table(gate))])
    test = None if gate.difference is None or not gate.effect.defined else gate.difference.test.name
    notes = [
        "The gate passes where the one-sided bound of the figure is on the good side of the limit, fails where the "
        "bound from the other side is on the bad one, and else cannot tell.",
        "" if test is None else f"The difference and its bounds: {test}, on the same rows.",
    ]
    return Contents(
        _told(gate),
        (section,),
        lambda: {
            name: Part(None, assess(p, confidence=gate.confidence), python=f"results[{name!r}]")
            for name, p in models.items()
        },
        title="Gate",
        measures=(gate.measure,),
        shown=(*gate.values.values(), gate.effect),
        notes=tuple(note for note in notes if note),
        facts=(("Exit code", str(gate.exit_code)),),
        confidence=gate.confidence,
    )


def _told(gate: Gate) -> Told:
    facts = [("Rows", count(gate.rows)), ("Candidate", label_text(gate.candidate))]
    if gate.baseline is not None:
        facts.append(("Baseline", label_text(gate.baseline)))
    facts.append(("Measure", f"{measure_title(gate.measure)}, {gate.better} is better"))
    return Told.of(gate.verdict, {}, facts, gate.findings, gate.confidence)


def _what(gate: Gate) -> str:
    return measure_title(gate.measure) if gate.difference is None else f"Difference of {measure_title(gate.measure)}"


def held_chart(gate: Gate) -> RowChart | None:
    """The figure on its interval and between its one-sided bounds, around the limit; where it would pass is shaded."""
    e = gate.effect
    if not e.defined:
        return None
    level = f"{gate.confidence * 100:g}%"
    low, high = gate.bounds
    value, least, most = texts(e.value, low, high)
    named = gate.candidate if gate.baseline is None else None
    pair = f"{cut(plain(gate.candidate), LONGEST)} − {cut(plain(gate.baseline or ''), LONGEST)}"
    rows = (
        Row(label_text(named, 30) if named is not None else pair, e, str(e)),
        Row(
            f"one-sided {level} bounds",
            replace(e, low=low, high=high),
            f"{least} and {most}",
            "other" if gate.status != "cannot_tell" else "hollow",
        ),
    )
    alone = gate.difference is None
    also, limits = ((gate.limit,), range_of(gate.measure)) if alone else ((gate.limit, 0.0), (-math.inf, math.inf))
    axis = axis_of(_what(gate), rows, also, limits)
    good = (gate.limit, axis.high) if gate.better == "higher" else (axis.low, gate.limit)
    sentence = (
        f"{_what(gate)}: {e}, with one-sided {level} bounds {least} and {most}. The limit is "
        f"{gate.limit:g}; the gate passes with both bounds on the shaded side of it."
    )
    return RowChart(
        "gate-held",
        "Held against the limit",
        sentence,
        axis,
        rows,
        ((gate.limit, f"limit {gate.limit:g}"),),
        good,
        header=("Figure", "Value", "low", "high"),
        rows=(
            (f"{level} interval", *e.texts),
            (f"one-sided {level} bounds", value, least, most),
        ),
    )


def _values_chart(gate: Gate) -> RowChart | None:
    """Both models' own figures, where there are two."""
    there = [(name, e) for name, e in gate.values.items() if e.defined]
    if gate.baseline is None or not there:
        return None
    title = measure_title(gate.measure)
    rows = tuple(Row(label_text(name, 30), e, str(e)) for name, e in there)
    sentence = f"{title} of each model with an interval for that model alone; the gate goes by their difference."
    table = tuple((label_text(name), *e.texts) for name, e in there)
    axis = axis_of(f"{title} ({gate.better} is better)", rows, limits=range_of(gate.measure))
    return RowChart("gate-values", f"{title} of each model", sentence, axis, rows,
                    header=("Model", title, "low", "high"), rows=table)  # fmt: skip


def _table(gate: Gate) -> Table:
    asked = {
        "noninferiority": "surely not worse by more than the margin",
        "superiority": "surely better by more than the margin" if gate.margin else "surely better",
        "at_least": "surely at least the limit",
        "at_most": "surely at most the limit",
    }[gate.kind]
    _, _, method, known = estimate_cells(gate.effect)
    rows = [("Asked", asked), (_what(gate), str(gate.effect) if gate.effect.defined else "undefined")]
    if gate.margin is not None:
        rows.insert(1, ("Margin", f"{gate.margin:g}"))
    rows.append(("Limit", f"{gate.limit:g}"))
    if gate.effect.defined:
        _, low, high = texts(gate.effect.value, *gate.bounds)
        rows.append((f"One-sided {gate.confidence * 100:g}% bounds", f"{low} and {high}"))
    if method:
        rows.append(("Method", method))
    if gate.difference is not None and gate.effect.defined:
        rows.append(("p of no difference", p_text(gate.difference.test.p_value)))
    if gate.more_rows is not None:
        endless = math.isinf(gate.more_rows)
        rows.append(("More rows that would tell", "no number" if endless else f"about {about_rows(gate.more_rows)}"))
    if known:
        rows.append(("To know", known))
    return Table.of(("", ""), rows)
