"""Fisher's mid-p: may two shares be equal, given how many rows are right in all?"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["fisher_mid_p"]

Array = NDArray[np.float64]
#: Terms of a tail that are smaller than this share of the largest are left out.
_LEAST = 1e-18


def fisher_mid_p(successes: ArrayLike, rows: ArrayLike, all_successes: ArrayLike, all_rows: ArrayLike) -> Array:
    """Two-sided, of drawing so many successes in so many of all rows: for one pair of shares or many.

    Twice the smaller of P(X < s) + P(X = s)/2 and P(X > s) + P(X = s)/2, X hypergeometric: the idea of McNemar's mid-p.

    >>> fisher_mid_p([3, 1], [3, 2], [3, 2], [6, 4]).round(6).tolist()  # P(X = 3) = 1/20, not halved twice; 1
    [0.05, 1.0]
    """
    s, n, k, total = np.broadcast_arrays(
        *(np.asarray(x, dtype=float) for x in (successes, rows, all_successes, all_rows))
    )
    mean = np.where(total > 0, n * k / np.where(total > 0, total, 1.0), 0.0)
    turned = s > mean  # what lies above is counted as failures, of which there are few
    x, of_all = np.where(turned, n - s, s), np.where(turned, total - k, k)
    tail = _lower_tail(x, n, of_all, total)
    below = tail - np.exp(_log_chance(x, n, of_all, total)) / 2
    return np.asarray(2 * np.clip(np.minimum(below, 1 - below), 0.0, 0.5))


def _log_chance(x: Array, n: Array, k: Array, total: Array) -> Array:
    """Of x successes in n of `total` rows, of which k are successes."""
    from scipy.special import betaln

    def log_choose(a: Array, b: Array) -> Array:
        return np.asarray(-betaln(a - b + 1, b + 1) - np.log1p(a))

    return np.asarray(log_choose(k, x) + log_choose(total - k, n - x) - log_choose(total, n))


def _lower_tail(x: Array, n: Array, k: Array, total: Array) -> Array:
    """P(X <= x) for x not above the mean: the terms fall from x down."""
    term, found = np.ones(x.shape), np.ones(x.shape)
    at = x.copy()
    while True:
        with np.errstate(invalid="ignore", divide="ignore"):
            term = term * at * (total - k - n + at) / ((k - at + 1) * (n - at + 1))
        term = np.where(at > 0, np.maximum(term, 0.0), 0.0)
        found = found + term
        at = at - 1
        if not (term > _LEAST * found).any():
            return np.asarray(found * np.exp(_log_chance(x, n, k, total)))
