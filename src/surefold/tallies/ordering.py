"""Scores in order: floats as integers that sort the same way, the order of rows, and the places they have in it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["from_order_bits", "grouped_counts", "order_bits", "places_of", "row_order", "runs_of"]

Bits = NDArray[np.uint64]

_SIGN = np.uint64(1 << 63)


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
    """Distinct scores (as order bits) in falling order, with the number of positives and of negatives at each.

    For any floats: each class is sorted by itself. Where scores leave a bit free, `ScoreKeys` sort both at once.
    """
    halves = [np.sort(order_bits(scores[side])) for side in (is_positive, ~is_positive)]
    everything = np.concatenate(halves)
    everything.sort(kind="stable")  # two runs in order: merged in one pass
    is_last = np.append(everything[1:] != everything[:-1], True) if len(everything) else np.zeros(0, dtype=bool)
    distinct = everything[is_last]
    first, second = (np.diff(np.searchsorted(half, distinct, side="right"), prepend=0) for half in halves)
    return distinct[::-1].copy(), first[::-1].copy(), second[::-1].copy()


def row_order(bits: Bits) -> tuple[NDArray[np.intp], Bits]:
    """The rows in rising order of their order bits, equal ones as they came, and the bits in that order.

    A stable argsort by one plain sort: leading bits of what sets the scores apart stand above the number of the row in
    one integer. Neighbours that differ in the bits cut off, which are few, are put right by themselves.

    >>> row_order(order_bits(np.array([0.5, -1.0, 0.5, 0.25])))[0].tolist()
    [1, 3, 0, 2]
    """
    n = len(bits)
    if n < 2:
        return np.arange(n), bits
    least, width = bits.min(), np.uint64((n - 1).bit_length())
    cut = np.uint64(max(int(bits.max() - least).bit_length() + int(width) - 64, 0))
    keys = (bits - least) >> cut << width
    keys |= np.arange(n, dtype=np.uint64)
    keys.sort()
    order: NDArray[np.intp] = (keys & np.uint64((1 << int(width)) - 1)).view(np.intp)
    ordered = bits.take(order)
    if cut:
        falls = np.flatnonzero(ordered[1:] < ordered[:-1])
        if len(falls):
            keys >>= width
            leads = np.unique(keys[falls])
            starts, ends = (np.searchsorted(keys, leads, side) for side in ("left", "right"))
            rows = runs_of(starts, ends - starts)
            among = np.argsort(ordered[rows], kind="stable")
            order[rows], ordered[rows] = order[rows][among], ordered[rows][among]
    return order, ordered


def runs_of(starts: NDArray[np.intp], sizes: NDArray[np.intp]) -> NDArray[np.intp]:
    """The numbers start, start + 1, ... of every run, one run after another.

    >>> runs_of(np.array([3, 9]), np.array([2, 1])).tolist()
    [3, 4, 9]
    """
    before = np.cumsum(sizes) - sizes
    return np.asarray(np.arange(sizes.sum()) + np.repeat(starts - before, sizes))


def places_of(scores: NDArray[np.float64]) -> NDArray[np.int32]:
    """Which of the distinct scores, the highest being 0, each row has.

    >>> places_of(np.array([0.5, 2.0, -0.0, 0.5, 0.0])).tolist()
    [1, 0, 2, 1, 2]
    """
    order, ordered = row_order(order_bits(scores))
    rank = np.zeros(len(order), dtype=np.int32)
    np.cumsum(ordered[1:] != ordered[:-1], dtype=np.int32, out=rank[1:])
    found = np.empty_like(rank)
    found[order] = rank[-1:] - rank
    return found
