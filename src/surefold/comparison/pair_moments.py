"""From what each row moves each model's measure by, to the variance of every pair's difference.

A row's influence on a difference is the difference of its influences, so the variances of all pairs come from one
product of the influences with themselves, however many models there are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefold.comparison.models import Models
from surefold.errors import InputError
from surefold.estimates.grouping import distances
from surefold.measures.measure import Measure
from surefold.measures.score_measure import ScoreMeasure
from surefold.tallies.clusters import effective_groups, leverage

__all__ = ["PairMoments", "Spread", "adds_a_row", "distances", "spread_of_pairs"]

Array = NDArray[np.float64]

_BLOCK = 1 << 15


@dataclass(frozen=True, eq=False)
class PairMoments:
    """All that a difference, its interval and its test are read from; matrices are [first, second].

    values:   of each model, NaN with a reason where it is undefined.
    centres:  the same with the added row, which is where intervals are centred.
    variance: of first minus second with the added row, allowing for groups.
    plain:    the same without the added row, whose root is the standard error that is reported.
    groups:   how many groups of one size the rows are worth; infinite where there are none.
    limits:   the least and greatest value of a difference.
    no_spread: why a pair without variance has no test; where it says nothing, its p is 1.
    """

    values: Array
    centres: Array
    variance: Array
    plain: Array
    limits: tuple[float, float]
    n: float
    groups: float = np.inf
    reasons: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    method: str = "one_row"
    name: str = "paired influence"
    no_spread: str = ""


def adds_a_row(method: str, measure: Measure) -> bool:
    """Whether the variance has an added row: not by "delta", nor by "delong", which is of areas alone."""
    is_area = isinstance(measure, ScoreMeasure) and measure.interval == "area" and measure.average is None
    if method == "delong" and not is_area:
        problem = f"method='delong' compares areas under the ROC curve, and {measure.name} is none"
        raise InputError("bad_option", problem, cure="use method='auto', or 'delta' to leave the added row out")
    return method not in ("delta", "delong")


@dataclass(frozen=True, eq=False)
class Spread:
    """The variance of each pair from independent rows, by how much groups multiply it, and what groups are worth."""

    plain: Array
    design_effect: Array
    groups: float = np.inf


def spread_of_pairs(columns: Sequence[Array], models: Models, classes: NDArray[np.bool_] | None = None) -> Spread:
    """From one column a model: what each row moves its measure by, times the row's weight.

    Rows in groups are summed first, each group as if it were left out, and their variance over that of independent
    rows is the design effect, never below 1. Where `classes` splits the rows, the class held by fewest groups decides.
    """
    plain = _squared_distances(columns)
    codes = models.first.groups
    if codes is None:
        return Spread(plain, np.ones_like(plain))
    weights = models.weights
    kept = weights > 0
    codes = np.unique(codes[kept], return_inverse=True)[1]
    sizes = np.bincount(codes, weights=weights[kept])
    factor = leverage(sizes)
    robust = _squared_distances([np.bincount(codes, weights=column[kept]) * factor for column in columns])
    worth = effective_groups(sizes)
    if classes is not None:
        held = (weights * classes, weights * ~classes)
        worth = min(effective_groups(np.bincount(codes, weights=part[kept])) for part in held)
    rounding = 1e-14 * float(plain.max(initial=0.0))  # of pairs that never differ
    effect = np.where(plain > rounding, robust / np.where(plain > rounding, plain, 1.0), 1.0)
    return Spread(plain, np.maximum(effect, 1.0), worth)


def _squared_distances(columns: Sequence[Array]) -> Array:
    """Sum over rows of (first - second)^2 for every pair of columns."""
    k = len(columns)
    products = np.zeros((k, k))
    for start in range(0, len(columns[0]), _BLOCK):
        block = np.stack([column[start : start + _BLOCK] for column in columns])
        block -= block.mean(axis=0)  # what all models share would only cost digits
        products += block @ block.T
    return distances(products)
