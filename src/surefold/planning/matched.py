"""Plans for two classifiers on the same rows, compared by McNemar's mid-p."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from surefold.errors import InputError
from surefold.estimates.quantiles import binomial_upper_tail, normal_quantile, normal_tail
from surefold.planning.design import Design, Facts, percent
from surefold.planning.shares import LARGE, SMOOTH, likely_counts

__all__ = ["McNemarDesign", "largest_rejected"]

Array = NDArray[np.float64]

_SHARES = "give the share of all rows that only this model gets right, from 0 to 1"
_BOTH = "give only_first= and only_second=, or difference= and disagreement="


def largest_rejected(apart: Array, confidence: float) -> Array:
    """The largest smaller count of that many disagreements which mid-p rejects; -1 where none is.

    mid-p of a smaller count c is P(X ≤ c) + P(X ≤ c - 1), X a fair coin's.

    >>> largest_rejected(np.array([0.0, 5.0, 6.0, 20.0]), 0.95).tolist()  # 5 coins: 2/32 - 1/32, 6: 2 (1 + 6/2) / 64
    [-1.0, 0.0, 0.0, 5.0]
    """
    z = normal_quantile((1 + confidence) / 2)
    near = np.arange(-5.0, 5.0)[:, None]
    c = np.maximum(np.floor((apart - z * np.sqrt(apart)) / 2), -1) + near
    tail = np.where(c < 0, 0.0, binomial_upper_tail(apart - np.maximum(c, 0), apart, 0.5))
    rejects = (c[1:] >= 0) & (2 * c[1:] < apart) & (tail[1:] + tail[:-1] <= 1 - confidence)
    return np.asarray(np.where(rejects, c[1:], -1.0).max(axis=0))


@dataclass(frozen=True, kw_only=True)
class McNemarDesign(Design):
    """Shares of all rows that only the first, and only the second, gets right."""

    kind: ClassVar[str] = "mcnemar"
    known: ClassVar[tuple[str, ...]] = ("only_first", "only_second", "difference", "disagreement", "design_effect")

    only_first: float
    only_second: float

    @classmethod
    def of(cls, facts: Facts, confidence: float) -> Self:
        """Shares of rows that one model alone gets right, said one by one or as their sum and difference."""
        if "difference" in facts or "disagreement" in facts:
            if "only_first" in facts or "only_second" in facts:
                raise InputError("bad_option", "the disagreements are said in two ways", cure=_BOTH)
            q = facts.share("disagreement", "give the share of rows on which one is right and the other wrong")
            d = facts.number("difference", -1, 1, cure="give the difference in accuracy, first minus second")
            if abs(d) > q:
                cure = (
                    "give a disagreement at least as large as the difference: only where they disagree can they differ"
                )
                raise InputError("bad_option", f"difference={d:g} with disagreement={q:g}", cure=cure)
            first, second = (q + d) / 2, (q - d) / 2
        else:
            facts.need("only_first", _BOTH)
            first, second = facts.share("only_first", _SHARES), facts.share("only_second", _SHARES)
            if first + second > 1 + 1e-12:
                cure = "give shares of all rows: together they are the rows on which the two disagree"
                raise InputError("bad_option", f"only_first + only_second = {first + second:g}", cure=cure)
        facts.different(first, second, "only_first = only_second")
        return cls(
            confidence=confidence, design_effect=facts.design_effect(), only_first=first, only_second=max(second, 0.0)
        )

    @classmethod
    def around(cls, facts: Facts, confidence: float) -> tuple[Callable[[float], Design], float]:
        """The same share of disagreement, split by each difference."""
        if "disagreement" in facts:
            q = facts.share("disagreement")
        else:
            facts.need("only_first", _BOTH)
            q = facts.share("only_first", _SHARES) + facts.share("only_second", _SHARES)
        effect = facts.design_effect()
        if not 0 < q <= 1 + 1e-12:
            cure = "give the share of rows on which one is right and the other wrong, above 0"
            raise InputError("bad_option", f"disagreement={q:g}", cure=cure)

        def make(d: float) -> Design:
            ends = {"only_first": (q + d) / 2, "only_second": max((q - d) / 2, 0.0)}
            return cls(confidence=confidence, design_effect=effect, **ends)

        return make, q

    @property
    def method(self) -> str:
        """McNemar's mid-p test."""
        return "McNemar's mid-p"

    @property
    def disagreement(self) -> float:
        """The share of rows on which one model is right and the other wrong."""
        return min(1.0, self.only_first + self.only_second)

    @property
    def difference(self) -> float:
        """The difference of the accuracies."""
        return abs(self.only_first - self.only_second)

    @property
    def goal(self) -> str:
        """A difference to be found, between models that disagree on so many rows."""
        return (
            f"find a difference in accuracy of {self.difference:.4g} between two models that disagree on "
            f"{percent(self.disagreement)} of the same rows"
        )

    def facts(self) -> dict[str, Any]:
        """Both shares, their difference and their sum."""
        facts = {"only_first": self.only_first, "only_second": self.only_second}
        return facts | {"difference": self.only_first - self.only_second, "disagreement": self.disagreement}

    def power_at(self, n: int) -> float:
        """Summed over the number of disagreements; for each, the splits that mid-p rejects are two tails."""
        if n >= LARGE:
            return self.by_normal(n)
        apart, chance = likely_counts(n, self.disagreement)
        few = largest_rejected(apart, self.confidence)
        p = self.only_first / (self.only_first + self.only_second)
        tails = binomial_upper_tail(apart - few, apart, p) + binomial_upper_tail(apart - few, apart, 1 - p)
        return float(chance @ np.where(few >= 0, tails, 0.0))

    def by_normal(self, n: int) -> float:
        """b - c is normal with variance n (disagreement - difference²); the test allows for n x disagreement."""
        q, d = self.disagreement, self.difference
        spread = math.sqrt(max(q - d * d, 0.0))
        if spread == 0:
            return 1.0 if d * math.sqrt(n) >= self.z * math.sqrt(q) else 0.0
        shift, reach = d * math.sqrt(n) / spread, self.z * math.sqrt(q) / spread
        return float(normal_tail(reach - shift) + normal_tail(reach + shift))

    def guess(self, power: float) -> float:
        """From the normal approximation of the test."""
        q, d = self.disagreement, self.difference
        return ((self.z * math.sqrt(q) + max(normal_quantile(power), 0) * math.sqrt(max(q - d * d, 0))) / d) ** 2

    def lookahead(self, n: int) -> int:
        """A tenth and ten rows more, until teeth no longer show."""
        return n // 10 + 10 if n < SMOOTH else 0
