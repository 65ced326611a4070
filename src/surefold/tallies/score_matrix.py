"""Scores of many classes: one column a class, with what the rows are and weigh."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from surefold.inputs.labels import Label
from surefold.inputs.predictions import Predictions
from surefold.inputs.scores import CLIP
from surefold.tallies.score_groups import ScoreGroups

__all__ = ["RowMove", "ScoreMatrix"]


class RowMove(Protocol):
    """A number for each row of a matrix, or of a part of it: what the row moves a measure by."""

    def of(self, m: ScoreMatrix) -> NDArray[np.float64]:
        """Of these rows."""
        ...


@dataclass(frozen=True, eq=False)
class ScoreMatrix:
    """`scores[row, class]`, the true class of each row, its weight and the group it belongs to."""

    scores: NDArray[np.float64]
    truth: NDArray[Any]
    labels: tuple[Label, ...]
    weights: NDArray[np.float64] | None = None
    groups: NDArray[np.intp] | None = None
    clip: float = CLIP  # as of `ScoreGroups`

    @classmethod
    def of(cls, p: Predictions) -> ScoreMatrix:
        """From predictions that have a column of scores for each class."""
        if p.scores is None or p.scores.ndim != 2:
            raise AssertionError("a score matrix needs one column a class")
        return cls(p.scores, p.truth, p.labels, p.weights, p.groups, p.clip)

    @property
    def ends(self) -> tuple[float, float]:
        """The least and the greatest score; there are some."""
        return float(self.scores.min()), float(self.scores.max())

    @property
    def total(self) -> float:
        """The weight of all rows."""
        return float(self.n if self.weights is None else self.weights.sum())

    @property
    def classes(self) -> int:
        """How many classes there are."""
        return len(self.labels)

    @cached_property
    def class_squares(self) -> NDArray[np.float64]:
        """The squares of those weights."""
        squares = None if self.weights is None else self.weights**2
        return np.bincount(self.truth, weights=squares, minlength=self.classes).astype(float)

    @property
    def n(self) -> int:
        """How many rows there are."""
        return len(self.truth)

    @cached_property
    def class_weights(self) -> NDArray[np.float64]:
        """The weight of the rows of each class."""
        return np.bincount(self.truth, weights=self.weights, minlength=self.classes).astype(float)

    def one_vs_rest(self, c: int) -> ScoreGroups:
        """The tally of one class against the rest."""
        return ScoreGroups.of(self.scores[:, c], self.truth == c, self.weights, self.clip)
