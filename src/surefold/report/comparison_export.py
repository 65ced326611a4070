"""Comparisons and gates as markdown, CSV and JUnit XML: the same figures as the terminal shows."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from surefold.comparison.gate import Gate
from surefold.comparison.result import Comparison, Comparisons, Difference
from surefold.report.junit import junit_case, junit_suite
from surefold.report.rows import estimate_row
from surefold.show.names import csv_text

__all__ = [
    "COMPARISON_COLUMNS",
    "DIFFERENCE_COLUMNS",
    "GATE_COLUMNS",
    "comparison_junit",
    "comparison_rows",
    "difference_rows",
    "gate_junit",
    "gate_row",
    "ranks_csv",
]

#: Of a data frame of differences, with the kind of each column.
DIFFERENCE_COLUMNS = {
    "measure": "text", "first": "text", "second": "text", "difference": "number", "low": "number", "high": "number",
    "se": "number", "confidence": "number", "method": "text", "n": "number", "test": "text", "statistic": "number",
    "p": "number", "adjusted_p": "number", "equal_p": "number", "status": "text", "margin": "number",
    "rows_needed": "number", "smallest": "number", "flags": "text", "reason": "text",
}  # fmt: skip
_TESTED = ("test", "p", "adjusted_p", "equal_p", "status", "margin", "rows_needed")
#: Of a CSV file: models first, with no second one; then their differences.
COMPARISON_COLUMNS = ("measure", "first", "second", "value", "low", "high", "se", "confidence", "method", "n", *_TESTED,
                      "flags", "reason")  # fmt: skip
GATE_COLUMNS = ("status", "question", "measure", "candidate", "baseline", "value", "low", "high", "confidence",
                "lower_bound", "upper_bound", "limit", "margin", "rows", "rows_needed", "flags",
                "sentence")  # fmt: skip

Several = Comparison | Comparisons


def difference_rows(c: Several) -> Iterator[tuple[Any, ...]]:
    """One row a measure and pair; the columns are `DIFFERENCE_COLUMNS`."""
    for one in _each(c):
        for d in one.differences:
            tested = (d.test.name, _finite(d.test.statistic), _finite(d.test.p_value), d.adjusted_p, d.equal_p,
                      d.status, d.margin, _finite(d.rows_needed), _finite(d.smallest))  # fmt: skip
            _, value, low, high, se, confidence, method, n, _, reason = estimate_row("", d.effect)
            yield (
                d.measure,
                d.first,
                d.second,
                value,
                low,
                high,
                se,
                confidence,
                method,
                n,
                *tested,
                _flags(d),
                reason,
            )


def ranks_csv(c: Several) -> str:
    """One row a measure and model: its place, the places it may have, and whether it may be the best."""
    head = ("measure", "model", "value", "rank", "low", "high", "may_be_best", "behind_at_most")
    rows = [
        (
            one.measure,
            name,
            _finite(r.value),
            r.rank,
            r.low,
            r.high,
            name in one.best_set,
            _finite(one.best_set.behind[name]),
        )
        for one in _each(c)
        if one.ranks is not None and one.best_set is not None
        for name, r in one.ranks.items()
    ]
    return csv_text([head, *rows])


def comparison_junit(c: Several, name: str = "surefold compare") -> str:
    """One case a model and one a pair; skipped where the value is undefined or the pair cannot be told apart.

    Nothing fails: a comparison has no right answer. A gate does.
    """
    cases = []
    for one in _each(c):
        for model, e in one.values.items():
            cases.append(junit_case(name, f"{one.measure} of {model}", "" if e.defined else "cannot_tell", str(e)))
        for d in one.differences:
            problem = "cannot_tell" if d.status == "cannot_tell" else ""
            cases.append(junit_case(name, f"{one.measure}: {d.first} - {d.second}", problem, str(d)))
    return junit_suite(name, cases)


def gate_row(g: Gate) -> tuple[Any, ...]:
    """The gate as one row; the columns are `GATE_COLUMNS`."""
    e = g.effect.to_dict()
    bounds = (_finite(x) for x in g.bounds)
    asked = (g.status, g.kind, g.measure, g.candidate, g.baseline)
    held = (e["value"], e["low"], e["high"], g.confidence, *bounds, g.limit, g.margin)
    return (*asked, *held, g.rows, _finite(g.rows_needed), " ".join(g.effect.flags), g.sentence)


def gate_junit(g: Gate, name: str = "surefold gate") -> str:
    """One case: passed, failed, or skipped where it cannot be told."""
    against = f" against {g.baseline}" if g.baseline is not None else ""
    case = f"{g.measure} of {g.candidate}{against}: {g.kind.replace('_', ' ')}"
    return junit_suite(name, [junit_case(name, case, "" if g.passed else g.status, g.sentence)])


def _each(c: Several) -> list[Comparison]:
    return list(c.values()) if isinstance(c, Comparisons) else [c]


def comparison_rows(c: Several) -> Iterator[tuple[Any, ...]]:
    """One row a model with its value, then one a pair with its difference; the columns are `COMPARISON_COLUMNS`."""
    for one in _each(c):
        for name, e in one.values.items():
            measure, *figures, flags, reason = estimate_row(one.measure, e)
            yield (measure, name, None, *figures, *(None for _ in _TESTED), flags, reason)
    columns = list(DIFFERENCE_COLUMNS)
    for row in difference_rows(c):
        named = dict(zip(columns, row, strict=True))
        named["value"] = named["difference"]
        yield tuple(named[column] for column in COMPARISON_COLUMNS)


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None


def _flags(d: Difference) -> str:
    return " ".join(dict.fromkeys((*d.effect.flags, *d.test.flags)))
