"""Rows that belong together: what each group put into each cell.

Standard errors that allow for groups sum the influence of a group's rows before squaring. All that needs is the
weight each group has in each cell.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefold.inputs.predictions import Predictions
from surefold.tallies.kernels import cell_codes

__all__ = ["Clusters", "effective_groups", "leverage"]


@dataclass(frozen=True, eq=False)
class Clusters:
    """`weight[m]` is what group `group[m]` put into cell (`true[m]`, `predicted[m]`); each pair stands once."""

    groups: int
    classes: int
    group: NDArray[np.intp]
    true: NDArray[np.intp]
    predicted: NDArray[np.intp]
    weight: NDArray[np.float64]

    @classmethod
    def of(cls, predictions: Predictions) -> Clusters | None:
        """The groups of checked predictions, or None where there are none."""
        p = predictions
        if p.groups is None or p.predicted is None:
            return None
        k = len(p.labels)
        groups, truth, predicted, weights = p.groups, p.truth, p.predicted, p.weights
        if weights is not None and weights.min() == 0:  # a row of weight zero is no row, and may leave no group
            kept = weights > 0
            groups = np.unique(groups[kept], return_inverse=True)[1]
            truth, predicted, weights = truth[kept], predicted[kept], weights[kept]
        pair = groups.astype(np.int64) * (k * k) + cell_codes(truth, predicted, k)
        distinct, where = np.unique(pair, return_inverse=True)
        weight = np.bincount(where, weights=weights, minlength=len(distinct)).astype(float)
        group, cell = distinct // (k * k), distinct % (k * k)
        return cls(int(groups.max()) + 1, k, group, cell // k, cell % k, weight)

    def scaled(self, factor: float) -> Clusters:
        """The same groups with every weight multiplied by a factor."""
        return Clusters(self.groups, self.classes, self.group, self.true, self.predicted, self.weight * factor)

    @cached_property
    def sizes(self) -> NDArray[np.float64]:
        """The weight of each group."""
        return np.asarray(np.bincount(self.group, weights=self.weight, minlength=self.groups), dtype=float)

    @property
    def effective_groups(self) -> float:
        """How many groups of one size these are worth."""
        return effective_groups(self.sizes)

    def groups_with(self, pairs: NDArray[np.bool_]) -> int:
        """How many groups have a row among these pairs."""
        return len(np.unique(self.group[pairs]))

    def variance(self, influence: NDArray[Any]) -> float:
        """Sum over groups of the squared sum of their rows' influence, given at each of the pairs."""
        sums = np.bincount(self.group, weights=self.weight * influence, minlength=self.groups)
        return float(((sums * self._leverage) ** 2).sum())

    def one_vs_rest_variance(self, gradients: NDArray[Any]) -> NDArray[np.float64]:
        """The same for many measures of each class: gradients[measure, (tp, fp, fn, tn), class]."""
        answer = np.empty((gradients.shape[0], gradients.shape[2]))
        for c in range(self.classes):
            is_true, is_called = self.true == c, self.predicted == c
            tp, fn, fp = (
                np.bincount(self.group[m], weights=self.weight[m], minlength=self.groups)
                for m in (is_true & is_called, is_true & ~is_called, ~is_true & is_called)
            )
            parts = np.stack([tp, fp, fn, self.sizes - tp - fn - fp])
            sums = gradients[:, :, c] @ parts * self._leverage
            answer[:, c] = (sums * sums).sum(axis=1)
        return answer

    @cached_property
    def _leverage(self) -> NDArray[np.float64]:
        """What each group's sum is multiplied by: as if it were left out, so that a large group cannot hide itself.

        With groups of one size the squares come to G / (G - 1), the usual correction.
        """
        return leverage(self.sizes)


def leverage(sizes: NDArray[Any]) -> NDArray[np.float64]:
    """For groups of these weights: each over one less its share, and (G - 1) / G of the squares."""
    rest, groups = 1 - sizes / sizes.sum(), len(sizes)
    return np.asarray(np.sqrt((groups - 1) / groups) / np.where(rest > 1e-9, rest, 1.0))


def effective_groups(sizes: NDArray[Any]) -> float:
    """How many groups of one size groups of these sizes are worth: (sum m)^2 / (sum m^2)."""
    return float(sizes.sum() ** 2 / (sizes @ sizes))
