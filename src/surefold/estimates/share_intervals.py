"""Intervals for a share by name, on arrays.

A function with `@share_method` can be asked for wherever shares have intervals. Counts may be fractional, because
weights and groups turn n into an effective n.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefold.errors import refuse_unknown
from surefold.estimates.quantiles import beta_quantile, normal_quantile

__all__ = ["FEW", "SHARE_METHODS", "few", "is_exact", "misleads", "share_interval", "share_method"]

Array = NDArray[np.float64]
#: Low and high from successes, rows (more than 0) and the chance that each end may miss with.
Bounds = Callable[[Array, Array, float], tuple[Array, Array]]
#: When an interval covers well below what it says near 0 and 1 (see the validity page).
Weak = Literal["never", "few", "always"]

#: With this many errors or successes, or fewer, Wilson can fall short and the exact interval takes over.
FEW = 3
#: Above this confidence it takes over everywhere: of 500 slices of 50 rows at Sidak's level Wilson's intervals all hold
#: in .10 of the samples, and the exact ones are no wider.
EXACT_ABOVE = 0.99


class ShareMethod(NamedTuple):
    """An interval for a share: its bounds, and where it is known to mislead."""

    bounds: Bounds
    weak: Weak


#: Every interval for a share, by the name of its function.
SHARE_METHODS: dict[str, ShareMethod] = {}


def share_method(*, weak: Weak) -> Callable[[Bounds], Bounds]:
    """Register bounds for a share; it is asked for by the function's name.

    weak: "few" or "always" where it is known to mislead, which is then flagged.
    """

    def register(bounds: Bounds) -> Bounds:
        name = bounds.__name__
        if name in SHARE_METHODS:
            raise AssertionError(f"two intervals are called {name}")
        SHARE_METHODS[name] = ShareMethod(bounds, weak)
        return bounds

    return register


@share_method(weak="never")
def auto(s: Array, n: Array, tail: float) -> tuple[Array, Array]:
    """Wilson's, or the exact one where that could fall short."""
    exact = is_exact(s, n, 1 - 2 * tail)
    low, high = wilson(s, n, tail)
    if exact.any():
        exact_low, exact_high = clopper_pearson(s, n, tail)
        low, high = np.where(exact, exact_low, low), np.where(exact, exact_high, high)
    return low, high


@share_method(weak="few")
def wilson(s: Array, n: Array, tail: float) -> tuple[Array, Array]:
    """The shares that a score test would not reject."""
    z = normal_quantile(1 - tail)
    p, z2 = s / n, z * z
    centre = (p + z2 / (2 * n)) / (1 + z2 / n)
    half = z / (1 + z2 / n) * np.sqrt(p * (1 - p) / n + z2 / (4 * n * n))
    # At the ends the bound is exactly 0 or 1, which rounding would miss.
    return np.where(s <= 0, 0.0, centre - half), np.where(s >= n, 1.0, centre + half)


@share_method(weak="never")
def wilson_corrected(s: Array, n: Array, tail: float) -> tuple[Array, Array]:
    """The same test with its continuity correction."""
    z = normal_quantile(1 - tail)
    p, z2 = s / n, z * z
    scale = 2 * (n + z2)
    low = (2 * s + z2 - 1 - z * np.sqrt(np.maximum(z2 - 2 - 1 / n + 4 * p * (n * (1 - p) + 1), 0))) / scale
    high = (2 * s + z2 + 1 + z * np.sqrt(np.maximum(z2 + 2 - 1 / n + 4 * p * (n * (1 - p) - 1), 0))) / scale
    return np.where(s <= 0, 0.0, low), np.where(s >= n, 1.0, high)


@share_method(weak="never")
def clopper_pearson(s: Array, n: Array, tail: float) -> tuple[Array, Array]:
    """The shares that neither tail of the binomial distribution would reject."""
    return beta_quantile(tail, s, n - s + 1), beta_quantile(1 - tail, s + 1, n - s)


@share_method(weak="few")
def jeffreys(s: Array, n: Array, tail: float) -> tuple[Array, Array]:
    """Equal tails of the posterior under Jeffreys' prior."""
    low, high = (beta_quantile(t, s + 0.5, n - s + 0.5) for t in (tail, 1 - tail))
    return np.where(s <= 0, 0.0, low), np.where(s >= n, 1.0, high)


@share_method(weak="never")
def agresti_coull(s: Array, n: Array, tail: float) -> tuple[Array, Array]:
    """Wald's after adding z^2 rows, half of them successes."""
    z = normal_quantile(1 - tail)
    return wald(s + z * z / 2, n + z * z, tail)


@share_method(weak="always")
def wald(s: Array, n: Array, tail: float) -> tuple[Array, Array]:
    """The normal interval around the share."""
    p = s / n
    half = normal_quantile(1 - tail) * np.sqrt(p * (1 - p) / n)
    return p - half, p + half


def share_interval(method: str, successes: ArrayLike, n: ArrayLike, confidence: float) -> tuple[Array, Array]:
    """Low and high of the named interval, for arrays; [0, 1] where n is 0."""
    refuse_unknown("interval for a share", method, SHARE_METHODS)
    s, n = np.broadcast_arrays(np.asarray(successes, dtype=float), np.asarray(n, dtype=float))
    empty = n <= 0
    n = np.where(empty, 1.0, n)
    s = np.where(empty, 0.0, np.clip(s, 0, n))
    low, high = SHARE_METHODS[method].bounds(s, n, (1 - confidence) / 2)
    return np.where(empty, 0.0, np.clip(low, 0, 1)), np.where(empty, 1.0, np.clip(high, 0, 1))


def few(successes: ArrayLike, n: ArrayLike) -> NDArray[np.bool_]:
    """Whether there are three or fewer errors or successes, allowing for rounding in effective counts."""
    s, n = np.asarray(successes), np.asarray(n)
    return np.asarray((s <= FEW + 1e-9) | (n - s <= FEW + 1e-9))


def is_exact(successes: ArrayLike, n: ArrayLike, confidence: float) -> NDArray[np.bool_]:
    """Whether "auto" takes the exact interval in place of Wilson's: few errors or successes, or a level above .99."""
    return few(successes, n) | (confidence > EXACT_ABOVE + 1e-9)


def misleads(method: str, is_few: bool) -> bool:
    """Whether a method is known to cover less than it says, with few errors or successes or with any number."""
    known = SHARE_METHODS.get(method)
    return known is not None and (known.weak == "always" or (known.weak == "few" and is_few))
