"""Options of commands whose rows need not fit in memory, and when they are used without being asked for."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from functools import reduce
from typing import Any

import click

from surefold.engines.engine import engines
from surefold.engines.rows import Rows, memory_bytes, open_rows
from surefold.errors import InputError
from surefold.inputs.tables import Table, read_table

__all__ = ["opened_rows", "scale_options", "wants_parts"]

#: Reading a whole file takes about this many times its bytes.
WHOLE_FILE = 6


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
def opened_rows(file: str, scale: Mapping[str, Any], form: Mapping[str, Any], quiet: bool) -> Iterator[Rows | Table]:
    """The rows of a file: a table that is held, or parts that are counted; what `scale_options` said decides."""
    if not wants_parts(file, **scale):
        yield read_table(file, **form)
        return
    with closing(open_rows(file, progress=False if quiet else None, **scale, **form)) as rows:
        yield rows


def wants_parts(file: str, engine: str | None, cluster: str | None, memory: str | None) -> bool:
    """Whether rows are counted in parts: asked for, more than one file, or a file too large to hold."""
    if engine is not None or cluster is not None or memory is not None:
        return True
    if file == "-" or not os.path.exists(file):
        return file != "-" and any(c in file for c in "*?[") and not os.path.exists(file)
    if os.path.isdir(file) or os.path.getsize(file) * WHOLE_FILE > memory_bytes(None):
        return True
    # opening a named pipe would wait for who writes, reading what has no size perhaps for ever
    return os.path.isfile(file) and os.path.getsize(file) > 0 and _unfolds(file)


def _unfolds(file: str) -> bool:
    """Whether this is a Parquet file that takes far more room unpacked than on the disk."""
    from surefold.inputs.parquet_footer import read_footer, unfolds_too_far

    try:
        with open(file, "rb") as opened:
            if opened.read(4) != b"PAR1":
                return False
            footer = read_footer(opened, file)
    except (InputError, OSError):
        return False  # reading it tells what is wrong
    return unfolds_too_far(footer, os.path.getsize(file)) or footer.bytes > memory_bytes(None)
