"""Rows with one column of scores a class: gathered from their parts and held, as far as memory goes.

Means over classes and pairs of classes read whole rows of scores, of which counts of the columns one by one know
nothing. Rows that are more than memory holds are let go; what is kept of them is which labels there are.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from surefold.engines.rows import Rows, memory_bytes
from surefold.errors import InputError
from surefold.evidence.held import Held
from surefold.evidence.of_table import of_table
from surefold.findings import Finding
from surefold.inputs.door import Columns, Door
from surefold.inputs.parts import read_labels
from surefold.inputs.streams import table_of
from surefold.inputs.tables import Table
from surefold.tallies.partial import TRUTH, one_type

if TYPE_CHECKING:
    import polars

__all__ = ["gathered"]


#: Bytes that a value takes while it is gathered, put in order and checked.
VALUE_BYTES = 32


@dataclass(frozen=True, eq=False)
class Gathered:
    """Columns of rows as they are, and the labels in each of the first `labels` of them; no rows once there are more
    than `most`.
    """

    frame: polars.DataFrame
    labels: tuple[polars.Series, ...]
    rows: int
    most: int
    source: str

    @property
    def fits(self) -> bool:
        """Whether the rows are all here."""
        return self.rows <= self.most

    def __add__(self, other: Gathered) -> Gathered:
        import polars

        first, second = (part.frame for part in (self, other))
        if self.rows and other.rows:
            for name, kinds in zip(first.columns, zip(first.dtypes, second.dtypes, strict=True), strict=True):
                _refuse_kinds(name, set(kinds), self.source)
        frames = [part.frame for part in (self, other) if part.rows] or [first]
        labels = tuple(_either(a, b) for a, b in zip(self.labels, other.labels, strict=True))
        rows = self.rows + other.rows
        if rows > self.most:
            frames = [frame.clear() for frame in frames]
        return replace(self, frame=polars.concat(frames, how="vertical_relaxed"), labels=labels, rows=rows)


def _either(first: polars.Series, second: polars.Series) -> polars.Series:
    """The labels in either of two parts."""
    import polars

    parts = [labels for labels in (first, second) if len(labels)] or [first]
    kind = one_type(TRUTH, {labels.dtype for labels in parts})
    return polars.concat([labels.cast(kind) for labels in parts]).unique()


def _refuse_kinds(name: str, kinds: set[Any], source: str) -> None:
    """InputError where a column is text in one part and something else in another."""
    import polars

    texts = [isinstance(kind, polars.String | polars.Enum | polars.Categorical) for kind in kinds]
    if len(kinds) == 1 or all(texts) or not (any(texts) or any(kind.is_temporal() for kind in kinds)):
        return
    listed = " in one part and ".join(sorted(str(kind) for kind in kinds))
    cure = "write all files with one type, and not some as CSV, which has text alone"
    raise InputError("mixed_label_types", f"column {name!r} is {listed} in another", source=source, cure=cure)


@dataclass(frozen=True, eq=False)
class GatherJob:
    """These columns of every part."""

    columns: tuple[str, ...]
    labels: int
    most: int
    source: str

    def of(self, table: Table) -> Gathered:
        """Those of one part."""
        import polars

        frame = polars.DataFrame([table.column(name) for name in self.columns])
        labels = tuple(read_labels(table, name).drop_nulls().unique() for name in self.columns[: self.labels])
        kept = frame if frame.height <= self.most else frame.clear()
        return Gathered(kept, labels, frame.height, self.most, self.source)


def gathered(
    rows: Rows, columns: Columns[str], door: Door, memory: str | float | None = None
) -> Held | tuple[polars.Series, ...]:
    """The rows of models with one column of scores a class, or which labels there are where memory does not hold them.

    `columns` are those that were found. The labels are those of the truth, and of each column of answers.
    """
    head = rows.head
    named = [columns.truth, *(one.pred for one in columns.models.values())]
    labels = len({head.name_of(name) for name in named if name is not None})
    names = [*named, columns.weights, columns.group, *columns.by.values()]
    names += [score for one in columns.models.values() for score in one.scores]
    spelled = tuple(dict.fromkeys(head.name_of(name) for name in names if name is not None))
    most = int(memory_bytes(memory) // (VALUE_BYTES * len(spelled)))
    found: Gathered = rows.reduce(GatherJob(spelled, labels, most, rows.source))
    if not found.fits:
        return found.labels
    table = replace(table_of(found.frame, rows.source, head.decimal), findings=_in_headers(rows, spelled))
    return of_table(table, columns, door)


def _in_headers(rows: Rows, names: tuple[str, ...]) -> tuple[Finding, ...]:
    stream = rows.stream
    return (*rows.head.findings, *(() if stream is None else stream.header_findings(names)))
