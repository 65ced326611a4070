"""Influence of single rows on measures of order, and what rows in groups do to a standard error."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefold.estimates.auc import auc_influence, enlarged_groups
from surefold.estimates.grouping import NOT_GROUPED, Grouping, grouping
from surefold.tallies.score_groups import ScoreGroups

__all__ = ["at_rows", "score_grouping"]

Array = NDArray[np.float64]
Influence = Callable[[ScoreGroups], tuple[Array, Array]]


def at_rows(
    t: ScoreGroups, scores: NDArray[Any], is_positive: NDArray[np.bool_], influence: tuple[Array, Array]
) -> Array:
    """The influence of each row, from that of a positive and a negative at each score of the tally.

    A score that is not there has rows of weight zero alone, and that of any other does for them.
    """
    place = len(t.score) - 1 - np.minimum(np.searchsorted(t.score[::-1], scores), len(t.score) - 1)
    return np.asarray(np.where(is_positive, influence[0][place], influence[1][place]))


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
    return grouping(rows, weights, groups, confidence, classes=is_positive)
