"""The score tally on its way: what parts of the rows hold of each score, within a number of groups.

Scores are held as integers that sort as they do. Where there are more distinct scores than groups, trailing bits are
cut off, one at a time, until they fit, so a group then holds neighbouring scores. How many bits are left depends on the
scores and the number of groups alone: a part never has to be cut further than the whole. Hence any split of the rows,
merged in any order, ends in the same tally.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefold.inputs.labels import Label
from surefold.inputs.scores import CLIP
from surefold.tallies.keys import Form, ScoreKeys
from surefold.tallies.ordering import from_order_bits, order_bits, row_order
from surefold.tallies.score_groups import SINGLE, KeyedScores, ScoreGroups

__all__ = ["WHOLE", "ScoreCounts", "ScoreRows"]

Array = NDArray[np.float64]
Bits = NDArray[np.uint64]

#: Bits of a score that is held as it is.
WHOLE = 64
#: How far outside 0 to 1 a probability may lie by rounding.
DUST = 1e-6
#: Of rows of which a smaller share have distinct scores, the scores are counted.
_MOSTLY_APART = 0.4
#: From this many scores on, the compiled merge wins back the time it takes to load.
_COMPILED_FROM = 500_000


@dataclass(frozen=True, eq=False)
class ScoreCounts:
    """Distinct scores as order bits, rising, and sums for each class: rows, or weights and their squares.

    `sums[c]` is the weight of class c at each score; where rows are weighted, `sums[k + c]` are the squares. `level` is
    how many leading bits are kept; `low` and `high` are the least and the greatest score, whole.
    """

    classes: tuple[Label, ...]
    bits: Bits
    sums: Array
    weighted: bool
    most: int
    level: int = WHOLE
    low: float = np.inf
    high: float = -np.inf
    clip: float = CLIP

    @classmethod
    def of(
        cls,
        scores: Array,
        codes: NDArray[Any],
        classes: tuple[Label, ...],
        weights: Array | None = None,
        most: int = 1 << 62,
        clip: float = CLIP,
    ) -> ScoreCounts:
        """Count rows; `codes` number the classes."""
        k, weighted = len(classes), weights is not None
        if not len(scores):
            return cls(classes, np.zeros(0, np.uint64), np.zeros((k * (1 + weighted), 0)), weighted, most)
        ends = (float(scores.min()), float(scores.max()))
        if k == 2 and not weighted and len(scores) <= most:
            keys = ScoreKeys.of(scores, codes == 1, single=clip == SINGLE)
            if keys is not None and keys.distinct > _MOSTLY_APART * len(scores):
                return ScoreRows([keys.keys], keys.form, classes, most, *ends, clip)
        each = []
        for c in range(k):
            held = codes == c
            bits, sums = _counted(scores[held], None if weights is None else weights[held])
            spread = np.zeros((k * (1 + weighted), len(bits)))
            spread[c::k] = sums
            each.append(cls(classes, bits, spread, weighted, most)._fitted())
        made = reduce(ScoreCounts._merged, each)
        return replace(made, low=ends[0], high=ends[1], clip=clip)

    @property
    def quantised(self) -> bool:
        """Whether scores were cut to fewer digits."""
        return self.level < WHOLE

    @property
    def a_hair_outside(self) -> bool:
        """Whether the scores, as they were, are probabilities but for rounding: those outside are set to 0 or 1."""
        return (self.low < 0 or self.high > 1) and self.low > -DUST and self.high < 1 + DUST

    @property
    def distinct(self) -> int:
        """How many distinct scores there are, or groups of them."""
        return len(self.bits)

    @property
    def nbytes(self) -> int:
        """How much memory it takes."""
        return int(self.bits.nbytes + self.sums.nbytes)

    def __add__(self, other: ScoreCounts) -> ScoreCounts:
        """The tally of both sets of rows."""
        if not isinstance(other, ScoreCounts):
            return NotImplemented
        if self.classes != other.classes:
            union = tuple(sorted({*self.classes, *other.classes}, key=lambda v: (isinstance(v, str), v)))
            return self._over(union) + other._over(union)
        return self._merged(other)

    def _merged(self, other: ScoreCounts) -> ScoreCounts:
        level = min(self.level, other.level)
        a, b = self.cut(level), other.cut(level)
        bits, sums = _merge(a.bits, a.sums, b.bits, b.sums)
        low, high, most = min(self.low, other.low), max(self.high, other.high), min(self.most, other.most)
        clip = max(self.clip, other.clip)
        return replace(a, bits=bits, sums=sums, most=most, low=low, high=high, clip=clip)._fitted()

    def _over(self, classes: tuple[Label, ...]) -> ScoreCounts:
        """The same with columns for more classes."""
        k, wide = len(self.classes), len(classes)
        sums = np.zeros((wide * (1 + self.weighted), len(self.bits)))
        for c, label in enumerate(self.classes):
            sums[classes.index(label) :: wide] = self.sums[c::k]
        return replace(self, classes=classes, sums=sums)

    def _fitted(self) -> ScoreCounts:
        """Cut to the most leading bits with which the groups fit."""
        if len(self.bits) <= self.most:
            return self
        apart = self.bits[1:] ^ self.bits[:-1]
        level = self.level
        while level > 1:
            level -= 1
            if 1 + np.count_nonzero(apart >> np.uint64(WHOLE - level)) <= self.most:
                break
        return self.cut(level)

    def cut(self, level: int) -> ScoreCounts:
        """The same with only so many leading bits."""
        if level >= self.level:
            return self
        cut = cut_bits(self.bits, level)
        starts = np.flatnonzero(np.append(True, cut[1:] != cut[:-1])) if len(cut) else np.zeros(0, np.intp)
        sums = np.add.reduceat(self.sums, starts, axis=1) if len(cut) else self.sums
        return replace(self, bits=cut[starts], sums=sums, level=level)

    def ends(self) -> tuple[Array, Array]:
        """The least and the greatest score that each group may hold."""
        if not self.quantised:
            score = from_order_bits(self.bits.copy())
            return score, score
        rest = np.uint64((1 << (WHOLE - self.level)) - 1)
        low, high = from_order_bits(self.bits.copy()), from_order_bits(self.bits | rest)
        low, high = np.where(np.isnan(low), self.low, low), np.where(np.isnan(high), self.high, high)  # past infinity
        return np.clip(low, self.low, self.high), np.clip(high, self.low, self.high)

    def scores(self) -> Array:
        """One score for each group, rising: its own, or the middle of what it may hold."""
        low, high = self.ends()
        if not self.quantised:
            return low
        with np.errstate(invalid="ignore", over="ignore"):
            middle = low + (high - low) / 2
        return np.where(np.isfinite(middle), middle, low)

    def tally(self, positive: frozenset[Label]) -> ScoreGroups:
        """The score tally of these classes taken together as the positive one, against the rest."""
        return self._groups(self.scores(), *self._two(positive))

    def at_least(self, positive: frozenset[Label]) -> ScoreGroups:
        """The tally with every group at the least score that it may hold."""
        return self._groups(self.ends()[0], *self._two(positive))

    def at_best(self, positive: frozenset[Label], *, best: bool = True) -> ScoreGroups:
        """The tally if within each group every positive scored highest; with `best=False`, if every negative did."""
        if not self.quantised:
            return self.tally(positive)
        low, high = self.ends()
        sides = self._two(positive)
        first, second = sides if best else sides[::-1]
        # Falling: the greatest score that a group may hold is below the least of the next.
        score = _alternating(high, low)
        ups, downs = [_alternating(x, None) for x in first], [_alternating(None, x) for x in second]
        if not best:
            ups, downs = downs, ups
        first2, second2 = (ups[1], downs[1]) if self.weighted else (None, None)
        return ScoreGroups(score, ups[0], downs[0], first2, second2, quantised=True, clip=self.clip)

    def _groups(self, score: Array, up: list[Array], down: list[Array]) -> ScoreGroups:
        """A score tally from scores in any order; groups that hold nothing are left out."""
        squares = (up[-1], down[-1])
        if len(score) and (score[1:] > score[:-1]).all():
            falling = [np.ascontiguousarray(x[::-1]) for x in (score, up[0], down[0], *squares)]
            made = ScoreGroups(falling[0], falling[1], falling[2], falling[3], falling[4])
        else:
            made = ScoreGroups._summed(order_bits(score), up[0], down[0], *squares)
        kept = (made.positive > 0) | (made.negative > 0)
        score, positive, negative, *two = (x[kept] for x in (made.score, made.positive, made.negative, *made.squares))
        first, second = (None, None) if len(up) == 1 else two
        return ScoreGroups(score, positive, negative, first, second, self.quantised, self.clip)

    def _two(self, positive: frozenset[Label]) -> tuple[list[Array], list[Array]]:
        """Sums of the positive class and of the rest: weights, and squares where rows are weighted."""
        k = len(self.classes)
        is_up = np.array([label in positive for label in self.classes], dtype=bool)
        columns = [self.sums[:k]] + ([self.sums[k:]] if self.weighted else [])
        return [c[is_up].sum(axis=0) for c in columns], [c[~is_up].sum(axis=0) for c in columns]


class ScoreRows(ScoreCounts):
    """The same of rows of two classes whose scores hardly tie: as keys, a third of what counts of each score take.

    They are counted by score where they are merged with others, or where more rows come together than groups may be.
    """

    rows: list[NDArray[Any]]
    form: Form

    def __init__(
        self,
        rows: list[NDArray[Any]],
        form: Form,
        classes: tuple[Label, ...],
        most: int,
        low: float,
        high: float,
        clip: float,
    ) -> None:
        facts = {"classes": classes, "weighted": False, "most": most, "low": low, "high": high, "clip": clip}
        vars(self).update(facts, rows=rows, form=form)

    @cached_property
    def _counted(self) -> ScoreCounts:
        score, positive, negative = self.keys.groups()
        sums, facts = np.stack([negative, positive]), (self.weighted, self.most, WHOLE, self.low, self.high, self.clip)
        return ScoreCounts(self.classes, order_bits(score), sums, *facts)

    @property
    def keys(self) -> ScoreKeys:
        """All rows in order; those of parts are put in order when this is first asked for."""
        if len(self.rows) > 1:
            whole = np.concatenate(self.rows)
            whole.sort()
            self.rows[:] = [whole]
        return self._keys

    @cached_property
    def _keys(self) -> ScoreKeys:
        return ScoreKeys(self.rows[0], self.form)

    @property
    def distinct(self) -> int:
        """How many distinct scores there are."""
        return self.keys.distinct

    @cached_property
    def bits(self) -> Bits:
        """Distinct scores as order bits, rising."""
        return self._counted.bits

    @cached_property
    def sums(self) -> Array:
        """How many rows of each class have each."""
        return self._counted.sums

    @property
    def nbytes(self) -> int:
        """How much memory it takes."""
        return sum(each.nbytes for each in self.rows)

    def __add__(self, other: ScoreCounts) -> ScoreCounts:
        """The tally of both sets of rows."""
        if not (isinstance(other, ScoreRows) and (other.classes, other.form) == (self.classes, self.form)):
            return self._counted + other
        most = min(self.most, other.most)
        if sum(map(len, (*self.rows, *other.rows))) > most:
            return self._counted + other._counted
        ends = min(self.low, other.low), max(self.high, other.high)
        return ScoreRows([*self.rows, *other.rows], self.form, self.classes, most, *ends, max(self.clip, other.clip))

    def _over(self, classes: tuple[Label, ...]) -> ScoreCounts:
        return self._counted._over(classes)

    def _fitted(self) -> ScoreCounts:
        return self

    def cut(self, level: int) -> ScoreCounts:
        """The same with only so many leading bits."""
        return self._counted.cut(level)

    def tally(self, positive: frozenset[Label]) -> ScoreGroups:
        """The score tally of these classes taken together as the positive one, against the rest."""
        second, first = (label in positive for label in self.classes)
        if first and not second:
            return KeyedScores(self.keys, self.clip)
        if second and not first:
            turned = self.keys.keys ^ self.keys.keys.dtype.type(1)
            turned.sort()
            return KeyedScores(ScoreKeys(turned, self.form), self.clip)
        return self._counted.tally(positive)


def cut_bits(bits: Bits, level: int) -> Bits:
    """Only the leading bits."""
    if level >= WHOLE:
        return bits
    shift = np.uint64(WHOLE - level)
    return np.asarray((bits >> shift) << shift)


def _alternating(first: Array | None, second: Array | None) -> Array:
    """Both in falling order, one of each by turns; nothing stands for zeros."""
    size = len(first if first is not None else second if second is not None else ())
    both = np.zeros(2 * size)
    for place, values in enumerate((first, second)):
        if values is not None:
            both[place::2] = values[::-1]
    return both


def _counted(scores: Array, weights: Array | None) -> tuple[Bits, Array]:
    """Distinct order bits, rising, with the rows at each, or the weights and squares."""
    bits = order_bits(scores)
    if weights is None:
        bits.sort()
        last = np.flatnonzero(np.append(bits[1:] != bits[:-1], True)) if len(bits) else np.zeros(0, np.intp)
        return bits[last], np.diff(last, prepend=-1).astype(float)[None]
    order, bits = row_order(bits)
    held = weights[order]
    if not len(bits):
        return bits, np.zeros((2, 0))
    starts = np.flatnonzero(np.append(True, bits[1:] != bits[:-1]))
    return bits[starts], np.stack([np.add.reduceat(x, starts) for x in (held, held**2)])


def _merge(a: Bits, a_sums: Array, b: Bits, b_sums: Array) -> tuple[Bits, Array]:
    if not len(a) or not len(b):
        return (b, b_sums) if not len(a) else (a, a_sums)
    if len(a) + len(b) >= _COMPILED_FROM:
        from surefold.tallies.compiled_merge import merged_sums

        return merged_sums(a, a_sums, b, b_sums)
    bits = np.concatenate([a, b])
    order = np.argsort(bits, kind="stable")  # two runs in order: merged in one pass
    bits = bits[order]
    starts = np.flatnonzero(np.append(True, bits[1:] != bits[:-1]))
    return bits[starts], np.add.reduceat(np.concatenate([a_sums, b_sums], axis=1)[:, order], starts, axis=1)
