"""Where every row of one class stands among the rows of the other, row by row: what paired areas are compared by."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefold.tallies.ordering import order_bits

__all__ = ["doubled_placements"]

#: From this many rows on, the compiled sort that carries row numbers wins.
_COMPILED_FROM = 500_000


def doubled_placements(scores: NDArray[np.float64], is_positive: NDArray[np.bool_]) -> tuple[Any, Any]:
    """Twice the number of negatives below each positive, and of positives above each negative, ties counting half.

    >>> ups, downs = doubled_placements(np.array([3.0, 2.0, 1.0, 1.0]), np.array([True, False, True, False]))
    >>> ups.tolist(), downs.tolist()
    ([4, 1], [2, 3])
    """
    if len(scores) >= _COMPILED_FROM:
        from surefold.tallies.compiled import merged_placements, radix_argsorted

        with ThreadPoolExecutor(2) as both:
            sides = (is_positive, ~is_positive)
            up, down = both.map(lambda side: radix_argsorted(order_bits(scores[side])), sides)
        return merged_placements(*up, *down)
    positive, negative = scores[is_positive], scores[~is_positive]
    below, above = np.sort(negative), np.sort(positive)
    ups = np.searchsorted(below, positive, "left") + np.searchsorted(below, positive, "right")
    downs = np.searchsorted(above, negative, "left") + np.searchsorted(above, negative, "right")
    return ups, 2 * len(positive) - downs
