"""Chance for plans: the same draws from the same seed on every machine and with every version of numpy.

numpy promises that the raw bits of a bit generator never change, and no more than that: how a Generator shuffles may.
So rows are put in order by raw bits. Each repeat has a stream of its own, so more repeats never change the first ones,
and nothing here reads or moves numpy's global state.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from surefold.resampling.plan import Rows

__all__ = ["Draws", "narrow"]

#: Keeps the streams of plans apart from those that models are seeded with.
_PLANS = 0x706C616E


class Draws:
    """The stream of `seed` that is named by whole numbers, such as the repeat.

    >>> Draws(0, 1).order(5).tolist() == Draws(0, 1).order(5).tolist(), sorted(Draws(0, 2).order(5).tolist())
    (True, [0, 1, 2, 3, 4])
    """

    def __init__(self, seed: int, *stream: int) -> None:
        self._bits = np.random.PCG64(np.random.SeedSequence(seed, spawn_key=(_PLANS, *stream)))

    def order(self, n: int) -> Rows:
        """The numbers 0..n-1 in random order."""
        return np.argsort(self._bits.random_raw(n), kind="stable").astype(np.int64, copy=False)

    def below(self, high: int | Rows, size: int) -> Rows:
        """`size` numbers from 0 to high - 1, with replacement; `high` may be one a draw."""
        unit = (self._bits.random_raw(size) >> np.uint64(11)) * 2.0**-53
        return (unit * high).astype(np.int64)


def narrow(codes: NDArray[np.integer]) -> NDArray[np.unsignedinteger]:
    """Small non-negative numbers in two bytes, which numpy sorts in linear time."""
    return codes.astype(np.uint16 if codes.size == 0 or codes.max() < 1 << 16 else np.uint32)
