"""One-sided bounds of a difference of labels that hold far from zero too.

Where two models hardly ever differ, the rows at hand say little about how much a difference of some size would vary:
with no disagreement in 200 rows they suggest that it would not vary at all. So the variance is taken where the
question is. For a possible true difference L the rows, with the added one among them, are reweighed as little as
possible (by likelihood) until their mean difference is L, and the variance is that of the reweighed rows. A bound is
the L at which the difference found is just t standard errors away. Of accuracies this is Tango's score interval for
matched pairs, with one row added.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefold.comparison.models import Models
from surefold.comparison.pair_moments import PairMoments
from surefold.comparison.paired_labels import label_pairs, of_second_class, scaled_margins
from surefold.estimates.quantiles import normal_quantile, t_quantile, t_tail
from surefold.measures.added import enlarged
from surefold.measures.gradient import gradient
from surefold.measures.measure import Measure
from surefold.tallies.confusion import Confusion
from surefold.tallies.ordering import order_bits
from surefold.tallies.score_counts import WHOLE

__all__ = ["MOST_CLASSES", "RowDifferences", "ScoreBounds"]

Array = NDArray[np.float64]
Codes = NDArray[np.intp]

#: With more classes the added row alone has too many cells, and the normal interval is as good.
MOST_CLASSES = 60
#: Rows of unequal weight are all different; more of them than this are joined.
MOST_VALUES = 5_000


@dataclass(frozen=True, eq=False)
class RowDifferences:
    """What each kind of row puts into the difference of two models: values whose weighted mean is the difference.

    `mass` is how many rows are of that kind; it adds up to the rows and the added one.
    """

    values: Array
    mass: Array

    @classmethod
    def of(cls, measure: Measure, models: Models) -> RowDifferences:
        """Of the first and the second model; a measure of one class needs `models.one_against_rest`."""
        first, second = list(models)[:2]
        if first.predicted is None or second.predicted is None:
            raise AssertionError("differences of labels need labels")
        weights, k = models.first.weights, len(first.labels)
        kind = (first.truth.astype(np.intp) * k + first.predicted) * k + second.predicted
        count, scale = np.ones(models.n), 1.0
        if weights is None:
            kind, found = np.unique(kind, return_counts=True)
            count = found.astype(float)
        else:
            scale = models.effective_n / float(weights.sum())
        each = None if weights is None else models.weights
        if each is not None:  # a row of weight zero is no row
            kind, count, each = kind[each > 0], count[each > 0], each[each > 0]
        kinds = (kind // (k * k), kind // k % k, kind % k)
        return cls.of_kinds(measure, (Confusion.of(first), Confusion.of(second)), kinds, count, scale, each)

    @classmethod
    def of_kinds(
        cls,
        measure: Measure,
        tables: tuple[Confusion, Confusion],
        kinds: tuple[Codes, Codes, Codes],
        count: Array,
        scale: float = 1.0,
        weight: Array | None = None,
    ) -> RowDifferences:
        """From both tables, and how many rows there are of each kind: true class, first call, second call.

        `scale` makes the weights of the tables add up to the effective rows; a row of the kind weighs `weight`.
        """
        if measure.is_per_class:
            measure = of_second_class(measure)
        k = tables[0].classes
        held = None if measure.weigh is None else measure.weigh(k, measure.settings)
        slopes, centres, share = [], [], np.zeros(k)
        for table in tables:
            bigger, share = enlarged(scaled_margins(table.margins(held), scale))
            slopes.append(np.nan_to_num(gradient(measure, bigger).dense(), nan=0.0, posinf=0.0, neginf=0.0))
            centres.append(float(measure(bigger)))
        t, a, b = kinds
        step = slopes[0][t, a] - slopes[1][t, b]
        if weight is not None:
            step, count = _joined(step * weight, count)
        steps = [step]
        i, j = np.nonzero(~np.eye(k, dtype=bool))  # the added row: one of the two right, the other wrong in every way
        each = share[i] / (2 * max(k - 1, 1))
        steps += [slopes[0][i, i] - slopes[1][i, j], slopes[0][i, j] - slopes[1][i, i]]
        rows = np.concatenate([count, each, each])
        return cls(centres[0] - centres[1] + rows.sum() * np.concatenate(steps), rows)

    @property
    def can_move(self) -> bool:
        """Whether some rows would raise the difference and others lower it, so that any bound exists."""
        return bool(self.values.min() < self.centre < self.values.max()) and self.variance > 0

    @property
    def centre(self) -> float:
        return float(self.values @ self.mass / self.mass.sum())

    @property
    def variance(self) -> float:
        """Of the mean, as the rows are."""
        total = float(self.mass.sum())
        return float(((self.values - self.centre) ** 2) @ self.mass) / total**2

    def variance_at(self, mean: float) -> float:
        """Of the mean, with the rows reweighed as little as possible so that it is this one; 0 where it cannot be."""
        x, w = self.values - mean, self.mass / self.mass.sum()
        least, greatest = float(x.min()), float(x.max())
        if not least < 0 < greatest:
            return 0.0
        low, high, s = -1 / greatest, -1 / least, 0.0  # every weight stays positive between these
        for _ in range(100):  # Newton's steps, kept between the ends: the sum of w x / (1 + s x) falls in s
            part = x / (1 + s * x)
            height = float(w @ part)
            low, high = (s, high) if height > 0 else (low, s)
            step = s + height / float(w @ (part * part))
            s, before = step if low < step < high else (low + high) / 2, s
            if abs(s - before) <= 1e-13 * (abs(low) + abs(high)):
                break
        tilted = w / (1 + s * x)
        return float((tilted * x * x).sum() / tilted.sum() / self.mass.sum())

    def score(self, mean: float, inflation: float = 1.0) -> float:
        """How many standard errors the difference found is above this one; `inflation` multiplies the variance."""
        gap, variance = self.centre - mean, inflation * self.variance_at(mean)
        return gap / math.sqrt(variance) if variance > 0 else math.copysign(math.inf, gap)


def _joined(steps: Array, count: Array) -> tuple[Array, Array]:
    """Values alike in their leading bits joined into their mean until few are left.

    Not runs of equally many rows: the few rows that differ would be averaged with the many that do not.
    """
    if len(steps) <= MOST_VALUES:
        return steps, count
    order = np.argsort(steps)
    steps, count = steps[order], count[order]
    bits = order_bits(steps)
    apart = bits[1:] ^ bits[:-1]  # zero where two neighbours are alike in the bits that are left
    level = WHOLE
    while level > 1 and 1 + np.count_nonzero(apart >> np.uint64(WHOLE - level)) > MOST_VALUES:
        level -= 1
    starts = np.flatnonzero(np.append(True, (apart >> np.uint64(WHOLE - level)) != 0))
    joined = np.add.reduceat(count, starts)
    return np.add.reduceat(steps * count, starts) / joined, joined


@dataclass(frozen=True, eq=False)
class ScoreBounds:
    """Bounds of one difference at any confidence; rows in groups multiply the variance by `inflation`."""

    rows: RowDifferences
    value: float
    limits: tuple[float, float]
    inflation: float = 1.0
    df: float = math.inf

    @classmethod
    def of(cls, measure: Measure, models: Models) -> ScoreBounds | None:
        """Of the first model less the second; None where it is undefined or has too many classes."""
        if len(models.first.labels) > MOST_CLASSES:
            return None
        return cls.from_moments(RowDifferences.of(measure, models), label_pairs(measure, models))

    @classmethod
    def from_moments(cls, rows: RowDifferences, moments: PairMoments) -> ScoreBounds | None:
        """Of the first model less the second, whose value and variance are known; None where no bound exists."""
        value = float(moments.values[0] - moments.values[1])
        if not (math.isfinite(value) and rows.can_move):
            return None
        inflation = float(moments.variance[0, 1]) / rows.variance
        return cls(rows, value, moments.limits, inflation, max(moments.groups - 1, 0.05))

    def at(self, confidence: float) -> tuple[float, float]:
        """From below and from above, each at this confidence: where the difference found is just too far away."""
        low, high = (_bound(self.rows, self.reach(confidence), limit, self.inflation) for limit in self.limits)
        return min(low, self.value), max(high, self.value)

    def reach(self, confidence: float) -> float:
        """How many standard errors that is."""
        return t_quantile(confidence, self.df) if math.isfinite(self.df) else normal_quantile(confidence)

    def outside_p(self, margin: float) -> float:
        """p of "they differ by the margin or more": the larger of two one-sided tests."""
        above, below = self.rows.score(-margin, self.inflation), -self.rows.score(margin, self.inflation)
        return t_tail(min(above, below), self.df)

    def spread_at(self, mean: float) -> float:
        """The standard error where the true difference is this one."""
        return math.sqrt(self.inflation * self.rows.variance_at(mean))


def _bound(rows: RowDifferences, reach: float, limit: float, inflation: float) -> float:
    """The mean at which the score is `reach`: false position between the difference found and too far away."""
    centre = near = rows.centre
    far = max(limit, float(rows.values.min())) if limit < centre else min(limit, float(rows.values.max()))

    def excess(at: float) -> float:
        return abs(rows.score(at, inflation)) - reach

    at_near, at_far = -reach, math.nan
    step = math.copysign(2 * reach * math.sqrt(inflation * rows.variance), far - centre)
    if abs(step) < abs(far - centre):
        at_far = excess(centre + step)
    if at_far > 0:
        far = centre + step
    else:
        far = centre + (far - centre) * (1 - 1e-9)
        at_far = excess(far)
        if at_far <= 0:
            return limit
    for _ in range(100):
        middle = (near * at_far - far * at_near) / (at_far - at_near) if math.isfinite(at_far) else (near + far) / 2
        found = excess(middle)
        if abs(found) < 1e-9 or abs(far - near) < 1e-12:
            return middle
        if found > 0:
            far, at_far, at_near = middle, found, at_near / 2  # halved, lest one end never moves
        else:
            near, at_near, at_far = middle, found, at_far / 2
    return far
