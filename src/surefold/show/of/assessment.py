"""What an assessment shows: the verdict, the measures, the classes, the table, what to know."""

from __future__ import annotations

from typing import Literal

import numpy as np

from surefold.assessment.result import PER_CLASS_HEADLINES, Assessment
from surefold.errors import InputError
from surefold.numbers import count
from surefold.show.blocks import Block, Cell, Column, Document, Lines, Name, Table, Text, estimates_table
from surefold.show.names import label_text, text_table
from surefold.show.sparks import marks_for, scores_lines
from surefold.show.write.cells import cell_text
from surefold.tallies.confusion import Confusion
from surefold.verdict.checks import SHOWN_CLASSES

__all__ = ["WHOLE_TABLE", "confusion_block", "confusion_text", "counted", "document", "shown_classes"]

WHOLE_TABLE = 20
LARGEST_ERRORS = 10
Rows = Literal["true", "predicted"]


def document(a: Assessment, *, rows: Rows = "true", chance: bool = False, chart: bool = False) -> Document:
    """The card, then what it rests on; `chart` adds the scores by class, `chance` the table of random answers."""
    blocks: list[Block | None] = [Text.of(_heading(a)), _overall(a)]
    if a.estimates is not None:
        blocks += [_classes(a) if len(a.labels) > 1 else None, confusion_block(a.confusion, rows)]
    drawn = scores_lines(a, marks_for()) if chart else ""
    blocks.append(Lines(drawn) if drawn else None)
    blocks.append(_least_cost(a))
    if chance:
        blocks.append(confusion_block(a.by_chance, rows, "By chance, with the same margins:"))
    return Document.of(a.verdict, blocks, a.findings)


def _heading(a: Assessment) -> str:
    text = f"{counted(a.n, 'row')}, {counted(len(a.labels), 'class')}"
    if a.pos_label is not None and a.positive is not None:
        positives = a.tally.positives if a.estimates is None else a.confusion.margins().actual[a.positive]
        text += f"; positive class {label_text(a.pos_label)} ({counted(positives, 'row')})"
    return text


def _overall(a: Assessment) -> Block:
    if not a.headlines:
        return Text.of("(no measure of the whole table was asked for, or it needs a positive class: see the classes)")
    return estimates_table({name: a[name] for name in a.headlines}, a.confidence)


def _least_cost(a: Assessment) -> Block | None:
    """What the least-cost threshold does, in counts, on these rows and on rows that did not choose it."""
    if a.costs is None or a.scores is None or a.positive is None:
        return None
    try:
        return Text.of(f"Least cost: {a.best_threshold('cost')}")
    except InputError:
        return None


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


def _classes(a: Assessment) -> Table:
    names: tuple[str, ...] = PER_CLASS_HEADLINES
    if a.shown is not None:
        names = tuple(name for name in a.shown if name in a.per_class[a.labels[0]]) or PER_CLASS_HEADLINES
    actual, chosen = a.confusion.margins().actual, shown_classes(a)
    rows: list[tuple[Cell, ...]] = []
    for c in chosen:
        each = a.per_class[a.labels[c]]
        rows.append((Name(a.labels[c]), count(actual[c]), *(each[name] for name in names)))
    left = len(a.labels) - len(chosen)
    note = f"({left:,} classes between the worst and the best are not shown)" if left else ""
    head = [Column("class", "name"), Column("rows", "number"), *map(Column, names)]
    return Table.of(head, rows, "", note)


def confusion_block(confusion: Confusion, rows: Rows = "true", title: str = "", *, totals: bool = False) -> Block:
    """The table with both axes named, or its largest errors when there are too many classes."""
    if not confusion.is_sparse and confusion.counts.ndim > 2:
        return Lines(repr(confusion))
    if confusion.classes > WHOLE_TABLE:
        return _largest_errors(confusion)
    counts = confusion.counts if rows == "true" else confusion.counts.T
    corner = "true \\ predicted" if rows == "true" else "predicted \\ true"
    names: list[Name] = list(map(Name, confusion.labels))
    if totals:
        counts = np.vstack([counts, counts.sum(axis=0)])
        counts, names = np.column_stack([counts, counts.sum(axis=1)]), [*names, Name("total")]
    head = [Column(corner, "name"), *(Column(label_text(name.text, 14), "number") for name in names)]
    cells: list[tuple[Cell, ...]] = [(x, *map(count, line)) for x, line in zip(names, counts.tolist(), strict=True)]
    return Table.of(head, cells, title)


def confusion_text(confusion: Confusion, rows: Rows = "true", *, totals: bool = False) -> str:
    """The table alone, for `print(a.confusion)`: as wide as it needs to be."""
    block = confusion_block(confusion, rows, totals=totals)
    if isinstance(block, Lines):
        return block.text
    if not isinstance(block, Table):
        return "no errors"
    cells = [[column.title for column in block.columns], *([cell_text(x, 14) for x in row] for row in block.rows)]
    numbers = [j for j, column in enumerate(block.columns) if column.kind == "number"]
    return "\n".join(filter(None, [block.title, text_table(cells, right=numbers)]))


def _largest_errors(confusion: Confusion) -> Block:
    cells = confusion.cells
    wrong = np.flatnonzero(cells.true != cells.predicted)
    if len(wrong) == 0:
        return Text.of("no errors")
    order = wrong[np.argsort(-cells.value[wrong], kind="stable")][:LARGEST_ERRORS]
    rows = [
        (Name(confusion.labels[cells.true[m]]), Name(confusion.labels[cells.predicted[m]]), count(cells.value[m]))
        for m in order
    ]
    head = (Column("true", "name"), Column("predicted", "name"), Column("rows", "number"))
    return Table.of(head, rows, "largest errors")
