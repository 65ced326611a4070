"""Holdout: one part of the rows to train on, another to test; and three parts, where a model is also to be chosen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from surefold.errors import InputError
from surefold.given import Values
from surefold.resampling.drawing import Draws, narrow
from surefold.resampling.grouped import Groups
from surefold.resampling.options import RandomState, rows_asked, seed_of, truth_value, whole
from surefold.resampling.plan import Plan, Rows
from surefold.resampling.training import Classes, checked

__all__ = ["ThreeWay", "apportioned", "holdout_plan", "random_splits", "three_way"]


def holdout_plan(
    codes: Any,
    *,
    test: float | int = 0.3,
    stratified: bool = True,
    groups: Any = None,
    repeats: int = 1,
    random_state: RandomState = None,
    labels: Sequence[Any] = (),
) -> Plan:
    """A random part of the rows tested once, all others trained on; anew in each repeat.

    `test` is a share between 0 and 1 or a whole number of rows. Stratified, both parts keep the shares of the classes,
    and a class of two rows or more is in both where that is possible. With `groups`, whole groups are tested, and the
    size is as near as they allow.

    >>> plan = holdout_plan([0] * 8 + [1] * 2, test=0.5, random_state=0)
    >>> split = plan[0]
    >>> len(split.test), sum(row >= 8 for row in split.test.tolist())
    (5, 1)
    """
    repeats = whole("repeats", repeats, least=1)
    return random_splits("holdout", codes, "repeats", repeats, test, stratified, groups, random_state, labels)


def random_splits(
    kind: str,
    codes: Values,
    counted: str,
    count: int,
    test: object,
    stratified: object,
    groups: Values,
    random_state: RandomState,
    labels: Sequence[Any],
) -> Plan:
    """`count` random holdouts, each its own repeat with one fold, from its own stream of the seed."""
    classes = Classes.of(codes, labels)
    rows = rows_asked("test", test, classes.n)
    strata = classes.codes if truth_value("stratified", stratified) else None
    held = None if groups is None else Groups.of(groups, classes.n)
    seed = seed_of(random_state)
    tests = [np.flatnonzero(_parts(classes.n, [rows], strata, held, Draws(seed, i)) == 1) for i in range(count)]
    options: dict[str, Any] = {"test": _plain(test), counted: count, "stratified": strata is not None}
    if held is not None:
        options["groups"] = held.count
    plan = Plan.of(
        kind,
        classes.n,
        tests=tests,
        repeat=np.arange(count),
        fold=np.zeros(count, dtype=np.int64),
        options=options,
        random_state=seed,
    )
    return checked(plan, classes)


@dataclass(frozen=True, eq=False)
class ThreeWay:
    """Rows to train on, rows to choose a model by, and rows that are looked at once, at the end.

    `selection` trains on `train` and tests `validation`; `final` trains on both and tests `test`.
    """

    train: Rows
    validation: Rows
    test: Rows
    selection: Plan
    final: Plan

    def __repr__(self) -> str:
        sizes = f"train {len(self.train):,}, validation {len(self.validation):,}, test {len(self.test):,}"
        return f"<ThreeWay of {self.final.n:,} rows: {sizes}>"


def three_way(
    codes: Values,
    *,
    validation: float | int = 0.2,
    test: float | int = 0.2,
    stratified: bool = True,
    groups: Values | None = None,
    random_state: RandomState = None,
    labels: Sequence[Any] = (),
) -> ThreeWay:
    """Split rows into train, validation and test; sizes are shares of all rows, or numbers of rows.

    >>> parts = three_way([0, 1] * 5, random_state=0)
    >>> parts
    <ThreeWay of 10 rows: train 6, validation 2, test 2>
    >>> parts.final.test(0).tolist() == parts.test.tolist(), len(parts.final.train(0)), len(parts.selection.train(0))
    (True, 8, 6)
    """
    classes = Classes.of(codes, labels)
    n = classes.n
    sizes = [rows_asked("validation", validation, n), rows_asked("test", test, n)]
    if sum(sizes) >= n:
        problem = f"validation and test take {sizes[0]:,} and {sizes[1]:,} of {n:,} rows and leave none to train on"
        raise InputError("bad_plan", problem, cure="make them smaller")
    strata = classes.codes if truth_value("stratified", stratified) else None
    held = None if groups is None else Groups.of(groups, n)
    seed = seed_of(random_state)
    part = _parts(n, sizes, strata, held, Draws(seed, 0))
    train, valid, tested = (np.flatnonzero(part == i) for i in range(3))
    options = {"validation": _plain(validation), "test": _plain(test), "stratified": strata is not None}
    if held is not None:
        options["groups"] = held.count
    selection = Plan.of(
        "holdout", n, tests=[valid], trains=[train], options={"part": "selection", **options}, random_state=seed
    )
    final = Plan.of("holdout", n, tests=[tested], options={"part": "final", **options}, random_state=seed)
    return ThreeWay(train, valid, tested, checked(selection, classes), checked(final, classes))


def _parts(n: int, sizes: Sequence[int], strata: Rows | None, held: Groups | None, draws: Draws) -> Rows:
    """The part of each row at random: 0 for those left to train on, 1, 2, ... for parts of these sizes."""
    if held is not None:
        held.need(1 + len(sizes), "parts")
        return held.parted([n - sum(sizes), *sizes], strata, draws)
    part = np.zeros(n, dtype=np.int64)
    order = draws.order(n)
    if strata is None:
        ends = np.cumsum([0, *sizes])
        for i in range(len(sizes)):
            part[order[ends[i] : ends[i + 1]]] = i + 1
        return part
    order = order[np.argsort(narrow(strata)[order], kind="stable")]
    totals = np.bincount(strata)
    of_class = strata[order]
    place = np.arange(n) - (np.cumsum(totals) - totals)[of_class]
    taken = np.zeros_like(totals)
    for i in reversed(range(len(sizes))):  # the last part, the test, has the first choice of rare classes
        more = apportioned(totals - taken, sizes[i], keep=1 + i)
        part[order[(place >= taken[of_class]) & (place < (taken + more)[of_class])]] = i + 1
        taken += more
    return part


def apportioned(totals: Rows, rows: int, *, keep: int = 1) -> Rows:
    """`rows` shared out over classes in proportion to their totals, by largest remainders.

    A class with more than `keep` rows gives at least one and keeps at least `keep`; smaller ones keep all they have.
    Where this number of rows does not allow it, what gets in the way is let go.

    >>> apportioned(np.array([70, 27, 3]), 10).tolist(), apportioned(np.array([97, 2, 1]), 10).tolist()
    ([7, 2, 1], [9, 1, 0])
    """
    n = int(totals.sum())
    most = np.where(totals > keep, totals - keep, 0)
    if most.sum() < rows:
        most = totals.copy()
    least = np.where(totals > keep, 1, 0)
    if least.sum() > rows:
        least = np.zeros_like(totals)
    given = np.clip(totals * rows // n, least, most)
    while (gap := rows - int(given.sum())) != 0:
        short = totals * rows - given * n  # in n-ths of a row, exact
        if gap > 0:
            given[np.where(given < most, short, np.iinfo(np.int64).min).argmax()] += 1
        else:
            given[np.where(given > least, short, np.iinfo(np.int64).max).argmin()] -= 1
    return given


def _plain(value: Any) -> float | int:
    return float(value) if isinstance(value, (float, np.floating)) else int(value)
