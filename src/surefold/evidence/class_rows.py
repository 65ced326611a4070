"""Parts of rows with one column of scores a class, as matrices; and the jobs that count them and go over them again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefold.inputs.kinds import Label
from surefold.inputs.parts import Batch, Roles, read_batch
from surefold.inputs.scores import CLIP, SUM_NOTED, SUM_REFUSED
from surefold.inputs.tables import Table
from surefold.measures.row_moves import row_sums
from surefold.measures.score_measure import SCORE_REGISTERED
from surefold.tallies.mean_sums import MeanSums
from surefold.tallies.moves import Family, Moves, by_group, moves_of
from surefold.tallies.partial import Partial, Plan, plain_label
from surefold.tallies.row_sums import RowSums
from surefold.tallies.score_counts import ScoreCounts
from surefold.tallies.score_matrix import RowMove, ScoreMatrix

__all__ = ["Asked", "ClassCounts", "ClassPlan", "ClassRows", "MatrixMovesJob", "SumsJob", "is_of_rows"]

Array = NDArray[np.float64]

#: A measure by its name and settings, and whether its losses are wanted with other labels too.
Asked = tuple[str, tuple[tuple[str, Any], ...], bool]
#: What losses are added up about: any number that is not far from them will do.
GUESS = 0.5


@dataclass(frozen=True, eq=False)
class ClassRows:
    """How parts are read as matrices.

    roles:   the columns; those of scores one model after the other, each in the order of the labels.
    codes:   the place among the labels of each label as the files have it.
    models:  how many there are.
    clip:    what a probability below it counts as in a logarithm.
    scale:   what weights are multiplied with, to add up to the effective rows.
    clipped: whether scores a hair outside 0 to 1 are set to 0 or 1.
    """

    roles: Roles
    codes: Mapping[Label, int]
    models: int
    clip: float = CLIP
    scale: float = 1.0
    clipped: bool = False

    @property
    def classes(self) -> int:
        """How many columns a model has."""
        return len(self.roles.scores) // self.models

    @cached_property
    def values(self) -> tuple[Label, ...]:
        """A label as the files have it, for each place."""
        first = {place: value for value, place in reversed(list(self.codes.items()))}
        return tuple(first[place] for place in sorted(first))

    def batch(self, table: Table) -> tuple[Batch, NDArray[np.intp]]:
        """The columns of a part, and the place of each row's true label."""
        batch = read_batch(table, self.roles)
        truth = np.zeros(batch.n, dtype=np.intp)
        for value in batch.truth.unique().to_list():
            truth[(batch.truth == value).to_numpy()] = self.codes[plain_label(value)]
        return batch, truth

    def matrices(self, batch: Batch, truth: NDArray[np.intp]) -> tuple[Batch, list[ScoreMatrix]]:
        """Each model's matrix, of the rows that weigh something; weights are scaled."""
        w = batch.weights
        if w is not None and not w.all():
            kept = w > 0
            scores, groups = tuple(s[kept] for s in batch.scores), batch.groups
            groups = None if groups is None else groups.filter(kept)
            batch = replace(batch, truth=batch.truth.filter(kept), scores=scores, weights=w[kept], groups=groups)
            truth = truth[kept]
        k, w = self.classes, None if batch.weights is None else batch.weights * self.scale
        found = []
        for m in range(self.models):
            rows = np.stack(batch.scores[m * k : (m + 1) * k], axis=1)
            rows = np.clip(rows, 0.0, 1.0) if self.clipped else rows
            found.append(ScoreMatrix(rows, truth, tuple(range(k)), w, None, self.clip))
        return batch, found


@dataclass(frozen=True, eq=False)
class ClassCounts:
    """Counts of some rows: of truth and answers, and of each column of scores by whether it is that of the true class.

    tops:     the largest score of a row, by whether it is that of the true class; a model after the other.
    infinite: rows with a score that is infinite.
    off:      rows whose scores do not add up to 1, but roughly; those that do not at all; and the worst sum.
    """

    partial: Partial
    columns: tuple[ScoreCounts, ...]
    tops: tuple[ScoreCounts, ...]
    infinite: tuple[int, ...]
    off: tuple[tuple[int, int, float], ...]

    def __add__(self, other: ClassCounts) -> ClassCounts:
        columns = tuple(a + b for a, b in zip(self.columns, other.columns, strict=True))
        tops = tuple(a + b for a, b in zip(self.tops, other.tops, strict=True))
        infinite = tuple(a + b for a, b in zip(self.infinite, other.infinite, strict=True))
        off = tuple(
            (a + c, b + d, max(x, y, key=lambda total: abs(total - 1)))
            for (a, b, x), (c, d, y) in zip(self.off, other.off, strict=True)
        )
        return ClassCounts(self.partial + other.partial, columns, tops, infinite, off)

    @property
    def nbytes(self) -> int:
        """How much there is to send."""
        return self.partial.nbytes + sum(counts.nbytes for counts in (*self.columns, *self.tops))


@dataclass(frozen=True, eq=False)
class ClassPlan:
    """The job of the first pass; `most` is how many groups of scores a tally may hold."""

    rows: ClassRows
    most: int

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that it reads."""
        return self.rows.roles.columns

    def of(self, table: Table) -> ClassCounts:
        """The counts of one part."""
        import polars

        batch, truth = self.rows.batch(table)
        whole = self.rows.matrices(replace(batch, weights=None), truth)[1]
        values = polars.Series(self.rows.values, dtype=batch.truth.dtype, strict=False)
        calls = batch.predicted or tuple(values.gather(m.scores.argmax(axis=1)) for m in whole)
        roles = replace(self.rows.roles, scores=())
        partial = Partial.of(replace(batch, predicted=calls, scores=(), clips=()), Plan(roles))
        kept, weighing = self.rows.matrices(batch, truth)
        facts = (kept.weights, self.most)
        columns, tops, k = [], [], self.rows.classes
        for i, m in enumerate(weighing):
            clips = batch.clips[i * k : (i + 1) * k]
            for c in range(k):
                is_true = (m.truth == c).astype(np.uint8)
                columns.append(ScoreCounts.of(_of_class(m, c), is_true, (False, True), *facts, clips[c]))
            called = m.scores.argmax(axis=1)
            is_right = (called == m.truth).astype(np.uint8)
            top = np.take_along_axis(m.scores, called[:, None], axis=1)[:, 0]
            tops.append(ScoreCounts.of(top, is_right, (False, True), *facts, max(clips)))
        infinite = tuple(int(np.isinf(m.scores).any(axis=1).sum()) for m in whole)
        return ClassCounts(partial, tuple(columns), tuple(tops), infinite, tuple(map(_off, whole)))


def _of_class(m: ScoreMatrix, c: int) -> NDArray[np.float64]:
    """The scores of one class, in a row."""
    return np.ascontiguousarray(m.scores[:, c])


def _off(m: ScoreMatrix) -> tuple[int, int, float]:
    with np.errstate(invalid="ignore"):
        total = m.scores.sum(axis=1)
    off = np.abs(np.where(np.isfinite(total), total, 1.0) - 1)
    worst = float(total[off.argmax()]) if len(off) and off.max() > 0 else 1.0
    return int((off > SUM_NOTED).sum()), int((off > SUM_REFUSED + 1e-12).sum()), worst


@dataclass(frozen=True, eq=False)
class _SumsOf:
    """Sums by model and by what was asked."""

    each: tuple[tuple[RowSums, ...], ...]

    def __add__(self, other: _SumsOf) -> _SumsOf:
        pairs = zip(self.each, other.each, strict=True)
        return _SumsOf(tuple(tuple(a + b for a, b in zip(mine, theirs, strict=True)) for mine, theirs in pairs))


@dataclass(frozen=True, eq=False)
class SumsJob:
    """The sums of what rows lose by some measures; `vary` is whether their weights do."""

    rows: ClassRows
    asked: tuple[Asked, ...]
    vary: bool

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that it reads."""
        return self.rows.roles.columns

    def of(self, table: Table) -> _SumsOf:
        """Those of one part."""
        _, each = self.rows.matrices(*self.rows.batch(table))
        start = MeanSums.none(GUESS, vary=self.vary)
        measures = [(SCORE_REGISTERED[name].with_options(**dict(how)), turned) for name, how, turned in self.asked]
        return _SumsOf(tuple(tuple(row_sums(x, m, turned=turned, start=start) for x, turned in measures) for m in each))


@dataclass(frozen=True, eq=False)
class MatrixMovesJob:
    """What rows move measures of matrices by, added up."""

    rows: ClassRows
    families: tuple[Family, ...]
    classes: int = 1

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that it reads."""
        return self.rows.roles.columns

    def of(self, table: Table) -> Moves:
        """Those of one part."""
        batch, each = self.rows.matrices(*self.rows.batch(table))

        def numbers(move: Array | RowMove, model: int) -> Array:
            return move if isinstance(move, np.ndarray) else move.of(each[model])

        families = [replace(f, of=tuple(map(numbers, f.of, f.models or range(len(f.of))))) for f in self.families]
        truth = each[0].truth if self.classes > 1 else None
        return by_group(batch, lambda codes: moves_of(families, truth, self.classes, (), each[0].weights, codes))


def is_of_rows(families: Sequence[Family]) -> bool:
    """Whether moves are made of whole rows, where the rows are."""
    return any(not isinstance(move, np.ndarray) for family in families for move in family.of)
