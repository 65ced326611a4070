"""Rows with one column of scores a class: gathered from their parts, as far as memory goes, and held.

Measures of many classes read whole rows of scores (the largest, the true one, all of them together), of which counts of
the columns one by one know nothing.
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
from surefold.inputs.streams import table_of
from surefold.inputs.tables import Table

if TYPE_CHECKING:
    import polars

__all__ = ["gathered"]

#: Bytes that a value takes while it is gathered, put in order and checked.
VALUE_BYTES = 32


@dataclass(frozen=True, eq=False)
class Gathered:
    """Columns of rows as they are; InputError once there are more rows than `most`."""

    frame: polars.DataFrame
    most: int
    source: str

    def __add__(self, other: Gathered) -> Gathered:
        import polars

        first, second = (part.frame for part in (self, other))
        if first.height and second.height:
            for name, kinds in zip(first.columns, zip(first.dtypes, second.dtypes, strict=True), strict=True):
                _refuse_kinds(name, set(kinds), self.source)
        frames = [frame for frame in (first, second) if frame.height] or [first]
        both = replace(self, frame=polars.concat(frames, how="vertical_relaxed"))
        both.check()
        return both

    def check(self) -> None:
        """Refuse more rows than memory holds."""
        if self.frame.height > self.most:
            problem = f"one column of scores a class, of {self.most:,} rows or more, takes more than memory= holds"
            cure = "give more memory= (--memory), or one score column with pos_label= (--pos-label), a class at a time"
            raise InputError("bad_option", problem, source=self.source, cure=cure)


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
    most: int
    source: str

    def of(self, table: Table) -> Gathered:
        """Those of one part."""
        import polars

        found = Gathered(polars.DataFrame([table.column(name) for name in self.columns]), self.most, self.source)
        found.check()
        return found


def gathered(rows: Rows, columns: Columns[str], door: Door, memory: str | float | None = None) -> Held:
    """The rows of models with one column of scores a class; `columns` are those that were found."""
    head = rows.head
    names = [columns.truth, columns.weights, columns.group, *columns.by.values()]
    for one in columns.models.values():
        names += [one.pred, *one.scores]
    spelled = tuple(dict.fromkeys(head.name_of(name) for name in names if name is not None))
    most = int(memory_bytes(memory) // (VALUE_BYTES * len(spelled)))
    found: Gathered = rows.reduce(GatherJob(spelled, most, rows.source))
    table = replace(table_of(found.frame, rows.source, head.decimal), findings=_in_headers(rows, spelled))
    return of_table(table, columns, door)


def _in_headers(rows: Rows, names: tuple[str, ...]) -> tuple[Finding, ...]:
    stream = rows.stream
    return (*rows.head.findings, *(() if stream is None else stream.header_findings(names)))
