"""What every engine is to the rest: rows that a job can be run over, part by part, and the parts added up."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterable, Sequence
from typing import Any, Protocol

from surefold.engines.engine import LOCAL, engines
from surefold.errors import InputError, UnknownNameError, show
from surefold.inputs.streams import PART_ROWS, Part, Stream, is_files, open_stream
from surefold.inputs.tables import Table

__all__ = [
    "Job",
    "Rows",
    "memory_bytes",
    "merged",
    "most_groups",
    "open_rows",
    "summed",
    "tally_part",
    "tally_table",
]

#: Bytes that a group of scores takes once it is asked for every measure: what is held, sums along it, and room to work.
GROUP_BYTES = 256
#: How many partial tallies are merged at a time.
FAN_IN = 8
_UNITS = {"": 1, "b": 1, "k": 1e3, "m": 1e6, "g": 1e9, "t": 1e12, "ki": 2**10, "mi": 2**20, "gi": 2**30, "ti": 2**40}


class Job(Protocol):
    """What is made of each table of rows. What it gives can be added."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that it reads."""

    def of(self, table: Table) -> Any:
        """What it makes of one table; two of these can be added."""


class Rows(Protocol):
    """Rows somewhere: `head` are the first of them, `reduce` adds up what a job makes of every part.

    `stream` are the files they are in; None of a frame.
    """

    @property
    def stream(self) -> Stream | None:
        """The files; None of a frame."""

    @property
    def source(self) -> str:
        """Where the rows come from, in words."""

    @property
    def head(self) -> Table:
        """The first rows, for their columns and kinds."""

    def reduce(self, job: Job, what: str = "rows") -> Any:
        """What the job makes of every part, added up; `what` is told beside the progress."""

    def facts(self, rows: int) -> dict[str, Any]:
        """What is said of the rows beside the figures: the files or the frame, and how many were read."""

    def again(self) -> Rows:
        """The same rows, to be gone over after they were closed."""
        ...

    def close(self) -> None:
        """Give back what was opened."""


def open_rows(
    source: Any,
    *,
    engine: str | None = None,
    cluster: Any = None,
    memory: str | float | None = None,
    progress: bool | None = None,
    **form: Any,
) -> Rows:
    """Rows of files or of a Dask or Spark frame, on the engine that was asked for or that the frame belongs to."""
    room = memory_bytes(memory)
    module = type(source).__module__.partition(".")[0]
    known = engines()
    own = next((each.name for each in known.values() if module in each.frames), None)
    engine = engine or own or _engine_of(cluster)
    if engine not in known:
        raise UnknownNameError("engine", engine, tuple(known))
    if own is not None and own != engine:
        raise InputError("bad_option", f"engine={engine!r} cannot read a frame of {own}", cure=f"say engine={own!r}")
    if own is None and not is_files(source):
        problem = f"{show(source)} is neither a path nor a Dask or Spark frame"
        raise InputError("not_a_file", problem, cure="give a path, a glob, a folder, a list of paths, or such a frame")
    if cluster is not None and known[engine].owns is None:
        raise InputError("bad_option", "cluster= (--cluster) is for Dask and Spark", cure="say engine='dask'")
    stream = None
    if own is None:
        part_rows = int(min(max(room // 1024, 10_000), PART_ROWS))
        stream = open_stream(source, part_rows=part_rows, part_bytes=part_rows * 32, **form)
    return known[engine].open(stream, None if stream is not None else source, cluster, progress)


def _engine_of(cluster: Any) -> str:
    """The engine whose cluster this is; an address that no other knows is one of Dask."""
    if cluster is None:
        return LOCAL
    return next((each.name for each in engines().values() if each.owns and each.owns(cluster)), "dask")


def memory_bytes(memory: str | float | None) -> float:
    """Bytes from text such as '1GB', '512 MiB', or a number; a quarter of the machine's memory where nothing is said.

    >>> memory_bytes("1GB"), memory_bytes("2 MiB")
    (1000000000.0, 2097152.0)
    """
    if memory is None:
        try:
            return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 4
        except (ValueError, OSError, AttributeError):
            return 1e9
    found = re.fullmatch(r"\s*(\d+\.?\d*)\s*([kmgt]?i?)b?\s*", str(memory).lower())
    size = float(found.group(1)) * _UNITS[found.group(2)] if found and found.group(2) in _UNITS else math.nan
    if not size >= 1e6:
        raise InputError("bad_option", f"memory={show(memory)}", cure="give at least 1MB, such as memory='1GB'")
    return size


def most_groups(memory: str | float | None, columns: int, weighted: bool) -> int:
    """How many groups of scores a tally may hold, for so many score columns."""
    return max(int(memory_bytes(memory) // (GROUP_BYTES * max(columns, 1) * (1.5 if weighted else 1))), 1024)


def tally_part(job: Job, part: Part) -> Any:
    """What a job makes of one part of the files; complaints name the file, its rows and its lines."""
    table = part.read(job.columns)
    try:
        return job.of(table)
    except InputError as error:
        raise part.told(error, table) from None


def tally_table(job: Job, table: Table) -> Any:
    """What a job makes of one partition of a frame; complaints name it."""
    try:
        return job.of(table)
    except InputError as error:
        raise table.locate(error) from None


def summed(tallies: Iterable[Any]) -> Any:
    """The sum of tallies as they come; those of like size meet, as digits of a binary number carry.

    >>> summed(iter("abcde"))
    'abcde'
    """
    stack: list[tuple[int, Any]] = []  # (how many times merged, tally)
    for found in tallies:
        times = 0
        while stack and stack[-1][0] == times:
            found = stack.pop()[1] + found
            times += 1
        stack.append((times, found))
    total = stack.pop()[1]
    while stack:
        total = stack.pop()[1] + total
    return total


def merged(parts: Sequence[Any]) -> Any:
    """The sum, by halves, so that tallies of like size meet."""
    found = list(parts)
    while len(found) > 1:
        pairs = [found[i] + found[i + 1] for i in range(0, len(found) - 1, 2)]
        found = pairs + found[len(found) - len(found) % 2 :]
    return found[0]
