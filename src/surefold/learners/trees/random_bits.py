"""Random numbers inside compiled loops: the stream of `splitmix`."""

from __future__ import annotations

from typing import Any

import numpy as np

from surefold.learners.trees.compiling import Array, helper
from surefold.learners.trees.splitmix import FIRST, GOLDEN, SECOND

__all__ = ["below"]

_30, _27, _31, _32 = (np.uint64(s) for s in (30, 27, 31, 32))
_GOLDEN, _FIRST, _SECOND = (np.uint64(s) for s in (GOLDEN, FIRST, SECOND))


@helper()
def below(state: Array, n: int) -> Any:
    """A number from 0 to n - 1."""
    state[0] += _GOLDEN
    bits = state[0]
    bits = (bits ^ (bits >> _30)) * _FIRST
    bits = (bits ^ (bits >> _27)) * _SECOND
    bits = bits ^ (bits >> _31)
    return np.intp(((bits >> _32) * np.uint64(n)) >> _32)
