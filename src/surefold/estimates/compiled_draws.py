"""Bootstrap areas in one compiled pass a draw. numba is imported when this module is, which only large inputs do.

Each row is drawn Poisson(1) times: for many rows the same as resampling them, without a row being moved. Draw d has its
own splitmix64 stream, so that the answer depends on the seed alone and not on how draws are shared out to threads.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from math import exp
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["poisson_areas"]

Array = NDArray[np.float64]

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_FIRST, _SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_30, _27, _31, _16 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(16)
_LOW = np.uint64(0xFFFF)


def _poisson_table() -> NDArray[np.uint8]:
    """2^16 equally likely counts that are Poisson(1) to the last bit kept."""
    chance, total, edges = exp(-1.0), 0.0, []
    for k in range(1, 12):
        total += chance
        edges.append(round(total * 65536))
        chance /= k
    return np.searchsorted(np.array(edges), np.arange(65536), side="right").astype(np.uint8)


_COUNTS = _poisson_table()


@njit(nogil=True, cache=True)
def _areas(positive: Any, negative: Any, last: Any, counts: Any, seeds: Any, out: Any) -> None:
    """For rows in falling order of score; `last` is set on the last row of a distinct score."""
    n = positive.size
    for d in range(seeds.size):
        state = seeds[d]
        bits = np.uint64(0)
        pairs = tp = fp = ups = downs = 0.0
        for i in range(n):
            if i & 3 == 0:
                state += _GOLDEN
                bits = state
                bits = (bits ^ (bits >> _30)) * _FIRST
                bits = (bits ^ (bits >> _27)) * _SECOND
                bits ^= bits >> _31
            k = counts[bits & _LOW]
            bits >>= _16
            ups += k * positive[i]
            downs += k * negative[i]
            if last[i]:
                pairs += downs * (tp + tp + ups)
                tp += ups
                fp += downs
                ups = downs = 0.0
        out[d] = pairs / (2.0 * tp * fp) if tp > 0 and fp > 0 else np.nan


def poisson_areas(positive: Array, negative: Array, last: NDArray[np.bool_], draws: int, seed: int) -> Array:
    """Areas of `draws` bootstrap samples of rows with these weights."""
    seeds = np.random.default_rng(seed).integers(0, 2**64, size=draws, dtype=np.uint64)
    out = np.empty(draws)
    parts = np.array_split(np.arange(draws), 2)

    def work(part: NDArray[np.intp]) -> None:
        begin, end = part[0], part[-1] + 1
        _areas(positive, negative, last, _COUNTS, seeds[begin:end], out[begin:end])

    with ThreadPoolExecutor(2) as both:
        list(both.map(work, [part for part in parts if len(part)]))
    return out
