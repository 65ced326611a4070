"""Scores in bins: what calibration is judged on. Distinct scores are never split over two bins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from surefold.errors import InputError, UnknownNameError
from surefold.tallies.score_groups import ScoreGroups

__all__ = ["STRATEGIES", "Bins", "Strategy", "bin_scores", "distinct_scores"]

Array = NDArray[np.float64]
Strategy = Literal["width", "mass", "counts", "quantiles"]
STRATEGIES = ("width", "mass", "counts", "quantiles")


@dataclass(frozen=True, eq=False)
class Bins:
    """Bins with rows in them, lowest scores first; `place` is the bin of each distinct score of the tally."""

    tally: ScoreGroups
    place: NDArray[np.intp]
    weight: Array
    positive: Array
    squares: Array
    mean_score: Array
    low: Array
    high: Array

    @property
    def share(self) -> Array:
        """The share of positives in each bin."""
        return self.positive / self.weight

    @property
    def gap(self) -> Array:
        """Mean score less share of positives, in each bin."""
        return self.mean_score - self.share

    @property
    def total(self) -> float:
        """The weight of all rows."""
        return float(self.weight.sum())

    def sums(self, values: Array) -> Array:
        """Values given at each distinct score, summed within each bin."""
        return np.asarray(np.bincount(self.place, weights=values, minlength=len(self.weight)), dtype=float)


def bin_scores(t: ScoreGroups, bins: int, strategy: str = "width") -> Bins:
    """Put the rows into bins by score; bins without rows are left out.

    "width": equal widths of the unit interval, each with its upper edge. "mass": equal numbers of rows, a tied score
    going where its middle row would. "counts": up to the ceil(n g / bins)-th score each, with all that are tied with
    it, as Stata cuts. "quantiles": edges at R's type-7 quantiles, as numpy's.

    >>> t = ScoreGroups.of(np.array([0.1, 0.2, 0.6, 0.9]), np.array([False, True, False, True]))
    >>> bin_scores(t, 2).mean_score.round(3).tolist(), bin_scores(t, 2).positive.tolist()
    ([0.15, 0.75], [1.0, 1.0])
    """
    if not (isinstance(bins, int | np.integer) and not isinstance(bins, bool) and bins >= 1):
        raise InputError("bad_option", f"bins={bins!r}", cure="give a whole number of bins, such as bins=10")
    if strategy == "width":
        edges = np.linspace(0.0, 1.0, int(bins) + 1)[1:-1]
        place = np.searchsorted(edges, t.score, side="left")
    elif strategy == "mass":
        rows = t.positive + t.negative
        below = rows.sum() - np.cumsum(rows)
        middle = (below + rows / 2) / max(rows.sum(), np.finfo(float).tiny)
        place = np.minimum((bins * middle * (1 + 1e-12)).astype(np.intp), bins - 1)
    elif strategy == "counts":
        rows = (t.positive + t.negative)[::-1]
        reach = np.cumsum(rows)
        wanted = reach[-1:] * np.arange(1, int(bins)) / int(bins)
        # A sum of weights may end a hair below what it should reach.
        edges = t.score[::-1][np.searchsorted(reach, wanted * (1 - 1e-12))]
        place = np.searchsorted(edges, t.score, side="left")
    elif strategy == "quantiles":
        place = np.searchsorted(_quantiles(t, int(bins))[1:-1], t.score, side="left")
    else:
        raise UnknownNameError("strategy", strategy, STRATEGIES)
    return _counted(t, place)


def distinct_scores(t: ScoreGroups) -> Bins:
    """A bin for each distinct score."""
    return _counted(t, np.arange(len(t.score))[::-1])


def _counted(t: ScoreGroups, place: NDArray[np.intp]) -> Bins:
    rows = t.positive + t.negative
    filled, compact = np.unique(place[rows > 0], return_inverse=True)
    kept = ScoreGroups(
        t.score[rows > 0],
        t.positive[rows > 0],
        t.negative[rows > 0],
        None if t.positive_squares is None else t.positive_squares[rows > 0],
        None if t.negative_squares is None else t.negative_squares[rows > 0],
        t.quantised,
    )
    k, rows = len(filled), rows[rows > 0]
    weight, positive, squares, summed = (
        np.asarray(np.bincount(compact, weights=x, minlength=k), dtype=float)
        for x in (rows, kept.positive, kept.squares[0] + kept.squares[1], rows * kept.score)
    )
    low, high = np.full(k, np.inf), np.full(k, -np.inf)
    np.minimum.at(low, compact, kept.score)
    np.maximum.at(high, compact, kept.score)
    # A mean of equal scores is that score, whatever the rounding.
    return Bins(kept, compact, weight, positive, squares, np.clip(summed / weight, low, high), low, high)


def _quantiles(t: ScoreGroups, bins: int) -> Array:
    """Type-7 quantiles of the scores, a row of weight w counting as w rows."""
    rows = (t.positive + t.negative)[::-1]
    score = t.score[::-1][rows > 0]
    reach = np.cumsum(rows[rows > 0])
    at = (reach[-1] - 1) * np.linspace(0.0, 1.0, bins + 1)
    near = np.round(at)
    at = np.where(np.abs(at - near) < 1e-9, near, at)  # rounding, as R allows for
    whole = np.floor(at)
    below, above = (
        score[np.minimum(np.searchsorted(reach, place, side="right"), len(score) - 1)] for place in (whole, whole + 1)
    )
    return np.asarray(below + (at - whole) * (above - below))
