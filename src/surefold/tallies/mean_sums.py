"""What a mean of values over weighted rows, its variance and its intervals are made from: sums about a guess.

Values less a guess of their mean lose no digits when squared, and are 0 exactly where all are alike. Sums of parts with
one guess add up.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["MeanSums"]

Array = NDArray[np.float64]
Number = Any  # a float, or an array over many samples

_BINOMIAL = (1, 4, 6, 4, 1)


@dataclass(frozen=True, eq=False)
class MeanSums:
    """Sums over rows of weight w, squared weight q and value v; fields may be arrays over many samples.

    `weight`, `lead`: sum w, sum w (v - guess). `square`, `first`, `second`: sum q (v - guess)^k, k = 0, 1, 2. `heavy`,
    where weights vary: sum w and sum q times the values above 0, the same of those below, and the sums of
    (v - guess)^k q^2 / rows, k = 0 to 4, a cell being worth w^2 / q rows.

    >>> s = MeanSums.of(np.array([1.0, 2.0, 6.0]), np.ones(3), np.ones(3))
    >>> float(s.mean), float(s.about(3.0)), float(s.about(0.0))  # 4 + 1 + 9, 1 + 4 + 36
    (3.0, 14.0, 41.0)
    """

    guess: Number
    weight: Number
    lead: Number
    square: Number
    first: Number
    second: Number
    heavy: Array | None = None

    @classmethod
    def of(cls, values: Array, weight: Array, square: Array) -> MeanSums:
        """Of rows along the last axis."""
        n = weight.sum(-1)
        guess = (weight * values).sum(-1) / np.where(n > 0, n, 1.0)
        vary = bool((abs(square - weight) > 1e-9 * weight.max(initial=0.0)).any())
        return cls.none(guess, vary=vary).plus(values, weight, square)

    @classmethod
    def none(cls, guess: Number, *, vary: bool = False) -> MeanSums:
        """Of no rows yet; `vary`: their weights will."""
        return cls(guess, 0.0, 0.0, 0.0, 0.0, 0.0, np.zeros(9) if vary else None)

    def plus(self, values: Array, weight: Array, square: Array | None = None) -> MeanSums:
        """With more rows, along the last axis; without squares a weight counts rows."""
        away = values - np.asarray(self.guess)[..., None]
        weighed = away * weight
        n, lead = weight.sum(-1), weighed.sum(-1)
        if square is None:
            weighed *= away
            return self + MeanSums(self.guess, n, lead, n, lead, weighed.sum(-1))
        weighed = away * square
        first = weighed.sum(-1)
        weighed *= away
        heavy = None if self.heavy is None else _heavy(values, away, weight, square)
        return self + MeanSums(self.guess, n, lead, square.sum(-1), first, weighed.sum(-1), heavy)

    @property
    def without_values(self) -> MeanSums:
        """Of the same rows, were all their values 0; where weights vary, without what is then known of them."""
        g, n, q = self.guess, self.weight, self.square
        return MeanSums(g, n, -g * n, q, -g * q, g * g * q)

    def __add__(self, other: MeanSums) -> MeanSums:
        """Of the rows of both; the guess has to be the same."""
        heavy = self.heavy + other.heavy if self.heavy is not None and other.heavy is not None else None
        weight, lead, square = self.weight + other.weight, self.lead + other.lead, self.square + other.square
        first, second = self.first + other.first, self.second + other.second
        return MeanSums(self.guess, weight, lead, square, first, second, heavy)

    def scaled(self, factor: float) -> MeanSums:
        """With every weight multiplied."""
        if factor == 1:
            return self
        first, second = factor, factor**2
        heavy = self.heavy
        if heavy is not None:
            heavy = heavy * np.array([first, second, first, second, *[second**2] * 5])
        found = replace(self, weight=self.weight * first, lead=self.lead * first, heavy=heavy)
        return replace(found, square=self.square * second, first=self.first * second, second=self.second * second)

    @property
    def total(self) -> Number:
        """Sum w v."""
        return self.guess * self.weight + self.lead

    @property
    def square_total(self) -> Number:
        """Sum q v."""
        return self.guess * self.square + self.first

    @property
    def mean(self) -> Number:
        """The weighted mean."""
        return self.guess + self.lead / self.weight

    def about(self, centre: Number) -> Number:
        """Sum q (v - centre)^2."""
        off = self.guess - centre
        return self.second + 2 * off * self.first + off * off * self.square

    def fourth_about(self, centre: Number) -> Number:
        """Sum q^2 (v - centre)^4 / rows; 0 where weights do not vary."""
        if self.heavy is None:
            return 0.0
        off = self.guess - centre
        return sum(times * off ** (4 - k) * self.heavy[..., 4 + k] for k, times in enumerate(_BINOMIAL))

    @property
    def standard_error(self) -> Number:
        """Of the mean."""
        return np.sqrt(np.maximum(self.about(self.mean), 0.0)) / self.weight

    @property
    def typical_weights(self) -> tuple[Number, Number]:
        """The weight of a row that adds to the sum, averaged by what it adds, and of one that takes off; at least 1."""
        if self.heavy is None:
            return 1.0, 1.0
        w_up, q_up, w_down, q_down = (self.heavy[..., k] for k in range(4))
        up, down = (np.where(w > 0, q / np.where(w > 0, w, 1.0), 1.0) for w, q in ((w_up, q_up), (w_down, q_down)))
        return np.maximum(up, 1.0), np.maximum(down, 1.0)


def _heavy(values: Array, away: Array, weight: Array, square: Array) -> Array:
    rows = np.where(square > 0, weight**2 / np.where(square > 0, square, 1.0), 1.0)
    each = square**2 / np.maximum(rows, 1.0)
    signed = np.maximum(values, 0.0), np.maximum(-values, 0.0)
    sides = [(x * side).sum(-1) for side in signed for x in (weight, square)]
    return np.stack([*sides, *((each * away**k).sum(-1) for k in range(5))], axis=-1)
