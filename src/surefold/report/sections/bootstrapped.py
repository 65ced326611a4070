"""A bootstrap: the sampling distribution, and the five estimates that follow from it."""

from __future__ import annotations

from surefold.phrases import BOOTSTRAP_NAMES, measure_title
from surefold.report.sections.contents import Contents, own_section
from surefold.report.sections.plans import plan_facts
from surefold.report.sections.section import Table
from surefold.report.sections.tables import estimate_cells
from surefold.report.sections.told import Told
from surefold.resampling.bootstrapped import Bootstrapped
from surefold.show.charts.bootstrap import FIRST, distribution_chart, estimates_chart
from surefold.show.names import label_text
from surefold.show.of.splits import bootstrap_estimates

__all__ = ["contents"]


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
    charts = [chart for chart in (distribution_chart(b), estimates_chart(b)) if chart is not None]
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
