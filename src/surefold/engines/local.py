"""Files, part after part, in threads of this process: memory holds a few parts and a few tallies, never all rows."""

from __future__ import annotations

import os
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from surefold.engines.progress import rows_read
from surefold.engines.rows import Job, tally_part
from surefold.inputs.streams import Stream
from surefold.inputs.tables import Table

__all__ = ["LocalRows"]

#: Threads that count parts: what they call lets go of Python while it works, and polars has threads of its own.
MOST_THREADS = 4


class LocalRows:
    """Rows of files, read here."""

    def __init__(self, stream: Stream, progress: bool | None = None) -> None:
        self.stream, self._progress = stream, progress

    @property
    def source(self) -> str:
        return self.stream.source

    @property
    def head(self) -> Table:
        return self.stream.head

    def facts(self, rows: int) -> dict[str, Any]:
        return self.stream.facts(rows)

    def close(self) -> None:
        """Nothing is held."""

    def reduce(self, job: Job, what: str = "rows") -> Any:
        """Count the parts in threads, and merge tallies of like size as they come, in the order of the files."""
        threads = min(os.cpu_count() or 1, MOST_THREADS)
        by_rows = self.stream.rows is not None
        total = float(self.stream.rows if self.stream.rows is not None else self.stream.bytes)
        waiting: deque[tuple[float, Future[Any]]] = deque()
        stack: list[tuple[int, Any]] = []  # (how many times merged, tally): sizes as in a binary number
        with rows_read(total, what, "rows" if by_rows else "bytes", self._progress) as advance:
            pool = ThreadPoolExecutor(threads)
            try:
                for part in self.stream.parts:
                    waiting.append((part.stop - part.start, pool.submit(tally_part, job, part)))
                    if len(waiting) > threads:
                        _settle(waiting, stack, advance)
                while waiting:
                    _settle(waiting, stack, advance)
            finally:
                pool.shutdown(wait=True, cancel_futures=True)
        found = stack.pop()[1]
        while stack:
            found = stack.pop()[1] + found
        return found


def _settle(waiting: deque[tuple[float, Future[Any]]], stack: list[tuple[int, Any]], advance: Any) -> None:
    """Take the oldest tally, and merge it while the one before it was merged as often."""
    size, future = waiting.popleft()
    times, found = 0, future.result()
    while stack and stack[-1][0] == times:
        found = stack.pop()[1] + found
        times += 1
    stack.append((times, found))
    advance(size)
