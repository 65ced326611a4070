"""Every result as records: names of columns, and rows of plain values. CSV and data frames are written from these."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from surefold.assessment import Assessment
from surefold.comparison.gate import Gate
from surefold.comparison.result import Comparison, Comparisons
from surefold.report.as_csv import resampled_records
from surefold.report.comparison_export import COMPARISON_COLUMNS, GATE_COLUMNS, comparison_rows, gate_row
from surefold.report.rows import COLUMNS, flat_rows
from surefold.resampling.bootstrapped import Bootstrapped
from surefold.resampling.resampled import Resampled
from surefold.resampling.study import Study
from surefold.show.names import csv_text

__all__ = ["csv_of", "records"]

Records = tuple[tuple[str, ...], Iterable[tuple[Any, ...]]]


def records(result: Any, measures: Sequence[str] | None = None) -> Records:
    """The columns of a result and its rows; what has no rows of its own has those of its data frame.

    `measures` are those wanted of models over splits.

    >>> from surefold import assess
    >>> columns, rows = records(assess([0, 1, 1], [0, 1, 0]))
    >>> columns[:3], next(iter(rows))[1]
    (('class', 'measure', 'value'), 'accuracy')
    """
    match result:
        case Assessment():
            return COLUMNS, flat_rows(result)
        case Comparison() | Comparisons():
            return COMPARISON_COLUMNS, comparison_rows(result)
        case Gate():
            return GATE_COLUMNS, [gate_row(result)]
        case Resampled() | Study() | Bootstrapped():
            return resampled_records(result, measures)
        case _:
            frame = result.to_frame()
            return tuple(frame.columns), frame.iter_rows()


def csv_of(result: Any, measures: Sequence[str] | None = None) -> str:
    """The records as CSV that a spreadsheet opens without running anything in it."""
    columns, rows = records(result, measures)
    return csv_text([columns, *rows])
