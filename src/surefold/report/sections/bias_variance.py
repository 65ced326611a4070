"""Loss taken apart into bias and variance, for one model or along a parameter."""

from __future__ import annotations

from surefold.estimates.estimate import Estimate
from surefold.report.sections.contents import Contents, own_section
from surefold.report.sections.plans import plan_facts
from surefold.report.sections.section import Table
from surefold.report.sections.told import Told
from surefold.show.charts.parts import parts_chart, parts_of
from surefold.show.names import label_text, plain
from surefold.studies.bias_variance import BiasVariance

__all__ = ["contents"]

LOSSES = {"squared": "squared", "kohavi_wolpert": "zero-one, Kohavi and Wolpert", "domingos": "zero-one, Domingos"}


def contents(found: BiasVariance) -> Contents:
    best = found.best
    if found.param is None:
        sentence = f"{found.model}: loss {best.loss}, of which bias {best.bias} and variance {best.variance}."
    else:
        sentence = f"{found.model}: the loss is least at {found.param} = {best.value}: {best.loss}."
    named = {part.replace("_", " "): best[part] for part in parts_of(found)}
    options = found.plan.options
    facts = (
        ("Model", label_text(found.model)),
        ("Loss", LOSSES[found.kind]),
        ("Training samples", f"{options['samples']:,} ({options['how']})"),
        (
            "Tested on",
            {"all": "all rows, also those trained on", "out_of_bag": "rows that a sample leaves out"}.get(
                options["test"], f"{int(found.plan.test_sizes[0]):,} rows set aside"
            ),
        ),
        ("Repeats", f"{options['repeats']:,}"),
    )
    told = Told(sentence, figures=named, facts=facts, findings=found.findings, confidence=found.confidence)
    section = own_section(
        "stability", "Bias and variance", charts=[parts_chart(found)], tables=[("Parts of the loss", _table(found))]
    )
    return Contents(
        told,
        (section,),
        title="Bias and variance",
        shown=tuple(e for point in found.points for e in point.estimates.values()),
        notes=(
            "Bias is what the main answer of models trained on different samples gets wrong; variance is how much "
            "their answers move around it. Intervals are about other test rows and, with repeats, other training "
            "samples.",
        ),
        facts=plan_facts(found.plan, "samples"),
        confidence=found.confidence,
    )


def _cells(e: Estimate) -> tuple[str, str, str]:
    return e.texts


def _table(found: BiasVariance) -> Table:
    silent = () if any(point.noise.value for point in found.points) else ("noise", "net_noise")
    parts = [part for part in found.parts if part not in silent]
    head = (
        label_text(found.param) if found.param else "Model",
        *(part.replace("_", " ").capitalize() for part in parts),
    )
    rows = [
        (plain(point.value)[:80] if found.param else label_text(found.model), *(str(point[part]) for part in parts))
        for point in found.points
    ]
    return Table.of(head, rows)
