"""Scores and classes in one sort: the class of a row travels in the bit that the sign of its score leaves free.

A score of 0 or more has a free sign bit, so key = bits << 1 | class. Scores of both signs have one once their exponent
is counted from another base: exact for 0 and for magnitudes from 2^-255 up to 2^255. One sort of the keys in place then
puts the rows in order of score and, where scores tie, of class: no order of rows, no labels beside them, no merge.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from surefold.inputs.scores import CLIP
from surefold.tallies.runs import Run

__all__ = ["BLOCK", "Form", "Groups", "ScoreKeys"]

Array = NDArray[np.float64]
Form = Literal["single", "double", "signed"]
#: Distinct scores, rising, with how many positives and negatives have each.
Groups = tuple[Array, Array, Array]

#: Rows at a time: what is made of them on the way stays in the cache, and in memory that is not given back meanwhile.
BLOCK = 1 << 15
_PACKED = 1 << 16
_LEAST, _MOST = 2.0**-255, 2.0**255
_BASE = np.int64(((1023 - 255) << 52) - 1)
_MAGNITUDE, _SIGN = np.int64((1 << 63) - 1), np.int64(-(1 << 63))
_KINDS: dict[Form, type] = {"single": np.uint32, "double": np.uint64, "signed": np.int64}


@dataclass(frozen=True, eq=False)
class ScoreKeys:
    """Rows of two classes in rising order of score, eight bytes each, four where scores are in single precision.

    >>> keys = ScoreKeys.of(np.array([0.8, 0.1, 0.8]), np.array([False, False, True]))
    >>> [x.tolist() for x in keys.groups()]
    [[0.1, 0.8], [0.0, 1.0], [1.0, 1.0]]
    """

    keys: NDArray[Any]
    form: Form

    @classmethod
    def of(cls, scores: NDArray[Any], is_positive: NDArray[np.bool_], *, single: bool = False) -> ScoreKeys | None:
        """Sort the rows; None where no free bit is: infinite or tiny scores beside those of the other sign.

        `single`: the scores came in single precision, so half the bits hold them.
        """
        form = form_of(scores, single=single)
        if form is None:
            return None
        keys = packed(scores, is_positive, form)
        keys.sort()
        return cls(keys, form)

    def __len__(self) -> int:
        return len(self.keys)

    def scores(self, keys: NDArray[Any]) -> Array:
        """The scores of some of the keys."""
        rest = keys >> keys.dtype.type(1)
        if self.form == "single":
            return np.asarray(rest.view(np.float32), dtype=np.float64)
        if self.form == "double":
            return np.asarray(rest.view(np.float64))
        sign = rest >> np.int64(63)
        rest ^= sign
        bits = np.where(rest > 0, rest + _BASE, 0) | (sign & _SIGN)
        return np.asarray(bits.view(np.float64))

    def cuts(self) -> Iterator[slice]:
        """Neighbouring rows, some ten thousand at a time: no score is in two of them, and a common one has its own."""
        keys, one, n = self.keys, self.keys.dtype.type(1), len(self.keys)
        start = 0
        while start < n:
            stop = min(start + BLOCK, n)
            if stop < n:  # back to where the score at the cut begins
                cut = keys[stop] & ~one
                stop = start + int(np.searchsorted(keys[start:stop], cut))
                if stop == start:  # one score fills the block
                    stop = start + int(np.searchsorted(keys[start:], cut | one, side="right"))
            yield slice(start, stop)
            start = stop

    def starts(self, rows: slice) -> NDArray[np.intp] | None:
        """Where in these rows each distinct score begins; None where no two tie."""
        keys = self.keys[rows]
        if len(keys) > BLOCK:
            return np.zeros(1, dtype=np.intp)
        apart = (keys[1:] ^ keys[:-1]).view(f"u{keys.itemsize}") > 1
        return None if apart.all() else np.append(0, np.flatnonzero(apart) + 1)

    def labels(self, rows: slice) -> NDArray[np.int64]:
        """1 where a row is positive, and 0."""
        labels: NDArray[Any] = self.keys[rows] & self.keys.dtype.type(1)
        return labels.view(np.int64) if labels.itemsize == 8 else labels.astype(np.int64)

    def run(self, rows: slice, clip: float = CLIP) -> Run:
        """The distinct scores of these rows and what has them."""
        starts, labels = self.starts(rows), self.labels(rows)
        if starts is None:
            positive = labels.astype(np.float64)
            return Run.of_counts((self.scores(self.keys[rows]), positive, 1.0 - positive), clip, labels)
        size = np.diff(starts, append=len(labels)).astype(np.float64)
        positive = np.add.reduceat(labels, starts).astype(np.float64)
        return Run.of_counts((self.scores(self.keys[rows][starts]), positive, size - positive), clip)

    def groups(self) -> Groups:
        """Every distinct score at once."""
        if not len(self.keys):
            return np.zeros(0), np.zeros(0), np.zeros(0)
        runs = [self.run(rows) for rows in self.cuts()]
        score, positive, negative = (
            np.concatenate([getattr(run, name) for run in runs]) for name in ("score", "positive", "negative")
        )
        return score, positive, negative

    def falling(self) -> tuple[Array, NDArray[np.bool_]]:
        """From the highest row down, 1 where it is positive and else 0; and whether it is the last with its score."""
        keys, one = self.keys[::-1], self.keys.dtype.type(1)
        last = np.ones(len(keys), dtype=bool)
        np.greater((keys[1:] ^ keys[:-1]).view(f"u{keys.itemsize}"), one, out=last[:-1])
        return np.asarray(keys & one).astype(np.float64), last

    @cached_property
    def distinct(self) -> int:
        """How many distinct scores there are."""
        found = ((rows, self.starts(rows)) for rows in self.cuts())
        return sum(rows.stop - rows.start if starts is None else len(starts) for rows, starts in found)

    def below(self, score: float, *, or_equal: bool = False) -> int:
        """How many rows have a lower score, or one no higher."""
        search = bisect_right if or_equal else bisect_left
        return search(range(len(self)), score, key=lambda row: float(self.scores(self.keys[row : row + 1])[0]))

    def span(self, label: int) -> tuple[float, float]:
        """The least and the greatest score of the rows with this label, 1 or 0; NaN where no row has it."""
        n, ends = len(self.keys), []
        for blocks in (range(0, n, BLOCK), range((n - 1) // BLOCK * BLOCK, -1, -BLOCK)):
            for at in blocks:
                held = np.flatnonzero(self.labels(slice(at, at + BLOCK)) == label)
                if len(held):
                    ends.append(at + int(held[0 if blocks.step > 0 else -1]))
                    break
        if not ends:
            return np.nan, np.nan
        low, high = self.scores(self.keys[ends])
        return float(low), float(high)

    def sample(self, most: int) -> ScoreKeys:
        """Rows spread evenly over all, at most so many."""
        return ScoreKeys(self.keys[:: max(1, -(-len(self.keys) // most))], self.form)

    @property
    def positives(self) -> int:
        """How many rows are positive."""
        return sum(int(self.labels(slice(at, at + _PACKED)).sum()) for at in range(0, len(self.keys), _PACKED))


def form_of(scores: NDArray[Any], *, single: bool = False) -> Form | None:
    """How scores are written into keys, or None where they cannot be."""
    blocks = [scores[at : at + _PACKED] for at in range(0, len(scores), _PACKED)]
    if not len(scores) or scores.min() >= 0:
        return "single" if single and all((x.astype(np.float32) == x).all() for x in blocks) else "double"
    for block in blocks:
        size = np.abs(block)
        if size.max() >= _MOST or (size.min() < _LEAST and (size[size > 0] < _LEAST).any()):
            return None
    return "signed"


def packed(scores: NDArray[Any], is_positive: NDArray[np.bool_], form: Form) -> NDArray[Any]:
    """The keys of rows, in their own order, made a block at a time."""
    kind = _KINDS[form]
    keys: NDArray[Any] = np.empty(len(scores), kind)
    for at in range(0, len(scores), _PACKED):
        block, key = scores[at : at + _PACKED], keys[at : at + _PACKED]
        if form == "single":
            np.add(block, 0.0, out=key.view(np.float32), casting="same_kind")
        else:
            np.add(block, 0.0, out=key.view(np.float64))  # adding zero makes -0.0 into 0.0
        if form == "signed":
            sign = key >> np.int64(63)
            key &= _MAGNITUDE
            key -= _BASE
            np.maximum(key, 0, out=key)
            key ^= sign
        key <<= kind(1)
        key |= is_positive[at : at + _PACKED]
    return keys
