"""Is a slice like the rest? The chance of what was seen, were the two no further apart than so much."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefold.comparison.slices.sides import Sides, unit_scale
from surefold.significance.hypergeometric import fisher_mid_p

__all__ = ["Against"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Against:
    """Each slice against the rest of it.

    Shares of independent rows go by Fisher's mid-p. Anything else: with one row added to either side, the variances
    added, and the effective rows that gives the side with fewer of them, p is the tail of that side's Beta quantiles at
    the centre of the other. Never at the other's own value: where that is 1.000, p would be 0, and of slices that are
    all good .10 to .42 would be told apart.
    """

    slices: Sides
    rests: Sides

    @property
    def tested(self) -> NDArray[np.bool_]:
        """Which can be."""
        return np.asarray(self.slices.tested & self.rests.tested)

    @property
    def spread(self) -> Array:
        """The standard error of slice less rest."""
        return np.asarray(np.sqrt(self.slices.variance + self.rests.variance))

    @property
    def df(self) -> Array:
        """Degrees of freedom: of the fewer groups."""
        return np.asarray(np.maximum(np.minimum(self.slices.groups, self.rests.groups) - 1, 0.05))

    def p(self) -> Array:
        """Two-sided, of "they are equal"; 1 where they cannot be tested."""
        first, second = self.slices.share, self.rests.share
        if first is not None and second is not None:
            found = fisher_mid_p(first[0], first[1], first[0] + second[0], first[1] + second[1])
        else:
            low, high = self.tails(0.0)
            found = np.minimum(2 * np.minimum(low, high), 1.0)
        return np.where(self.tested & (self.slices.value != self.rests.value), found, 1.0)

    def outside_p(self, margin: float) -> Array:
        """Of "they differ by the margin or more": the larger of the two one-sided tests."""
        at_most, at_least = self.tails(-margin)[0], self.tails(margin)[1]
        return np.where(self.tested, np.maximum(at_most, at_least), 1.0)

    def tails(self, apart: float) -> tuple[Array, Array]:
        """p of "slice less rest is `apart` at most", and of "at least"."""
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            if self.slices.scale in ("log", "skill"):
                return self._on_log_scale(apart)
            return self._by_beta(apart)

    def _by_beta(self, apart: float) -> tuple[Array, Array]:
        from scipy.special import betainc

        unit, first = unit_scale(self.slices)
        _, second = unit_scale(self.rests)
        fewer = self.slices.rows <= self.rests.rows  # that side's tail, at the other's centre
        centre, variance = np.where(fewer, unit(self.slices.centre), unit(self.rests.centre)), first + second
        x = np.clip(unit(np.where(fewer, self.rests.centre + apart, self.slices.centre - apart)), 0.0, 1.0)
        n, h = centre * (1 - centre) / variance, np.where(fewer, self.slices.shape, self.rests.shape)
        value = np.where(fewer, unit(self.slices.value), unit(self.rests.value))

        def below(a: Array, b: Array) -> Array:
            """Of Beta(a, b), which is all at an end where a or b is not above 0."""
            inside = (a > 0) & (b > 0)
            found = betainc(np.where(inside, a, 1.0), np.where(inside, b, 1.0), x)
            return np.asarray(np.where(inside, found, np.where(a <= 0, 1.0, (x >= 1) * 1.0)))

        own_at_most = np.where(value <= 1e-12, 1.0, below(n * centre - h, n * (1 - centre) + h))
        own_at_least = np.where(value >= 1 - 1e-12, 1.0, 1 - below(n * centre + h, n * (1 - centre) - h))
        own_at_most, own_at_least = (self._by_groups(p) for p in (own_at_most, own_at_least))
        return np.where(fewer, own_at_most, own_at_least), np.where(fewer, own_at_least, own_at_most)

    def _by_groups(self, p: Array) -> Array:
        """The same with Student's t in place of the normal distribution, where rows come in groups."""
        from scipy.special import ndtri, stdtr

        finite = np.isfinite(self.df)
        if not finite.any():
            return p
        z = ndtri(np.clip(p, 1e-300, 1 - 1e-16))
        return np.where(finite, stdtr(np.where(finite, self.df, 1.0), z), p)

    def _on_log_scale(self, apart: float) -> tuple[Array, Array]:
        from scipy.special import stdtr

        turned = self.slices.scale == "skill"
        a, b = (1 - x if turned else x for x in (self.slices.centre, self.rests.centre + apart))
        b = np.maximum(b, 0.0)
        spread = np.sqrt(self.slices.variance / a**2 + self.rests.variance / b**2)
        z = (np.log(a) - np.log(b)) / spread
        df = np.minimum(np.minimum(self.slices.rows, self.rests.rows) - 1, self.df)
        up = np.where(df > 0, stdtr(np.maximum(df, 0.05), z), 0.5)  # of "a is larger"
        at_most, at_least = (up, 1 - up) if turned else (1 - up, up)
        never = b <= 0  # no loss lies below 0
        return np.where(never, turned * 1.0, at_most), np.where(never, 1.0 - turned, at_least)
