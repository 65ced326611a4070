"""Rows in groups: by how much the variance grows, what few groups cost, and how many they are worth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefold.estimates.auc import enlarged_groups
from surefold.estimates.quantiles import normal_quantile, t_quantile
from surefold.measures.score_measure import Moved, ScoreMeasure
from surefold.tallies.clusters import effective_groups, leverage
from surefold.tallies.moves import Family, Moves, moves_of
from surefold.tallies.score_groups import ScoreGroups

__all__ = ["NOT_GROUPED", "Design", "distances", "group_factor", "group_moves", "row_design", "score_design"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Design:
    """What rows in groups do: `effect` multiplies the variance, and `groups` of one size are what they are worth.

    The effect is the cluster-robust variance over that of independent rows, never below 1: of each pair of models, or
    of a single one.
    """

    effect: Array
    groups: float = np.inf

    @classmethod
    def of(cls, moves: Moves, *, by_class: bool = False) -> Design:
        """From the moves of one family. A class that only some groups hold rests on those, so the fewest decide.

        Groups are summed first, each as if it were left out.
        """
        plain = distances(moves.products[0][:, 0].sum(axis=0))
        if not moves.units:
            return cls(np.ones_like(plain))
        (units,) = moves.units
        sizes = units.size.sum(axis=0)
        sums = units.sums * leverage(sizes)
        there = plain > 1e-14 * float(plain.max(initial=0.0))  # not what rounding left of models that never differ
        effect = np.where(there, distances(sums @ sums.T) / np.where(there, plain, 1.0), 1.0)
        held = [size for size in units.size if size.sum() > 0] if by_class else [sizes]
        return cls(np.maximum(effect, 1.0), min(effective_groups(size) for size in held))

    def factor(self, confidence: float) -> float:
        """(z/t)^2 with one degree of freedom less than the groups are worth."""
        return 1.0 if np.isinf(self.groups) else group_factor(self.groups, confidence)


NOT_GROUPED = Design(np.ones((1, 1)))


def distances(products: Array) -> Array:
    """(x - y)^2 of every pair from the products x y of all; of a single one its square."""
    if len(products) == 1:
        return products
    own = np.diagonal(products)
    found = np.maximum(own[:, None] + own[None, :] - 2 * products, 0.0)
    np.fill_diagonal(found, 0.0)
    return np.asarray(found)


def group_factor(groups: float, confidence: float) -> float:
    """(z/t)^2 with groups - 1 degrees of freedom; 0 where one group tells nothing."""
    degrees, p = groups - 1, (1 + confidence) / 2
    return float((normal_quantile(p) / t_quantile(p, degrees)) ** 2) if degrees >= 0.05 else 0.0


def row_design(
    rows: Array, weights: Array | None, groups: NDArray[np.intp] | None, truth: NDArray[Any] | None = None
) -> Design:
    """From what each row moves one measure by; with `truth`, the class that fewest groups hold decides their worth."""
    if groups is None:
        return NOT_GROUPED
    classes = 1 if truth is None else int(truth.max(initial=0)) + 1
    return Design.of(moves_of([Family((rows,))], truth, classes, (), weights, groups), by_class=truth is not None)


def score_design(
    measure: ScoreMeasure,
    t: ScoreGroups,
    scores: NDArray[Any],
    is_positive: NDArray[np.bool_],
    weights: Array | None,
    groups: NDArray[np.intp] | None,
) -> Design:
    """The same for a measure of the score tally."""
    if groups is None or np.isnan(measure(t)):
        return NOT_GROUPED
    rows = group_moves(measure, t).at(t.places(scores), is_positive)
    return row_design(rows, weights, groups, is_positive if measure.reads == "ranking" else None)


def group_moves(measure: ScoreMeasure, t: ScoreGroups) -> Moved:
    """What a row at each score moves the measure by, for what groups do to it.

    Measures of order are taken with the added row, so that a perfect one has moves too.
    """
    if measure.reads != "ranking":
        return measure.moved(t)
    up, down = measure.moved(enlarged_groups(t))
    return Moved(up[1:-1], down[1:-1])
