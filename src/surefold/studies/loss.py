"""What a wrong answer costs, answer by answer: zero-one, squared, or any table of costs.

`y_true` has one label a row; `y_pred` may have further axes in front (samples x rows), and the loss has its shape.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefold.errors import InputError, show

__all__ = ["cost_loss", "squared_loss", "zero_one_loss"]

Floats = NDArray[np.float64]


def zero_one_loss(y_true: ArrayLike, y_pred: ArrayLike) -> Floats:
    """1 where the answer is wrong, else 0; its mean is the error rate.

    >>> zero_one_loss(["a", "b"], [["a", "a"], ["b", "b"]]).tolist()
    [[0.0, 1.0], [1.0, 0.0]]
    """
    truth, answered = same_rows(y_true, y_pred)
    return np.asarray(truth != answered, dtype=float)


def squared_loss(y_true: ArrayLike, y_pred: ArrayLike) -> Floats:
    """(truth - answer)², both numbers. With classes -1 and +1 a wrong answer costs 4, and no answer (0) costs 1.

    >>> squared_loss([1, -1, 1], [1, 1, 0]).tolist()
    [0.0, 4.0, 1.0]
    """
    truth, answered = same_rows(y_true, y_pred)
    for name, values in (("y_true", truth), ("y_pred", answered)):
        if values.dtype.kind not in "biuf":
            first = show(values.ravel().tolist()[0])
            problem = f"{name} holds {first}: squared loss needs numbers"
            raise InputError("bad_option", problem, cure="give two classes as -1 and +1, or use zero_one_loss")
    return np.asarray((truth.astype(float) - answered.astype(float)) ** 2)


def cost_loss(y_true: ArrayLike, y_pred: ArrayLike, costs: ArrayLike, labels: Sequence[Any]) -> Floats:
    """The entry of a table of costs: rows are the true class, columns the answer, both in the order of `labels`.

    >>> cost_loss(["ill", "well"], ["well", "ill"], [[0, 5], [1, 0]], labels=["ill", "well"]).tolist()
    [5.0, 1.0]
    """
    truth, answered = same_rows(y_true, y_pred)
    known = list(labels)
    table = np.asarray(costs, dtype=float)
    if table.shape != (len(known), len(known)) or not np.isfinite(table).all():
        problem = f"costs have shape {table.shape} for {len(known)} labels, or are not finite"
        raise InputError("cost_matrix", problem, cure="give one row a true class and one column an answer")
    return np.asarray(table[codes_in(truth, known, "y_true"), codes_in(answered, known, "y_pred")])


def same_rows(y_true: ArrayLike, y_pred: ArrayLike) -> tuple[NDArray[Any], NDArray[Any]]:
    """Both as arrays, if they are about the same rows."""
    truth, answered = np.asarray(y_true), np.asarray(y_pred)
    if truth.ndim != 1 or answered.ndim < 1:
        problem = f"y_true has shape {truth.shape} and the answers {answered.shape}"
        cure = "give one true label a row, and one answer a row (or samples x rows)"
        raise InputError("bad_shape", problem, cure=cure)
    if truth.size == 0 or answered.size == 0:
        raise InputError("no_rows", "there are no rows", cure="give at least one")
    if answered.shape[-1] != len(truth):
        problem = f"y_true has {len(truth):,} rows and the answers {answered.shape[-1]:,}"
        raise InputError("length_mismatch", problem, cure="give answers for the same rows, rows along the last axis")
    for name, values in (("y_true", truth), ("the answers", answered)):
        missing = values != values  # NaN is the one value that differs from itself
        if values.dtype.kind == "O":
            missing = np.frompyfunc(lambda v: v is None or type(v).__name__ in ("NAType", "NaTType") or v != v, 1, 1)(
                values
            ).astype(bool)
        if np.any(missing):
            where = np.flatnonzero(np.asarray(missing).reshape(-1, len(truth)).any(axis=0)) + 1
            problem = f"{name} are missing"
            cure = "leave those rows out"
            raise InputError("missing_label", problem, rows=where[:3].tolist(), count=len(where), cure=cure)
    if (truth.dtype.kind in "US") != (answered.dtype.kind in "US") and "O" not in (
        truth.dtype.kind,
        answered.dtype.kind,
    ):
        problem = "one of truth and answers is text and the other is not"
        raise InputError("label_types_differ", problem, cure="write both the same way")
    return truth, answered


def codes_in(values: NDArray[Any], labels: Sequence[Any], name: str) -> NDArray[np.intp]:
    """The place of each value in a list of labels."""
    place = {label: code for code, label in enumerate(labels)}
    found, inverse = np.unique(values, return_inverse=True)
    codes = np.array([place.get(value, -1) for value in found.tolist()], dtype=np.intp)
    if (codes < 0).any():
        unknown = found.tolist()[int(np.flatnonzero(codes < 0)[0])]
        problem = f"{name} holds {show(unknown)}, which is not among the labels"
        raise InputError("unknown_label", problem, cure=f"use {', '.join(show(label) for label in list(labels)[:5])}")
    return codes[inverse].reshape(values.shape)
