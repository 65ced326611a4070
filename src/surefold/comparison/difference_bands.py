"""Bands around the difference of two curves of the same rows, by drawing those rows again.

Every draw takes rows with replacement (of each class for ROC, of all for gains; whole groups where rows come in groups)
and makes both curves from the same rows, so what the models share cancels. The band is d(x) ± q s(x), q being the
share `confidence` of the draws' greatest |d* - d| / s. Draws alone say too little where few rows decide, so

- s² holds, beside the variance of the draws, one positive row that only one model finds, and a quarter of a row of the
  x axis: what the curves gain from one row before x to one after it;
- the band at x is the union of what it is up to one row of the x axis before and after x, because where a curve is
  steep the x of a threshold is as uncertain as the height;
- q is never less than that of a single place, and where rows come in groups it is t over z times as large and a row
  is worth one over the design effect of the difference of the areas;
- at both ends 0 belongs to the band.

Above `LARGE` rows the counts between some 400 cuts of each score are drawn from their normal limit, so that the time
hardly grows with the rows; there the band says nothing of its own about the first and last `LEAST` rows of the x axis.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from surefold.estimates.quantiles import normal_quantile
from surefold.tallies.clusters import effective_groups

__all__ = ["CurveKind", "DifferenceBands", "PairedScores", "difference_bands", "places"]

Array = NDArray[np.float64]
CurveKind = Literal["roc", "gains"]

#: Positive rows that one model alone might find, and rows of the x axis; both only in the variance.
ADDED_POSITIVE, ADDED_ALONG = 1.0, 0.25
#: Above so many rows counts are drawn from their normal limit, of classes with more rows than `FEW`.
LARGE, FEW = 20_000, 2_000
#: Rows between two cuts of a score at the least, where rows are many.
LEAST = 10
#: Numbers held at once while drawing.
_BLOCK = 1 << 22
#: A place that rounding puts a hair before a jump is taken to be at it.
_HAIR = 1e-12


@dataclass(frozen=True, eq=False)
class PairedScores:
    """Two scores of every row; weights are positive, and `groups` are codes from 0 without gaps.

    `design_effect` is by how much groups multiply the variance: a row is worth one over it.
    """

    is_positive: NDArray[np.bool_]
    scores: tuple[Array, Array]
    weights: Array
    groups: NDArray[np.intp] | None = None
    design_effect: float = 1.0

    @property
    def n(self) -> int:
        """How many rows there are."""
        return len(self.is_positive)

    @property
    def positives(self) -> float:
        """What the positives are worth in independent rows of one weight."""
        return effective_groups(self.weights[self.is_positive]) / self.design_effect

    @property
    def negatives(self) -> float:
        """How many rows are negative."""
        return effective_groups(self.weights[~self.is_positive]) / self.design_effect

    def along(self, kind: CurveKind) -> float:
        """What the rows that make up the x axis are worth: the negatives, or all."""
        return self.negatives if kind == "roc" else effective_groups(self.weights) / self.design_effect

    @property
    def groups_worth(self) -> float:
        """How many groups of one size hold the class that fewest hold; infinite without groups."""
        if self.groups is None:
            return np.inf
        held = (self.is_positive, ~self.is_positive)
        return min(effective_groups(np.bincount(self.groups, weights=self.weights * h)) for h in held)


@dataclass(frozen=True, eq=False)
class DifferenceBands:
    """At each x: the difference, its pointwise limits, and limits that hold at all x at once."""

    x: Array
    difference: Array
    low: Array
    high: Array
    band_low: Array
    band_high: Array


def places(rows: float, least: float = 1.0) -> Array:
    """At most 201 places from 0 to 1; with many rows along the axis they grow dense towards both ends.

    `least` is how many rows lie before the first place, and after the last.

    >>> places(50)[:3].tolist(), len(places(50)), len(places(5000)), float(places(5000)[1])
    ([0.0, 0.005, 0.01], 201, 199, 0.0002)
    """
    if rows <= 200 * least:
        return np.linspace(0, 1, 201)
    ends = np.geomspace(least / rows, 1 / 120, 40)
    found = np.unique(np.concatenate([np.linspace(0, 1, 121), ends, 1 - ends]))
    return np.asarray(found[np.append(True, np.diff(found) > 1e-9)])


def difference_bands(
    rows: PairedScores,
    kind: CurveKind,
    lines: tuple[tuple[Array, Array], tuple[Array, Array]],
    *,
    confidence: float,
    draws: int,
    seed: int,
    t_over_z: float = 1.0,
) -> DifferenceBands:
    """First minus second with both bands; `lines` are x and y of the two curves, and each class must have rows."""
    along, coarse = rows.along(kind), rows.n > LARGE
    x = places(along, LEAST if coarse else 1.0)
    first, second = (_height(x, *line) for line in lines)
    difference = first - second
    away = np.concatenate(list(_drawn(rows, kind, x, draws, np.random.default_rng(seed), coarse))) ** 2
    # What one row before and one row after x would change, half of it either way.
    moved = [(_height(x + 1 / along, *line) - _height(x - 1 / along, *line)) / 2 for line in lines]
    added = ADDED_POSITIVE * (1 + difference**2) / (rows.positives + ADDED_POSITIVE) ** 2
    added += ADDED_ALONG * (moved[0] ** 2 + moved[1] ** 2)
    spread = np.sqrt(away.mean(axis=0) + added)
    # Each draw is held against the variance of the others, as the population is: its own would make it look usual.
    others = (away.sum(axis=0) - away) / max(len(away) - 1, 1)
    greatest = np.sqrt((away / (others + added)).max(axis=1))
    z = normal_quantile((1 + confidence) / 2)
    everywhere = max(float(np.quantile(greatest, confidence, method="higher")), z)
    limits = [_limits(x, difference, reach * t_over_z * spread, 1 / along) for reach in (z, everywhere)]
    return DifferenceBands(x, difference, *limits[0], *limits[1])


def _limits(x: Array, difference: Array, reach: Array, step: float) -> tuple[Array, Array]:
    """The union of the limits from one step before each x to one after it, within -1 to 1.

    The ends also hold the limits of their neighbours, and 0.
    """
    near = np.abs(x[:, None] - x[None, :]) <= step * (1 + 1e-9)
    near[0, 1] = near[-1, -2] = True
    found = []
    for line, choose, worst in ((difference - reach, np.min, np.inf), (difference + reach, np.max, -np.inf)):
        beside = [np.interp(x + move, x, line) for move in (-step, step)]
        widest = choose([choose(np.where(near, line, worst), axis=1), *beside], axis=0)
        for end in (0, -1):
            widest[end] = choose([widest[end], 0.0])
        found.append(np.clip(widest, -1.0, 1.0))
    return found[0], found[1]


def _height(at: Array, x: Array, y: Array) -> Array:
    """One curve at places: the highest where it is upright, 0 before it begins."""
    return np.where(at < -_HAIR, 0.0, np.interp(at + _HAIR, x, y))


# curves from drawn weights


@dataclass(frozen=True, eq=False)
class _Levels:
    """One model's rows by falling score: the level of each, 0 the highest; rows of one level tie."""

    level: NDArray[np.intp]
    is_positive: NDArray[np.bool_]

    @classmethod
    def of(cls, scores: Array, is_positive: NDArray[np.bool_], coarse: bool) -> _Levels:
        """A level a distinct score or, `coarse`, one between neighbouring cuts at quantiles of either class."""
        if not coarse:
            return cls(np.unique(-scores, return_inverse=True)[1], is_positive)
        cuts = []
        for held in (is_positive, ~is_positive):
            own = np.sort(scores[held])
            cuts.append(own[np.minimum((places(len(own), LEAST) * len(own)).astype(np.intp), len(own) - 1)])
        edges = np.unique(np.concatenate(cuts))
        level = len(edges) - np.searchsorted(edges, scores, side="right")
        used = np.bincount(level, minlength=len(edges) + 1) > 0
        return cls(np.cumsum(used)[level] - 1, is_positive)

    @cached_property
    def count(self) -> int:
        return int(self.level.max()) + 1

    @cached_property
    def order(self) -> NDArray[np.intp]:
        return np.argsort(self.level, kind="stable")

    @cached_property
    def ends(self) -> NDArray[np.intp]:
        """Where each level ends among the rows in order."""
        return np.cumsum(np.bincount(self.level)) - 1

    def lines(self, weights: Array, kind: CurveKind) -> tuple[Array, Array]:
        """Curves of draws x rows of weights."""
        ordered = weights[:, self.order]
        tp = np.cumsum(ordered * self.is_positive[self.order], axis=1)[:, self.ends]
        every = np.cumsum(ordered, axis=1)[:, self.ends]
        return _shares(tp, every - tp if kind == "roc" else every)


def _shares(tp: Array, along: Array) -> tuple[Array, Array]:
    nothing = np.zeros((len(tp), 1))
    return np.hstack([nothing, along / along[:, -1:]]), np.hstack([nothing, tp / tp[:, -1:]])


def _drawn(
    rows: PairedScores, kind: CurveKind, x: Array, draws: int, rng: np.random.Generator, coarse: bool
) -> Iterator[Array]:
    """Blocks of d* - d at every x; draws that miss a class are left out."""
    curves = [_Levels.of(s, rows.is_positive, coarse) for s in rows.scores]
    centre = _apart(x, [c.lines(rows.weights[None, :], kind) for c in curves])
    if coarse and rows.groups is None:
        parts = [_counts(rows, held, curves, draws, rng) for held in (rows.is_positive, ~rows.is_positive)]
        kept = (parts[0].sum(axis=1) > 0) & (parts[1].sum(axis=1) > 0)
        lines = []
        for own in (slice(curves[0].count), slice(curves[0].count, None)):
            tp, fp = (_running(part[kept, own]) for part in parts)
            lines.append(_shares(tp, fp if kind == "roc" else tp + fp))
        yield _apart(x, lines) - centre
        return
    room = max(1, _BLOCK // rows.n)
    for start in range(0, draws, room):
        w = _multiplicities(rows, kind, min(room, draws - start), rng) * rows.weights
        kept = (w[:, rows.is_positive] > 0).any(axis=1) & (w[:, ~rows.is_positive] > 0).any(axis=1)
        yield _apart(x, [c.lines(w[kept], kind) for c in curves]) - centre


def _running(counts: Array) -> Array:
    """Counts so far. Normal ones may be below zero where few rows are expected; what was reached is kept."""
    return np.maximum.accumulate(np.maximum(np.cumsum(counts, axis=1), 0.0), axis=1)


def _apart(x: Array, lines: list[tuple[Array, Array]]) -> Array:
    """First minus second at every x, draw by draw; no x is below 0."""
    after = x + _HAIR
    first, second = (np.array([np.interp(after, *xy) for xy in zip(*line, strict=True)]) for line in lines)
    return np.asarray(first - second, dtype=float).reshape(-1, len(x))


def _multiplicities(rows: PairedScores, kind: CurveKind, draws: int, rng: np.random.Generator) -> Array:
    """How often each row was drawn: of its class for ROC, of all rows for gains, with its group where there are any."""
    if rows.groups is not None:
        return _times(int(rows.groups.max()) + 1, draws, rng)[:, rows.groups]
    if kind == "gains":
        return _times(rows.n, draws, rng)
    found = np.empty((draws, rows.n))
    for held in (rows.is_positive, ~rows.is_positive):
        found[:, held] = _times(int(held.sum()), draws, rng)
    return found


def _times(units: int, draws: int, rng: np.random.Generator) -> Array:
    picked = rng.integers(0, units, size=(draws, units)) + units * np.arange(draws)[:, None]
    return np.bincount(picked.ravel(), minlength=draws * units).reshape(draws, units).astype(float)


def _counts(
    rows: PairedScores, held: NDArray[np.bool_], curves: list[_Levels], draws: int, rng: np.random.Generator
) -> Array:
    """Drawn weight of one class at the levels of both models, side by side: draws x (levels of both)."""
    sizes = [c.count for c in curves]
    first, second = (c.level[held] for c in curves)
    w = rows.weights[held]
    if len(w) <= FEW:
        to_level = np.zeros((len(w), sum(sizes)))
        each = np.arange(len(w))
        to_level[each, first], to_level[each, sizes[0] + second] = w, w
        return np.asarray(rng.poisson(1.0, (draws, len(w))) @ to_level)
    cells = first.astype(np.int64) * sizes[1] + second
    both = np.bincount(cells, weights=w * w, minlength=sizes[0] * sizes[1]).reshape(sizes)
    variance = np.block([[np.diag(both.sum(axis=1)), both], [both.T, np.diag(both.sum(axis=0))]])
    value, vector = np.linalg.eigh(variance)
    mean = np.concatenate([np.bincount(x, weights=w, minlength=k) for x, k in zip((first, second), sizes, strict=True)])
    noise = rng.standard_normal((draws, len(value))) * np.sqrt(np.maximum(value, 0.0))
    return np.asarray(mean + noise @ vector.T)
