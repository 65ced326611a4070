"""The mean of some values with the interval of the textbooks: it takes the values as independent."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefold.errors import InputError, UnknownNameError
from surefold.estimates.estimate import Estimate
from surefold.estimates.quantiles import checked_confidence, normal_quantile, t_quantile

__all__ = ["Distribution", "checked_values", "mean_interval", "scaled_variance"]

Distribution = Literal["t", "normal"]
Array = NDArray[np.float64]

#: A spread this small beside the values is what rounding leaves of none.
_ROUNDING = 1e-13


def mean_interval(
    values: ArrayLike, distribution: Distribution = "t", ddof: int = 1, confidence: float = 0.95
) -> Estimate:
    """Mean of the values, and mean ± quantile x s / √K: t with K - 1 degrees of freedom, or normal.

    s² divides by K - 1; `ddof=0` divides by K, as some books write. Equal values give an interval without width,
    which says nothing about the next value: it is flagged `degenerate`. One value has no interval.

    >>> errors = [8 / 30, 4 / 30, 7 / 30, 11 / 30, 5 / 30]
    >>> print(mean_interval(errors), mean_interval(errors, "normal"))
    0.23 [0.12, 0.35] 0.233 [0.153, 0.313]
    """
    x, confidence = checked_values(values), checked_confidence(confidence)
    if distribution not in ("t", "normal"):
        raise UnknownNameError("distribution", distribution, ("t", "normal"))
    k, value, df = len(x), float(x.mean()), len(x) - 1
    method = distribution if ddof == 1 else f"{distribution}, ddof={_checked_ddof(ddof)}"
    if k == 1:
        reason = "one value has no spread"
        return Estimate(value, math.nan, math.nan, confidence=confidence, method=method, n=k, reason=reason)
    se = math.sqrt(scaled_variance(x, ddof) / k)
    tail = (1 + confidence) / 2
    reach = se * (t_quantile(tail, df) if distribution == "t" else normal_quantile(tail))
    flags = ("degenerate",) if se == 0 else ()
    used = float(df) if distribution == "t" else None
    return Estimate(value, value - reach, value + reach, se, confidence, method, k, flags, df=used)


def checked_values(values: ArrayLike, name: str = "values") -> Array:
    """A flat array of numbers, every one of them finite."""
    try:
        x = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
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
