"""The joint tally: for each true class, how often one model called i where another called j, for all pairs of models.

Every difference of a measure of labels reads it, whatever the measure, and it adds up like the other tallies.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["MOST_CALLS", "joint_counts"]

Array = NDArray[np.float64]

#: Models times classes up to which the products below are cheaper than looking rows up for every measure.
MOST_CALLS = 256
_BLOCK = 1 << 15


def joint_counts(
    truth: NDArray[Any], predicted: Sequence[NDArray[Any]], classes: int, weights: Array | None = None
) -> Array:
    """counts[true class, model and its call, model and its call], calls running fastest.

    >>> joint_counts(np.array([0, 1, 1]), [np.array([0, 1, 0]), np.array([0, 1, 1])], 2)[
    ...     1
    ... ].tolist()  # two rows of class 1
    [[1.0, 0.0, 0.0, 1.0], [0.0, 1.0, 0.0, 1.0], [0.0, 0.0, 0.0, 0.0], [1.0, 1.0, 0.0, 2.0]]
    """
    calls = len(predicted) * classes
    counts = np.zeros((classes, calls, calls))
    for c in range(classes):
        rows = np.flatnonzero(truth == c)
        for start in range(0, len(rows), _BLOCK):
            block = rows[start : start + _BLOCK]
            answers = np.stack([p[block] for p in predicted])
            said = answers[:, None, :] == np.arange(classes, dtype=answers.dtype)[None, :, None]
            said = said.reshape(calls, len(block))
            if weights is None:
                counts[c] += _together(said)
            else:  # a matrix times itself takes half the work of two different ones
                root = said * np.sqrt(weights[block])
                counts[c] += root @ root.T
    return counts


def _together(said: NDArray[np.bool_]) -> Array:
    """In how many rows both of any two calls were made: bits and population counts, 64 rows at a time."""
    calls, rows = said.shape
    padded = np.zeros((calls, -(-rows // 64) * 8), dtype=np.uint8)
    packed = np.packbits(said, axis=1)
    padded[:, : packed.shape[1]] = packed
    words = padded.view(np.uint64)
    counts = np.empty((calls, calls))
    for i in range(calls):
        counts[i, i:] = counts[i:, i] = np.bitwise_count(words[i:] & words[i]).sum(axis=1, dtype=np.int64)
    return counts
