"""Options of commands whose rows need not fit in memory, and when they are used without being asked for."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from functools import lru_cache, reduce
from typing import TYPE_CHECKING, Any

import click

from surefold.engines.engine import engines
from surefold.engines.rows import Rows, memory_bytes, open_rows
from surefold.errors import InputError
from surefold.inputs.tables import Table, read_table

if TYPE_CHECKING:
    from surefold.inputs.parquet_footer import Footer

__all__ = ["opened_rows", "room", "scale_options", "wants_parts"]

#: Reading a whole file takes about this many times its bytes.
WHOLE_FILE = 6
#: A Parquet file of more rows, or a CSV of more bytes, which are about as many, is not held: its scores take 8 bytes a
#: row where they are counted, and its labels nothing.
MANY_ROWS, MANY_BYTES = 2_000_000, 32 << 20
#: More bytes than any tally takes.
_ALL = 1 << 60


def scale_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """--engine, --cluster and --memory."""
    known = click.Choice(tuple(engines()))
    options = (
        click.option("--engine", type=known, help="Count rows in parts here, on Dask or on Spark."),
        click.option("--cluster", metavar="ADDRESS", help="Where: tcp://host:8786 of Dask, a master of Spark."),
        click.option("--memory", metavar="SIZE", help="What tallies may take, as 1GB.  [default: a quarter of RAM]"),
    )
    return reduce(lambda made, option: option(made), reversed(options), command)


@contextmanager
def opened_rows(
    file: str, scale: Mapping[str, Any], form: Mapping[str, Any], quiet: bool, *, whole: bool = False
) -> Iterator[Rows | Table]:
    """The rows of a file: a table that is held, or parts that are counted; what `scale_options` said decides.

    A file with some million rows is counted too, unless all its rows are needed (`whole`).
    """
    if not (wants_parts(file, **scale) or (not whole and _has_many_rows(file))):
        yield read_table(file, **form)
        return
    with closing(open_rows(file, progress=False if quiet else None, **scale, **form)) as rows:
        yield rows


def wants_parts(file: str, engine: str | None, cluster: str | None, memory: str | None) -> bool:
    """Whether rows have to be counted in parts: asked for, more than one file, or a file too large to hold."""
    if engine is not None or cluster is not None or memory is not None:
        return True
    if file == "-" or not os.path.exists(file):
        return file != "-" and any(c in file for c in "*?[") and not os.path.exists(file)
    return os.path.isdir(file) or _is_too_large(file)


def room(file: str, memory: str | None) -> str | int | None:
    """What tallies may take: of a file that could be held, what they need, so that none of its scores is cut."""
    return _ALL if memory is None and os.path.isfile(file) and not _is_too_large(file) else memory


def _is_too_large(file: str) -> bool:
    """Whether this cannot be held, as a Parquet file that takes far more room unpacked than on the disk."""
    from surefold.inputs.parquet_footer import unfolds_too_far

    size, most, footer = os.path.getsize(file), memory_bytes(None), _footer(file)
    return size * WHOLE_FILE > most or (footer is not None and (unfolds_too_far(footer, size) or footer.bytes > most))


def _has_many_rows(file: str) -> bool:
    """Whether scores had better be counted than held."""
    footer = _footer(file)
    if footer is not None:
        return sum(footer.rows) > MANY_ROWS
    return os.path.isfile(file) and os.path.getsize(file) > MANY_BYTES


def _footer(file: str) -> Footer | None:
    """What a Parquet file says of itself; None of others, and where reading it is to tell what is wrong."""
    # opening a named pipe would wait for who writes, reading what has no size perhaps for ever
    if not (os.path.isfile(file) and os.path.getsize(file) > 0):
        return None
    status = os.stat(file)
    return _footer_of(file, (status.st_size, status.st_mtime_ns))


@lru_cache(maxsize=4)
def _footer_of(file: str, _: tuple[int, int]) -> Footer | None:
    from surefold.inputs.parquet_footer import read_footer

    try:
        with open(file, "rb") as opened:
            return read_footer(opened, file) if opened.read(4) == b"PAR1" else None
    except (InputError, OSError):
        return None
