"""Slices as data frames, CSV and JUnit XML: the same figures as the terminal shows."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from surefold.comparison.slices.gate import SliceGate
from surefold.comparison.slices.result import Slices, SlicesOfMeasures
from surefold.report.frame import frame_of
from surefold.report.junit import junit_case, junit_suite
from surefold.show.names import csv_text

if TYPE_CHECKING:
    import polars

__all__ = ["slice_gate_csv", "slice_gate_junit", "slices_csv", "slices_frame", "slices_junit"]

#: What each column holds.
SLICE_COLUMNS = {
    "measure": "text",
    "slice": "text",
    "columns": "text",
    "levels": "text",
    "rows": "whole",
    "value": "number",
    "low": "number",
    "high": "number",
    "all_low": "number",
    "all_high": "number",
    "difference": "number",
    "difference_low": "number",
    "difference_high": "number",
    "p": "number",
    "adjusted_p": "number",
    "equal_p": "number",
    "status": "text",
    "rows_needed": "number",
    "flags": "text",
    "reason": "text",
}
Several = Slices | SlicesOfMeasures


def _each(s: Several) -> list[Slices]:
    return list(s.each.values()) if isinstance(s, SlicesOfMeasures) else [s]


def slice_rows(s: Several) -> Iterator[tuple[Any, ...]]:
    """One row a measure and slice; the columns are `SLICE_COLUMNS`."""
    for found in _each(s):
        for one in found.slices:
            e, wide, gap = one.estimate, one.simultaneous, one.difference
            ends = (None, None) if wide is None else (wide.low, wide.high)
            apart = (None, None, None) if gap is None else (gap.value, gap.low, gap.high)
            tested = (one.p_value, one.adjusted_p, one.equal_p)
            figures = map(_finite, (e.value, e.low, e.high, *ends, *apart, *tested))
            names = (found.measure, one.name, ", ".join(one.columns), ", ".join(one.levels), one.rows)
            yield (*names, *figures, one.status, _finite(one.rows_needed), " ".join(e.flags), one.reason)


def slices_frame(s: Several) -> polars.DataFrame:
    """One row a measure and slice, as a polars frame."""
    found: polars.DataFrame = frame_of(list(slice_rows(s)), SLICE_COLUMNS, "polars")
    return found


def slices_csv(s: Several) -> str:
    """The same as CSV."""
    return csv_text([tuple(SLICE_COLUMNS), *slice_rows(s)])


def slices_junit(s: Several, name: str = "surefold assess") -> str:
    """A case a slice: failed where it is surely worse than the rest, skipped where it cannot be told."""
    cases = []
    for found in _each(s):
        worse = {id(one) for one in found.worse}
        for one in found.slices:
            problem = "worse" if id(one) in worse else ""
            problem = problem or ("" if one.status in ("above", "below", "alike", "no_rest") else "cannot_tell")
            cases.append(junit_case(name, f"{found.measure}: {one.name}", problem, str(one)))
    return junit_suite(name, cases)


def slice_gate_csv(g: SliceGate) -> str:
    """One row a slice, and one of all rows where they were asked about too."""
    head = ("status", "measure", "slice", "rows", "value", "low", "high", "limit", "confidence", "rows_needed")
    rows = [
        (
            one.status,
            g.measure,
            one.name,
            one.rows,
            _finite(one.estimate.value),
            *map(_finite, one.bounds),
            g.limit,
            g.confidence,
            _finite(one.rows_needed),
        )
        for one in g.each
    ]
    return csv_text([head, *rows])


def slice_gate_junit(g: SliceGate, name: str = "surefold gate") -> str:
    """A case a slice, and one of all rows where they were asked about too."""
    asked = f"{g.kind.replace('_', ' ')} {g.limit:g}"
    cases = []
    if g.overall is not None:
        problem = "" if g.overall.passed else g.overall.status
        cases.append(junit_case(name, "all rows", problem, g.overall.sentence))
    for one in g.each:
        problem = "" if one.status == "passed" else one.status
        text = f"{g.measure} of {one.name} is {one.estimate}, asked {asked}"
        cases.append(junit_case(name, f"{one.name}: {g.measure} {asked}", problem, text))
    why = "left out: too few rows, or no value"
    cases += [junit_case(name, f"{left}: {g.measure} {asked}", "cannot_tell", why) for left in g.left_out]
    return junit_suite(name, cases)


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None
