"""Making a grown tree smaller: by pessimistic error, as C4.5 does, or by cost and complexity, as CART does.

Pessimistic pruning goes from the leaves to the root. A node with N rows of which the share f is not of its class has
the pessimistic error e(N, f), an upper bound of the error rate. A subtree becomes a leaf when the e of that leaf is no
more than the mean e of the leaves it would replace, each weighted by its N.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefold.estimates.proportion import Bound, pessimistic_error
from surefold.learners.trees.nodes import Tree

__all__ = [
    "CostComplexityPath",
    "Decision",
    "Pruning",
    "cost_path",
    "pessimistic_errors",
    "prune_by_cost",
    "prune_pessimistically",
]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Decision:
    """One subtree that pruning looked at. `node` counts in the tree as grown, `split` is what the node asks."""

    node: int
    split: str
    rows: int
    error: float
    pessimistic: float
    leaves: tuple[tuple[int, float, float], ...]
    leaves_pessimistic: float
    pruned: bool


@dataclass(frozen=True)
class Pruning(Sequence[Decision]):
    """What was decided on each subtree, from the leaves to the root; prints as a table."""

    decisions: tuple[Decision, ...] = ()
    confidence: float = 0.25
    bound: str = "wilson"

    def __len__(self) -> int:
        return len(self.decisions)

    def __getitem__(self, i: Any) -> Any:
        return self.decisions[i]

    def __iter__(self) -> Iterator[Decision]:
        return iter(self.decisions)

    def __str__(self) -> str:
        if not self.decisions:
            return "no subtree was looked at"
        head = ("node", "split", "N", "f", "e", "leaves: N f e", "their e", "")
        body = [
            (
                str(d.node),
                d.split,
                f"{d.rows:,}",
                f"{d.error:.3f}",
                f"{d.pessimistic:.3f}",
                "; ".join(f"{n:,} {f:.3f} {e:.3f}" for n, f, e in d.leaves[:4]) + ("; …" if len(d.leaves) > 4 else ""),
                f"{d.leaves_pessimistic:.3f}",
                "pruned" if d.pruned else "kept",
            )
            for d in self.decisions
        ]
        table = [head, *body]
        widths = [max(len(row[i]) for row in table) for i in range(len(head))]
        sides = [str.rjust if i in (0, 2, 3, 4, 6) else str.ljust for i in range(len(head))]
        lines = ["  ".join(s(t, w) for s, t, w in zip(sides, row, widths, strict=True)) for row in table]
        title = f"pessimistic error e: {self.bound} bound, exceeded with chance {self.confidence:g}"
        return "\n".join([title, *(line.rstrip() for line in lines)])


def prune_pessimistically(
    tree: Tree, confidence: float, bound: Bound, questions: Sequence[str]
) -> tuple[Tree, Pruning]:
    """The pruned tree and what was decided; `questions` has the text of each node's split."""
    f, rows = tree.error, tree.rows.astype(np.float64)
    e = pessimistic_errors(tree, confidence, bound)
    leaves: list[list[int]] = [[i] if leaf else [] for i, leaf in enumerate(tree.is_leaf.tolist())]
    right = tree.right.tolist()
    made_leaf = np.zeros(len(tree), dtype=bool)
    decisions = []
    for node in range(len(tree) - 1, -1, -1):
        if right[node] < 0:
            continue
        under = leaves[node + 1] + leaves[right[node]]
        theirs = float(rows[under] @ e[under] / rows[node])
        pruned = bool(e[node] <= theirs + 1e-12)
        made_leaf[node] = pruned
        leaves[node] = [node] if pruned else under
        leaves[node + 1] = leaves[right[node]] = []
        decisions.append(
            Decision(
                node,
                questions[node],
                int(rows[node]),
                float(f[node]),
                float(e[node]),
                tuple((int(rows[i]), float(f[i]), float(e[i])) for i in under),
                theirs,
                pruned,
            )
        )
    return tree.collapsed(made_leaf), Pruning(tuple(decisions), confidence, bound)


def pessimistic_errors(tree: Tree, confidence: float, bound: Bound) -> Floats:
    """e of every node, leaves and others; one bound is computed for each distinct pair of errors and rows."""
    f, rows = tree.error, tree.rows.astype(np.float64)
    errors = np.clip(np.round(f * rows, 9), 0.0, rows)
    pairs, place = np.unique(np.stack([errors, rows], axis=1), axis=0, return_inverse=True)
    found = np.array([pessimistic_error(s, n, confidence, bound) for s, n in pairs.tolist()])
    return np.asarray(found[place.ravel()])


@dataclass(frozen=True, eq=False)
class CostComplexityPath:
    """Effective alphas in rising order, and the impurity of all leaves, and their number, once each is pruned to."""

    ccp_alphas: Floats
    impurities: Floats
    leaves: NDArray[np.intp]


def _weakest_links(tree: Tree, criterion: str) -> Iterator[tuple[float, int, float, int]]:
    """(alpha, node, impurity of the leaves afterwards, number of leaves afterwards), weakest first."""
    cost = tree.impurity(criterion) * tree.weight / tree.weight[0]
    right = tree.right.tolist()
    size = len(tree)
    parent = np.full(size, -1)
    below, leaves = cost.copy(), np.ones(size, dtype=np.intp)
    for node in range(size - 1, -1, -1):
        if right[node] >= 0:
            parent[node + 1] = parent[right[node]] = node
            below[node] = below[node + 1] + below[right[node]]
            leaves[node] = leaves[node + 1] + leaves[right[node]]
    alive = ~tree.is_leaf
    ends = tree.ends()

    def strength(node: int) -> float:
        return float((cost[node] - below[node]) / (leaves[node] - 1))

    heap = [(strength(int(i)), int(i)) for i in np.flatnonzero(alive)]
    heapq.heapify(heap)
    reached = 0.0
    while heap:
        alpha, node = heapq.heappop(heap)
        if not alive[node] or alpha != strength(node):
            continue
        reached = max(reached, alpha)
        saved, fewer = cost[node] - below[node], leaves[node] - 1
        alive[node : ends[node]] = False
        below[node], leaves[node] = cost[node], 1
        up = int(parent[node])
        while up >= 0:
            below[up] += saved
            leaves[up] -= fewer
            heapq.heappush(heap, (strength(up), up))
            up = int(parent[up])
        yield reached, node, float(below[0]), int(leaves[0])


def cost_path(tree: Tree, criterion: str) -> CostComplexityPath:
    """Every alpha at which the best tree for impurity + alpha x leaves becomes a smaller one."""
    leaf = tree.is_leaf
    start = float((tree.impurity(criterion) * tree.weight)[leaf].sum() / tree.weight[0])
    steps = [(0.0, start, int(leaf.sum()))]
    for alpha, _, impurity, leaves in _weakest_links(tree, criterion):
        if alpha <= steps[-1][0] + 1e-14:
            steps[-1] = (steps[-1][0], impurity, leaves)
        else:
            steps.append((alpha, impurity, leaves))
    alphas, impurities, sizes = zip(*steps, strict=True)
    return CostComplexityPath(np.array(alphas), np.array(impurities), np.array(sizes))


def prune_by_cost(tree: Tree, criterion: str, ccp_alpha: float) -> Tree:
    """The smallest tree that is best for impurity + ccp_alpha x leaves."""
    made_leaf = np.zeros(len(tree), dtype=bool)
    for alpha, node, _, _ in _weakest_links(tree, criterion):
        if alpha > ccp_alpha + 1e-14:
            break
        made_leaf[node] = True
    return tree.collapsed(made_leaf)
