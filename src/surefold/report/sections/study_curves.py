"""A measure against training rows or wrong labels, a line a model, and what fitting took."""

from __future__ import annotations

from surefold.numbers import duration, number
from surefold.phrases import measure_title
from surefold.report.sections.contents import Contents, own_section
from surefold.report.sections.plans import plan_facts
from surefold.report.sections.section import Table
from surefold.report.sections.told import Told
from surefold.show.charts.studies import study_curve_chart
from surefold.show.names import label_text, plain
from surefold.studies.study_curve import PER_ROWS, StudyCurve

__all__ = ["contents"]

TITLES = {"learning_curve": "Learning curve", "noise_curve": "Noise curve"}


def contents(curve: StudyCurve) -> Contents:
    first, last = curve.x[0], curve.x[-1]
    title, measure = TITLES.get(curve.kind, "Curve"), measure_title(curve.measure)
    told = []
    for name in curve.models:
        change = curve.change(last, model=name)
        moved = f"changes by {change}" if change.defined else f"is not known throughout ({change.reason})"
        told.append(f"{name}: from {first:,g} to {last:,g} {curve.x_name}, {curve.measure} {moved}.")
    options = curve.plan.options
    how = f"{options['folds']} folds" + (f", {options['repeats']} times" if options["repeats"] > 1 else "")
    facts = (("Rows", f"{curve.plan.n:,}"), ("Models", f"{len(curve):,}"), ("Held out in", how))
    top = Told(told[0], more=tuple(told[1:9]), facts=facts, findings=curve.findings, confidence=curve.confidence)
    section = own_section(
        "stability",
        title,
        charts=[study_curve_chart(curve)],
        tables=[(title, _table(curve, measure))],
        asides=["Seconds depend on the hardware, and on what else it does."],
    )
    return Contents(
        top,
        (section,),
        title=title,
        measures=(curve.measure,),
        shown=tuple(point.estimate for points in curve.models.values() for point in points),
        notes=(
            "Every point is tested on the same held-out rows, so points are compared pairwise: a change has a paired "
            "interval, and overlapping intervals do not mean that two points are equal.",
        ),
        facts=plan_facts(curve.plan, "splits"),
        confidence=curve.confidence,
    )


def _table(curve: StudyCurve, measure: str) -> Table:
    head = (
        "Model",
        curve.x_name[:1].upper() + curve.x_name[1:],
        measure,
        "Fit",
        f"Predict {PER_ROWS:,} rows",
        "Size",
        "To know",
    )
    rows = []
    for name, points in curve.models.items():
        for point in points:
            e = point.estimate
            size = ", ".join(f"{what.replace('_', ' ')} {number(float(s), '.4g')}" for what, s in point.size.items())
            seconds = [
                "–" if s.value != s.value else duration(s.value) for s in (point.fit_seconds, point.predict_seconds)
            ]
            value = str(e) if e.defined else "undefined"
            rows.append(
                (label_text(name), f"{point.x:,g}", value, *seconds, plain(size), plain(e.reason or ", ".join(e.flags)))
            )
    return Table.of(head, rows)
