"""Derivatives by complex step, hence influence values, hence standard errors, for any measure.

f(x + ih) has imaginary part h f'(x), with no difference of near-equal numbers to lose digits in: with h = 1e-20 the
derivative is exact to the last bit or two. The influence of one more row in cell (i, j) is the derivative of the
measure by that cell, so the delta-method variance is the sum of squared weights times squared derivatives.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefold.measures.measure import Measure
from surefold.tallies.confusion import Table
from surefold.tallies.margins import STEP, Margins, OneVsRest
from surefold.tallies.sparse import SparseCounts

__all__ = ["Gradient", "gradient", "one_vs_rest_gradient"]

Array = NDArray[Any]

#: Above this many classes the ways around 3k evaluations of the formula are tried.
_MANY = 50
#: Complex numbers held at once while differentiating (16 bytes each).
_BLOCK = 1 << 20


@dataclass(frozen=True, eq=False)
class Gradient:
    """The derivative of a measure by every cell, held by margins.

    Cell (i, j) has derivative actual[i] + called[j] + tp[i] (if i = j) + loss * cell_weights[i, j].
    """

    tp: Array
    actual: Array
    called: Array
    loss: Array | None = None
    cell_weights: NDArray[np.float64] | None = None

    def dense(self) -> Array:
        """The whole k x k array of derivatives."""
        whole = self.actual[..., :, None] + self.called[..., None, :]
        diagonal = np.arange(whole.shape[-1])
        whole[..., diagonal, diagonal] += self.tp
        if self.loss is not None and self.cell_weights is not None:
            whole = whole + self.loss[..., None, None] * self.cell_weights
        return np.asarray(whole)

    def at(self, true: NDArray[np.intp], predicted: NDArray[np.intp]) -> Array:
        """The derivatives at listed cells."""
        values = self.actual[..., true] + self.called[..., predicted]
        values = values + np.where(true == predicted, self.tp[..., true], 0.0)
        if self.loss is not None and self.cell_weights is not None:
            values = values + self.loss[..., None] * self.cell_weights[true, predicted]
        return np.asarray(values)

    def variance(self, squares: Table) -> Array:
        """Delta-method variance, given the summed squared weights of each cell."""
        counts = squares.counts
        if isinstance(counts, SparseCounts):
            influence = self.at(counts.true, counts.predicted)
            return np.asarray((counts.value * influence**2).sum(axis=-1))
        if self.loss is not None:
            return np.asarray((counts * self.dense() ** 2).sum(axis=(-1, -2)))
        # (a_i + c_j)^2 summed over cells needs the margins and one bilinear form, not k^2 derivatives.
        both = self.actual + self.called
        by_row = (counts.sum(axis=-1) * self.actual**2).sum(axis=-1)
        by_column = (counts.sum(axis=-2) * self.called**2).sum(axis=-1)
        crossed = ((counts @ self.called[..., None])[..., 0] * self.actual).sum(axis=-1)
        diagonal = np.diagonal(counts, axis1=-2, axis2=-1)
        on_diagonal = (diagonal * self.tp * (2 * both + self.tp)).sum(axis=-1)
        return np.asarray(by_row + by_column + 2 * crossed + on_diagonal)


def gradient(measure: Measure, margins: Margins) -> Gradient:
    """The derivative of a table measure by its margins (and its weighted loss)."""
    k = margins.classes
    if k > _MANY and margins.tp.ndim == 1 and margins.cell_weights is None:
        short = _of_average(measure, margins) or _affine(measure, margins)
        if short is not None:
            return short
    slopes = _slopes(measure, margins, np.arange(3 * k))
    slopes = slopes.reshape(*slopes.shape[:-1], 3, k)
    by_loss = None
    if margins.loss is not None:
        by_loss = measure(replace(margins, loss=margins.loss + 1j * STEP)).imag / STEP
    return Gradient(slopes[..., 0, :], slopes[..., 1, :], slopes[..., 2, :], by_loss, margins.cell_weights)


def _slopes(measure: Measure, margins: Margins, directions: NDArray[np.intp]) -> Array:
    """Derivatives in some of the 3k directions: tp, actual and called of each class."""
    batch = margins.tp.shape[:-1]
    room = max(1, _BLOCK // (3 * margins.classes * max(1, int(np.prod(batch)))))
    if not batch and len(directions) == 3 * margins.classes <= room:
        return np.asarray(measure(margins.nudged).imag / STEP)
    found = np.empty((*batch, len(directions)))
    for start in range(0, len(directions), room):
        moved = margins.nudged_at(directions[start : start + room])
        found[..., start : start + room] = measure(moved).imag / STEP
    return found


def _of_average(measure: Measure, margins: Margins) -> Gradient | None:
    """A macro or weighted average by the chain rule: the per-class derivatives are four evaluations for all classes."""
    each = measure.average_of
    kind = measure.name.rpartition("_")[2]
    if each is None or kind not in ("macro", "weighted"):
        return None
    table = margins.one_vs_rest
    by_tp, by_fp, by_fn, by_tn = one_vs_rest_gradient(each, table)
    total = margins.actual[margins.averaged].sum()
    weight = margins.averaged / margins.averaged.sum() if kind == "macro" else margins.averaged * margins.actual / total
    by_total = (weight * by_tn)[margins.averaged].sum()
    tp, actual, called = (np.where(margins.averaged, weight * x, 0.0)
                          for x in (by_tp - by_fp - by_fn + by_tn, by_fn - by_tn, by_fp - by_tn))  # fmt: skip
    if kind == "weighted":
        values = each(table)
        average = (weight * values)[margins.averaged].sum()
        actual = actual + np.where(margins.averaged, (values - average) / total, 0.0)
    return Gradient(tp, actual + by_total, called)


def _affine(measure: Measure, margins: Margins) -> Gradient | None:
    """Derivatives that are affine in a class's own counts, as those of kappa and MCC are: found on some classes.

    Classes are interchangeable, so a derivative by a class's count is a function of that class's counts alone. If an
    affine one that is fitted on half of a sample of classes is exact on the other half, it holds for all.
    """
    if not margins.averaged.all():
        return None
    k = margins.classes
    counts = np.stack([np.ones(k), margins.tp, margins.actual, margins.called], axis=1)
    order = np.lexsort((margins.tp, margins.called, margins.actual))
    sample = order[np.linspace(0, k - 1, min(k, 48)).astype(int)]
    fitted, checked = sample[::2], sample[1::2]
    parts = []
    for part in range(3):
        known, wanted = (_slopes(measure, margins, part * k + rows) for rows in (fitted, checked))
        scale = np.maximum(counts.max(axis=0), 1e-300)
        if not (np.isfinite(known).all() and np.isfinite(wanted).all()):
            return None
        rule = np.linalg.lstsq(counts[fitted] / scale, known, rcond=None)[0]
        if not np.allclose(counts[checked] / scale @ rule, wanted, rtol=1e-8, atol=1e-9 * abs(known).max()):
            return None
        parts.append(counts / scale @ rule)
    return Gradient(*parts)


def one_vs_rest_gradient(measure: Measure, table: OneVsRest) -> Array:
    """The derivative of a per-class measure by (tp, fp, fn, tn): the new axis stands before the class axis."""
    shape = np.broadcast_shapes(*(np.shape(cell) for cell in (table.tp, table.fp, table.fn, table.tn)))
    return np.stack([np.broadcast_to(measure(moved).imag / STEP, shape) for moved in table.nudged], axis=-2)
