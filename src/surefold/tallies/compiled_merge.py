"""Merging two sorted lists of keys with sums beside them, compiled. numba is imported when this module is."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["merged_sums"]

Bits = NDArray[np.uint64]


@njit(nogil=True, cache=True)
def _merge(a: Bits, a_sums: Any, b: Bits, b_sums: Any, bits: Bits, sums: Any) -> int:
    """Write the distinct keys of both in rising order, adding up the sums of keys that both have."""
    width = a_sums.shape[0]
    i = j = size = 0
    while i < a.size and j < b.size:
        x, y = a[i], b[j]
        of_a, of_b = x <= y, y <= x  # no branch: which side comes next cannot be foretold
        bits[size] = x if of_a else y
        for c in range(width):
            sums[c, size] = of_a * a_sums[c, i] + of_b * b_sums[c, j]
        i += of_a
        j += of_b
        size += 1
    while i < a.size:
        bits[size] = a[i]
        for c in range(width):
            sums[c, size] = a_sums[c, i]
        i += 1
        size += 1
    while j < b.size:
        bits[size] = b[j]
        for c in range(width):
            sums[c, size] = b_sums[c, j]
        j += 1
        size += 1
    return size


def merged_sums(
    a: Bits, a_sums: NDArray[np.float64], b: Bits, b_sums: NDArray[np.float64]
) -> tuple[Bits, NDArray[np.float64]]:
    """The distinct keys of two rising lists, and for each column of sums that of both."""
    bits = np.empty(len(a) + len(b), np.uint64)
    sums = np.empty((len(a_sums), len(bits)))
    size = _merge(a, a_sums, b, b_sums, bits, sums)
    if size > 0.8 * len(bits):
        return bits[:size], sums[:, :size]
    return bits[:size].copy(), sums[:, :size].copy()  # do not hold what is not used
