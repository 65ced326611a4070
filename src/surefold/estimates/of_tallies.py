"""Estimates from merged tallies: what groups of rows need comes from a second pass; what quantising costs is told.

Scores that were cut to their leading bits are known to lie between two ends. Every measure here that only gets better
when a positive's score rises or a negative's falls is then between its values at those ends, whatever the scores were.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefold.estimates.auc import auc_influence, enlarged_groups
from surefold.estimates.average_precision import ap_influence
from surefold.estimates.estimate import Estimate
from surefold.estimates.grouping import NOT_GROUPED, Grouping, group_factor
from surefold.estimates.ks import ks_influence
from surefold.estimates.of_scores import ScoreEstimates
from surefold.findings import Finding
from surefold.inputs.labels import Label
from surefold.inputs.parts import Roles
from surefold.measures.catalogue import catalogue
from surefold.measures.score_measure import ScoreMeasure
from surefold.tallies.clusters import effective_groups, leverage
from surefold.tallies.ordering import order_bits
from surefold.tallies.row_moves import Lookup, Moves, RowMoves
from surefold.tallies.score_counts import ScoreCounts
from surefold.tallies.score_groups import ScoreGroups

__all__ = [
    "BOUNDED",
    "TalliedScores",
    "average_precision_ends",
    "clipped",
    "group_job",
    "groupings_of",
    "places_in",
]

Array = NDArray[np.float64]

#: Measures that a positive's higher score, or a negative's lower one, can only make better.
BOUNDED = ("roc_auc", "gini", "average_precision", "ks", "brier", "brier_skill", "log_loss")
#: Of which of these kinds the influence of a row is, and in which order the second pass has them.
KINDS = ("roc_auc", "average_precision", "ks", "brier", "mean")


@dataclass(frozen=True, eq=False)
class TalliedScores(ScoreEstimates):
    """Every measure of scores whose rows are not here any more."""

    groupings: Mapping[str, Grouping] | None = field(default=None, repr=False)
    counts: ScoreCounts | None = field(default=None, repr=False)
    positive: frozenset[Label] = frozenset()

    @property
    def grouped(self) -> bool:
        return self.groupings is not None

    @property
    def quantised(self) -> bool:
        return self.counts is not None and self.counts.quantised

    def _grouping(self, name: str) -> Grouping:
        if self.groupings is None:
            return NOT_GROUPED
        known = self.groupings.get(_kind(name), NOT_GROUPED)
        if math.isinf(known.groups):
            return known
        return replace(known, group_factor=group_factor(known.groups, self.confidence))

    def measure(self, name: str, *, options: Mapping[str, Any] | None = None, **asked: Any) -> Estimate:
        """One measure; where scores were quantised its interval also spans what that leaves open."""
        found = super().measure(name, options=options, **asked)
        if not self.quantised or "quantised_scores" in found.flags:
            return found
        found = replace(found, flags=(*found.flags, "quantised_scores"))
        ends = self.bounds(name, options)
        if ends is None or not found.defined:
            return found
        low, high = min(ends[0], found.value), max(ends[1], found.value)
        wider = (found.low - (found.value - low), found.high + (high - found.value))
        least, greatest = catalogue[found.name].range
        return replace(found, low=max(wider[0], least), high=min(wider[1], greatest))

    def bounds(self, name: str, options: Mapping[str, Any] | None = None) -> tuple[float, float] | None:
        """Between which values the measure of the scores as they were must lie; None where nothing is known."""
        chosen = catalogue.with_options(name, options or {})
        if chosen.name not in BOUNDED or self.counts is None or not isinstance(chosen, ScoreMeasure):
            return None
        if not options:
            return self._bounds.get(chosen.name)
        return _between([float(chosen(self._end(best))) for best in (True, False)])

    @cached_property
    def _bounds(self) -> dict[str, tuple[float, float] | None]:
        """Of all such measures at once: the two tallies that it takes are large, and not kept."""
        if self.counts is None:
            return {}
        known = {name: m for name in BOUNDED if isinstance(m := catalogue[name], ScoreMeasure) and self._has(m)}
        ends: dict[str, list[float]] = {name: [] for name in known}
        for best in (True, False):
            t = self._end(best)
            for name, m in known.items():
                ends[name].append(float(m(t)))
        if "average_precision" in ends:
            ends["average_precision"] = list(average_precision_ends(self.counts, self.positive))
        return {name: _between(values) for name, values in ends.items()}

    def _has(self, measure: ScoreMeasure) -> bool:
        return measure.reads == "ranking" or self.are_probabilities

    def _end(self, best: bool) -> ScoreGroups:
        if self.counts is None:
            raise AssertionError("there are no counts")
        return clipped(self.counts.at_best(self.positive, best=best), self.counts)

    def finding(self) -> Finding | None:
        """That scores were quantised, and what that leaves open."""
        if self.counts is None or not self.quantised or self.tally is None:
            return None
        known = {name: ends for name in BOUNDED if name in self.available() and (ends := self.bounds(name)) is not None}
        shown = ("roc_auc", "average_precision", "brier", "log_loss")
        told = "; ".join(f"{name} between {_digits(*known[name])}" for name in shown if name in known)
        sentence = (
            f"Distinct scores are more than the memory given holds: they were cut to {self.counts.level} of 64 bits, "
            f"which left {len(self.counts.bits):,} groups. Of the scores as they were, {told}; intervals span that. "
            "More memory= (--memory) tells more."
        )
        bounds = {name: list(ends) for name, ends in known.items()}
        return Finding.of(
            "quantised_scores", sentence, bits=self.counts.level, groups=len(self.counts.bits), bounds=bounds
        )


def _between(ends: list[float]) -> tuple[float, float] | None:
    return None if any(math.isnan(e) for e in ends) else (min(ends), max(ends))


def average_precision_ends(counts: ScoreCounts, positive: frozenset[Label]) -> tuple[float, float]:
    """The least and the greatest average precision that scores in these groups can have.

    At least: every negative of a group is above its positives, which all differ: that is less than if they were tied. A
    positive counts with the precision at its own score; with a above it and b in all above it and at it, positives of
    weight p add at least the integral of (a + u) / (b + u) from 0 to p, however the weight is split into rows. At most:
    they are tied above its negatives.
    """
    t = clipped(counts.at_least(positive), counts)  # what a cut group may share with those set to 0 is one with them
    if not t.positives * t.negatives > 0:
        return math.nan, math.nan
    everything = t.tp - t.positive + t.fp
    grown = np.log1p(t.positive / np.where(everything > 0, everything, 1.0))
    least = float((t.positive - np.where(everything > 0, t.fp * grown, 0.0)).sum() / t.positives)
    called = t.tp + t.fp - t.negative
    most = float((t.positive * t.tp / np.where(called > 0, called, 1.0)).sum() / t.positives)
    return least, most


def _digits(low: float, high: float) -> str:
    """Two numbers with as many digits as it takes to tell them apart, and two more."""
    apart = high - low
    places = 6 if apart <= 0 else min(max(3, 2 - math.floor(math.log10(apart))), 15)
    return f"{low:.{places}f} and {high:.{places}f}"


def clipped(t: ScoreGroups, counts: ScoreCounts) -> ScoreGroups:
    """A tally of these counts with scores that are probabilities but for rounding set to 0 or 1."""
    if not len(t.score) or not counts.a_hair_outside:
        return t
    summed = ScoreGroups._summed(order_bits(np.clip(t.score, 0.0, 1.0)), t.positive, t.negative, *t.squares)
    squares = (summed.positive_squares, summed.negative_squares) if t.is_weighted else (None, None)
    return ScoreGroups(summed.score, summed.positive, summed.negative, *squares, t.quantised, t.clip)


def places_in(t: ScoreGroups, counts: ScoreCounts) -> NDArray[np.intp]:
    """For each group of the counts, where its score stands in the tally that was made of them."""
    score = counts.scores()
    if len(t.score) and len(score) and t.score[0] < score[-1]:
        score = np.minimum(score, t.score[0])  # what was a hair above 1
    return len(t.score) - 1 - np.minimum(np.searchsorted(t.score[::-1], score), len(t.score) - 1)


# rows in groups


def _kind(name: str) -> str:
    if name in ("roc_auc", "gini"):
        return "roc_auc"
    if name in ("average_precision", "ks"):
        return name
    return "brier" if name.startswith("brier") else "mean"


def group_job(
    roles: Roles, t: ScoreGroups, counts: ScoreCounts, positive: frozenset[Label], probabilities: bool
) -> RowMoves:
    """The second pass that rows in groups need: what each row moves each kind of measure by."""
    at = places_in(t, counts)
    bigger = enlarged_groups(t)
    tables = []
    for influence in (auc_influence, ap_influence, ks_influence):
        up, down = influence(bigger)
        tables.append(((up[1:-1][at], down[1:-1][at]),))
    if probabilities:
        for power in (2, 1):  # the loss, and how far the score is off
            up, down = (t.score - 1.0) ** power, t.score**power
            mean = float(t.positive @ up + t.negative @ down) / t.total
            tables.append((((up - mean)[at], (down - mean)[at]),))
    return RowMoves(roles, (Lookup(counts.bits, counts.level),), tuple(tables), (1.0,) * len(tables), positive)


def groupings_of(moves: Moves) -> dict[str, Grouping]:
    """What groups do to each kind of measure at any confidence; see `grouping`, which has the rows."""
    sizes, ups = moves.sizes()
    factor, found = leverage(sizes), {}
    held = [part for part in (ups, sizes - ups) if part.sum() > 0]
    by_class = min(effective_groups(part) for part in held)
    for f, kind in enumerate(KINDS[: len(moves.products)]):
        plain = float(moves.products[f].sum())
        sums = moves.sums(f, 1)[0] * factor
        effect = max(1.0, float(sums @ sums) / plain) if plain > 0 else 1.0
        worth = by_class if f < 3 else effective_groups(sizes)
        found[kind] = Grouping(effect, groups=worth)
    return found
