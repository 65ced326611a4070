"""Intervals at every threshold of the page in one pass, of plain, weighted and grouped rows alike."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefold.assessment import Assessment
from surefold.estimates.intervals import table_intervals
from surefold.estimates.sample import Sample
from surefold.inputs.predictions import Predictions
from surefold.measures import catalogue
from surefold.report.sections.cut_codes import BOUNDED
from surefold.tallies.clusters import Clusters, effective_groups, leverage
from surefold.tallies.confusion import Confusion
from surefold.tallies.score_groups import ScoreGroups

__all__ = ["GroupsAtThresholds", "bounds_at"]

Array = NDArray[np.float64]
#: Cells of the table of two classes: true class and predicted one.
TRUE, CALLED = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
#: Where the true positives, false positives, false negatives and true negatives of each class stand among them.
OF_CLASS = ([0, 2, 1, 3], [3, 1, 2, 0])


def bounds_at(a: Assessment, threshold: Array, tp: Array, fp: Array) -> dict[str, tuple[Array, Array]]:
    """Low and high of every measure at thresholds, and of the prevalence, as `a.at(threshold)` has them."""
    t, rows = a.tally, None if a.scores is None else a.scores.rows
    counts, squares, groups = _tables(tp, fp, t.positives, t.negatives), None, None
    if rows is not None and rows.groups is not None:
        groups = GroupsAtThresholds.of(rows, threshold)
        squares = None if rows.weights is None else _squares(ScoreGroups.of_predictions(rows), threshold)
    elif t.is_weighted:
        squares = _squares(t, threshold)
    sample = Sample.of(Confusion(counts, squares=squares), groups)
    answer = {}
    for name in (*BOUNDED, "prevalence"):
        m = catalogue.of_labels[name]
        found = table_intervals(m, sample, a.confidence)
        value, low, high = ((b[..., 1] if m.is_per_class else b) for b in (found.value, found.low, found.high))
        unknown = np.isnan(value)
        answer[name] = (np.where(unknown, np.nan, low), np.where(unknown, np.nan, high))
    return answer


def _tables(tp: Array, fp: Array, positives: float, negatives: float) -> Array:
    """Tables of two classes, the positive one second; sums of weights may be off by their rounding."""
    fn, tn = np.maximum(positives - tp, 0.0), np.maximum(negatives - fp, 0.0)
    return np.stack([np.stack([tn, fp], -1), np.stack([fn, tp], -1)], -2)


def _squares(t: ScoreGroups, threshold: Array) -> Array | None:
    """The summed squares of the weights in each cell."""
    if t.positive_squares is None or t.negative_squares is None:
        return None
    calls = np.searchsorted(-t.score, -threshold, side="right")
    running = [np.append(0.0, np.cumsum(w)) for w in (t.positive_squares, t.negative_squares)]
    return _tables(running[0][calls], running[1][calls], float(running[0][-1]), float(running[1][-1]))


@dataclass(frozen=True, eq=False)
class GroupsAtThresholds(Clusters):
    """The groups at many thresholds at once, by what their variances are made of.

    The variance of a measure with derivatives d at the four cells is the sum over groups of (d . cells)^2, which is
    d' M d with one 4 x 4 matrix M of products a threshold: no group is looked at again for another measure.
    """

    products: Array
    size: Array

    @classmethod
    def of(cls, predictions: Predictions, threshold: Array | None = None) -> GroupsAtThresholds:
        p, cuts = predictions, np.zeros(0) if threshold is None else threshold
        if p.groups is None or p.scores is None:
            raise AssertionError("groups of rows with scores were expected")
        weights = np.ones(len(p.truth)) if p.weights is None else p.weights
        kept = weights > 0  # a row of weight zero is no row, and may leave no group
        group = np.unique(p.groups[kept], return_inverse=True)[1]
        many = int(group.max()) + 1
        positive, weights, scores = (p.truth == p.positive)[kept], weights[kept], p.scores[kept]
        # rows in the order of the thresholds that first call them
        first = np.searchsorted(-cuts, -scores, side="left")
        order = np.argsort(first, kind="stable")
        ends = np.searchsorted(first[order], np.arange(len(cuts)), side="right")
        sizes = np.bincount(group, weights=weights, minlength=many)
        wholes = [np.bincount(group[m], weights=weights[m], minlength=many) for m in (~positive, positive)]
        lean, called = leverage(sizes), np.zeros((2, many))
        products, start = np.empty((len(cuts), 4, 4)), 0
        for i, end in enumerate(ends.tolist()):
            rows = order[start:end]
            place = positive[rows].astype(np.intp) * many + group[rows]
            called += np.bincount(place, weights=weights[rows], minlength=2 * many).reshape(2, many)
            cells = np.stack([wholes[0] - called[0], called[0], wholes[1] - called[1], called[1]]) * lean
            products[i] = cells @ cells.T
            start = end
        nothing = np.zeros(0)
        return cls(many, 2, nothing.astype(np.intp), TRUE, CALLED, nothing, products, np.asarray(sizes, dtype=float))

    def scaled(self, factor: float) -> GroupsAtThresholds:
        return replace(self, products=self.products * factor**2, size=self.size * factor)

    @property
    def effective_groups(self) -> float:
        return effective_groups(self.size)

    def variance(self, influence: NDArray[Any]) -> Any:
        return np.einsum("...i,...ij,...j", influence, self.products, influence)

    def one_vs_rest_variance(self, gradients: NDArray[Any]) -> Array:
        """gradients[measure, threshold, (tp, fp, fn, tn), class]."""
        answer = np.empty((*gradients.shape[:2], 2))
        for c, cells in enumerate(OF_CLASS):
            slopes = np.empty((*gradients.shape[:2], 4))
            slopes[..., cells] = gradients[..., c]
            answer[..., c] = self.variance(slopes)
        return answer
