"""Frames of any library as tables with named columns; a relation of DuckDB and an Arrow data set are read first."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from surefold.errors import InputError, MissingExtraError, show

from .exchanged import from_arrow_stream
from .tables import Table

if TYPE_CHECKING:
    import polars

__all__ = ["frame_table", "is_frame"]

#: Frames whose rows lie elsewhere: an engine counts them part by part.
ENGINES = ("dask", "dask_expr", "pyspark")


def is_frame(source: object) -> bool:
    """Whether this is a table of several named columns that lies here, or can be read here.

    >>> import polars
    >>> is_frame(polars.DataFrame({"y": [1], "p": [0.5]})), is_frame(polars.Series([1])), is_frame([1, 0])
    (True, False, False)
    """
    module = type(source).__module__.partition(".")[0]
    if isinstance(source, np.ndarray) or module in ("builtins", *ENGINES):
        return False
    return len(_names(source)) > 1


def _names(source: object) -> list[str]:
    """The names of the columns of a table; none of what is no table."""
    schema = getattr(source, "collect_schema", None)
    if callable(schema):  # lazy
        return list(schema().names())
    names = getattr(source, "column_names", None)
    if names is None and hasattr(source, "to_table"):
        names = getattr(getattr(source, "schema", None), "names", None)
    if names is None and (hasattr(source, "shape") or hasattr(source, "__arrow_c_stream__")):
        names = getattr(source, "columns", None)
    return [] if names is None else [str(name) for name in names]


def frame_table(source: object) -> Table:
    """A frame as a table that was read; complaints name the kind of frame."""
    import polars

    scan = getattr(source, "to_table", None)  # of an Arrow data set
    held = scan() if callable(scan) and hasattr(source, "schema") else source
    if not isinstance(held, polars.DataFrame):
        held = _in_polars(held)
    title = f"the {type(source).__module__.partition('.')[0].lstrip('_')} frame"
    if not held.height:
        raise InputError("no_rows", f"{title} has 0 rows", cure="give at least one row")
    names = tuple(held.columns)
    return Table(title, names, "", held.rename({name: str(i) for i, name in enumerate(names)}))


def _in_polars(frame: object) -> polars.DataFrame:
    """By narwhals, which knows most libraries; or by the Arrow stream that it gives."""
    import narwhals as nw
    import polars

    known = nw.from_native(frame, pass_through=True)
    try:
        if isinstance(known, nw.LazyFrame):
            known = known.collect("polars")
        if isinstance(known, nw.DataFrame):
            return known.to_polars()
    except ImportError as error:
        raise MissingExtraError("pyarrow", "pyarrow", "reading columns of a frame by their names") from error
    streamed = from_arrow_stream(frame)
    if not isinstance(streamed, polars.DataFrame):
        raise InputError("not_an_array", f"{show(frame)} is no table", cure="pass its columns one by one")
    return streamed
