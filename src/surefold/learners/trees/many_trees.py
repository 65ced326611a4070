"""ManyTrees: trees grown in threads from one binned matrix, that answer together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray

from surefold.given import RandomState
from surefold.learners.trees.nodes import Tree
from surefold.learners.trees.options import Limits
from surefold.learners.trees.out_of_bag import OutOfBag
from surefold.learners.trees.walking import add_votes, leaves_of_trees, walks_compiled

if TYPE_CHECKING:
    from surefold.learners.trees.training_rows import TrainingRows

__all__ = ["ManyTrees", "grow_trees", "jobs_of", "seeds_of"]

Floats = NDArray[np.float64]

#: So many rows walk down one tree after another while they stay near.
BLOCK = 4096


class ManyTrees(Sequence[Tree]):
    """Several trees over the same columns."""

    def __init__(self, trees: list[Tree]) -> None:
        self._trees = trees

    def __len__(self) -> int:
        return len(self._trees)

    def __getitem__(self, i: Any) -> Any:
        return self._trees[i]

    def votes(self, X: Floats, jobs: int = 1, average: bool = False) -> Floats:
        """How many trees give each row each class; or the class shares of their leaves, added up."""
        votes = np.zeros((len(X), self[0].value.shape[1]))
        compiled = walks_compiled(self, len(X), "count_votes")
        X = np.require(X, requirements=["C", "W"])  # read-only arrays would be compiled for anew
        shares = [tree.shares() if average else votes[:0] for tree in self]

        def part(rows: slice) -> None:
            add_votes(self, X, rows, shares, votes, compiled)

        size = min(BLOCK, -(-len(X) // max(jobs, 1)))
        in_threads(part, [slice(i, i + size) for i in range(0, len(X), max(size, 1))], jobs if len(X) > 1000 else 1)
        return votes

    def leaves(self, X: Floats) -> Iterator[tuple[Tree, NDArray[np.intp]]]:
        """Each tree with the leaf of each row."""
        return zip(self, leaves_of_trees(self, X), strict=True)


def in_threads(work: Callable[[Any], Any], items: list[Any], jobs: int) -> Iterator[Any]:
    """What `work` gives for each item, in order."""
    if jobs <= 1 or len(items) <= 1:
        return iter([work(item) for item in items])
    with ThreadPoolExecutor(jobs) as pool:
        return iter(list(pool.map(work, items)))


def grow_trees(
    rows: TrainingRows,
    limits: Limits,
    seeds: NDArray[np.int64],
    jobs: int,
    out_of_bag: OutOfBag | None = None,
    draws: int | None = None,
    finish: Callable[[Tree], Tree] | None = None,
) -> ManyTrees:
    """One tree a seed, each from rows drawn with replacement; the answer does not depend on the number of threads."""

    compiled = rows.grows_compiled(limits, len(seeds))

    def one(seed: int) -> tuple[Tree, NDArray[np.int32] | None]:
        counts = rows.drawn(seed, draws)
        tree = rows.grow(limits, seed ^ 0x5DEECE66D, counts, compiled)
        if finish is not None:
            tree = finish(tree)
        return tree, rows.unused_votes(tree, counts, compiled) if out_of_bag is not None else None

    trees = []
    with ThreadPoolExecutor(max(jobs, 1)) as pool:
        for tree, votes in pool.map(one, seeds.tolist()):
            trees.append(tree)
            if out_of_bag is not None and votes is not None:
                out_of_bag.add(votes)
    return ManyTrees(trees)


def jobs_of(n_jobs: int | None) -> int:
    """How many threads n_jobs stands for here: one if None, unless joblib's `parallel_config` says otherwise."""
    return int(effective_n_jobs(n_jobs))


def seeds_of(random_state: RandomState, count: int) -> NDArray[np.int64]:
    """One seed a member, from an int, a RandomState, a Generator or None."""
    from sklearn.utils import check_random_state

    if isinstance(random_state, np.random.Generator):
        return random_state.integers(0, 2**62, size=count)
    drawn: NDArray[np.int64] = check_random_state(random_state).randint(0, 2**62, size=count, dtype=np.int64)
    return drawn
