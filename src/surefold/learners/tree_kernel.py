"""Growing one tree over binned columns, compiled. numba is imported when this module is, which the first fit does.

Rows in use are one array of words that is partitioned in place, depth first, so that a node is a stretch of it. For
each candidate column the class weights of a node are added up by bin; few rows touch few bins, and only those are read
and cleared again. Where every column is a candidate, large nodes keep their histograms: the smaller child is counted,
and the larger one is the parent less the smaller.

numba notices a change of this file, but not of the files it imports: touch this one after changing one of those.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from .random_bits import below
from .tree_histogram import add_rows, bins_of_rows, bins_with_rows, class_weights, rows_counted
from .tree_nodes import CATEGORICAL, MISSING_LEFT
from .tree_options import Limits
from .tree_split import MISSING, Case, ordered_cut, side_score, subset_cut

__all__ = ["KEPT", "Columns", "Grown", "grow"]

#: Nodes of at least this many rows keep histograms for subtraction.
KEPT = 1024
#: With fewer rows than this for each number in a bin, noting the bins that rows touch is faster than reading all bins.
SPARSE = 24

_32 = np.uint64(32)


class Columns(NamedTuple):
    """The binned matrix, one row a column; which columns are categories; the least and largest value of each bin."""

    bins: Any
    categorical: Any
    low: Any
    high: Any


class Grown(NamedTuple):
    """The tree as it grows; arrays have room to spare. `sets` are the levels that go left, one row a split by them."""

    nodes: Any
    cut: Any
    rows: Any
    value: Any
    sets: Any


class _Workspace(NamedTuple):
    hist: Any
    kept: Any
    touched: Any
    bits: Any
    key: Any
    left: Any
    start: Any
    trial: Any
    goes_left: Any
    order: Any
    state: Any


@njit(nogil=True, cache=True)
def _workspace(columns: int, classes: int, stride: int, slots: int, value: Any, seed: Any) -> _Workspace:
    state = np.empty(1, np.uint64)
    state[0] = seed
    return _Workspace(
        np.zeros(256 * stride, value.dtype),
        np.zeros((slots, columns, 256 * stride), value.dtype),
        np.empty(256, np.int64),
        np.zeros(4, np.uint64),
        np.empty(256),
        np.empty(classes + 1),
        np.empty(classes + 1),
        np.zeros(256, np.uint8),
        np.zeros(256, np.uint8),
        np.arange(columns),
        state,
    )


@njit(nogil=True, cache=True)
def _settle_levels(work: _Workspace, size: int, hist: Any, stride: int, classes: int) -> None:
    """Make the set just tried the one that goes left; levels that the node has not seen follow the larger side."""
    more = 0.0
    for j in range(size):
        at = work.touched[j] * stride
        sign = 1.0 if work.trial[work.touched[j]] else -1.0
        for c in range(classes):
            more += sign * float(hist[at + c])
    work.goes_left[:] = 1 if more >= 0.0 else 0
    for j in range(size):
        work.goes_left[work.touched[j]] = work.trial[work.touched[j]]


@njit(nogil=True, cache=True)
def _search(columns: Columns, packed: Any, start: int, end: int, weights: Any, tries: int, slot: int, case: Case,
            bar: float, work: _Workspace) -> Any:  # fmt: skip
    """The best split: (score, column or -1, last bin left, first bin right, missing left, whether any was missing)."""
    d, classes, stride = columns.bins.shape[0], case.total.size, case.stride
    best, best_column, below_cut, above_cut, missing_left, saw_missing = -np.inf, -1, 0, 0, False, False
    touched = work.touched
    for tried in range(d):
        if tried >= tries and best_column >= 0:
            break
        if tries < d:
            other = tried + below(work.state, d - tried)
            work.order[tried], work.order[other] = work.order[other], work.order[tried]
        f = work.order[tried]
        hist = work.hist
        if slot >= 0:
            hist = work.kept[slot, f]
            size = bins_with_rows(hist, stride, classes, touched)
        elif end - start >= SPARSE * stride:
            add_rows(columns.bins[f], packed, start, end, weights, hist, stride)
            size = bins_with_rows(hist, stride, classes, touched)
        else:
            size = bins_of_rows(columns.bins[f], packed, start, end, touched, work.bits)
            if size > 1:
                add_rows(columns.bins[f], packed, start, end, weights, hist, stride)
        if size > 1 and columns.categorical[f]:
            score = subset_cut(touched, size, hist, case, work.key, work.trial)
            if score > best + bar:
                best, best_column = score, f
                _settle_levels(work, size, hist, stride, classes)
        elif size > 1:
            score, j, side = ordered_cut(touched, size, hist, case)
            if score > best + bar:
                best, best_column, missing_left = score, f, side
                below_cut, above_cut, saw_missing = touched[j], touched[j + 1], touched[size - 1] == MISSING
        if slot < 0:
            for j in range(size):
                at = touched[j] * stride
                for c in range(stride):
                    hist[at + c] = 0
    return best, best_column, below_cut, above_cut, missing_left, saw_missing


@njit(nogil=True, cache=True)
def _cut_between(low: Any, high: Any, left: int, right: int) -> tuple[int, float]:
    """The last bin on the left and the threshold, midway between the neighbours `left` and `right` in the node.

    Where the middle falls inside a bin that the node does not touch, it moves to the end of the bin before.
    """
    if right == MISSING:
        return MISSING - 1, np.inf
    middle = float(high[left] / 2.0 + low[right] / 2.0)
    last = left
    while last + 1 < right and high[last + 1] <= middle:
        last += 1
    if middle >= low[last + 1]:
        middle = float(high[last] / 2.0 + low[last + 1] / 2.0)
    if not high[last] <= middle < low[last + 1]:  # neighbours one rounding apart
        middle = float(high[last])
    return last, middle


@njit(nogil=True, cache=True)
def _partition(packed: Any, spare: Any, start: int, end: int, column: Any, goes_left: Any) -> int:
    """Rows that go left first, both sides in the order they had; returns where the right side begins."""
    left, right = start, 0
    for i in range(start, end):
        word = packed[i]
        goes = int(goes_left[column[word >> _32]])
        packed[left] = word
        spare[right] = word
        left += goes
        right += 1 - goes
    for i in range(right):
        packed[left + i] = spare[i]
    return left


@njit(nogil=True, cache=True)
def _push(stack: Any, top: int, start: int, end: int, depth: int, parent: int, slot: int) -> int:
    stack[top, 0], stack[top, 1], stack[top, 2], stack[top, 3], stack[top, 4] = start, end, depth, parent, slot
    return top + 1


@njit(nogil=True, cache=True)
def grow(columns: Columns, packed: Any, weights: Any, limits: Limits, table: Any, seed: Any, slots: int,
         tree: Grown) -> tuple[int, int]:  # fmt: skip
    """Grow a tree from the packed rows; returns how many nodes and how many sets of levels it has.

    `weights` is empty where the counts in the words are the weights. `table` holds x log2 x for whole x, or nothing.
    `slots` is how many nodes may keep their histograms at a time.
    """
    bins, d, classes = columns.bins, columns.bins.shape[0], tree.value.shape[1]
    stride = classes if weights.size == 0 else classes + 1
    spare = np.empty_like(packed)
    work = _workspace(d, classes, stride, slots, tree.value, seed)
    free, frees = np.arange(slots), slots
    stack = np.empty((packed.size + 1, 5), np.int64)  # start, end, depth, parent of a right child, slot
    top = _push(stack, 0, 0, packed.size, 0, -1, -1)
    nodes = sets = 0
    whole = 0.0
    while top > 0:
        top -= 1
        start, end, depth, parent, slot = stack[top]
        node = nodes
        nodes += 1
        if parent >= 0:
            tree.nodes[parent].right = node
        total = tree.value[node]
        rows = class_weights(packed, start, end, weights, total)
        tree.rows[node] = rows
        weight = 0.0
        winner = 0
        for c in range(classes):
            weight += float(total[c])
            if total[c] > total[winner]:
                winner = c
        whole = weight if node == 0 else whole
        light = max(limits.share * whole, 1e-300)
        column, cut, below_cut, above_cut, missing_left, saw_missing = -1, 0, 0, 0, False, False
        pure = total[winner] >= limits.purity * weight * (1.0 - 1e-12)
        if (rows > limits.leaf_size and rows >= limits.split and rows >= 2 * limits.leaf and not pure
                and weight >= 2.0 * light and depth < limits.depth and end - start > 1):  # fmt: skip
            if slot < 0 and frees > 0 and end - start >= KEPT:
                frees -= 1
                slot = free[frees]
                for f in range(d):
                    add_rows(bins[f], packed, start, end, weights, work.kept[slot, f], stride)
            base = side_score(total, limits.entropy, table)
            case = Case(total, rows, stride, limits.leaf, light, limits.entropy, table, work.left, work.start)
            score, column, below_cut, above_cut, missing_left, saw_missing = _search(
                columns, packed, start, end, weights, limits.columns, slot, case, 1e-12 * (weight + abs(base)), work
            )
            if (score - base) / whole + 1e-12 < limits.decrease:
                column = -1
        if column < 0:
            tree.nodes[node].column = -1
            tree.nodes[node].right = winner
            tree.nodes[node].threshold = np.nan
            tree.cut[node] = 0
            if slot >= 0:
                work.kept[slot] = 0
                free[frees] = slot
                frees += 1
            continue
        if columns.categorical[column]:
            tree.sets[sets] = work.goes_left
            tree.nodes[node].threshold = sets
            sets += 1
        else:
            cut, tree.nodes[node].threshold = _cut_between(columns.low[column], columns.high[column], below_cut,
                                                           above_cut)  # fmt: skip
            work.goes_left[: cut + 1] = 1
            work.goes_left[cut + 1 :] = 0
            work.goes_left[MISSING] = missing_left
        middle = _partition(packed, spare, start, end, bins[column], work.goes_left)
        if columns.categorical[column]:
            tree.nodes[node].column = column | CATEGORICAL
        else:
            if not saw_missing:
                missing_left = 2 * rows_counted(packed, start, middle) >= rows
            tree.nodes[node].column = column | (MISSING_LEFT if missing_left else 0)
        tree.cut[node] = cut
        left_slot = right_slot = -1
        if slot >= 0:
            if frees > 0 and max(middle - start, end - middle) >= KEPT:
                frees -= 1
                small = free[frees]
                left_is_small = middle - start < end - middle
                first, last = (start, middle) if left_is_small else (middle, end)
                for f in range(d):
                    add_rows(bins[f], packed, first, last, weights, work.kept[small, f], stride)
                    for j in range(256 * stride):
                        work.kept[slot, f, j] -= work.kept[small, f, j]
                left_slot, right_slot = (small, slot) if left_is_small else (slot, small)
            else:
                work.kept[slot] = 0
                free[frees] = slot
                frees += 1
        top = _push(stack, top, middle, end, depth + 1, node, right_slot)
        top = _push(stack, top, start, middle, depth + 1, -1, left_slot)
    return nodes, sets
