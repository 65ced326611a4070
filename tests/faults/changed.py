"""Data, parameters, plan, seed or versions changed before a resume: refused, with what changed."""

from __future__ import annotations

from typing import Any
from unittest.mock import patch

import numpy as np

from surefold import RunError
from surefold.resampling.models import versions

from .stage import Case, Figure, stage


def figures() -> list[Figure]:
    missed: list[str] = []
    with stage(folds=5, repeats=2, seconds=0.0) as case:
        reference = case.run()
        fits = case.fits
        X, y = case.data()
        models = case.models()
        changes: dict[str, dict[str, Any]] = {
            "values of the data differ": {"X": np.nextafter(X, 9)},
            "the data had 100 rows and now have 90": {"X": X[5:95], "y": y[5:95]},
            "the classes were": {"y": np.where(y == "no", "nein", y)},
            "plan: folds was 5 and now is 4": {"folds": 4},
            "random_state was 11 and now is 12": {"random_state": 12},
            "model a: bad was None and now is 1.0": {"models": {**models, "a": type(models["a"])(1.0, str(case.log))}},
            "model a: class was": {"models": {**models, "a": models["b"]}},
        }
        for words, change in changes.items():
            missed += _refused(case, words, change)
        for package in ("python", "numpy", "surefold"):
            other = {package: "0"}
            with patch("surefold.resampling.run.versions", lambda models, other=other: {**versions(models), **other}):
                missed += _refused(case, f"version of {package} was", {})
        wrong = (case.run() != reference) + (case.fits != fits)
    return [
        Figure("changed", "resumed with other data, parameters, seed, versions", str(len(changes) + 3), "", True),
        Figure("changed", "not refused, or without saying what changed", " ".join([str(len(missed)), *missed]), "0",
               not missed),
        Figure("changed", "refusals that changed the stored run", f"{wrong}", "0", wrong == 0),
    ]  # fmt: skip


def _refused(case: Case, words: str, change: dict[str, Any]) -> list[str]:
    try:
        case.run(**change)
    except RunError as error:
        return [] if error.code == "changed_run" and words in str(error) else [str(error)]
    return [f"{words}: went on"]
