"""Loops worth compiling. numba is imported when this module is, which only large inputs do."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["merged_counts", "merged_placements", "placement_sums", "radix_argsorted", "radix_sorted"]

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
def _radix_rows(keys: Bits, spare: Bits, rows: Any, spare_rows: Any) -> tuple[Bits, Any]:
    """The same sort with a row number beside every key."""
    n = keys.size
    counts = np.zeros((_DIGITS, _BUCKETS), np.int64)
    for i in range(n):
        key = keys[i]
        for digit in range(_DIGITS):
            counts[digit, (key >> np.uint64(digit) * _BITS) & _MASK] += 1
    source, target, from_rows, to_rows = keys, spare, rows, spare_rows
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
            at = places[bucket]
            target[at] = key
            to_rows[at] = from_rows[i]
            places[bucket] = at + 1
        source, target = target, source
        from_rows, to_rows = to_rows, from_rows
    return source, from_rows


@njit(nogil=True, cache=True)
def _merge_places(up: Bits, up_rows: Any, down: Bits, down_rows: Any, ups: Any, downs: Any) -> None:
    """One pass over both sorted sides, writing each row's doubled placement at its own number."""
    m, n = up.size, down.size
    i = j = 0
    while i < m or j < n:
        key = up[i] if i < m and (j >= n or up[i] <= down[j]) else down[j]
        first_up, first_down = i, j
        while i < m and up[i] == key:
            i += 1
        while j < n and down[j] == key:
            j += 1
        for row in range(first_up, i):
            ups[up_rows[row]] = first_down + j
        for row in range(first_down, j):
            downs[down_rows[row]] = 2 * m - first_up - i


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


def radix_argsorted(keys: Bits) -> tuple[Bits, NDArray[Any]]:
    """The keys in rising order and the row that each came from; the array given is used as working space."""
    keys = np.ascontiguousarray(keys)
    kind = np.uint32 if len(keys) < 1 << 32 else np.uint64
    rows = np.arange(len(keys), dtype=kind)
    found: tuple[Bits, NDArray[Any]] = _radix_rows(keys, np.empty_like(keys), rows, np.empty_like(rows))
    return found


def merged_placements(
    up: Bits, up_rows: NDArray[Any], down: Bits, down_rows: NDArray[Any]
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Twice the number of the second side below each of the first, and of the first above each of the second."""
    kind = np.int32 if len(up) + len(down) < 1 << 30 else np.int64
    ups, downs = np.empty(len(up), kind), np.empty(len(down), kind)
    _merge_places(up, up_rows, down, down_rows, ups, downs)
    return ups, downs
