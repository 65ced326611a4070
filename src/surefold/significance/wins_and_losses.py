"""A difference of scores read as a table of rows won and lost, from the sums of powers of what rows move it by.

A variance alone does not say how few rows a difference rests on: two models that agree but for some confident errors
show a small difference and a small variance at once where the sample holds few of those rows. The third and fourth
powers say more: how large a row that counts is, and how many rows of that size the first model won and how many it
lost. With one row more on the far side, the chance that the true difference is t or more is that of a difference of two
gamma variables. Of matched labels this is McNemar's test by gamma tails with one row added; of many rows it is z.

Interval, p, gates and "practically equal" all ask that one chance, so they cannot disagree, and no width is zero.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefold.estimates.quantiles import normal_quantile, normal_tail

__all__ = [
    "FEW_ROWS",
    "Counts",
    "Powers",
    "WinsAndLosses",
    "bounds_of",
    "gamma_deviate",
    "gamma_quantile",
    "shrunk",
]

Array = NDArray[np.float64]

#: A difference that fewer rows decide carries a flag.
FEW_ROWS = 5.0
#: How much of the powers of rows with the other label is added to those of the rows: it is there to say how large an
#: unlucky row can be. A half is wider where models are alike, a tenth passes .065 at the margin.
_FLIPPED = 0.25
#: A gamma variable of no shape is 0, which the saddlepoint cannot say.
_NO_SHAPE = 1e-9
#: Nearer to the mean than this, in standard errors, the tail is read from its limit there.
_AT_MEAN = 1e-3


def gamma_deviate(c: ArrayLike, won: ArrayLike, lost: ArrayLike) -> Array:
    """How far out c is for the difference of two independent gamma variables of these shapes, as a normal deviate.

    The chance of c or more is the normal tail beyond it, by saddlepoint (Lugannani and Rice, in Barndorff-Nielsen's
    form): where it says .025 it is .0243 to .0252. Of c below the mean it is rough where one shape is nearly 0.

    >>> round(float(normal_tail(gamma_deviate(3.0, 1.0, 0.0))), 3)  # exp(-3) = .0498 of a gamma variable of shape 1
    0.051
    """
    p, q = np.maximum(won, _NO_SHAPE), np.maximum(lost, _NO_SHAPE)
    c = np.asarray(c, dtype=np.float64)
    away = c - (p - q)
    t = 2 * away / (p + q + np.sqrt((2 * c - (p - q)) ** 2 + 4 * p * q))
    cumulant = -p * np.log1p(-t) - q * np.log1p(t) - c * t
    second = p / (1 - t) ** 2 + q / (1 + t) ** 2
    r = np.sign(t) * np.sqrt(np.maximum(-2 * cumulant, 0.0))
    near = np.abs(r) < _AT_MEAN
    safe = np.where(near, 1.0, r)
    u = np.where(near, 1.0, t * np.sqrt(second))
    skewed = 2 * (p / (1 - t) ** 3 - q / (1 + t) ** 3) / second**1.5
    return np.asarray(np.where(near, r + skewed / 6, r + np.log(u / safe) / safe))


def gamma_quantile(deviate: ArrayLike, won: ArrayLike, lost: ArrayLike) -> Array:
    """The c that is so far out: a bracketed root, by false position on the normal scale, where it is nearly a line."""
    goal, p, q = np.broadcast_arrays(*(np.asarray(x, dtype=np.float64) for x in (deviate, won, lost)))
    mean, spread = p - q, np.sqrt(p + q + 1)
    reach = spread * (np.abs(goal) + 1) + 1
    low, high = mean - reach, mean + reach
    for _ in range(60):
        short = gamma_deviate(high, p, q) < goal
        if not short.any():
            break
        high = np.where(short, mean + 2 * (high - mean), high)
    for _ in range(60):
        beyond = gamma_deviate(low, p, q) > goal
        if not beyond.any():
            break
        low = np.where(beyond, mean + 2 * (low - mean), low)
    at_low, at_high = gamma_deviate(low, p, q) - goal, gamma_deviate(high, p, q) - goal
    middle = (low + high) / 2
    for step in range(200):
        slope = np.where(at_high > at_low, at_high - at_low, 1.0)
        line = np.where(at_high > at_low, (low * at_high - high * at_low) / slope, (low + high) / 2)
        middle = np.where((line > low) & (line < high) & (step % 8 != 7), line, (low + high) / 2)
        found = gamma_deviate(middle, p, q) - goal
        if np.all((np.abs(found) < 1e-11) | (high - low < 1e-12 * (1 + np.abs(middle)))):
            break
        above = found > 0
        # halved on the side that stays, lest one end never moves
        at_low = np.where(above, at_low / 2, found)
        at_high = np.where(above, found, at_high / 2)
        low, high = np.where(above, low, middle), np.where(above, middle, high)
    return np.asarray(middle)


class Counts(NamedTuple):
    """What a difference comes to: `won` and `lost` rows that each move it by `step`, and the rows added against it.

    `deciding` is how many rows, alike in size, would give the same second and fourth powers; `turned` is what a row
    would move it by that is turned round.
    """

    step: Array
    won: Array
    lost: Array
    added: Array
    deciding: Array
    turned: Array

    def times(self, factor: float) -> Counts:
        """The same of a difference multiplied with this."""
        won, lost = (self.won, self.lost) if factor > 0 else (self.lost, self.won)
        size = abs(factor)
        return Counts(size * self.step, won, lost, self.added, self.deciding, size * self.turned)


@dataclass(frozen=True, eq=False)
class Powers:
    """Sums over the rows, or groups, of the 2nd to 4th power of what each moves a difference by; numbers or arrays.

    flips:    means of the 2nd and 4th power of what a row would have moved it by, had its label been the other.
    floor:    the least that the square of a row that counts may be.
    reversal: that square where no row differs.
    """

    second: ArrayLike
    third: ArrayLike
    fourth: ArrayLike
    flips: tuple[ArrayLike, ArrayLike] = (0.0, 0.0)
    floor: ArrayLike = 0.0
    reversal: ArrayLike = 0.0

    def counts(self) -> Counts:
        """The table of wins and losses.

        Ten rows won and four lost, each by 1/100, are just that:

        >>> c = Powers(14e-4, 6e-6, 14e-8).counts()
        >>> [round(float(x), 3) for x in c[:5]]  # and 1 + 2/14² rows are added
        [0.01, 10.0, 4.0, 1.01, 14.0]
        """
        s2, s3, s4 = (np.asarray(x, dtype=np.float64) for x in (self.second, self.third, self.fourth))
        differs = (s2 > 0) & (s4 > 0)
        held2, held4 = np.where(differs, s2, 1.0), np.where(differs, s4, 1.0)
        flip2, flip4 = (_FLIPPED * np.asarray(x, dtype=np.float64) for x in self.flips)
        square = np.maximum((held4 + flip4) / (held2 + flip2), self.floor)
        step = np.sqrt(np.where(differs, square, np.maximum(self.reversal, self.floor)))
        held = np.where(step > 0, step, 1.0)
        both, more = np.where(differs, s2 / held**2, 0.0), np.where(differs, s3 / held**3, 0.0)
        deciding = np.where(differs, held2**2 / held4, 0.0)
        added = 1 + np.where(differs, 2 * held4**2 / held2**4, 0.0)
        won, lost = (np.maximum((both + x) / 2, 0.0) for x in (more, -more))
        return Counts(step, won, lost, added, deciding, np.sqrt(np.asarray(self.reversal, dtype=np.float64)))


def bounds_of(counts: Counts, value: ArrayLike, confidence: float) -> tuple[Array, Array]:
    """One-sided bounds from below and from above, each at this confidence."""
    z = normal_quantile(confidence)
    step, won, lost, added = counts[:4]
    above = gamma_quantile(z, won + added, lost) - (won - lost)
    below = gamma_quantile(z, lost + added, won) - (lost - won)
    return np.asarray(value) - step * below, np.asarray(value) + step * above


def shrunk(weight: float, deciding: ArrayLike) -> Array:
    """How much of an added row is left where so many rows decide: all of it up to five, an eighth at ten.

    Switched off at five it would leave bounds that jump; kept whole it makes those of alike models up to 3.5 times too
    wide.

    >>> shrunk(0.25, 10.0).tolist()
    0.03125
    """
    return np.asarray(weight * np.minimum(1.0, FEW_ROWS / np.maximum(deciding, FEW_ROWS)) ** 3)


@dataclass(frozen=True, eq=False)
class WinsAndLosses:
    """Bounds of one difference from its table of wins and losses.

    `beside`: normal bounds (value, spread) that are taken where they reach further; measures of order need them where
    few rows decide.
    """

    value: float
    counts: Counts
    limits: tuple[float, float] = (-math.inf, math.inf)
    beside: float = 0.0
    df: float = math.inf
    method: str = "wins_and_losses"

    @property
    def deciding(self) -> float:
        """About how many rows the difference rests on."""
        return float(self.counts.deciding)

    def turned_rows(self, margin: float) -> float:
        """How many rows, turned round, would cost this margin."""
        turned = float(self.counts.turned)
        return margin / turned if turned > 0 else math.inf

    @property
    def flags(self) -> tuple[str, ...]:
        """What is weak about them."""
        return ("few_rows_decide",) if self.deciding < FEW_ROWS else ()

    @property
    def spread(self) -> float:
        """The standard error with the added row."""
        rows = float(self.counts.won + self.counts.lost + self.counts.added)
        return max(float(self.counts.step) * math.sqrt(rows), self.beside)

    def spread_at(self, mean: float) -> float:
        """The same wherever the true difference is."""
        return self.spread

    def at(self, confidence: float) -> tuple[float, float]:
        """From below and from above, each at this confidence."""
        low, high = (float(x) for x in bounds_of(self.counts, self.value, confidence))
        reach = normal_quantile(confidence) * self.beside
        low, high = min(low, self.value - reach), max(high, self.value + reach)
        low, high = max(low, self.limits[0]), min(high, self.limits[1])
        return min(low, self.value), max(high, self.value)

    def _deviates(self, mean: float) -> tuple[float, float]:
        """How far out "this much or less" and "this much or more" are."""
        step, won, lost, added = (float(x) for x in self.counts[:4])
        c = (mean - self.value) / step + won - lost
        less, more = float(gamma_deviate(-c, lost + added, won)), float(gamma_deviate(c, won + added, lost))
        if self.beside > 0:
            z = (self.value - mean) / self.beside
            less, more = min(less, z), min(more, -z)
        return less, more

    def score(self, null: float = 0.0) -> float:
        """The normal deviate of the smaller of both chances."""
        less, more = self._deviates(null)
        return max(less, 0.0) if less >= more else -max(more, 0.0)

    def p(self, null: float = 0.0) -> float:
        """Twice the smaller of "this much or less" and "this much or more"."""
        return min(1.0, 2 * float(normal_tail(max(self._deviates(null)))))

    def outside_p(self, margin: float) -> float:
        """The larger chance of lying beyond one of both margins."""
        return max(float(normal_tail(self._deviates(-margin)[0])), float(normal_tail(self._deviates(margin)[1])))
