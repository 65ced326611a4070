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

from surefold.estimates.quantiles import t_tail
from surefold.significance.bounds import quantile
from surefold.tallies.ordering import order_bits
from surefold.tallies.score_counts import WHOLE

__all__ = ["RowDifferences", "ScoreBounds"]

Array = NDArray[np.float64]

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
    def of(
        cls, difference: float, steps: Array, count: Array, added: tuple[Array, Array], weight: Array | None = None
    ) -> RowDifferences:
        """From what each of `count` rows moves the difference by, and those of the added row, with their shares.

        Rows of unequal weight are all different: alike ones are joined.
        """
        if weight is not None:
            steps, count = _joined(steps * weight, count)
        mass = np.concatenate([count, added[1]])
        return cls(difference + mass.sum() * np.concatenate([steps, added[0]]), mass)

    @property
    def can_move(self) -> bool:
        """Whether some rows would raise the difference and others lower it, so that any bound exists."""
        return bool(self.values.min() < self.centre < self.values.max()) and self.variance > 0

    @property
    def centre(self) -> float:
        """Their mean: the difference, drawn in by the added row."""
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
    method: str = "one_row_score"
    flags: tuple[str, ...] = ()

    @classmethod
    def of(
        cls, rows: RowDifferences, value: float, variance: float, limits: tuple[float, float], df: float = math.inf
    ) -> ScoreBounds | None:
        """Of a difference whose variance, groups allowed for, is known; None where no bound exists."""
        if not (math.isfinite(value) and rows.can_move):
            return None
        return cls(rows, value, limits, variance / rows.variance, df)

    @property
    def spread(self) -> float:
        """The standard error as the rows are."""
        return math.sqrt(self.inflation * self.rows.variance)

    def at(self, confidence: float) -> tuple[float, float]:
        """Where the difference found is just too far away."""
        reach = quantile(confidence, self.df)
        low, high = (_bound(self.rows, reach, limit, self.inflation) for limit in self.limits)
        return min(low, self.value), max(high, self.value)

    def score(self, null: float = 0.0) -> float:
        """Standard errors from `null` up to the difference found."""
        return self.rows.score(null, self.inflation)

    def p(self, null: float = 0.0) -> float:
        """Two-sided, of `null`."""
        return 1.0 if self.value == null else min(1.0, 2 * t_tail(abs(self.score(null)), self.df))

    def outside_p(self, margin: float) -> float:
        """p of "they differ by the margin or more"."""
        return t_tail(min(self.score(-margin), -self.score(margin)), self.df)

    def spread_at(self, mean: float) -> float:
        """The standard error where the true difference is `mean`."""
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
