"""Scores in order: floats as integers that sort the same way, and sorts that keep the two classes apart.

Each class is sorted by itself (on two cores at once when there is much to sort), so that no label has to travel with
its score; one pass over both then counts the distinct scores.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["COMPILED_FROM", "from_order_bits", "grouped_counts", "order_bits", "places_of"]

Bits = NDArray[np.uint64]

_SIGN = np.uint64(1 << 63)
#: From this many rows on, the compiled radix sort wins back the time it takes to load.
COMPILED_FROM = 2_000_000


def order_bits(scores: NDArray[np.float64]) -> Bits:
    """Integers that sort as the scores do: bits with the sign set for positive floats, all flipped for negative ones.

    >>> bits = order_bits(np.array([-1.0, -0.0, 0.0, 2.5, np.inf]))
    >>> bool((np.diff(bits.astype(object)) >= 0).all()), bool(bits[1] == bits[2])
    (True, True)
    """
    bits: Bits = (np.asarray(scores, dtype=np.float64) + 0.0).view(np.uint64)  # adding zero makes -0.0 into 0.0
    if bits.size and bits.max() < _SIGN:
        bits |= _SIGN
        return bits
    return np.where(bits >= _SIGN, ~bits, bits | _SIGN)


def from_order_bits(bits: Bits) -> NDArray[np.float64]:
    """The scores again; the array given may be used for them."""
    if bits.size and bits.min() >= _SIGN:
        bits ^= _SIGN
        return bits.view(np.float64)
    return np.where(bits >= _SIGN, bits ^ _SIGN, ~bits).view(np.float64)


def grouped_counts(
    scores: NDArray[np.float64], is_positive: NDArray[np.bool_]
) -> tuple[Bits, NDArray[Any], NDArray[Any]]:
    """Distinct scores (as order bits) in falling order, with the number of positives and of negatives at each."""
    halves = [order_bits(scores[is_positive]), order_bits(scores[~is_positive])]
    if len(scores) >= COMPILED_FROM:
        from surefold.tallies.compiled import merged_counts, radix_sorted

        with ThreadPoolExecutor(2) as both:
            positive, negative = both.map(radix_sorted, halves)
        halves.clear()
        return merged_counts(positive, negative)
    positive, negative = (np.sort(half) for half in halves)
    everything = np.concatenate([positive, negative])
    everything.sort(kind="stable")  # two runs in order: merged in one pass
    is_last = np.append(everything[1:] != everything[:-1], True) if len(everything) else np.zeros(0, dtype=bool)
    distinct = everything[is_last]
    counts = (np.diff(np.searchsorted(half, distinct, side="right"), prepend=0) for half in (positive, negative))
    first, second = counts
    return distinct[::-1].copy(), first[::-1].copy(), second[::-1].copy()


def places_of(scores: NDArray[np.float64]) -> NDArray[np.int32]:
    """Which of the distinct scores, the highest being 0, each row has.

    >>> places_of(np.array([0.5, 2.0, -0.0, 0.5, 0.0])).tolist()
    [1, 0, 2, 1, 2]
    """
    order = np.argsort(-scores)
    ordered = scores[order]
    found = np.zeros(len(scores), dtype=np.int32)
    found[order[1:]] = np.cumsum(ordered[1:] != ordered[:-1], dtype=np.int32)
    return found
