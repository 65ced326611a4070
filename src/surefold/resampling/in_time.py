"""Time order: train on the past, test on what follows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefold.errors import InputError, show
from surefold.given import Values
from surefold.inputs.kinds import is_missing
from surefold.resampling.options import RandomState, recorded_seed, whole
from surefold.resampling.plan import Plan, Rows
from surefold.resampling.training import Classes, checked

__all__ = ["time_order_plan"]

_ISO = re.compile(r"\d{4}(-\d{2}(-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?Z?)?)?)?")


def time_order_plan(
    codes: Values,
    *,
    folds: int = 5,
    gap: int = 0,
    test_size: int | None = None,
    max_train: int | None = None,
    times: Values | None = None,
    random_state: RandomState = None,
    labels: Sequence[Any] = (),
) -> Plan:
    """Folds one after another in time, each tested by a model that was trained on what came before it.

    `codes` are class codes, or the number of rows; rows are taken to be in time order unless `times` says when each
    was. `test_size` is the rows of a fold (n // (folds + 1) unless said), `gap` the rows left out between training and
    test, and `max_train` the most rows trained on, the latest ones. Rows of equal time are never on both sides: they
    move to the later fold together, so folds may differ in size. The first rows are trained on and never tested.

    >>> for split in time_order_plan(6, folds=2, gap=1):
    ...     print(split.train.tolist(), split.test.tolist())
    [0] [2, 3]
    [0, 1, 2] [4, 5]
    """
    classes = Classes.of(codes, labels)
    n = classes.n
    folds, gap = whole("folds", folds, least=1), whole("gap", gap, least=0)
    size = max(n // (folds + 1), 1) if test_size is None else whole("test_size", test_size, least=1)
    most = n if max_train is None else whole("max_train", max_train, least=1)
    if n - folds * size - gap < 1:
        problem = f"{folds} folds of {size:,} rows and a gap of {gap:,} leave none of {n:,} rows to train on at first"
        raise InputError("bad_plan", problem, cure="use fewer folds, a smaller test_size or a smaller gap")
    starts = n - size * np.arange(folds, -1, -1)
    order = np.arange(n)
    if times is not None:
        order, run_starts = _in_order(times, n)
        starts[:-1] = run_starts[starts[:-1]]
        if (np.diff(starts) == 0).any() or starts[0] - gap < 1:
            problem = f"rows of equal time stay together, and that leaves a part of these {folds} folds empty"
            raise InputError("bad_plan", problem, cure="use fewer folds, or finer times")
    ends = starts[:-1] - gap
    plan = Plan.of(
        "time_order",
        n,
        tests=[order[starts[i] : starts[i + 1]] for i in range(folds)],
        trains=[order[max(end - most, 0) : end] for end in ends],
        options={"folds": folds, "gap": gap, "test_size": size, "max_train": max_train, "times": times is not None},
        random_state=recorded_seed(random_state),
    )
    return checked(plan, classes)


def _in_order(times: Values, n: int) -> tuple[Rows, Rows]:
    """Rows by time, rows of equal time as they came; and for each place the first place with the same time."""
    values: NDArray[Any] = np.asarray(times)
    if values.dtype.kind == "U" and isinstance(times, (list, tuple)):  # numpy makes text of numbers beside text
        values = np.asarray(times, dtype=object)
    if values.ndim != 1 or len(values) != n:
        problem = f"times has shape {values.shape} and there are {n:,} rows"
        raise InputError("length_mismatch", problem, cure="give one time a row")
    if values.dtype.kind == "O":
        missing = np.array([is_missing(value) for value in values], dtype=np.bool_)
    else:
        missing = np.isnan(values) if values.dtype.kind == "f" else np.zeros(n, dtype=np.bool_)
        missing = np.isnat(values) if values.dtype.kind in "mM" else missing
    if missing.any():
        rows = (np.flatnonzero(missing) + 1).tolist()
        cure = "give every row a time, or leave those rows out"
        raise InputError("bad_option", "times is missing", rows=rows, count=len(rows), cure=cure)
    values = _as_iso_text(values)
    try:
        order = np.argsort(values, kind="stable").astype(np.int64, copy=False)
    except TypeError as error:
        raise InputError("bad_option", f"times cannot be put in order: {error}", cure="give one kind of time") from None
    ordered = values[order]
    later = np.flatnonzero(ordered[1:] != ordered[:-1]) + 1
    run_starts = np.zeros(n, dtype=np.int64)
    run_starts[later] = later
    return order, np.maximum.accumulate(run_starts)


def _as_iso_text(values: NDArray[Any]) -> NDArray[Any]:
    """Text in a form whose order is that of time; other text is refused, because it would sort as text: 10 before 9."""
    if values.dtype.kind not in "UTO" or not all(isinstance(value, str) for value in values):
        return values
    odd = [i for i, value in enumerate(values, start=1) if not _ISO.fullmatch(value)]
    if odd:
        problem = f"times is text that is not a date, as in {show(str(values[odd[0] - 1]))}"
        cure = "give numbers, dates, or text such as 2024-01-31 or 2024-01-31T09:30:00"
        raise InputError("bad_option", problem, rows=odd, count=len(odd), cure=cure)
    return np.array([value.rstrip("Z").replace(" ", "T") for value in values])
