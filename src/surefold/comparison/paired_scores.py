"""Differences of measures of scores between models on the same rows.

Areas are compared by DeLong's variance with a quarter row in each class, half of which each model ranks above all and
half below all. Average precision gets one positive more, half of which each model ranks above all. A mean loss gets
half a row whose label is flipped. None of them moves the difference itself: they are in the variance alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefold.comparison.models import Models
from surefold.comparison.pair_moments import PairMoments, Spread, spread_of_pairs
from surefold.comparison.paired_auc import ADDED, PLAIN, QUARTER, no_variance
from surefold.estimates.auc import auc_influence, few_of_a_class, few_weighted_errors
from surefold.estimates.average_precision import FEW_POSITIVES, ap_influence
from surefold.estimates.multiclass_auc import MATRIX_MEASURES, enlarged_matrix, matrix_influence
from surefold.estimates.row_influence import at_rows
from surefold.inputs.predictions import Predictions
from surefold.measures import proper
from surefold.measures.ranking import average_precision, class_weights, in_top
from surefold.measures.score_measure import ScoreMeasure
from surefold.tallies.placements import doubled_placements
from surefold.tallies.score_groups import ScoreGroups
from surefold.tallies.score_matrix import ScoreMatrix

__all__ = ["SCORE_PAIRS", "area_moments", "score_pairs"]

Array = NDArray[np.float64]

#: A quarter of a positive leaves average precision at .87 with 20 positives; half a flipped row is enough for losses.
ADDED_POSITIVE = 1.0
FLIPPED = 0.5


def score_pairs(measure: ScoreMeasure, models: Models, *, added: bool = True) -> PairMoments | None:
    """The differences of every pair, or None where a measure has no influence values and must be drawn."""
    known = SCORE_PAIRS.get(measure.name)
    return None if known is None else known(measure, models, added)


# areas of two classes


def _areas(measure: ScoreMeasure, models: Models, added: bool) -> PairMoments:
    times = 2.0 if measure.name == "gini" else 1.0
    is_positive = _positives(models)
    reason = _one_class(is_positive, models)
    if reason:
        return _undefined(models, reason, (-times, times))
    weights, unequal = models.weights, models.first.weights is not None
    rows = [float(w.sum() ** 2 / (w @ w)) for w in (weights[is_positive], weights[~is_positive])]
    areas, columns = [], []
    for p in models:
        area, column = _weighted_places(p, is_positive, weights) if unequal else _places(p, is_positive)
        areas.append(area)
        columns.append(column)
    values = np.array(areas)
    spread = spread_of_pairs(columns, models, is_positive)
    independent = models.without_groups
    parts = [
        spread_of_pairs([np.where(held, column, 0.0) for column in columns], independent).plain
        for held in (is_positive, ~is_positive)
    ]
    return area_moments(values, parts, rows, spread, models.effective_n, _area_flags(models, rows), times, added)


def area_moments(
    values: Array,
    parts: Sequence[Array],
    rows: Sequence[float],
    spread: Spread,
    n: float,
    flags: tuple[str, ...],
    times: float,
    added: bool,
) -> PairMoments:
    """From the spread of each pair within each class, in effective rows: DeLong's divisors are one row less."""
    d = values[:, None] - values[None, :]
    plain, variance = np.zeros_like(d), np.zeros_like(d)
    for part, m in zip(parts, rows, strict=True):
        plain += part * m * m / (m * (m - 1)) if m > 1 else np.nan
        more = m + ADDED
        variance += (part * m * m + ADDED * (1 + d**2)) / (more * (more - 1))
    plain, variance = (times**2 * x * spread.design_effect for x in (plain, variance))
    facts = (times * values, times * values, variance if added else plain, plain, (-times, times), n, spread.groups)
    if added:
        return PairMoments(*facts, flags=flags, method="quarter_row", name=QUARTER)
    return PairMoments(*facts, flags=flags, method="delong", name=PLAIN, no_spread=no_variance(min(rows)))


def _places(p: Predictions, is_positive: NDArray[np.bool_]) -> tuple[float, Array]:
    """The area, and (placement - area) / (rows of the class) of every row."""
    ahead, behind = doubled_placements(_scores(p), is_positive)
    m, n = len(ahead), len(behind)
    area = int(ahead.sum(dtype=np.int64)) / (2 * m * n)
    column = np.empty(m + n)
    column[is_positive] = (ahead / (2 * n) - area) / m
    column[~is_positive] = (behind / (2 * m) - area) / n
    return area, column


def _weighted_places(p: Predictions, is_positive: NDArray[np.bool_], weights: Array) -> tuple[float, Array]:
    t = ScoreGroups.of(_scores(p), is_positive, weights)
    return t.auc, at_rows(t, _scores(p), is_positive, auc_influence(t)) * weights


def _area_flags(models: Models, rows: list[float]) -> tuple[str, ...]:
    flags: tuple[str, ...] = ("few_of_a_class",) if few_of_a_class(min(rows)) else ()
    if models.weights_vary and any(few_weighted_errors(ScoreGroups.of_predictions(p)) for p in models):
        flags += ("few_weighted_errors",)
    return flags


# average precision


def _precisions(measure: ScoreMeasure, models: Models, added: bool) -> PairMoments:
    is_positive = _positives(models)
    reason = _one_class(is_positive, models)
    if reason:
        return _undefined(models, reason, (-1.0, 1.0))
    w = models.weights
    m = float(w[is_positive].sum() ** 2 / (w[is_positive] @ w[is_positive]))
    tallies = [ScoreGroups.of(_scores(p), is_positive, w) for p in models]
    columns = [at_rows(t, _scores(p), is_positive, ap_influence(t)) * w for t, p in zip(tallies, models, strict=True)]
    values = np.array([average_precision(t) for t in tallies])
    spread = spread_of_pairs(columns, models, is_positive)
    d = values[:, None] - values[None, :]
    more = ADDED_POSITIVE if added else 0.0
    variance = (spread.plain * m * m + more * (1 + d**2)) / (m + more) ** 2
    flags: tuple[str, ...] = ("few_positives",) if m < FEW_POSITIVES - 1e-9 else ()
    if models.weights_vary and any(map(few_weighted_errors, tallies)):
        flags += ("few_weighted_errors",)
    return PairMoments(
        values,
        values,
        variance * spread.design_effect,
        spread.plain * spread.design_effect,
        (-1.0, 1.0),
        models.effective_n,
        spread.groups,
        flags=flags,
        method="one_row" if added else "delta",
    )


# mean losses


def _losses(measure: ScoreMeasure, models: Models, added: bool) -> PairMoments:
    loss: proper.Loss = "log_loss" if measure.name.startswith("log_loss") else "brier"
    divisor = 2.0 if measure.settings.get("scaled") and measure.reads == "matrix" else 1.0
    columns, flipped, reasons = [], [], []
    for p in models:
        scores = _scores(p)
        proper.has_probabilities(ScoreMatrix.of(p) if scores.ndim == 2 else ScoreGroups.of_predictions(p))
        reasons.append("a score is infinite, and so no probability" if np.isinf(scores).any() else "")
        truth: Any = p.truth if scores.ndim == 2 else p.truth == p.positive
        columns.append(proper.row_losses(loss, scores, truth, p.clip) / divisor)
        flipped.append(_flipped(loss, p) / divisor)
    top = {"log_loss": np.inf, "brier": (2.0 if measure.reads == "matrix" else 1.0) / divisor}[loss]
    return _means(columns, flipped, models, top, added, tuple(reasons))


def _flipped(loss: proper.Loss, p: Predictions) -> Array:
    """The loss of each row if its label were another: the other class of two, the mean over the others of many."""
    scores = _scores(p)
    if scores.ndim == 1:
        return proper.row_losses(loss, scores, p.truth != p.positive, p.clip)
    k = scores.shape[1]
    total = sum(proper.row_losses(loss, scores, np.full(p.n, c), p.clip) for c in range(k))
    return np.asarray((total - proper.row_losses(loss, scores, p.truth, p.clip)) / max(k - 1, 1))


def _means(
    columns: list[Array], flipped: list[Array], models: Models, top: float, added: bool, reasons: tuple[str, ...]
) -> PairMoments:
    """Differences of means of values from 0 to `top`."""
    w, n = models.weights, models.effective_n
    values = np.array([float(w @ c) / n for c in columns])
    spread = spread_of_pairs([(c - v) * w / n for c, v in zip(columns, values, strict=True)], models)
    variance = spread.plain
    if added:
        root = np.sqrt(w / n)
        away = spread_of_pairs(
            [(f - v) * root for f, v in zip(flipped, values, strict=True)], models.without_groups
        ).plain
        # Where the models never differ, half a row each wins by what a row loses at most, so that none means little.
        most = top if np.isfinite(top) else max(float(c.max(initial=0.0)) for c in (*columns, *flipped))
        alike = (away <= 0) & (spread.plain <= 0)
        variance = (spread.plain * n * n + np.where(alike, most**2, FLIPPED * away)) / (n + FLIPPED) ** 2
    return PairMoments(
        np.array([np.nan if why else v for v, why in zip(values, reasons, strict=True)]),
        values,
        variance * spread.design_effect,
        spread.plain * spread.design_effect,
        (-top, top),
        n,
        min(spread.groups, n),  # t with one less than the rows
        reasons,
        method="flipped_row" if added else "delta",
    )


def _top_k(measure: ScoreMeasure, models: Models, added: bool) -> PairMoments:
    columns = [in_top(ScoreMatrix.of(p), measure.settings["k"]).astype(float) for p in models]
    w, n = models.weights, models.effective_n
    values = np.array([float(w @ c) / n for c in columns])
    spread = spread_of_pairs([(c - v) * w / n for c, v in zip(columns, values, strict=True)], models)
    more = 1.0 if added else 0.0
    variance = (spread.plain * n * n + more) / (n + more) ** 2
    return PairMoments(
        values,
        values * n / (n + more),
        variance * spread.design_effect,
        spread.plain * spread.design_effect,
        (-1.0, 1.0),
        n,
        spread.groups,
        method="one_row" if added else "delta",
    )


def _skills(measure: ScoreMeasure, models: Models, added: bool) -> PairMoments:
    """The Brier skill is the Brier score over that of the base rate, which all models share."""
    is_positive = _positives(models)
    reason = _one_class(is_positive, models)
    if reason:
        return _undefined(models, reason, (-np.inf, np.inf))
    w, n = models.weights, models.effective_n
    q = float(w[is_positive].sum()) / n
    u = q * (1 - q)
    drift = (is_positive - q) * (1 - 2 * q) / u
    columns, flipped = [], []
    for p in models:
        losses = proper.row_losses("brier", _scores(p), is_positive)
        mean = float(w @ losses) / n
        columns.append(1 - (losses - drift * mean) / u)
        flipped.append(1 - proper.row_losses("brier", _scores(p), ~is_positive) / u)
    return _means(columns, flipped, models, np.inf, added, ("",) * len(models))


# areas over many classes


def _matrices(measure: ScoreMeasure, models: Models, added: bool) -> PairMoments:
    """A quarter row of each class: half of it each model ranks as its own above all, half below all."""
    matrices = [ScoreMatrix.of(p) for p in models]
    rows = class_weights(matrices[0])
    k, n = matrices[0].classes, models.n
    if k < 2 or not (rows > 0).all():
        return _undefined(models, "needs rows of every class", (-1.0, 1.0))
    values, columns, rights, wrongs = [], [], [], []
    w = models.weights
    for m in matrices:
        value, influence = matrix_influence(measure.name, m)
        values.append(value)
        scale = 1.0 if m.weights is None else float(m.weights.sum()) / models.effective_n
        columns.append(influence * w * scale)
        slopes = matrix_influence(measure.name, enlarged_matrix(m)[0])[1] * scale
        rights.append(slopes[n : n + k])
        wrongs.append(slopes[n + k :])
    spread = spread_of_pairs(columns, models)
    right, wrong = np.stack(rights), np.stack(wrongs)
    variance = spread.plain
    if added:
        one_way = ((right[:, None] - wrong[None]) ** 2).sum(axis=-1)
        variance = variance + ADDED * (one_way + one_way.T) / 2
    flags = ("few_of_a_class",) if few_of_a_class(float(rows.min())) else ()
    return PairMoments(
        np.array(values),
        np.array(values),
        variance * spread.design_effect,
        spread.plain * spread.design_effect,
        (-1.0, 1.0),
        models.effective_n,
        spread.groups,
        flags=flags,
        method="quarter_row" if added else "delta",
    )


SCORE_PAIRS: dict[str, Callable[[ScoreMeasure, Models, bool], PairMoments]] = {
    "roc_auc": _areas,
    "gini": _areas,
    "average_precision": _precisions,
    "brier": _losses,
    "brier_multiclass": _losses,
    "log_loss": _losses,
    "log_loss_multiclass": _losses,
    "brier_skill": _skills,
    "top_k_accuracy": _top_k,
    **dict.fromkeys(MATRIX_MEASURES, _matrices),
}


def _scores(p: Predictions) -> Array:
    """The scores, where rows of weight zero have one that no sum can stumble over."""
    if p.scores is None:
        raise AssertionError("differences of scores need scores")
    if p.weights is None or p.weights.all():
        return p.scores
    held = p.weights > 0
    return np.where(held if p.scores.ndim == 1 else held[:, None], p.scores, 1 / len(p.labels))


def _positives(models: Models) -> NDArray[np.bool_]:
    return np.asarray(models.first.truth == models.first.positive)


def _one_class(is_positive: NDArray[np.bool_], models: Models) -> str:
    w = models.weights
    sums = (float(w[is_positive].sum()), float(w[~is_positive].sum()))
    return "" if min(sums) > 0 else f"needs both classes, and no row is {'positive' if sums[0] == 0 else 'negative'}"


def _undefined(models: Models, reason: str, limits: tuple[float, float]) -> PairMoments:
    nothing = np.full(len(models), np.nan)
    whole = np.full((len(models), len(models)), np.nan)
    return PairMoments(nothing, nothing, whole, whole, limits, models.effective_n, reasons=(reason,) * len(models))
