"""ClassSums: what a normal density of each class needs to know of the rows, as sums that can be added and taken away.

Kept for each class: how many rows, their weight, their mean and their scatter, which is the sum of squared deviations
from that mean. Means are kept as a small offset from a fixed shift, so that a mean of a million costs no digits.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefold.errors import InputError

__all__ = ["ClassSums"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ClassSums:
    """Sums of k classes over d features; every array but `shift` may have leading axes, one entry a split.

    `scatter` is (..., k, d) where only variances are wanted and (..., k, d, d) for covariances. `peak` is the largest
    that the diagonal of the scatter has been: what is left after taking rows away is known to about 1e-16 of it.

    >>> sums = ClassSums.of(np.array([[1.0], [3.0], [8.0]]), np.array([0, 0, 1]), 2)
    >>> sums.mean.tolist(), sums.scatter.tolist(), sums.count.tolist()
    ([[2.0], [8.0]], [[2.0], [0.0]], [2.0, 1.0])
    """

    rows: NDArray[np.int64]
    count: Floats
    shift: Floats
    offset: Floats
    scatter: Floats
    peak: Floats

    @classmethod
    def of(
        cls, X: Floats, codes: NDArray[np.intp], classes: int, weights: Floats | None = None, full: bool = False
    ) -> ClassSums:
        """The sums of rows X whose classes are numbered by `codes`; a row of weight zero is not there."""
        order = np.argsort(codes.astype(np.uint16) if classes < 1 << 16 else codes, kind="stable")  # small ints: radix
        if weights is not None:
            order = order[weights[order] > 0]
            codes = codes[order]
        d = X.shape[1]
        rows = np.bincount(codes, minlength=classes)
        count = rows.astype(np.float64)
        shift, offset = np.zeros((classes, d)), np.zeros((classes, d))
        scatter = np.zeros((classes, d, d) if full else (classes, d))
        stop = 0
        with np.errstate(over="ignore", invalid="ignore"):
            for c in range(classes):
                start, stop = stop, stop + int(rows[c])
                if start == stop:
                    continue
                block = X[order[start:stop]]
                w = np.ones(stop - start) if weights is None else weights[order[start:stop]]
                count[c] = w.sum()
                shift[c] = w @ block / count[c]
                block -= shift[c]
                offset[c] = w @ block / count[c]  # what rounding left over
                if full:
                    if weights is not None:
                        block *= np.sqrt(w)[:, None]
                    scatter[c] = block.T @ block
                else:
                    block *= block
                    scatter[c] = w @ block
            scatter -= _times(count, _square(offset, full))
        if not np.isfinite(scatter).all():
            problem = "X has values whose squares are too large to add up"
            raise InputError("bad_features", problem, cure="rescale the features")
        sums = cls(rows, count, shift, offset, scatter, np.zeros(0))
        return sums._with_peak(sums.spread)

    # reading

    @property
    def full(self) -> bool:
        """Whether products of features are held, and not squares alone."""
        return self.scatter.ndim > self.offset.ndim

    @property
    def mean(self) -> Floats:
        """The mean of each feature in each class."""
        return self.shift + self.offset

    @property
    def spread(self) -> Floats:
        """The scatter of each feature by itself."""
        return np.diagonal(self.scatter, axis1=-2, axis2=-1) if self.full else self.scatter

    @property
    def covariance(self) -> Floats:
        """Maximum likelihood: the scatter over the weight; zero for a class without rows."""
        return _times(1 / np.where(self.count > 0, self.count, 1.0), self.scatter)

    @property
    def pooled(self) -> Floats:
        """Variance of each feature about the mean of its class, over all classes."""
        return np.asarray(self.spread.sum(axis=-2) / self.count.sum(axis=-1)[..., None])

    @property
    def overall(self) -> Floats:
        """Variance of each feature over all rows, whatever their class; one where a feature never varies."""
        share = self.count / self.count.sum(axis=-1, keepdims=True)
        centre = (share[..., None] * self.mean).sum(axis=-2, keepdims=True)
        between = (share[..., None] * (self.mean - centre) ** 2).sum(axis=-2)
        variance = self.pooled + between
        return np.where(variance > rounding(centre[..., 0, :]), variance, 1.0)

    # changing

    def plus(self, other: ClassSums) -> ClassSums:
        """These rows and the others'."""
        new = self.count == 0  # the class is new here: take over the other's shift with its offset
        shift = np.where(new[:, None], other.shift, self.shift)
        count = self.count + other.count
        away = (other.shift - shift) + (other.offset - self.offset)  # from the mean here to the mean there
        share = other.count / np.where(count > 0, count, 1.0)
        scatter = self.scatter + other.scatter + _times(self.count * share, _square(away, self.full))
        offset = self.offset + share[:, None] * away
        sums = ClassSums(self.rows + other.rows, count, shift, offset, scatter, self.peak)
        return sums._with_peak(np.maximum(self.peak, sums.spread))

    def minus(self, other: ClassSums) -> ClassSums:
        """These rows less the others', which must be among them (that is for the caller to know)."""
        rows = self.rows - other.rows
        left = np.where(rows > 0, np.maximum(self.count - other.count, 0.0), 0.0)
        away = (other.shift - self.shift) + (other.offset - self.offset)
        some = left > 0
        share = np.where(some, other.count / np.where(some, left, 1.0), 0.0)
        scatter = self.scatter - other.scatter - _times(self.count * share, _square(away, self.full))
        scatter[~some | (rows == 1)] = 0.0  # known without arithmetic
        offset = self.offset - share[:, None] * away
        return ClassSums(rows, left, self.shift, offset, scatter, self.peak)

    def without(self, rows: NDArray[np.int64], first: Floats, second: Floats) -> ClassSums:
        """For each split, these sums less `rows`: the sums of their deviations from the mean, and of those squared."""
        left = self.count - rows
        over = 1 / np.where(left > 0, left, 1.0)
        scatter = self.scatter - second - _times(over, _square(first, self.full))
        return ClassSums(self.rows - rows, left, self.shift, self.offset - over[..., None] * first, scatter, self.peak)

    def _with_peak(self, peak: Floats) -> ClassSums:
        return ClassSums(self.rows, self.count, self.shift, self.offset, self.scatter, peak)


def rounding(mean: Floats) -> Floats:
    """The variance that rounding alone may give a feature that does not vary about this mean."""
    return np.square(8 * np.finfo(np.float64).eps * mean) + 1e-290  # below that its inverse overflows


def _square(deviation: Floats, full: bool) -> Floats:
    return deviation[..., :, None] * deviation[..., None, :] if full else deviation**2


def _times(factor: Floats, values: Floats) -> Floats:
    """One factor a class, whether values hold variances or covariances."""
    return factor.reshape(factor.shape + (1,) * (values.ndim - factor.ndim)) * values
