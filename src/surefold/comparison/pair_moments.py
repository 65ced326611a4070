"""From what each row moves each model's measure by, to the variance of every pair's difference.

A row's influence on a difference is the difference of its influences, so the variances of all pairs come from one
product of the influences with themselves, however many models there are.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from surefold.errors import InputError
from surefold.measures.measure import Measure
from surefold.measures.score_measure import ScoreMeasure
from surefold.significance.bounds import Bounds, NormalBounds

__all__ = ["PairMoments", "adds_a_row"]

Array = NDArray[np.float64]


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
    rule:     bounds of a pair where normal ones do not do.
    by_score: bounds of a pair that hold far from the difference found too; None where there are none.
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
    rule: Callable[[int, int], Bounds] | None = None
    by_score: Callable[[int, int], Bounds | None] | None = None

    @cached_property
    def rounding(self) -> float:
        """A variance no larger than this is what rounding leaves of models that never differ."""
        return 1e-14 * float(self.variance.max(initial=0.0))

    def bounds(self, i: int, j: int) -> Bounds:
        """Of first minus second."""
        if self.rule is not None:
            return self.rule(i, j)
        value, centre = (float(x[i] - x[j]) for x in (self.values, self.centres))
        df, spread = max(self.groups - 1, 0.05), math.sqrt(float(self.variance[i, j]))
        return NormalBounds(value, centre, spread, df, self.limits, self.method)


def adds_a_row(method: str, measure: Measure) -> bool:
    """Whether the variance has an added row: not by "delta", nor by "delong", which is of areas alone."""
    is_area = isinstance(measure, ScoreMeasure) and measure.interval == "area" and measure.average is None
    if method == "delong" and not is_area:
        problem = f"method='delong' compares areas under the ROC curve, and {measure.name} is none"
        raise InputError("bad_option", problem, cure="use method='auto', or 'delta' to leave the added row out")
    return method not in ("delta", "delong")
