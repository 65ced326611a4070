"""Neighbouring scores joined into some hundred groups: enough for what has to be drawn again and again."""

from __future__ import annotations

import math

import numpy as np

from surefold.tallies.score_groups import ScoreGroups
from surefold.tallies.walks import Sum, Walk, has_both_classes, usual

__all__ = ["COARSE", "joined"]

#: Groups of scores.
COARSE = 300


def joined(t: ScoreGroups, most: int = COARSE) -> ScoreGroups:
    """Neighbouring scores joined until at most so many groups are left, each of about the same weight.

    >>> t = ScoreGroups.of(np.array([0.1, 0.2, 0.3, 0.4]), np.array([False, True, False, True]))
    >>> joined(t, 2).score.tolist(), joined(t, 2).positive.tolist()
    ([0.4, 0.3], [1.0, 1.0])
    """
    return t if t.most_scores <= most else _groups(most).of(t)


def _groups(most: int) -> Sum[ScoreGroups]:
    return Sum(("joined", most), lambda t: _walk(t, most), has_both_classes)


usual(_groups(COARSE))


def _walk(t: ScoreGroups, most: int) -> Walk[ScoreGroups]:
    score, sums, left = np.zeros(most), np.zeros((4, most)), t.total
    while (run := (yield)) is not None:
        rising = (run.below - left) / t.total * most  # less the group that a row is in
        first, last = (min(max(math.floor(-rising[end]), 0), most - 1) for end in (0, -1))
        at = np.arange(first, last - 1, -1)
        starts = np.append(0, np.searchsorted(rising, -at[:-1].astype(np.float64), side="right"))
        stops = np.append(starts[1:], len(rising))
        at, starts, stops = at[stops > starts], starts[stops > starts], stops[stops > starts]
        score[at] = run.score[stops - 1]  # the highest
        for sum_of, column in zip(sums, (*run.sides[0], *run.sides[1]), strict=True):
            sum_of[at] += np.add.reduceat(column, starts)
        left -= sum(run.weight)
    held = (sums[0] > 0) | (sums[2] > 0)
    positive, first, negative, second = sums[:, held]
    if not t.is_weighted:
        return ScoreGroups(score[held], positive, negative, quantised=True)
    return ScoreGroups(score[held], positive, negative, first, second, quantised=True)
