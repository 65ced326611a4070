"""Classes whose normal density does not exist, and why."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefold.errors import show
from surefold.learners.class_sums import ClassSums, Floats, rounding
from surefold.learners.normals import Normals

__all__ = ["singular_classes", "why_singular"]


def singular_classes(sums: ClassSums, normals: Normals, plain: bool, margin: float = 1.0) -> NDArray[np.bool_]:
    """For each class, whether its density does not exist, or only by rounding, or is nearly so by that margin.

    `plain` is no shrinkage and no ridge.
    """
    d = normals.mean.shape[1]
    flat = _flat(sums, normals, margin)
    lost = np.where(flat, 1.0, sums.peak / (_weight(sums)[:, None] * np.where(flat, 1.0, normals.variance)))
    thin = normals.least_share <= margin * max(1e-12, 1e-14 * d * d) * np.maximum(1.0, lost.max(axis=1))
    few = sums.rows <= d if plain and sums.full else np.zeros(len(sums.rows), dtype=bool)
    return np.asarray((sums.count > 0) & (flat.any(axis=1) | thin | few))


def why_singular(c: int, label: object, sums: ClassSums, normals: Normals, names: NDArray[Any] | None) -> str:
    """Why class c has no normal density, in a sentence: one row, a flat feature, or features that depend."""
    who, n, d = f"class {show(label)}", int(sums.rows[c]), normals.mean.shape[1]
    end = "its normal density does not exist"
    flat = _flat(sums, normals)[c]
    if n == 1:
        return f"{who} has 1 row and so no variance: {end}"
    if flat.any():
        which = _features(flat, names)
        if (sums.peak[c] > n * rounding(normals.mean[c]))[flat].any():
            return f"{who} is left with too little variance in {which} to tell it from rounding: {end}"
        return f"{who} does not vary in {which}: {end}"
    if sums.full and n <= d:
        return f"{who} has {n} rows, and the covariance of {d} features needs {d + 1} or more: {end}"
    tied = np.abs(normals.least_direction[c]) > 1e-3
    return f"{who} has {_features(tied, names)} tied by a linear relation: {end}"


def _flat(sums: ClassSums, normals: Normals, margin: float = 1.0) -> NDArray[np.bool_]:
    """Features whose variance in a class is no more than rounding may have made."""
    known = np.maximum(rounding(normals.mean), 1e-10 * sums.peak / _weight(sums)[:, None])
    return np.asarray(normals.variance <= margin * known)


def _weight(sums: ClassSums) -> Floats:
    return np.where(sums.count > 0, sums.count, 1.0)


def _features(which: NDArray[np.bool_], names: NDArray[Any] | None) -> str:
    """`feature 'width'`, or `feature X[:, 2]` where features have no names; at most five."""
    places = np.flatnonzero(which)
    shown = [show(names.tolist()[j]) if names is not None else f"X[:, {j}]" for j in places[:5]]
    more = f" and {len(places) - 5} more" if len(places) > 5 else ""
    return f"feature{'s' if len(places) > 1 else ''} {', '.join(shown)}{more}"
