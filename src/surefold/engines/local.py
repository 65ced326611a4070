"""Files, part after part, in threads of this process: memory holds a few parts and a few tallies, never all rows."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from surefold.engines.engine import Engine
from surefold.engines.progress import Advance, rows_read
from surefold.engines.rows import Job, summed, tally_part
from surefold.inputs.streams import Stream
from surefold.inputs.tables import Table

__all__ = ["ENGINE", "LocalRows"]

#: Threads that count parts: what they call lets go of Python while it works, and polars has threads of its own.
MOST_THREADS = 4


class LocalRows:
    """Rows of files, read here."""

    def __init__(self, stream: Stream, progress: bool | None = None) -> None:
        self.stream, self._progress = stream, progress

    @property
    def source(self) -> str:
        """Where the rows come from, in words."""
        return self.stream.source

    @property
    def head(self) -> Table:
        """The first rows, for their columns and kinds."""
        return self.stream.head

    def facts(self, rows: int) -> dict[str, Any]:
        """What is said of the rows beside the figures: the files or the frame, and how many were read."""
        return self.stream.facts(rows)

    def again(self) -> LocalRows:
        """The same rows, opened once more."""
        return self

    def close(self) -> None:
        """Nothing is held."""

    def reduce(self, job: Job, what: str = "rows") -> Any:
        """Count the parts in threads, and merge tallies of like size as they come, in the order of the files."""
        threads = min(os.cpu_count() or 1, MOST_THREADS)
        with rows_read(sum(part.rows for part in self.stream.parts), what, "rows", self._progress) as advance:
            pool = ThreadPoolExecutor(threads)
            try:
                return summed(self._tallies(job, pool, threads, advance))
            finally:
                pool.shutdown(wait=True, cancel_futures=True)

    def _tallies(self, job: Job, pool: ThreadPoolExecutor, threads: int, advance: Advance) -> Iterator[Any]:
        """The tallies in the order of the parts; only as many parts are begun as there are threads, and one more."""
        waiting: deque[tuple[float, Future[Any]]] = deque()
        for part in self.stream.parts:
            waiting.append((part.rows, pool.submit(tally_part, job, part)))
            if len(waiting) > threads:
                yield _settled(waiting, advance)
        while waiting:
            yield _settled(waiting, advance)


def _settled(waiting: deque[tuple[float, Future[Any]]], advance: Advance) -> Any:
    rows, future = waiting.popleft()
    found = future.result()
    advance(rows)
    return found


def _opened(stream: Stream | None, frame: object, cluster: object, progress: bool | None) -> LocalRows:
    if stream is None:
        raise AssertionError("the local engine reads files")
    return LocalRows(stream, progress)


ENGINE = Engine("local", _opened)
