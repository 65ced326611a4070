"""A result over splits in the format that was asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from surefold.report.as_csv import resampled_csv
from surefold.report.as_json import bootstrap_to_dict, resampled_to_dict, study_to_dict, to_json
from surefold.report.blocks import marks_for
from surefold.report.junit import resampled_junit
from surefold.report.markdown import resampled_markdown
from surefold.report.of_splits import Result, chosen
from surefold.report.resampled_text import bootstrap_text, resampled_text, splits_line, study_text
from surefold.resampling.bootstrapped import Bootstrapped
from surefold.resampling.study import Study

__all__ = ["shown"]


def shown(
    result: Result, shape: str, measures: Sequence[str] | None = None, title: str = "", facts: Mapping[str, Any] = {}
) -> str:
    """The document; `facts` are added to the JSON."""
    if shape == "json":
        return to_json(_plain(result, measures) | dict(facts))
    if shape == "csv":
        return resampled_csv(result, measures).rstrip("\n")
    if shape == "md":
        return resampled_markdown(result, measures).rstrip("\n")
    if shape == "junit":
        return resampled_junit(result, title, measures).rstrip("\n")
    if isinstance(result, Study):
        return study_text(result, measures)
    if isinstance(result, Bootstrapped):
        return bootstrap_text(result, measures)
    named = chosen(result, measures)
    return resampled_text(result, measures, splits_line(result, named[0], marks_for()) if named else "")


def _plain(result: Result, measures: Sequence[str] | None) -> dict[str, Any]:
    if isinstance(result, Study):
        return study_to_dict(result, measures)
    if isinstance(result, Bootstrapped):
        return bootstrap_to_dict(result, measures)
    return resampled_to_dict(result, measures)
