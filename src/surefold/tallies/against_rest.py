"""Counts of scores read as two classes: the positive one against the rest, and what cut bits leave open."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefold.inputs.kinds import Label
from surefold.tallies.ordering import order_bits
from surefold.tallies.score_counts import ScoreCounts
from surefold.tallies.score_groups import ScoreGroups

__all__ = ["AgainstRest"]


@dataclass(frozen=True, eq=False)
class AgainstRest:
    """Counts of one column of scores, and which of its classes are positive.

    Scores that are probabilities but for rounding are set to 0 or 1. Where scores were cut to their leading bits they
    lie between two ends: every measure that only gets better when a positive's score rises or a negative's falls is
    then between its values there, whatever the scores were.
    """

    counts: ScoreCounts
    positive: frozenset[Label]

    @property
    def quantised(self) -> bool:
        """Whether scores were cut to fewer digits."""
        return self.counts.quantised

    def tally(self) -> ScoreGroups:
        """The tally of the class against the rest."""
        return self._clipped(self.counts.tally(self.positive))

    def at_best(self, *, best: bool = True) -> ScoreGroups:
        """If every positive scored the highest that it may have, and every negative the lowest; or the other way."""
        return self._clipped(self.counts.at_best(self.positive, best=best))

    def at_least(self) -> ScoreGroups:
        """If every score is the least that it may have been."""
        return self._clipped(self.counts.at_least(self.positive))

    def places_in(self, t: ScoreGroups) -> NDArray[np.intp]:
        """For each group of the counts, where its score stands in the tally that was made of them."""
        score = self.counts.scores()
        if len(t.score) and len(score) and t.score[0] < score[-1]:
            score = np.minimum(score, t.score[0])  # what was a hair above 1
        return np.asarray(len(t.score) - 1 - np.minimum(np.searchsorted(t.score[::-1], score), len(t.score) - 1))

    def _clipped(self, t: ScoreGroups) -> ScoreGroups:
        if not t.most_scores or not self.counts.a_hair_outside:
            return t
        summed = ScoreGroups._summed(order_bits(np.clip(t.score, 0.0, 1.0)), t.positive, t.negative, *t.squares)
        squares = (summed.positive_squares, summed.negative_squares) if t.is_weighted else (None, None)
        return ScoreGroups(summed.score, summed.positive, summed.negative, *squares, t.quantised, t.clip)
