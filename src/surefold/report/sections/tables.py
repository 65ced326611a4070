"""The tables of an assessment: its measures, its classes, its confusion matrix."""

from __future__ import annotations

import numpy as np

from surefold.assessment import Assessment
from surefold.assessment.result import PER_CLASS_HEADLINES
from surefold.estimates.estimate import Estimate
from surefold.numbers import count
from surefold.phrases import METHOD_NAMES, measure_title
from surefold.report.sections.section import Table
from surefold.show.names import label_text, plain
from surefold.show.of.assessment import WHOLE_TABLE, shown_classes

__all__ = ["class_table", "confusion_matrix", "estimate_cells", "measure_table"]

LARGEST_ERRORS = 20


def estimate_cells(e: Estimate) -> tuple[str, str, str, str]:
    """Value, interval, method, and what to know."""
    bounds = e.bounds_text
    value = e.texts[0]
    return value, bounds, METHOD_NAMES.get(e.method, e.method.replace("_", " ")), plain(e.reason or ", ".join(e.flags))


def measure_table(a: Assessment) -> Table:
    """The headline measures, as the terminal shows them."""
    head = ("Measure", "Value", f"{a.confidence * 100:g}% interval", "Method", "To know")
    return Table.of(head, [(measure_title(name), *estimate_cells(a[name])) for name in a.headlines])


def class_table(a: Assessment) -> Table | None:
    """Precision, recall and F1 of each class."""
    if a.estimates is None or len(a.labels) < 2:
        return None
    chosen, actual = shown_classes(a), a.confusion.margins().actual
    rows = []
    for c in chosen:
        each = a.per_class[a.labels[c]]
        cells = (str(each[name]) if each[name].defined else "undefined" for name in PER_CLASS_HEADLINES)
        rows.append((label_text(a.labels[c]), count(actual[c]), *cells))
    left = len(a.labels) - len(chosen)
    note = f"{left:,} classes between the worst and the best by F1 are not shown." if left else ""
    return Table.of(("Class", counts_of(a), *map(measure_title, PER_CLASS_HEADLINES)), rows, note)


def counts_of(a: Assessment) -> str:
    """What counts are of."""
    return "Weight" if a.estimates is not None and a.confusion.is_weighted else "Rows"


def confusion_matrix(a: Assessment) -> Table | None:
    """True classes in rows, predicted in columns; the largest errors where there are too many classes."""
    if a.estimates is None:
        return None
    confusion = a.confusion
    if confusion.classes > WHOLE_TABLE:
        cells = confusion.cells
        wrong = np.flatnonzero(cells.true != cells.predicted)
        order = wrong[np.argsort(-cells.value[wrong], kind="stable")][:LARGEST_ERRORS]
        named = [(confusion.labels[cells.true[m]], confusion.labels[cells.predicted[m]]) for m in order]
        rows = [
            (f"{label_text(true)} \N{RIGHTWARDS ARROW} {label_text(called)}", count(cells.value[m]))
            for m, (true, called) in zip(order, named, strict=True)
        ]
        most = {0: "no error", 1: "the only error"}.get(len(rows), f"the {len(rows)} commonest errors")
        note = f"{confusion.classes:,} classes: {most}{', true class first' if rows else ''}."
        return Table.of(("True \N{RIGHTWARDS ARROW} predicted", counts_of(a)), rows, note)
    counts = np.asarray(confusion.counts)
    names = [label_text(label) for label in confusion.labels]
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1e-300)
    heat = tuple("".join(str(min(int(s * 9.999), 9)) for s in row) for row in shares.tolist())
    lines = tuple((name, *map(count, row)) for name, row in zip(names, counts.tolist(), strict=True))
    return Table(("True \\ predicted", *names), lines, heat, "Shade: share of the row.")
