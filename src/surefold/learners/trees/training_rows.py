"""TrainingRows: binned rows with their classes and weights, from which any number of trees are grown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.multiclass import check_classification_targets

from surefold.errors import InputError, show
from surefold.learners.trees.binning import Binned
from surefold.learners.trees.nodes import NODE, Tree
from surefold.learners.trees.options import Limits
from surefold.learners.trees.plain_growing import plainly_grown
from surefold.learners.trees.splitmix import drawn_below
from surefold.learners.trees.walking import plain_leaves
from surefold.learners.trees.when_to_compile import is_worth_compiling

__all__ = ["TrainingRows", "coded_classes"]

#: Whole weights up to this count as that many rows.
MOST_COPIES = 1000
#: Room for histograms that large nodes keep, in bytes.
KEPT_BYTES = 64 << 20
#: What a split takes in numpy, and a value that is counted on one level of the tree, in seconds.
NODE_SECONDS, VALUE_SECONDS = 200e-6, 20e-9

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class TrainingRows:
    """`counts` is how many rows each row stands for; `weights`, where given, is the weight of each of those."""

    binned: Binned
    codes: NDArray[np.uint16]
    classes: int
    counts: NDArray[np.uint16]
    weights: Floats | None
    pool: NDArray[np.int32]

    @classmethod
    def of(
        cls,
        X: Floats,
        categorical: NDArray[np.bool_],
        codes: NDArray[np.intp],
        labels: NDArray[Any],
        sample_weight: Floats | None,
        class_weight: Any,
        jobs: int = 1,
    ) -> TrainingRows:
        """Bin the rows; weights that are whole numbers become counts, others stay weights of one row each."""
        counts = np.ones(len(X), dtype=np.uint16)
        weights: Floats | None = None
        if sample_weight is not None:
            whole = bool((sample_weight == np.floor(sample_weight)).all()) and sample_weight.max() <= MOST_COPIES
            counts = sample_weight.astype(np.uint16) if whole else (sample_weight > 0).astype(np.uint16)
            weights = None if whole else sample_weight.copy()  # a read-only array would be compiled for anew
        if class_weight is not None:
            of_class = _class_weights(class_weight, labels, codes, sample_weight)
            weights = of_class[codes] * (1.0 if weights is None else weights)
            counts = np.where(weights > 0, counts, 0).astype(np.uint16)
        if int(counts.sum(dtype=np.int64)) >= 1 << 31:
            raise InputError("bad_option", "the weights add up to 2^31 rows or more", cure="scale sample_weight down")
        weighed: Floats | None = None  # what a row weighs in all has a say in where bins lie, as a copy of it would
        if sample_weight is not None or weights is not None:
            weighed = counts.astype(np.float64) * (1.0 if weights is None else weights)
        binned = Binned.of(X, categorical, weighed, jobs)
        pool = np.flatnonzero(counts).astype(np.int32)
        return cls(binned, codes.astype(np.uint16), len(labels), counts, weights, pool)

    @property
    def n(self) -> int:
        """How many rows there are."""
        return len(self.codes)

    @property
    def row_weight(self) -> Floats:
        """What each row weighs in an error."""
        counts = self.counts.astype(np.float64)
        return counts if self.weights is None else counts * self.weights

    @property
    def rows(self) -> int:
        """How many rows there are, copies counted."""
        return int(self.counts.sum(dtype=np.int64))

    def drawn(self, seed: int, draws: int | None = None) -> NDArray[np.uint16]:
        """Counts after drawing rows with replacement, as many as there are unless said."""
        places = drawn_below(seed, len(self.pool), len(self.pool) if draws is None else draws)
        counts = np.bincount(self.pool[places], minlength=self.n).astype(np.uint16)
        counts *= self.counts
        return counts

    def grows_compiled(self, limits: Limits, trees: int = 1) -> bool:
        """Whether so many trees are worth compiled loops. numpy takes so long a node, and a value on each level."""
        nodes = min(len(self.pool) / 8, 2.0 ** min(limits.depth, 40))
        levels = min(limits.depth, 12)
        seconds = trees * (NODE_SECONDS * nodes + VALUE_SECONDS * len(self.pool) * limits.columns * levels)
        what = (self.weights is not None, self._is_simple(limits), bool(self.binned.categorical.any()))
        return is_worth_compiling("tree_kernel", str(what), seconds)

    def _is_simple(self, limits: Limits) -> bool:
        return self.classes == 2 and not limits.entropy

    def grow(self, limits: Limits, seed: int, counts: NDArray[np.uint16] | None, compiled: bool) -> Tree:
        """One tree from rows that count so often each; of all the rows where `counts` is None."""
        counts = self.counts if counts is None else counts
        total = int(counts.sum(dtype=np.int64))
        logs = _entropy_table(total) if limits.entropy and self.weights is None else np.empty(0)
        if not compiled:
            return plainly_grown(self.binned, self.codes, self.classes, counts, self.weights, limits, logs, seed)
        from surefold.learners.trees.kernel import Columns, Grown, grow

        used = np.flatnonzero(counts).astype(np.uint64)
        packed = used << 32 | self.codes[used].astype(np.uint64) << 16 | counts[used]
        b = self.binned
        room = min(2 * len(packed), 1 << min(limits.depth + 1, 40))
        value = np.empty((room, self.classes), dtype=np.int32 if self.weights is None else np.float64)
        sets = np.empty((room // 2, 256), dtype=np.uint8) if b.categorical.any() else None
        grown = Grown(np.empty(room, NODE), np.empty(room, np.uint8), np.empty(room, np.int32), value)
        columns = Columns(b.bins, b.categorical, b.low, b.high)
        slots = self._slots(len(packed)) if limits.columns == len(b.bins) else 0
        table = None if self._is_simple(limits) else logs
        size, by_set = grow(columns, packed, self.weights, limits, table, seed, slots, sets, grown)
        nodes, cut, rows, value = (a[:size].copy() for a in grown)
        return Tree(nodes, cut, rows, value, np.empty((0, 256), np.uint8) if sets is None else sets[:by_set].copy())

    def _slots(self, rows: int) -> int:
        from surefold.learners.trees.kernel import KEPT

        stride = self.classes + (self.weights is not None)
        each = len(self.binned.bins) * 256 * stride * (4 if self.weights is None else 8)
        useful = rows >= max(4 * KEPT, 64 * stride)
        return min(rows // KEPT + 2, KEPT_BYTES // each, 64) if useful else 0

    def unused_votes(self, tree: Tree, counts: NDArray[np.uint16], compiled: bool) -> NDArray[np.int32]:
        """The class that the tree gives each row it was not grown from, -1 for the others."""
        if compiled:
            from surefold.learners.trees.walk import votes_of_unused

            votes = np.empty(self.n, dtype=np.int32)
            votes_of_unused(self.binned.bins, counts, tree.nodes, tree.cut, tree.sets, votes)
            return votes
        votes = np.full(self.n, -1, dtype=np.int32)
        unused = np.flatnonzero(counts == 0)
        leaves = plain_leaves(tree, self.binned.as_numbers(unused), tree.cut)
        votes[unused] = tree.nodes["right"][leaves]
        return votes


def _entropy_table(total: int) -> Floats:
    if total > 1 << 24:
        return np.empty(0)
    x = np.arange(total + 1, dtype=np.float64)
    x[1:] *= np.log2(x[1:])
    return x


def coded_classes(y: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """The distinct labels in order, and the number of each row's."""
    check_classification_targets(y)
    labels, codes = np.unique(y, return_inverse=True)
    if len(labels) > 1 << 16:
        raise InputError("bad_option", f"y has {len(labels):,} classes", cure="give at most 65,536")
    return labels, codes


def _class_weights(given: object, labels: NDArray[Any], codes: NDArray[np.intp], weights: Floats | None) -> Floats:
    totals = np.bincount(codes, weights, minlength=len(labels)).astype(np.float64)
    if isinstance(given, str) and given == "balanced":
        present = totals > 0
        return np.where(present, totals.sum() / (present.sum() * np.where(present, totals, 1.0)), 0.0)
    if not isinstance(given, Mapping):
        problem = f"class_weight is {show(given)}"
        raise InputError("bad_option", problem, cure="give 'balanced' or a dict of label to weight")
    names = labels.tolist()
    unknown = [label for label in given if label not in names]
    if unknown:
        problem = f"class_weight names {show(unknown[0])}, which is no label of y"
        raise InputError("unknown_label", problem, cure=f"the labels are {', '.join(show(n) for n in names[:10])}")
    found = np.array([float(given.get(label, 1.0)) for label in names])
    if not (np.isfinite(found) & (found >= 0)).all() or not (found * totals).any():
        problem = f"class_weight is {show(given)}"
        raise InputError("bad_option", problem, cure="give finite weights of 0 or more, not all zero")
    return found
