"""From the moments of pairs to verdicts: better, practically equal, worse, or cannot tell, and how many rows would."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from surefold.comparison.pair_moments import PairMoments
from surefold.comparison.result import Difference, status_of
from surefold.errors import InputError, show
from surefold.estimates.estimate import Estimate, TestResult
from surefold.estimates.of_table import FEW_CLUSTERS
from surefold.estimates.quantiles import normal_quantile, t_quantile, t_tail, t_two_sided
from surefold.significance.multiplicity import holm
from surefold.significance.pairs import no_effect

__all__ = ["POWER", "PairTest", "checked_margin", "judged", "pair_test", "rows_to_tell", "smallest_to_find"]

#: How sure one wants to be of finding the difference when asking how many rows that takes.
POWER = 0.8
PairTest = tuple[tuple[str, str], TestResult, float, float]  # names, test, spread, degrees of freedom


def checked_margin(margin: Any) -> float | None:
    """A difference that does not matter: a positive number, or none."""
    if margin is None:
        return None
    if isinstance(margin, bool) or not isinstance(margin, int | float | np.number) or not 0 < margin < math.inf:
        cure = "give the largest difference that does not matter, as margin=0.01"
        raise InputError("bad_option", f"margin={show(margin)}", cure=cure)
    return float(margin)


def pair_test(
    measure: str, moments: PairMoments, names: Sequence[str], pair: tuple[int, int], confidence: float
) -> PairTest:
    """One difference, its interval and its p: normal, or t where rows come in groups."""
    i, j = pair
    low_limit, high_limit = moments.limits
    name = f"{measure} difference"
    assumptions = ("rows are independent",) if math.isinf(moments.groups) else ("groups of rows are independent",)
    value = float(moments.values[i] - moments.values[j])
    if not math.isfinite(value):
        why = " and ".join(
            f"{moments.reasons[x] or 'it is undefined'} for {names[x]}" for x in pair if np.isnan(moments.values[x])
        )
        unknown = no_effect(why, name, confidence, moments.n)
        return (names[i], names[j]), TestResult(moments.name, unknown, math.nan, 1.0, assumptions), math.nan, math.inf
    df = max(moments.groups - 1, 0.05)
    flags = moments.flags if moments.groups >= FEW_CLUSTERS - 1e-9 else (*moments.flags, "few_clusters")
    rounding = 1e-14 * float(moments.variance.max(initial=0.0))  # of pairs that never differ
    if moments.no_spread and not moments.variance[i, j] > rounding:
        flags, nan = (*flags, "no_spread"), math.nan
        effect = Estimate(value, nan, nan, nan, confidence, moments.method, moments.n, flags, name, moments.no_spread)
        return (names[i], names[j]), TestResult(moments.name, effect, nan, 1.0, assumptions, flags), nan, math.inf
    centre, spread = float(moments.centres[i] - moments.centres[j]), math.sqrt(float(moments.variance[i, j]))
    reach = t_quantile((1 + confidence) / 2, df) * spread if math.isfinite(df) else _z(confidence) * spread
    low, high = max(centre - reach, low_limit), min(centre + reach, high_limit)
    low, high = min(low, value), max(high, value)
    p = 1.0 if value == 0 or spread == 0 else t_two_sided(centre / spread, df)
    se = math.sqrt(max(float(moments.plain[i, j]), 0.0)) if not math.isnan(moments.plain[i, j]) else math.nan
    effect = Estimate(value, low, high, se, confidence, moments.method, moments.n, flags, name)
    statistic = centre / spread if spread > 0 else 0.0
    test = TestResult(moments.name, effect, statistic, p, assumptions, flags, None if math.isinf(df) else df)
    return (names[i], names[j]), test, spread, df


def judged(
    measure: str,
    tests: Sequence[PairTest],
    *,
    lower_is_better: bool,
    margin: float | None,
    confidence: float,
    rows: float,
    adjust: Callable[[Any], Any] = holm,
    outside: Callable[[tuple[str, str]], float | None] | None = None,
) -> tuple[Difference, ...]:
    """Adjust for the number of pairs, then say of each what it shows.

    `outside` gives a better p of "they differ by the margin or more" than the normal one, where there is one.
    """
    level = 1 - confidence
    adjusted = adjust([test.p_value for _, test, _, _ in tests]).tolist()
    equal: list[float | None] = [None] * len(tests)
    if margin is not None:
        raw = [_outside(test, spread, df, margin) for _, test, spread, df in tests]
        if outside is not None:  # asked only where it could matter
            raw = [p if p > level else max(p, outside(names) or 0.0) for p, (names, *_) in zip(raw, tests, strict=True)]
        equal = adjust(raw).tolist()
    found = []
    for (names, test, spread, df), p, equal_p in zip(tests, adjusted, equal, strict=True):
        status = status_of(test, p, lower_is_better, level, equal_p=equal_p)
        each = level / len(tests)
        needed = rows_to_tell(test.effect.value, spread, rows, each, margin, df) if status == "cannot_tell" else None
        smallest = smallest_to_find(spread, each) if math.isfinite(spread) else None
        found.append(Difference(*names, measure, test, p, status, margin, equal_p, needed, smallest, rows))
    return tuple(found)


def _outside(test: TestResult, spread: float, df: float, margin: float) -> float:
    """p of "they differ by the margin or more": the larger of two one-sided tests."""
    if not test.effect.defined or not 0 < spread < math.inf:
        return 1.0
    return t_tail((margin - abs(test.effect.value)) / spread, df)


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
    two_sided = _quantile(1 - level / 2, df) + z_power
    needed = rows * (two_sided * spread / size) ** 2 if size > 1e-12 else math.inf
    if margin is not None and size < margin:
        one_sided = _quantile(1 - level, df) + z_power
        needed = min(needed, rows * (one_sided * spread / (margin - size)) ** 2)
    return needed if math.isinf(needed) else float(math.ceil(needed))


def smallest_to_find(spread: float, level: float) -> float:
    """The smallest difference that these rows would show four times in five."""
    return (normal_quantile(1 - level / 2) + normal_quantile(POWER)) * spread


def _quantile(p: float, df: float) -> float:
    return t_quantile(p, df) if math.isfinite(df) else normal_quantile(p)


def _z(confidence: float) -> float:
    return normal_quantile((1 + confidence) / 2)
