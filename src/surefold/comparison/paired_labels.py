"""Differences of any measure of labels between models on the same rows.

One row is added to every table, shared over the classes by 1/(rows of the class). In a pair, half of it only the first
model gets right and half only the second. The variance is that of the difference of a row's two influence values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefold.comparison.pair_moments import PairMoments
from surefold.estimates.grouping import Design, distances
from surefold.estimates.of_table import RARE
from surefold.measures.added import enlarged
from surefold.measures.gradient import Gradient, gradient
from surefold.measures.measure import Measure
from surefold.significance.score_bounds import RowDifferences, ScoreBounds
from surefold.tallies.label_cells import Kinds, LabelCells
from surefold.tallies.margins import Margins
from surefold.tallies.ratio import ratio

__all__ = ["MOST_CLASSES", "label_pairs", "row_differences"]

Array = NDArray[np.float64]

#: With more classes the added row alone has too many cells, and the normal interval is as good.
MOST_CLASSES = 60


def label_pairs(measure: Measure, cells: LabelCells, *, added: bool = True) -> PairMoments:
    """The differences of every pair; `added=False` leaves the added row out.

    A measure of one class is read from the class against the rest: pass `cells.one_against_rest(c)`.
    """
    if measure.is_per_class:
        measure = _of_second_class(measure)
    held = None if measure.weigh is None else measure.weigh(len(cells.labels), measure.settings)
    margins = [_scaled(table.margins(held), cells.scale) for table in cells.tables]
    values = np.array([float(measure(m)) for m in margins])
    least, greatest = measure.limits(margins[0])
    reasons = tuple(_undefined_reason(measure, v) for v in values)
    values = np.where(np.isfinite(values), values, np.nan)
    bigger, share = [enlarged(m)[0] if added else m for m in margins], enlarged(margins[0])[1]
    slopes = [gradient(measure, m) for m in bigger]
    moves = cells.moves([slopes, [gradient(measure, m) for m in margins]] if added else [slopes])
    plain, design = distances(moves.products[-1][0, 0]), Design.of(moves[0])
    variance = distances(moves.products[0][0, 0]) + (_added_variance(slopes, share) if added else 0.0)
    variance = variance * design.effect
    centres = np.where(np.isnan(values), np.nan, [float(measure(m)) for m in bigger])
    limits = (least - greatest, greatest - least)

    df = max(design.groups - 1, 0.05)
    by_score = _ByScore(cells, slopes, values, centres, share, variance, limits, df)
    return PairMoments(
        values,
        centres,
        variance,
        plain * design.effect,
        limits,
        cells.effective_n,
        design.groups,
        reasons,
        _flags(measure, margins, cells),
        "one_row" if added else "delta",
        by_score=by_score if added else None,
    )


@dataclass(frozen=True, eq=False)
class _ByScore:
    """Makes the bounds of a pair that hold far from the difference found too; None with too many classes."""

    cells: LabelCells
    slopes: Sequence[Gradient]
    values: Array
    centres: Array
    share: Array
    variance: Array
    limits: tuple[float, float]
    df: float

    def __call__(self, i: int, j: int) -> ScoreBounds | None:
        if len(self.cells.labels) > MOST_CLASSES:
            return None
        apart = float(self.centres[i] - self.centres[j])
        rows = row_differences((self.slopes[i], self.slopes[j]), apart, self.share, self.cells.kinds(i, j))
        found = float(self.values[i] - self.values[j])
        return ScoreBounds.of(rows, found, float(self.variance[i, j]), self.limits, self.df)


def row_differences(slopes: tuple[Gradient, Gradient], difference: float, share: Array, kinds: Kinds) -> RowDifferences:
    """What each kind of row puts into the difference of two models, the added row among them.

    `slopes` are at the tables with the added row, each class of which has its `share`.
    """
    first, second = (np.nan_to_num(slope.dense(), nan=0.0, posinf=0.0, neginf=0.0) for slope in slopes)
    truth, call, other = kinds.codes
    step, k = first[truth, call] - second[truth, other], len(share)
    i, j = np.nonzero(~np.eye(k, dtype=bool))  # the added row: one of the two right, the other wrong in every way
    each = share[i] / (2 * max(k - 1, 1))
    added = np.concatenate([first[i, i] - second[i, j], first[i, j] - second[i, i]])
    return RowDifferences.of(difference, step, kinds.rows, (added, np.concatenate([each, each])), kinds.weight)


def _of_second_class(measure: Measure) -> Measure:
    """A per-class measure as one of a two-class table whose second class is the positive one."""

    def of_table(m: Margins) -> Any:
        return np.asarray(measure(m.one_vs_rest)[..., 1])

    return replace(measure, formula=of_table, reads="margins", settings={}, parts=None)


def _scaled(m: Margins, scale: float) -> Margins:
    if scale == 1.0:
        return m
    loss = None if m.loss is None else m.loss * scale
    return Margins(m.tp * scale, m.actual * scale, m.called * scale, m.averaged, loss, m.cell_weights)


def _undefined_reason(measure: Measure, value: float) -> str:
    if np.isfinite(value):
        return ""
    return f"{measure.name} is {'undefined' if np.isnan(value) else 'infinite'}"


def _added_variance(slopes: Sequence[Gradient], share: Array) -> Array:
    """What the added row puts into the variance of every pair."""
    right, mean, square = (np.stack(part) for part in zip(*(_right_and_wrong(s) for s in slopes), strict=True))
    # mean over the wrong calls j of (right of the first - wrong j of the second)^2, for each class
    one_way = right[:, None] ** 2 - 2 * right[:, None] * mean[None] + square[None]
    return np.asarray(((one_way + one_way.transpose(1, 0, 2)) * (share / 2)).sum(axis=-1))


def _right_and_wrong(slope: Gradient) -> tuple[Array, Array, Array]:
    """For each true class: the derivative of the right cell, and the mean and mean square of those of wrong cells."""
    others = max(len(slope.actual) - 1, 1)
    right = slope.actual + slope.called + slope.tp
    if slope.loss is not None and slope.cell_weights is not None:
        whole = slope.dense()
        right = np.diagonal(whole)
        wrong, wrong2 = whole.sum(axis=1) - right, (whole**2).sum(axis=1) - right**2
    else:
        rest, rest2 = slope.called.sum() - slope.called, (slope.called**2).sum() - slope.called**2
        wrong, wrong2 = others * slope.actual + rest, others * slope.actual**2 + 2 * slope.actual * rest + rest2
    return right, ratio(wrong, others), ratio(wrong2, others)


def _flags(measure: Measure, margins: list[Margins], cells: LabelCells) -> tuple[str, ...]:
    """What is weak about the difference of a measure."""
    flags = []
    if not measure.is_share:
        rows = margins[0].actual[margins[0].averaged]
        if measure.given == "predicted":
            rows = np.min([m.called[m.averaged] for m in margins], axis=0)
        if (rows < RARE - 1e-9).any():
            flags.append("rare_class")
    if measure.is_ratio:
        flags.append("known_to_mislead")  # a difference of ratios has tails that no normal interval follows
    if cells.weights_vary and ((cells.apart > 0) & (cells.apart < RARE - 1e-9)).any():
        flags.append("few_weighted_errors")
    return tuple(flags)
