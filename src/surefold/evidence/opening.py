"""evidence(): the one door, for arrays and for rows of files or frames."""

from __future__ import annotations

from typing import Any

from surefold.engines.rows import Rows, open_rows
from surefold.evidence.counted import Counted
from surefold.evidence.counted_classes import CountedClasses
from surefold.evidence.evidence import Evidence
from surefold.evidence.first_pass import found_columns
from surefold.evidence.gathered import gathered
from surefold.evidence.held import Held
from surefold.evidence.of_table import of_table
from surefold.inputs.door import Columns, Door, Reading
from surefold.inputs.frames import frame_table, is_frame
from surefold.inputs.tables import Table

__all__ = ["evidence", "opened"]


def evidence(source: Any, columns: Columns[Any], door: Door | None = None, reading: Reading | None = None) -> Evidence:
    """What is known of some models on some rows.

    Without a source `columns` hold the values themselves; with one (a path, a glob, a folder, a list of paths, a frame
    of Dask or Spark, a table that was read, or rows that an engine has opened) they name columns. Close it when done:
    what is asked for later starts the engine anew.

    >>> from surefold.inputs.door import Columns
    >>> e = evidence(None, Columns.of_one([0, 1, 1], [0, 1, 0]))
    >>> e.table("").confusion.counts.tolist()
    [[1.0, 0.0], [1.0, 1.0]]
    """
    door, reading = door or Door(), reading or Reading()
    if source is None:
        return Held.of(columns, door)
    ours = not (isinstance(source, Table) or (hasattr(source, "reduce") and hasattr(source, "again")))
    rows = opened(source, reading) if ours else source
    if isinstance(rows, Table):
        return of_table(rows, found_columns(rows, columns), door)
    try:
        known = found_columns(rows.head, columns)
        if any(len(one.scores) > 1 for one in known.models.values()):
            found = gathered(rows, known, door, reading.memory)
            if not isinstance(found, Held):
                return CountedClasses.of_labels(rows, known, door, reading.memory, found)
            if ours:
                rows.close()
            return found
        return Counted.of(rows, known, door, reading.memory)
    except BaseException:
        if ours:
            rows.close()
        raise


def opened(source: Any, reading: Reading) -> Rows | Table:
    """The rows of a source on their engine; those of a frame that lies here are a table."""
    if is_frame(source):
        return frame_table(source)
    return open_rows(
        source,
        engine=reading.engine,
        cluster=reading.cluster,
        memory=reading.memory,
        progress=reading.progress,
        delimiter=reading.delimiter,
        encoding=reading.encoding,
        comment=reading.comment,
        decimal=reading.decimal,
    )
