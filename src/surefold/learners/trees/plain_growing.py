"""Growing one tree in numpy, a node at a time and all its columns at once: what `tree_kernel` grows, not compiled.

Nodes come in the same order, columns are drawn from the same stream, and a column wins by the same margin.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from surefold.learners.trees.binning import Binned, cut_between
from surefold.learners.trees.nodes import CATEGORICAL, MISSING, MISSING_LEFT, NODE, Tree
from surefold.learners.trees.options import Limits
from surefold.learners.trees.plain_split import Histograms, Side, level_cut, ordered_cuts, side_score
from surefold.learners.trees.splitmix import Stream

__all__ = ["plainly_grown"]

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]


def plainly_grown(
    binned: Binned,
    codes: NDArray[np.uint16],
    classes: int,
    counts: NDArray[np.uint16],
    weights: Floats | None,
    limits: Limits,
    logs: Floats,
    seed: int,
) -> Tree:
    """The tree of the rows that count; `weights` is None where counts are all, and `logs` is x log2 x for whole x."""
    grower = _Grower(binned, codes, classes, counts, weights, limits, logs, seed)
    grower.grow()
    return grower.tree()


class _Split:
    """The best split so far: which bins go left, and what a node says of it."""

    def __init__(self) -> None:
        self.score = -np.inf
        self.column = -1
        self.goes_left = np.zeros(256, dtype=bool)
        self.bins: tuple[int, int] | None = None  # neighbours on both sides of the cut; None for a set of levels
        self.missing_left = self.saw_missing = False


class _Grower:
    def __init__(
        self,
        binned: Binned,
        codes: NDArray[np.uint16],
        classes: int,
        counts: NDArray[np.uint16],
        weights: Floats | None,
        limits: Limits,
        logs: Floats,
        seed: int,
    ) -> None:
        self.binned, self.limits, self.logs, self.classes = binned, limits, logs, classes
        self.rows = np.flatnonzero(counts)
        self.columns = binned.bins[:, self.rows]
        self.codes, self.counts = codes[self.rows].astype(np.intp), counts[self.rows].astype(np.float64)
        self.weights = self.counts if weights is None else weights[self.rows] * self.counts
        self.is_counted = weights is None
        self.stream, self.order = Stream(seed), list(range(len(binned.bins)))
        self.nodes: list[tuple[float, int, int]] = []
        self.cuts: list[int] = []
        self.sizes: list[int] = []
        self.values: list[Floats] = []
        self.sets: list[NDArray[np.bool_]] = []

    def tree(self) -> Tree:
        value = np.array(self.values).astype(np.int32 if self.is_counted else np.float64)
        sets = np.array(self.sets, dtype=np.uint8).reshape(-1, 256)
        sizes, cuts = np.array(self.sizes, dtype=np.int32), np.array(self.cuts, dtype=np.uint8)
        return Tree(np.array(self.nodes, dtype=NODE), cuts, sizes, value, sets)

    def grow(self) -> None:
        limits = self.limits
        waiting: list[tuple[Ints, int, int]] = [(np.arange(len(self.rows)), 0, -1)]
        whole = 0.0
        while waiting:
            rows, depth, parent = waiting.pop()
            node = len(self.nodes)
            if parent >= 0:
                threshold, _, column = self.nodes[parent]
                self.nodes[parent] = threshold, node, column
            weights = self.weights[rows]
            total = np.bincount(self.codes[rows], weights, self.classes).astype(np.float64, copy=False)
            count, weight, winner = int(self.counts[rows].sum()), sum(total.tolist()), int(total.argmax())
            whole = weight if node == 0 else whole
            light = max(limits.share * whole, 1e-300)
            split = _Split()
            pure = total[winner] >= limits.purity * weight * (1.0 - 1e-12)
            large = count > limits.leaf_size and count >= max(limits.split, 2 * limits.leaf) and len(rows) > 1
            if large and not pure and weight >= 2.0 * light and depth < limits.depth:
                base = float(side_score(total, limits.entropy, self.logs))
                side = Side(total, count, limits.leaf, light, limits.entropy, self.logs)
                split = self._search(rows, weights, side, 1e-12 * (weight + abs(base)))
                if (split.score - base) / whole + 1e-12 < limits.decrease:
                    split.column = -1
            self.sizes.append(count)
            self.values.append(total)
            if split.column < 0:
                self.nodes.append((np.nan, winner, -1))
                self.cuts.append(0)
                continue
            left = self._settle(split, rows, count)
            waiting.append((rows[~left], depth + 1, node))
            waiting.append((rows[left], depth + 1, -1))

    def _search(self, rows: Ints, weights: Floats, side: Side, bar: float) -> _Split:
        """The best split of the columns tried; columns are drawn until one can be split."""
        best, d, tries = _Split(), len(self.order), self.limits.columns
        tried = 0
        while tried < d and (tried < tries or best.column < 0):
            size = tries if tried == 0 else 1
            for place in range(tried, tried + size) if tries < d else ():
                other = place + self.stream.below(d - place)
                self.order[place], self.order[other] = self.order[other], self.order[place]
            self._try(self.order[tried : tried + size], rows, weights, side, bar, best)
            tried += size
        return best

    def _try(self, tried: list[int], rows: Ints, weights: Floats, side: Side, bar: float, best: _Split) -> None:
        counted = None if self.is_counted else self.counts[rows]
        columns = self.columns[np.array(tried)[:, None], rows]
        h = Histograms.of(columns, self.codes[rows], self.classes, weights, counted)
        scores, places, on_left = ordered_cuts(h, side)
        for k, f in enumerate(tried):
            size = int(h.sizes[k])
            if size < 2:
                continue
            bins = h.bins[k, :size]
            if self.binned.categorical[f]:
                score, levels, others = level_cut(h.weight[k, :size], h.rows[k, :size], side)
                if score > best.score + bar:
                    best.score, best.column, best.bins = score, f, None
                    best.goes_left[:] = others
                    best.goes_left[bins] = levels
            elif scores[k] > best.score + bar:
                place = int(places[k])
                best.score, best.column, best.missing_left = float(scores[k]), f, bool(on_left[k])
                best.bins, best.saw_missing = (int(bins[place]), int(bins[place + 1])), bool(bins[-1] == MISSING)

    def _settle(self, split: _Split, rows: Ints, count: int) -> NDArray[np.bool_]:
        """Write down the split; which rows go left."""
        f, cut, threshold, flags = split.column, 0, float(len(self.sets)), CATEGORICAL
        if split.bins is None:
            self.sets.append(split.goes_left)
        else:
            cut, threshold = cut_between(self.binned.low[f], self.binned.high[f], *split.bins)
            split.goes_left[:] = np.arange(256) <= cut
            split.goes_left[MISSING] = split.missing_left
        left: NDArray[np.bool_] = split.goes_left[self.columns[f, rows]]
        if split.bins is not None:
            if not split.saw_missing:
                split.missing_left = 2 * self.counts[rows[left]].sum() >= count
            flags = MISSING_LEFT if split.missing_left else 0
        self.nodes.append((threshold, -1, f | flags))
        self.cuts.append(cut)
        return left
