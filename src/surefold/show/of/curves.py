"""What a curve of training rows or of wrong labels shows: a line a model and x."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from surefold.numbers import number
from surefold.show.blocks import Block, Cell, Column, Document, Name, Table, Text
from surefold.studies.study_curve import PER_ROWS, StudyCurve

__all__ = ["document", "times_text"]

MOST_UNDEFINED = 3


def document(c: StudyCurve) -> Document:
    """The card, then every point with its seconds and sizes."""
    heading = f"{c.measure} by {c.x_name}, {c.plan.n:,} rows, {times_text(c.plan.options)}"
    blocks: list[Block] = [Text.of(heading), _table(c)]
    undefined = [
        f"{name} at {point.x:g}: undefined, {point.estimate.reason}"
        for name, points in c.models.items()
        for point in points
        if not point.estimate.defined
    ]
    left = len(undefined) - MOST_UNDEFINED
    if undefined:
        blocks.append(Text.of(*undefined[:MOST_UNDEFINED], f"… and {left} more" if left > 0 else ""))
    return Document.of(c.verdict, blocks, c.findings)


def times_text(options: Mapping[str, Any]) -> str:
    """Folds, and how often they were dealt."""
    repeats = options["repeats"]
    return f"{options['folds']} folds" + (f", {repeats} times" if repeats > 1 else "")


def _table(c: StudyCurve) -> Table:
    columns = [Column(f"model at {c.x_column}", "name"), Column(c.measure), Column("fit seconds", "number")]
    columns.append(Column(f"predict, {PER_ROWS:,} rows", "number"))
    sized = any(point.size for points in c.models.values() for point in points)
    rows: list[tuple[Cell, ...]] = []
    for name, points in c.models.items():
        for point in points:
            value = str(point.estimate) if point.estimate.defined else "undefined"
            seconds = [number(e.value, ".2g") for e in (point.fit_seconds, point.predict_seconds)]
            sizes = ", ".join(f"{what.replace('_', ' ')} {number(float(e), '.4g')}" for what, e in point.size.items())
            rows.append((Name(name, f" at {point.x:g}"), value, *seconds, *([sizes] if sized else [])))
    return Table.of([*columns, *([Column("size", "words")] if sized else [])], rows)
