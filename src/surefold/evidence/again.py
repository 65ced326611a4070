"""Jobs of a further pass over rows in parts: what groups put into scores cut at thresholds, and into folds of them."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from surefold.evidence.cuts import Entries, first_cut
from surefold.evidence.folds import GroupContents
from surefold.inputs.kinds import Label
from surefold.inputs.parts import Roles, read_batch
from surefold.inputs.tables import Table
from surefold.tallies.moves import is_positive
from surefold.tallies.partial import GROUP, SCORE, WEIGHT, one_type
from surefold.tallies.score_counts import ScoreCounts

if TYPE_CHECKING:
    import polars

__all__ = ["ByGroup", "ContentsJob", "CutJob", "FoldsJob", "OneColumn"]

Array = NDArray[np.float64]

_POSITIVE, _FIRST, _FOLD = "positive", "first", "fold"
_HOW = {"low": "min", "high": "max"}  # other columns that are no keys are summed
_KEYS = (GROUP, _POSITIVE, _FIRST)


@dataclass(frozen=True, eq=False)
class OneColumn:
    """Which column of scores is read, which labels are positive, and whether scores a hair outside 0 to 1 are set."""

    roles: Roles
    positive: frozenset[Label]
    clipped: bool

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are read."""
        return self.roles.columns

    def rows(self, table: Table) -> polars.DataFrame:
        """Group, class, score and weight of the rows that weigh something."""
        import polars

        batch = read_batch(table, self.roles)
        if batch.groups is None:
            raise AssertionError("rows in groups were expected")
        (scores,) = batch.scores
        weight = np.ones(batch.n) if batch.weights is None else batch.weights
        columns: dict[str, Any] = {
            GROUP: batch.groups,
            _POSITIVE: is_positive(batch, self.positive).astype(np.int64),
            SCORE: np.clip(scores, 0.0, 1.0) if self.clipped else scores,
            WEIGHT: weight,
        }
        return polars.DataFrame(columns).filter(polars.col(WEIGHT) > 0)


@dataclass(frozen=True, eq=False)
class ByGroup:
    """Sums, least and greatest values by group, and by class and threshold where those are told apart."""

    frame: polars.DataFrame

    def __add__(self, other: ByGroup) -> ByGroup:
        import polars

        both = [self.frame, other.frame]
        parts = [frame for frame in both if frame.height] or both[:1]
        kind = one_type(GROUP, {frame.schema[GROUP] for frame in parts})
        whole = polars.concat([frame.with_columns(polars.col(GROUP).cast(kind)) for frame in parts])
        keys = [name for name in whole.columns if name in _KEYS]
        each = [getattr(polars.col(c), _HOW.get(c, "sum"))() for c in whole.columns if c not in keys]
        return ByGroup(whole.group_by(keys).agg(each))

    def entries(self) -> Entries:
        """What each group has between two thresholds."""
        frame = self.frame
        group = (frame.get_column(GROUP).rank("dense") - 1).to_numpy().astype(np.intp)
        columns = (frame.get_column(name).to_numpy() for name in (_POSITIVE, _FIRST, WEIGHT))
        return Entries(group, *columns)

    def contents(self) -> GroupContents:
        """What is in each group."""
        return GroupContents(*(self.frame.get_column(c).to_numpy() for c in ("rows", "up", "low", "high", "total")))

    def names(self) -> polars.Series:
        """The groups."""
        return self.frame.get_column(GROUP)


@dataclass(frozen=True, eq=False)
class CutJob:
    """The weight of each class that each group has between two thresholds; of one lot of groups in so many."""

    of_column: OneColumn
    threshold: Array
    lot: int = 0
    lots: int = 1

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that it reads."""
        return self.of_column.columns

    def of(self, table: Table) -> ByGroup:
        """The weights of one part."""
        import polars

        frame = self.of_column.rows(table)
        if self.lots > 1:
            names = frame.get_column(GROUP).unique()
            held = [name for name in names.to_list() if group_hash(name) % self.lots == self.lot]
            frame = frame.filter(polars.col(GROUP).is_in(polars.Series(held, dtype=names.dtype).implode()))
        first = first_cut(frame.get_column(SCORE).to_numpy(), self.threshold)
        counted = frame.with_columns(polars.Series(_FIRST, first, dtype=polars.Int64))
        return ByGroup(counted.group_by(_KEYS).agg(polars.col(WEIGHT).sum()))


@dataclass(frozen=True, eq=False)
class ContentsJob:
    """What is in each group; see `GroupContents`."""

    of_column: OneColumn

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that it reads."""
        return self.of_column.columns

    def of(self, table: Table) -> ByGroup:
        """What one part has of each group."""
        import polars

        score = polars.col(SCORE)
        each = {
            "rows": polars.len().cast(polars.Float64),
            "up": polars.col(_POSITIVE).sum().cast(polars.Float64),
            "low": score.min(),
            "high": score.max(),
            "total": polars.when(score.is_finite()).then(score).otherwise(0.0).sum(),
        }
        return ByGroup(self.of_column.rows(table).group_by(GROUP).agg(**each))


@dataclass(frozen=True, eq=False)
class Folds:
    """A tally a fold; parts of the rows add up."""

    parts: Mapping[int, ScoreCounts]

    def __add__(self, other: Folds) -> Folds:
        found = dict(self.parts)
        for fold, counts in other.parts.items():
            found[fold] = found[fold] + counts if fold in found else counts
        return Folds(found)


@dataclass(frozen=True, eq=False)
class FoldsJob:
    """The scores of each fold; `groups` and `fold` say which groups are in which."""

    of_column: OneColumn
    groups: polars.Series
    fold: NDArray[np.intp]
    most: int
    clip: float
    weighted: bool

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that it reads."""
        return self.of_column.columns

    def of(self, table: Table) -> Folds:
        """The folds of one part."""
        import polars

        frame = self.of_column.rows(table)
        kind = one_type(GROUP, {frame.schema[GROUP], self.groups.dtype}) if frame.height else self.groups.dtype
        dealt = polars.DataFrame({GROUP: self.groups.cast(kind), _FOLD: polars.Series(self.fold, dtype=polars.Int64)})
        joined = frame.with_columns(polars.col(GROUP).cast(kind)).join(dealt, on=GROUP, how="left")
        found = {}
        for (fold,), held in joined.group_by([_FOLD]):
            scores, codes, weights = (held.get_column(c).to_numpy() for c in (SCORE, _POSITIVE, WEIGHT))
            facts = (weights if self.weighted else None, self.most, self.clip)
            found[int(fold)] = ScoreCounts.of(scores, codes, (False, True), *facts)
        return Folds(found)


def group_hash(name: Any) -> int:
    """A number for the name of a group, the same for 7, 7.0 and "7" whatever part of the rows it stands in.

    >>> group_hash(7) == group_hash(7.0) == group_hash("7")
    True
    """
    plain = int(name) if isinstance(name, float) and name.is_integer() else name
    return zlib.crc32(str(plain).encode())
