"""Rows of one level of a column, or all but those, to any engine's jobs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from surefold.engines.rows import Job, Rows
from surefold.inputs.columns import as_in_column
from surefold.inputs.streams import Stream
from surefold.inputs.tables import Table

if TYPE_CHECKING:
    from surefold.evidence.evidence import Part

__all__ = ["Sliced"]


@dataclass(frozen=True, eq=False)
class _SlicedJob:
    """A job that sees the rows of a slice alone."""

    job: Job
    column: str
    level: Any
    rest: bool

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.job.columns, self.column)))

    def of(self, table: Table) -> Any:
        values = table.column(self.column)
        kept = values == as_in_column(self.level, values)
        return self.job.of(table.kept((~kept if self.rest else kept).fill_null(self.rest)))


@dataclass(frozen=True, eq=False)
class Sliced:
    """The rows of a slice, on the engine of all rows."""

    rows: Rows
    column: str
    which: Part

    @property
    def stream(self) -> Stream | None:
        """The files; None of a frame."""
        return self.rows.stream

    @property
    def source(self) -> str:
        """Where all rows come from, in words."""
        return self.rows.source

    @property
    def head(self) -> Table:
        """The first of all rows."""
        return self.rows.head

    def reduce(self, job: Job, what: str = "rows") -> Any:
        """What a job makes of the slice in every part, added up."""
        return self.rows.reduce(_SlicedJob(job, self.column, self.which.level, self.which.rest), what)

    def facts(self, rows: int) -> dict[str, Any]:
        """What is said of the rows beside the figures."""
        return self.rows.facts(rows)

    def again(self) -> Sliced:
        """The same slice, to be gone over after it was closed."""
        return replace(self, rows=self.rows.again())

    def close(self) -> None:
        """Give back what was opened."""
        self.rows.close()
