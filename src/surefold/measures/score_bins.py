"""Scores in bins: what calibration is judged on. Distinct scores are never split over two bins."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from surefold.errors import InputError, UnknownNameError
from surefold.tallies.runs import Run
from surefold.tallies.score_groups import ScoreGroups
from surefold.tallies.walks import Sum, Walk, has_probabilities, usual

__all__ = ["STRATEGIES", "Bins", "Strategy", "bin_scores", "distinct_scores"]

Array = NDArray[np.float64]
Strategy = Literal["width", "mass", "counts", "quantiles"]
STRATEGIES = ("width", "mass", "counts", "quantiles")


@dataclass(frozen=True, eq=False)
class Bins:
    """Bins with rows in them, lowest scores first: weights, squared weights, and the sums that their noise is made of.

    `away[class, k]`: for the positives, then the negatives, sums of squared weight times (score - low)^k.
    """

    tally: ScoreGroups
    weight: Array
    positive: Array
    squares: Array
    mean_score: Array
    low: Array
    high: Array
    away: Array

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

    @cached_property
    def place(self) -> NDArray[np.intp]:
        """The bin of each distinct score of the tally."""
        return np.minimum(np.searchsorted(self.high, self.tally.score), len(self.high) - 1)

    def spread(self, gap: Array) -> Array:
        """In each bin, the sum of squared weight times (score - truth - gap)^2."""
        found = np.zeros(len(self.low))
        for truth, (rows, first, second) in zip((1.0, 0.0), self.away, strict=True):
            off = self.low - truth - gap
            found += second + 2 * off * first + off * off * rows
        return np.maximum(found, 0.0)

    @property
    def calibrated_spread(self) -> Array:
        """What that would be on average if each score were the chance of a positive: score (1 - score) is summed."""
        rows, first, second = self.away.sum(axis=0)
        return np.asarray(self.low * (1 - self.low) * rows + (1 - 2 * self.low) * first - second)


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
    return binned(int(bins), strategy).of(t)


def binned(bins: int, strategy: str) -> Sum[Bins]:
    """What a tally keeps them by."""
    return Sum(("bins", bins, strategy), lambda t: _walk(t, bins, _cutter(t, bins, strategy)), has_probabilities)


#: As the measures of calibration have them by default.
usual(binned(15, "width"), shown=True)
usual(binned(10, "counts"))


#: The first score of every bin that a run of scores is in, and these bins.
Cuts = tuple[NDArray[np.intp], NDArray[np.intp]]


def _cutter(t: ScoreGroups, bins: int, strategy: str) -> Callable[[Run, float], Cuts]:
    """What cuts a run below which so much weight lies into bins."""
    if strategy == "mass":
        total = max(t.total, np.finfo(float).tiny)

        def by_mass(run: Run, below: float) -> Cuts:
            rows = run.positive + run.negative
            middle = (below + np.cumsum(rows) - rows / 2) / total
            place = np.minimum((bins * middle * (1 + 1e-12)).astype(np.intp), bins - 1)
            starts = np.flatnonzero(np.append(True, place[1:] != place[:-1]))
            return starts, place[starts]

        return by_mass
    if strategy == "width":
        edges = np.linspace(0.0, 1.0, bins + 1)[1:-1]
    elif strategy == "counts":  # a sum of weights may end a hair below what it should reach
        edges = t.scores_at(t.total * np.arange(1, bins) / bins * (1 - 1e-12), reached=True)
    elif strategy == "quantiles":
        edges = _quantiles(t, bins)[1:-1]
    else:
        raise UnknownNameError("strategy", strategy, STRATEGIES)

    def at_edges(run: Run, _: float) -> Cuts:
        starts = np.append(0, np.searchsorted(run.score, edges, side="right"))
        held = np.flatnonzero(np.diff(starts, append=len(run.score)) > 0)
        return starts[held], held

    return at_edges


def distinct_scores(t: ScoreGroups) -> Bins:
    """A bin for each distinct score."""
    before = 0

    def each(run: Run, _: float) -> Cuts:
        nonlocal before
        starts = np.arange(len(run.score))
        before += len(starts)
        return starts, before - len(starts) + starts

    return Sum("distinct scores", lambda t: _walk(t, len(t.score), each), has_probabilities).of(t)


def _walk(t: ScoreGroups, bins: int, cut: Callable[[Run, float], Cuts]) -> Walk[Bins]:
    low, high = np.full(bins, np.nan), np.full(bins, np.nan)
    weight, positive, lead, away, below = *np.zeros((3, bins)), np.zeros((2, 3, bins)), 0.0
    while (run := (yield)) is not None:
        starts, at = cut(run, below)
        stops = np.append(starts[1:], len(run.score))
        low[at] = np.where(np.isnan(low[at]), run.score[starts], low[at])
        high[at] = run.score[stops - 1]
        off = run.score - np.repeat(low[at], stops - starts)
        held = [np.add.reduceat(rows, starts) for rows, _ in run.sides]
        positive[at] += held[0]
        weight[at] += held[0] + held[1]
        below += float(held[0].sum() + held[1].sum())
        for of_class, rows, (one, squared) in zip(away, held, run.sides, strict=True):
            moved = squared * off
            first = np.add.reduceat(moved, starts)
            moved *= off
            of_class[0, at] += np.add.reduceat(squared, starts) if t.is_weighted else rows
            of_class[1, at] += first
            of_class[2, at] += np.add.reduceat(moved, starts)
            lead[at] += np.add.reduceat(one * off, starts) if t.is_weighted else first
    k = weight > 0
    low, high, weight = low[k], high[k], weight[k]
    # A mean of equal scores is that score, whatever the rounding.
    mean = np.clip(low + lead[k] / weight, low, high)
    return Bins(t, weight, positive[k], away[:, 0, k].sum(axis=0), mean, low, high, away[:, :, k])


def _quantiles(t: ScoreGroups, bins: int) -> Array:
    """Type-7 quantiles of the scores, a row of weight w counting as w rows."""
    at = (t.total - 1) * np.linspace(0.0, 1.0, bins + 1)
    near = np.round(at)
    at = np.where(np.abs(at - near) < 1e-9, near, at)  # rounding, as R allows for
    whole = np.floor(at)
    below, above = t.scores_at(whole), t.scores_at(whole + 1)
    return np.asarray(below + (at - whole) * (above - below))
