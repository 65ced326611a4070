"""Columns of libraries that nothing here knows, read by what they exchange: Arrow streams and DLPack.

Nothing is copied where the library lets its memory be read. Tensors that lie on another device are copied to this one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from surefold.errors import InputError

if TYPE_CHECKING:
    import polars

__all__ = ["from_arrow_stream", "from_tensor"]

#: What libraries raise where memory cannot be handed over: on another device, or part of a gradient.
_REFUSED = (BufferError, RuntimeError, TypeError, ValueError)


class _Stream(Protocol):
    """What gives its rows as an Arrow C stream."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


def from_arrow_stream(values: object) -> polars.Series | polars.DataFrame | None:
    """What an object gives as an Arrow C stream or array: a column, or a frame; None of one that gives none.

    >>> import polars
    >>> from_arrow_stream([1, 2]) is None
    True
    """
    if not (hasattr(values, "__arrow_c_stream__") or hasattr(values, "__arrow_c_array__")):
        return None
    import polars

    column = polars.Series(values=cast(_Stream, values))
    return column.struct.unnest() if isinstance(column.dtype, polars.Struct) else column


def from_tensor(values: object, name: str) -> NDArray[np.generic] | None:
    """The array that a tensor is (torch, jax, cupy), by DLPack; None of what is no tensor."""
    if not (hasattr(values, "__dlpack__") and hasattr(values, "__dlpack_device__")):
        return None
    try:
        return np.from_dlpack(values)
    except _REFUSED as error:
        problem = str(error).split("\n")[0]
    try:
        return np.from_dlpack(values, device="cpu", copy=True)
    except _REFUSED:
        problem = f"{name} is a {type(values).__name__} that cannot be read: {problem}"
        cure = f"pass an array, as {name}.detach().cpu().numpy() of torch"
        raise InputError("not_an_array", problem, cure=cure) from None
