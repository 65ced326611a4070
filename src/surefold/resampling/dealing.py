"""Dealing rows into folds: the options of every plan with folds, checked, and a fold number for each row and repeat."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from surefold.errors import InputError
from surefold.findings import Finding
from surefold.given import RandomState
from surefold.resampling.drawing import Draws, narrow
from surefold.resampling.grouped import Groups
from surefold.resampling.options import one_of, recorded_seed, seed_of, truth_value, whole
from surefold.resampling.plan import Plan, Rows
from surefold.resampling.training import Classes

__all__ = ["NO_CLASSES_CURE", "Dealt", "deal", "parts_of", "starts_of"]


@dataclass(frozen=True, eq=False)
class Dealt:
    """Fold numbers, one array of them a repeat."""

    classes: Classes
    folds: int
    numbers: list[Rows]
    options: dict[str, Any]
    seed: int | None
    findings: tuple[Finding, ...]

    @property
    def repeats(self) -> int:
        """How many times rows were dealt."""
        return len(self.numbers)

    def plan(self, kind: str) -> Plan:
        """The plan in which each fold is tested once a repeat."""
        rows = np.concatenate([np.argsort(narrow(numbers), kind="stable") for numbers in self.numbers])
        sizes = np.concatenate([np.bincount(numbers, minlength=self.folds) for numbers in self.numbers])
        return Plan(
            kind,
            self.classes.n,
            rows.astype(np.int64, copy=False),
            starts_of(sizes),
            np.repeat(np.arange(self.repeats), self.folds),
            np.tile(np.arange(self.folds), self.repeats),
            options=self.options,
            random_state=self.seed,
        )


def deal(
    codes: Any,
    folds: object,
    repeats: object,
    stratified: object,
    shuffle: object,
    groups: Any,
    random_state: RandomState,
    labels: Sequence[Any],
    min_class: object,
) -> Dealt:
    """Rows dealt to folds, each option checked; `stratified` by class, `groups` kept together."""
    folds, repeats = whole("folds", folds, least=2), whole("repeats", repeats, least=1)
    stratified, shuffle = truth_value("stratified", stratified), truth_value("shuffle", shuffle)
    one_of("min_class", min_class, ("refuse", "allow"))
    if repeats > 1 and not shuffle:
        problem = f"repeats is {repeats} and shuffle is False: every repeat would be the same"
        raise InputError("bad_option", problem, cure="shuffle, or ask for one repeat")
    classes = Classes.of(codes, labels)
    if folds > classes.n:
        cure = f"use folds={classes.n} or fewer" if classes.n > 1 else "give at least two rows"
        raise InputError("bad_plan", f"{folds} folds of {classes.n:,} rows leave some without a row", cure=cure)
    held = None if groups is None else Groups.of(groups, classes.n)
    if held is not None:
        held.need(folds, "folds")
    stratified = stratified and classes.codes is not None
    if stratified and min_class == "refuse":
        _refuse_few_of_a_class(classes, folds, held)
    strata = classes.codes if stratified else None
    seed = seed_of(random_state) if shuffle else recorded_seed(random_state)
    numbers = []
    for repeat in range(repeats):
        draws = Draws(seed, repeat) if shuffle and seed is not None else None
        if held is None:
            numbers.append(_fold_numbers(classes.n, strata, folds, draws))
        else:
            numbers.append(held.dealt(folds, strata, draws))
    options = {"folds": folds, "repeats": repeats, "stratified": stratified, "shuffle": shuffle}
    if held is not None:
        options["groups"] = held.count
    findings = () if shuffle or stratified or held is not None else _sorted_findings(classes)
    return Dealt(classes, folds, numbers, options, seed, findings)


def _fold_numbers(n: int, strata: Rows | None, folds: int, draws: Draws | None) -> Rows:
    """The fold of each row. Rows, one class after the other, are dealt round: classes and sizes both come out even."""
    order = np.arange(n) if draws is None else draws.order(n)
    if strata is not None:
        order = order[np.argsort(narrow(strata)[order], kind="stable")]
    dealt = np.arange(n) % folds
    if draws is None:  # the same sizes, in runs of neighbours
        block = np.zeros(n, dtype=np.int64) if strata is None else strata[order]
        dealt = dealt[np.argsort(block * folds + dealt, kind="stable")]
    numbers = np.empty(n, dtype=np.int64)
    numbers[order] = dealt
    return numbers


#: From so many classes with fewer rows than folds on, if they are most, they are taken for values of a quantity.
MANY_FEW = 20
NO_CLASSES_CURE = "name a column of classes, or cut numbers into classes first, as in y > 100"


def _refuse_few_of_a_class(classes: Classes, folds: int, held: Groups | None) -> None:
    if held is None:
        have, what = classes.totals, "row"
    else:
        have, what = np.bincount(np.unique(classes.known * np.int64(held.count) + held.of_row) // held.count), "group"
    few = np.flatnonzero((have > 0) & (have < folds))
    if not few.size:
        return
    fewest = int(few[have[few].argmin()])
    most = int(have[fewest])
    problem = f"class {classes.name(fewest)} has {most:,} {what}{'s' if most > 1 else ''} and there are {folds} folds"
    if len(few) >= MANY_FEW and len(few) > np.count_nonzero(have) / 2:
        rows, values = int(classes.totals.sum()), np.count_nonzero(have)
        problem = f"y has {values:,} different values in {rows:,} rows: it looks like a quantity or an id, not a class"
        raise InputError("too_few_of_a_class", problem, cure=NO_CLASSES_CURE)
    if len(few) > 1:
        problem += f"; {len(few)} classes have fewer {what}s than folds"
    cure = f"use folds={most} or fewer, " if most > 1 else f"give more {what}s of that class, merge or drop it, "
    cure += "pool the held-out predictions of leave_one_out, or pass min_class='allow' (--allow-rare), which tests it "
    cure += "in some folds only"
    raise InputError("too_few_of_a_class", problem, cure=cure)


def _sorted_findings(classes: Classes) -> tuple[Finding, ...]:
    """Rows that come one class after another, and more than one class."""
    if classes.codes is None:
        return ()
    present, changes = int((classes.totals > 0).sum()), int((np.diff(classes.codes) != 0).sum())
    if present < 2 or changes != present - 1:
        return ()
    sentence = (
        f"Rows are sorted by class ({present} classes, one after another) and folds are runs of neighbouring rows: "
        "a fold tests few classes, and trains on too few of those. Shuffle, or stratify."
    )
    return (Finding.of("unshuffled_sorted", sentence, classes=present),)


def parts_of(numbers: Rows, folds: int) -> list[Rows]:
    """The rows of each fold, in order, from the fold of each row."""
    order = np.argsort(narrow(numbers), kind="stable").astype(np.int64, copy=False)
    return np.split(order, np.cumsum(np.bincount(numbers, minlength=folds))[:-1])


def starts_of(sizes: ArrayLike) -> Rows:
    """Where each part starts in a list of all, and where the last one ends."""
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
