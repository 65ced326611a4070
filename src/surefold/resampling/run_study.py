"""Models over a plan, always as a study of several, with nothing but real fits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from surefold.resampling.dataset import Dataset
from surefold.resampling.evaluate import RunOptions, evaluate_plan
from surefold.resampling.plan import Plan
from surefold.resampling.study import Study

__all__ = ["run_study"]


def run_study(models: Mapping[str, Any], data: Dataset, plan: Plan, confidence: float, options: RunOptions) -> Study:
    """Every model on every split; a learner's shortcuts are not taken, because fits are timed and measured here."""
    return cast(Study, evaluate_plan(dict(models), data, plan, confidence=confidence, shortcut=False, **options))
