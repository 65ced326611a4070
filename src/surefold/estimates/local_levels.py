"""How strict each of many exact intervals must be so that all of them hold at once.

A class of n rows is seen at every threshold, and at each the share of its rows at or above it has a Clopper-Pearson
interval that misses with chance `tail` on either side. All of them hold exactly when each order statistic of n
uniform numbers lies between its own `tail` and 1 - `tail` quantiles. That chance does not depend on the scores'
distribution when they are continuous, and is greater when they tie.

Source: Noé (1972), Ann. Math. Stat. 43:58; the Poisson form of the recursion is Moscovich & Nadler (2017),
Stat. Prob. Lett. 123:177.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from surefold.estimates.quantiles import beta_quantile

__all__ = ["chance_all_hold", "local_tail"]

#: The recursion is run up to this many rows; minus the log of the chance grows with log n beyond, and is continued.
EXACT_UP_TO = 2000
#: More events than this between neighbouring bounds have no chance worth counting: fewer than two are expected.
EVENTS = 24


@lru_cache(maxsize=4096)
def chance_all_hold(n: int, tail: float) -> float:
    """The chance that all n order statistics lie within their own central 1 - 2 tail.

    >>> round(chance_all_hold(1, 0.05), 6), round(chance_all_hold(100, 0.001), 4)
    (0.9, 0.9539)
    """
    if n > EXACT_UP_TO:
        half, full = (-math.log(chance_all_hold(m, tail)) for m in (EXACT_UP_TO // 2, EXACT_UP_TO))
        return math.exp(-full - (full - half) * math.log2(n / EXACT_UP_TO))
    from scipy.special import gammaln

    k = np.arange(1, n + 1)
    low, high = beta_quantile(tail, k, n - k + 1), beta_quantile(1 - tail, k, n - k + 1)
    times = np.sort(np.concatenate([low, high]))
    # By time t at least as many rows must have come as upper bounds have passed, and at most as many as lower ones.
    least = np.append(np.searchsorted(high, times, side="right"), n)
    most = np.append(np.searchsorted(low, times, side="left"), n)
    expected = n * np.diff(np.append(times, 1.0), prepend=0.0)[:, None]
    events = np.arange(EVENTS)
    poisson = np.exp(events * np.log(np.maximum(expected, 1e-300)) - expected - gammaln(events + 1))
    chances, first = np.ones(1), 0
    for step, start, end in zip(poisson, least.tolist(), most.tolist(), strict=True):
        chances = np.convolve(chances, step)[start - first : end - first + 1]
        first = start
    of_n_rows = math.exp(n * math.log(n) - n - float(gammaln(n + 1)))
    return min(1.0, float(chances[0]) / of_n_rows) if len(chances) else 0.0


@lru_cache(maxsize=1024)
def local_tail(n: int, level: float) -> float:
    """The tail of each interval with which all of one class hold at once with chance `level`.

    >>> tail = local_tail(100, 0.95)
    >>> round(chance_all_hold(100, tail), 6), 0.025 / 100 < tail < 0.025
    (0.95, True)
    """
    from scipy.optimize import brentq

    most = (1 - level) / 2  # what a single interval could afford; by Bonferroni 1/n of it is enough
    if n == 1:
        return most
    wanted = math.log(-math.log(level))

    # Minus the log of the chance is nearly a power of the tail: on these scales a line, found in a few steps.
    def over(log_tail: float) -> float:
        chance = min(max(chance_all_hold(n, math.exp(log_tail)), 1e-300), 1 - 1e-16)
        return math.log(-math.log(chance)) - wanted

    return math.exp(float(brentq(over, math.log(most / n) - 1e-6, math.log(most), xtol=1e-6, rtol=1e-6)))
