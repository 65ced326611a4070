"""An assessment as flat rows: what data frames, CSV and markdown are made from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from surefold.assessment import Assessment
from surefold.errors import is_text
from surefold.estimates.estimate import Estimate
from surefold.measures import catalogue
from surefold.show.names import plain

__all__ = ["COLUMNS", "estimate_row", "flat_rows", "per_class_names"]

COLUMNS = ("class", "measure", "value", "low", "high", "se", "confidence", "method", "n", "flags", "reason")


def per_class_names(a: Assessment) -> list[str]:
    """The per-class measures that were asked for: all of them, unless a choice was made; none without labels."""
    if a.estimates is None:
        return []
    return [m.name for m in catalogue.of_labels.values() if m.is_per_class and (a.shown is None or m.name in a.shown)]


def flat_rows(a: Assessment) -> Iterator[tuple[Any, ...]]:
    """One row a measure, first of the whole table, then of each class; the columns are `COLUMNS`."""
    for name, estimate in a.overall.items():
        yield _row(None, name, estimate)
    names = per_class_names(a)
    if not names:
        return
    for label, measures in a.per_class.items():
        for name in names:
            yield _row(label, name, measures[name])


def _row(label: Any, name: str, e: Estimate) -> tuple[Any, ...]:
    text = str(label)
    shown = None if label is None else text if is_text(text) else plain(text)  # frames hold UTF-8
    return (shown, *estimate_row(name, e))


def estimate_row(name: str, e: Estimate) -> tuple[Any, ...]:
    """An estimate under a name; the columns are `COLUMNS` without the first."""
    d = e.to_dict()
    numbers = (d["value"], d["low"], d["high"], d["se"], e.confidence)
    return (name, *numbers, e.method, d["n"], " ".join(e.flags), e.reason)
