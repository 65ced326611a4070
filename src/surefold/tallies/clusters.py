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
from surefold.tallies.ratio import ratio

__all__ = ["Clusters", "deciding_groups", "effective_groups", "leverage"]


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
        return float(((sums * leverage(self.sizes)) ** 2).sum())

    def of_table(self, influence: NDArray[Any], is_share: bool) -> tuple[Any, Any, Any]:
        """From the influence at each pair: the variance of a measure of the table, and how many groups decide it.

        All groups decide a share of all rows. What is made of the classes one by one rests on those that hold each: a
        group is left out of its class, lest it hides among the rows of the others, and degrees of freedom are those of
        `deciding_groups`. Last come the groups of the class that fewest hold.
        """
        if is_share:
            return self.variance(influence), self.effective_groups, self.effective_groups
        held = self._holding
        sums = np.bincount(held.place, weights=self.weight * influence, minlength=len(held.true)) * held.leverage
        whole = np.bincount(held.group, weights=sums, minlength=self.groups)
        each = np.bincount(self.true, weights=self.weight * influence**2, minlength=self.classes) * held.mean_size
        worth = np.minimum(deciding_groups(each, held.worth), self.effective_groups)
        return float((whole**2).sum()), worth, held.worth[held.worth > 0].min()

    def one_vs_rest_variance(
        self, gradients: NDArray[Any], cells: NDArray[np.bool_] | None = None
    ) -> NDArray[np.float64]:
        """The variance of a measure of each class, from gradients[(tp, fp, fn, tn), class].

        `cells` are the denominator of a share: by its weight there a group is left out. Without them it is left out of
        the rows of the class and of the others.
        """
        answer = np.empty(gradients.shape[1])
        for c in range(self.classes):
            parts = self._parts(c)
            if cells is None:
                own, other = (leverage(parts[side].sum(axis=0)) for side in (slice(None, None, 2), slice(1, None, 2)))
                lean = np.stack([own, other, own, other])
            else:
                lean = leverage(cells @ parts)[None]
            sums = gradients[:, c] @ (parts * lean)
            answer[c] = (sums * sums).sum()
        return answer

    def groups_in(self, cells: NDArray[np.bool_]) -> NDArray[np.float64]:
        """How many groups of one size the weights in some of the cells (tp, fp, fn, tn) are worth, for each class."""
        return np.array([effective_groups(cells @ self._parts(c)) for c in range(self.classes)])

    def _parts(self, c: int) -> NDArray[np.float64]:
        """The weight of each group in the cells (tp, fp, fn, tn) of a class."""
        is_true, is_called = self.true == c, self.predicted == c
        tp, fp, fn = (
            np.bincount(self.group[m], weights=self.weight[m], minlength=self.groups)
            for m in (is_true & is_called, ~is_true & is_called, is_true & ~is_called)
        )
        return np.stack([tp, fp, fn, self.sizes - tp - fp - fn])

    @cached_property
    def _holding(self) -> _Holding:
        return _Holding.of(self)


@dataclass(frozen=True, eq=False)
class _Holding:
    """The classes that each group holds rows of, an entry a pair of them, and what groups are worth for each class."""

    place: NDArray[np.intp]
    group: NDArray[np.intp]
    true: NDArray[np.intp]
    leverage: NDArray[np.float64]
    worth: NDArray[np.float64]
    mean_size: NDArray[np.float64]

    @classmethod
    def of(cls, c: Clusters) -> _Holding:
        pair, place = np.unique(c.group * c.classes + c.true, return_inverse=True)
        group, true = pair // c.classes, pair % c.classes
        size = np.bincount(place, weights=c.weight)
        total, squared, groups = (np.bincount(true, weights=w, minlength=c.classes) for w in (size, size**2, None))
        rest, few = 1 - size / total[true], np.sqrt(1 - 1 / np.maximum(groups, 2))
        lean = few[true] / np.where(rest > 1e-9, rest, 1.0)
        mean_size, worth = ratio(squared, total), ratio(total**2, squared)
        return cls(place, group, true, lean, np.nan_to_num(worth), np.nan_to_num(mean_size))


def deciding_groups(each: NDArray[Any], worth: NDArray[Any]) -> NDArray[np.float64]:
    """How many groups decide a measure of several classes, from the variance of each and what its groups are worth.

    One more than the degrees of freedom of a sum of variances (Satterthwaite); classes stand last. The variances are
    those that classes would put in were groups right or wrong as wholes: what they do put in is small by luck at times.

    >>> float(deciding_groups(np.array([1.0, 1.0]), np.array([11.0, 11.0])))  # 2² / (1/10 + 1/10) and one
    21.0
    """
    least = np.maximum(worth - 1, 1e-9)
    degrees = ratio(each.sum(axis=-1) ** 2, (each**2 / least).sum(axis=-1))
    return np.asarray(np.where(np.isnan(degrees), np.inf, 1 + degrees))


def leverage(sizes: NDArray[Any]) -> NDArray[np.float64]:
    """For groups of these weights: each over one less its share, and (G - 1) / G of the squares."""
    total, groups = float(sizes.sum()), max(int(np.count_nonzero(sizes)), 1)
    rest = 1 - sizes / total if total > 0 else np.ones(len(sizes))
    return np.asarray(np.sqrt((groups - 1) / groups) / np.where(rest > 1e-9, rest, 1.0))


def effective_groups(sizes: NDArray[Any]) -> float:
    """How many groups of one size groups of these sizes are worth: (sum m)^2 / (sum m^2)."""
    squared = float(sizes @ sizes)
    return float(sizes.sum()) ** 2 / squared if squared > 0 else 0.0
