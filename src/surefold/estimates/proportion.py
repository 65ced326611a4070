"""Intervals and tests for a share.

The interval functions work on arrays; the public ones take two numbers and return an `Estimate`. Counts may be
fractional, because weights and groups turn n into an effective n.
"""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefold.errors import InputError, UnknownNameError
from surefold.estimates.added_errors import added_errors
from surefold.estimates.estimate import Estimate, TestResult
from surefold.estimates.quantiles import (
    beta_quantile,
    binomial_upper_tail,
    checked_confidence,
    normal_quantile,
    normal_tail,
)

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

#: With this many errors or successes, or fewer, Wilson can fall short and the exact interval takes over.
FEW = 3
#: Above this confidence it takes over everywhere: of 500 slices of 50 rows at Sidak's level Wilson's intervals all hold
#: in .10 of the samples, and the exact ones are no wider.
EXACT_ABOVE = 0.99


def _wilson(s: Array, n: Array, z: float) -> tuple[Array, Array]:
    p, z2 = s / n, z * z
    centre = (p + z2 / (2 * n)) / (1 + z2 / n)
    half = z / (1 + z2 / n) * np.sqrt(p * (1 - p) / n + z2 / (4 * n * n))
    # At the ends the bound is exactly 0 or 1, which rounding would miss.
    return np.where(s <= 0, 0.0, centre - half), np.where(s >= n, 1.0, centre + half)


def _wilson_corrected(s: Array, n: Array, z: float) -> tuple[Array, Array]:
    p, z2 = s / n, z * z
    scale = 2 * (n + z2)
    low = (2 * s + z2 - 1 - z * np.sqrt(np.maximum(z2 - 2 - 1 / n + 4 * p * (n * (1 - p) + 1), 0))) / scale
    high = (2 * s + z2 + 1 + z * np.sqrt(np.maximum(z2 + 2 - 1 / n + 4 * p * (n * (1 - p) - 1), 0))) / scale
    return np.where(s <= 0, 0.0, low), np.where(s >= n, 1.0, high)


def _clopper_pearson(s: Array, n: Array, tail: float) -> tuple[Array, Array]:
    return beta_quantile(tail, s, n - s + 1), beta_quantile(1 - tail, s + 1, n - s)


def _jeffreys(s: Array, n: Array, tail: float) -> tuple[Array, Array]:
    low, high = (beta_quantile(t, s + 0.5, n - s + 0.5) for t in (tail, 1 - tail))
    return np.where(s <= 0, 0.0, low), np.where(s >= n, 1.0, high)


def _agresti_coull(s: Array, n: Array, z: float) -> tuple[Array, Array]:
    more = n + z * z
    return _wald(s + z * z / 2, more, z)


def _wald(s: Array, n: Array, z: float) -> tuple[Array, Array]:
    p = s / n
    half = z * np.sqrt(p * (1 - p) / n)
    return p - half, p + half


def share_interval(method: str, successes: ArrayLike, n: ArrayLike, confidence: float) -> tuple[Array, Array]:
    """Low and high of the named interval, for arrays; [0, 1] where n is 0."""
    tail = (1 - confidence) / 2
    z = normal_quantile(1 - tail)
    s, n = np.broadcast_arrays(np.asarray(successes, dtype=float), np.asarray(n, dtype=float))
    empty = n <= 0
    n = np.where(empty, 1.0, n)
    s = np.where(empty, 0.0, np.clip(s, 0, n))
    if method == "auto":
        exact = is_exact(s, n, confidence)
        low, high = _wilson(s, n, z)
        if exact.any():
            exact_low, exact_high = _clopper_pearson(s, n, tail)
            low, high = np.where(exact, exact_low, low), np.where(exact, exact_high, high)
    elif method == "wilson":
        low, high = _wilson(s, n, z)
    elif method == "wilson_corrected":
        low, high = _wilson_corrected(s, n, z)
    elif method == "clopper_pearson":
        low, high = _clopper_pearson(s, n, tail)
    elif method == "jeffreys":
        low, high = _jeffreys(s, n, tail)
    elif method == "agresti_coull":
        low, high = _agresti_coull(s, n, z)
    elif method == "wald":
        low, high = _wald(s, n, z)
    else:
        raise UnknownNameError("interval for a share", method, SHARE_METHODS)
    return np.where(empty, 0.0, np.clip(low, 0, 1)), np.where(empty, 1.0, np.clip(high, 0, 1))


SHARE_METHODS = ("auto", "wilson", "wilson_corrected", "clopper_pearson", "jeffreys", "agresti_coull", "wald")

#: Intervals for a share that cover well below what they say near 0 and 1 (see the validity page).
WEAK_WHEN_FEW = ("wilson", "jeffreys", "wald")


def few(successes: ArrayLike, n: ArrayLike) -> NDArray[np.bool_]:
    """Whether there are three or fewer errors or successes, allowing for rounding in effective counts."""
    s, n = np.asarray(successes), np.asarray(n)
    return np.asarray((s <= FEW + 1e-9) | (n - s <= FEW + 1e-9))


def is_exact(successes: ArrayLike, n: ArrayLike, confidence: float) -> NDArray[np.bool_]:
    """Whether "auto" takes the exact interval in place of Wilson's: few errors or successes, or a level above .99."""
    return few(successes, n) | (confidence > EXACT_ABOVE + 1e-9)


def _estimate(method: str, successes: float, n: float, confidence: float) -> Estimate:
    s, n = _checked_counts(successes, n)
    confidence = checked_confidence(confidence)
    low, high = share_interval(method, s, n, confidence)
    p = s / n
    flags = ["degenerate"] if s in (0, n) else []
    if method in WEAK_WHEN_FEW and (method == "wald" or few(s, n)):
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
        return float(_wilson(np.asarray(e), np.asarray(n), normal_quantile(1 - miss))[1])
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
    if alternative not in ("two-sided", "greater", "less"):
        raise UnknownNameError("alternative", alternative, ("two-sided", "greater", "less"))
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
