"""What stratified folds hide: how a figure moves with the shares of the classes, which all their folds have alike.

New rows do not come with the shares of these rows. A learner that mostly answers the commonest class errs as often as
the others occur: over stratified folds that hardly varies, over data sets it does. So an interval for new rows adds it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefold.measures import catalogue
from surefold.measures.gradient import gradient, one_vs_rest_gradient
from surefold.measures.measure import Measure
from surefold.measures.score_measure import ScoreMeasure
from surefold.resampling.fold_values import HeldOut, positive_for
from surefold.resampling.row_losses import row_losses
from surefold.tallies.confusion import Table

__all__ = ["hidden_variance"]

Array = NDArray[np.float64]


def hidden_variance(held: HeldOut, name: str, positive: int | None, options: Mapping[str, Any]) -> float:
    """The variance of one row's part in the figure that comes from its class: the shares' sum of squared mean moves.

    Of accuracy that is Σ share (accuracy of the class - accuracy)². Divided by the rows of a fold it is what the
    folds' values would vary by besides, were they not stratified. 0 where the shares of the classes do not matter, as
    for areas, or where it is not known.
    """
    there = held.predicted >= 0
    truth, weights = held.truth[there], None if held.weights is None else held.weights[there]
    shares = np.bincount(truth, weights=weights, minlength=len(held.labels)).astype(float)
    shares /= shares.sum()
    losses = row_losses(held, name, positive)
    if losses is not None:
        parts = losses[there] if weights is None else losses[there] * weights
        total = parts.sum() / (len(parts) if weights is None else weights.sum())
        of_class = np.bincount(truth, weights=parts, minlength=len(shares))
        rows = np.bincount(truth, weights=weights, minlength=len(shares))
        return _spread(shares, np.divide(of_class, rows, out=np.full(len(rows), total), where=rows > 0) - total)
    asked = catalogue[name].name
    if len(held.labels) > 2 and positive is None:
        asked = catalogue.twin(asked)
    measure = catalogue.with_options(asked, options)
    if isinstance(measure, ScoreMeasure):
        return 0.0
    k = len(shares)
    counts = np.bincount(truth * k + held.predicted[there], weights=weights, minlength=k * k).reshape(k, k)
    return _spread(shares, _mean_moves(measure, counts.astype(float), positive_for(asked, held.labels, positive)))


def _mean_moves(measure: Measure, counts: Array, positive: int | None) -> Array:
    """What a row of each class moves the measure by on average, times all rows; NaN where it is undefined."""
    averaged = counts.sum(axis=1) > 0
    cells = None if measure.weigh is None else measure.weigh(len(counts), measure.settings)
    margins = Table(counts).margins(averaged, cells)
    if measure.is_per_class:
        c = positive or 0
        tp, fp, fn, tn = one_vs_rest_gradient(measure, margins.one_vs_rest)[:, c]
        slopes = np.full(counts.shape, tn)
        slopes[c], slopes[:, c], slopes[c, c] = fn, fp, tp
    else:
        slopes = gradient(measure, margins).dense()
    rows = counts.sum(axis=1)
    moved = np.divide((counts * slopes).sum(axis=1), rows, out=np.zeros(len(rows)), where=rows > 0)
    return np.asarray(moved * counts.sum())


def _spread(shares: Array, moves: Array) -> float:
    found = float(shares @ moves**2)
    return found if np.isfinite(found) else 0.0
