"""A bootstrap: the sampling distribution, and the five estimates that follow from it."""

from __future__ import annotations

import numpy as np

from surefold.numbers import number
from surefold.phrases import BOOTSTRAP_NAMES, measure_title
from surefold.report.figures.chart import Chart
from surefold.report.figures.histogram import histogram_chart
from surefold.report.figures.rows import Kind, Row, RowChart, axis_of
from surefold.report.sections.contents import Contents, own_section
from surefold.report.sections.plans import plan_facts
from surefold.report.sections.section import Table
from surefold.report.sections.tables import estimate_cells, range_of
from surefold.report.sections.told import Told
from surefold.resampling.bootstrapped import Bootstrapped
from surefold.show.names import label_text
from surefold.show.of.splits import bootstrap_estimates

__all__ = ["contents"]

#: The figures at the top: the one to quote, then what it lies between.
FIRST = ("point632plus", "point632", "out_of_bag", "apparent")


def contents(b: Bootstrapped) -> Contents:
    found = bootstrap_estimates(b)
    named = {
        f"{measure_title(b.measure)}, {BOOTSTRAP_NAMES[kind]}": found[kind] for kind in FIRST if found[kind].defined
    }
    share = f"A sample holds {b.distinct_share:.3f} of the rows; {b.expected_distinct_share:.3f} are expected."
    facts = (("Model", label_text(b.name)), ("Rows", f"{b.plan.n:,}"), ("Samples", f"{b.samples:,}"))
    told = Told.of(b.verdict, named, facts, b.findings, b.confidence)
    head = ("Estimate", "Value", f"{b.confidence * 100:g}% interval", "Method", "To know")
    table = Table.of(head, [(BOOTSTRAP_NAMES[kind], *estimate_cells(e)) for kind, e in found.items()])
    charts = [chart for chart in (_distribution(b), _estimates(b)) if chart is not None]
    section = own_section(
        "stability",
        "Stability",
        charts=charts,
        asides=[share],
        tables=[(f"{measure_title(b.measure)}: five estimates", table)],
    )
    return Contents(
        told,
        (section,),
        title="Bootstrap",
        measures=(b.measure,),
        shown=tuple(found.values()),
        notes=(
            "Models were trained on samples drawn with replacement. On all rows, most of which they were trained on, "
            "they look too good; on the rows left out of a sample, trained on fewer different rows, too bad; .632 and "
            ".632+ lie between.",
        ),
        facts=plan_facts(b.plan, "samples"),
        confidence=b.confidence,
    )


def _distribution(b: Bootstrapped) -> Chart | None:
    values = b.distribution()
    there = values[np.isfinite(values)]
    if not there.size:
        return None
    found, title = bootstrap_estimates(b), measure_title(b.measure)
    quoted = next((kind for kind in FIRST if found[kind].defined), None)
    marks = {f"mean {number(float(there.mean()))}": float(there.mean())}
    if quoted is not None:
        e = found[quoted]
        marks[f"{BOOTSTRAP_NAMES[quoted]} {number(e.value)}"] = e.value
    sentence = (
        f"{title} of {len(there):,} samples' models on all rows, from {number(float(there.min()))} to "
        f"{number(float(there.max()))}, mean {number(float(there.mean()))}. The bars flatter the model, which was "
        f"trained on most of these rows; the other mark is the figure for new ones."
    )
    return histogram_chart(
        "distribution",
        "Sampling distribution",
        f"{title} on all rows",
        there.tolist(),
        marks,
        sentence,
        range_of(b.measure),
    )


def _estimates(b: Bootstrapped) -> RowChart | None:
    there = {kind: e for kind, e in bootstrap_estimates(b).items() if e.defined}
    if not there:
        return None
    kinds: dict[str, Kind] = {"on_all": "other", "apparent": "other", "out_of_bag": "hollow"}
    rows = [Row(BOOTSTRAP_NAMES[kind], e, str(e), kinds.get(kind, "value")) for kind, e in there.items()]
    title = measure_title(b.measure)
    sentence = (
        f"Five estimates of {title} with their intervals: squares flatter, the hollow one is too hard, diamonds allow "
        f"for both."
    )
    table = tuple((row.name, *e.texts) for row, e in zip(rows, there.values(), strict=True))
    return RowChart(
        "estimates",
        "What follows for new rows",
        sentence,
        axis_of(title, rows, limits=range_of(b.measure)),
        tuple(rows),
        header=("Estimate", title, "low", "high"),
        rows=table,
    )
