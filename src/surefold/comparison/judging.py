"""From the moments of pairs to verdicts: better, practically equal, worse, or cannot tell, and how many rows would."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from surefold.comparison.family import Family
from surefold.comparison.few_rows import few_row_findings
from surefold.comparison.pair_moments import PairMoments
from surefold.comparison.result import Difference
from surefold.errors import InputError, show
from surefold.estimates.estimate import Estimate, TestResult
from surefold.estimates.of_table import FEW_CLUSTERS
from surefold.estimates.quantiles import normal_quantile
from surefold.measures.measure import Measure
from surefold.significance.bounds import Bounds, quantile
from surefold.significance.pairs import no_effect

__all__ = ["POWER", "PairResult", "checked_margin", "judged", "pair_result", "rows_to_tell", "smallest_to_find"]

#: How sure one wants to be of finding the difference when asking how many rows that takes.
POWER = 0.8


@dataclass(frozen=True, eq=False)
class PairResult:
    """One difference, first minus second, its test, and the bounds that interval and p were read from.

    bounds:  None where the difference, or how much it varies, is unknown.
    again:   makes the difference at another confidence, where the bounds are not what its interval was made of.
    further: makes bounds that hold far from the difference found too, where `bounds` are only good near it.
    """

    names: tuple[str, str]
    test: TestResult
    bounds: Bounds | None = None
    further: Callable[[], Bounds | None] | None = None
    again: Callable[[float], Estimate] | None = None

    def at(self, confidence: float) -> Estimate:
        """The difference with its interval at this confidence."""
        e = self.test.effect
        if self.again is not None:
            return self.again(confidence)
        if self.bounds is None or math.isnan(e.low):
            return e
        low, high = self.bounds.at((1 + confidence) / 2)
        return replace(e, low=low, high=high, confidence=confidence)

    def outside_p(self, margin: float, level: float) -> float:
        """p of "they differ by the margin or more"; further bounds are asked only where it could be told."""
        if self.bounds is None or not self.test.effect.defined:
            return 1.0
        p = self.bounds.outside_p(margin)
        other = self.further() if self.further is not None and p <= level else None
        return p if other is None else max(p, other.outside_p(margin))

    def reach(self, confidence: float) -> tuple[float, float]:
        """From below and from above, each at this confidence; of bounds and further bounds those that reach further."""
        if self.bounds is None:
            return -math.inf, math.inf
        low, high = self.bounds.at(confidence)
        other = None if self.further is None else self.further()
        below, above = (low, high) if other is None else other.at(confidence)
        return min(low, below), max(high, above)

    def tested(self, **changed: Any) -> PairResult:
        """The same with a test that was changed."""
        return replace(self, test=replace(self.test, **changed))


def checked_margin(margin: Any) -> float | None:
    """A difference that does not matter: a positive number, or none."""
    if margin is None:
        return None
    if (
        isinstance(margin, bool)
        or not isinstance(margin, int | float | np.number)
        or not 0 < margin <= sys.float_info.max
    ):
        cure = "give the largest difference that does not matter, as margin=0.01"
        raise InputError("bad_option", f"margin={show(margin)}", cure=cure)
    return float(margin)


def pair_result(
    measure: str,
    moments: PairMoments,
    names: Sequence[str],
    pair: tuple[int, int],
    confidence: float,
    *,
    by_score: bool = False,
) -> PairResult:
    """One difference, its interval and its p; `by_score` where bounds have to hold far from it too."""
    i, j = pair
    named, name = (names[i], names[j]), f"{measure} difference"
    assumptions = ("rows are independent",) if math.isinf(moments.groups) else ("groups of rows are independent",)
    value = float(moments.values[i] - moments.values[j])
    if not math.isfinite(value):
        why = " and ".join(
            f"{moments.reasons[x] or 'it is undefined'} for {names[x]}" for x in pair if np.isnan(moments.values[x])
        )
        unknown = no_effect(why, name, confidence, moments.n)
        return PairResult(named, TestResult(moments.name, unknown, math.nan, 1.0, assumptions))
    flags = moments.flags if moments.groups >= FEW_CLUSTERS - 1e-9 else (*moments.flags, "few_clusters")
    if moments.no_spread and not moments.variance[i, j] > moments.rounding:
        flags, nan = (*flags, "no_spread"), math.nan
        effect = Estimate(value, nan, nan, nan, confidence, moments.method, moments.n, flags, name, moments.no_spread)
        return PairResult(named, TestResult(moments.name, effect, nan, 1.0, assumptions, flags))
    found = None if moments.by_score is None or not by_score else moments.by_score(i, j)
    bounds = moments.bounds(i, j) if found is None else found
    flags = (*flags, *bounds.flags)
    low, high = bounds.at((1 + confidence) / 2)
    se = math.sqrt(max(float(moments.plain[i, j]), 0.0)) if not math.isnan(moments.plain[i, j]) else math.nan
    effect = Estimate(value, low, high, se, confidence, bounds.method, moments.n, flags, name)
    df = None if math.isinf(bounds.df) else bounds.df
    test = TestResult(moments.name, effect, bounds.score(), bounds.p(), assumptions, flags, df)
    further = None if moments.by_score is None or found is not None else partial(moments.by_score, i, j)
    return PairResult(named, test, bounds, further)


def judged(
    measure: Measure,
    results: Sequence[PairResult],
    family: Family,
    rows: float,
) -> tuple[Difference, ...]:
    """Adjust for the number of pairs, then say of each what it shows, with the interval that goes with it."""
    margin = family.margin
    outside = None if margin is None else [r.outside_p(margin, family.level) for r in results]
    tests, lower = [r.test for r in results], measure.better == "lower"
    found = []
    told = family.tell(tests, lambda i, level: results[i].at(level), lower_is_better=lower, outside=outside)
    for r, one in zip(results, told, strict=True):
        each, needed, smallest = family.level * one.share, None, None
        if r.bounds is not None and math.isfinite(r.bounds.spread):
            smallest = smallest_to_find(r.bounds.spread, each)
            if one.status == "cannot_tell":
                needed = rows_to_tell(r.test.effect.value, r.bounds.spread, rows, each, margin, r.bounds.df)
        few, reach = few_row_findings(r.bounds, margin), r.reach if r.again is None else None
        first, second = r.names
        found.append(
            Difference(
                first, second, measure.name, r.test, one.p, one.status, margin, one.equal_p, needed, smallest, rows,
                few, math.nan if r.bounds is None else r.bounds.spread, one.effect, reach,
            )
        )  # fmt: skip
    return tuple(found)


def rows_to_tell(
    difference: float, spread: float, rows: float, level: float, margin: float | None, df: float = math.inf
) -> float | None:
    """About how many rows in all would show the difference, or that it is inside the margin, four times in five.

    The difference and the spread a row are taken to stay what they are, and groups to grow with the rows. Infinite
    where no number of rows would; None of two groups or fewer, whose spread says nothing of more.
    """
    if not (math.isfinite(difference) and math.isfinite(spread)) or df < 2:
        return None
    z_power = normal_quantile(POWER)
    size = abs(difference)
    two_sided = quantile(1 - level / 2, df) + z_power
    needed = rows * (two_sided * spread / size) ** 2 if size > 1e-12 else math.inf
    if margin is not None and size < margin:
        one_sided = quantile(1 - level, df) + z_power
        needed = min(needed, rows * (one_sided * spread / (margin - size)) ** 2)
    return needed if math.isinf(needed) else float(math.ceil(needed))


def smallest_to_find(spread: float, level: float) -> float:
    """The smallest difference that these rows would show four times in five."""
    return (normal_quantile(1 - level / 2) + normal_quantile(POWER)) * spread
