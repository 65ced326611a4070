"""Rows in groups dealt into parts at random, whole groups to each, whatever their names and the order of the rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["GroupContents"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class GroupContents:
    """What is in each group: rows, positives, least and greatest score, and the sum of the scores that are finite."""

    rows: Array
    positives: Array
    low: Array
    high: Array
    total: Array

    @classmethod
    def of(cls, scores: Array, is_positive: NDArray[np.bool_], groups: NDArray[np.intp]) -> GroupContents:
        """From one score, class and group a row."""
        rows = np.bincount(groups).astype(float)
        low, high = np.full(len(rows), np.inf), np.full(len(rows), -np.inf)
        np.minimum.at(low, groups, scores)
        np.maximum.at(high, groups, scores)
        total = np.bincount(groups, weights=np.where(np.isfinite(scores), scores, 0.0)).astype(float)
        return cls(rows, np.bincount(groups, weights=is_positive).astype(float), low, high, total)

    def dealt(self, k: int, seed: int | np.random.Generator | None) -> NDArray[np.intp]:
        """The part that each group is in. Groups are put in order by what is in them: those that tie are alike."""
        place = np.empty(len(self.rows), dtype=np.intp)
        order = np.lexsort((self.total, self.high, self.low, self.positives, self.rows))
        place[order] = np.random.default_rng(seed).permutation(len(place)) % k
        return place
