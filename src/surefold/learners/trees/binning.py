"""Binned: every column as bytes, made once and shared by all trees, bags and folds.

A column with up to 255 distinct values has a bin for each of them, so that nothing is lost. One with more has up to 255
bins of nearly equal weight; a value that alone has 1/64 of the weight keeps a bin of its own. Byte 255 is a missing
value.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["BINS", "Binned", "cut_between"]

BINS = 255
#: A value with at least this share of the weight is not binned with others.
HEAVY = 1 / 64

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Binned:
    """The rows of X as bytes, column by column, with the least and the largest value in each bin.

    >>> b = Binned.of(np.array([[5.0], [1.0], [np.nan], [5.0]]))
    >>> b.bins.tolist(), b.low[0, :2].tolist()
    ([[1, 0, 255, 1]], [1.0, 5.0])
    """

    bins: NDArray[np.uint8]
    categorical: NDArray[np.bool_]
    low: Floats
    high: Floats

    @classmethod
    def of(
        cls, X: Floats, categorical: NDArray[np.bool_] | None = None, weights: Floats | None = None, jobs: int = 1
    ) -> Binned:
        """Bin the columns of X; a categorical one holds level numbers, which are its bins.

        Rows of weight zero are binned, but have no say in where the bins lie.
        """
        n, d = X.shape
        if categorical is None:
            categorical = np.zeros(d, dtype=bool)
        bins = np.empty((d, n), dtype=np.uint8)
        low, high = np.full((d, 256), np.nan), np.full((d, 256), np.nan)

        def one(j: int) -> None:
            if categorical[j]:
                bins[j] = X[:, j]
                return
            column = np.ascontiguousarray(X[:, j])
            least, most = _bins_of(column, weights)
            low[j, : len(least)], high[j, : len(most)] = least, most
            missing = np.isnan(column)
            found = np.searchsorted(most, column)
            bins[j] = np.where(missing, BINS, np.minimum(found, len(most) - 1)) if len(most) else BINS

        if jobs > 1 and n * d > 100_000:
            with ThreadPoolExecutor(jobs) as pool:
                list(pool.map(one, range(d)))
        else:
            for j in range(d):
                one(j)
        return cls(bins, categorical, low, high)

    def as_numbers(self, rows: NDArray[np.intp]) -> Floats:
        """The bins of rows as what a tree can be asked with: a missing number is NaN, a missing level is its own."""
        bins = self.bins[:, rows]
        numbers = bins.astype(np.float64)
        numbers[(bins == BINS) & ~self.categorical[:, None]] = np.nan
        return numbers.T


def _bins_of(column: Floats, weights: Floats | None) -> tuple[Floats, Floats]:
    """The least and the largest value of each bin, in rising order."""
    if weights is None:
        values = np.sort(column)
        values = values[: np.searchsorted(values, np.nan)]  # missing values come last
        running = None
    else:
        used = (weights > 0) & ~np.isnan(column)
        order = np.argsort(column[used], kind="stable")
        values = column[used][order]
        running = np.cumsum(weights[used][order])
    if not len(values):
        return values, values
    last = np.flatnonzero(np.append(values[1:] != values[:-1], True))  # of each distinct value
    distinct = values[last]
    if len(distinct) <= BINS:
        return distinct, distinct
    upto = (last + 1).astype(np.float64) if running is None else running[last]
    first = _first_of_bins(np.diff(upto, prepend=0.0))
    return distinct[first], distinct[np.append(first[1:], len(distinct)) - 1]


def _first_of_bins(weight: Floats) -> NDArray[np.intp]:
    """Where bins begin among distinct values in order: heavy values alone, the others by equal weight between them."""
    heavy = weight >= HEAVY * weight.sum()
    light = np.where(heavy, 0.0, weight)
    room = BINS - 2 * int(heavy.sum())  # each heavy value may cut a bin of the others in two
    share = np.minimum((np.cumsum(light) - light) * (room / light.sum()), room - 1).astype(np.intp)
    begins = np.append(True, (share[1:] != share[:-1]) | heavy[1:] | heavy[:-1])
    return np.flatnonzero(begins)


def cut_between(low: NDArray[np.float64], high: NDArray[np.float64], left: int, right: int) -> tuple[int, float]:
    """The last bin on the left and the threshold, midway between the neighbours `left` and `right` in a node.

    Where the middle falls inside a bin that the node does not touch, it moves to the end of the bin before. `low` and
    `high` are the least and the largest value of each bin of a column. Kernels compile this as it stands.
    """
    if right == BINS:
        return BINS - 1, np.inf
    middle = float(high[left] / 2.0 + low[right] / 2.0)
    last = left
    while last + 1 < right and high[last + 1] <= middle:
        last += 1
    if middle >= low[last + 1]:
        middle = float(high[last] / 2.0 + low[last + 1] / 2.0)
    if not high[last] <= middle < low[last + 1]:  # neighbours one rounding apart
        middle = float(high[last])
    return last, middle
