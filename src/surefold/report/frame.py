"""Results as data frames."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from surefold.assessment.result import Assessment
from surefold.comparison.result import Comparison, Comparisons
from surefold.flavours import Flavour, in_flavour
from surefold.report.comparison_export import DIFFERENCE_COLUMNS, difference_rows
from surefold.report.rows import COLUMNS, flat_rows
from surefold.resampling.resampled import Resampled
from surefold.resampling.study import Study
from surefold.show.of.splits import split_rows

__all__ = ["assessment_to_frame", "differences_frame", "frame_of", "resampled_to_frame", "study_to_frame"]


def assessment_to_frame(a: Assessment, flavour: Flavour = "polars") -> Any:
    """One row a measure, as a polars or a pandas DataFrame."""
    rows = list(flat_rows(a))
    numbers = {"value", "low", "high", "se", "confidence", "n"}
    return frame_of(rows, {name: "number" if name in numbers else "text" for name in COLUMNS}, flavour)


def resampled_to_frame(r: Resampled, flavour: Flavour = "polars", measures: Sequence[str] | None = None) -> Any:
    """One row a split: repeat, fold, sizes, seconds, whether it is there, and the measures."""
    return _of_splits([r], flavour, measures)


def study_to_frame(s: Study, flavour: Flavour = "polars", measures: Sequence[str] | None = None) -> Any:
    """One row a model and split; a measure that a model does not have is missing there."""
    return _of_splits(list(s.models.values()), flavour, measures)


def differences_frame(c: Comparison | Comparisons, flavour: Flavour = "polars") -> Any:
    """One row a measure and pair: the difference, its interval, the test and what it says."""
    return frame_of(list(difference_rows(c)), DIFFERENCE_COLUMNS, flavour)


def _of_splits(results: list[Resampled], flavour: Flavour, measures: Sequence[str] | None) -> Any:
    rows = [row for r in results for row in split_rows(r, measures)]
    kinds = {"model": "text", "failure": "text", "complete": "bool"}
    kinds |= dict.fromkeys(("split", "repeat", "fold", "train_rows", "test_rows"), "whole")
    columns = {name: kinds.get(name, "number") for name in dict.fromkeys(name for row in rows for name in row)}
    return frame_of([tuple(row.get(name) for name in columns) for row in rows], columns, flavour)


def frame_of(rows: list[tuple[Any, ...]], columns: dict[str, str], flavour: Flavour) -> Any:
    """Rows under columns, each of which holds text, numbers, whole numbers or bools."""
    import polars as pl

    kinds = {"number": pl.Float64, "text": pl.String, "whole": pl.Int64, "bool": pl.Boolean}
    schema = {name: kinds[kind] for name, kind in columns.items()}
    return in_flavour(pl.DataFrame(rows, schema=schema, orient="row"), flavour)
