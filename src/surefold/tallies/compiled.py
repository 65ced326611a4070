"""Loops worth compiling. numba is imported when this module is, which only large inputs do."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["merged_counts", "placement_sums", "radix_sorted"]

Bits = NDArray[np.uint64]

_DIGITS = 6
_BITS = np.uint64(11)
_BUCKETS = 2048
_MASK = np.uint64(_BUCKETS - 1)


@njit(nogil=True, cache=True)
def _radix(keys: Bits, spare: Bits) -> Bits:
    """Least significant digit first, 11 bits at a time; a digit that all keys share is passed over."""
    n = keys.size
    counts = np.zeros((_DIGITS, _BUCKETS), np.int64)
    for i in range(n):
        key = keys[i]
        for digit in range(_DIGITS):
            counts[digit, (key >> np.uint64(digit) * _BITS) & _MASK] += 1
    source, target = keys, spare
    for digit in range(_DIGITS):
        places = counts[digit]
        shift = np.uint64(digit) * _BITS
        if n == 0 or places[(source[0] >> shift) & _MASK] == n:
            continue
        start = 0
        for bucket in range(_BUCKETS):
            size = places[bucket]
            places[bucket] = start
            start += size
        for i in range(n):
            key = source[i]
            bucket = (key >> shift) & _MASK
            target[places[bucket]] = key
            places[bucket] += 1
        source, target = target, source
    return source


@njit(nogil=True, cache=True)
def _merge(positive: Bits, negative: Bits, bits: Bits, first: Any, second: Any) -> int:
    """Write distinct keys in falling order with the counts of each side; returns how many there are."""
    i, j, size = positive.size - 1, negative.size - 1, 0
    while i >= 0 or j >= 0:
        key = positive[i] if i >= 0 and (j < 0 or positive[i] >= negative[j]) else negative[j]
        ups = downs = 0
        while i >= 0 and positive[i] == key:
            ups += 1
            i -= 1
        while j >= 0 and negative[j] == key:
            downs += 1
            j -= 1
        bits[size], first[size], second[size] = key, ups, downs
        size += 1
    return size


@njit(nogil=True, cache=True)
def _placements(positive: Any, negative: Any, positives: float, negatives: float) -> tuple[float, ...]:
    """One pass over groups in falling order: pairs in order and tied, and sums of both classes' placements."""
    above_positive = above_negative = below = tied = 0.0
    first1 = second1 = first0 = second0 = 0.0
    for g in range(positive.size):
        up, down = positive[g], negative[g]
        above_positive += up
        above_negative += down
        under = negatives - above_negative
        below += up * under
        tied += up * down
        place = (under + down / 2) / negatives
        first1 += up * place
        second1 += up * place * place
        place = (above_positive - up / 2) / positives
        first0 += down * place
        second0 += down * place * place
    return below, tied, first1, second1, first0, second0


def placement_sums(positive: Any, negative: Any, positives: float, negatives: float) -> tuple[float, ...]:
    """(pairs in order, pairs tied, sum and sum of squares of the positives' placements, of the negatives')."""
    sums: tuple[float, ...] = _placements(positive, negative, positives, negatives)
    return sums


def radix_sorted(keys: Bits) -> Bits:
    """The keys in rising order; the array given is used as working space."""
    keys = np.ascontiguousarray(keys)
    found: Bits = _radix(keys, np.empty_like(keys))
    return found


def merged_counts(positive: Bits, negative: Bits) -> tuple[Bits, NDArray[Any], NDArray[Any]]:
    """Distinct keys of both sorted arrays in falling order, with how often each side has them."""
    n = len(positive) + len(negative)
    bits, first, second = np.empty(n, np.uint64), np.empty(n), np.empty(n)
    size = _merge(positive, negative, bits, first, second)
    return bits[:size], first[:size], second[:size]
