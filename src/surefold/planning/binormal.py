"""How areas under ROC curves vary: moments of the scores' order, in closed form for two shapes of scores."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from surefold.estimates.auc import AucMoments
from surefold.significance.wins_and_losses import Counts, Powers

__all__ = ["FORMS", "AreaMoments", "PairMoments", "both_below"]

FORMS = ("binormal", "exponential")
#: Points a side at which moments of placements are summed: four digits with areas of .999.
_NODES = 80


def both_below(h: float, k: float, correlation: float) -> float:
    """P(X < h and Y < k) of two standard normals, by Owen's T.

    >>> round(both_below(0, 0, 0.5), 6)  # 1/4 + asin(1/2) / 2π = 1/4 + 1/12
    0.333333
    """
    from scipy.special import ndtr, owens_t

    if correlation >= 1:
        return float(ndtr(min(h, k)))
    if correlation <= -1:
        return float(max(0.0, ndtr(h) + ndtr(k) - 1))
    if h == 0 and k == 0:
        return 0.25 + math.asin(correlation) / (2 * math.pi)
    beyond = math.sqrt((1 - correlation) * (1 + correlation))
    corner = 0.5 if h * k < 0 or (h * k == 0 and h + k < 0) else 0.0
    tail = sum(float(owens_t(a, _slope(b - correlation * a, a * beyond))) for a, b in ((h, k), (k, h)))
    return float((ndtr(h) + ndtr(k)) / 2) - tail - corner


def _slope(rise: float, run: float) -> float:
    return rise / run if run else math.copysign(math.inf, rise)


@dataclass(frozen=True)
class AreaMoments:
    """Of one area: a positive above two negatives, and two positives above a negative, with chances `one` and `two`.

    Binormal scores are normal with equal spread in both classes. The exponential form is Hanley and McNeil's.
    """

    area: float
    one: float
    two: float

    @classmethod
    def of(cls, area: float, form: str = "binormal") -> AreaMoments:
        """Of scores that are normal, or exponential, in each class and have this area."""
        if form == "exponential":
            return cls(area, 2 * area**2 / (1 + area), area / (2 - area))
        from scipy.special import ndtri

        h = float(ndtri(area))
        both = both_below(h, h, 0.5)
        return cls(area, both, both)

    def variance(self, m: float, n: float) -> float:
        """Of the area seen in m positives and n negatives."""
        a = self.area
        return (a * (1 - a) + (n - 1) * (self.one - a * a) + (m - 1) * (self.two - a * a)) / (m * n)

    def expected(self, m: float, n: float) -> AucMoments:
        """What the interval reads, as it is on average: the spread of placements in each class."""
        a = self.area
        square = self.variance(m, n) + a * a
        spread1 = m * max((a + (n - 1) * self.one) / n - square, 0.0)
        spread0 = n * max((a + (m - 1) * self.two) / m - square, 0.0)
        return AucMoments(a, m, n, spread1, spread0)


@dataclass(frozen=True)
class PairMoments:
    """Of two areas of the same rows, whose scores are binormal and correlate within each class.

    `same` is the chance that both rank a pair right; `shared` that they do so with one row of the pair the same.
    """

    first: AreaMoments
    second: AreaMoments
    same: float
    shared: float
    correlation: float

    @classmethod
    def of(cls, first: float, second: float, correlation: float) -> PairMoments:
        """Of two areas whose normal scores correlate by so much in each class."""
        from scipy.special import ndtri

        h, k = float(ndtri(first)), float(ndtri(second))
        ends = (both_below(h, k, correlation), both_below(h, k, correlation / 2))
        return cls(AreaMoments.of(first), AreaMoments.of(second), *ends, correlation)

    @property
    def difference(self) -> float:
        """The first area less the second."""
        return self.first.area - self.second.area

    def variance(self, m: float, n: float) -> float:
        """Of the difference of the areas seen in m positives and n negatives."""
        product = self.first.area * self.second.area
        together = (self.same - product + (m + n - 2) * (self.shared - product)) / (m * n)
        return max(self.first.variance(m, n) + self.second.variance(m, n) - 2 * together, 0.0)

    def spreads(self, m: float, n: float) -> tuple[float, float]:
        """The sums over each class that DeLong's variance is made of, as they are on average."""
        a, b = self.first, self.second
        square = self.variance(m, n) + self.difference**2
        found = []
        for rows, others, own in ((m, n, a.one + b.one), (n, m, a.two + b.two)):
            mean = (a.area + b.area + (others - 1) * own - 2 * (self.same + (others - 1) * self.shared)) / others
            found.append(rows * max(mean - square, 0.0))
        return found[0], found[1]

    def counts(self, m: float, n: float) -> Counts:
        """The rows won and lost that the difference comes to, as they are on average.

        Rows of the two classes are alike in how far their placements differ, so one shape serves both.
        """
        spread = sum(s / rows**2 for s, rows in zip(self.spreads(m, n), (m, n), strict=True))
        second, third, fourth = self.shape
        each = [1 / m**p + 1 / n**p for p in (1, 2, 3)]
        size = fourth / second  # the square of a row of typical size, in placements
        grown = spread / (second * each[0])  # few rows of the other class make placements vary more
        powers = Powers(
            spread,
            third * each[1] * grown**1.5,
            fourth * each[2] * grown**2,
            floor=size * grown * each[0] / (m + n),
        )
        return powers.counts()

    @cached_property
    def shape(self) -> tuple[float, float, float]:
        """The 2nd to 4th moment of how far a row's placements by the two scores differ, about the mean."""
        from scipy.special import ndtr, ndtri

        z, weight = np.polynomial.hermite_e.hermegauss(_NODES)
        other = self.correlation * z[:, None] + math.sqrt(max(1 - self.correlation**2, 0.0)) * z
        first, second = (math.sqrt(2) * float(ndtri(a.area)) for a in (self.first, self.second))
        away = ndtr(first + z)[:, None] - ndtr(second + other) - self.difference
        chance = np.outer(weight, weight) / (2 * math.pi)
        moments = [float((chance * away**power).sum()) for power in (2, 3, 4)]
        return moments[0], moments[1], moments[2]
