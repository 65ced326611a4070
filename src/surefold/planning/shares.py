"""Plans for shares: one against a fixed value or to a width, and two on separate rows."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from surefold.estimates.quantiles import binomial_upper_tail, normal_quantile, normal_tail
from surefold.estimates.share_intervals import share_interval
from surefold.planning.design import Design, Facts, told_apart
from surefold.significance.proportions import FEW

__all__ = ["LARGE", "SMOOTH", "ProportionDesign", "TwoProportionsDesign", "likely_counts"]

Array = NDArray[np.float64]

#: From this many rows on sums over counts give way to the normal distribution.
LARGE = 10**6
#: From this many rows on two counts together leave no teeth to speak of.
SMOOTH = 20_000
#: With a variance of the count above this, a tooth of one share's power is less than a thousandth high.
_NO_TEETH = 100_000
#: Counts farther than this many standard deviations from their mean are left out of sums: a chance below 1e-17.
_FAR = 8.6


def likely_counts(n: int, p: float) -> tuple[Array, Array]:
    """The counts of n rows that have a chance worth counting, and those chances."""
    from scipy.special import gammaln, xlog1py, xlogy

    reach = _FAR * math.sqrt(n * p * (1 - p)) + 20  # few rows are skewed
    k = np.arange(max(0, math.floor(n * p - reach)), min(n, math.ceil(n * p + reach)) + 1, dtype=float)
    chance = np.exp(gammaln(n + 1.0) - gammaln(k + 1) - gammaln(n - k + 1) + xlogy(k, p) + xlog1py(n - k, -p))
    return k, chance / chance.sum()


@dataclass(frozen=True, kw_only=True)
class ProportionDesign(Design):
    """A share `value` whose default interval is to be so wide, or to leave out `null`."""

    kind: ClassVar[str] = "proportion"
    known: ClassVar[tuple[str, ...]] = ("value", "width", "null", "direction", "design_effect")
    least: ClassVar[int] = 1
    looks: ClassVar[int] = 20_000  # all at once; one share has the highest teeth

    value: float
    null: float | None = None

    @classmethod
    def of(cls, facts: Facts, confidence: float) -> Self:
        """One share against `null`, or with an interval of `width`."""
        value, effect = facts.share("value"), facts.design_effect()
        if facts.one_goal("width", "null") == "width":
            width = facts.above_zero("width", "give the full width of the interval, above 0, such as width=0.05")
            return cls(confidence=confidence, design_effect=effect, value=value, width=width)
        null = facts.inside("null")
        facts.different(value, null, "value = null")
        return cls(confidence=confidence, design_effect=effect, value=value, null=null)

    @classmethod
    def around(cls, facts: Facts, confidence: float) -> tuple[Callable[[float], Design], float]:
        """Shares above or below `null`, at each distance from it."""
        null, effect = facts.inside("null"), facts.design_effect()
        sign = 1 if facts.choice("direction", ("above", "below")) == "above" else -1

        def make(d: float) -> Design:
            value = min(1.0, max(0.0, null + sign * d))
            return cls(confidence=confidence, design_effect=effect, value=value, null=null)

        return make, 1 - null if sign > 0 else null

    @property
    def method(self) -> str:
        """Wilson's interval, or the exact one."""
        return "Wilson's interval, Clopper and Pearson's with three or fewer errors or successes"

    @property
    def goal(self) -> str:
        """A share to be told from another, or known within a width."""
        if self.null is None:
            return f"around a share of {self.value:.4g}"
        value, null = told_apart(self.value, self.null)
        return f"tell a share of {value} from {null}"

    @property
    def difference(self) -> float:
        """How far the share is from `null`; NaN where a width is planned."""
        return math.nan if self.null is None else abs(self.value - self.null)

    def facts(self) -> dict[str, Any]:
        """The share and `null`."""
        return {"value": self.value, "null": self.null}

    def power_at(self, n: int) -> float:
        """The chance that the test finds it, summed over all counts."""
        return float(self.powers_at(np.array([n]))[0])

    def powers_at(self, rows: NDArray[Any]) -> Array:
        """P(the interval leaves out `null`), by the counts between which it does not."""
        if self.null is None:
            return np.full(len(rows), math.nan)
        n = np.asarray(rows, dtype=float)
        below, above = self._ends(n, self.null)
        upper = binomial_upper_tail(above, n, self.value)
        return np.asarray(upper + binomial_upper_tail(n - below, n, 1 - self.value))

    def _ends(self, n: Array, null: float) -> tuple[Array, Array]:
        """The largest count whose interval is below `null` (-1: none) and the smallest above it (n + 1: none).

        Wilson's interval leaves out what the score test rejects, which says where to look; the interval itself decides.
        """
        reach = self.z * np.sqrt(n * null * (1 - null))
        near = np.arange(-5.0, 6.0)[:, None]
        low, high = np.floor(n * null - reach) + near, np.ceil(n * null + reach) + near
        _, ends = share_interval("auto", low, n, self.confidence)
        below = np.where((low >= 0) & (ends < null), low, -1).max(axis=0)
        starts, _ = share_interval("auto", high, n, self.confidence)
        above = np.where((high <= n) & (starts > null), high, n + 1).min(axis=0)
        return below, above

    def width_at(self, n: int) -> float:
        """The mean width over all counts; with very many rows, that at the expected count."""
        if n >= LARGE:
            low, high = share_interval("auto", n * self.value, n, self.confidence)
            return float(high - low)
        counts, chance = likely_counts(n, self.value)
        low, high = share_interval("auto", counts, n, self.confidence)
        return float(chance @ (high - low))

    def guess(self, power: float) -> float:
        """From the normal approximation."""
        spread = math.sqrt(self.value * (1 - self.value))
        if self.null is None:
            return (2 * self.z * max(spread, 0.05) / (self.width or 1)) ** 2
        under = math.sqrt(self.null * (1 - self.null))
        return ((self.z * under + max(normal_quantile(power), 0) * spread) / self.difference) ** 2

    def lookahead(self, n: int) -> int:
        """As far as the power can fall back before one more count is taken."""
        if self.null is None or n * self.null * (1 - self.null) > _NO_TEETH:
            return 0
        return math.ceil(max(n / 5, 4 / min(self.null, 1 - self.null)))  # a tooth is as long as one more count takes


@dataclass(frozen=True, kw_only=True)
class TwoProportionsDesign(Design):
    """Two shares on separate rows, `ratio` times as many in the second set; n is the rows of the first."""

    kind: ClassVar[str] = "two_proportions"
    known: ClassVar[tuple[str, ...]] = ("first", "second", "ratio", "direction", "design_effect")

    first: float
    second: float
    ratio: float = 1.0

    @classmethod
    def of(cls, facts: Facts, confidence: float) -> Self:
        """Two shares on separate rows, the second set `ratio` times as large."""
        first, second = facts.share("first"), facts.share("second")
        facts.different(first, second, "first = second")
        return cls(first=first, second=second, **cls._common(facts, confidence))

    @classmethod
    def _common(cls, facts: Facts, confidence: float) -> dict[str, float]:
        ratio = facts.number("ratio", 1e-6, 1e6, cure=_RATIO, default=1.0)
        return {"confidence": confidence, "design_effect": facts.design_effect(), "ratio": ratio}

    @classmethod
    def around(cls, facts: Facts, confidence: float) -> tuple[Callable[[float], Design], float]:
        """Second shares above or below the first, at each distance from it."""
        first, common = facts.share("first"), cls._common(facts, confidence)
        sign = 1 if facts.choice("direction", ("above", "below")) == "above" else -1

        def make(d: float) -> Design:
            return cls(first=first, second=min(1.0, max(0.0, first + sign * d)), **common)

        return make, 1 - first if sign > 0 else first

    @property
    def method(self) -> str:
        """The z test that does not pool the shares."""
        return "two proportions, unpooled"

    @property
    def goal(self) -> str:
        """Two shares to be told apart."""
        first, second = told_apart(self.first, self.second)
        return f"tell a share of {first} from one of {second} on separate rows"

    @property
    def difference(self) -> float:
        """How far apart the shares are."""
        return abs(self.first - self.second)

    def facts(self) -> dict[str, Any]:
        """Both shares, and how much larger the second set is."""
        return {"first": self.first, "second": self.second, "ratio": self.ratio}

    def second_rows(self, n: int) -> int:
        """Rows of the second set where the first has n."""
        return max(1, math.ceil(n * self.ratio - 1e-9))

    def parts(self, n: int) -> dict[str, int]:
        """Rows of both sets."""
        return {"first": n, "second": self.second_rows(n)}

    def rows_text(self, rows: int) -> str:
        """Rows of both sets, in words."""
        return f"{rows:,} rows in the first set and {self.second_rows(rows):,} in the second"

    def flags(self, n: int) -> tuple[str, ...]:
        """As the test will most likely carry them."""
        sides = ((self.first, n), (self.second, self.second_rows(n)))
        few = min(min(share, 1 - share) * rows for share, rows in sides) < FEW - 1e-9
        return ("few_errors", "liberal_test") if few else ()

    def power_at(self, n: int) -> float:
        """Summed over the counts of the first set; for each, the counts of the second that reject are two tails."""
        m = self.second_rows(n)
        if max(n, m) >= LARGE:
            return self.by_normal(n)
        counts, chance = likely_counts(n, self.first)
        below, above = self._ends(counts / n, n, m)
        tails = binomial_upper_tail(above, m, self.second) + binomial_upper_tail(m - below, m, 1 - self.second)
        return float(chance @ tails)

    def _ends(self, e1: Array, n: int, m: int) -> tuple[Array, Array]:
        """For each share of the first set the largest count of the second below it that rejects, the smallest above.

        The edges solve (e1 - e2)² = z² (v1/n + e2(1 - e2)/m) for e2; the test itself decides between their neighbours.
        """
        z2 = self.z**2
        a, half_b, c = 1 + z2 / m, e1 + z2 / (2 * m), e1**2 - z2 * e1 * (1 - e1) / n
        root = np.sqrt(np.maximum(half_b**2 - a * c, 0))
        near = np.arange(-1.0, 2.0)[:, None]
        low, high = (np.floor(m * (half_b - root) / a) + near, np.ceil(m * (half_b + root) / a) + near)
        below = np.where((low >= 0) & self._rejects(e1, n, low / m, m) & (low < e1 * m), low, -1).max(axis=0)
        above = np.where((high <= m) & self._rejects(e1, n, high / m, m) & (high > e1 * m), high, m + 1).min(axis=0)
        return below, above

    def _rejects(self, e1: Array, n: int, e2: Array, m: int) -> NDArray[np.bool_]:
        """As `two_proportions` does, for arrays."""
        e1, e2 = np.broadcast_arrays(e1, np.clip(e2, 0, 1))
        variance = e1 * (1 - e1) / n + e2 * (1 - e2) / m
        shared = (e1 * n + e2 * m) / (n + m)
        used = np.where(variance > 0, variance, shared * (1 - shared) * (1 / n + 1 / m))
        return np.asarray((np.abs(e1 - e2) > 1e-14) & ((e1 - e2) ** 2 >= self.z**2 * used))

    def by_normal(self, n: int) -> float:
        """The textbook's: both shares known, their difference normal."""
        m = self.second_rows(n)
        se = math.sqrt(self.first * (1 - self.first) / n + self.second * (1 - self.second) / m)
        if se == 0:
            return 1.0
        return float(normal_tail(self.z - self.difference / se) + normal_tail(self.z + self.difference / se))

    def guess(self, power: float) -> float:
        """From the normal approximation."""
        spread = self.first * (1 - self.first) + self.second * (1 - self.second) / self.ratio
        return (self.z + normal_quantile(power)) ** 2 * spread / self.difference**2

    def lookahead(self, n: int) -> int:
        """A tenth and ten rows more, until teeth no longer show."""
        return n // 10 + 10 if n < SMOOTH else 0


_RATIO = "give rows of the second set over rows of the first, such as ratio=2"
