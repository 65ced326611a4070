"""Estimates from merged tallies: what groups of rows need comes from a second pass; what quantising costs is told.

Scores that were cut to their leading bits are known to lie between two ends. Every measure here that only gets better
when a positive's score rises or a negative's falls is then between its values at those ends, whatever the scores were.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefold.estimates.auc import missing_class
from surefold.estimates.estimate import Estimate
from surefold.estimates.grouping import NOT_GROUPED, Design, group_moves
from surefold.estimates.of_scores import ScoreEstimates
from surefold.findings import Finding
from surefold.inputs.labels import Label
from surefold.inputs.parts import Roles
from surefold.measures.catalogue import catalogue
from surefold.measures.score_measure import Moved, ScoreMeasure
from surefold.tallies.moves import Family, Moves, MovesJob, Places
from surefold.tallies.ordering import order_bits
from surefold.tallies.score_counts import ScoreCounts
from surefold.tallies.score_groups import ScoreGroups

__all__ = [
    "TalliedScores",
    "clipped",
    "grouped",
    "table_at",
]

Array = NDArray[np.float64]
Reduce = Callable[[MovesJob], Moves]


@dataclass(frozen=True, eq=False)
class TalliedScores(ScoreEstimates):
    """Every measure of scores whose rows are not here any more."""

    found: Mapping[str, Design] | None = field(default=None, repr=False)
    counts: ScoreCounts | None = field(default=None, repr=False)
    positive: frozenset[Label] = frozenset()

    @property
    def grouped(self) -> bool:
        return self.found is not None

    @property
    def quantised(self) -> bool:
        return self.counts is not None and self.counts.quantised

    def design(self, measure: ScoreMeasure) -> Design:
        """As it was found in the second pass, which knew of no options."""
        found = self.found or {}
        return found.get(measure.name) or found.get(measure.source_measure.name, NOT_GROUPED)

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
        if self.counts is None or not isinstance(chosen, ScoreMeasure) or not chosen.monotone:
            return None
        if not options:
            return self._bounds.get(chosen.name)
        return _between([float(chosen(self._end(best))) for best in (True, False)])

    @cached_property
    def _bounds(self) -> dict[str, tuple[float, float] | None]:
        """Of all such measures at once: the two tallies that it takes are large, and not kept."""
        if self.counts is None:
            return {}
        known = {name: m for name, m in self.available().items() if m.monotone}
        ends: dict[str, list[float]] = {name: [] for name in known}
        for best in (True, False):
            t = self._end(best)
            for name, m in known.items():
                ends[name].append(float(m(t)))
        least = clipped(self.counts.at_least(self.positive), self.counts)
        ends |= {name: list(m.ends(least)) for name, m in known.items() if m.ends is not None}
        return {name: _between(values) for name, values in ends.items()}

    def _end(self, best: bool) -> ScoreGroups:
        if self.counts is None:
            raise AssertionError("there are no counts")
        return clipped(self.counts.at_best(self.positive, best=best), self.counts)

    def finding(self) -> Finding | None:
        """That scores were quantised, and what that leaves open."""
        if self.counts is None or not self.quantised or self.tally is None:
            return None
        known = {name: ends for name, ends in self._bounds.items() if ends is not None}
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


def grouped(scores: TalliedScores, roles: Roles, positive: frozenset[Label], rows: Reduce) -> TalliedScores:
    """With what groups do to each measure at any confidence; see `score_design`, which has the rows."""
    t, counts = scores.tally, scores.counts
    if t is None or counts is None:
        raise AssertionError("scores were counted")

    def has_its_own(m: ScoreMeasure) -> bool:  # unless it is a line of one that is here by itself
        return m.line is None or m.source_measure.settings != catalogue[m.source_measure.name].settings

    known = {name: m for name, m in scores.available().items() if m.has_moves and has_its_own(m)}
    known = {name: m for name, m in known.items() if not missing_class(t) or m.reads != "ranking"}
    known = {name: m for name, m in known.items() if not np.isnan(m(t))}
    if not known:
        return replace(scores, found={})
    families = tuple(Family((table_at(group_moves(m, t), t, counts),)) for m in known.values())
    moves = rows(MovesJob(roles, (Places(counts.bits, counts.level),), families, positive))
    designs = {name: Design.of(moves[f], by_class=m.reads == "ranking") for f, (name, m) in enumerate(known.items())}
    return replace(scores, found=designs)


def table_at(moved: Moved, t: ScoreGroups, counts: ScoreCounts) -> Array:
    """What rows at each score of a tally are moved by as a table of class and group of the counts it was made of."""
    at = places_in(t, counts)
    return np.stack([moved.negative[at], moved.positive[at]])
