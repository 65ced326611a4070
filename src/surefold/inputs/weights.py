"""Weights and groups: one of each a row, checked."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefold.errors import InputError, show

from .coding import code_keys, code_objects, code_small_ints, code_text
from .kinds import is_missing, kind_of, plain
from .raw import Mask, first_rows, raw_column
from .scores import read_scores

__all__ = ["read_groups", "read_weights"]

#: How many times the lightest row the heaviest may weigh: their squares, and the squares of those, must be numbers.
RANGE = 1e50
#: Weights of parts lie within this of 1, so that those of any two parts are within the range of each other.
PART_RANGE = 1e25


def read_weights(values: Any, name: str = "sample_weight", *, part: bool = False) -> NDArray[np.float64]:
    """Weights as float64: finite, none below zero, not all zero, within a range that sums of their squares can hold.

    Those of a `part` of the rows are not scaled, as other parts have weights too.
    """
    column = read_scores(values, name)
    weights = column.values
    if weights.ndim != 1:
        raise InputError("bad_shape", f"{name} has {weights.shape[1]} columns", cure="give one weight a row")
    finite = np.isfinite(weights)
    if not finite.all():
        rows, count = first_rows(~finite)
        problem = f"{name} is missing or not finite, as in {weights[rows[0] - 1]:g}"
        raise InputError(
            "missing_weight", problem, rows=rows, count=count, cure="give every row a finite weight; 0 leaves it out"
        )
    if weights.min() < 0:
        rows, count = first_rows(weights < 0)
        problem = f"{name} is negative, as in {weights[rows[0] - 1]:g}"
        raise InputError(
            "negative_weight", problem, rows=rows, count=count, cure="weights count rows; use 0 to leave one out"
        )
    if weights.max() == 0:
        raise InputError("zero_weights", f"{name} is zero in all {len(weights):,} rows", cure="give some row a weight")
    largest = float(weights.max())
    least = float(weights.min(initial=largest, where=weights > 0))
    if part and (least < 1 / PART_RANGE or largest > PART_RANGE):
        at = (weights > 0) & ((weights < 1 / PART_RANGE) | (weights > PART_RANGE))
        problem = f"{name} is beyond what is added up over parts, {1 / PART_RANGE:g} to {PART_RANGE:g}"
        raise _range(problem, at, weights, "divide all weights by one number, such as the largest")
    if least / largest < 1 / RANGE:
        problem = f"{name} runs from {least:.3g} to {largest:.3g}, and beside the largest the least are lost"
        raise _range(problem, (weights > 0) & (weights / largest < 1 / RANGE), weights, "give rows that light weight 0")
    return weights if 1e-100 < largest < 1e100 else weights / largest  # their squares must be numbers too


def _range(problem: str, at: Mask, weights: NDArray[np.float64], cure: str) -> InputError:
    rows, count = first_rows(at)
    problem += f", as {weights[rows[0] - 1]:.3g} is"
    return InputError("weight_range", problem, rows=rows, count=count, cure=cure)


def read_groups(values: Any, name: str = "groups") -> NDArray[np.intp]:
    """Groups as codes 0..G-1 in order of first appearance or value; any value that can be hashed names a group."""
    raw = raw_column(values, name)
    missing = raw.missing
    if isinstance(raw.data, list):
        try:
            codes, distinct = code_objects(map(_plain_date, raw.data), raw.n)
        except TypeError:
            row = next(i for i, v in enumerate(raw.data, start=1) if not _has_hash(v))
            raise InputError(
                "not_a_scalar",
                f"{name} holds {show(raw.data[row - 1])}, which cannot name a group",
                rows=[row],
                cure="name each group by text or a number",
            ) from None
        absent = np.array([is_missing(v) for v in distinct], dtype=np.bool_)
        missing = absent.take(codes) if absent.any() else None
    elif raw.data.dtype.kind == "f":
        missing = np.isnan(raw.data) if missing is None else missing | np.isnan(raw.data)
        if raw.data.dtype.itemsize > 8:
            codes = np.unique(raw.data, return_inverse=True)[1].astype(np.uint64)
        else:
            codes, _ = code_keys((raw.data.astype(np.float64) + 0.0).view(np.uint64))
    elif raw.data.dtype.kind in "biu":
        data = raw.data.view(np.uint8) if raw.data.dtype.kind == "b" else raw.data
        small = code_small_ints(data)
        codes = small[0] if small else code_keys(np.ascontiguousarray(data.astype(np.int64)).view(np.uint64))[0]
    elif raw.data.dtype.kind == "U" and (packed := code_text(raw.data)) is not None:
        codes = packed[0]
    else:
        if raw.data.dtype.kind in "mM":
            missing = np.isnat(raw.data) if missing is None else missing | np.isnat(raw.data)
        codes, _ = code_objects(raw.data.tolist(), raw.n)
    if missing is not None and missing.any():
        rows, count = first_rows(missing)
        raise InputError(
            "missing_group", f"{name} is missing", rows=rows, count=count, cure="name the group of every row"
        )
    return codes.astype(np.intp)


def _has_hash(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def _plain_date(value: Any) -> Any:
    """An instant by its text: those of different units are not always equal, or do not hash alike."""
    return plain(value, "text") if kind_of(type(value)) == "date" and not is_missing(value) else value
