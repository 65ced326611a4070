"""Intervals and tests for a share.

The interval functions work on arrays; the public ones take two numbers and return an `Estimate`. Counts may be
fractional, because weights and groups turn n into an effective n.
"""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from surefold.errors import InputError, UnknownNameError, refuse_unknown
from surefold.estimates.added_errors import added_errors
from surefold.estimates.estimate import Estimate, TestResult
from surefold.estimates.quantiles import (
    beta_quantile,
    binomial_upper_tail,
    checked_confidence,
    normal_tail,
)
from surefold.estimates.share_intervals import FEW, SHARE_METHODS, few, misleads, share_interval

__all__ = [
    "BOUNDS",
    "FEW",
    "Bound",
    "agresti_coull",
    "clopper_pearson",
    "jeffreys",
    "pessimistic_error",
    "proportion_test",
    "share_interval",
    "wald",
    "wilson",
]

Array = NDArray[np.float64]
Alternative = Literal["two-sided", "greater", "less"]
Bound = Literal["wilson", "c45", "c45_program", "j48"]
#: The upper bounds of an error that trees are pruned by.
BOUNDS: tuple[Bound, ...] = ("wilson", "c45", "c45_program", "j48")


def _estimate(method: str, successes: float, n: float, confidence: float) -> Estimate:
    s, n = _checked_counts(successes, n)
    confidence = checked_confidence(confidence)
    low, high = share_interval(method, s, n, confidence)
    p = s / n
    flags = ["degenerate"] if s in (0, n) else []
    if misleads(method, bool(few(s, n))):
        flags.append("known_to_mislead")
    worst = pessimistic_error(s, n)
    return Estimate(
        p,
        float(low),
        float(high),
        math.sqrt(p * (1 - p) / n),
        confidence,
        method,
        n,
        tuple(flags),
        pessimistic=worst,
    )


def wilson(successes: float, n: float, *, correction: bool = False, confidence: float = 0.95) -> Estimate:
    """Wilson's score interval for a share, with continuity correction if asked.

    >>> print(wilson(16, 20))
    0.80 [0.58, 0.92]
    """
    return _estimate("wilson_corrected" if correction else "wilson", successes, n, confidence)


def clopper_pearson(successes: float, n: float, *, confidence: float = 0.95) -> Estimate:
    """The exact interval: covers at least what it says, always.

    >>> print(clopper_pearson(20, 20))
    1.000 [0.832, 1.000]
    """
    return _estimate("clopper_pearson", successes, n, confidence)


def jeffreys(successes: float, n: float, *, confidence: float = 0.95) -> Estimate:
    """Equal tails of the posterior under Jeffreys' prior, reaching 0 or 1 where all rows agree.

    >>> print(jeffreys(16, 20))
    0.80 [0.59, 0.93]
    """
    return _estimate("jeffreys", successes, n, confidence)


def agresti_coull(successes: float, n: float, *, confidence: float = 0.95) -> Estimate:
    """Wald's interval after adding z^2 rows, half of them successes.

    >>> print(agresti_coull(16, 20))
    0.80 [0.58, 0.93]
    """
    return _estimate("agresti_coull", successes, n, confidence)


def wald(successes: float, n: float, *, confidence: float = 0.95) -> Estimate:
    """The normal interval of the textbooks: known to miss near 0 and 1, and flagged for it.

    >>> wald(16, 20).flags
    ('known_to_mislead',)
    """
    return _estimate("wald", successes, n, confidence)


def pessimistic_error(
    errors: float,
    n: float,
    confidence: float = 0.25,
    bound: Literal["wilson", "c45", "c45_program", "j48"] = "wilson",
) -> float:
    """The upper bound of an error rate that is exceeded with chance `confidence` (C4.5's CF).

    "wilson" is the bound as the lecture slides print it, "c45" the exact binomial limit that C4.5 is described by.
    "c45_program" is what its program computes, which approximates that limit where there are errors; "j48" is WEKA's
    form of it, which reads the normal deviation off no table.

    >>> round(pessimistic_error(0, 6), 3), round(pessimistic_error(0, 6, bound="c45"), 3)
    (0.07, 0.206)
    >>> [round(pessimistic_error(1, 16, bound=b), 4) for b in ("c45", "c45_program", "j48")]
    [0.1596, 0.1567, 0.1547]
    """
    e, n = _checked_counts(errors, n)
    miss = checked_confidence(confidence)
    if bound == "wilson":
        return float(SHARE_METHODS["wilson"].bounds(np.asarray(e), np.asarray(n), miss)[1])
    if bound == "c45":
        return float(beta_quantile(1 - miss, e + 1, n - e))
    if bound == "c45_program" or bound == "j48":
        return (e + added_errors(e, n, miss, bound)) / n
    raise UnknownNameError("bound", bound, BOUNDS)


def proportion_test(
    successes: float,
    n: float,
    rate: float,
    *,
    method: Literal["exact", "score"] = "exact",
    alternative: Alternative = "two-sided",
    confidence: float = 0.95,
) -> TestResult:
    """Is the share other than `rate`? Exact binomial, or the score test that Wilson's interval inverts.

    The exact two-sided p is the chance of all outcomes no likelier than this one.

    >>> round(proportion_test(9, 10, 0.5).p_value, 4)  # 2 (1 + 10) / 2^10
    0.0215
    """
    s, n = _checked_counts(successes, n)
    if not 0 <= rate <= 1:
        raise InputError("bad_option", f"rate={rate!r}", cure="give a share between 0 and 1")
    refuse_unknown("alternative", alternative, ("two-sided", "greater", "less"))
    effect = _estimate("clopper_pearson" if method == "exact" else "wilson", s, n, confidence)
    spread = math.sqrt(rate * (1 - rate) / n)
    z = (s / n - rate) / spread if spread > 0 else math.copysign(math.inf, s / n - rate) if s != n * rate else 0.0
    assumptions = ["rows are independent"]
    if method == "exact":
        p_value = _exact_p(s, n, rate, alternative)
    elif method == "score":
        tails = {"greater": float(normal_tail(z)), "less": float(normal_tail(-z))}
        p_value = tails.get(alternative, min(1.0, 2 * min(tails.values())))
        assumptions.append("the count is near normal")
    else:
        raise UnknownNameError("method", method, ("exact", "score"))
    return TestResult(f"{method} test of a share", effect, z, p_value, tuple(assumptions))


def _exact_p(s: float, n: float, rate: float, alternative: Alternative) -> float:
    greater = float(binomial_upper_tail(s, n, rate))
    less = float(binomial_upper_tail(n - s, n, 1 - rate))
    if alternative == "greater":
        return greater
    if alternative == "less":
        return less
    if s != int(s) or n != int(n):
        return min(1.0, 2 * min(greater, less))  # fractional counts have no list of outcomes to compare with
    return _no_likelier(int(s), int(n), rate)


def _no_likelier(s: int, n: int, rate: float) -> float:
    """Chance of all counts that are no likelier than `s`, found by bisection on the far side of the mode."""
    from scipy.special import gammaln, xlog1py, xlogy

    def log_chance(k: Any) -> Any:
        k = np.asarray(k, dtype=float)
        return gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1) + xlogy(k, rate) + xlog1py(n - k, -rate)

    limit = log_chance(s) + 1e-7  # outcomes as likely as this one count, whatever the rounding
    mode = min(math.floor((n + 1) * rate), n)
    if log_chance(mode) <= limit:
        return 1.0
    if s > mode:
        lo, hi = -1, mode  # the largest count below the mode that is no likelier
        while hi - lo > 1:
            middle = (lo + hi) // 2
            lo, hi = (middle, hi) if log_chance(middle) <= limit else (lo, middle)
        below, above = lo, s
    else:
        lo, hi = mode, n + 1  # the smallest count above the mode that is no likelier
        while hi - lo > 1:
            middle = (lo + hi) // 2
            lo, hi = (lo, middle) if log_chance(middle) <= limit else (middle, hi)
        below, above = s, hi
    return min(1.0, float(binomial_upper_tail(n - below, n, 1 - rate) + binomial_upper_tail(above, n, rate)))


def _checked_counts(successes: float, n: float) -> tuple[float, float]:
    s, n = float(successes), float(n)
    if not (math.isfinite(n) and n > 0):
        raise InputError("bad_option", f"n={n:g}", cure="give at least one row")
    if not 0 <= s <= n:
        raise InputError("bad_option", f"{s:g} of {n:g}", cure="give a count from 0 to n")
    return s, n
