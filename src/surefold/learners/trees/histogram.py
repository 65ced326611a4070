"""Class weights by bin, for the rows of one node and one column, compiled.

A row in use is one 64-bit word: the row, its class, and how often it counts. `weights` is None where counts are all.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from surefold.learners.trees.compiling import Array, helper

__all__ = ["add_rows", "bins_of_rows", "bins_with_rows", "class_weights", "rows_counted"]

_16, _32, _58 = np.uint64(16), np.uint64(32), np.uint64(58)
_LOW = np.uint64(0xFFFF)
_DE_BRUIJN = np.uint64(0x03F79D71B4CB0A89)
_ONE, _NONE = np.uint64(1), np.uint64(0)


def _bit_places() -> Any:
    """Which bit is set, looked up by the top six bits of its product with a de Bruijn number."""
    places = np.zeros(64, np.int64)
    for i in range(64):
        places[((1 << i) * int(_DE_BRUIJN) & (1 << 64) - 1) >> 58] = i
    return places


_PLACE = _bit_places()


@helper()
def rows_counted(packed: Array, start: int, end: int) -> int:
    """How many rows a stretch counts for."""
    rows = 0
    for i in range(start, end):
        rows += int(packed[i] & _LOW)
    return rows


@helper()
def class_weights(packed: Array, start: int, end: int, weights: Array | None, value: Array) -> int:
    """Add up the class weights of a stretch; returns how many rows it counts for."""
    rows = 0
    for c in range(value.size):
        value[c] = 0
    for i in range(start, end):
        word = packed[i]
        count = int(word & _LOW)
        rows += count
        if weights is None:
            value[np.intp((word >> _16) & _LOW)] += np.int32(count)
        else:
            value[np.intp((word >> _16) & _LOW)] += weights[word >> _32] * count
    return rows


@helper()
def add_rows(
    column: Array,
    packed: Array,
    start: int,
    end: int,
    weights: Array | None,
    hist: Array,
    stride: int,
) -> None:
    """Add the rows to the histogram of one column."""
    for i in range(start, end):
        word = packed[i]
        at = np.intp(column[word >> _32]) * stride
        if weights is None:
            hist[at + np.intp((word >> _16) & _LOW)] += np.int32(word & _LOW)
        else:
            count = np.intp(word & _LOW)
            hist[at + np.intp((word >> _16) & _LOW)] += weights[word >> _32] * count
            hist[at + stride - 1] += count


@helper()
def bins_of_rows(column: Array, packed: Array, start: int, end: int, touched: Array, bits: Array) -> int:
    """The bins of the rows in rising order."""
    for i in range(start, end):
        b = column[packed[i] >> _32]
        bits[b >> 6] |= _ONE << np.uint64(b & 63)
    size = 0
    for part in range(4):
        left = bits[part]
        bits[part] = _NONE
        while left != _NONE:
            low = left & (~left + _ONE)
            touched[size] = (part << 6) + _PLACE[(low * _DE_BRUIJN) >> _58]
            size += 1
            left ^= low
    return size


@helper()
def bins_with_rows(hist: Array, stride: int, classes: int, touched: Array) -> int:
    """The bins that hold a row, in rising order."""
    size = 0
    for b in range(256):
        at = b * stride
        some = hist[at + stride - 1] != 0
        if stride == classes:
            for c in range(classes - 1):
                some |= hist[at + c] != 0
        if some:
            touched[size] = b
            size += 1
    return size
