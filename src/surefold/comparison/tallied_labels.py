"""Differences of measures of labels from merged tallies: cells of the truth and every model's answer.

The same formulas as for rows: a cell is what all rows in it are, so sums over rows are sums over cells.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefold.comparison.one_sided import MOST_CLASSES, RowDifferences, ScoreBounds
from surefold.comparison.pair_moments import PairMoments, Spread, distances
from surefold.comparison.paired_labels import (
    added_variance,
    flags_of_margins,
    of_second_class,
    scaled_margins,
    undefined_reason,
)
from surefold.estimates.of_table import RARE
from surefold.inputs.labels import Label
from surefold.measures.added import enlarged
from surefold.measures.gradient import Gradient, gradient
from surefold.measures.measure import Measure
from surefold.tallies.clusters import Clusters, effective_groups, leverage
from surefold.tallies.confusion import Confusion
from surefold.tallies.sparse import DENSE_CLASSES, SparseCounts

__all__ = ["JointCells", "tallied_bounds", "tallied_label_pairs"]

Array = NDArray[np.float64]
Codes = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class JointCells:
    """Cells by the true class and what each model called, `calls[model, cell]`, with rows, weight and squares of each.

    `group_*` say the same for each group of rows: which group, which cell, and the weight.
    """

    labels: tuple[Label, ...]
    truth: Codes
    calls: Codes
    rows: NDArray[np.int64]
    weight: Array
    squares: Array
    weighted: bool
    declared: bool = False
    group: Codes | None = None
    group_truth: Codes | None = None
    group_calls: Codes | None = None
    group_weight: Array | None = None

    @property
    def scale(self) -> float:
        """What makes weights add up to the effective number of rows."""
        return float(self.weight.sum() / self.squares.sum()) if self.weighted else 1.0

    @property
    def effective_n(self) -> float:
        return float(self.weight.sum()) * self.scale

    @property
    def weights_vary(self) -> bool:
        each, held = self.squares, self.weight > 0
        ratio = each[held] / self.weight[held]
        mean = float(self.weight.sum()) / float(self.rows.sum())
        return self.weighted and bool(np.abs(ratio - mean).max(initial=0.0) > 1e-9 * mean)

    def table(self, model: int) -> Confusion:
        k, weight = len(self.labels), self.weight
        cells = SparseCounts.collect(k, self.truth, self.calls[model], weight)
        squares = SparseCounts.collect(k, self.truth, self.calls[model], self.squares) if self.weighted else None
        if k > DENSE_CLASSES:
            return Confusion(cells, self.labels, squares=squares, declared=self.declared)
        dense = None if squares is None else squares.dense()
        return Confusion(cells.dense(), self.labels, squares=dense, declared=self.declared)

    def clusters(self, model: int) -> Clusters | None:
        if self.group is None or self.group_truth is None or self.group_calls is None or self.group_weight is None:
            return None
        k = len(self.labels)
        pair = (self.group * k + self.group_truth) * k + self.group_calls[model]
        distinct, where = np.unique(pair, return_inverse=True)
        weight = np.bincount(where, weights=self.group_weight).astype(float)
        return Clusters(int(self.group.max()) + 1, k, distinct // (k * k), distinct // k % k, distinct % k, weight)

    def one_against_rest(self, c: int) -> JointCells:
        """The same with one class as the positive one and all others joined."""

        def is_c(codes: Any) -> Any:
            return None if codes is None else (codes == c).astype(np.intp)

        return replace(
            self, labels=(0, 1), truth=is_c(self.truth), calls=is_c(self.calls), group_truth=is_c(self.group_truth),
            group_calls=is_c(self.group_calls),
        )  # fmt: skip

    def of_pair(self, i: int, j: int) -> JointCells:
        """The same of two models alone."""
        held = None if self.group_calls is None else self.group_calls[[i, j]]
        return replace(self, calls=self.calls[[i, j]], group_calls=held)

    def apart(self, i: int, j: int) -> float:
        """How many effective rows two models answer differently."""
        differ = self.calls[i] != self.calls[j]
        squares = float(self.squares[differ].sum())
        return float(self.weight[differ].sum()) ** 2 / squares if squares > 0 else 0.0

    def only_right(self, i: int, j: int) -> int:
        """How many rows the first got right and the second did not."""
        return int(self.rows[(self.calls[i] == self.truth) & (self.calls[j] != self.truth)].sum())


def tallied_bounds(measure: Measure, cells: JointCells) -> ScoreBounds | None:
    """Bounds by score of two models' difference, as `ScoreBounds.of` has them from rows.

    A cell is so many rows of one kind. Where rows are weighted, it stands for its effective rows, each of the weight
    that keeps the cell's sum and its sum of squares.
    """
    if len(cells.labels) > MOST_CLASSES:
        return None
    held = cells.weight > 0
    kinds = (cells.truth[held], cells.calls[0][held], cells.calls[1][held])
    weight, squares = cells.weight[held], cells.squares[held]
    each = squares / weight * cells.scale if cells.weighted else None
    tables = (cells.table(0), cells.table(1))
    rows = RowDifferences.of_kinds(measure, tables, kinds, weight**2 / squares, cells.scale, each)
    return ScoreBounds.from_moments(rows, tallied_label_pairs(measure, cells))


def tallied_label_pairs(measure: Measure, cells: JointCells, *, added: bool = True) -> PairMoments:
    """The differences of every pair, as `label_pairs` has them from rows."""
    if measure.is_per_class:
        measure = of_second_class(measure)
    models = range(len(cells.calls))
    tables = [cells.table(m) for m in models]
    held = None if measure.weigh is None else measure.weigh(tables[0].classes, measure.settings)
    margins = [scaled_margins(table.margins(held), cells.scale) for table in tables]
    values = np.array([float(measure(m)) for m in margins])
    least, greatest = measure.limits(margins[0])
    reasons = tuple(undefined_reason(measure, v) for v in values)
    values = np.where(np.isfinite(values), values, np.nan)
    bigger = [enlarged(m)[0] if added else m for m in margins]
    slopes = [gradient(measure, m) for m in bigger]
    spread = _spread(slopes, cells)
    variance = spread.plain + (added_variance(slopes, enlarged(margins[0])[1]) if added else 0.0)
    plain = _spread([gradient(measure, m) for m in margins], cells).plain if added else spread.plain
    return PairMoments(
        values,
        np.where(np.isnan(values), np.nan, [float(measure(m)) for m in bigger]),
        variance * spread.design_effect,
        plain * spread.design_effect,
        (least - greatest, greatest - least),
        cells.effective_n,
        spread.groups,
        reasons,
        _flags(measure, margins, cells),
        "one_row" if added else "delta",
    )


def _at(slope: Gradient, truth: Codes, calls: Codes) -> Array:
    found = slope.at(truth, calls)
    return np.asarray(np.nan_to_num(found, nan=0.0, posinf=0.0, neginf=0.0), dtype=float)


def _spread(slopes: list[Gradient], cells: JointCells) -> Spread:
    columns = np.stack([_at(s, cells.truth, c) for s, c in zip(slopes, cells.calls, strict=True)])
    columns = columns - columns.mean(axis=0)  # what all models share would only cost digits
    plain = distances(columns * (cells.squares * cells.scale**2) @ columns.T)
    if cells.group is None or cells.group_truth is None or cells.group_calls is None or cells.group_weight is None:
        return Spread(plain, np.ones_like(plain))
    moved = np.stack([_at(s, cells.group_truth, c) for s, c in zip(slopes, cells.group_calls, strict=True)])
    moved = (moved - moved.mean(axis=0)) * cells.group_weight * cells.scale
    sizes = np.bincount(cells.group, weights=cells.group_weight)
    sums = np.stack([np.bincount(cells.group, weights=row) for row in moved]) * leverage(sizes)
    rounding = 1e-14 * float(plain.max(initial=0.0))
    effect = np.where(plain > rounding, distances(sums @ sums.T) / np.where(plain > rounding, plain, 1.0), 1.0)
    return Spread(plain, np.maximum(effect, 1.0), effective_groups(sizes))


def _flags(measure: Measure, margins: list[Any], cells: JointCells) -> tuple[str, ...]:
    flags = flags_of_margins(measure, margins)
    if cells.weights_vary:
        apart = [cells.apart(i, j) for i in range(len(margins)) for j in range(i)]
        if any(0 < a < RARE - 1e-9 for a in apart):
            flags.append("few_weighted_errors")
    return tuple(flags)
