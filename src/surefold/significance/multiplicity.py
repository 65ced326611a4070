"""Many tests at once: p-values adjusted so that the whole family keeps its promise."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from surefold.errors import InputError, refuse_unknown
from surefold.given import Values
from surefold.significance.pairs import Array, checked_numbers

__all__ = ["ADJUSTMENTS", "benjamini_hochberg", "bonferroni", "checked_adjustment", "hochberg", "holm"]


def holm(p: Values) -> Array:
    """Holm's step-down: the chance of any false rejection stays below the level, whatever the dependence.

    p: the raw p-values, in any order

    >>> holm([0.01, 0.04, 0.03]).tolist()  # 3 x .01; 2 x .03; the last is no smaller than that
    [0.03, 0.06, 0.06]
    """
    x, order, m = _sorted(p)
    return _restored(np.maximum.accumulate((m - np.arange(m)) * x[order]), order)


def hochberg(p: Values) -> Array:
    """Hochberg's step-up: never above Holm's; for independent (or positively dependent) tests.

    p: the raw p-values, in any order

    >>> hochberg([0.01, 0.04, 0.03]).tolist()  # from the largest: .04; min(.04, 2 x .03); min(.04, 3 x .01)
    [0.03, 0.04, 0.04]
    """
    x, order, m = _sorted(p)
    return _restored(_running_least((m - np.arange(m)) * x[order]), order)


def bonferroni(p: Values) -> Array:
    """Bonferroni: every p times their number. Never below Holm's, which promises the same and rejects more.

    p: the raw p-values, in any order

    >>> bonferroni([0.01, 0.04, 0.5]).tolist()
    [0.03, 0.12, 1.0]
    """
    x, _, m = _sorted(p)
    return np.minimum(m * x, 1.0)


def benjamini_hochberg(p: Values) -> Array:
    """Benjamini and Hochberg: the expected share of false ones among the rejections stays below the level.

    p: the raw p-values, in any order

    >>> benjamini_hochberg([0.01, 0.04, 0.03]).tolist()  # 3 x .01 / 1; 3 x .03 / 2 cut to 3 x .04 / 3
    [0.03, 0.04, 0.04]
    """
    x, order, m = _sorted(p)
    return _restored(_running_least(m / (np.arange(m) + 1) * x[order]), order)


def _sorted(p: Values) -> tuple[Array, Any, int]:
    x = checked_numbers(p, "p")
    outside = np.flatnonzero((x < 0) | (x > 1)) + 1
    if len(outside):
        problem = f"p holds {x[outside[0] - 1]:g}, which is no chance"
        raise InputError("bad_option", problem, rows=outside.tolist(), count=len(outside), cure="give numbers 0 to 1")
    return x, np.argsort(x, kind="stable"), len(x)


def _running_least(x: Array) -> Array:
    return np.asarray(np.minimum.accumulate(x[::-1])[::-1])


def _restored(adjusted: Array, order: Any) -> Array:
    found = np.empty(len(adjusted))
    found[order] = np.minimum(adjusted, 1.0)
    return found


#: What `adjust=` may be.
ADJUSTMENTS: dict[str, Callable[[Any], Array]] = {
    "holm": holm,
    "hochberg": hochberg,
    "bonferroni": bonferroni,
    "benjamini_hochberg": benjamini_hochberg,
    "none": lambda p: np.asarray(p, dtype=float),
}


def checked_adjustment(adjust: str) -> Callable[[Any], Array]:
    """The adjustment of that name."""
    refuse_unknown("adjustment", adjust, ADJUSTMENTS)
    return ADJUSTMENTS[adjust]
