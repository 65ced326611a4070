"""Scores of many classes, one column a class, of rows that are not held: counts of each column, and sums over the rows.

Areas between pairs of classes, and means over all classes, read the columns of a row together. No counts of columns one
by one know of that; what is a mean over the rows does not need it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefold.inputs.kinds import Label
from surefold.tallies.against_rest import AgainstRest
from surefold.tallies.moves import Moves
from surefold.tallies.row_sums import RowSums
from surefold.tallies.score_counts import DUST, ScoreCounts
from surefold.tallies.score_groups import ScoreGroups
from surefold.tallies.score_matrix import RowMove

__all__ = ["CountedMatrix"]


@dataclass(frozen=True, eq=False)
class CountedMatrix:
    """What a `ScoreMatrix` says of its rows, where they are counted in parts.

    columns: the scores of each class, by whether it is the true one.
    class_weights: the weight of the rows of each class, as it came, and `class_squares` of their squares.
    top:     the largest score of each row, by whether its class is the true one.
    sums:    asked for a measure by its name and settings, and whether labels are turned; it goes over the rows.
    total:   what the weights of the rows add up to, scaled as sums want them.
    moves:   asked for what rows move measures by, added up by class; it goes over the rows.
    vary:    whether some row weighs more than another.
    """

    labels: tuple[Label, ...]
    n: int
    class_weights: NDArray[np.float64]
    class_squares: NDArray[np.float64]
    columns: tuple[ScoreCounts, ...]
    top: ScoreCounts
    sums: Callable[[str, tuple[tuple[str, Any], ...], bool], RowSums]
    total: float
    moves: Callable[[tuple[RowMove, ...]], Moves]
    vary: bool = False

    def mean(self, name: str, **settings: object) -> float:
        """The mean of what rows lose by a measure."""
        return float(self.sums(name, tuple(settings.items()), False).losses.mean) if self.total > 0 else float("nan")

    @property
    def classes(self) -> int:
        """How many classes there are."""
        return len(self.labels)

    @property
    def clip(self) -> float:
        """What a probability below it counts as in a logarithm."""
        return max(counts.clip for counts in self.columns)

    @property
    def scale(self) -> float:
        """What weights were multiplied with."""
        return self.total / float(self.class_weights.sum())

    @property
    def quantised(self) -> bool:
        """Whether some class has scores that were cut to their leading bits."""
        return any(counts.quantised for counts in self.columns)

    @property
    def ends(self) -> tuple[float, float]:
        """The least and the greatest score of all; what was a hair outside 0 to 1 was set to 0 or 1."""
        low, high = min(c.low for c in self.columns), max(c.high for c in self.columns)
        return (max(low, 0.0), min(high, 1.0)) if self.a_hair_outside else (low, high)

    @property
    def a_hair_outside(self) -> bool:
        """Whether the scores are probabilities but for rounding."""
        low, high = min(c.low for c in self.columns), max(c.high for c in self.columns)
        return (low < 0 or high > 1) and low > -DUST and high < 1 + DUST

    def one_vs_rest(self, c: int) -> ScoreGroups:
        """The tally of one class against the rest."""
        return self.against_rest(c).tally()

    def against_rest(self, c: int) -> AgainstRest:
        """The counts of one class against the rest."""
        return AgainstRest(self.columns[c], frozenset({True}))

    @property
    def top_label(self) -> ScoreGroups:
        """The largest score of each row, being right as the positive class."""
        return AgainstRest(self.top, frozenset({True})).tally()
