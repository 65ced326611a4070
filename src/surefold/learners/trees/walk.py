"""Walking down trees, compiled. `walking` says when this is worth it, and does the same in numpy where it is not."""

from __future__ import annotations

from typing import Any

import numpy as np

from surefold.learners.trees.compiling import Array, helper, kernel
from surefold.learners.trees.nodes import CATEGORICAL, COLUMN, MISSING_LEFT
from surefold.learners.trees.random_bits import below

__all__ = ["BLOCK", "count_votes", "leaves_of", "shuffled_errors", "votes_of_unused"]

#: So many rows walk down a tree side by side.
BLOCK = 64


@helper()
def _binned_leaf(bins: Array, row: int, nodes: Array, cut: Array, sets: Any, swapped: int, other: int) -> Any:
    """The leaf of a binned row, which takes column `swapped` from row `other`."""
    at = 0
    column = nodes[at].column
    while column >= 0:
        f = column & COLUMN
        b = bins[f, other if f == swapped else row]
        if column & CATEGORICAL:
            left = sets[np.intp(nodes[at].threshold), b] != 0
        elif b == 255:
            left = column & MISSING_LEFT != 0
        else:
            left = b <= cut[at]
        at = at + 1 if left else nodes[at].right
        column = nodes[at].column
    return at


@kernel()
def votes_of_unused(
    bins: Array,
    counts: Array,
    nodes: Array,
    cut: Array,
    sets: Array | None,
    votes: Array,
) -> None:
    """What the tree answers for each row that it was not grown from; -1 for the others."""
    for row in range(bins.shape[1]):
        votes[row] = -1
        if counts[row] == 0:
            votes[row] = nodes[_binned_leaf(bins, row, nodes, cut, sets, -1, row)].right


@kernel()
def shuffled_errors(
    bins: Array,
    unused: Array,
    order: Array,
    codes: Array,
    weights: Array,
    nodes: Array,
    cut: Array,
    sets: Array | None,
    used: Array,
    state: Array,
    errors: Array,
) -> None:
    """The tree's error on unused rows as they are, then with each of the used columns shuffled among them.

    `order` is a copy of the unused rows, to be shuffled.
    """
    total = 0.0
    for i in range(unused.size):
        total += weights[unused[i]]
    for k in range(used.size + 1):
        column = used[k - 1] if k > 0 else -1
        for i in range(order.size - 1, 0, -1):
            j = below(state, i + 1)
            order[i], order[j] = order[j], order[i]
        for i in range(unused.size):
            row = unused[i]
            leaf = _binned_leaf(bins, row, nodes, cut, sets, column, order[i])
            if nodes[leaf].right != codes[row]:
                errors[k] += weights[row] / total


@helper()
def _walk(X: Array, first: int, size: int, nodes: Array, sets: Any, at: Array, walking: Array) -> None:
    """Walk `size` rows of X, whose categories are level numbers, to their leaves; all take a step before the next.

    Steps of different rows do not wait for each other's memory, which makes this several times faster than row by row.
    """
    left_over = size
    for i in range(left_over):
        at[i] = 0
        walking[i] = i
    if nodes[0].column < 0:
        return
    while left_over > 0:
        still = 0
        for k in range(left_over):
            i = walking[k]
            node = nodes[at[i]]
            column = node.column
            x = X[first + i, column & COLUMN]
            if column & CATEGORICAL:
                left = sets[np.intp(node.threshold), np.intp(x)] != 0
            else:
                left = (x <= node.threshold) | (x != x and column & MISSING_LEFT != 0)
            following = at[i] + 1 if left else node.right
            at[i] = following
            walking[still] = i
            still += 1 if nodes[following].column >= 0 else 0
        left_over = still


@kernel()
def leaves_of(X: Array, nodes: Array, sets: Array | None, at: Array, walking: Array, leaves: Array) -> None:
    """The leaf of each row. `at` and `walking` are room for a block each."""
    for first in range(0, X.shape[0], BLOCK):
        size = min(BLOCK, X.shape[0] - first)
        _walk(X, first, size, nodes, sets, at, walking)
        for i in range(size):
            leaves[first + i] = at[i]


@kernel()
def count_votes(
    X: Array,
    begin: int,
    end: int,
    nodes: Array,
    sets: Array | None,
    shares: Array,
    at: Array,
    walking: Array,
    votes: Array,
) -> None:
    """Add what the tree answers for each of these rows to `votes`, or its leaf's class shares where those are given."""
    for first in range(begin, end, BLOCK):
        size = min(BLOCK, end - first)
        _walk(X, first, size, nodes, sets, at, walking)
        for i in range(size):
            if shares.shape[0] == 0:
                votes[first + i, nodes[at[i]].right] += 1.0
            else:
                for c in range(votes.shape[1]):
                    votes[first + i, c] += shares[at[i], c]
