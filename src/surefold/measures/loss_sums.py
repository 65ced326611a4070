"""What the scores of a tally lose, summed in one walk: the mean of a loss and all that its intervals read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefold.tallies.mean_sums import MeanSums
from surefold.tallies.runs import Run
from surefold.tallies.score_groups import ScoreGroups
from surefold.tallies.walks import Walk

__all__ = ["Certain", "LossSums"]

Array = NDArray[np.float64]
#: What a positive and what a negative loses at each score.
Loss = Callable[[Run], tuple[Array, Array]]


@dataclass(frozen=True, eq=False)
class Certain:
    """Rows whose score is exactly 0 or 1, apart: how many, how many of them are wrong, and the sums without them.

    `others` and `flipped` are of all rows, but with no loss where the score is certain.
    """

    rows: float
    wrong: float
    others: MeanSums
    flipped: MeanSums


@dataclass(frozen=True, eq=False)
class LossSums:
    """Sums over the positives and over the negatives, with weights as they came.

    `flipped` sums the losses that all rows would have with the other label, `worst` is the largest loss of one row
    times its weight, and `certain` are the rows whose score is 0 or 1, where these were asked for.
    """

    positive: MeanSums
    negative: MeanSums
    flipped: MeanSums | None = None
    worst: float = np.nan
    certain: Certain | None = None

    @classmethod
    def walk(cls, loss: Loss, t: ScoreGroups, *, flipped: bool = False) -> Walk[LossSums]:
        """Go over the scores once.

        >>> from surefold.tallies.walks import Sum, has_probabilities
        >>> t = ScoreGroups.of(np.array([0.9, 0.4, 0.4]), np.array([True, True, False]))
        >>> distance = lambda t: LossSums.walk(lambda run: (1 - run.score, run.score), t)
        >>> sums = Sum("distance", distance, has_probabilities).of(t)
        >>> round(sums.mean, 4)  # (.1 + .6 + .4) / 3
        0.3667
        """
        sample = t.sample()
        first = loss(sample)
        nothing = MeanSums.none(_guess(sample, *first), vary=t.weights_vary)
        unsure = cls(nothing, nothing, MeanSums.none(_guess(sample, *first[::-1])) if flipped else None, 0.0)
        sure, wrong = unsure, 0.0
        while (run := (yield)) is not None:
            if not flipped or (run.score[0] > 0 and run.score[-1] < 1):
                unsure = unsure._plus(run, loss, t.is_weighted)
                continue
            low, high = np.searchsorted(run.score, 0.0, side="right"), np.searchsorted(run.score, 1.0)
            wrong += float(run.positive[:low].sum() + run.negative[high:].sum())
            unsure = unsure._plus(run[low:high], loss, t.is_weighted)
            for end in (run[:low], run[high:]):
                sure = sure._plus(end, loss, t.is_weighted)
        if not flipped:
            return cls(unsure.positive, unsure.negative)
        return unsure._beside(sure, wrong)

    def _plus(self, run: Run, losses: Loss, weighted: bool) -> LossSums:
        """With the rows of a run."""
        if not len(run.score):
            return self
        of_up, of_down = losses(run)
        (w1, q1), (w0, q0) = ((w, q if weighted else None) for w, q in run.sides)
        up, down = self.positive.plus(of_up, w1, q1), self.negative.plus(of_down, w0, q0)
        if self.flipped is None:
            return LossSums(up, down)
        turned = self.flipped.plus(of_down, w1).plus(of_up, w0)
        each = (w1, w0) if run.labels is not None else (_of_one(w1, q1), _of_one(w0, q0))
        largest = (float((loss * w).max()) for loss, w in zip((of_up, of_down), each, strict=True))
        worst = max(self.worst, *largest)  # no loss is below 0
        return LossSums(up, down, turned, worst)

    def _beside(self, sure: LossSums, wrong: float) -> LossSums:
        """Of rows with certain scores too."""
        if self.flipped is None or sure.flipped is None:
            raise AssertionError("certain scores are told apart in a log loss")
        others, rows = self.all + sure.all.without_values, float(sure.all.weight)
        certain = Certain(rows, wrong, others, self.flipped + sure.flipped.without_values) if rows > 0 else None
        up, down = self.positive + sure.positive, self.negative + sure.negative
        return LossSums(up, down, self.flipped + sure.flipped, max(self.worst, sure.worst), certain)

    @property
    def all(self) -> MeanSums:
        """Of all rows."""
        return self.positive + self.negative

    @property
    def mean(self) -> float:
        """The mean loss of all rows."""
        return float(self.all.mean)


def _guess(sample: Run, of_positive: Array, of_negative: Array) -> float:
    """Their mean, and exactly their value where all lose the same."""
    values = np.concatenate([of_positive[sample.positive > 0], of_negative[sample.negative > 0]])
    weights = np.concatenate([side[side > 0] for side in (sample.positive, sample.negative)])
    if not len(values):
        return 0.0
    return float(np.clip(weights @ values / weights.sum(), values.min(), values.max()))


def _of_one(weight: Array, square: Array | None) -> Array:
    """What one row weighs where some do, and 0 elsewhere."""
    if square is None:
        return np.minimum(np.ceil(weight), 1.0)
    return np.where(weight > 0, square / np.where(weight > 0, weight, 1.0), 0.0)
