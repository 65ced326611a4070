"""The score tally: distinct scores in falling order, with the positive and the negative weight at each.

Everything about ranking is read from it: curves, areas, thresholds. Tallies add up, so parts can be counted anywhere.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefold.errors import InputError
from surefold.inputs.predictions import Predictions
from surefold.inputs.scores import CLIP
from surefold.tallies.keys import BLOCK, ScoreKeys
from surefold.tallies.ordering import from_order_bits, grouped_counts, order_bits, row_order
from surefold.tallies.placements import Placements
from surefold.tallies.runs import Run

__all__ = ["SINGLE", "KeyedScores", "ScoreGroups"]

Array = NDArray[np.float64]
#: The clip of scores in single precision.
SINGLE = float(np.finfo(np.float32).eps)
#: So many scores are kept as they are walked, with what was worked out for them.
_KEPT = 1 << 13
#: Rows that are written out one by one.
_ONE_BY_ONE = 1 << 24


@dataclass(frozen=True, eq=False)
class ScoreGroups:
    """Distinct scores, falling, with the weight of the positives and of the negatives that have them.

    `positive_squares` and `negative_squares` are summed squared weights, where rows were weighted. In a quantised
    tally a group holds scores that differ; `auc_bounds` brackets what their order, or that of ties, leaves open.
    `clip` is what a probability below it counts as in a logarithm: the eps of the floats that the scores came as.

    >>> t = ScoreGroups.of(np.array([0.9, 0.8, 0.8, 0.8, 0.1]), np.array([True, False, True, True, False]))
    >>> t.score.tolist(), t.positive.tolist(), t.negative.tolist(), round(t.auc, 4), t.auc_bounds
    ([0.9, 0.8, 0.1], [1.0, 2.0, 0.0], [0.0, 1.0, 1.0], 0.8333, (0.6666666666666666, 1.0))
    """

    score: Array
    positive: Array
    negative: Array
    positive_squares: Array | None = None
    negative_squares: Array | None = None
    quantised: bool = False
    clip: float = CLIP

    @classmethod
    def of(
        cls,
        scores: NDArray[Any],
        is_positive: NDArray[np.bool_],
        weights: NDArray[np.float64] | None = None,
        clip: float = CLIP,
    ) -> ScoreGroups:
        """Count rows: each has a score, is positive or not, and may have a weight."""
        scores = np.asarray(scores, dtype=np.float64)
        if weights is None:
            keys = ScoreKeys.of(scores, is_positive, single=clip == SINGLE)
            if keys is not None:
                return KeyedScores(keys, clip)
            distinct, first, second = grouped_counts(scores, is_positive)
            counts = (np.asarray(first, dtype=float), np.asarray(second, dtype=float))
            return cls(from_order_bits(distinct), *counts, clip=clip)
        sums = (*_by_class(weights, is_positive), *_by_class(weights**2, is_positive))
        return replace(cls._summed(order_bits(scores), *sums), clip=clip)

    @classmethod
    def of_counts(cls, score: Array, positive: Array, negative: Array, clip: float = CLIP) -> ScoreGroups:
        """Of how many rows have each score: as if they had come one by one, unless that were very many."""
        rows = np.stack([positive, negative], axis=1).ravel()
        if rows.sum() > _ONE_BY_ONE or (rows != np.floor(rows)).any():
            return cls(score, positive, negative, clip=clip)
        each = np.repeat(np.arange(len(rows)), rows.astype(np.intp))
        return cls.of(score[each // 2], each % 2 == 0, clip=clip)

    @classmethod
    def at_places(
        cls,
        scores: NDArray[np.float64],
        place: NDArray[np.int32],
        is_positive: NDArray[np.bool_],
        weights: NDArray[np.float64] | None = None,
        clip: float = CLIP,
    ) -> ScoreGroups:
        """The same, knowing which of the distinct scores each row has: nothing is sorted."""
        count = int(place.max(initial=-1)) + 1
        score = np.empty(count)
        score[place] = scores + 0.0

        def summed(each: NDArray[np.float64] | None) -> list[Array]:
            sides = ((place[side], None if each is None else each[side]) for side in (is_positive, ~is_positive))
            return [np.bincount(at, weights=w, minlength=count).astype(float) for at, w in sides]

        positive, negative = summed(weights)
        first, second = (None, None) if weights is None else summed(weights**2)
        return cls(score, positive, negative, first, second, clip=clip)

    @classmethod
    def of_predictions(cls, p: Predictions, positive: int | None = None) -> ScoreGroups:
        """The tally of checked predictions; for a matrix of scores, of one class against the rest."""
        c = p.positive if positive is None else positive
        if p.scores is None or c is None:
            raise AssertionError("a score tally needs scores and a positive class")
        scores = p.scores if p.scores.ndim == 1 else p.scores[:, c]
        return cls.of(scores, p.truth == c, p.weights, p.clip)

    @classmethod
    def _summed(
        cls, bits: NDArray[np.uint64], positive: Array, negative: Array, positive2: Array, negative2: Array
    ) -> ScoreGroups:
        """Sum what is given for each score; scores may come in any order and more than once.

        A score that only rows of weight zero have is no score: it would be a point on every curve, the first a 0/0.
        """
        order, ordered = (x[::-1] for x in row_order(bits))
        starts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1])) if len(bits) else np.zeros(0, dtype=int)
        if len(bits):
            columns = (positive, negative, positive2, negative2)
            positive, negative, positive2, negative2 = (np.add.reduceat(x[order], starts) for x in columns)
        held = (positive > 0) | (negative > 0)
        if not held.all():
            columns = (positive, negative, positive2, negative2)
            starts, (positive, negative, positive2, negative2) = starts[held], (x[held] for x in columns)
        return cls(from_order_bits(ordered[starts]), positive, negative, positive2, negative2)

    # what is counted

    @cached_property
    def positives(self) -> float:
        """The weight of the positives."""
        return float(self.positive.sum())

    @cached_property
    def negatives(self) -> float:
        """The weight of the negatives."""
        return float(self.negative.sum())

    @property
    def total(self) -> float:
        """The weight of all rows."""
        return self.positives + self.negatives

    @cached_property
    def squared_weights(self) -> tuple[float, float]:
        """The squared weights of the positives and of the negatives, summed; how many they are without weights."""
        if not self.is_weighted:
            return self.positives, self.negatives
        first, second = (float(x.sum()) for x in self.squares)
        return first, second

    @cached_property
    def weights_vary(self) -> bool:
        """Whether a row's weight may differ from another's, once they are scaled to the effective number of rows."""
        if not self.is_weighted or not self.total > 0:
            return False
        scale = self.total / sum(self.squared_weights)
        pairs = list(zip((self.positive, self.negative), self.squares, strict=True))
        most = 1e-9 * max(float(w.max(initial=0.0)) for w, _ in pairs)
        return any(bool((abs(q * scale - w) > most).any()) for w, q in pairs)

    @property
    def is_weighted(self) -> bool:
        """Whether rows have weights that differ."""
        return self.positive_squares is not None

    @cached_property
    def tp(self) -> Array:
        """Positives with this score or a higher one: the true positives when it is the threshold."""
        return np.cumsum(self.positive)

    @cached_property
    def fp(self) -> Array:
        """Negatives with this score or a higher one."""
        return np.cumsum(self.negative)

    @cached_property
    def auc(self) -> float:
        """Share of (positive, negative) pairs in order, ties counting half."""
        low, high = self.auc_bounds
        return (low + high) / 2

    @cached_property
    def auc_bounds(self) -> tuple[float, float]:
        """The area if every tie (or every pair within a group) were in the wrong, and in the right order."""
        pairs = self.positives * self.negatives
        if pairs == 0:
            return (np.nan, np.nan)
        tied = float(self.positive @ self.negative)
        below = float(self.positive @ (self.negatives - self.fp))
        return below / pairs, (below + tied) / pairs

    @property
    def counts_rows(self) -> bool:
        """Whether all counts are known to be whole."""
        return False

    @property
    def placements(self) -> Placements | None:
        """Sums of placements as whole numbers, where single rows were counted and none weighed."""
        return None

    @property
    def ends(self) -> tuple[float, float]:
        """The least and the greatest score; there has to be one."""
        return float(self.score[-1]), float(self.score[0])

    def places(self, scores: NDArray[Any]) -> NDArray[np.intp]:
        """Where rows with these scores, each of which is one of the tally's, stand in it."""
        return np.asarray(len(self.score) - 1 - np.searchsorted(self.score[::-1], scores))

    # walked once, a block at a time

    @cached_property
    def ledger(self) -> dict[Hashable, Any]:
        """What was summed over all scores, by what it is: no sum is made twice."""
        return {}

    def runs(self) -> Iterable[Run]:
        """All scores from the lowest up that some weight is left of."""
        return self._few if self.most_scores <= _KEPT else self._blocks()

    @cached_property
    def _few(self) -> list[Run]:
        return list(self._blocks())

    def _blocks(self) -> Iterator[Run]:
        columns = (self.score, self.positive, self.negative, *self.squares)
        for stop in range(len(self.score), 0, -BLOCK):
            rows = slice(max(stop - BLOCK, 0), stop)
            score, positive, negative, first, second = (np.ascontiguousarray(x[rows][::-1]) for x in columns)
            run = Run(score, positive, negative, first, second, self.clip).held
            if len(run.score):
                yield run

    @property
    def most_scores(self) -> int:
        """How many distinct scores there are at most."""
        return len(self.score)

    @cached_property
    def distinct(self) -> int:
        """How many distinct scores there are."""
        return len(self.score)

    @cached_property
    def spans(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """The least and the greatest score of the positives, and those of the negatives; NaN where there are none."""
        first, second = (self.score[side > 0] for side in (self.positive, self.negative))
        up, down = ((float(x[-1]), float(x[0])) if len(x) else (np.nan, np.nan) for x in (first, second))
        return up, down

    def sample(self, most: int = 2048) -> Run:
        """Scores spread evenly over all, at most so many: enough for a guess."""
        step = slice(None, None, max(1, -(-len(self.score) // most)))
        first, second = self.squares
        return Run(self.score[step], self.positive[step], self.negative[step], first[step], second[step], self.clip)

    def scores_at(self, weight: Array, *, reached: bool = False) -> Array:
        """The score of the row below which this much weight lies, or of the one with which it is reached."""
        rows = (self.positive + self.negative)[::-1]
        score, reach = self.score[::-1][rows > 0], np.cumsum(rows[rows > 0])
        at = np.searchsorted(reach, weight, side="left" if reached else "right")
        return np.asarray(score[np.minimum(at, len(score) - 1)])

    def outside(self, low: float, high: float) -> tuple[tuple[float, float], tuple[float, float]]:
        """The weight of the positives and of the negatives with a score below `low`, and with one above `high`."""
        below, above = self.score < low, self.score > high
        first, second = ((float(self.positive[x].sum()), float(self.negative[x].sum())) for x in (below, above))
        return first, second

    # tallies from tallies

    def __add__(self, other: ScoreGroups) -> ScoreGroups:
        """The tally of both sets of rows."""
        if not isinstance(other, ScoreGroups):
            return NotImplemented
        parts = (self, other)
        bits = np.concatenate([order_bits(t.score) for t in parts])
        columns = [np.concatenate([getattr(t, name) for t in parts]) for name in ("positive", "negative")] + [
            np.concatenate([t.squares[i] for t in parts]) for i in (0, 1)
        ]
        merged = ScoreGroups._summed(bits, *columns)
        weighted = self.is_weighted or other.is_weighted
        return ScoreGroups(
            merged.score,
            merged.positive,
            merged.negative,
            merged.positive_squares if weighted else None,
            merged.negative_squares if weighted else None,
            self.quantised or other.quantised,
            max(self.clip, other.clip),
        )

    def without(self, part: ScoreGroups) -> ScoreGroups:
        """The tally of the rows that are not in a part of them.

        >>> t = ScoreGroups.of(np.array([0.9, 0.8, 0.8]), np.array([True, False, True]))
        >>> t.without(ScoreGroups.of(np.array([0.8, 0.9]), np.array([True, True]))).negative.tolist()
        [1.0]
        """
        at = self.places(part.score)
        columns = []
        wholes = (self.positive, self.negative, *self.squares)
        for whole, taken in zip(wholes, (part.positive, part.negative, *part.squares), strict=True):
            left = whole.copy()
            left[at] -= taken
            columns.append(np.where(left <= 1e-9 * whole, 0.0, left))
        held = (columns[0] > 0) | (columns[1] > 0)
        positive, negative, *squares = (x[held] for x in columns)
        first, second = squares if self.is_weighted else (None, None)
        return ScoreGroups(self.score[held], positive, negative, first, second, self.quantised, self.clip)

    @property
    def squares(self) -> tuple[Array, Array]:
        """Summed squared weights of the positives and of the negatives; the counts themselves without weights."""
        if self.positive_squares is None or self.negative_squares is None:
            return self.positive, self.negative
        return self.positive_squares, self.negative_squares

    def coarser(self, bits: int) -> ScoreGroups:
        """Scores cut to their `bits` leading bits, for streams: fewer groups, and `auc_bounds` says what that costs."""
        shift = np.uint64(64 - bits)
        cut = (order_bits(self.score) >> shift) << shift
        merged = ScoreGroups._summed(cut, self.positive, self.negative, *self.squares)
        squares = (merged.positive_squares, merged.negative_squares) if self.is_weighted else (None, None)
        return ScoreGroups(merged.score, merged.positive, merged.negative, *squares, quantised=True, clip=self.clip)

    def worth_less(self, factor: float) -> ScoreGroups:
        """The same scores with each row worth 1/factor rows for inference, as groups of rows are."""
        if factor <= 1:
            return self
        first, second = (squares * factor for squares in self.squares)
        return ScoreGroups(self.score, self.positive, self.negative, first, second, self.quantised, self.clip)

    def scaled(self, factor: float) -> ScoreGroups:
        """The same scores with every weight multiplied; without weights there is nothing to scale."""
        if not self.is_weighted:
            return self
        first, second = (squares * factor**2 for squares in self.squares)
        weights = self.positive * factor, self.negative * factor
        return ScoreGroups(self.score, *weights, first, second, self.quantised, self.clip)

    def table_at(self, threshold: float, place: int = 0) -> tuple[Array, Array]:
        """The two-class table of a threshold and that of the squared weights, the positive class at `place`."""
        cut = self.score >= threshold
        tables = []
        for positive, negative in ((self.positive, self.negative), self.squares):
            tp, fp = positive[cut].sum(), negative[cut].sum()
            # Sums of what is left, not differences: those of weights can come out a hair below 0.
            table = np.array([[tp, positive[~cut].sum()], [fp, negative[~cut].sum()]])
            tables.append(table if place == 0 else table[::-1, ::-1])
        return tables[0], tables[1]

    def dealt(self, k: int, seed: int | np.random.Generator | None) -> list[ScoreGroups]:
        """Rows dealt into k tallies at random: those of one score and class differ in nothing, so none is looked at."""
        if self.is_weighted:
            cure = "leave out the weights"
            raise InputError("bad_option", "weighted rows cannot be split", cure=cure)
        rng, even = np.random.default_rng(seed), np.full(k, 1 / k)
        positive, negative = (rng.multinomial(x.astype(np.int64), even).T for x in (self.positive, self.negative))
        parts = ((positive[i].astype(float), negative[i].astype(float)) for i in range(k))
        return [ScoreGroups(self.score, *part, quantised=self.quantised, clip=self.clip) for part in parts]

    def mirrored(self) -> ScoreGroups:
        """The classes and the sign of the scores swapped."""
        positive2, negative2 = (x[::-1] if self.is_weighted else None for x in self.squares)
        score, positive, negative = -self.score[::-1], self.negative[::-1], self.positive[::-1]
        return ScoreGroups(score, positive, negative, negative2, positive2, self.quantised, self.clip)


class KeyedScores(ScoreGroups):
    """The tally of rows without weights, as sorted keys: its arrays of groups are made when they are asked for.

    >>> t = ScoreGroups.of(np.array([0.9, 0.8, 0.8]), np.array([True, False, True]))
    >>> t.ends, t.auc, "score" in vars(t), t.score.tolist(), "score" in vars(t)
    ((0.8, 0.9), 0.75, False, [0.9, 0.8], True)
    """

    keys: ScoreKeys

    def __init__(self, keys: ScoreKeys, clip: float = CLIP) -> None:
        vars(self).update(keys=keys, clip=clip)

    @cached_property
    def _groups(self) -> tuple[Array, Array, Array]:
        score, positive, negative = (np.ascontiguousarray(x[::-1]) for x in self.keys.groups())
        return score, positive, negative

    def _blocks(self) -> Iterator[Run]:
        return (self.keys.run(rows, self.clip) for rows in self.keys.cuts())

    @property
    def most_scores(self) -> int:
        """How many distinct scores there are at most."""
        return len(self.keys)

    @cached_property
    def distinct(self) -> int:
        """How many distinct scores there are."""
        return self.keys.distinct

    @cached_property
    def spans(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """The least and the greatest score of the positives, and those of the negatives; NaN where there are none."""
        up, down = (self.keys.span(label) for label in (1, 0))
        return up, down

    def sample(self, most: int = 2048) -> Run:
        """Scores spread evenly over the rows, at most so many: enough for a guess."""
        keys = self.keys.sample(most)
        return keys.run(slice(0, len(keys)), self.clip)

    def scores_at(self, weight: Array, *, reached: bool = False) -> Array:
        """The score of the row below which so many rows lie, or of the one with which they are reached."""
        at = np.ceil(weight) - 1 if reached else np.floor(weight)
        return self.keys.scores(self.keys.keys[np.clip(at, 0, len(self.keys) - 1).astype(np.intp)])

    def outside(self, low: float, high: float) -> tuple[tuple[float, float], tuple[float, float]]:
        """The positives and the negatives with a score below `low`, and with one above `high`."""
        cuts = slice(0, self.keys.below(low)), slice(self.keys.below(high, or_equal=True), len(self.keys))
        first, second = ((labels.sum(), len(labels) - labels.sum()) for labels in map(self.keys.labels, cuts))
        return (float(first[0]), float(first[1])), (float(second[0]), float(second[1]))

    @cached_property
    def score(self) -> Array:
        """Distinct scores, falling."""
        return self._groups[0]

    @cached_property
    def positive(self) -> Array:
        """Positives at each."""
        return self._groups[1]

    @cached_property
    def negative(self) -> Array:
        """Negatives at each."""
        return self._groups[2]

    @cached_property
    def positives(self) -> float:
        """Rows of the positive class."""
        return float(self.keys.positives)

    @property
    def negatives(self) -> float:
        """Rows of the other."""
        return len(self.keys) - self.positives

    @property
    def counts_rows(self) -> bool:
        """Whether all counts are known to be whole."""
        return True

    @cached_property
    def placements(self) -> Placements:
        """Sums of placements as whole numbers."""
        return Placements.of(self.keys)

    @property
    def ends(self) -> tuple[float, float]:
        """The least and the greatest score; there has to be one."""
        low, high = self.keys.scores(self.keys.keys[[0, -1]])
        return float(low), float(high)

    @cached_property
    def auc(self) -> float:
        """Share of (positive, negative) pairs in order, ties counting half."""
        return self.placements.area if self.positives * self.negatives > 0 else np.nan

    @cached_property
    def auc_bounds(self) -> tuple[float, float]:
        """The area if every tie were in the wrong, and in the right order."""
        return self.placements.bounds if self.positives * self.negatives > 0 else (np.nan, np.nan)


def _by_class(weights: Array, is_positive: NDArray[np.bool_]) -> tuple[Array, Array]:
    return np.where(is_positive, weights, 0.0), np.where(is_positive, 0.0, weights)
