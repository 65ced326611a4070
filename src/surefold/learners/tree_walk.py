"""Drawing rows and walking down trees, compiled. numba is imported when this module is."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from .random_bits import below
from .tree_nodes import CATEGORICAL, COLUMN, MISSING_LEFT

__all__ = ["count_votes", "draw_counts", "leaves_of", "shuffled_errors", "votes_of_unused"]

#: So many rows walk down a tree side by side.
BLOCK = 64


@njit(nogil=True, cache=True)
def draw_counts(pool: Any, draws: int, seed: Any, counts: Any) -> None:
    """How often each row is drawn when `draws` are drawn from `pool` with replacement."""
    state = np.empty(1, np.uint64)
    state[0] = seed
    counts[:] = 0
    for _ in range(draws):
        counts[pool[below(state, pool.size)]] += 1


@njit(nogil=True, cache=True)
def _binned_leaf(bins: Any, row: int, nodes: Any, cut: Any, sets: Any, swapped: int, other: int) -> Any:
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


@njit(nogil=True, cache=True)
def votes_of_unused(bins: Any, counts: Any, nodes: Any, cut: Any, sets: Any, votes: Any) -> None:
    """What the tree answers for each row that it was not grown from; -1 for the others."""
    for row in range(bins.shape[1]):
        votes[row] = -1
        if counts[row] == 0:
            votes[row] = nodes[_binned_leaf(bins, row, nodes, cut, sets, -1, row)].right


@njit(nogil=True, cache=True)
def shuffled_errors(bins: Any, unused: Any, codes: Any, weights: Any, nodes: Any, cut: Any, sets: Any, used: Any,
                    seed: Any, errors: Any) -> None:  # fmt: skip
    """The tree's error on unused rows as they are, then with each of the used columns shuffled among them."""
    state = np.empty(1, np.uint64)
    state[0] = seed
    order = unused.copy()
    total = 0.0
    for row in unused:
        total += weights[row]
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


@njit(nogil=True, cache=True)
def _walk(X: Any, first: int, nodes: Any, sets: Any, at: Any, walking: Any) -> None:
    """Walk `at.size` rows of X, whose categories are level numbers, to their leaves; all take a step before the next.

    Steps of different rows do not wait for each other's memory, which makes this several times faster than row by row.
    """
    left_over = at.size
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
                left = (x <= node.threshold) | (np.isnan(x) & (column & MISSING_LEFT != 0))
            following = at[i] + 1 if left else node.right
            at[i] = following
            walking[still] = i
            still += 1 if nodes[following].column >= 0 else 0
        left_over = still


@njit(nogil=True, cache=True)
def leaves_of(X: Any, nodes: Any, sets: Any, leaves: Any) -> None:
    """The leaf of each row."""
    walking = np.empty(BLOCK, np.int64)
    for first in range(0, X.shape[0], BLOCK):
        last = min(first + BLOCK, X.shape[0])
        _walk(X, first, nodes, sets, leaves[first:last], walking)


@njit(nogil=True, cache=True)
def count_votes(X: Any, nodes: Any, sets: Any, shares: Any, votes: Any) -> None:
    """Add what the tree answers for each row to `votes`, or its leaf's class shares where those are given."""
    walking, leaves = np.empty(BLOCK, np.int64), np.empty(BLOCK, np.int64)
    for first in range(0, X.shape[0], BLOCK):
        size = min(BLOCK, X.shape[0] - first)
        _walk(X, first, nodes, sets, leaves[:size], walking)
        for i in range(size):
            if shares.shape[0] == 0:
                votes[first + i, nodes[leaves[i]].right] += 1.0
            else:
                for c in range(votes.shape[1]):
                    votes[first + i, c] += shares[leaves[i], c]
