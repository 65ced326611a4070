"""The mean of some values with the interval of the textbooks: it takes the values as independent."""

from __future__ import annotations

import math
import sys
from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefold.errors import InputError, refuse_unknown, show
from surefold.estimates.estimate import Estimate
from surefold.estimates.quantiles import checked_confidence, chi2_quantile, normal_quantile, t_quantile

__all__ = [
    "Distribution",
    "checked_values",
    "mean_interval",
    "mean_interval_from",
    "scaled_variance",
    "standard_error_from",
    "variance_interval",
]

Distribution = Literal["t", "normal"]
Array = NDArray[np.float64]

#: A spread this small beside the values is what rounding leaves of none.
_ROUNDING = 1e-13


def mean_interval(
    values: ArrayLike,
    distribution: Distribution = "t",
    ddof: int = 1,
    confidence: float = 0.95,
    *,
    sigma: float | None = None,
) -> Estimate:
    """Mean of the values, and mean ± quantile x s / √K: t with K - 1 degrees of freedom, or normal.

    s² divides by K - 1; `ddof=0` divides by K, as some books write. Equal values give an interval without width,
    which says nothing about the next value: it is flagged `degenerate`. One value has no interval. Where the standard
    deviation of a value is known, `sigma` takes the place of s, and the interval is normal.

    >>> errors = [8 / 30, 4 / 30, 7 / 30, 11 / 30, 5 / 30]
    >>> print(mean_interval(errors), mean_interval(errors, "normal"))
    0.23 [0.12, 0.35] 0.233 [0.153, 0.313]
    >>> print(mean_interval(errors, sigma=0.1))  # 7/30 ± 1.96 x .1 / √5
    0.233 [0.146, 0.321]
    """
    x, confidence = checked_values(values), checked_confidence(confidence)
    _check_distribution(distribution)
    k, value = len(x), float(x.mean())
    if sigma is not None:
        _positive("sigma", sigma)
        se, told = sigma / math.sqrt(k), "normal, sigma known"
        return _around(Estimate(value, math.nan, math.nan, se, confidence, told, k), "normal")
    method = distribution if ddof == 1 else f"{distribution}, ddof={_checked_ddof(ddof)}"
    if k == 1:
        reason = "one value has no spread"
        return Estimate(value, math.nan, math.nan, confidence=confidence, method=method, n=k, reason=reason)
    se = math.sqrt(scaled_variance(x, ddof) / k)
    return _around(Estimate(value, math.nan, math.nan, se, confidence, method, k), distribution)


def mean_interval_from(
    mean: float,
    k: int,
    *,
    sd: float | None = None,
    se: float | None = None,
    distribution: Distribution = "t",
    confidence: float = 0.95,
) -> Estimate:
    """`mean_interval` from what a paper prints of K values: their mean, and `sd`, their standard deviation, or `se`.

    `se` is the standard error of the mean, sd / √K; papers mix the two up, so one of them must be named.

    >>> print(mean_interval_from(0.233, 5, sd=0.0913))
    0.23 [0.12, 0.35]
    """
    confidence, se = checked_confidence(confidence), standard_error_from(k, sd, se)
    _check_distribution(distribution)
    facts = (se, confidence, f"{distribution}, from a summary", k)
    return _around(Estimate(float(mean), math.nan, math.nan, *facts), distribution)


def standard_error_from(k: int, sd: float | None, se: float | None) -> float:
    """The standard error of the mean of k values, from it or from their standard deviation.

    >>> standard_error_from(4, sd=0.5, se=None), standard_error_from(4, sd=None, se=0.5)
    (0.25, 0.5)
    """
    if isinstance(k, bool) or not isinstance(k, int | np.integer) or not 2 <= k < 2**53:
        raise InputError("bad_option", f"k={show(k)}", cure="give the number of values, 2 or more")
    if sd is not None and se is None:
        return _positive("sd", sd) / math.sqrt(k)
    if se is not None and sd is None:
        return _positive("se", se)
    cure = "give sd=, the standard deviation of the values, or se=, the standard error of their mean"
    raise InputError("bad_option", f"sd={show(sd)} and se={show(se)}", cure=cure)


def variance_interval(values: ArrayLike, confidence: float = 0.95) -> Estimate:
    """The variance of the values by K - 1, and its interval from chi-squared with K - 1 degrees of freedom.

    The sum of the squared distances from the mean over σ² is distributed so where values are normal; the interval
    leans on that more than the one of a mean does.

    >>> print(variance_interval([8, 4, 7, 11, 5]))  # 30/4, and 30 over the quantiles 11.143 and 0.484
    7.50 [2.69, 61.9]
    """
    x, confidence = checked_values(values), checked_confidence(confidence)
    k, variance = len(x), scaled_variance(x)
    if k == 1:
        reason = "one value has no spread"
        return Estimate(math.nan, math.nan, math.nan, confidence=confidence, method="chi-squared", n=k, reason=reason)
    squares = (k - 1) * variance
    low, high = (squares / chi2_quantile(p, k - 1) for p in ((1 + confidence) / 2, (1 - confidence) / 2))
    flags = ("degenerate",) if variance == 0 else ()
    se = math.nan  # the interval is no distance from the value
    return Estimate(variance, low, high, se, confidence, "chi-squared", k, flags, "variance", df=float(k - 1))


def _around(found: Estimate, distribution: Distribution) -> Estimate:
    """An estimate of a mean with the interval of t, or the normal one."""
    tail, df = (1 + found.confidence) / 2, found.n - 1
    reach = found.se * (t_quantile(tail, df) if distribution == "t" else normal_quantile(tail))
    flags = ("degenerate",) if found.se == 0 else ()
    used = float(df) if distribution == "t" else None
    return replace(found, low=found.value - reach, high=found.value + reach, flags=flags, df=used)


def _check_distribution(distribution: str) -> None:
    refuse_unknown("distribution", distribution, ("t", "normal"))


def _positive(name: str, given: float) -> float:
    if isinstance(given, bool) or not isinstance(given, int | float | np.number) or not 0 < given <= sys.float_info.max:
        raise InputError("bad_option", f"{name}={show(given)}", cure="give a number above 0")
    return float(given)


def checked_values(values: ArrayLike, name: str = "values") -> Array:
    """A flat array of numbers, every one of them finite."""
    try:
        x = np.asarray(values, dtype=float)
    except (OverflowError, TypeError, ValueError):
        cure = "give a list or array of numbers"
        raise InputError("not_an_array", f"{name} is not a list of numbers", cure=cure) from None
    if x.ndim != 1:
        raise InputError("bad_shape", f"{name} has shape {x.shape}", cure="give one number a fold, in one list")
    if not len(x):
        raise InputError("no_rows", f"{name} is empty", cure="give at least one value")
    missing = np.flatnonzero(~np.isfinite(x)) + 1
    if len(missing):
        places = ", ".join(str(i) for i in missing[:3])
        problem = f"{len(missing)} of {len(x)} {name} are not finite, first at {places}"
        cure = "use a measure that is defined in every fold, or fewer folds"
        raise InputError("undefined_folds", problem, cure=cure)
    return x


def scaled_variance(x: Array, ddof: int = 1) -> float:
    """The variance, with what rounding leaves of equal values set to zero; NaN of too few values.

    >>> scaled_variance(np.full(10, 0.1)), scaled_variance(np.array([1.0, 3.0]))
    (0.0, 2.0)
    """
    divisor = len(x) - _checked_ddof(ddof)
    if divisor <= 0:
        return math.nan
    away = x - x.mean()
    if np.abs(away).max() <= _ROUNDING * np.abs(x).max():
        return 0.0
    return float(away @ away) / divisor


def _checked_ddof(ddof: int) -> int:
    if ddof not in (0, 1):
        cure = "1 divides the variance by K - 1, 0 by K"
        raise InputError("bad_option", f"ddof={ddof!r}", cure=cure)
    return int(ddof)
