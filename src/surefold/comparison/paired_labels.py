"""Differences of any measure of labels between models on the same rows.

One row is added to every table, shared over the classes by 1/(rows of the class). In a pair, half of it only the first
model gets right and half only the second. The variance is that of the difference of a row's two influence values.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefold.comparison.models import Models
from surefold.comparison.pair_moments import PairMoments, Spread, distances, spread_of_pairs
from surefold.estimates.of_table import RARE
from surefold.inputs.predictions import Predictions
from surefold.measures.added import enlarged
from surefold.measures.gradient import Gradient, gradient
from surefold.measures.measure import Measure
from surefold.tallies.confusion import Confusion
from surefold.tallies.margins import Margins
from surefold.tallies.ratio import ratio

__all__ = [
    "added_variance",
    "both_right",
    "disagreements_of_pairs",
    "flags_of_margins",
    "label_pairs",
    "of_second_class",
    "scaled_margins",
    "undefined_reason",
]

Array = NDArray[np.float64]

#: Up to this many classes the derivatives are looked up in a whole k x k array.
_WHOLE = 200


def label_pairs(measure: Measure, models: Models, *, added: bool = True) -> PairMoments:
    """The differences of every pair; `added=False` leaves the added row out.

    A measure of one class is read from the class against the rest: pass `models.one_against_rest(c)`.
    """
    if measure.is_per_class:
        measure = of_second_class(measure)
    scale = 1.0 if models.first.weights is None else models.effective_n / float(models.first.weights.sum())
    tables = [Confusion.of(p) for p in models]
    held = None if measure.weigh is None else measure.weigh(tables[0].classes, measure.settings)
    margins = [scaled_margins(table.margins(held), scale) for table in tables]
    values = np.array([float(measure(m)) for m in margins])
    least, greatest = measure.limits(margins[0])
    span = greatest - least
    reasons = tuple(undefined_reason(measure, v) for v in values)
    values = np.where(np.isfinite(values), values, np.nan)
    bigger = [enlarged(m)[0] if added else m for m in margins]
    share = enlarged(margins[0])[1]
    slopes = [gradient(measure, m) for m in bigger]
    spread = _spread(slopes, models)
    variance = spread.plain + (added_variance(slopes, share) if added else 0.0)
    plain = spread.plain if not added else _plain(measure, margins, models)
    return PairMoments(
        values,
        np.where(np.isnan(values), np.nan, [float(measure(m)) for m in bigger]),
        variance * spread.design_effect,
        plain * spread.design_effect,
        (-span, span),
        models.effective_n,
        spread.groups,
        reasons,
        _flags(measure, margins, models),
        "one_row" if added else "delta",
    )


def both_right(models: Models) -> NDArray[np.int64]:
    """How many rows each pair of models got right together, and each model by itself on the diagonal."""
    m, k = len(models), len(models.first.labels)
    if models.joint is not None and models.first.weights is None:
        own = np.arange(m) * k
        found = sum(models.joint[c][np.ix_(own + c, own + c)] for c in range(k))
        return np.asarray(np.rint(found), dtype=np.int64)
    right = [np.asarray(p.truth == p.predicted) for p in models]
    return np.array([[np.count_nonzero(a & b) for b in right] for a in right], dtype=np.int64)


def of_second_class(measure: Measure) -> Measure:
    """A per-class measure as one of a two-class table whose second class is the positive one."""

    def of_table(m: Margins) -> Any:
        return np.asarray(measure(m.one_vs_rest)[..., 1])

    return replace(measure, formula=of_table, reads="margins", settings={}, parts=None)


def scaled_margins(m: Margins, scale: float) -> Margins:
    if scale == 1.0:
        return m
    loss = None if m.loss is None else m.loss * scale
    return Margins(m.tp * scale, m.actual * scale, m.called * scale, m.averaged, loss, m.cell_weights)


def undefined_reason(measure: Measure, value: float) -> str:
    if np.isfinite(value):
        return ""
    return f"{measure.name} is {'undefined' if np.isnan(value) else 'infinite'}"


def _plain(measure: Measure, margins: list[Margins], models: Models) -> Array:
    return _spread([gradient(measure, m) for m in margins], models).plain


def _spread(slopes: list[Gradient], models: Models) -> Spread:
    """From the tally of both models' calls where there is one, else row by row."""
    joint = models.joint
    if joint is None:
        return spread_of_pairs(_columns(slopes, models), models)
    m, k = len(slopes), len(slopes[0].actual)
    whole = np.nan_to_num(np.stack([slope.dense() for slope in slopes]), nan=0.0, posinf=0.0, neginf=0.0)
    each = whole.transpose(1, 0, 2).reshape(k, m * k)  # true class, then model and call
    products = (each[:, :, None] * joint * each[:, None, :]).sum(axis=0).reshape(m, k, m, k).sum(axis=(1, 3))
    plain = distances(products)
    return Spread(plain, np.ones_like(plain))


def _columns(slopes: list[Gradient], models: Models) -> list[Array]:
    weights = None if models.first.weights is None else models.weights
    return [_influence(slope, p, weights) for slope, p in zip(slopes, models, strict=True)]


def _influence(slope: Gradient, p: Predictions, weights: Array | None) -> Array:
    if p.predicted is None:
        raise AssertionError("differences of labels need labels")
    k = len(p.labels)
    if k <= _WHOLE:
        found = slope.dense().ravel()[p.truth.astype(np.int32) * k + p.predicted]
    else:
        found = slope.at(p.truth.astype(np.intp), p.predicted.astype(np.intp))
    return np.asarray(np.nan_to_num(found if weights is None else found * weights, nan=0.0, posinf=0.0, neginf=0.0))


def added_variance(slopes: list[Gradient], share: Array) -> Array:
    """What the added row puts into the variance of every pair."""
    right, mean, square = (np.stack(part) for part in zip(*(_right_and_wrong(s) for s in slopes), strict=True))
    # mean over the wrong calls j of (right of the first - wrong j of the second)^2, for each class
    one_way = right[:, None] ** 2 - 2 * right[:, None] * mean[None] + square[None]
    return np.asarray(((one_way + one_way.transpose(1, 0, 2)) * (share / 2)).sum(axis=-1))


def _right_and_wrong(slope: Gradient) -> tuple[Array, Array, Array]:
    """For each true class: the derivative of the right cell, and the mean and mean square of those of wrong cells."""
    others = max(len(slope.actual) - 1, 1)
    right = slope.actual + slope.called + slope.tp
    if slope.loss is not None and slope.cell_weights is not None:
        whole = slope.dense()
        right = np.diagonal(whole)
        wrong, wrong2 = whole.sum(axis=1) - right, (whole**2).sum(axis=1) - right**2
    else:
        rest, rest2 = slope.called.sum() - slope.called, (slope.called**2).sum() - slope.called**2
        wrong, wrong2 = others * slope.actual + rest, others * slope.actual**2 + 2 * slope.actual * rest + rest2
    return right, ratio(wrong, others), ratio(wrong2, others)


def _flags(measure: Measure, margins: list[Margins], models: Models) -> tuple[str, ...]:
    flags = flags_of_margins(measure, margins)
    if models.weights_vary:
        apart = disagreements_of_pairs(models)
        if (apart[apart > 0] < RARE - 1e-9).any():
            flags.append("few_weighted_errors")
    return tuple(flags)


def flags_of_margins(measure: Measure, margins: list[Margins]) -> list[str]:
    """What is weak about the difference of a measure, wherever its rows were counted."""
    flags = []
    if not measure.is_share:
        rows = margins[0].actual[margins[0].averaged]
        if measure.given == "predicted":
            rows = np.min([m.called[m.averaged] for m in margins], axis=0)
        if (rows < RARE - 1e-9).any():
            flags.append("rare_class")
    if measure.is_ratio:
        flags.append("known_to_mislead")  # a difference of ratios has tails that no normal interval follows
    return flags


def disagreements_of_pairs(models: Models) -> Array:
    """How many effective rows any two models answer differently."""
    w, predicted = models.weights, [p.predicted for p in models]
    found = np.zeros((len(models), len(models)))
    if models.joint is not None and models.first.weights is None:
        m, k = len(models), len(models.first.labels)
        alike = np.einsum("caibi->ab", models.joint.reshape(k, m, k, m, k))
        return np.asarray(models.n - alike)
    for i, first in enumerate(predicted):
        for j, second in enumerate(predicted[:i]):
            apart = w[np.asarray(first != second)]
            found[i, j] = found[j, i] = float(apart.sum() ** 2 / (apart @ apart)) if apart.any() else 0.0
    return found
