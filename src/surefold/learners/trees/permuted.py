"""Importance of columns by shuffling them among the rows that a tree did not see (Breiman 2001, section 10)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from surefold.learners.trees.splitmix import GOLDEN

if TYPE_CHECKING:
    from surefold.learners.trees.many_trees import ManyTrees
    from surefold.learners.trees.training_rows import TrainingRows

__all__ = ["ColumnImportance", "permuted_importance"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ColumnImportance:
    """For each column the mean rise of the error over trees, and its standard error; prints the largest first."""

    names: tuple[str, ...]
    mean: Floats
    se: Floats

    def __str__(self) -> str:
        width = max(map(len, self.names))
        order = np.argsort(-self.mean, kind="stable")
        return "\n".join(f"{self.names[j]:<{width}}  {self.mean[j]:+.4f} ± {self.se[j]:.4f}" for j in order)


def permuted_importance(
    rows: TrainingRows, trees: ManyTrees, seeds: NDArray[np.int64], seed: int, jobs: int, names: list[str]
) -> ColumnImportance:
    """Rise of the error out of bag of each tree with each column shuffled; columns a tree does not use are zero."""
    from surefold.learners.trees.many_trees import in_threads
    from surefold.learners.trees.walk import shuffled_errors

    d = len(names)
    rises = np.full((len(trees), d), np.nan)
    weights = rows.row_weight

    def one(t: int) -> None:
        tree = trees[t]
        unused = np.flatnonzero(rows.drawn(int(seeds[t])) == 0)
        unused = unused[weights[unused] > 0]
        if not len(unused):
            return
        rises[t] = 0.0
        used = np.unique(tree.column[tree.column >= 0])
        state = np.array([(seed + GOLDEN * (t + 1)) % 2**64], dtype=np.uint64)
        errors = np.zeros(len(used) + 1)
        bins, walked = rows.binned.bins, (tree.nodes, tree.cut, tree.sets)
        shuffled_errors(bins, unused, unused.copy(), rows.codes, weights, *walked, used, state, errors)
        rises[t, used] = errors[1:] - errors[0]

    for _ in in_threads(one, list(range(len(trees))), jobs):
        pass
    found = rises[~np.isnan(rises[:, 0])]
    if not len(found):
        return ColumnImportance(tuple(names), np.full(d, np.nan), np.full(d, np.nan))
    se = found.std(axis=0, ddof=1) / np.sqrt(len(found)) if len(found) > 1 else np.full(d, np.nan)
    return ColumnImportance(tuple(names), found.mean(axis=0), se)
