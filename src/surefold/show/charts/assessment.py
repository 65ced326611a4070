"""The charts of an assessment: its curves, its confusion matrix, its classes and its headline measures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from surefold.assessment import Assessment
from surefold.assessment.per_class import PerClass
from surefold.curves.curve import Kind as BandKind
from surefold.estimates.estimate import Estimate
from surefold.measures import catalogue
from surefold.phrases import measure_title
from surefold.show.chart import range_of
from surefold.show.charts.catalogue import ANY_MEASURE
from surefold.show.charts.cells import confusion_chart
from surefold.show.charts.probabilities import bins_chart, scores_chart
from surefold.show.charts.ranking import curve_chart
from surefold.show.names import label_text, shorter
from surefold.show.row_chart import AnyChart, Row, RowChart, axis_of

__all__ = ["charts", "classes_chart"]

#: Classes that are drawn, and characters of their names.
MOST_CLASSES, LONGEST = 40, 30


def charts(found: Assessment | PerClass) -> dict[str, Callable[..., AnyChart | None]]:
    """Of scores their curves, of labels the table and the classes; or of classes any measure that they have."""
    if isinstance(found, PerClass):
        return {"f1": lambda: classes_chart(found, "f1"), ANY_MEASURE: lambda measure: classes_chart(found, measure)}
    a = found
    there: dict[str, Callable[..., AnyChart | None]] = {}
    if a.scores is not None and a.scores.tally is not None:
        there |= {name: partial(_curve, a, name) for name in ("roc", "precision_recall", "gains", "lift")}
        there |= {"scores": partial(scores_chart, a), "cost": partial(_curve, a, "cost")}
        if a.scores.are_probabilities:
            there |= {"reliability": lambda: bins_chart(a.calibration), "decision": partial(_curve, a, "decision")}
    if a.estimates is not None:
        there["confusion"] = partial(confusion_chart, a.confusion)
        there["per_class"] = partial(classes_chart, a.per_class)
    there["measures"] = lambda: _measures(a)
    return there


def _curve(a: Assessment, name: str, band: BandKind | bool = True, confidence: float | None = None) -> AnyChart:
    return curve_chart(getattr(a, name), band=band, confidence=confidence or a.confidence)


def classes_chart(found: PerClass, measure: str = "f1") -> RowChart | None:
    """A measure of every class with its interval, worst first: these are what one looks at."""
    name = catalogue[measure].name
    pairs = sorted(
        ((label, found[label][name]) for label in found), key=lambda pair: (not pair[1].defined, pair[1].value)
    )
    shown = pairs[:MOST_CLASSES]
    names = shorter([label_text(label, 200) for label, _ in shown], LONGEST)
    sentence = f"{measure_title(name)} of each class against the rest, worst first, each with an interval of its own."
    if len(shown) < len(pairs):
        sentence += f" The {len(shown)} worst of {len(pairs):,} are drawn."
    return _rows(
        "classes", f"{measure_title(name)} of each class", measure_title(name), sentence, names, [e for _, e in shown]
    )


def _measures(a: Assessment) -> RowChart | None:
    there = {name: a[name] for name in a.headlines if range_of(name) == (0.0, 1.0) and a[name].defined}
    sentence = "The headline measures that run from 0 to 1, each with its interval."
    names = [measure_title(name) for name in there]
    return _rows("measures", "Measures", "Value", sentence, names, list(there.values()))


def _rows(
    key: str, title: str, axis: str, sentence: str, names: Sequence[str], each: Sequence[Estimate]
) -> RowChart | None:
    if not any(e.defined for e in each):
        return None
    rows = tuple(Row(name, e, str(e) if e.defined else "") for name, e in zip(names, each, strict=True))
    table = tuple((name, *e.texts) for name, e in zip(names, each, strict=True))
    head = ("Class" if key == "classes" else "Measure", axis, "low", "high")
    return RowChart(key, title, sentence, axis_of(axis, rows, limits=(0.0, 1.0)), rows, header=head, rows=table)
