"""Whatever a user may pass as a column -> one of three plain shapes, with what is missing marked.

The three are a one-dimensional numpy array of a plain type, a list of Python objects, and categories with codes. Frame
libraries are recognised by the module of their type and never imported here unless the caller already did.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefold.errors import InputError, show

from .exchanged import from_arrow_stream, from_tensor
from .kinds import date_text, is_missing

__all__ = ["GROUP_CURE", "Raw", "columns_of", "first_rows", "raw_column"]

Mask = NDArray[np.bool_]

#: What to do with more than one column of groups.
GROUP_CURE = "name the group of each row by one value; where two columns do, join them as text, such as 'ward/patient'"


@dataclass(frozen=True)
class Raw:
    """A column before its values are understood."""

    data: NDArray[Any] | list[Any]
    missing: Mask | None = None
    categories: list[Any] | None = None  # then `data` numbers them, and rows marked missing hold any number; all differ
    in_order: bool = False  # the order of the categories was chosen by the user
    was_vector: bool = False  # came as (n, 1)

    @property
    def n(self) -> int:
        """How many rows there are."""
        return len(self.data)


def first_rows(mask: Mask) -> tuple[list[int], int]:
    """The first three rows (1-based) where `mask` holds, and how many there are."""
    at = np.flatnonzero(mask)
    return [int(i) + 1 for i in at[:3]], len(at)


def raw_column(values: Any, name: str) -> Raw:
    """One column of values under its name in messages; InputError if it is not one, or has no rows."""
    raw = _raw(values, name)
    if raw.n == 0:
        raise InputError("no_rows", f"{name} has no rows", cure="give at least one row")
    if raw.missing is not None and not raw.missing.any():
        return Raw(raw.data, None, raw.categories, raw.in_order, raw.was_vector)
    return raw


def _raw(values: Any, name: str) -> Raw:
    if isinstance(values, np.ma.MaskedArray):
        return _masked(values, name)
    if isinstance(values, np.ndarray):
        return _array(values, name)
    if isinstance(values, list | tuple | deque):
        return _list(list(values), name)
    module = type(values).__module__.partition(".")[0]
    if module == "pandas" and hasattr(values, "dtype"):
        return _pandas(values, name)
    if module == "polars" and hasattr(values, "dtype"):
        return _polars(values, name)
    if module == "pyarrow" and hasattr(values, "null_count"):
        return _arrow(values)
    columns = columns_of(values, name)
    if columns is not None:
        return _frame(columns, name)
    streamed = from_arrow_stream(values)
    if streamed is not None:
        return _polars(streamed, name)
    tensor = from_tensor(values, name)
    return _other(values, name) if tensor is None else _array(tensor, name)


def columns_of(values: Any, name: str) -> list[tuple[str, Any]] | None:
    """The columns of a frame of any library, each with its name; None of what is no frame.

    Names may stand twice: a mapping would lose a column.
    """
    if isinstance(values, np.ndarray):
        return None
    if hasattr(values, "collect") and hasattr(values, "collect_schema"):  # a polars LazyFrame
        problem = f"{name} is a {type(values).__name__}, whose rows have not been read"
        raise InputError("not_an_array", problem, cure="read them with .collect()")
    if hasattr(values, "column_names") and hasattr(values, "columns"):  # of Arrow: a table or a record batch
        return list(zip(values.column_names, values.columns, strict=True))
    if type(values).__module__.partition(".")[0] not in ("pandas", "polars"):
        streamed = from_arrow_stream(values)
        if streamed is not None:
            return _titled(streamed) if hasattr(streamed, "columns") else None
    if not (hasattr(values, "columns") and hasattr(values, "shape")):
        return None
    names = [str(c) for c in values.columns]
    if hasattr(values, "iloc"):
        return [(n, values.iloc[:, i]) for i, n in enumerate(names)]
    return [(n, values[c]) for n, c in zip(names, values.columns, strict=True)]


def _titled(frame: Any) -> list[tuple[str, Any]]:
    """The columns of a polars frame, each with its name."""
    return list(zip(frame.columns, frame.get_columns(), strict=True))


def _other(values: Any, name: str) -> Raw:
    kind = type(values).__name__
    if hasattr(values, "toarray") and hasattr(values, "nnz"):
        shape = " x ".join(f"{s:,}" for s in values.shape)
        raise InputError(
            "sparse_labels", f"{name} is a sparse matrix of {shape}", cure=f"pass {name}.toarray().ravel() if it fits"
        )
    if values is None:
        raise InputError("not_an_array", f"{name} is None", cure="pass one value a row")
    if isinstance(values, str | bytes | bytearray):
        raise InputError(
            "not_an_array", f"{name} is one piece of text, {show(values)}", cure="pass a list of labels, one a row"
        )
    if isinstance(values, Iterator):
        raise InputError("not_an_array", f"{name} is a {kind}, which can be read only once", cure=f"pass list({name})")
    if isinstance(values, Set | Mapping):
        raise InputError(
            "not_an_array", f"{name} is a {kind}, which does not say which row is which", cure="pass a list, one a row"
        )
    if hasattr(values, "__array__"):
        return _array(np.asarray(values), name)
    if isinstance(values, Sequence) or (hasattr(values, "__len__") and hasattr(values, "__getitem__")):
        return _list(list(values), name)
    raise InputError("not_an_array", f"{name} is {show(values)}, a single {kind}", cure="pass a list, one value a row")


def _array(values: NDArray[Any], name: str) -> Raw:
    values = np.asarray(values)  # a matrix or other subclass becomes a plain array
    if values.ndim == 0:
        raise InputError("not_an_array", f"{name} is a single value, {show(values[()])}", cure="pass one value a row")
    was_vector = values.ndim == 2 and values.shape[1] == 1
    if was_vector:
        values = values[:, 0]
    if values.ndim == 2:
        raise _several(name, values.shape, values.dtype.kind == "f")
    if values.ndim > 2:
        raise InputError("bad_shape", f"{name} has shape {values.shape}", cure="pass one value a row")
    if values.dtype.kind in "OT":
        listed = _list(values.tolist(), name)
        return Raw(listed.data, listed.missing, was_vector=was_vector or listed.was_vector)
    if values.dtype.kind == "V":
        fields = ", ".join(values.dtype.names or ())
        raise InputError(
            "bad_shape",
            f"{name} is a structured array" + (f" with fields {fields}" if fields else ""),
            cure="pass one of its fields",
        )
    return Raw(values, was_vector=was_vector)


def _several(name: str, shape: tuple[int, ...], fractional: bool) -> InputError:
    if name == "groups":
        listed = f"{shape[1]} columns (shape {shape})"
        return InputError("bad_shape", f"groups has {listed}", cure=GROUP_CURE)
    cure = "pass one label a row"
    cure += f"; class probabilities belong in y_score= (--score) and one-hot rows in {name}.argmax(axis=1)"
    if fractional:
        return InputError("bad_shape", f"{name} has {shape[1]} columns of fractional numbers", cure=cure)
    return InputError("multilabel", f"{name} has {shape[1]} labels a row (shape {shape})", cure=cure)


def _masked(values: np.ma.MaskedArray[Any, Any], name: str) -> Raw:
    mask = np.ma.getmaskarray(values)
    plain = _array(values.data, name)
    if mask.ndim == 2:
        mask = mask[:, 0]
    if isinstance(plain.data, list):
        return Raw([None if hidden else v for v, hidden in zip(plain.data, mask, strict=True)])
    if plain.data.dtype.kind == "f":  # what is under the mask may be anything
        return Raw(np.where(mask, 0.0, plain.data), mask, was_vector=plain.was_vector)
    return Raw(plain.data, mask, was_vector=plain.was_vector)


def _list(values: list[Any], name: str) -> Raw:
    if values and isinstance(values[0], list | np.ndarray) and all(isinstance(v, list | np.ndarray) for v in values):
        widths = {np.size(v) if isinstance(v, np.ndarray) else len(v) for v in values}
        if widths == {1}:
            return Raw([v[0] if isinstance(v, list) else v.item() for v in values], was_vector=True)
        if widths != {0}:
            width = f"{min(widths)}" if len(widths) == 1 else f"{min(widths)} to {max(widths)}"
            if name == "groups":
                raise InputError("bad_shape", f"groups has {width} values a row", cure=GROUP_CURE)
            raise InputError(
                "multilabel",
                f"{name} has {width} labels a row; row 1 is {show(values[0])}",
                rows=[1],
                count=len(values),
                cure="pass one label a row; class probabilities belong in y_score= (--score)",
            )
    return Raw(values)


def _frame(columns: list[tuple[str, Any]], name: str) -> Raw:
    if len(columns) != 1:
        listed = ", ".join(title for title, _ in columns[:8])
        cure = f"pass one of its columns; {GROUP_CURE}" if name == "groups" else "pass one of its columns"
        raise InputError("multilabel", f"{name} is a table of {len(columns)} columns ({listed})", cure=cure)
    return replace(_raw(columns[0][1], name), was_vector=True)


def _distinct(codes: NDArray[Any], missing: Mask | None, categories: list[Any], in_order: bool) -> Raw:
    """Categories that are missing or equal to others, as Arrow allows, are made rows that are missing, and one."""
    gone = [is_missing(value) for value in categories]
    try:
        kept = list(dict.fromkeys(v for v, absent in zip(categories, gone, strict=True) if not absent))
    except TypeError:  # lists and the like, which are refused as labels
        return Raw(codes, missing, categories, in_order)
    if not kept:
        return Raw([None] * len(codes))
    if len(kept) == len(categories):
        return Raw(codes, missing, categories, in_order)
    number = {value: i for i, value in enumerate(kept)}
    lookup = [0 if absent else number[value] for value, absent in zip(categories, gone, strict=True)]
    absent_rows = np.asarray(gone, dtype=np.bool_)[codes]
    missing = absent_rows if missing is None else missing | absent_rows
    return Raw(np.asarray(lookup, dtype=np.int64)[codes], missing, kept, in_order)


def _held(values: Any) -> list[Any]:
    """The values of a dictionary one by one; floats as numpy has them, for how long they are counts in logarithms."""
    if str(getattr(values, "type", getattr(values, "dtype", ""))) in ("halffloat", "float", "float16", "float32"):
        return list(values.to_numpy(**({"zero_copy_only": False} if hasattr(values, "type") else {})))
    return list(values.to_pylist() if hasattr(values, "to_pylist") else values)


def _dictionaries(chunks: list[Any]) -> Raw:
    """Chunks of Arrow with a dictionary each as one column."""
    in_order = chunks[0].type.ordered
    codes: list[NDArray[np.int64]] = []
    missing: list[Mask] = []
    categories: list[Any] = []
    for chunk in chunks:
        codes.append(chunk.indices.fill_null(0).to_numpy(zero_copy_only=False).astype(np.int64) + len(categories))
        missing.append(chunk.is_null().to_numpy(zero_copy_only=False))
        categories += _held(chunk.dictionary)
    return _distinct(np.concatenate(codes), np.concatenate(missing), categories, in_order)


def _dates(instants: NDArray[Any], missing: Mask | None, zoned: bool) -> Raw:
    """Instants as numpy has them; those of a time zone, which numpy has none of, by their text in UTC."""
    if not zoned:
        return Raw(instants, missing)
    held, codes = np.unique(instants, return_inverse=True)
    texts = [None if np.isnat(v) else date_text(f"{np.datetime_as_string(v)}+00:00") for v in held]
    return _distinct(codes, missing, texts, in_order=False)


def _pandas(values: Any, name: str) -> Raw:
    dtype = values.dtype
    if isinstance(dtype, np.dtype):
        return _array(np.asarray(values), name)
    values = getattr(values, "array", values)  # a Series or Index: the index plays no part
    if hasattr(values, "categories") and hasattr(values, "codes"):
        codes = np.asarray(values.codes)
        return _distinct(np.maximum(codes, 0), codes < 0, _held(values.categories), in_order=True)
    if not hasattr(dtype, "numpy_dtype") and getattr(dtype, "kind", "O") in "biuf":  # a pandas sparse column
        return _array(np.asarray(values), name)
    missing = np.asarray(values.isna(), dtype=np.bool_)
    if type(dtype).__name__ == "ArrowDtype" or getattr(dtype, "storage", "") == "pyarrow":
        arrow = _arrow(values.__arrow_array__())
        return replace(arrow, missing=missing if arrow.missing is None else missing | arrow.missing)
    kind = getattr(dtype, "kind", "O")
    if kind in "biuf":
        plain = np.asarray(values.to_numpy(dtype=dtype.numpy_dtype, na_value=dtype.numpy_dtype.type(0)))
        if kind == "f":
            missing = missing | np.isnan(plain)
        return Raw(plain, missing)
    return Raw(list(values.astype(object)))


def _polars(values: Any, name: str) -> Raw:
    kind = str(values.dtype.base_type())
    missing = values.is_null().to_numpy() if values.null_count() else None
    if kind in {"String", "Categorical", "Enum"}:
        if kind == "Enum":
            physical = values.to_physical().fill_null(0).to_numpy()
            return Raw(physical, missing, values.dtype.categories.to_list(), in_order=True)
        if len(values) < 4096:
            return Raw(values.to_list())
        return _polars_strings(values, missing)
    if kind.startswith(("Int", "UInt", "Float", "Boolean")) and not kind.endswith("128"):
        return Raw(values.fill_null(0 if kind != "Boolean" else False).to_numpy(), missing)
    if kind in {"Date", "Datetime"}:
        zone = getattr(values.dtype, "time_zone", None)
        plain = values if zone is None else values.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
        return _dates(plain.to_numpy(), missing, zoned=zone is not None)
    if kind in {"List", "Array", "Struct"}:
        raise InputError(
            "multilabel",
            f"{name} holds a {kind.lower()} in each row, such as {show(values.to_list()[0])}",
            rows=[1],
            count=len(values),
            cure=GROUP_CURE if name == "groups" else "pass one label a row",
        )
    return Raw(values.to_list())


def _polars_strings(values: Any, missing: Mask | None) -> Raw:
    """Long text: polars hashes it, and only the distinct values become Python strings."""
    import polars

    from .coding import code_keys

    text = values.cast(polars.String)
    codes, rows = code_keys(text.hash().to_numpy())
    held = text.gather(rows)
    if held.gather(codes).eq_missing(text).all():
        return Raw(codes, missing, held.to_list())
    return Raw(text.to_list())  # two texts share a hash


def _arrow(values: Any) -> Raw:
    import pyarrow
    import pyarrow.compute

    if isinstance(values, pyarrow.ChunkedArray):
        if pyarrow.types.is_dictionary(values.type):
            if any(chunk.dictionary.null_count for chunk in values.chunks):  # which Arrow cannot unify
                return _dictionaries(values.chunks)
            values = values.unify_dictionaries()
        values = values.combine_chunks()
    kind = values.type
    in_order = pyarrow.types.is_dictionary(kind) and kind.ordered  # others are in the order in which values came
    if pyarrow.types.is_string(kind) or pyarrow.types.is_large_string(kind) or pyarrow.types.is_string_view(kind):
        if pyarrow.types.is_string_view(kind):  # which older releases cannot cast
            values = pyarrow.array(values.to_pylist(), pyarrow.large_string())
        values = values.dictionary_encode()
    missing = values.is_null().to_numpy(zero_copy_only=False) if values.null_count else None
    if pyarrow.types.is_dictionary(values.type):
        codes = values.indices.fill_null(0).to_numpy(zero_copy_only=False)
        return _distinct(codes, missing, _held(values.dictionary), in_order)
    if pyarrow.types.is_integer(kind) or pyarrow.types.is_boolean(kind) or pyarrow.types.is_floating(kind):
        zero = pyarrow.scalar(False if pyarrow.types.is_boolean(kind) else 0, type=kind)
        return Raw(values.fill_null(zero).to_numpy(zero_copy_only=False), missing)
    if pyarrow.types.is_date(kind) or pyarrow.types.is_timestamp(kind):
        return _dates(values.to_numpy(zero_copy_only=False), missing, zoned=getattr(kind, "tz", None) is not None)
    return Raw(values.to_pylist())
