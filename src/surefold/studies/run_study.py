"""Models over a plan, always as a study of several, with nothing but real fits."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, cast

from surefold.resampling.dataset import Dataset
from surefold.resampling.evaluate import RunOptions, evaluate_plan
from surefold.resampling.options import seed_of
from surefold.resampling.plan import Plan
from surefold.resampling.store import Store
from surefold.resampling.study import Study

__all__ = ["run_study", "study_seed"]


def run_study(models: Mapping[str, Any], data: Dataset, plan: Plan, confidence: float, options: RunOptions) -> Study:
    """Every model on every split; a learner's shortcuts are not taken, because fits are timed and measured here."""
    return cast(Study, evaluate_plan(dict(models), data, plan, confidence=confidence, shortcut=False, **options))


def study_seed(random_state: Any, options: RunOptions) -> int:
    """The seed: the one given, or that of the stored run that is to be gone on with, or a fresh one."""
    store = options.get("store")
    if random_state is None and store is not None and os.path.exists(store):
        with Store(store) as there:
            run = there.read_run(options.get("run", "run"))
        if run is not None:
            return int(run.facts["seed"])
    return seed_of(random_state)
