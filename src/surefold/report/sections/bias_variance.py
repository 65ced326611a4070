"""Loss taken apart into bias and variance, for one model or along a parameter."""

from __future__ import annotations

from surefold.estimates.estimate import Estimate
from surefold.report.figures.chart import Chart
from surefold.report.figures.lines import lines_chart
from surefold.report.figures.rows import Row, RowChart, axis_of
from surefold.report.sections.contents import Contents, own_section
from surefold.report.sections.plans import plan_facts
from surefold.report.sections.section import Table
from surefold.report.sections.told import Told
from surefold.show.names import label_text, plain
from surefold.studies.bias_variance import BiasVariance

__all__ = ["contents"]

PARTS = ("loss", "bias", "variance")
PARTS_DOMINGOS = ("loss", "bias", "net_variance")
LOSSES = {"squared": "squared", "kohavi_wolpert": "zero-one, Kohavi and Wolpert", "domingos": "zero-one, Domingos"}
NAMES = {"squared": "Squared loss", "kohavi_wolpert": "Zero-one loss", "domingos": "Zero-one loss"}


def contents(found: BiasVariance) -> Contents:
    best = found.best
    if found.param is None:
        sentence = f"{found.model}: loss {best.loss}, of which bias {best.bias} and variance {best.variance}."
    else:
        sentence = f"{found.model}: the loss is least at {found.param} = {best.value}: {best.loss}."
    named = {part.replace("_", " "): best[part] for part in _parts(found)}
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
        "stability", "Bias and variance", charts=[_chart(found)], tables=[("Parts of the loss", _table(found))]
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


def _parts(found: BiasVariance) -> list[str]:
    shown = list(PARTS_DOMINGOS if found.kind == "domingos" else PARTS)
    return [*shown, "noise"] if any(point.noise.value for point in found.points) else shown


def _chart(found: BiasVariance) -> Chart | RowChart:
    parts = _parts(found)
    if len(found) == 1:
        only = found.points[0]
        rows = [Row(part.replace("_", " "), only[part], str(only[part])) for part in parts]
        sentence = f"Loss of {label_text(found.model)} and its parts, with intervals: " + "; ".join(
            f"{row.name} {row.words}" for row in rows
        )
        table = tuple((row.name, *_cells(only[part])) for row, part in zip(rows, parts, strict=True))
        return RowChart(
            "parts",
            NAMES[found.kind],
            f"{sentence}.",
            axis_of(NAMES[found.kind], rows, (0.0,)),
            tuple(rows),
            header=("Part", "Value", "low", "high"),
            rows=table,
        )
    lines = {part.replace("_", " "): [point[part] for point in found.points] for part in parts}
    best = found.best
    sentence = (
        f"Loss of {label_text(found.model)} and its parts against {label_text(found.param)}; the loss is least at "
        f"{label_text(best.value)}, {best.loss}."
    )
    return lines_chart(
        "parts",
        NAMES[found.kind],
        label_text(found.param),
        NAMES[found.kind],
        [point.value for point in found.points],
        lines,
        sentence,
        from_zero=True,
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
