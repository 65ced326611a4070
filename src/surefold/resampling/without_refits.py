"""Held-out answers through a learner's own closed form."""

from __future__ import annotations

import numpy as np

from surefold.errors import InputError
from surefold.resampling.classifier import Classifier
from surefold.resampling.dataset import Dataset
from surefold.resampling.fold_values import HeldOut
from surefold.resampling.models import describe, versions
from surefold.resampling.plan import Plan
from surefold.resampling.resampled import Resampled
from surefold.resampling.shortcuts import HoldsOut

__all__ = ["without_refits"]


def without_refits(
    name: str, model: Classifier, data: Dataset, plan: Plan, seed: int, confidence: float
) -> Resampled | None:
    """Through the learner's own closed form, where it has one and it applies."""
    if plan.train_rows is not None or data.weights is not None or not isinstance(model, HoldsOut):
        return None
    try:
        probabilities = model.held_out_proba(data.X, data.y, plan.test_rows, plan.test_starts)
    except (InputError, ValueError, TypeError):
        return None  # refitting fails in the fold that is to blame, and says which
    k = len(data.labels)
    if probabilities.shape != (len(plan.test_rows), k) or np.isnan(probabilities).any():
        return None
    # The columns follow np.unique(y): of text, numbers and truth values that is the order of the labels, or it is not
    order = np.argsort(np.asarray(data.labels), kind="stable")
    aligned = np.empty_like(probabilities)
    aligned[:, order] = probabilities
    held = HeldOut(
        data.codes[plan.test_rows],
        order[probabilities.argmax(axis=1)].astype(np.int32),
        aligned,
        "probability",
        plan.test_starts,
        data.labels,
    )
    unknown = np.full(len(plan), np.nan)
    return Resampled(
        name,
        plan,
        held,
        positive=data.positive,
        groups=data.groups,
        fit_seconds=unknown,
        score_seconds=unknown,
        noticed=(*data.findings, *plan.findings),
        seed=seed,
        model=describe(model),
        versions=versions({name: model}),
        confidence=confidence,
        shortcut=True,
    )
