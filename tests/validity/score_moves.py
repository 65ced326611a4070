"""What rows move differences of scores by, for many samples at once; a test holds it against `compare`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefold.comparison.added_rows import ADDED
from surefold.estimates.quantiles import normal_quantile
from surefold.significance.wins_and_losses import Counts, Powers, bounds_of, shrunk

from .score_designs import Drawn

Array = NDArray[np.float64]
MEASURES = ("log_loss", "brier", "roc_auc", "average_precision")
EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True, eq=False)
class Apart:
    """Differences of many samples, their rows won and lost, and the variance of the rival: z, DeLong, one positive."""

    value: Array
    counts: Counts
    beside: Array
    plain: Array

    def ends(self, confidence: float) -> tuple[Array, Array]:
        """One-sided bounds, as shipped."""
        low, high = bounds_of(self.counts, self.value, confidence)
        reach = normal_quantile(confidence) * np.sqrt(self.beside)
        return np.minimum(low, self.value - reach), np.maximum(high, self.value + reach)

    def normal_ends(self, confidence: float) -> tuple[Array, Array]:
        reach = normal_quantile(confidence) * np.sqrt(self.plain)
        return self.value - reach, self.value + reach


def apart(measure: str, drawn: Drawn) -> Apart:
    """The difference of the two models in each sample."""
    if measure in ("log_loss", "brier"):
        return _of_losses(measure, drawn)
    return (_of_areas if measure == "roc_auc" else _of_precisions)(drawn)


def _powers(x: Array) -> tuple[Array, Array, Array]:
    squares = x * x
    return squares.sum(axis=1), (squares * x).sum(axis=1), (squares * squares).sum(axis=1)


def _loss(measure: str, y: NDArray[np.bool_], p: Array) -> Array:
    right = np.where(y, p, 1 - p)
    return (1 - right) ** 2 if measure == "brier" else -np.log(np.maximum(right, EPS))


def _of_losses(measure: str, drawn: Drawn) -> Apart:
    y, *models = drawn
    n = y.shape[1]
    own, other = ([_loss(measure, z, p) for p in models] for z in (y, ~y))
    apart_by, flips = own[0] - own[1], other[0] - other[1]
    value = apart_by.mean(axis=1)
    second, third, fourth = _powers((apart_by - value[:, None]) / n)
    far = (flips - value[:, None]) / n
    turned = sum(((f - o) ** 2).mean(axis=1) for f, o in zip(other, own, strict=True)) / 2 / n**2
    sides = ((far**2).mean(axis=1), (far**4).mean(axis=1))
    counts = Powers(second, third, fourth, sides, 0.0, np.where(turned > 0, turned, 1 / n**2)).counts()
    return Apart(value, counts, np.zeros_like(value), second)


def _placements(y: NDArray[np.bool_], scores: Array) -> tuple[Array, Array]:
    """Of each row: the share of negatives below it, and of positives above it, ties half."""
    samples = len(y)
    order = np.argsort(scores, axis=1, kind="stable")
    truth, ordered = np.take_along_axis(y, order, 1), np.take_along_axis(scores, order, 1)
    first, last = _ties(ordered)
    found = []
    for held in (~truth, truth):
        sums = np.concatenate([np.zeros((samples, 1)), np.cumsum(held, axis=1)], axis=1)
        below = (np.take_along_axis(sums, first, 1) + np.take_along_axis(sums, last + 1, 1)) / 2
        found.append(_back(below / sums[:, -1:], order))
    return found[0], 1 - found[1]


def _ties(ordered: Array) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The first and the last place of the scores equal to each, in samples that are in order."""
    samples, n = ordered.shape
    new = np.ones((samples, n + 1), dtype=bool)
    new[:, 1:-1] = ordered[:, 1:] != ordered[:, :-1]
    places = np.broadcast_to(np.arange(n), (samples, n))
    first = np.maximum.accumulate(np.where(new[:, :-1], places, 0), axis=1)
    last = np.minimum.accumulate(np.where(new[:, 1:], places, n - 1)[:, ::-1], axis=1)[:, ::-1]
    return first, last


def _back(x: Array, order: NDArray[np.intp]) -> Array:
    found = np.empty_like(x)
    np.put_along_axis(found, order, x, 1)
    return found


def _class_sums(y: NDArray[np.bool_]) -> tuple[Array, Array]:
    m = y.sum(axis=1).astype(float)
    return m, y.shape[1] - m


def _away(drawn: Drawn) -> tuple[Array, Array, list[tuple[Array, Array]]]:
    """Differences of the areas, of the placements less them, and all placements."""
    y, *models = drawn
    m, _ = _class_sums(y)
    each = [_placements(y, s) for s in models]
    value = ((each[0][0] - each[1][0]) * y).sum(axis=1) / m
    gap = np.where(y, each[0][0] - each[1][0], each[0][1] - each[1][1])
    return value, gap - value[:, None], each


def _typical(v: Array) -> Array:
    second, _, fourth = _powers(v)
    return np.asarray(np.divide(fourth, second, out=np.zeros_like(second), where=second > 0))


def _of_areas(drawn: Drawn) -> Apart:
    y, n = drawn[0], drawn[0].shape[1]
    m, k = _class_sums(y)
    value, v, each = _away(drawn)
    second, third, fourth = _powers(np.where(y, v / m[:, None], v / k[:, None]))
    turned = np.zeros_like(value)
    for above, below in each:
        p, q = ((2 * above - 1) ** 2 * y).sum(axis=1) / m, ((2 * below - 1) ** 2 * ~y).sum(axis=1) / k
        turned += (p * k / m**2 + q * m / k**2) / n / 2
    floor = _typical(v) * (1 / m + 1 / k) / n
    turned = np.where(turned > 0, turned, 1 / n**2)
    counts = Powers(second, third, fourth, floor=floor, reversal=turned).counts()
    rule, none = ADDED["area"], np.zeros_like(value)
    sums = [((v * v * held).sum(axis=1) / rows**2, rows) for held, rows in ((y, m), (~y, k))]
    fades = shrunk(rule.weight, counts.deciding)
    beside, plain = (np.sum([rule.variance(x, r, value, w) for x, r in sums], axis=0) for w in (fades, none))
    return Apart(value, counts, beside, plain)


def _precision(y: NDArray[np.bool_], scores: Array) -> tuple[Array, Array, Array, Array]:
    """Average precision, what is lost without each row, and the derivative by a negative and a positive there."""
    order = np.argsort(-scores, axis=1, kind="stable")
    truth = np.take_along_axis(y, order, 1).astype(float)
    first, last = _ties(np.take_along_axis(scores, order, 1))
    n = y.shape[1]
    tp, called = np.take_along_axis(np.cumsum(truth, axis=1), last, 1), last + 1.0
    fp, left, m = called - tp, np.maximum(called - 1, 0.5), truth.sum(axis=1, keepdims=True)
    precision = tp / called
    whole = (precision * truth).sum(axis=1, keepdims=True)

    def down(x: Array) -> Array:
        return np.take_along_axis(np.cumsum(x[:, ::-1], axis=1)[:, ::-1], first, 1)

    value, lost = whole / m, fp / (called * left)
    without = np.where(
        truth > 0,
        (whole - precision - down(truth * lost) + lost) / np.maximum(m - 1, 0.5),
        value + down(truth * tp / (called * left)) / m,
    )
    negative = -down(truth * tp / called**2) / m
    positive = (precision + down(truth * fp / called**2) - value) / m
    return value[:, 0], *(_back(x, order) for x in ((value - without) * (n - 1) / n, negative, positive))


def _of_precisions(drawn: Drawn) -> Apart:
    y, n = drawn[0], drawn[0].shape[1]
    m, k = _class_sums(y)
    first, second_model = (_precision(y, s) for s in drawn[1:])
    value, x = first[0] - second_model[0], first[1] - second_model[1]
    second, third, fourth = _powers(x - x.mean(axis=1, keepdims=True))
    typical, turned = np.zeros_like(value), np.zeros_like(value)
    plain = np.zeros_like(value)
    for _, _, negative, positive in (first, second_model):
        of_negative = (negative**2 * y).sum(axis=1) / m
        centre = (positive * y).sum(axis=1) / m
        of_positive = ((positive - centre[:, None]) ** 2 * ~y).sum(axis=1) / k
        typical += 2 * (k * of_negative + m * of_positive) / n
        turned += (of_negative + of_positive) / 4
    moved = np.where(y, first[3] - second_model[3], first[2] - second_model[2])
    plain = (moved**2).sum(axis=1)
    floor = typical * _typical(_away(drawn)[1])
    counts = Powers(second, third, fourth, floor=floor, reversal=np.where(turned > 0, turned, 1 / n**2)).counts()
    rule = ADDED["precision"]
    beside = rule.variance(plain, m, value, shrunk(rule.weight, counts.deciding))
    return Apart(value, counts, beside, plain)
