"""A result over splits in the format that was asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from surefold.cli.output import emit
from surefold.report.as_json import bootstrap_to_dict, resampled_to_dict, study_to_dict
from surefold.report.junit import resampled_junit
from surefold.report.records import csv_of
from surefold.resampling.bootstrapped import Bootstrapped
from surefold.resampling.study import Study
from surefold.show.of.splits import Result

__all__ = ["emit_run"]


def emit_run(
    result: Result, shape: str, measures: Sequence[str] | None = None, title: str = "", facts: Mapping[str, Any] = {}
) -> None:
    """Print it; `facts` are added to the JSON."""
    chart: dict[str, Any] = {} if isinstance(result, Study) else {"chart": shape == "table"}
    emit(
        result,
        shape,
        facts,
        measures=measures,
        plain=lambda: _plain(result, measures),
        records=lambda: csv_of(result, measures),
        junit=lambda: resampled_junit(result, title, measures),
        **chart,
    )


def _plain(result: Result, measures: Sequence[str] | None) -> dict[str, Any]:
    if isinstance(result, Study):
        return study_to_dict(result, measures)
    if isinstance(result, Bootstrapped):
        return bootstrap_to_dict(result, measures)
    return resampled_to_dict(result, measures)
