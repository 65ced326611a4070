"""The precision-recall curve, in steps: straight lines between its points would promise too much."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from surefold.curves.curve import Array, Curve, called_at, one_of, share_of_one
from surefold.curves.roc import RocPoint
from surefold.tallies.ratio import ratio
from surefold.tallies.score_groups import ScoreGroups

__all__ = ["PrecisionRecall"]


@dataclass(frozen=True, eq=False, repr=False)
class PrecisionRecall(Curve):
    """Recall (x) and precision (y), one point a distinct score.

    At threshold infinity nothing is called and precision is 0/0; the curve starts at (0, 1) there, as scikit-learn's
    does, and the area does not use it. `at(threshold=inf).precision` is NaN.

    >>> t = ScoreGroups.of(np.array([0.9, 0.8, 0.8, 0.8, 0.1]), np.array([True, False, True, True, False]))
    >>> pr = PrecisionRecall.of(t)
    >>> pr.x.round(3).tolist(), pr.y.tolist(), round(pr.average_precision, 4)  # 1/3 x 1 + 2/3 x 3/4
    ([0.0, 0.333, 1.0, 1.0], [1.0, 1.0, 0.75, 0.6], 0.8333)
    """

    name: ClassVar[str] = "precision-recall curve"
    x_name: ClassVar[str] = "Recall (share of the positives found)"
    y_name: ClassVar[str] = "Precision (share of the calls that are right)"
    columns: ClassVar[tuple[str, str]] = ("recall", "precision")

    @classmethod
    def of(cls, tally: ScoreGroups) -> PrecisionRecall:
        """From a tally of scores."""
        precision = ratio(tally.tp, tally.tp + tally.fp)
        recall = ratio(np.append(0.0, tally.tp), tally.positives)
        return cls(recall, np.append(1.0, precision), np.append(np.inf, tally.score), tally)

    @property
    def recall(self) -> Array:
        """Recall at each threshold, from 0 up."""
        return self.x

    @property
    def precision(self) -> Array:
        """Precision at each threshold; 1 where nothing is called."""
        return self.y

    @cached_property
    def area(self) -> float:
        """Average precision: every gain of recall at the precision reached with it. No trapezoids."""
        return float(self.running_area[-1])

    @property
    def running_area(self) -> Array:
        """The area up to each threshold; the last one is the average precision."""
        gains = np.diff(self.x)
        return np.append(0.0, np.cumsum(np.where(gains == 0, 0.0, gains * self.y[1:])))

    @property
    def average_precision(self) -> float:
        """The area below the steps: the mean of precision over the positives."""
        return self.area

    @property
    def prevalence(self) -> float:
        """The precision of calling everything, or anything at random."""
        return float(ratio(self.tally.positives, self.tally.total))

    def at(self, *, threshold: float | None = None, recall: float | None = None) -> RocPoint:
        """The point at a threshold, or at the highest threshold that reaches this recall."""
        one_of(threshold=threshold, recall=recall)
        t = self.tally
        if threshold is not None:
            called = called_at(t, threshold)
        else:
            assert recall is not None
            wanted = share_of_one("recall", recall) * t.positives
            called = int(np.searchsorted(np.append(0.0, t.tp), wanted - 1e-9 * max(1.0, t.positives)))
            threshold = float(np.append(np.inf, t.score)[called])
        tp, fp = (float(t.tp[called - 1]), float(t.fp[called - 1])) if called else (0.0, 0.0)
        return RocPoint(float(threshold), tp, fp, t.negatives - fp, t.positives - tp)

    def _is_corner(self) -> NDArray[np.bool_]:
        """In steps only what lies within an upright or a level run can go."""
        dx, dy = np.diff(self.x) == 0, np.diff(self.y) == 0
        within = (dx[:-1] & dx[1:]) | (dy[:-1] & dy[1:])
        return np.concatenate([[True], ~within, [True]])
