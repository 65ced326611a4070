"""The only division in the library: undefined is NaN, never 0."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["ratio"]


def ratio(numerator: Any, denominator: Any) -> NDArray[Any]:
    """numerator / denominator, with 0/0 = NaN (undefined), x/0 = infinity, and NaN wherever the numerator is NaN.

    Complex numbers pass through, because derivatives are taken by complex step; whether a denominator is zero is read
    off its real part.

    >>> ratio([1.0, 0.0, 2.0], [4.0, 0.0, 0.0])
    array([0.25,  nan,  inf])
    """
    top, bottom = np.asarray(numerator), np.asarray(denominator)
    is_zero = bottom.real == 0
    if not is_zero.any():
        return np.asarray(top / bottom)
    quotient = top / np.where(is_zero, 1.0, bottom)
    with np.errstate(invalid="ignore"):  # 0 x infinity is the NaN that is wanted
        return np.where(is_zero, top.real * np.inf, quotient)
