"""Scores cut at thresholds: the table of two classes at each, with the squares of weights and what groups put into it.

What rows in groups need is what each group has in each cell at each threshold: all of it follows from the weight of
each class that each group has between two thresholds. Those entries add up over parts of the rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property, reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefold.tallies.clusters import Clusters, effective_groups
from surefold.tallies.score_groups import ScoreGroups

__all__ = ["Cuts", "Entries", "GroupsAtThresholds", "first_cut"]

Array = NDArray[np.float64]
Codes = NDArray[np.intp]

Lots = Callable[[], "Iterator[Entries]"]

#: Cells of the table of two classes: true class and predicted one.
_TRUE, _CALLED = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
#: Where the true positives, false positives, false negatives and true negatives of each class stand among them.
_OF_CLASS = ([0, 2, 1, 3], [3, 1, 2, 0])


@dataclass(frozen=True, eq=False)
class Entries:
    """Weights of rows in groups: entry i is of a group, a class (1 is positive), and `first` called by a threshold.

    Rows that no threshold calls have `first` one past the last. Each row may be an entry, or all that are alike.
    """

    group: Codes
    positive: Codes
    first: Codes
    weight: Array

    def called_at(self, place: int, positive: int) -> Clusters:
        """What each group has in each cell at one threshold; `positive` is the place of that class."""
        called = self.first <= place
        true, predicted = (x if positive == 1 else 1 - x for x in (self.positive, called.astype(np.intp)))
        distinct, where = np.unique(self.group * 4 + true * 2 + predicted, return_inverse=True)
        weight = np.bincount(where, weights=self.weight, minlength=len(distinct)).astype(float)
        cell = distinct % 4
        return Clusters(int(self.group.max()) + 1, 2, distinct // 4, cell // 2, cell % 2, weight)


@dataclass(frozen=True, eq=False)
class Cuts:
    """Tables of two classes, `counts[threshold, true, predicted]` with the positive one second, at falling thresholds.

    `lots` goes over the entries of rows in groups, lot by lot, each of which has all of its groups: no more are held.
    """

    threshold: Array
    counts: Array
    squares: Array | None = None
    lots: Lots | None = field(default=None, repr=False)

    @classmethod
    def of(cls, t: ScoreGroups, threshold: Array, lots: Lots | None = None) -> Cuts:
        """From the tally of the scores; positive is what scores at least the threshold.

        >>> t = ScoreGroups.of(np.array([0.9, 0.8, 0.3]), np.array([True, False, True]))
        >>> Cuts.of(t, np.array([0.8, 0.1])).counts.tolist()
        [[[0.0, 1.0], [1.0, 1.0]], [[0.0, 1.0], [0.0, 2.0]]]
        """
        calls = np.searchsorted(-t.score, -threshold, side="right")
        squares = _tables(*t.squares, calls) if t.is_weighted else None
        return cls(threshold, _tables(t.positive, t.negative, calls), squares, lots)

    @cached_property
    def groups(self) -> GroupsAtThresholds | None:
        """What groups do at all thresholds."""
        if self.lots is None:
            return None
        return GroupsAtThresholds.of_lots(self.lots(), len(self.threshold), float(self.counts[0].sum()))

    def table(self, place: int, positive: int) -> tuple[Array, Array | None, Clusters | None]:
        """Counts, squares and groups at one threshold, with the positive class at a place of the labels."""
        turn = slice(None) if positive == 1 else slice(None, None, -1)
        counts, clusters = self.counts[place][turn, turn], None
        if self.lots is not None:  # of scores that a tally has cut to their leading bits the rows know more
            clusters = reduce(_beside, (lot.called_at(place, positive) for lot in self.lots()))
            cells = np.bincount(2 * clusters.true + clusters.predicted, weights=clusters.weight, minlength=4)
            counts = cells.reshape(2, 2)
        return counts, None if self.squares is None else self.squares[place][turn, turn], clusters


def _beside(first: Clusters, second: Clusters) -> Clusters:
    """The groups of both."""
    group = np.append(first.group, second.group + first.groups)
    true, predicted = np.append(first.true, second.true), np.append(first.predicted, second.predicted)
    weight = np.append(first.weight, second.weight)
    return Clusters(first.groups + second.groups, 2, group, true, predicted, weight)


def first_cut(scores: Array, threshold: Array) -> Codes:
    """Which of falling thresholds is the first to call each row; one past the last where none does."""
    return np.asarray(np.searchsorted(-threshold, -scores, side="left"))


def _tables(positive: Array, negative: Array, calls: Codes) -> Array:
    """Sums above and below each threshold. Below it is summed, not subtracted: weights would leave their rounding."""
    above = [np.append(0.0, np.cumsum(x))[calls] for x in (negative, positive)]
    below = [np.append(np.cumsum(x[::-1])[::-1], 0.0)[calls] for x in (negative, positive)]
    return np.stack([np.stack([low, high], -1) for low, high in zip(below, above, strict=True)], -2)


@dataclass(frozen=True, eq=False)
class GroupsAtThresholds(Clusters):
    """The groups at many thresholds at once, by what their variances are made of.

    The variance of a measure with derivatives d at the four cells is the sum over groups of (d . cells)^2, which is
    d' M d with one 4 x 4 matrix M of products a threshold: no group is looked at again for another measure.
    """

    products: Array
    size: Array

    @classmethod
    def of_lots(cls, lots: Iterator[Entries], cuts: int, total: float) -> GroupsAtThresholds:
        """From entries of this weight in all."""
        products, size = np.zeros((cuts, 4, 4)), np.zeros(0)
        for lot in lots:
            sizes = np.bincount(lot.group, weights=lot.weight).astype(float)
            _add_products(products, lot, sizes, total)
            size = np.append(size, sizes)
        nothing = np.zeros(0)
        products *= (len(size) - 1) / len(size)
        return cls(len(size), 2, nothing.astype(np.intp), _TRUE, _CALLED, nothing, products, size)

    def scaled(self, factor: float) -> GroupsAtThresholds:
        """The same groups with every weight multiplied by a factor."""
        return replace(self, products=self.products * factor**2, size=self.size * factor)

    @property
    def effective_groups(self) -> float:
        """How many groups of one size these are worth."""
        return effective_groups(self.size)

    def variance(self, influence: NDArray[Any]) -> Any:
        """At each threshold, from the derivatives at the four cells."""
        return np.einsum("...i,...ij,...j", influence, self.products, influence)

    def one_vs_rest_variance(self, gradients: NDArray[Any]) -> Array:
        """gradients[measure, threshold, (tp, fp, fn, tn), class]."""
        answer = np.empty((*gradients.shape[:2], 2))
        for c, cells in enumerate(_OF_CLASS):
            slopes = np.empty((*gradients.shape[:2], 4))
            slopes[..., cells] = gradients[..., c]
            answer[..., c] = self.variance(slopes)
        return answer


def _add_products(products: Array, lot: Entries, sizes: Array, total: float) -> None:
    """To each threshold's products of cells those of these groups, each as if it were left out; see `leverage`."""
    many, cuts = len(sizes), len(products)
    order = np.argsort(lot.first, kind="stable")  # in the order of the thresholds that first call them
    ends = np.searchsorted(lot.first[order], np.arange(cuts), side="right")
    place = lot.positive * many + lot.group
    whole = np.bincount(place, weights=lot.weight, minlength=2 * many).reshape(2, many)
    rest = 1 - sizes / total
    lean, called, start = 1 / np.where(rest > 1e-9, rest, 1.0), np.zeros((2, many)), 0
    for i, end in enumerate(ends.tolist()):
        rows = order[start:end]
        called += np.bincount(place[rows], weights=lot.weight[rows], minlength=2 * many).reshape(2, many)
        cells = np.stack([whole[0] - called[0], called[0], whole[1] - called[1], called[1]]) * lean
        products[i] += cells @ cells.T
        start = end
