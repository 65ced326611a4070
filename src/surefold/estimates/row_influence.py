"""Influence of single rows on measures of order, and what rows in groups do to a standard error."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefold.estimates.auc import auc_influence, enlarged_groups
from surefold.estimates.quantiles import normal_quantile, t_quantile
from surefold.tallies.score_groups import ScoreGroups

__all__ = ["NOT_GROUPED", "Grouping", "at_rows", "grouping", "score_grouping"]

Array = NDArray[np.float64]
Influence = Callable[[ScoreGroups], tuple[Array, Array]]


@dataclass(frozen=True)
class Grouping:
    """What groups do: by how much the variance grows, what few groups cost, and how many they are worth."""

    design_effect: float = 1.0
    group_factor: float = 1.0
    groups: float = np.inf


NOT_GROUPED = Grouping()


def at_rows(
    t: ScoreGroups, scores: NDArray[Any], is_positive: NDArray[np.bool_], influence: tuple[Array, Array]
) -> Array:
    """The influence of each row, from that of a positive and a negative at each score of the tally."""
    place = len(t.score) - 1 - np.searchsorted(t.score[::-1], scores)
    return np.where(is_positive, influence[0][place], influence[1][place])


def grouping(
    influence: Array, truth: NDArray[Any], weights: Array | None, groups: NDArray[Any], confidence: float
) -> Grouping:
    """From the influence of each row: robust over plain variance (never below 1) and (z/t)^2.

    Groups count as in tables: a group's sum as if the group were left out, and groups of unequal size as fewer groups.
    A class that only some groups hold rests on those, so the class with the fewest decides.
    """
    w = np.ones(len(influence)) if weights is None else weights
    kept = w > 0
    w, influence, truth = w[kept], influence[kept], truth[kept]
    codes = np.unique(groups[kept], return_inverse=True)[1]
    sizes = np.bincount(codes, weights=w)
    plain = float((w * influence) @ (w * influence))
    rest = 1 - sizes / sizes.sum()
    sums = np.bincount(codes, weights=w * influence) / np.where(rest > 1e-9, rest, 1.0)
    robust = float(sums @ sums) * (len(sizes) - 1) / len(sizes)
    effective = min(_worth(np.bincount(codes, weights=w * (truth == c))) for c in np.unique(truth))
    degrees, p = effective - 1, (1 + confidence) / 2
    factor = (normal_quantile(p) / t_quantile(p, degrees)) ** 2 if degrees >= 0.05 else 0.0
    return Grouping(max(1.0, robust / plain) if plain > 0 else 1.0, factor, effective)


def _worth(sizes: NDArray[Any]) -> float:
    return float(sizes.sum() ** 2 / (sizes @ sizes))


def score_grouping(
    t: ScoreGroups,
    scores: NDArray[Any],
    is_positive: NDArray[np.bool_],
    weights: Array | None,
    groups: NDArray[Any] | None,
    confidence: float = 0.95,
    influence: Influence = auc_influence,
) -> Grouping:
    """Design effect and factor for a measure of the score tally, taken with the added row, so that 1 has one too."""
    if groups is None or t.positives == 0 or t.negatives == 0:
        return NOT_GROUPED
    of_positive, of_negative = influence(enlarged_groups(t))
    rows = at_rows(t, scores, is_positive, (of_positive[1:-1], of_negative[1:-1]))
    return grouping(rows, is_positive, weights, groups, confidence)
