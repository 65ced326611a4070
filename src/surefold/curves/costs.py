"""What the four outcomes of a two-class decision cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefold.curves.curve import share_of_one
from surefold.curves.thresholds import two_costs
from surefold.errors import InputError
from surefold.tallies.ratio import ratio

__all__ = ["TwoClassCosts"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class TwoClassCosts:
    """The cost of a true positive, false positive, true negative and false negative; a gain is a negative cost.

    >>> TwoClassCosts.of({"fp": 1, "fn": 5})
    TwoClassCosts(tp=0.0, fp=1.0, tn=0.0, fn=5.0)
    """

    tp: float = 0.0
    fp: float = 0.0
    tn: float = 0.0
    fn: float = 0.0

    @classmethod
    def of(cls, costs: Any) -> TwoClassCosts:
        """From `{"fp": 1, "fn": 5}`: scores do not know the order of labels that a matrix would need."""
        if isinstance(costs, TwoClassCosts):
            return costs
        if costs is None:
            cure = 'say what the errors cost: costs={"fp": 1, "fn": 5}'
            raise InputError("cost_matrix", "no costs were given", cure=cure)
        (tp, fn), (fp, tn) = two_costs(costs).tolist()
        return cls(tp, fp, tn, fn)

    def expected(self, fpr: Any, tpr: Any, prevalence: float) -> Array:
        """Mean cost of a row."""
        p = share_of_one("prevalence", prevalence)
        fpr, tpr = np.asarray(fpr, dtype=float), np.asarray(tpr, dtype=float)
        positives = tpr * self.tp + (1 - tpr) * self.fn
        negatives = fpr * self.fp + (1 - fpr) * self.tn
        return np.asarray(p * positives + (1 - p) * negatives)

    def probability_cost(self, prevalence: float) -> float:
        """Drummond and Holte's x: the share of what errors can cost that false negatives have."""
        p = share_of_one("prevalence", prevalence)
        missed, alarm = p * (self.fn - self.tp), (1 - p) * (self.fp - self.tn)
        return float(ratio(missed, missed + alarm))
