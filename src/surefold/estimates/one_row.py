"""The one-row interval: the default for everything that is not a plain share.

Add one row to the data, half right and half wrong, shared over the classes by 1/(rows of the class); over the called
classes by 1/(calls) for measures of how far calls can be trusted. On that table take the measure c, its delta variance
v, and n_e = c(1 - c)/v: the number of plain rows that would give the same standard error. The interval is the pair of
Beta quantiles with n_e rows. The value reported is that of the data, without the added row.

Above 95 % the interval holds both this one and that with z²/3.84 rows added in place of one (z the normal quantile of
the level: 1 row at 95 %, 1.7 at 99 %, 3.9 at 99.99 %). Alone the first misses up to five times as often as it says at
1 - .05/500 where values are middling, the second as much where they are high; together about as often as they say.

It needs no draws and no seed, is never of zero width, and for accuracy it is exactly the Clopper-Pearson interval.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefold.estimates.quantiles import beta_quantile, normal_quantile
from surefold.measures.added import enlarged, shares_of_row
from surefold.measures.gradient import Gradient, gradient, one_vs_rest_gradient
from surefold.measures.measure import Given, Measure
from surefold.tallies.confusion import Table
from surefold.tallies.margins import Margins, OneVsRest
from surefold.tallies.ratio import ratio

__all__ = ["beta_interval", "effective_rows", "one_row_moments", "one_row_per_class", "ratio_interval", "rows_added"]

Array = NDArray[Any]

#: More effective rows than any data have: what is left is rounding in a variance of zero.
_MOST_ROWS = 1e15
_POWER = 0.8
#: The level up to which one row is enough, and its normal quantile.
_LEVEL, _Z = 0.95, 1.959963984540054


def rows_added(confidence: float) -> float:
    """How many rows an interval at this confidence adds, beside the one with a single row.

    >>> rows_added(0.95), round(rows_added(0.99), 2)  # (2.576 / 1.960)^2
    (1.0, 1.73)
    """
    if confidence <= _LEVEL:
        return 1.0
    return (normal_quantile((1 + confidence) / 2) / _Z) ** 2


def beta_interval(
    centre: ArrayLike,
    effective_n: ArrayLike,
    raw: ArrayLike,
    limits: tuple[float, float],
    confidence: ArrayLike,
    shape: float = 0.5,
) -> tuple[Array, Array]:
    """Beta quantiles with an effective number of rows, for a measure with the given limits.

    Intervals at several confidences, along an axis of their own, take one call of the quantile.

    `shape` 1/2 gives the Clopper-Pearson form, 0 the Jeffreys form. The bound on the side of an extreme raw value is
    that extreme.
    """
    least, greatest = limits
    spread = greatest - least
    c = np.clip((np.asarray(centre) - least) / spread, 0.0, 1.0)
    n, raw = np.asarray(effective_n), np.asarray(raw)
    up, down, tail = np.broadcast_arrays(n * c, n * (1 - c), (1 - np.asarray(confidence)) / 2)
    first, second = np.stack([up - shape, up + shape]), np.stack([down + shape, down - shape])
    low, high = beta_quantile(np.stack([tail, 1 - tail]), first, second)
    nothing = n <= 0  # no rows say nothing, whatever the shape
    low, high = np.where(nothing, 0.0, low), np.where(nothing, 1.0, high)
    slack = 1e-12 * spread
    low = np.where(raw <= least + slack, 0.0, low)
    high = np.where(raw >= greatest - slack, 1.0, high)
    return least + spread * low, least + spread * high


def ratio_interval(
    centre: ArrayLike, variance: ArrayLike, raw: ArrayLike, confidence: ArrayLike
) -> tuple[Array, Array]:
    """The same for a ratio x from 0 to infinity, by way of s = x^p / (1 + x^p), which runs from 0 to 1.

    p = 0.8 covers where a normal interval on the log scale misses: see the decision note on ratios.
    """
    x = np.asarray(centre)
    power = x**_POWER
    s = power / (1 + power)
    slope = _POWER * s * (1 - s) / x  # of s by x
    raw = np.asarray(raw)
    extreme = np.where(raw == 0, 0.0, np.where(np.isinf(raw), 1.0, s))
    n = effective_rows(s, np.asarray(variance) * slope**2, (0.0, 1.0))
    low, high = beta_interval(s, n, extreme, (0.0, 1.0), confidence)
    return ratio(low, 1 - low) ** (1 / _POWER), ratio(high, 1 - high) ** (1 / _POWER)


def _row_variance(slopes: Gradient, share: Array, given: Given) -> Array:
    """What the added row puts into the variance: half of each class's share on the diagonal, half spread off it."""
    if slopes.loss is not None:
        k = share.shape[-1]
        cells = np.repeat((share / (2 * max(k - 1, 1)))[..., :, None], k, axis=-1)
        cells[..., np.arange(k), np.arange(k)] = share / 2
        return np.asarray((cells * slopes.dense() ** 2).sum(axis=(-1, -2)))
    a, c = (slopes.actual, slopes.called) if given == "true" else (slopes.called, slopes.actual)
    others = max(a.shape[-1] - 1, 1)
    # sum over j != i of (a_i + c_j)^2, from sums over all j
    rest, rest2 = c.sum(axis=-1, keepdims=True) - c, (c * c).sum(axis=-1, keepdims=True) - c * c
    off = (others * a * a + 2 * a * rest + rest2) / others
    on = (a + c + slopes.tp) ** 2
    return np.asarray((share / 2 * (on + off)).sum(axis=-1))


def one_row_moments(
    measure: Measure, margins: Margins, squares: Table, rows: float = 1.0
) -> tuple[Array, Array, Gradient]:
    """The measure and its delta variance on the enlarged table, and the derivative there."""
    bigger, share = enlarged(margins, measure.given, rows)
    slopes = gradient(measure, bigger)
    return measure(bigger), slopes.variance(squares) + _row_variance(slopes, share, measure.given), slopes


def one_row_per_class(
    measure: Measure, table: OneVsRest, squares: OneVsRest, rows: float = 1.0
) -> tuple[Array, Array, Array]:
    """The same for each class against the rest: a two-class table each, with a row of its own."""
    bigger, added = _two_classes(table, measure.given, rows)
    slopes = one_vs_rest_gradient(measure, bigger)
    weights = np.stack([getattr(squares, c) + getattr(added, c) for c in ("tp", "fp", "fn", "tn")], axis=-2)
    return measure(bigger), (weights * slopes**2).sum(axis=-2), slopes


def _two_classes(table: OneVsRest, given: Given, rows: float) -> tuple[OneVsRest, OneVsRest]:
    """Each class against the rest with its rows added, and what was added; kept with the table."""
    key = ("enlarged", given, rows)
    if key not in table.ledger:
        if given == "true":
            share = rows * shares_of_row(np.stack([table.positives, table.negatives], axis=-1)) / 2
            added = OneVsRest(share[..., 0], share[..., 1], share[..., 0], share[..., 1])
        else:
            share = rows * shares_of_row(np.stack([table.called, table.tn + table.fn], axis=-1)) / 2
            added = OneVsRest(share[..., 0], share[..., 0], share[..., 1], share[..., 1])
        bigger = OneVsRest(*(getattr(table, c) + getattr(added, c) for c in ("tp", "fp", "fn", "tn")))
        table.ledger[key] = bigger, added
    found: tuple[OneVsRest, OneVsRest] = table.ledger[key]
    return found


def effective_rows(centre: ArrayLike, variance: ArrayLike, limits: tuple[float, float]) -> Array:
    """n_e = c(1 - c)/v on the unit scale: the plain rows that would give the same standard error."""
    least, greatest = limits
    spread = greatest - least
    c = (np.asarray(centre) - least) / spread
    rows = ratio(c * (1 - c) * spread**2, variance)
    # No variance even with the added row (beyond rounding): the data cannot move the measure and say nothing about it.
    return np.where((rows >= 0) & (rows < _MOST_ROWS), rows, 0.0)
