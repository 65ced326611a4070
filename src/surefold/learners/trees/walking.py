"""Rows down trees to their leaves: compiled for many, in numpy for few."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from surefold.learners.trees.nodes import CATEGORICAL, COLUMN, MISSING_LEFT, Tree
from surefold.learners.trees.when_to_compile import is_worth_compiling

__all__ = ["add_votes", "leaves_of_trees", "plain_leaves", "walks_compiled"]

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]

#: What a step of one row takes in numpy, in seconds.
STEP = 60e-9


def walks_compiled(trees: Sequence[Tree], rows: int, what: str) -> bool:
    """Whether so many rows are worth a compiled walk down these trees."""
    steps = sum(len(tree).bit_length() for tree in trees)
    return is_worth_compiling("tree_walk", what, rows * steps * STEP)


def leaves_of_trees(trees: Sequence[Tree], X: Floats) -> Iterator[Ints]:
    """For one tree after another the leaf of each row."""
    if not walks_compiled(trees, len(X), "leaves_of"):
        for tree in trees:
            yield plain_leaves(tree, X, tree.nodes["threshold"])
        return
    from surefold.learners.trees.walk import BLOCK, leaves_of

    X = np.require(X, requirements=["C", "W"])  # read-only arrays would be compiled for anew
    for tree in trees:
        leaves, (at, walking) = np.empty(len(X), dtype=np.intp), np.empty((2, BLOCK), dtype=np.intp)
        leaves_of(X, tree.nodes, tree.sets, at, walking, leaves)
        yield leaves


def add_votes(
    trees: Sequence[Tree], X: Floats, rows: slice, shares: Sequence[Floats], votes: Floats, compiled: bool
) -> None:
    """Add what each tree answers for these rows to `votes`; or its leaves' class shares, where there are any."""
    if not compiled:
        for tree, share in zip(trees, shares, strict=True):
            leaves = plain_leaves(tree, X[rows], tree.nodes["threshold"])
            if len(share):
                votes[rows] += share[leaves]
            else:
                votes[np.arange(rows.start, rows.start + len(leaves)), tree.nodes["right"][leaves]] += 1.0
        return
    from surefold.learners.trees.walk import BLOCK, count_votes

    at, walking = np.empty((2, BLOCK), dtype=np.intp)
    for tree, share in zip(trees, shares, strict=True):
        count_votes(X, rows.start, min(rows.stop, len(X)), tree.nodes, tree.sets, share, at, walking, votes)


def plain_leaves(tree: Tree, X: Floats, threshold: NDArray[np.float64 | np.uint8]) -> Ints:
    """The leaf of each row; all rows take a step before the next. `threshold` is that of each node."""
    columns, right = tree.nodes["column"], tree.nodes["right"]
    at = np.zeros(len(X), dtype=np.intp)
    walking = np.arange(len(X)) if columns[0] >= 0 else at[:0]
    while len(walking):
        node = at[walking]
        column = columns[node]
        x = X[walking, column & COLUMN]
        left = (x <= threshold[node]) | (np.isnan(x) & (column & MISSING_LEFT != 0))
        by_set = np.flatnonzero(column & CATEGORICAL) if len(tree.sets) else at[:0]
        if len(by_set):
            left[by_set] = tree.sets[tree.set_number[node[by_set]], x[by_set].astype(np.intp)] != 0
        at[walking] = following = np.where(left, node + 1, right[node])
        walking = walking[columns[following] >= 0]
    return at
