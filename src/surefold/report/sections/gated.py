"""A gate: passed, failed or cannot tell, what was held against which limit, and the models behind it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from surefold.assessment import assess
from surefold.comparison.gate_result import Gate
from surefold.comparison.result import about_rows
from surefold.inputs.predictions import Predictions
from surefold.numbers import count, p_text, texts
from surefold.phrases import measure_title
from surefold.report.sections.contents import Contents, Part, own_section
from surefold.report.sections.section import Table
from surefold.report.sections.tables import estimate_cells
from surefold.report.sections.told import Told
from surefold.show.charts.gate import figure_of, held_chart, models_chart
from surefold.show.names import label_text

__all__ = ["GateOfModels", "contents"]


@dataclass(frozen=True, eq=False)
class GateOfModels:
    """A gate together with the answers it was asked about, so that its page has their curves too."""

    gate: Gate
    models: Mapping[str, Predictions] = field(repr=False)


def contents(result: Gate | GateOfModels) -> Contents:
    gate = result.gate if isinstance(result, GateOfModels) else result
    models = result.models if isinstance(result, GateOfModels) else {}
    charts = [chart for chart in (held_chart(gate), models_chart(gate)) if chart is not None]
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


def _table(gate: Gate) -> Table:
    asked = {
        "noninferiority": "surely not worse by more than the margin",
        "superiority": "surely better by more than the margin" if gate.margin else "surely better",
        "at_least": "surely at least the limit",
        "at_most": "surely at most the limit",
    }[gate.kind]
    _, _, method, known = estimate_cells(gate.effect)
    rows = [("Asked", asked), (figure_of(gate), str(gate.effect) if gate.effect.defined else "undefined")]
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
