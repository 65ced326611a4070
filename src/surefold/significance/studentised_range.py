"""The range of k independent normal numbers over a standard deviation: tails and quantiles."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

__all__ = ["range_quantile", "range_tail"]

_STEP = 0.02


@lru_cache(maxsize=1024)
def range_tail(q: float, k: int, df: float = math.inf) -> float:
    """P(range / s > q) for s on df degrees of freedom.

    With infinite df it is k ∫ φ(z) (Φ(z)^(k-1) - (Φ(z) - Φ(z - q))^(k-1)) dz; the integrand falls off like a normal
    density on both sides, so equal steps are exact to the last digits.

    >>> round(range_tail(3.314493, 3), 6)
    0.05
    """
    if q <= 0:
        return 1.0
    if math.isfinite(df):
        from scipy.stats import studentized_range

        return float(studentized_range.sf(q, k, df))
    from scipy.special import ndtr

    z = np.arange(-9.0, q / 2 + 9.0, _STEP)
    below = ndtr(z)
    rest = -np.expm1((k - 1) * np.log1p(-np.minimum(ndtr(z - q) / below, 1.0 - 1e-16)))
    density = np.exp(-z * z / 2) / math.sqrt(2 * math.pi)
    return min(1.0, float(k * _STEP * (density * below ** (k - 1) * rest).sum()))


@lru_cache(maxsize=256)
def range_quantile(confidence: float, k: int, df: float = math.inf) -> float:
    """The value that the studentised range exceeds with chance 1 - confidence, by halving.

    >>> round(range_quantile(0.95, 4) / math.sqrt(2), 3)
    2.569
    """
    if math.isfinite(df):
        from scipy.stats import studentized_range

        return float(studentized_range.ppf(confidence, k, df))
    low, high = 0.0, 1.0
    while range_tail(high, k) > 1 - confidence:
        high *= 2
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if range_tail(middle, k) > 1 - confidence else (low, middle)
    return (low + high) / 2
