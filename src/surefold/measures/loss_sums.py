"""What the scores of a tally lose, summed in one walk: the mean of a loss and all that its intervals read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefold.tallies.mean_sums import MeanSums
from surefold.tallies.runs import Run
from surefold.tallies.score_groups import ScoreGroups

__all__ = ["LossSums"]

Array = NDArray[np.float64]
#: What a positive and what a negative loses at each score.
Loss = Callable[[Run], tuple[Array, Array]]


@dataclass(frozen=True, eq=False)
class LossSums:
    """Sums over the positives and over the negatives, with weights as they came.

    `flipped` sums the losses that all rows would have with the other label, and `worst` is the largest loss of one row
    times its weight, where they were asked for.
    """

    positive: MeanSums
    negative: MeanSums
    flipped: MeanSums | None = None
    worst: float = np.nan

    @classmethod
    def of(cls, loss: Loss, t: ScoreGroups, *, flipped: bool = False) -> LossSums:
        """Walk the scores once.

        >>> t = ScoreGroups.of(np.array([0.9, 0.4, 0.4]), np.array([True, True, False]))
        >>> sums = LossSums.of(lambda run: (1 - run.score, run.score), t)
        >>> round(sums.mean, 4)  # (.1 + .6 + .4) / 3
        0.3667
        """
        sample = t.sample()
        first = loss(sample)
        nothing = MeanSums.none(_guess(sample, *first), vary=t.weights_vary)
        up, down, turned, worst = nothing, nothing, MeanSums.none(_guess(sample, *first[::-1])), 0.0
        for run in t.runs():
            of_up, of_down = loss(run)
            (w1, q1), (w0, q0) = ((w, q if t.is_weighted else None) for w, q in run.sides)
            up, down = up.plus(of_up, w1, q1), down.plus(of_down, w0, q0)
            if flipped:
                turned = turned.plus(of_down, w1).plus(of_up, w0)
                worst = max(worst, _largest(of_up, w1, q1), _largest(of_down, w0, q0))
        return cls(up, down, turned, worst) if flipped else cls(up, down)

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


def _largest(loss: Array, weight: Array, square: Array | None) -> float:
    """The largest loss of one row, its weight included."""
    if square is None:
        return float(np.max(loss, where=weight > 0, initial=0.0))
    return float((np.where(weight > 0, square / np.where(weight > 0, weight, 1.0), 0.0) * loss).max(initial=0.0))
