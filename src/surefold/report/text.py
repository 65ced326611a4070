"""What a terminal shows: aligned, safe, and no wider than it must be."""

from __future__ import annotations

from typing import Literal

import numpy as np

from surefold.assessment.result import PER_CLASS_HEADLINES, Assessment
from surefold.estimates.estimate import Estimate
from surefold.numbers import count
from surefold.report.comparison_text import comparison_text
from surefold.report.rows import METHOD_NAMES
from surefold.report.safe import label_text, plain, text_table
from surefold.tallies.confusion import Confusion
from surefold.verdict.checks import SHOWN_CLASSES

__all__ = ["assessment_text", "comparison_text", "confusion_table", "shown_classes"]

WHOLE_TABLE = 20
LARGEST_ERRORS = 10


def assessment_text(a: Assessment, rows: Literal["true", "predicted"] = "true", chart: str = "") -> str:
    """The verdict, the measures, the classes, the table, a chart if one is given, and what to know about them."""
    parts = [_heading(a), _overall(a)]
    if a.estimates is not None:
        if len(a.labels) > 1:
            parts.append(_classes(a))
        parts.append(confusion_table(a.confusion, rows))
    if chart:
        parts.append(chart)
    if a.findings:
        parts.append("\n".join(plain(finding) for finding in a.findings))
    parts.append(f"Verdict: {plain(a.verdict)}")
    return "\n\n".join(parts)


def _heading(a: Assessment) -> str:
    text = f"{counted(a.n, 'row')}, {counted(len(a.labels), 'class')}"
    if a.pos_label is not None and a.positive is not None:
        positives = a.tally.positives if a.estimates is None else a.confusion.margins().actual[a.positive]
        text += f"; positive class {label_text(a.pos_label)} ({counted(positives, 'row')})"
    return text


def _overall(a: Assessment) -> str:
    if not a.headlines:
        return "(no measure of the whole table was asked for, or it needs a positive class: see the classes)"
    cells = [["", "value", f"{a.confidence * 100:g}% interval", "method", ""]]
    for name in a.headlines:
        e = a[name]
        note = e.reason or ", ".join(e.flags)
        value = e.texts[0]
        cells.append([name, value, e.bounds_text, METHOD_NAMES.get(e.method, e.method), plain(note)])
    return text_table(cells, right=(1,))


def _in_cell(e: Estimate) -> str:
    return str(e) if e.defined else "undefined"


def counted(value: float, noun: str) -> str:
    """A count with its noun.

    >>> counted(1, "row"), counted(2, "class")
    ('1 row', '2 classes')
    """
    plural = noun + ("es" if noun.endswith("s") else "s")
    return f"{count(value)} {noun if value == 1 else plural}"


def shown_classes(a: Assessment) -> list[int]:
    """The classes a table shows: all of them, or the worst and the best by F1 when there are too many."""
    k = len(a.labels)
    if k <= SHOWN_CLASSES:
        return list(range(k))
    scores = np.array([float(a.per_class[label]["f1"]) for label in a.labels])
    order = np.argsort(np.where(np.isnan(scores), -1.0, scores), kind="stable")
    half = SHOWN_CLASSES // 2
    return [*order[:half].tolist(), *order[-half:].tolist()]


def _classes(a: Assessment) -> str:
    names: tuple[str, ...] = PER_CLASS_HEADLINES
    if a.shown is not None:
        names = tuple(name for name in a.shown if name in a.per_class[a.labels[0]]) or PER_CLASS_HEADLINES
    cells = [["class", "rows", *names]]
    actual = a.confusion.margins().actual
    chosen = shown_classes(a)
    for c in chosen:
        each = a.per_class[a.labels[c]]
        cells.append([label_text(a.labels[c]), count(actual[c]), *(_in_cell(each[name]) for name in names)])
    table = text_table(cells, right=(1,))
    left = len(a.labels) - len(chosen)
    return table if left == 0 else f"{table}\n({left:,} classes between the worst and the best are not shown)"


def confusion_table(confusion: Confusion, rows: Literal["true", "predicted"] = "true", *, totals: bool = False) -> str:
    """The table with both axes named, or its largest errors when there are too many classes."""
    if confusion.classes > WHOLE_TABLE or (not confusion.is_sparse and confusion.counts.ndim > 2):
        return _largest_errors(confusion)
    counts = confusion.counts if rows == "true" else confusion.counts.T
    names = [label_text(label, 14) for label in confusion.labels]
    corner = "true \\ predicted" if rows == "true" else "predicted \\ true"
    if totals:
        counts = np.vstack([counts, counts.sum(axis=0)])
        counts, names = np.column_stack([counts, counts.sum(axis=1)]), [*names, "total"]
    cells = [[corner, *names]]
    cells += [[name, *map(count, line)] for name, line in zip(names, counts.tolist(), strict=True)]
    return text_table(cells, right=range(1, len(names) + 1))


def _largest_errors(confusion: Confusion) -> str:
    if not confusion.is_sparse and confusion.counts.ndim > 2:
        return repr(confusion)
    cells = confusion.cells
    wrong = np.flatnonzero(cells.true != cells.predicted)
    if len(wrong) == 0:
        return "no errors"
    order = wrong[np.argsort(-cells.value[wrong], kind="stable")][:LARGEST_ERRORS]
    lines = [["true", "predicted", "rows"]]
    for m in order:
        true, predicted = confusion.labels[cells.true[m]], confusion.labels[cells.predicted[m]]
        lines.append([label_text(true), label_text(predicted), count(cells.value[m])])
    return "largest errors\n" + text_table(lines, right=(2,))
