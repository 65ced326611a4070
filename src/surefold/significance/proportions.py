"""Two shares from two separate sets of rows: their difference, its interval, and whether it is more than luck."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from surefold.errors import refuse_unknown
from surefold.estimates.estimate import Estimate, TestResult
from surefold.estimates.quantiles import checked_confidence, normal_quantile, normal_tail
from surefold.estimates.share_intervals import share_interval
from surefold.significance.pairs import Alternative, checked_alternative, checked_number, p_of_tails
from surefold.significance.plain_test import plain_test

__all__ = ["TwoProportions", "two_proportions"]

Interval = Literal["wald", "newcombe", "agresti_caffo", "miettinen_nurminen"]
INTERVALS = ("wald", "newcombe", "agresti_caffo", "miettinen_nurminen")
#: With fewer errors or successes than this on either side the unpooled test rejects too often: by summing over all
#: outcomes at most .0596 of true nulls at .05 from here on, and up to .55 below (30 rows against 1,000, error .02).
FEW = 8


@dataclass(frozen=True, eq=False)
class TwoProportions(TestResult):
    """With the confidence at which the difference would just be significant, by either reading.

    `confidence_one_sided` is for the direction that was seen.
    """

    confidence_two_sided: float = field(default=math.nan)
    confidence_one_sided: float = field(default=math.nan)


@plain_test(
    reads="shares",
    null="the shares of errors of separate rows are the same",
    source="Newcombe (1998), Statistics in Medicine 17:873-890",
)
def two_proportions(
    e1: float,
    n1: float,
    e2: float,
    n2: float,
    pooled: bool = False,
    *,
    interval: Interval = "wald",
    alternative: Alternative = "two-sided",
    confidence: float = 0.95,
) -> TwoProportions:
    """Do two classifiers, tested on separate rows, differ in their share of errors? e1 and e2 are shares, not counts.

    z = (e1 - e2) / √(e1(1 - e1)/n1 + e2(1 - e2)/n2), or with the pooled share in both places. The interval is Wald's
    with the same error, Newcombe's (two Wilson intervals, squared and added), Agresti and Caffo's (one success and one
    failure more on each side) or Miettinen and Nurminen's (score). Where both shares are 0 or 1 Wald's has no width
    and Newcombe's is given. Two classifiers tested on the same rows are compared by `mcnemar`.

    e1:          the share of errors of the first
    n1:          its rows
    e2:          the share of errors of the second
    n2:          its rows
    pooled:      whether the standard error takes one share for both
    interval:    "wald", "newcombe", "agresti_caffo" or "miettinen_nurminen"
    alternative: "two-sided", "greater" (the first is larger) or "less"
    confidence:  of the interval of the effect

    >>> r = two_proportions(0.15, 30, 0.25, 5000)
    >>> print(f"{r.effect.value:.1f} ± {r.effect.width / 2:.3f}, z = {r.statistic:.3f}")
    -0.1 ± 0.128, z = -1.527
    >>> round(r.confidence_two_sided, 3), round(r.confidence_one_sided, 3)
    (0.873, 0.937)
    """
    checked_alternative(alternative)
    confidence = checked_confidence(confidence)
    refuse_unknown("interval for a difference of shares", interval, INTERVALS)
    n1, n2 = (checked_number(n, name, 1, cure="give the rows tested") for n, name in ((n1, "n1"), (n2, "n2")))
    cure = "give a share from 0 to 1: 3 errors in 20 rows are 0.15"
    e1, e2 = (checked_number(e, name, 0, 1, cure) for e, name in ((e1, "e1"), (e2, "e2")))
    d = e1 - e2
    if abs(d) <= 1e-14:
        d = 0.0
    se = math.sqrt(e1 * (1 - e1) / n1 + e2 * (1 - e2) / n2)
    shared = (e1 * n1 + e2 * n2) / (n1 + n2)
    by_pool = math.sqrt(shared * (1 - shared) * (1 / n1 + 1 / n2))
    used = by_pool if pooled or se == 0 else se  # both shares at an end: only the pool has a spread
    z = d / used if d else 0.0
    method = "newcombe" if interval == "wald" and se == 0 else interval
    low, high = _bounds(method, _Share(e1, n1), _Share(e2, n2), se, confidence)
    flags = ("degenerate",) if se == 0 else ()
    if min(e * n for e, n in ((e1, n1), (1 - e1, n1), (e2, n2), (1 - e2, n2))) < FEW - 1e-9:
        flags = (*flags, "few_errors", *(() if pooled else ("liberal_test",)))
    facts = (se, confidence, method, n1 + n2, flags, "difference of shares")
    effect = Estimate(d, max(low, -1.0), min(high, 1.0), *facts)
    upper, lower = float(normal_tail(z)), float(normal_tail(-z))
    assumptions = ("the two sets of rows are separate and independent", "the difference of the shares is near normal")
    return TwoProportions(
        f"two proportions ({'pooled' if pooled or se == 0 else 'unpooled'})",
        effect,
        z,
        p_of_tails(upper, lower, alternative),
        assumptions,
        flags,
        None,
        1 - p_of_tails(upper, lower, "two-sided"),
        1 - min(upper, lower),
    )


class _Share(NamedTuple):
    """A share of so many rows."""

    e: float
    n: float


def _bounds(method: str, first: _Share, second: _Share, se: float, confidence: float) -> tuple[float, float]:
    (e1, n1), (e2, n2) = first, second
    z, d = normal_quantile((1 + confidence) / 2), e1 - e2
    if method == "wald":
        return d - z * se, d + z * se
    if method == "newcombe":
        (l1, u1), (l2, u2) = (share_interval("wilson", e * n, n, confidence) for e, n in (first, second))
        return d - math.hypot(e1 - l1, u2 - e2), d + math.hypot(u1 - e1, e2 - l2)
    if method == "agresti_caffo":
        m1, m2 = n1 + 2, n2 + 2
        p1, p2 = (e1 * n1 + 1) / m1, (e2 * n2 + 1) / m2
        reach = z * math.sqrt(p1 * (1 - p1) / m1 + p2 * (1 - p2) / m2)
        return p1 - p2 - reach, p1 - p2 + reach
    return _farthest(first, second, z, -1.0), _farthest(first, second, z, 1.0)


def _farthest(first: _Share, second: _Share, z: float, end: float) -> float:
    """The difference farthest towards `end` that the score test does not reject, by bisection."""
    inside, outside = first.e - second.e, end
    for _ in range(80):
        middle = (inside + outside) / 2
        if (first.e - second.e - middle) ** 2 > z * z * _score_variance(first, second, middle):
            outside = middle
        else:
            inside = middle
    return inside


def _score_variance(first: _Share, second: _Share, d: float) -> float:
    """The variance of e1 - e2 under the likeliest shares that differ by d: a root of their cubic, by cosines.

    Miettinen and Nurminen (1985); n/(n - 1) stands for one degree of freedom.
    """
    (x1, n1), (x2, n2) = first, second
    n, ratio = n1 + n2, n2 / n1
    a = 1 + ratio
    b = -(1 + ratio + x1 + ratio * x2 + d * (ratio + 2))
    c = d * d + d * (2 * x1 + ratio + 1) + x1 + ratio * x2
    f = -x1 * d * (1 + d)
    v = (b / (3 * a)) ** 3 - b * c / (6 * a * a) + f / (2 * a)
    u2 = max((b / (3 * a)) ** 2 - c / (3 * a), 0.0)
    u = math.copysign(math.sqrt(u2), v)
    angle = (math.pi + math.acos(min(1.0, max(-1.0, v / u**3 if u else 0.0)))) / 3
    p1 = min(1.0, max(0.0, 2 * u * math.cos(angle) - b / (3 * a)))
    p2 = min(1.0, max(0.0, p1 - d))
    return (p1 * (1 - p1) / n1 + p2 * (1 - p2) / n2) * n / (n - 1)
