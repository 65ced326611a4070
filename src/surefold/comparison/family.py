"""Several pairs told at once: what each shows by its adjusted p, and the interval that says the same.

A pair that stands alone keeps its interval. With more of them every interval is made at the level that all pairs share,
so that all hold together. What decides is p; the interval beside it is brought to where p is, and never the other way.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from surefold.comparison.result import Status, status_of
from surefold.estimates.estimate import CUT, Estimate, TestResult
from surefold.significance.multiplicity import checked_adjustment

__all__ = ["Family", "Told", "beside"]


@dataclass(frozen=True)
class Told:
    """What was told of one pair: its adjusted p, that of lying outside the margin, and the interval beside them."""

    p: float
    equal_p: float | None
    status: Status
    effect: Estimate
    share: float


@dataclass(frozen=True)
class Family:
    """How sure all pairs together have to be, how p is adjusted, and the difference that does not matter.

    >>> Family(adjust="holm").share([0.01, 0.2]), Family(adjust="none").share([0.01, 0.2])
    (0.5, 1.0)
    """

    confidence: float = 0.95
    adjust: str = "holm"
    margin: float | None = None

    @property
    def level(self) -> float:
        """The chance of an error that all pairs share."""
        return 1 - self.confidence

    def adjusted(self, p: Sequence[float]) -> list[float]:
        """Each p as the adjustment has it."""
        return [float(x) for x in checked_adjustment(self.adjust)(p)] if len(p) else []

    def share(self, p: Sequence[float]) -> float:
        """The share of that error which the interval of each pair may have.

        One over the number of pairs. Of Benjamini and Hochberg's p it is the share of pairs that were told (at least
        one): the expected share of wrong intervals among those told then stays below the level (Benjamini and
        Yekutieli 2005).
        """
        if self.adjust == "none" or not len(p):
            return 1.0
        if self.adjust == "benjamini_hochberg":
            return max(1, int(np.sum(np.asarray(self.adjusted(p)) <= self.level))) / len(p)
        return 1 / len(p)

    def tell(
        self,
        tests: Sequence[TestResult],
        at: Callable[[int, float], Estimate],
        *,
        lower_is_better: bool,
        outside: Sequence[float] | None = None,
    ) -> list[Told]:
        """What each pair shows; `at` makes the interval of a pair at another confidence.

        `outside` are the p of "they differ by the margin or more". A pair that is told to be inside has the interval
        that goes with these: both its ends are one-sided bounds, so that it is wrong twice as often.
        """
        p = [t.p_value for t in tests]
        adjusted = self.adjusted(p)
        equal: list[float] | list[None] = [None] * len(p) if outside is None else self.adjusted(outside)
        shares = self.share(p), self.share(outside or p)
        found = []
        for i, (test, one, inside) in enumerate(zip(tests, adjusted, equal, strict=True)):
            status = status_of(test, one, lower_is_better, self.level, equal_p=inside)
            is_equal = status == "practically_equal"
            share = shares[is_equal]
            error = min(self.level * share * (2 if is_equal else 1), 0.999)
            effect = test.effect if error == self.level else at(i, 1 - error)
            found.append(Told(one, inside, status, beside(effect, status, self.margin), share))
        return found


def beside(e: Estimate, status: Status, margin: float | None = None) -> Estimate:
    """The interval, brought to where the test of the same pair ends.

    Where p tells the pair, and the interval reaches over 0, it is cut there and flagged; where p does not, it reaches 0
    at least. Pairs that are practically equal end inside the margin, and no others do. A pair alone seldom needs it:
    its p and its interval may be of two methods that differ by a hair.

    >>> e = Estimate(0.03, -0.001, 0.061)
    >>> print(beside(e, "better"), beside(Estimate(0.03, 0.001, 0.059), "cannot_tell"))
    0.030 (0.000, 0.061] 0.030 [0.000, 0.059]
    """
    if math.isnan(e.low) or math.isnan(e.high):
        return e
    low, high = e.low, e.high
    if status == "practically_equal" and margin is not None:
        low, high = max(low, -margin), min(high, margin)
    elif status == "cannot_tell":
        low, high = min(low, 0.0), max(high, 0.0)
    elif e.value > 0:
        low = max(low, 0.0)
    else:
        high = min(high, 0.0)
    if margin is not None and status != "practically_equal" and -margin < low and high < margin:
        low, high = (low, margin) if abs(high) >= abs(low) else (-margin, high)
    if (low, high) == e.interval:
        return e
    is_cut = low > e.low or high < e.high
    return replace(e, low=low, high=high, flags=(*e.flags, CUT) if is_cut else e.flags)
