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
from surefold.tallies.margins import Margins, OneVsRest
from surefold.tallies.sparse import SparseCounts

__all__ = ["Gradient", "gradient", "one_vs_rest_gradient"]

Array = NDArray[Any]

_STEP = 1e-20
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
    x = np.stack([margins.tp, margins.actual, margins.called], axis=-2).astype(float)  # (..., 3, k)
    batch = x.shape[:-2]
    slopes = np.empty((*batch, 3 * k))
    # Classes are interchangeable, so on one table those with equal counts have equal derivatives: ask once each.
    directions, answers = _directions(margins, x)
    room = max(1, _BLOCK // (3 * k * max(1, int(np.prod(batch)))))
    found = np.empty((*batch, len(directions)))
    for start in range(0, len(directions), room):
        block = directions[start : start + room]
        moved = np.repeat(x.reshape(*batch, 1, 3 * k).astype(complex), len(block), axis=-2)
        moved[..., np.arange(len(block)), block] += 1j * _STEP
        moved = moved.reshape(*batch, len(block), 3, k)
        loss = None if margins.loss is None else np.asarray(margins.loss)[..., None]
        table = replace(margins, tp=moved[..., 0, :], actual=moved[..., 1, :], called=moved[..., 2, :], loss=loss)
        found[..., start : start + room] = measure(table).imag / _STEP
    slopes = found[..., answers].reshape(*batch, 3, k)
    by_loss = None
    if margins.loss is not None:
        by_loss = measure(replace(margins, loss=margins.loss + 1j * _STEP)).imag / _STEP
    return Gradient(slopes[..., 0, :], slopes[..., 1, :], slopes[..., 2, :], by_loss, margins.cell_weights)


def _directions(margins: Margins, x: Array) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    k = margins.classes
    everything = np.arange(3 * k)
    if x.ndim > 2 or margins.cell_weights is not None or k <= 50:
        return everything, everything
    kinds = np.vstack([x, margins.averaged])
    _, first, inverse = np.unique(kinds, axis=1, return_index=True, return_inverse=True)
    directions = (first + k * np.arange(3)[:, None]).ravel()
    answers = (inverse.ravel() + len(first) * np.arange(3)[:, None]).ravel()
    return directions, answers


def one_vs_rest_gradient(measure: Measure, table: OneVsRest) -> Array:
    """The derivative of a per-class measure by (tp, fp, fn, tn): the new axis stands before the class axis."""
    x = np.stack([table.tp, table.fp, table.fn, table.tn], axis=-2).astype(complex)  # (..., 4, k)
    slopes = np.empty(x.shape)
    for cell in range(4):
        moved = x.copy()
        moved[..., cell, :] += 1j * _STEP
        slopes[..., cell, :] = measure(OneVsRest(*(moved[..., c, :] for c in range(4)))).imag / _STEP
    return slopes
