"""Where columns best split the rows of one node, in numpy: what `tree_split` does, to the last bit, for all columns at
once. A sum that is compared there is added up here in the same order, so that equally good splits stay equally good.
"""

from __future__ import annotations

from math import log2
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from surefold.learners.trees.nodes import MISSING
from surefold.learners.trees.options import EXHAUSTIVE

__all__ = ["Histograms", "Side", "level_cut", "ordered_cuts", "side_score"]

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]


class Side(NamedTuple):
    """A node to be split: its class weights and rows, what each side must have, and how it is scored.

    `logs` is x log2 x for whole x, or empty, where weights are not counts.
    """

    total: Floats
    rows: int
    least: int
    light: float
    entropy: bool
    logs: Floats


class Histograms(NamedTuple):
    """Class weights and rows by column and place: a place is a bin that has rows, in rising order.

    `bins[k, j]` is the bin at place j of column k, which has `sizes[k]` of them.
    """

    weight: Floats
    rows: Floats
    bins: Ints
    sizes: Ints

    @classmethod
    def of(
        cls, columns: NDArray[np.uint8], codes: Ints, classes: int, weight: Floats, rows: Floats | None
    ) -> Histograms:
        """Of binned columns, each a row of bytes. `rows` says how often each row counts, where its weight does not."""
        d, n = columns.shape
        number = np.arange(d)[:, None]
        seen = np.zeros((d, 256), dtype=bool)
        seen[number, columns] = True
        place = np.cumsum(seen, axis=1, dtype=np.int32)
        sizes = place[:, -1].astype(np.intp)
        most = int(sizes.max())
        at = (number * most + place[number, columns] - 1).ravel()
        cell = (at.reshape(d, n) * classes + codes).ravel()
        held = _added_up(cell, weight, d * most * classes).reshape(d, most, classes)
        counted = _over_classes(held) if rows is None else _added_up(at, rows, d * most).reshape(d, most)
        bins = np.zeros((d, most), dtype=np.intp)
        k, b = np.nonzero(seen)
        bins[k, place[k, b] - 1] = b
        return cls(held, counted, bins, sizes)


def ordered_cuts(h: Histograms, side: Side) -> tuple[Floats, Ints, NDArray[np.bool_]]:
    """For each column (score, place, missing on the left) of the best cut after a place; -inf where there is none."""
    last = h.bins[np.arange(len(h.sizes)), h.sizes - 1]
    missing = (last == MISSING) & (h.sizes > 1)
    score, place = _best(h.weight, h.rows, h.sizes - 1, np.zeros_like(h.weight[:, 0]), np.zeros(len(last)), side)
    on_left = np.zeros(len(last), dtype=bool)
    k = np.flatnonzero(missing)
    if len(k):
        start = h.weight[k, h.sizes[k] - 1]
        other, there = _best(h.weight[k], h.rows[k], h.sizes[k] - 2, start, h.rows[k, h.sizes[k] - 1], side)
        better = other > score[k]
        on_left[k] = better
        score[k], place[k] = np.where(better, other, score[k]), np.where(better, there, place[k])
    return score, place, on_left


def level_cut(weight: Floats, rows: Floats, side: Side) -> tuple[float, NDArray[np.bool_], bool]:
    """(score, which levels go left, whether a level that the node has not seen does) of a category in one node."""
    if len(side.total) > 2 and len(weight) <= EXHAUSTIVE:
        score, goes_left = _best_set(weight, rows, side)
        order = np.arange(len(weight))
    else:
        here = _over_classes(weight)
        direction = np.array([0.0, 1.0]) if len(side.total) == 2 else _principal_direction(weight, here, side.total)
        along = _over_classes(weight * direction)
        order = np.argsort(np.divide(along, here, out=np.zeros_like(here), where=here > 0), kind="stable")
        start, size = np.zeros((1, len(side.total))), np.array([len(weight) - 1])
        scores, places = _best(weight[None, order], rows[None, order], size, start, np.zeros(1), side)
        score, goes_left = float(scores[0]), np.zeros(len(weight), dtype=bool)
        goes_left[order[: places[0] + 1]] = True
    more = np.cumsum(np.where(goes_left[order], 1.0, -1.0)[:, None] * weight[order])[-1]
    return score, goes_left, bool(more >= 0)


def side_score(weights: Floats, entropy: bool, logs: Floats) -> Floats:
    """The score of rows that have these class weights, along the last axis."""
    total = _over_classes(weights)
    score = _over_classes(_xlogx(weights, logs) if entropy else weights * weights)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(total <= 0, 0.0, score - _xlogx(total, logs) if entropy else score / total)


def _added_up(cell: Ints, each: Floats, size: int) -> Floats:
    """What falls into each cell, one row of a column after the other."""
    return np.bincount(cell, np.tile(each, len(cell) // len(each)), size).astype(np.float64, copy=False)


def _over_classes(values: Floats) -> Floats:
    """Sums along the last axis, one class after the other."""
    total = np.zeros(values.shape[:-1])
    for c in range(values.shape[-1]):
        total += values[..., c]
    return total


def _xlogx(x: Floats, logs: Floats) -> Floats:
    if len(logs):
        return logs[x.astype(np.intp)]
    flat = [v * log2(v) if v > 0 else 0.0 for v in x.ravel().tolist()]  # numpy's log2 may round otherwise
    return np.array(flat).reshape(x.shape)


def _running(start: Floats, steps: Floats) -> Floats:
    """start + the first step, + the second, and so on, along the second axis."""
    return np.cumsum(np.concatenate([start[:, None], steps], axis=1), axis=1)


def _best(weight: Floats, rows: Floats, last: Ints, start: Floats, count: Floats, side: Side) -> tuple[Floats, Ints]:
    """(score, place) of the best cut after one of the first `last` places of each column; the first of equal ones.

    The rows of `start`, `count` of them, are on the left before the first place is.
    """
    width = int(last.max(initial=0))
    if width <= 0:
        return np.full(len(last), -np.inf), np.full(len(last), -1)
    allowed = np.arange(width) < last[:, None]
    weight, rows = np.where(allowed[..., None], weight[:, :width], 0.0), rows[:, :width]
    counted = _running(count, rows)[:, 1:]
    allowed &= (counted >= side.least) & (side.rows - counted >= side.least)
    two = len(side.total) == 2 and not side.entropy
    with np.errstate(invalid="ignore", divide="ignore"):
        score = (_two_gini if two else _many)(weight, start, side, allowed)
    score = np.where(allowed & ~np.isnan(score), score, -np.inf)
    place = score.argmax(axis=1)
    best = score[np.arange(len(place)), place]
    place = np.where(best > -np.inf, place, -1)
    return side.total[0] + side.total[1] + 2.0 * best if two else best, place


def _two_gini(weight: Floats, start: Floats, side: Side, allowed: NDArray[np.bool_]) -> Floats:
    """Two classes, a = share of one: a² + (1 - a)² = 1 - 2 a (1 - a), so the least l0 l1 / l + r0 r1 / r wins."""
    left = _running(start, weight)[:, 1:]
    left0, left1 = left[..., 0], left[..., 1]
    right0, right1 = side.total[0] - left0, side.total[1] - left1
    on_left, on_right = left0 + left1, right0 + right1
    if side.least > 1 or side.light > side.rows * 1e-100:
        allowed &= (on_left >= side.light) & (on_right >= side.light)
    mixed = (left0 * left1 * on_right + right0 * right1 * on_left) / (on_left * on_right)
    return np.asarray(-mixed)


def _many(weight: Floats, start: Floats, side: Side, allowed: NDArray[np.bool_]) -> Floats:
    """Any number of classes and either criterion, with running sums of both sides."""
    d, _, classes = weight.shape
    logs, total = side.logs, side.total
    left = _running(start, weight)
    here, there = left[:, :-1], total - left[:, :-1]
    if side.entropy:
        into = _xlogx(here + weight, logs) - _xlogx(here, logs)
        out_of = _xlogx(total - (here + weight), logs) - _xlogx(there, logs)
        first = (_over_classes(_xlogx(start, logs)), _over_classes(_xlogx(total - start, logs)))
    else:
        into, out_of = weight * (2.0 * here + weight), -(weight * (2.0 * there - weight))
        first = (_over_classes(start * start), _over_classes((total - start) * (total - start)))
    steps = (into.reshape(d, -1), out_of.reshape(d, -1))
    sums = [_running(s, step)[:, classes::classes] for s, step in zip(first, steps, strict=True)]
    moved = _over_classes(weight)
    on_left = _running(_over_classes(start), moved)[:, 1:]
    on_right = _running(_over_classes(total - start), -moved)[:, 1:]
    allowed &= (on_left >= side.light) & (on_right >= side.light)
    if side.entropy:
        return np.asarray(sums[0] - _xlogx(on_left, logs) + sums[1] - _xlogx(on_right, logs))
    return np.asarray(sums[0] / on_left + sums[1] / on_right)


def _best_set(weight: Floats, rows: Floats, side: Side) -> tuple[float, NDArray[np.bool_]]:
    """Every set of levels without the last one, each made from the one before by moving one level (Gray code)."""
    size = len(weight)
    step = np.arange(1, 1 << (size - 1))
    level = np.array([(s & -s).bit_length() - 1 for s in step.tolist()])
    inside = step ^ (step >> 1)
    sign = np.where((inside >> level) & 1, 1.0, -1.0)
    moved = sign[:, None] * weight[level]
    left = np.cumsum(moved, axis=0)
    right = _running(side.total[None], -moved[None])[0, 1:]
    counted = np.cumsum(sign * rows[level])
    on_left, on_right = _over_classes(left), _over_classes(right)
    allowed = (counted >= side.least) & (side.rows - counted >= side.least)
    allowed &= (on_left >= side.light) & (on_right >= side.light)
    score = side_score(left, side.entropy, side.logs) + side_score(right, side.entropy, side.logs)
    score = np.where(allowed, score, -np.inf)
    best = int(score.argmax())
    return float(score[best]), (int(inside[best]) >> np.arange(size)) & 1 == 1


def _principal_direction(weight: Floats, here: Floats, total: Floats) -> Floats:
    """Of the class shares of the levels, weighted by the weight of each level, by power iteration."""
    mean = total / np.cumsum(total)[-1]
    held = here > 0
    away = weight[held] / here[held, None] - mean
    covariance = np.zeros((len(total), len(total)))
    for w, a in zip(here[held], away, strict=True):
        covariance += np.outer(w * a, a)
    direction: Floats = covariance[int(covariance.diagonal().argmax())]
    for _ in range(64):
        following: Floats = np.cumsum(covariance * direction, axis=1)[:, -1]
        length = np.cumsum(following * following)[-1]
        if length <= 0:
            break
        direction = following / float(np.sqrt(length))
    return direction
