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

from surefold.tallies.clusters import Clusters, deciding_groups, effective_groups
from surefold.tallies.ratio import ratio
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
        return GroupsAtThresholds.of_lots(self.lots(), self.counts.reshape(-1, 4))

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
    d' M d with one 4 x 4 matrix M of products a threshold: no group is looked at again for another measure. There is
    one such matrix for every set of cells that a group is left out of, `products[set, threshold]`, and `plain` is of
    groups as they are; `cells` holds their sums.
    """

    products: Array
    plain: Array
    cells: Array
    size: Array

    @classmethod
    def of_lots(cls, lots: Iterator[Entries], cells: Array) -> GroupsAtThresholds:
        """From entries that add up to these weights of the four cells at each threshold."""
        cuts, size = len(cells), np.zeros(0)
        sums = _Sums(np.zeros((len(_LEFT_OUT), cuts, 4, 4)), np.zeros((cuts, 4, 4)), np.zeros((_SETS, cuts)))
        for lot in lots:
            sums.add(lot, cells)
            size = np.append(size, np.bincount(lot.group, weights=lot.weight))
        few = np.sqrt(1 - 1 / np.maximum(sums.there, 2))[_LEFT_OUT].transpose(0, 2, 1)
        products = sums.products * few[..., :, None] * few[..., None, :]
        nothing = np.zeros(0)
        clusters = (len(size), 2, nothing.astype(np.intp), _TRUE, _CALLED, nothing)
        return cls(*clusters, products, sums.plain, cells, size)

    def scaled(self, factor: float) -> GroupsAtThresholds:
        """The same groups with every weight multiplied by a factor."""
        squared = factor**2
        return replace(
            self,
            products=self.products * squared,
            plain=self.plain * squared,
            cells=self.cells * factor,
            size=self.size * factor,
        )

    @property
    def effective_groups(self) -> float:
        """How many groups of one size these are worth."""
        return effective_groups(self.size)

    def variance(self, influence: NDArray[Any]) -> Any:
        """At each threshold, from the derivatives at the four cells."""
        return _form(influence, self.products[_WHOLE])

    def of_table(self, influence: NDArray[Any], is_share: bool) -> tuple[Any, Any, Any]:
        """The variance at each threshold, and how many groups decide it."""
        if is_share:
            return super().of_table(influence, is_share)
        worth = self.groups_in(np.array([True, False, True, False]))  # of each class, its own rows
        by_class = np.array([[1.0, 1, 0, 0], [0, 0, 1, 1]])
        squared = _form(by_class[:, None], self.plain).T
        each = (self.cells * influence**2) @ by_class.T * np.nan_to_num(ratio(squared, self.cells @ by_class.T))
        decide = np.minimum(deciding_groups(each, worth), self.effective_groups)
        return _form(influence, self.products[_BY_CLASS]), decide, np.where(worth > 0, worth, np.inf).min(axis=-1)

    def one_vs_rest_variance(self, gradients: NDArray[Any], cells: NDArray[np.bool_] | None = None) -> Array:
        """gradients[threshold, (tp, fp, fn, tn), class]."""
        answer = np.empty((len(gradients), 2))
        for c, places in enumerate(_OF_CLASS):
            slopes = np.empty(gradients.shape[:2])
            slopes[:, places] = gradients[..., c]
            left_out = _BY_CLASS if cells is None else _MASKS.index(_placed(cells, places))
            answer[:, c] = _form(slopes, self.products[left_out])
        return answer

    def groups_in(self, cells: NDArray[np.bool_]) -> Array:
        """At each threshold, for each class."""
        masks = np.array([_placed(cells, places) for places in _OF_CLASS], dtype=float)
        squared = _form(masks[:, None], self.plain).T
        return np.asarray(np.nan_to_num(ratio((self.cells @ masks.T) ** 2, squared)))


def _placed(cells: NDArray[np.bool_], places: list[int]) -> tuple[bool, ...]:
    """Cells (tp, fp, fn, tn) of a class as (tn, fp, fn, tp) of the positive one."""
    mask = np.zeros(4, dtype=bool)
    mask[places] = cells
    return tuple(mask.tolist())


def _form(x: NDArray[Any], products: Array) -> Any:
    return np.einsum("...i,...ij,...j", x, products, x)


#: The sets of cells that a group may be left out of: all; rows of a class; calls of a class; all but one cell.
_MASKS = [
    tuple(bool(int(digit)) for digit in code) for code in ("1111", "1100", "0011", "0101", "1010", "0111", "1110")
]
_SETS, _WHOLE = len(_MASKS), 0
#: Which set each of the four cells is left out of: one for all four, and last the rows of each cell's own class.
_LEFT_OUT = np.array([[i] * 4 for i in range(_SETS)] + [[1, 1, 2, 2]])
_BY_CLASS = _SETS


@dataclass(frozen=True, eq=False)
class _Sums:
    """What groups add up to at each threshold, and in how many of them there is something of each set of cells."""

    products: Array
    plain: Array
    there: Array

    def add(self, lot: Entries, cells: Array) -> None:
        """To each threshold's products those of these groups, each as if it were left out; see `leverage`."""
        many, masks = int(lot.group.max(initial=-1)) + 1, np.array(_MASKS, dtype=float)
        order = np.argsort(lot.first, kind="stable")  # in the order of the thresholds that first call them
        ends = np.searchsorted(lot.first[order], np.arange(len(cells)), side="right")
        place = lot.positive * many + lot.group
        whole = np.bincount(place, weights=lot.weight, minlength=2 * many).reshape(2, many)
        called, start = np.zeros((2, many)), 0
        for i, end in enumerate(ends.tolist()):
            rows = order[start:end]
            called += np.bincount(place[rows], weights=lot.weight[rows], minlength=2 * many).reshape(2, many)
            parts = np.stack([whole[0] - called[0], called[0], whole[1] - called[1], called[1]])
            held = masks @ parts
            rest = 1 - held / np.maximum(masks @ cells[i], 1e-300)[:, None]
            lean = 1 / np.where(rest > 1e-9, rest, 1.0)
            self.there[:, i] += (held > 1e-9 * held[_WHOLE]).sum(axis=1)  # not what rounding left
            self.plain[i] += parts @ parts.T
            for kind, sets in enumerate(_LEFT_OUT):
                leaning = parts * lean[sets]
                self.products[kind, i] += leaning @ leaning.T
            start = end
