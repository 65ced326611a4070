"""Outcomes of single folds as the flat arrays of a result."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefold.inputs.labels import Label
from surefold.resampling.fold import Failure, Held
from surefold.resampling.fold_values import HeldOut
from surefold.resampling.plan import Plan

__all__ = ["gathered"]


def gathered(
    outcomes: Mapping[int, Held | Failure],
    plan: Plan,
    truth: NDArray[Any],
    labels: tuple[Label, ...],
    weights: NDArray[np.float64] | None,
) -> dict[str, Any]:
    """Outcomes of folds as the flat arrays of a `Resampled`."""
    total, k = len(plan.test_rows), len(labels)
    predicted = np.full(total, -1, dtype=np.int32)
    scores: NDArray[np.float64] | None = None
    seconds = np.full((2, len(plan)), np.nan)
    failures, notes, kinds = {}, {}, set()
    for i, outcome in sorted(outcomes.items()):
        if isinstance(outcome, Failure):
            failures[i] = outcome
            continue
        part = slice(int(plan.test_starts[i]), int(plan.test_starts[i + 1]))
        predicted[part] = outcome.predicted
        kinds.add(outcome.score_kind)
        if outcome.scores is not None:
            if scores is None:
                scores = np.full((total, k) if outcome.scores.ndim == 2 else total, np.nan)
            scores[part] = outcome.scores
        seconds[:, i] = outcome.fit_seconds, outcome.score_seconds
        if outcome.notes:
            notes[i] = outcome.notes
    kind = kinds.pop() if len(kinds) == 1 else "none"
    rows = plan.test_rows
    held = HeldOut(
        truth[rows],
        predicted,
        scores if kind != "none" else None,
        kind,
        plan.test_starts,
        labels,
        None if weights is None else weights[rows],
    )
    return {
        "held": held,
        "fit_seconds": seconds[0],
        "score_seconds": seconds[1],
        "failures": failures,
        "notes": notes,
    }
