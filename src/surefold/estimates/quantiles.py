"""Quantiles and tails, with scipy imported on first use so that `import surefold` stays light."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefold.errors import InputError, show

__all__ = [
    "beta_quantile",
    "binomial_upper_tail",
    "checked_confidence",
    "checked_draws",
    "checked_seed",
    "chi2_quantile",
    "chi2_tail",
    "f_tail",
    "normal_quantile",
    "normal_tail",
    "t_quantile",
    "t_tail",
    "t_two_sided",
]


def checked_confidence(confidence: float) -> float:
    """A confidence strictly between 0 and 1."""
    if not (isinstance(confidence, int | float | np.floating) and 0 < confidence < 1):
        cure = "give a share between 0 and 1, such as confidence=0.95"
        raise InputError("bad_option", f"confidence={show(confidence)}", cure=cure)
    return float(confidence)


def checked_draws(draws: int, least: int = 100) -> int:
    """A whole number of draws, and enough of them."""
    if isinstance(draws, bool) or not (isinstance(draws, int | np.integer) and draws >= least):
        raise InputError("bad_option", f"draws={show(draws)}", cure=f"give a whole number, {least} or more")
    return int(draws)


def checked_seed(random_state: Any) -> int | np.random.Generator | None:
    """What draws start from: a whole number, a generator, or nothing."""
    whole = isinstance(random_state, int | np.integer) and not isinstance(random_state, bool)
    if random_state is None or isinstance(random_state, np.random.Generator) or (whole and random_state >= 0):
        return random_state if not whole else int(random_state)
    cure = "give a whole number >= 0, a numpy Generator, or None"
    raise InputError("bad_option", f"random_state={show(random_state)}", cure=cure)


@lru_cache(maxsize=64)
def normal_quantile(p: float) -> float:
    """Below which a standard normal number lies with chance p."""
    from scipy.special import ndtri

    return float(ndtri(p))


def normal_tail(z: ArrayLike) -> NDArray[Any]:
    """P(Z > z)."""
    from scipy.special import ndtr

    return np.asarray(ndtr(-np.asarray(z)))


@lru_cache(maxsize=64)
def t_quantile(p: float, df: float) -> float:
    """Below which Student's t with so many degrees of freedom lies with chance p."""
    from scipy.special import stdtrit

    return float(stdtrit(df, p))


def t_two_sided(t: float, df: float) -> float:
    """P(|T| >= |t|), normal when df is infinite."""
    from scipy.special import stdtr

    return float(2 * normal_tail(abs(t))) if np.isinf(df) else float(2 * stdtr(df, -abs(t)))


def t_tail(t: float, df: float) -> float:
    """P(T > t), normal when df is infinite."""
    from scipy.special import stdtr

    return float(normal_tail(t)) if np.isinf(df) else float(stdtr(df, -t))


def chi2_tail(x: float, df: float) -> float:
    """P(chi-squared with df degrees of freedom > x)."""
    from scipy.special import chdtrc

    return float(chdtrc(df, x))


def chi2_quantile(p: float, df: float) -> float:
    """The p-quantile of chi-squared with df degrees of freedom."""
    from scipy.special import chdtri

    return float(chdtri(df, 1 - p))


def f_tail(x: float, df1: float, df2: float) -> float:
    """P(F with df1 and df2 degrees of freedom > x)."""
    from scipy.special import fdtrc

    return float(fdtrc(df1, df2, x))


def beta_quantile(p: ArrayLike, a: ArrayLike, b: ArrayLike) -> NDArray[np.float64]:
    """The p-quantile of Beta(a, b), with a <= 0 meaning all mass at 0 and b <= 0 all mass at 1; NaN stays NaN."""
    from scipy.special import betaincinv

    a, b = np.broadcast_arrays(np.asarray(a, dtype=float), np.asarray(b, dtype=float))
    inside = (a > 0) & (b > 0)
    quantile = betaincinv(np.where(inside, a, 1.0), np.where(inside, b, 1.0), p)
    at_end = np.where(a <= 0, 0.0, 1.0)
    return np.asarray(np.where(inside, quantile, np.where(np.isnan(a) | np.isnan(b), np.nan, at_end)))


def binomial_upper_tail(successes: ArrayLike, n: ArrayLike, p: ArrayLike) -> NDArray[np.float64]:
    """P(X >= successes) for X binomial(n, p); also for the fractional counts that weights give."""
    from scipy.special import betainc

    s, n, p = np.broadcast_arrays(np.asarray(successes, float), np.asarray(n, float), np.asarray(p, float))
    inside = (s > 0) & (s <= n)
    tail = betainc(np.where(inside, s, 1.0), np.where(inside, n - s, 0.0) + 1, p)
    return np.asarray(np.where(inside, tail, np.where(s > n, 0.0, 1.0)))
