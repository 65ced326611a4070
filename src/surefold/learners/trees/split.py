"""Where a column best splits the rows of one node: compiled scans over the histogram of its bins.

`plain_split` does the same in numpy, for rows too few to compile for: a change here is a change there.

A histogram has `stride` numbers a bin: the weight of each class, then, where weights are not counts, the rows. A score
is larger the purer the two sides are: for Gini the sum over sides of (squared class weights / weight), for entropy the
sum over sides of (x log x over classes - x log x of the side). The score of a node less than the split's is the gain.

Numbers in order are cut between neighbours. Levels of a category go left or right as a set: for two classes in the
order of their class shares, which holds the best set (Breiman et al. 1984, 4.2.2); for more classes all sets of up to
`EXHAUSTIVE` levels, and beyond that the order along the first principal direction of the class shares (Coppersmith,
Hong & Hosking 1999), which holds the best set or one near it.

`logs` is None for two classes and Gini's index, which need no more than the first scan below; else x log2 x for whole
x, or empty, where weights are not counts.
"""

from __future__ import annotations

from math import log2, sqrt
from typing import Any, NamedTuple

import numpy as np

from surefold.learners.trees.compiling import Array, helper
from surefold.learners.trees.nodes import MISSING
from surefold.learners.trees.options import EXHAUSTIVE

__all__ = ["Case", "Room", "ordered_cut", "side_score", "subset_cut"]


class Case(NamedTuple):
    """A node to be split: its class weights and rows, and what each side must have.

    `left` and `start` are room for one number a class and one more.
    """

    total: Array
    rows: int
    stride: int
    least: int
    light: float
    entropy: bool
    left: Array
    start: Array


class Room(NamedTuple):
    """Room for ordering levels: a number a level, three a class, and one a pair of classes."""

    key: Array
    away: Array
    direction: Array
    following: Array
    covariance: Array


@helper()
def _xlogx(x: float, logs: Any) -> Any:
    if logs.size > 0:  # whole weights: looked up
        return logs[np.intp(x)]
    return x * log2(x) if x > 0.0 else 0.0


@helper()
def side_score(weights: Array, classes: int, entropy: bool, logs: Array | None) -> Any:
    """The score of rows that have these class weights."""
    total = 0.0
    score = 0.0
    for c in range(classes):
        w = float(weights[c])
        total += w
        if logs is None:
            score += w * w
        else:
            score += _xlogx(w, logs) if entropy else w * w
    if total <= 0.0:
        return 0.0
    if logs is not None and entropy:
        return score - _xlogx(total, logs)
    return score / total


@helper(error_model="numpy")
def _cut_two_gini(touched: Array, first: int, last: int, hist: Array, case: Case) -> tuple[float, int]:
    """Best place for two classes and Gini; the rows of `start` are on the left before the first bin is."""
    stride, rows, least, light = case.stride, case.rows, case.least, case.light
    bound = least > 1 or light > rows * 1e-100
    all0, all1 = float(case.total[0]), float(case.total[1])
    left0, left1, count = case.start[0], case.start[1], case.start[2]
    best, place = np.inf, -1
    for j in range(first, last):
        at = np.uintp(touched[j]) * np.uintp(stride)
        h0, h1 = float(hist[at]), float(hist[at + np.uintp(1)])
        left0 += h0
        left1 += h1
        right0, right1 = all0 - left0, all1 - left1
        left, right = left0 + left1, right0 + right1
        if bound:
            count += float(hist[at + np.uintp(2)]) if stride > 2 else h0 + h1
            if count < least or rows - count < least or left < light or right < light:
                continue
        # with a = share of a class, a² + (1 - a)² = 1 - 2 a (1 - a): the least l0 l1 / l + r0 r1 / r wins
        mixed = (left0 * left1 * right + right0 * right1 * left) / (left * right)
        if mixed < best:
            best, place = mixed, j
    return all0 + all1 - 2.0 * best, place


@helper()
def _cut_many(touched: Array, first: int, last: int, hist: Array, logs: Array | None, case: Case) -> tuple[float, int]:
    """Best place for any number of classes and either criterion, with running sums of both sides."""
    stride, rows, least, light, entropy = case.stride, case.rows, case.least, case.light, case.entropy
    total, left = case.total, case.left
    classes = total.size
    in_left = in_right = 0.0
    sum_left = sum_right = 0.0
    for c in range(classes):
        left[c] = case.start[c]
        here, there = left[c], float(total[c]) - left[c]
        in_left += here
        in_right += there
        sum_left += _xlogx(here, logs) if entropy else here * here
        sum_right += _xlogx(there, logs) if entropy else there * there
    count = case.start[classes]
    best, place = -np.inf, -1
    for j in range(first, last):
        at = np.intp(touched[j]) * stride
        moved = 0.0
        for c in range(classes):
            h = float(hist[at + c])
            if h == 0.0:
                continue
            here, there = left[c], float(total[c]) - left[c]
            left[c] = here + h
            if entropy:
                sum_left += _xlogx(here + h, logs) - _xlogx(here, logs)
                sum_right += _xlogx(float(total[c]) - (here + h), logs) - _xlogx(there, logs)
            else:
                sum_left += h * (2.0 * here + h)
                sum_right -= h * (2.0 * there - h)
            moved += h
        in_left += moved
        in_right -= moved
        count += float(hist[at + classes]) if stride > classes else moved
        if count < least or rows - count < least or in_left < light or in_right < light:
            continue
        if entropy:
            score = sum_left - _xlogx(in_left, logs) + sum_right - _xlogx(in_right, logs)
        else:
            score = sum_left / in_left + sum_right / in_right
        if score > best:
            best, place = score, j
    return best, place


@helper()
def _cut(touched: Array, first: int, last: int, hist: Array, logs: Array | None, case: Case) -> tuple[float, int]:
    if logs is None:
        return _cut_two_gini(touched, first, last, hist, case)
    else:  # noqa: RET505 - so that the branch that is not taken is not compiled
        return _cut_many(touched, first, last, hist, logs, case)


@helper()
def ordered_cut(touched: Array, size: int, hist: Array, logs: Array | None, case: Case) -> tuple[float, int, bool]:
    """(score, place, missing on the left) of the best cut after `touched[place]`; a score of -inf if there is none."""
    classes, start = case.total.size, case.start
    for c in range(classes + 1):
        start[c] = 0.0
    best, place = _cut(touched, 0, size - 1, hist, logs, case)
    if touched[size - 1] != MISSING:
        return best, place, False
    at = MISSING * case.stride
    count = 0.0
    for c in range(classes):
        start[c] = float(hist[at + c])
        count += start[c]
    start[classes] = float(hist[at + classes]) if case.stride > classes else count
    score, other = _cut(touched, 0, size - 2, hist, logs, case)
    if score > best:
        return score, other, True
    return best, place, False


@helper()
def _principal_direction(touched: Array, size: int, hist: Array, stride: int, total: Array, room: Room) -> None:
    """Of the class shares of the levels, weighted by the weight of each level, by power iteration."""
    classes = total.size
    mean, away, covariance, direction = room.following, room.away, room.covariance, room.direction
    weight = 0.0
    for c in range(classes):
        mean[c] = float(total[c])
        weight += mean[c]
    for c in range(classes):
        mean[c] /= weight
        for e in range(classes):
            covariance[c, e] = 0.0
    for j in range(size):
        at = np.intp(touched[j]) * stride
        here = 0.0
        for c in range(classes):
            here += float(hist[at + c])
        if here <= 0.0:
            continue
        for c in range(classes):
            away[c] = float(hist[at + c]) / here - mean[c]
        for c in range(classes):
            for e in range(classes):
                covariance[c, e] += here * away[c] * away[e]
    widest = 0
    for c in range(classes):
        if covariance[c, c] > covariance[widest, widest]:
            widest = c
    for c in range(classes):
        direction[c] = covariance[widest, c]
    following = room.following
    for _ in range(64):
        length = 0.0
        for c in range(classes):
            following[c] = 0.0
            for e in range(classes):
                following[c] += covariance[c, e] * direction[e]
            length += following[c] * following[c]
        if length <= 0.0:
            break
        for c in range(classes):
            direction[c] = following[c] / sqrt(length)


@helper()
def _order_levels(touched: Array, size: int, hist: Array, stride: int, total: Array, room: Room) -> None:
    """Sort the levels by the share of the second class, or along the principal direction; ties stay in place."""
    classes, key, direction = total.size, room.key, room.direction
    if classes == 2:
        direction[0], direction[1] = 0.0, 1.0
    else:
        _principal_direction(touched, size, hist, stride, total, room)
    for j in range(size):
        at = np.intp(touched[j]) * stride
        here = along = 0.0
        for c in range(classes):
            here += float(hist[at + c])
            along += float(hist[at + c]) * direction[c]
        key[j] = along / here if here > 0.0 else 0.0
    for j in range(1, size):
        k, level = key[j], touched[j]
        i = j - 1
        while i >= 0 and key[i] > k:
            key[i + 1], touched[i + 1] = key[i], touched[i]
            i -= 1
        key[i + 1], touched[i + 1] = k, level


@helper()
def _try_all(touched: Array, size: int, hist: Array, logs: Array | None, case: Case) -> tuple[float, int]:
    """Every set of levels without the last one, each made from the one before by moving one level (Gray code)."""
    classes, stride = case.total.size, case.stride
    left, right = case.left, case.start
    for c in range(classes):
        left[c], right[c] = 0.0, float(case.total[c])
    count = 0.0
    inside = best_set = 0
    best = -np.inf
    for step in range(1, 1 << (size - 1)):
        level = 0
        while (step >> level) & 1 == 0:
            level += 1
        sign = -1.0 if (inside >> level) & 1 else 1.0
        inside ^= 1 << level
        at = np.intp(touched[level]) * stride
        in_left = in_right = 0.0
        for c in range(classes):
            h = sign * float(hist[at + c])
            left[c] += h
            right[c] -= h
            in_left += left[c]
            in_right += right[c]
            if stride == classes:
                count += h
        if stride > classes:
            count += sign * float(hist[at + classes])
        if count < case.least or case.rows - count < case.least or in_left < case.light or in_right < case.light:
            continue
        score = side_score(left, classes, case.entropy, logs) + side_score(right, classes, case.entropy, logs)
        if score > best:
            best, best_set = score, inside
    return best, best_set


@helper()
def subset_cut(
    touched: Array,
    size: int,
    hist: Array,
    logs: Array | None,
    case: Case,
    room: Room,
    goes_left: Array,
) -> float:
    """The score of the best set of levels; `goes_left` is 1 for its levels and 0 for the others that are touched."""
    classes = case.total.size
    if logs is not None and classes > 2 and size <= EXHAUSTIVE:
        score, inside = _try_all(touched, size, hist, logs, case)
        for j in range(size):
            goes_left[touched[j]] = (inside >> j) & 1
        return score
    for c in range(classes + 1):
        case.start[c] = 0.0
    _order_levels(touched, size, hist, case.stride, case.total, room)
    score, place = _cut(touched, 0, size - 1, hist, logs, case)
    for j in range(size):
        goes_left[touched[j]] = 1 if j <= place else 0
    return score
