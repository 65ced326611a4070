"""The bootstrap without touching a row: resampling n rows redraws the table's cells from a multinomial.

Weighted rows are redrawn as units that have, in each cell, the right sum and the right sum of squares of the weights;
groups are redrawn whole. Every measure reads the same replicates.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefold.errors import InputError
from surefold.estimates.intervals import Intervals, bad_end, cell_weights, standard_error
from surefold.estimates.quantiles import checked_draws, checked_seed, normal_quantile
from surefold.estimates.sample import Sample
from surefold.measures.gradient import gradient, one_vs_rest_gradient
from surefold.measures.measure import Measure
from surefold.tallies.confusion import Table
from surefold.tallies.margins import Margins
from surefold.tallies.sparse import SparseCounts

__all__ = ["DRAWN_METHODS", "Replicates"]

DRAWN_METHODS = ("percentile", "basic", "bca")

#: Numbers held at once while drawing.
_BLOCK = 1 << 17

Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class Units:
    """What is redrawn: unit u stands for `multiplicity[u]` rows and puts `weight` into each of its cells.

    Without groups a unit is a cell; with groups it is a group, and `matrix` (groups x cells) says what it holds.
    """

    true: NDArray[np.intp]
    predicted: NDArray[np.intp]
    multiplicity: Array
    weight: Array
    matrix: Array | None = None

    @classmethod
    def of(cls, sample: Sample) -> Units:
        """The cells of a table, as rows that can be drawn."""
        if not isinstance(sample.table.counts, np.ndarray):
            raise InputError(
                "bad_option",
                f"the bootstrap is for at most a thousand classes, and there are {sample.classes:,}",
                cure="use method='auto'",
            )
        counts, squares = sample.table.counts, _dense(sample.squares)
        true, predicted = np.nonzero(counts)
        clusters = sample.clusters
        if clusters is not None:
            place = np.full(counts.shape, -1)
            place[true, predicted] = np.arange(len(true))
            matrix = np.zeros((clusters.groups, len(true)))
            matrix[clusters.group, place[clusters.true, clusters.predicted]] = clusters.weight
            return cls(true, predicted, np.ones(clusters.groups), np.ones(len(true)), matrix)
        sums, sums2 = counts[true, predicted], squares[true, predicted]
        return cls(true, predicted, sums**2 / sums2, sums2 / sums)

    def draw(self, draws: int, rng: np.random.Generator) -> Array:
        """`draws` x cells: the weight each replicate has in each cell."""
        n = max(1, round(float(self.multiplicity.sum())))
        drawn = rng.multinomial(n, self.multiplicity / self.multiplicity.sum(), size=draws)
        return drawn * self.weight if self.matrix is None else drawn @ self.matrix

    def acceleration(self, influence: Array) -> Array:
        """Efron's a: the skewness of the units' influence values, over 6. `influence` has the cell axis last."""
        each = influence * self.weight if self.matrix is None else influence @ self.matrix.T
        second = (self.multiplicity * each**2).sum(axis=-1)
        third = (self.multiplicity * each**3).sum(axis=-1)
        return np.asarray(np.where(second > 0, third / (6 * np.where(second > 0, second, 1.0) ** 1.5), 0.0))


@dataclass(frozen=True, eq=False)
class Replicates:
    """Bootstrap tables, drawn once and asked for any measure."""

    units: Units
    classes: int
    averaged: NDArray[np.bool_]
    draws: int
    seed: np.random.SeedSequence

    @classmethod
    def draw(cls, sample: Sample, draws: int, random_state: int | np.random.Generator | None) -> Replicates:
        """So many bootstrap tables, from a seed."""
        draws, chosen = checked_draws(draws), checked_seed(random_state)
        seed = np.random.SeedSequence(
            int(chosen.integers(2**63)) if isinstance(chosen, np.random.Generator) else chosen
        )
        return cls(Units.of(sample), sample.classes, sample.averaged, draws, seed)

    def tables(self) -> Iterator[Table]:
        """The replicates, some at a time; the same ones on every call."""
        rng = np.random.default_rng(self.seed)
        room = max(1, _BLOCK // self.classes**2)
        for start in range(0, self.draws, room):
            size = min(room, self.draws - start)
            table = np.zeros((size, self.classes, self.classes))
            table[:, self.units.true, self.units.predicted] = self.units.draw(size, rng)
            yield Table(table)

    @cached_property
    def margins(self) -> Margins:
        """The margins of all replicates: all that most measures read."""
        blocks = [table.margins(self.averaged) for table in self.tables()]
        tp, actual, called = (np.concatenate([getattr(b, x) for b in blocks]) for x in ("tp", "actual", "called"))
        return Margins(tp, actual, called, self.averaged)

    def values(self, measure: Measure, sample: Sample) -> Array:
        """The measure of every replicate: draws, or draws x classes."""
        weights = cell_weights(measure, sample)
        if weights is not None:
            return np.concatenate([measure(table.margins(self.averaged, weights)) for table in self.tables()])
        return measure(self.margins.one_vs_rest if measure.is_per_class else self.margins)

    def intervals(self, measure: Measure, sample: Sample, confidence: float, method: str) -> Intervals:
        """The interval of a measure by one of the bootstrap methods."""
        margins = sample.margins(cell_weights(measure, sample))
        value = measure(sample.one_vs_rest if measure.is_per_class else margins)
        values = self.values(measure, sample)
        acceleration = self._acceleration(measure, sample, margins) if method == "bca" else None
        low, high = _bounds(values, value, confidence, method, acceleration)
        cautious = _bounds(values, value, 0.5, method, acceleration)
        return Intervals(
            value,
            low,
            high,
            standard_error(measure, sample, margins),
            np.broadcast_to(margins.total[..., None] if measure.is_per_class else margins.total, value.shape),
            bad_end(measure, *cautious),
            np.full(value.shape, method, dtype=object),
            measure.limits(margins),
            np.full(value.shape, np.inf),
            undefined_share=np.isnan(values).mean(axis=0),
        )

    def _acceleration(self, measure: Measure, sample: Sample, margins: Margins) -> Array:
        true, predicted = self.units.true, self.units.predicted
        if not measure.is_per_class:
            return self.units.acceleration(gradient(measure, margins).at(true, predicted))
        slopes = one_vs_rest_gradient(measure, sample.one_vs_rest)  # (tp, fp, fn, tn) x classes
        each_class = np.arange(self.classes)[:, None]
        is_true, is_called = true == each_class, predicted == each_class
        cell = np.select([is_true & is_called, is_called, is_true], [0, 1, 2], 3)
        return self.units.acceleration(slopes[cell, each_class])


def _bounds(
    values: Array, value: Array, confidence: float, method: str, acceleration: Array | None
) -> tuple[Array, Array]:
    """Quantiles of the replicates that are defined, linear between order statistics."""
    tail = (1 - confidence) / 2
    flat = values.reshape(len(values), -1)
    point = np.asarray(value, dtype=float).ravel()
    shift = np.zeros(point.shape) if acceleration is None else np.asarray(acceleration, dtype=float).ravel()
    low, high = np.full(point.shape, np.nan), np.full(point.shape, np.nan)
    for c in range(len(point)):
        drawn = flat[:, c]
        drawn = drawn[~np.isnan(drawn)]
        if len(drawn) == 0 or np.isnan(point[c]):
            continue
        tails = (tail, 1 - tail) if method != "bca" else _bca_tails(drawn, point[c], shift[c], tail)
        with np.errstate(invalid="ignore"):
            ends = np.quantile(drawn, tails)
        low[c], high[c] = ends if method != "basic" else 2 * point[c] - ends[::-1]
    return low.reshape(np.shape(value)), high.reshape(np.shape(value))


def _bca_tails(drawn: Array, value: float, acceleration: float, tail: float) -> tuple[float, float]:
    from scipy.special import ndtr

    below = (np.sum(drawn < value) + np.sum(drawn == value) / 2) / len(drawn)
    if below in (0.0, 1.0):
        return tail, 1 - tail
    bias = normal_quantile(float(below))

    def moved(z: float) -> float:
        return float(ndtr(bias + (bias + z) / (1 - acceleration * (bias + z))))

    return moved(normal_quantile(tail)), moved(normal_quantile(1 - tail))


def _dense(table: Table) -> NDArray[np.float64]:
    return table.counts.dense() if isinstance(table.counts, SparseCounts) else table.counts
