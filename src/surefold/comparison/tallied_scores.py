"""Differences of measures of scores in two passes: tallies say where each score stands, then products are summed.

The first pass gives each model's tally. It says what a positive and a negative at each score move a measure by, for
areas their placement (DeLong). The second pass looks every row up and sums the products over models, class by class.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefold.comparison.pair_moments import PairMoments, Spread, distances
from surefold.comparison.paired_scores import ADDED_POSITIVE, FLIPPED, area_moments
from surefold.estimates.auc import auc_influence, few_of_a_class, few_weighted_errors, missing_class, weights_vary
from surefold.estimates.average_precision import FEW_POSITIVES, ap_influence
from surefold.estimates.of_tallies import TalliedScores, places_in
from surefold.inputs.labels import Label
from surefold.inputs.parts import Roles
from surefold.measures import proper
from surefold.measures.ranking import average_precision
from surefold.tallies.clusters import effective_groups, leverage
from surefold.tallies.row_moves import Lookup, Moves, RowMoves
from surefold.tallies.score_groups import ScoreGroups

__all__ = ["TWO_PASSES", "TwoPasses", "tallied_score_pairs"]

Array = NDArray[np.float64]
Table = tuple[Array, Array]

TWO_PASSES = ("roc_auc", "gini", "average_precision", "brier", "log_loss")


@dataclass(frozen=True, eq=False)
class TwoPasses:
    """Each model's merged tally, and how to go over the rows again."""

    models: tuple[TalliedScores, ...]
    roles: Roles
    positive: frozenset[Label]
    reduce: Callable[[RowMoves], Moves]

    @property
    def tallies(self) -> list[ScoreGroups]:
        return [_rescaled(m) for m in self.models]

    @property
    def scale(self) -> float:
        t = _tally(self.models[0])
        return t.total / float(sum(s.sum() for s in t.squares)) if t.is_weighted else 1.0

    def moves(self, families: Sequence[Sequence[Table]], powers: Sequence[float]) -> Moves:
        """The second pass: `families[f][m]` is what a row at each score of model m's tally moves measure f by."""
        lookups, places = [], []
        for m in self.models:
            if m.counts is None:
                raise AssertionError("two passes need counts")
            lookups.append(Lookup(m.counts.bits, m.counts.level))
            places.append(places_in(_tally(m), m.counts))
        tables = tuple(
            tuple((up[at], down[at]) for (up, down), at in zip(family, places, strict=True)) for family in families
        )
        return self.reduce(RowMoves(self.roles, tuple(lookups), tables, tuple(powers), self.positive, self.scale))


def tallied_score_pairs(name: str, passes: TwoPasses, *, added: bool = True) -> PairMoments:
    """The differences of every pair, as `score_pairs` has them from rows."""
    tallies = passes.tallies
    reason = missing_class(tallies[0])
    if reason and name not in ("brier", "log_loss"):
        k, top = len(tallies), 2.0 if name == "gini" else 1.0
        nothing, whole = np.full(k, np.nan), np.full((k, k), np.nan)
        return PairMoments(nothing, nothing, whole, whole, (-top, top), tallies[0].total, reasons=(reason,) * k)
    if name in ("roc_auc", "gini"):
        return _areas(tallies, passes, 2.0 if name == "gini" else 1.0, added)
    if name == "average_precision":
        return _precisions(tallies, passes, added)
    return _losses("log_loss" if name == "log_loss" else "brier", tallies, passes, added)


def _areas(tallies: list[ScoreGroups], passes: TwoPasses, times: float, added: bool) -> PairMoments:
    values = np.array([t.auc for t in tallies])
    moves = passes.moves([[auc_influence(t) for t in tallies]], [1.0])
    parts, rows = [distances(products) for products in moves.products[0]], _class_rows(tallies[0])
    spread = Spread(parts[0] + parts[1], *_design(moves, len(tallies), by_class=True))
    flags: tuple[str, ...] = ("few_of_a_class",) if few_of_a_class(min(rows)) else ()
    return area_moments(values, parts, rows, spread, tallies[0].total, flags + _weak(tallies), times, added)


def _precisions(tallies: list[ScoreGroups], passes: TwoPasses, added: bool) -> PairMoments:
    values = np.array([average_precision(t) for t in tallies])
    moves = passes.moves([[ap_influence(t) for t in tallies]], [1.0])
    design, groups = _design(moves, len(tallies), by_class=True)
    plain = distances(moves.products[0].sum(axis=0))
    m, d = _class_rows(tallies[0])[0], values[:, None] - values[None, :]
    more = ADDED_POSITIVE if added else 0.0
    variance = (plain * m * m + more * (1 + d**2)) / (m + more) ** 2
    flags = ("few_positives",) if m < FEW_POSITIVES - 1e-9 else ()
    facts = (values, values, variance * design, plain * design, (-1.0, 1.0), tallies[0].total, groups)
    return PairMoments(*facts, flags=flags + _weak(tallies), method="one_row" if added else "delta")


def _losses(loss: proper.Loss, tallies: list[ScoreGroups], passes: TwoPasses, added: bool) -> PairMoments:
    n = tallies[0].total
    top = np.inf if loss == "log_loss" else 1.0
    moved, flipped, values, largest, reasons = [], [], [], 0.0, []
    for t in tallies:
        known = proper.has_probabilities(t)
        reasons.append("" if known else "a score is infinite, and so no probability")
        score = np.where(np.isfinite(t.score), t.score, 0.0)
        up = proper.row_losses(loss, score, np.ones(len(score), dtype=bool), t.clip)
        down = proper.row_losses(loss, score, np.zeros(len(score), dtype=bool), t.clip)
        value = float(t.positive @ up + t.negative @ down) / n
        values.append(value)
        moved.append(((up - value) / n, (down - value) / n))
        flipped.append(((down - value) / np.sqrt(n), (up - value) / np.sqrt(n)))
        largest = max(largest, float(up.max()), float(down.max()))
    moves = passes.moves([moved, flipped], [1.0, 0.5])
    design, groups = _design(moves, len(tallies), by_class=False)
    plain, away = (distances(products.sum(axis=0)) for products in moves.products)
    variance = plain
    if added:
        alike = (away <= 0) & (plain <= 0)
        most = top if np.isfinite(top) else largest
        variance = (plain * n * n + np.where(alike, most**2, FLIPPED * away)) / (n + FLIPPED) ** 2
    told = np.array([np.nan if why else v for v, why in zip(values, reasons, strict=True)])
    return PairMoments(
        told,
        np.array(values),
        variance * design,
        plain * design,
        (-top, top),
        n,
        min(groups, n),
        tuple(reasons),
        method="flipped_row" if added else "delta",
    )


def _design(moves: Moves, models: int, *, by_class: bool) -> tuple[Array, float]:
    """By how much groups multiply the variance of each pair, and what the groups are worth."""
    plain = distances(moves.products[0].sum(axis=0))
    if moves.groups is None:
        return np.ones_like(plain), np.inf
    sizes, ups = moves.sizes()
    sums = np.stack(moves.sums(0, models)) * leverage(sizes)
    rounding = 1e-14 * float(plain.max(initial=0.0))
    effect = np.where(plain > rounding, distances(sums @ sums.T) / np.where(plain > rounding, plain, 1.0), 1.0)
    worth = effective_groups(sizes)
    if by_class:
        worth = min(effective_groups(part) for part in (ups, sizes - ups) if part.sum() > 0)
    return np.maximum(effect, 1.0), worth


def _class_rows(t: ScoreGroups) -> tuple[float, float]:
    """Effective rows of each class."""
    first, second = t.squares
    return t.positives**2 / float(first.sum()), t.negatives**2 / float(second.sum())


def _weak(tallies: list[ScoreGroups]) -> tuple[str, ...]:
    flags = ("few_weighted_errors",) if any(weights_vary(t) and few_weighted_errors(t) for t in tallies) else ()
    return flags + (("quantised_scores",) if any(t.quantised for t in tallies) else ())


def _tally(m: TalliedScores) -> ScoreGroups:
    if m.tally is None:
        raise AssertionError("two passes need a positive class")
    return m.tally


def _rescaled(m: TalliedScores) -> ScoreGroups:
    t = _tally(m)
    if not t.is_weighted:
        return t
    scale = t.total / float(sum(s.sum() for s in t.squares))
    first, second = (s * scale**2 for s in t.squares)
    return ScoreGroups(t.score, t.positive * scale, t.negative * scale, first, second, t.quantised, t.clip)
