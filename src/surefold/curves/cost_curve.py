"""Costs as curves: Drummond and Holte's cost curve, and the expected cost of each threshold."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from surefold.curves.costs import TwoClassCosts
from surefold.curves.curve import Array, Curve, share_of_one
from surefold.curves.roc import Roc, RocPoint
from surefold.tallies.ratio import ratio
from surefold.tallies.score_groups import ScoreGroups

__all__ = ["CostCurve", "ExpectedCost"]


@dataclass(frozen=True, eq=False, repr=False)
class CostCurve(Curve):
    """Probability-cost (x) and the least normalised expected cost that a threshold reaches there (y).

    Each threshold is a straight line from its FPR (x = 0) to its FNR (x = 1); this is their lower envelope, one point
    where the best threshold changes. `threshold` is the best one from that x on. x is the prevalence when both
    errors cost the same; `TwoClassCosts.probability_cost` gives it for other prices.

    >>> t = ScoreGroups.of(np.array([0.9, 0.7, 0.5, 0.2]), np.array([True, False, True, False]))
    >>> c = CostCurve.of(t)
    >>> c.x.round(3).tolist(), c.y.round(3).tolist(), c.at(0.25)  # threshold .9 has FPR 0 and FNR .5: .25 x .5
    ([0.0, 0.0, 0.5, 1.0, 1.0], [0.0, 0.0, 0.25, 0.0, 0.0], 0.125)

    Source: Drummond & Holte (2006), Machine Learning 65:95.
    """

    name: ClassVar[str] = "cost curve"
    x_name: ClassVar[str] = "Probability-cost of the positive class"
    y_name: ClassVar[str] = "Normalised expected cost"
    columns: ClassVar[tuple[str, str]] = ("probability_cost", "normalised_cost")

    @classmethod
    def of(cls, tally: ScoreGroups) -> CostCurve:
        """The lower envelope of the cost lines of all thresholds."""
        hull = Roc.of(tally).hull
        rise, run = np.diff(hull.y), np.diff(hull.x)
        x = np.concatenate([[0.0], ratio(run, run + rise), [1.0]])
        best = np.append(np.arange(len(hull)), len(hull) - 1)
        y = (1 - hull.y[best]) * x + hull.x[best] * (1 - x)
        return cls(x, y, hull.threshold[best], tally)

    @cached_property
    def lines(self) -> tuple[Array, Array]:
        """FPR and FNR of every threshold: the ends of its line at x = 0 and x = 1."""
        roc = Roc.of(self.tally)
        return roc.x, 1 - roc.y

    def at(self, probability_cost: float) -> float:
        """The least normalised expected cost there."""
        return float(np.interp(share_of_one("probability_cost", probability_cost), self.x, self.y))

    @property
    def trivial(self) -> Curve:
        """The better of calling all rows and calling none: min(x, 1 - x)."""
        return Curve(np.array([0.0, 0.5, 1.0]), np.array([0.0, 0.5, 0.0]), np.array([np.inf, -np.inf, -np.inf]))


@dataclass(frozen=True, eq=False, repr=False)
class ExpectedCost(Curve):
    """Threshold (x) and the mean cost of a row when scores at or above it are called positive (y).

    >>> t = ScoreGroups.of(np.array([0.9, 0.7, 0.5, 0.2]), np.array([True, False, True, False]))
    >>> c = ExpectedCost.of(t, {"fp": 1, "fn": 5})
    >>> c.y.tolist(), c.best.threshold
    ([2.5, 1.25, 1.5, 0.25, 0.5], 0.5)
    """

    name: ClassVar[str] = "expected cost"
    x_name: ClassVar[str] = "Threshold"
    y_name: ClassVar[str] = "Expected cost of a row"
    columns: ClassVar[tuple[str, str]] = ("score", "expected_cost")

    costs: TwoClassCosts = field(default_factory=TwoClassCosts)
    prevalence: float = np.nan

    @classmethod
    def of(cls, tally: ScoreGroups, costs: Any, prevalence: float | None = None) -> ExpectedCost:
        """`costs` as in `TwoClassCosts.of`; `prevalence` replaces the share of positives in these rows."""
        prices = TwoClassCosts.of(costs)
        share = (
            float(ratio(tally.positives, tally.total)) if prevalence is None else share_of_one("prevalence", prevalence)
        )
        roc = Roc.of(tally)
        y = prices.expected(roc.x, roc.y, share)
        return cls(roc.threshold, y, roc.threshold, tally, costs=prices, prevalence=share)

    @property
    def best(self) -> RocPoint:
        """The threshold with the least expected cost; optimistic, because the same rows chose it."""
        return Roc.of(self.tally).best("cost", self.costs, self.prevalence)

    def at(self, threshold: float) -> float:
        """The expected cost of this threshold."""
        point = Roc.of(self.tally).at(threshold=threshold)
        return float(self.costs.expected(point.fpr, point.tpr, self.prevalence))

    @property
    def running_area(self) -> Array:
        """Not a number: thresholds have no unit to integrate over."""
        return np.full(len(self), np.nan)
