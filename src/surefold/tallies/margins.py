"""What the formulas read: one class against the rest, or a whole table by its margins.

Both have any number of leading batch axes, so that one formula serves one table, ten thousand bootstrap tables, or
the complex-step perturbations of a derivative.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["STEP", "Margins", "OneVsRest"]

Array = NDArray[Any]

#: How far a number is moved, in the imaginary direction: so little that nothing else is seen of it.
STEP = 1e-20


@dataclass(frozen=True, eq=False)
class OneVsRest:
    """True and false positives and negatives of each class taken as the positive one; the class axis is last."""

    tp: Array
    fp: Array
    fn: Array
    tn: Array

    @cached_property
    def positives(self) -> Array:
        """Rows that are of the class."""
        return np.asarray(self.tp + self.fn)

    @cached_property
    def negatives(self) -> Array:
        """Rows that are not of the class."""
        return np.asarray(self.fp + self.tn)

    @cached_property
    def called(self) -> Array:
        """Rows that were called the class."""
        return np.asarray(self.tp + self.fp)

    @cached_property
    def total(self) -> Array:
        """The weight of all rows."""
        return np.asarray(self.tp + self.fp + self.fn + self.tn)

    @cached_property
    def nudged(self) -> tuple[OneVsRest, ...]:
        """A copy for each of the four cells, that one moved by a tiny imaginary step, for derivatives."""
        cells = [np.asarray(cell).astype(complex) for cell in (self.tp, self.fp, self.fn, self.tn)]
        steps = STEP * 1j * np.eye(4)
        return tuple(OneVsRest(*(cell + by for cell, by in zip(cells, step, strict=True))) for step in steps)

    @cached_property
    def ledger(self) -> dict[Hashable, Any]:
        """What was made of these and is read by many measures, by what it is."""
        return {}


@dataclass(frozen=True, eq=False)
class Margins:
    """A k x k table by what nearly every measure needs of it: the diagonal and the two margins.

    `averaged` marks the classes that macro, micro and weighted averages run over. `loss` is the sum of the cells times
    `cell_weights` (k x k), for the few measures that weigh kinds of error differently.
    """

    tp: Array
    actual: Array
    called: Array
    averaged: NDArray[np.bool_]
    loss: Array | None = None
    cell_weights: NDArray[np.float64] | None = None

    @property
    def classes(self) -> int:
        """How many classes there are."""
        return int(self.tp.shape[-1])

    @cached_property
    def total(self) -> Array:
        """The weight of all rows."""
        return np.asarray(self.actual.sum(axis=-1))

    @cached_property
    def correct(self) -> Array:
        """The weight of rows that were called right."""
        return np.asarray(self.tp.sum(axis=-1))

    @cached_property
    def one_vs_rest(self) -> OneVsRest:
        """For each class, the four cells of its table against the rest."""
        fn, fp = self.actual - self.tp, self.called - self.tp
        return OneVsRest(self.tp, fp, fn, self.total[..., None] - self.tp - fn - fp)

    @cached_property
    def nudged(self) -> Margins:
        """Three copies for each class, its three numbers moved in turn by a tiny imaginary step."""
        return self.nudged_at(np.arange(3 * self.classes))

    def nudged_at(self, directions: NDArray[np.intp]) -> Margins:
        """Some of these copies, along an axis before the last."""
        k = self.classes
        x = np.concatenate([self.tp, self.actual, self.called], axis=-1).astype(complex)
        moved = np.repeat(x[..., None, :], len(directions), axis=-2)
        moved[..., np.arange(len(directions)), directions] += 1j * STEP
        loss = None if self.loss is None else np.asarray(self.loss)[..., None]
        tp, actual, called = (moved[..., part * k : (part + 1) * k] for part in range(3))
        return Margins(tp, actual, called, self.averaged, loss, self.cell_weights)

    @cached_property
    def ledger(self) -> dict[Hashable, Any]:
        """What was made of these and is read by many measures, by what it is."""
        return {}
