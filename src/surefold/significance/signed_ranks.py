"""Wilcoxon's signed ranks: exact for few pairs whatever the ties, with the Hodges-Lehmann shift and its interval."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np

from surefold.errors import refuse_unknown
from surefold.estimates.estimate import Estimate, TestResult
from surefold.estimates.quantiles import checked_confidence, normal_quantile, normal_tail
from surefold.given import Values
from surefold.significance.pairs import (
    Alternative,
    Array,
    Pairs,
    checked_alternative,
    checked_pairs,
    no_spread,
    p_of_tails,
    tied_ranks,
)
from surefold.significance.plain_test import plain_test

__all__ = ["SignedRanks", "wilcoxon"]

Zeros = Literal["split", "drop", "pratt"]
#: Up to this many pairs "auto" is exact.
EXACT_UP_TO = 50
#: Up to this many pairs all means of two differences are written down.
_LISTED = 1_000


@dataclass(frozen=True, eq=False)
class SignedRanks(TestResult):
    """With the sums of ranks on either side; the statistic is the first of them."""

    positive_ranks: float = math.nan
    negative_ranks: float = math.nan


@plain_test(
    reads="pairs",
    null="the differences are symmetric about zero",
    source="Wilcoxon (1945), Biometrics Bulletin 1:80-83; Pratt (1959), JASA 54:655-667",
)
def wilcoxon(
    a: Values,
    b: Values,
    zeros: Zeros = "split",
    method: Literal["auto", "exact", "normal"] = "auto",
    correction: bool = False,
    *,
    alternative: Alternative = "two-sided",
    confidence: float = 0.95,
) -> SignedRanks:
    """Are the differences, first minus second, symmetric about zero? The sum of the ranks of the positive ones.

    Zero differences are ranked and their ranks shared between both sides ("split"), ranked and then left out
    ("pratt"), or left out before ranking ("drop"). Exact p (all 2^n signs, counted by sums of doubled ranks, so ties
    are no hindrance) up to 50 pairs, else normal with the variance corrected for ties; under "split" that variance
    counts zeros as coins still to be tossed, which errs on the safe side. No continuity correction unless asked.

    The effect is the Hodges-Lehmann estimate, the median of the means of all pairs of differences, zeros included.

    a:           the first of the two: one number a pair
    b:           the second, in the same order
    zeros:       "split", "pratt" or "drop", as above
    method:      "exact", "normal", or "auto" as above
    correction:  whether the normal p has the continuity correction
    alternative: "two-sided", "greater" (the first is larger) or "less"
    confidence:  of the interval of the effect

    >>> r = wilcoxon([0.8, 0.7, 0.9, 0.6, 0.7, 0.8], [0.7, 0.5, 0.6, 0.2, 0.2, 0.2])
    >>> r.positive_ranks, r.negative_ranks, r.p_value == 2 / 64
    (21.0, 0.0, True)
    """
    checked_alternative(alternative)
    confidence = checked_confidence(confidence)
    refuse_unknown("treatment of zeros", zeros, ("split", "drop", "pratt"))
    refuse_unknown("method", method, ("auto", "exact", "normal"))
    pairs = checked_pairs(a, b)
    d = pairs.difference
    ranked = d[d != 0] if zeros == "drop" else d
    ranks = tied_ranks(np.abs(ranked), pairs.rounding)
    nothing = float(ranks[ranked == 0].sum()) / 2 if zeros == "split" else 0.0
    above, below = float(ranks[ranked > 0].sum()) + nothing, float(ranks[ranked < 0].sum()) + nothing
    if method == "auto":
        method = "exact" if len(d) <= EXACT_UP_TO else "normal"
    moving = ranks[ranked != 0]
    if not len(moving):
        upper = lower = 1.0
    elif method == "exact":
        upper, lower = _exact_tails(moving, above - nothing)
    else:
        upper, lower = _normal_tails(ranks if zeros == "split" else moving, above - below, correction)
    effect = _hodges_lehmann(pairs, confidence)
    flags = effect.flags
    if 2 * 0.5 ** len(moving) > 1 - confidence:
        flags = (*flags, "too_few_to_tell")
    name = f"Wilcoxon signed ranks, {method}"
    p_value = p_of_tails(upper, lower, alternative)
    assumptions = ("pairs are independent", "differences are symmetric about their middle")
    return SignedRanks(name, effect, above, p_value, assumptions, flags, positive_ranks=above, negative_ranks=below)


def _exact_tails(ranks: Array, seen: float) -> tuple[float, float]:
    """P(sum >= seen) and P(sum <= seen) when every rank falls on either side with chance one half."""
    doubled = np.rint(2 * ranks).astype(np.int64)
    chance, at = sum_chances(tuple(sorted(doubled.tolist()))), int(np.rint(2 * seen))
    return float(chance[at:].sum()), float(chance[: at + 1].sum())


@lru_cache(maxsize=32)
def sum_chances(doubled: tuple[int, ...]) -> Array:
    """Chance of every sum of a random half of these whole numbers, each taken or not by the toss of a coin.

    >>> sum_chances((2, 4)).tolist()
    [0.25, 0.0, 0.25, 0.0, 0.25, 0.0, 0.25]
    """
    chance = np.zeros(sum(doubled) + 1)
    chance[0] = 1.0
    top = 0
    for step in doubled:
        top += step
        chance[step : top + 1] = (chance[step : top + 1] + chance[: top + 1 - step]) / 2
        chance[:step] /= 2
    return chance


def _normal_tails(ranks: Array, lead: float, correction: bool) -> tuple[float, float]:
    """The difference of the two sums has variance Σ rank², ties and all; the sum has a quarter of it."""
    spread, middle, half = math.sqrt(float(ranks @ ranks)) / 2, lead / 2, 0.5 if correction else 0.0
    return float(normal_tail((middle - half) / spread)), float(normal_tail((-middle - half) / spread))


def _hodges_lehmann(pairs: Pairs, confidence: float) -> Estimate:
    """The median of the n(n + 1)/2 means of two differences; the ends are two of them in order."""
    d, n = np.sort(pairs.difference), len(pairs)
    many = n * (n + 1) // 2
    out = _below(n, confidence)
    places = [(many + 1) // 2, many // 2 + 1]
    ends = [out, many + 1 - out] if out >= 1 else []
    found = _means_at(d, [*places, *ends])
    value = (found[0] + found[1]) / 2
    facts = (math.nan, confidence, "hodges_lehmann", n)
    if np.ptp(d) <= pairs.rounding:
        return Estimate(value, math.nan, math.nan, *facts, ("no_spread",), "shift", no_spread(value, n))
    if not ends:
        return Estimate(value, -math.inf, math.inf, *facts, (), "shift", f"{n} differences cannot reject any shift")
    low, high = found[2], found[3]
    if high - low <= pairs.rounding:  # so many are equal that the ends meet: all that is seen, then
        low, high = float(d[0]), float(d[-1])
    return Estimate(value, low, high, *facts, (), "shift")


def _below(n: int, confidence: float) -> int:
    """Which of the means, counted from either end, bounds the interval; 0 if there are too few for any."""
    tail = (1 - confidence) / 2
    if n <= EXACT_UP_TO:
        chance = np.cumsum(sum_chances(tuple(range(1, n + 1))))
        return int(np.searchsorted(chance, tail + 1e-12, side="right"))  # sums 0 .. out - 1 have at most that chance
    spread = math.sqrt(n * (n + 1) * (2 * n + 1) / 24)
    return max(0, math.floor(n * (n + 1) / 4 - normal_quantile(1 - tail) * spread) + 1)


def _means_at(d: Array, places: list[int]) -> list[float]:
    """The means of two of the sorted differences (or one twice) at these places in rising order, from 1."""
    n = len(d)
    if n <= _LISTED:
        i, j = np.triu_indices(n)
        means = np.sort((d[i] + d[j]) / 2)
        return [float(means[place - 1]) for place in places]
    rows = np.arange(n)
    found = []
    for place in places:
        low, high = float(d[0]), float(d[-1])
        for _ in range(200):
            middle = (low + high) / 2
            if not low < middle < high:
                break
            # for each i, how many j >= i have d_i + d_j <= 2 middle
            reach = np.searchsorted(d, 2 * middle - d, side="right")
            if int(np.maximum(reach - rows, 0).sum()) >= place:
                high = middle
            else:
                low = middle
        found.append(high)
    return found
