"""The decision curve: what acting on the scores is worth, at every price of a false alarm."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from surefold.curves.curve import Array, Curve
from surefold.errors import InputError
from surefold.tallies.ratio import ratio
from surefold.tallies.score_groups import ScoreGroups

__all__ = ["Decision"]


@dataclass(frozen=True, eq=False, repr=False)
class Decision(Curve):
    """Threshold probability (x) and net benefit (y): TP/n - FP/n x p/(1 - p), rows being called when score >= p.

    A threshold probability p says that a false alarm costs p/(1 - p) of what finding a positive is worth. The scores
    have to be probabilities. Unlike other curves this one is on a grid, because the price moves between scores too.

    >>> t = ScoreGroups.of(np.array([0.9, 0.7, 0.5, 0.2]), np.array([True, False, True, False]))
    >>> d = Decision.of(t, [0.0, 0.5])
    >>> d.y.tolist(), d.treat_all.tolist()  # at .5: 2/4 - 1/4 x 1
    ([0.5, 0.25], [0.5, 0.0])
    """

    name: ClassVar[str] = "decision curve"
    x_name: ClassVar[str] = "Threshold probability"
    y_name: ClassVar[str] = "Net benefit (true positives a row)"
    columns: ClassVar[tuple[str, str]] = ("threshold_probability", "net_benefit")

    @classmethod
    def of(cls, tally: ScoreGroups, thresholds: ArrayLike | None = None) -> Decision:
        """On a grid of threshold probabilities from 0 to below 1, by hundredths unless said."""
        if len(tally.score) and not (tally.score[-1] >= 0 and tally.score[0] <= 1):
            problem = f"scores run from {tally.score[-1]:g} to {tally.score[0]:g}"
            raise InputError("score_range", problem, cure="a decision curve needs probabilities from 0 to 1")
        grid = np.arange(100) / 100 if thresholds is None else np.sort(np.asarray(thresholds, dtype=float).ravel())
        if not ((grid >= 0) & (grid < 1)).all():
            cure = "give threshold probabilities from 0 to below 1"
            raise InputError("bad_option", "thresholds run outside [0, 1)", cure=cure)
        tp, fp = counts_at(tally, grid)
        return cls(grid, ratio(tp - fp * grid / (1 - grid), tally.total), grid, tally)

    @property
    def treat_all(self) -> Array:
        """Net benefit of calling every row positive."""
        t = self.tally
        return ratio(t.positives - t.negatives * self.x / (1 - self.x), t.total)

    @property
    def treat_none(self) -> Array:
        """Net benefit of calling no row positive: 0."""
        return np.zeros_like(self.x)

    @property
    def advantage(self) -> Array:
        """Net benefit over the better of calling all and calling none."""
        return self.y - np.maximum(self.treat_all, 0.0)

    def at(self, threshold: float) -> float:
        """Net benefit at one threshold probability, exactly."""
        return float(Decision.of(self.tally, [threshold]).y[0])


def counts_at(tally: ScoreGroups, thresholds: Array) -> tuple[Array, Array]:
    """True and false positives at each threshold."""
    called = np.searchsorted(-tally.score, -thresholds, side="right")
    return np.append(0.0, tally.tp)[called], np.append(0.0, tally.fp)[called]
