"""Random numbers of trees: splitmix64, one stream a tree, so that threads change nothing.

Its state counts in steps of a fixed size, so any number of draws can be made at once.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["FIRST", "GOLDEN", "SECOND", "Stream", "drawn_below"]

GOLDEN, FIRST, SECOND = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
_WORD = (1 << 64) - 1


def drawn_below(seed: int, n: int, draws: int) -> NDArray[np.intp]:
    """So many numbers from 0 to n - 1.

    >>> drawn_below(7, 10, 3).tolist() == [Stream(7).below(10), *drawn_below(7, 10, 3)[1:].tolist()]
    True
    """
    bits = np.arange(1, draws + 1, dtype=np.uint64)
    bits *= np.uint64(GOLDEN)
    bits += np.uint64(seed)
    for shift, factor in ((30, FIRST), (27, SECOND)):
        bits ^= bits >> np.uint64(shift)
        bits *= np.uint64(factor)
    bits ^= bits >> np.uint64(31)
    bits >>= np.uint64(32)
    bits *= np.uint64(n)
    bits >>= np.uint64(32)
    return bits.view(np.intp)


class Stream:
    """The same numbers one at a time, each below a number of its own."""

    def __init__(self, seed: int) -> None:
        self._state = seed

    def below(self, n: int) -> int:
        """A number from 0 to n - 1."""
        self._state = (self._state + GOLDEN) & _WORD
        bits = self._state
        bits = (bits ^ (bits >> 30)) * FIRST & _WORD
        bits = (bits ^ (bits >> 27)) * SECOND & _WORD
        return ((bits ^ (bits >> 31)) >> 32) * n >> 32
