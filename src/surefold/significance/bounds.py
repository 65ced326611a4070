"""Bounds of a true difference: interval, p, gate and "practically equal" all ask one of these."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from surefold.estimates.quantiles import normal_quantile, t_quantile, t_tail, t_two_sided

__all__ = ["Bounds", "DrawnBounds", "NormalBounds", "OpenBounds", "quantile"]

Array = NDArray[np.float64]


class Bounds(Protocol):
    """What the rows say of where a true difference lies. p, interval and one-sided bounds come from one function."""

    @property
    def value(self) -> float:
        """The difference that was found."""
        ...

    @property
    def spread(self) -> float:
        """Its standard error as the rows are."""
        ...

    @property
    def df(self) -> float:
        """Degrees of freedom, infinite where it is normal."""
        ...

    @property
    def method(self) -> str:
        """What the interval is called."""
        ...

    @property
    def flags(self) -> tuple[str, ...]:
        """What is weak about them."""
        ...

    def at(self, confidence: float) -> tuple[float, float]:
        """From below and from above, each at this confidence: together they are an interval at 2 confidence - 1."""
        ...

    def score(self, null: float = 0.0) -> float:
        """How many standard errors the difference found is above this one."""
        ...

    def p(self, null: float = 0.0) -> float:
        """Two-sided, of "the true difference is this one"."""
        ...

    def outside_p(self, margin: float) -> float:
        """p of "they differ by the margin or more": the larger of two one-sided tests."""
        ...

    def spread_at(self, mean: float) -> float:
        """The standard error where the true difference is this one."""
        ...


@dataclass(frozen=True)
class NormalBounds:
    """Normal bounds about a centre, which an added row may have drawn in; t where rows come in groups.

    >>> low, high = NormalBounds(0.1, 0.1, 0.05).at(0.975)
    >>> round(low, 3), round(high, 3)
    (0.002, 0.198)
    """

    value: float
    centre: float
    spread: float
    df: float = math.inf
    limits: tuple[float, float] = (-math.inf, math.inf)
    method: str = ""
    flags: tuple[str, ...] = ()

    def at(self, confidence: float) -> tuple[float, float]:
        """From below and from above, each at this confidence."""
        reach = quantile(confidence, self.df) * self.spread
        low, high = max(self.centre - reach, self.limits[0]), min(self.centre + reach, self.limits[1])
        return min(low, self.value), max(high, self.value)

    def score(self, null: float = 0.0) -> float:
        """Standard errors from `null` up to the difference found."""
        return (self.centre - null) / self.spread if self.spread > 0 else 0.0

    def p(self, null: float = 0.0) -> float:
        """Two-sided, of `null`."""
        if self.value == null or not self.spread > 0:
            return 1.0
        return t_two_sided(self.score(null), self.df)

    def outside_p(self, margin: float) -> float:
        """p of "they differ by the margin or more"."""
        if not 0 < self.spread < math.inf:
            return 1.0
        return t_tail((margin - abs(self.value)) / self.spread, self.df)

    def spread_at(self, mean: float) -> float:
        """The standard error where the true difference is `mean`."""
        return self.spread


@dataclass(frozen=True, eq=False)
class OpenBounds:
    """Bounds of scores that were cut to their leading bits: the difference lies somewhere between two `ends`.

    The interval spans all of it, and p is the largest that any of it has.
    """

    inner: Bounds
    ends: tuple[float, float]

    @property
    def value(self) -> float:
        """That of the inner bounds."""
        return self.inner.value

    @property
    def spread(self) -> float:
        """That of the inner bounds."""
        return self.inner.spread

    @property
    def df(self) -> float:
        """Those of the inner bounds."""
        return self.inner.df

    @property
    def method(self) -> str:
        """That of the inner bounds."""
        return self.inner.method

    @property
    def flags(self) -> tuple[str, ...]:
        """Those of the inner bounds."""
        return self.inner.flags

    @property
    def open(self) -> tuple[float, float]:
        """How far below and above the value found the difference may lie."""
        return min(self.ends[0] - self.value, 0.0), max(self.ends[1] - self.value, 0.0)

    def at(self, confidence: float) -> tuple[float, float]:
        """From below and from above, each at this confidence."""
        (low, high), (below, above) = self.inner.at(confidence), self.open
        return low + below, high + above

    def score(self, null: float = 0.0) -> float:
        """Standard errors from `null` up to the difference found."""
        return self.inner.score(self._moved(null))

    def p(self, null: float = 0.0) -> float:
        """Two-sided, of `null`."""
        return self.inner.p(self._moved(null))

    def _moved(self, null: float) -> float:
        """As far from the value found as `null` is from the nearest that it may be."""
        below, above = self.open
        return self.value + null - min(max(null, self.value + below), self.value + above)

    def outside_p(self, margin: float) -> float:
        """p of "they differ by the margin or more"."""
        below, above = self.open
        furthest = max(abs(self.value + below), abs(self.value + above))
        return self.inner.outside_p(margin - (furthest - abs(self.value)))

    def spread_at(self, mean: float) -> float:
        """The standard error where the true difference is `mean`."""
        return self.inner.spread_at(mean)


@dataclass(frozen=True, eq=False)
class DrawnBounds(NormalBounds):
    """From differences that were drawn again and again; `rows` says what one row could do where no draw differs."""

    drawn: Array = field(default_factory=lambda: np.zeros(0))
    rows: float = math.nan

    def at(self, confidence: float) -> tuple[float, float]:
        """From below and from above, each at this confidence."""
        if not len(self.drawn):
            return -math.inf, math.inf
        low, high = np.quantile(self.drawn, (1 - confidence, confidence)).tolist()
        if high - low <= 0:  # draws that never differ say nothing: what one row could do is the least there is
            low, high = self.value - 1 / self.rows, self.value + 1 / self.rows
        return min(low, self.value), max(high, self.value)

    def p(self, null: float = 0.0) -> float:
        """Twice the share of draws on the other side."""
        if self.value == null or not len(self.drawn):
            return 1.0
        other = min(np.count_nonzero(self.drawn <= null), np.count_nonzero(self.drawn >= null))
        return float(min(1.0, 2 * (1 + other) / (len(self.drawn) + 1)))


def quantile(p: float, df: float) -> float:
    """Of the normal distribution, or of t where degrees of freedom are finite."""
    return t_quantile(p, df) if math.isfinite(df) else normal_quantile(p)
