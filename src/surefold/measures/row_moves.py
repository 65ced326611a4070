"""What each row of a matrix of scores loses and moves a measure by, asked of rows that are held or of parts of them.

A `RowMove` travels to the parts and is made into a number a row there. It names its measure: formulas do not travel.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefold.measures.calibration import top_label
from surefold.measures.proper import clipped_rows, flipped_log_losses
from surefold.measures.score_measure import SCORE_REGISTERED, Moved, ScoreMeasure
from surefold.tallies.class_counts import CountedMatrix
from surefold.tallies.mean_sums import MeanSums
from surefold.tallies.row_sums import RowSums
from surefold.tallies.score_groups import ScoreGroups
from surefold.tallies.score_matrix import RowMove, ScoreMatrix

__all__ = ["LossMove", "NoMove", "row_move", "row_sums", "turned_losses"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class NoMove:
    """No row moves it."""

    def of(self, m: ScoreMatrix) -> Array:
        """Zeros."""
        return np.zeros(m.n)


@dataclass(frozen=True)
class LossMove:
    """How far the loss of a row, or with `turned` its loss with another label, is from the mean, over the rows."""

    name: str
    settings: Mapping[str, Any] = field(hash=False)
    mean: float
    total: float
    turned: bool = False

    def of(self, m: ScoreMatrix) -> Array:
        """A number a row."""
        measure = SCORE_REGISTERED[self.name].with_options(**self.settings)
        losses = turned_losses(measure, m) if self.turned else measure.row_losses(m)
        return np.asarray((losses - self.mean) / self.total)


@dataclass(frozen=True, eq=False)
class _AtTop:
    """What a row moves a measure of its largest score by, looked up in the tally of those."""

    tally: ScoreGroups
    moved: Moved
    name: str

    def of(self, m: ScoreMatrix) -> Array:
        line = SCORE_REGISTERED[self.name].line
        if line is None or line.rows is None:
            raise AssertionError(f"{self.name} is no line of a measure of rows")
        scores, is_positive = line.rows(m)
        return self.moved.at(self.tally.places(scores), is_positive)


@dataclass(frozen=True, eq=False)
class _Known:
    """Numbers that are there, of the rows of the matrix they were made from."""

    moves: Array

    def of(self, m: ScoreMatrix) -> Array:
        return self.moves


def row_move(measure: ScoreMeasure, m: ScoreMatrix | CountedMatrix) -> RowMove:
    """What one more unit of weight on a row moves a measure of the matrix by; the measure has to be defined there."""
    if measure.line is not None and measure.line.rows is not None:
        t = top_label(m)
        return _AtTop(t, measure.moved(t), measure.name)
    if measure.loss is not None:
        return LossMove(measure.name, measure.settings, measure(m), m.total)
    if measure.average is not None and not measure.average.pairs:
        return measure.average.fitted(m)[1]
    if measure.moves is None:
        raise AssertionError(f"it is not known what a row moves {measure.name} by")
    return _Known(np.asarray(measure.moves(m, **measure.settings)))


def turned_losses(measure: ScoreMeasure, m: ScoreMatrix) -> Array:
    """The loss of each row of a matrix if its label were another: the mean over the others."""
    each = [measure.row_losses(replace(m, truth=np.full(m.n, c))) for c in range(m.classes)]
    return np.asarray((sum(each) - measure.row_losses(m)) / max(m.classes - 1, 1))


def row_sums(
    measure: ScoreMeasure, m: ScoreMatrix | CountedMatrix, *, turned: bool = False, start: MeanSums | None = None
) -> RowSums:
    """The sums of what rows lose; of rows that are held, weights are scaled to the effective rows unless `start` says
    that they were.
    """
    if isinstance(m, CountedMatrix):
        return m.sums(measure.name, tuple(measure.settings.items()), turned)
    losses, w = measure.row_losses(m), np.ones(m.n) if m.weights is None else m.weights
    if m.weights is not None and start is None:
        w = w * (w.sum() / (w @ w))
    is_log = measure.interval == "log"
    found = RowSums.of(losses, w, flipped_log_losses(m) if is_log else None, start)
    apart = float(w @ (turned_losses(measure, m) - losses) ** 2) if turned else 0.0
    return found.beside(turned=apart, clipped=clipped_rows(m) if is_log else 0.0)
