"""Tree: the nodes of a grown tree as arrays, in the order of a walk that goes left first."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["CATEGORICAL", "COLUMN", "MISSING", "MISSING_LEFT", "NODE", "Tree"]

#: A node. In a leaf `column` is -1 and `right` the class it answers; the left child of a node is the next one.
#: `column` carries the two flags below; the threshold of a categorical split is the number of its set of levels.
NODE = np.dtype([("threshold", np.float64), ("right", np.int32), ("column", np.int32)])
COLUMN = (1 << 28) - 1
CATEGORICAL = 1 << 28
MISSING_LEFT = 1 << 29
#: The bin of a missing value.
MISSING = 255

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Tree:
    """A binary tree: node 0 is the root, the left child of node i is i + 1, the right one `right[i]`.

    `value` holds the class weights of each node, `rows` how many rows it was grown from. `sets[s, b]` is 1 where level
    b goes left at the categorical split with set s. `cut` is the last bin that goes left, for walks over binned rows.
    """

    nodes: NDArray[Any]
    cut: NDArray[np.uint8]
    rows: NDArray[np.int32]
    value: NDArray[Any]
    sets: NDArray[np.uint8]

    def __len__(self) -> int:
        return len(self.nodes)

    def __reduce__(self) -> tuple[Any, ...]:  # without what has been derived and kept
        return Tree, (self.nodes, self.cut, self.rows, self.value, self.sets)

    @cached_property
    def is_leaf(self) -> NDArray[np.bool_]:
        """Whether each node answers, and does not ask."""
        return np.asarray(self.nodes["column"] < 0)

    @cached_property
    def column(self) -> Ints:
        """The column that each node asks about; -1 in a leaf."""
        return np.where(self.is_leaf, -1, self.nodes["column"] & COLUMN)

    @cached_property
    def is_categorical(self) -> NDArray[np.bool_]:
        """Whether each node asks about levels."""
        return np.asarray(~self.is_leaf & (self.nodes["column"] & CATEGORICAL != 0))

    @cached_property
    def missing_left(self) -> NDArray[np.bool_]:
        """Whether a missing value goes left at each node."""
        ordered = ~self.is_leaf & (self.nodes["column"] & MISSING_LEFT != 0)
        numbers = self.set_number
        by_set = np.zeros(len(self), dtype=bool)
        by_set[numbers >= 0] = self.sets[numbers[numbers >= 0], 255] != 0
        return np.asarray(ordered | by_set)

    @cached_property
    def threshold(self) -> Floats:
        """Values up to this go left; NaN in a leaf and where levels are split."""
        return np.where(self.is_categorical, np.nan, self.nodes["threshold"])

    @cached_property
    def set_number(self) -> Ints:
        """Which row of `sets` a categorical split reads; -1 elsewhere."""
        return np.where(self.is_categorical, np.nan_to_num(self.nodes["threshold"], posinf=0), -1).astype(np.intp)

    @cached_property
    def left(self) -> Ints:
        """The left child of each node; -1 of a leaf."""
        return np.where(self.is_leaf, -1, np.arange(1, len(self) + 1))

    @cached_property
    def right(self) -> Ints:
        """The right child of each node; -1 of a leaf."""
        return np.where(self.is_leaf, -1, self.nodes["right"])

    @cached_property
    def answer(self) -> Ints:
        """The class with the most weight in each node; of equal ones the first."""
        return np.asarray(self.value.argmax(axis=1))

    @cached_property
    def weight(self) -> Floats:
        """The weight of the training rows in each node."""
        return np.asarray(self.value.sum(axis=1, dtype=np.float64))

    @cached_property
    def error(self) -> Floats:
        """The share of each node's weight that is not of the class it answers."""
        return np.asarray(1 - self.value.max(axis=1) / self.weight)

    @cached_property
    def depths(self) -> Ints:
        """How many splits lie above each node."""
        depths = np.zeros(len(self), dtype=np.intp)
        for node, right in zip(range(len(self)), self.right.tolist(), strict=True):
            if right >= 0:
                depths[node + 1] = depths[right] = depths[node] + 1
        return depths

    @property
    def depth(self) -> int:
        """How many questions the longest way asks."""
        return int(self.depths.max())

    @property
    def n_leaves(self) -> int:
        """How many nodes are leaves."""
        return int(self.is_leaf.sum())

    def ends(self) -> Ints:
        """One past the last node of the subtree under each node."""
        ends = np.arange(1, len(self) + 1)
        right = self.right.tolist()
        for node in range(len(self) - 1, -1, -1):
            if right[node] >= 0:
                ends[node] = ends[right[node]]
        return ends

    def impurity(self, criterion: str) -> Floats:
        """Gini's index or the entropy, in bits, of each node."""
        shares = self.value / self.weight[:, None]
        if criterion == "gini":
            return np.asarray(1 - (shares**2).sum(axis=1))
        logs = np.log2(shares, where=shares > 0, out=np.zeros_like(shares))
        return np.asarray(np.abs((shares * logs).sum(axis=1)))

    def importances(self, criterion: str, columns: int) -> Floats:
        """The decrease of impurity that each column brought, weighted by the share of the weight that it split."""
        total = self.impurity(criterion) * self.weight / self.weight[0]
        inner = np.flatnonzero(~self.is_leaf)
        gain = total[inner] - total[inner + 1] - total[self.right[inner]]
        return np.asarray(np.bincount(self.column[inner], np.maximum(gain, 0.0), minlength=columns), dtype=np.float64)

    def shares(self, smoothing: str | None = None, m: float = 1.0) -> Floats:
        """Class shares of each node: as they are, or drawn to equal shares (Laplace) or to the root's (m-estimate).

        Laplace adds one row of each class; the m-estimate adds m rows with the shares of the root.
        """
        value = self.value.astype(np.float64)
        if smoothing is None:
            return np.asarray(value / self.weight[:, None])
        scale = self.rows / self.weight  # weights that are not counts: smooth in rows
        value *= scale[:, None]
        prior = np.ones(value.shape[1]) if smoothing == "laplace" else m * self.value[0] / self.weight[0]
        return np.asarray((value + prior) / (self.rows + prior.sum())[:, None])

    def answering(self, winners: Ints) -> Tree:
        """The same tree with other answers in its leaves."""
        nodes = self.nodes.copy()
        nodes["right"][self.is_leaf] = winners[self.is_leaf]
        return Tree(nodes, self.cut, self.rows, self.value, self.sets)

    def collapsed(self, leaves: NDArray[np.bool_]) -> Tree:
        """The tree in which the marked nodes are leaves, and what was under them is gone."""
        keep = np.ones(len(self), dtype=bool)
        ends = self.ends()
        inner = ~self.is_leaf
        for node in np.flatnonzero(leaves & inner).tolist():
            keep[node + 1 : ends[node]] = False
        nodes = self.nodes.copy()
        made = leaves & inner
        nodes["column"][made], nodes["threshold"][made], nodes["right"][made] = -1, np.nan, self.answer[made]
        number = np.cumsum(keep) - 1
        split = nodes["column"] >= 0
        nodes["right"][split] = number[nodes["right"][split]]
        used = keep & split & (nodes["column"] & CATEGORICAL != 0)
        chosen = nodes["threshold"][used].astype(np.intp)
        nodes["threshold"][used] = np.arange(len(chosen))
        return Tree(nodes[keep], self.cut[keep], self.rows[keep], self.value[keep], self.sets[chosen])
