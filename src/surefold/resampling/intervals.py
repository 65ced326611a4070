"""Intervals of a resampled result that do not come from one value a fold: pooled rows, pairs, nested folds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from surefold.assessment.assess import assess
from surefold.errors import InputError
from surefold.estimates.cross_validated import leave_pair_out_auc, nested_interval
from surefold.estimates.estimate import Estimate
from surefold.inputs.labels import Label
from surefold.inputs.predictions import Predictions
from surefold.measures import catalogue
from surefold.measures.score_measure import ScoreMeasure
from surefold.resampling.row_losses import loss_limits, loss_name, row_losses

if TYPE_CHECKING:
    from surefold.resampling.resampled import Resampled

__all__ = ["nested_cv_interval", "pairs_interval", "pooled_interval", "pooled_predictions"]


def pooled_predictions(r: Resampled, splits: NDArray[Any], pos_label: Label | None) -> Predictions:
    """Held-out answers of some splits as one test set; a row tested several times is a group of its own answers."""
    if r.plan.overlaps:
        problem = "rows that were trained on were tested, so they are no test set"
        raise InputError("not_for_this_plan", problem, cure="ask bootstrap(...).out_of_bag, point632 or point632plus")
    places = r.places(splits)
    rows = r.plan.test_rows[places]
    p = r.held.predictions(places, r.positive_of(pos_label))
    groups = None if r.groups is None else r.groups[rows]
    if groups is None and np.bincount(rows).max() > 1:
        groups = rows
    return p if groups is None else replace(p, groups=np.unique(groups, return_inverse=True)[1])


def pooled_interval(
    r: Resampled, measure: str, level: float, pos_label: Label | None, options: Mapping[str, Any]
) -> Estimate:
    """All held-out rows as one test set."""
    r.refuse_missing(f"pooled {measure}")
    p = pooled_predictions(r, np.flatnonzero(r.outer), pos_label)
    if not isinstance(catalogue[measure], ScoreMeasure):
        p = replace(p, scores=None)
    e = assess(p, confidence=level).measure(measure, **options)
    blurred = ("pooled_folds",) if measure in catalogue.of_scores and len(r.plan) > 1 else ()
    return replace(e, flags=(*r.flags, *e.flags, *blurred))


def pairs_interval(r: Resampled, measure: str, level: float) -> Estimate:
    """The area with the interval of a leave-pair-out plan; `not_for_this_plan` of others."""
    plan = r.plan
    if plan.kind != "leave_pair_out" or r.named(measure).name != "roc_auc":
        problem = f"{measure} by pairs needs a leave-pair-out plan and roc_auc"
        cure = "cross_validate(..., leave_pair_out=True).interval('roc_auc')"
        raise InputError("not_for_this_plan", problem, cure=cure)
    r.refuse_missing("the area by pairs")
    positive = int(plan.options["positive"])
    scores = r.held.scores_for(positive)
    if scores is None:
        problem = "roc_auc needs scores, and the model gives labels only"
        raise InputError("bad_option", problem, cure="use a model with predict_proba or decision_function")
    column = scores if scores.ndim == 1 else scores[:, positive]
    first, second = column[0::2], column[1::2]
    wins = (first > second) + 0.5 * (first == second)
    upper, above = np.unique(plan.test_rows[0::2], return_inverse=True)
    lower, below = np.unique(plan.test_rows[1::2], return_inverse=True)
    e = leave_pair_out_auc(wins, above, below, len(upper), len(lower), confidence=level)
    return replace(e, name="roc_auc", flags=(*r.flags, *e.flags))


def nested_cv_interval(r: Resampled, measure: str, level: float, pos_label: Label | None) -> Estimate:
    """A measure with the interval of a nested plan; `not_for_this_plan` of others."""
    plan = r.plan
    if plan.kind != "nested":
        problem = "a nested interval needs fits that leave out two folds at a time"
        raise InputError("not_for_this_plan", problem, cure="cross_validate(..., nested=True)")
    r.refuse_missing("the nested interval")
    losses = row_losses(r.held, measure, r.positive_of(pos_label))
    if losses is None:
        problem = f"{measure} is no mean over rows, which nested intervals need"
        cure = "ask for error_rate, accuracy, brier or log_loss, or method='corrected'"
        raise InputError("not_for_this_plan", problem, cure=cure)
    folds, outer, inner = r.folds, [], []
    for repeat in np.unique(plan.repeat).tolist():
        splits = np.flatnonzero(plan.repeat == repeat)
        own = [losses[plan.test_starts[s] : plan.test_starts[s + 1]] for s in splits[:folds]]
        members = [plan.test(int(s)) for s in splits[:folds]]
        collected: list[list[NDArray[np.float64]]] = [[] for _ in range(folds)]
        pairs = [(i, j) for i in range(folds) for j in range(i + 1, folds)]
        for s, (i, j) in zip(splits[folds:].tolist(), pairs, strict=True):
            rows, each = plan.test(s), losses[plan.test_starts[s] : plan.test_starts[s + 1]]
            collected[i].append(each[np.isin(rows, members[j])])
            collected[j].append(each[np.isin(rows, members[i])])
        outer.append(own)
        inner.append([np.concatenate(parts) for parts in collected])
    limits = loss_limits(loss_name(measure, r.labels, r.positive_of(pos_label)))
    e = nested_interval(outer, inner, limits=limits, confidence=level)
    return replace(e, name=r.named(measure).name, flags=(*r.flags, *e.flags))
