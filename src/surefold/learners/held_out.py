"""Held-out probabilities by taking the tested rows out of the class sums.

With r = n / (n - 1), deviation e of the tested row from the mean of its class over all n rows, and scatter S of the
class, the row's class without it has mean deviation r e and scatter S - r e e'. With h = e' S^-1 e,

    det(S - r e e') = det(S) (1 - r h)          e' (S - r e e')^-1 e = h / (1 - r h),

so that leave-one-out needs one pass over the rows. For independent features the same holds feature by feature.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from surefold.errors import InputError
from surefold.learners.bayes_options import log_priors
from surefold.learners.class_sums import ClassSums, Floats
from surefold.learners.normals import Normals, normalised, row_max, row_sums
from surefold.learners.singular import singular_classes

__all__ = ["held_out"]

#: A split is refitted where less than this share of a class's scatter would be left: the rest would be digits lost.
LEAST_LEFT = 1e-4
#: How many numbers the sums of the splits that are worked on together may hold.
AT_ONCE = 4_000_000


class Holding(Protocol):
    """What is asked of a model here."""

    priors: Any
    shrinkage: float
    ridge: float
    _full: bool

    def _normals(self, sums: ClassSums) -> Normals: ...

    def _learn(
        self,
        X: Floats,
        coded: tuple[NDArray[Any], NDArray[np.intp]],
        weights: Floats | None = None,
        names: NDArray[Any] | None = None,
    ) -> Holding: ...

    def _joint(self, X: Floats) -> Floats: ...


@dataclass(frozen=True, eq=False)
class _Rows:
    """All rows, their classes, and the splits that test them."""

    X: Floats
    classes: NDArray[Any]
    codes: NDArray[np.intp]
    tested: NDArray[np.int64]
    starts: NDArray[np.int64]

    def test(self, split: int) -> NDArray[np.int64]:
        return self.tested[self.starts[split] : self.starts[split + 1]]


def held_out(
    model: Holding,
    X: Floats,
    y: NDArray[Any],
    test_rows: NDArray[np.int64],
    test_starts: NDArray[np.int64],
    names: NDArray[Any] | None = None,
) -> Floats:
    """For each place in `test_rows` the probabilities of the classes from the rows outside its split."""
    sizes = np.diff(test_starts)
    _check_splits(len(X), test_rows, test_starts, sizes)
    classes, codes = np.unique(y, return_inverse=True)
    rows = _Rows(X, classes, codes, test_rows, test_starts)
    sums = ClassSums.of(X, codes, len(classes), None, model._full)
    normals = model._normals(sums)
    plain = not model.shrinkage and not model.ridge
    if singular_classes(sums, normals, plain, margin=1 / LEAST_LEFT).any():  # with fewer rows it is no less so
        joint, doubtful = np.zeros((len(test_rows), len(classes))), np.ones(len(sizes), dtype=bool)
    elif plain and (sizes == 1).all():
        joint, doubtful = _one_at_a_time(model, rows, sums, normals)
    else:
        joint, doubtful = _by_blocks(model, rows, sums, normals)
    lost = np.flatnonzero(~np.isfinite(row_max(joint)))
    if lost.size:  # rows so far out that their squares overflow
        doubtful[np.searchsorted(test_starts, lost, side="right") - 1] = True
        joint[lost] = 0.0
    probabilities = normalised(joint)
    for split in np.flatnonzero(doubtful):
        part = slice(test_starts[split], test_starts[split + 1])
        probabilities[part] = _refitted(model, rows, test_rows[part], names)
    return probabilities


def _one_at_a_time(model: Holding, rows: _Rows, sums: ClassSums, normals: Normals) -> tuple[Floats, NDArray[np.bool_]]:
    """Leave-one-out in closed form: log prior plus log density, and the rows that must be refitted."""
    everything = len(rows.tested) == len(rows.X) and bool((rows.tested[1:] > rows.tested[:-1]).all())
    X, codes = (rows.X, rows.codes) if everything else (rows.X[rows.tested], rows.codes[rows.tested])
    log_prior = log_priors(model.priors, sums.count, rows.classes)
    joint, doubtful = np.empty((len(X), len(rows.classes))), np.zeros(len(X), dtype=bool)
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        for c, n in enumerate(sums.count.tolist()):
            squares = normals.squares(c, X)
            joint[:, c] = log_prior[c] + normals.log_norm[c] - 0.5 * row_sums(squares)
            own = np.flatnonzero(codes == c)
            e = squares[own]
            left = 1 - e / (n - 1)
            if not left.min(initial=1.0) >= LEAST_LEFT:
                doubtful[own] = ~(left.min(axis=1) >= LEAST_LEFT)
            fewer = math.log((n - 1) / n)
            here = log_prior[c] + (fewer if model.priors is None else 0.0) + normals.log_norm[c]
            e /= left
            e *= n / (n - 1)
            e += np.log(left)
            joint[own, c] = here + 0.5 * X.shape[1] * fewer - 0.5 * row_sums(e)
    return joint, doubtful


def _by_blocks(model: Holding, rows: _Rows, sums: ClassSums, normals: Normals) -> tuple[Floats, NDArray[np.bool_]]:
    """Any splits: log prior plus log density, and the splits that must be refitted."""
    k, d = sums.offset.shape
    splits = len(rows.starts) - 1
    joint, doubtful = np.zeros((len(rows.tested), k)), np.zeros(splits, dtype=bool)
    log_prior = log_priors(model.priors, sums.count, rows.classes)
    size = d if model._full else 1  # features in a part of the log determinant
    before = normals.log_det() + size * np.log(sums.count)[:, None]
    together = max(1, AT_ONCE // sums.scatter.size)
    for start in range(0, splits, together):
        some = range(start, min(start + together, splits))
        less = _without(rows, sums, some)
        after = model._normals(less)
        with np.errstate(divide="ignore", invalid="ignore"):
            left = after.log_det() + size * np.log(less.count)[..., None] - before
        doubtful[some.start : some.stop] = ~(left.min(axis=(1, 2)) >= math.log(LEAST_LEFT))
        for i, split in enumerate(some):
            if not doubtful[split]:
                prior = log_priors(None, less.count[i], rows.classes) if model.priors is None else log_prior
                place = slice(rows.starts[split], rows.starts[split + 1])
                joint[place] = after.at(i).log_density(rows.X[rows.tested[place]]) + prior
    return joint, doubtful


def _without(rows: _Rows, sums: ClassSums, splits: range) -> ClassSums:
    """The sums of each split's training rows."""
    k, d = sums.offset.shape
    gone = np.zeros((len(splits), k), dtype=np.int64)
    first, second = np.zeros((len(splits), k, d)), np.zeros((len(splits), *sums.scatter.shape))
    for i, split in enumerate(splits):
        test = rows.test(split)
        codes = rows.codes[test]
        away = rows.X[test] - sums.shift[codes] - sums.offset[codes]
        gone[i] = np.bincount(codes, minlength=k)
        for c in np.flatnonzero(gone[i]):
            block = away[codes == c]
            first[i, c] = block.sum(axis=0)
            second[i, c] = block.T @ block if sums.full else np.einsum("ij,ij->j", block, block)
    return sums.without(gone, first, second)


def _refitted(model: Holding, rows: _Rows, test: NDArray[np.int64], names: NDArray[Any] | None) -> Floats:
    """What fitting to the other rows gives, or raises."""
    train = np.ones(len(rows.X), dtype=bool)
    train[test] = False
    present, codes = np.unique(rows.codes[train], return_inverse=True)
    fresh: Holding = clone(model)
    joint = fresh._learn(rows.X[train], (rows.classes[present], codes), None, names)._joint(rows.X[test])
    probabilities = np.zeros((len(test), len(rows.classes)))
    probabilities[:, present] = normalised(joint)
    return probabilities


def _check_splits(n: int, rows: NDArray[np.int64], starts: NDArray[np.int64], sizes: NDArray[np.int64]) -> None:
    if not len(sizes) or starts[0] != 0 or starts[-1] != len(rows) or sizes.min() < 1 or sizes.max() >= n:
        problem = "test_starts does not cut test_rows into splits that each leave rows to train on"
        raise InputError(
            "bad_plan", problem, cure="start at 0, end at the length of test_rows, test a row or more each"
        )
    if rows.min() < 0 or rows.max() >= n:
        problem = f"test_rows goes from {rows.min()} to {rows.max()}, and rows from 0 to {n - 1}"
        raise InputError("bad_plan", problem, cure="make the plan from the same rows")
