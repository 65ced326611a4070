"""Growing one tree over binned columns, compiled.

Rows in use are one array of words that is partitioned in place, depth first, so that a node is a stretch of it. For
each candidate column the class weights of a node are added up by bin; few rows touch few bins, and only those are read
and cleared again. Where every column is a candidate, large nodes keep their histograms: the smaller child is counted,
and the larger one is the parent less the smaller.

`plain_growing` grows the same tree in numpy, for rows too few to compile for: a change here is a change there.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from surefold.learners.trees.binning import cut_between
from surefold.learners.trees.compiling import Array, helper, kernel
from surefold.learners.trees.histogram import add_rows, bins_of_rows, bins_with_rows, class_weights, rows_counted
from surefold.learners.trees.nodes import CATEGORICAL, MISSING, MISSING_LEFT
from surefold.learners.trees.options import Limits
from surefold.learners.trees.random_bits import below
from surefold.learners.trees.split import Case, Room, ordered_cut, side_score, subset_cut

__all__ = ["KEPT", "Columns", "Grown", "grow"]

#: Nodes of at least this many rows keep histograms for subtraction.
KEPT = 1024
#: With fewer rows than this for each number in a bin, noting the bins that rows touch is faster than reading all bins.
SPARSE = 24

_32 = np.uint64(32)
_cut_between = helper()(cut_between)


class Columns(NamedTuple):
    """The binned matrix, one row a column; which columns are categories; the least and largest value of each bin."""

    bins: Array
    categorical: Array
    low: Array
    high: Array


class Grown(NamedTuple):
    """The tree as it grows; arrays have room to spare."""

    nodes: Array
    cut: Array
    rows: Array
    value: Array


class _Workspace(NamedTuple):
    hist: Array
    kept: Array
    touched: Array
    bits: Array
    left: Array
    start: Array
    trial: Array
    goes_left: Array
    order: Array
    state: Array
    spare: Array
    stack: Array
    free: Array


def grow(
    columns: Columns,
    packed: Array,
    weights: Array | None,
    limits: Limits,
    logs: Array | None,
    seed: Any,
    slots: int,
    sets: Array | None,
    tree: Grown,
) -> tuple[int, int]:
    """Grow a tree from the packed rows; returns how many nodes and how many sets of levels it has.

    `weights` is None where the counts in the words are the weights. `logs` is None for two classes and Gini's index,
    else x log2 x for whole x, or empty. `sets` is None where no column is a category, else room for the levels that go
    left, one row a split by them. `slots` is how many nodes may keep their histograms at a time.
    """
    d, classes, kind = len(columns.bins), tree.value.shape[1], tree.value.dtype
    stride = classes if weights is None else classes + 1
    work = _Workspace(
        hist=np.zeros(256 * stride, kind),
        kept=np.zeros((slots, d, 256 * stride), kind),
        touched=np.empty(256, np.int64),
        bits=np.zeros(4, np.uint64),
        left=np.empty(classes + 1),
        start=np.empty(classes + 1),
        trial=np.zeros(256, np.uint8),
        goes_left=np.zeros(256, np.uint8),
        order=np.arange(d),
        state=np.array([seed], np.uint64),
        spare=np.empty_like(packed),
        stack=np.empty((len(packed) + 1, 5), np.int64),  # start, end, depth, parent of a right child, slot
        free=np.arange(slots),
    )
    room = None
    if sets is not None:
        away, direction, following = np.empty((3, classes))
        room = Room(np.empty(256), away, direction, following, np.empty((classes, classes)))
    grown: tuple[int, int] = _grow(columns, packed, weights, limits, logs, sets, room, tree, work)
    return grown


@helper()
def _settle_levels(work: _Workspace, size: int, hist: Array, stride: int, classes: int) -> None:
    """Make the set just tried the one that goes left; levels that the node has not seen follow the larger side."""
    more = 0.0
    for j in range(size):
        at = work.touched[j] * stride
        sign = 1.0 if work.trial[work.touched[j]] else -1.0
        for c in range(classes):
            more += sign * float(hist[at + c])
    for b in range(256):
        work.goes_left[b] = 1 if more >= 0.0 else 0
    for j in range(size):
        work.goes_left[work.touched[j]] = work.trial[work.touched[j]]


@helper()
def _search(
    columns: Columns,
    packed: Array,
    start: int,
    end: int,
    weights: Array | None,
    logs: Array | None,
    room: Room | None,
    tries: int,
    slot: int,
    case: Case,
    bar: float,
    work: _Workspace,
) -> Any:
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
        in_order = size > 1
        if room is not None and size > 1 and columns.categorical[f]:
            in_order = False
            score = subset_cut(touched, size, hist, logs, case, room, work.trial)
            if score > best + bar:
                best, best_column = score, f
                _settle_levels(work, size, hist, stride, classes)
        if in_order:
            score, j, side = ordered_cut(touched, size, hist, logs, case)
            if score > best + bar:
                best, best_column, missing_left = score, f, side
                below_cut, above_cut, saw_missing = touched[j], touched[j + 1], touched[size - 1] == MISSING
        if slot < 0:
            for j in range(size):
                at = touched[j] * stride
                for c in range(stride):
                    hist[at + c] = 0
    return best, best_column, below_cut, above_cut, missing_left, saw_missing


@helper()
def _partition(packed: Array, spare: Array, start: int, end: int, column: Array, goes_left: Array) -> int:
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


@helper()
def _push(stack: Array, top: int, start: int, end: int, depth: int, parent: int, slot: int) -> int:
    stack[top, 0], stack[top, 1], stack[top, 2], stack[top, 3], stack[top, 4] = start, end, depth, parent, slot
    return top + 1


@helper()
def _clear(kept: Array, slot: int) -> None:
    for f in range(kept.shape[1]):
        for j in range(kept.shape[2]):
            kept[slot, f, j] = 0


@kernel()
def _grow(
    columns: Columns,
    packed: Array,
    weights: Array | None,
    limits: Limits,
    logs: Array | None,
    sets: Array | None,
    room: Room | None,
    tree: Grown,
    work: _Workspace,
) -> tuple[int, int]:
    bins, d, classes = columns.bins, columns.bins.shape[0], tree.value.shape[1]
    stride = work.hist.size // 256
    free, frees, stack = work.free, work.free.size, work.stack
    top = _push(stack, 0, 0, packed.size, 0, -1, -1)
    nodes = used = 0
    whole = 0.0
    while top > 0:
        top -= 1
        start, end, depth, parent, slot = stack[top, 0], stack[top, 1], stack[top, 2], stack[top, 3], stack[top, 4]
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
        if (
            rows > limits.leaf_size
            and rows >= limits.split
            and rows >= 2 * limits.leaf
            and not pure
            and weight >= 2.0 * light
            and depth < limits.depth
            and end - start > 1
        ):
            if slot < 0 and frees > 0 and end - start >= KEPT:
                frees -= 1
                slot = free[frees]
                for f in range(d):
                    add_rows(bins[f], packed, start, end, weights, work.kept[slot, f], stride)
            base = side_score(total, classes, limits.entropy, logs)
            case = Case(total, rows, stride, limits.leaf, light, limits.entropy, work.left, work.start)
            bar, tries = 1e-12 * (weight + abs(base)), limits.columns
            score, column, below_cut, above_cut, missing_left, saw_missing = _search(
                columns, packed, start, end, weights, logs, room, tries, slot, case, bar, work
            )
            if (score - base) / whole + 1e-12 < limits.decrease:
                column = -1
        if column < 0:
            tree.nodes[node].column = -1
            tree.nodes[node].right = winner
            tree.nodes[node].threshold = np.nan
            tree.cut[node] = 0
            if slot >= 0:
                _clear(work.kept, slot)
                free[frees] = slot
                frees += 1
            continue
        in_order = True
        if sets is not None and columns.categorical[column]:
            in_order = False
            for b in range(256):
                sets[used, b] = work.goes_left[b]
            tree.nodes[node].threshold = used
            used += 1
        if in_order:
            cut, tree.nodes[node].threshold = _cut_between(
                columns.low[column], columns.high[column], below_cut, above_cut
            )
            for b in range(MISSING):
                work.goes_left[b] = b <= cut
            work.goes_left[MISSING] = missing_left
        middle = _partition(packed, work.spare, start, end, bins[column], work.goes_left)
        if in_order:
            if not saw_missing:
                missing_left = 2 * rows_counted(packed, start, middle) >= rows
            tree.nodes[node].column = column | (MISSING_LEFT if missing_left else 0)
        else:
            tree.nodes[node].column = column | CATEGORICAL
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
                _clear(work.kept, slot)
                free[frees] = slot
                frees += 1
        top = _push(stack, top, middle, end, depth + 1, node, right_slot)
        top = _push(stack, top, start, middle, depth + 1, -1, left_slot)
    return nodes, used
