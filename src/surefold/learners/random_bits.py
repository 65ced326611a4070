"""Random numbers inside compiled loops: splitmix64, one stream a tree, so that threads change nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

__all__ = ["below", "next_bits"]

_30, _27, _31, _32 = (np.uint64(s) for s in (30, 27, 31, 32))
_GOLDEN, _FIRST, _SECOND = (np.uint64(s) for s in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB))


@njit(nogil=True, cache=True)
def next_bits(state: Any) -> Any:
    """One step of splitmix64."""
    state[0] += _GOLDEN
    bits = state[0]
    bits = (bits ^ (bits >> _30)) * _FIRST
    bits = (bits ^ (bits >> _27)) * _SECOND
    return bits ^ (bits >> _31)


@njit(nogil=True, cache=True)
def below(state: Any, n: int) -> Any:
    """A number from 0 to n - 1."""
    return np.intp(((next_bits(state) >> _32) * np.uint64(n)) >> _32)
