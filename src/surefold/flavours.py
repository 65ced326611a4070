"""Data frames of the caller's library: results come out in the flavour that the rows came in.

The rule: frames are of the library that the truth was a column of, or else of the first column that is of one; rows of
lists, arrays, tensors and files give polars, which is always there. A leaf.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args

from surefold.errors import MissingExtraError, UnknownNameError

if TYPE_CHECKING:
    import polars

__all__ = ["Flavour", "flavour_of", "in_flavour"]

Flavour = Literal["polars", "pandas", "pyarrow", "modin", "cudf"]
#: Of which a column with gaps has no whole numbers: kinds are left to them.
PANDAS_LIKE = ("pandas", "modin", "cudf")


def flavour_of(*given: object) -> Flavour:
    """The library of the first of these that is a column or a frame of one; polars where none is.

    >>> import polars
    >>> flavour_of([0, 1]), flavour_of([0, 1], polars.Series([0, 1]))
    ('polars', 'polars')
    """
    for one in given:
        module = type(one).__module__.partition(".")[0]
        for name in get_args(Flavour):
            if module == name:
                found: Flavour = name
                return found
    return "polars"


def in_flavour(frame: polars.DataFrame, flavour: Flavour) -> object:
    """The same frame, of another library.

    >>> import polars
    >>> in_flavour(polars.DataFrame({"value": [0.5]}), "pyarrow").column_names
    ['value']
    """
    if flavour not in get_args(Flavour):
        raise UnknownNameError("kind of frame", flavour, get_args(Flavour))
    if flavour == "polars":
        return frame
    import narwhals as nw

    columns = {name: frame[name].to_list() for name in frame.columns}
    schema = None if flavour in PANDAS_LIKE else nw.from_native(frame).schema
    try:
        return nw.from_dict(columns, schema=schema, backend=flavour).to_native()
    except ImportError as error:
        raise MissingExtraError(flavour, flavour, f"a frame of {flavour}") from error
