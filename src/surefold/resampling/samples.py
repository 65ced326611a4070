"""Samples: random holdouts again and again (shuffle-split), and draws with replacement (the bootstrap)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefold.errors import InputError
from surefold.given import Values
from surefold.resampling.drawing import Draws, narrow
from surefold.resampling.grouped import Groups
from surefold.resampling.holdout import random_splits
from surefold.resampling.options import RandomState, seed_of, truth_value, whole
from surefold.resampling.plan import Plan, Rows
from surefold.resampling.training import Classes, checked

__all__ = [
    "bootstrap_plan",
    "expected_distinct_share",
    "in_bag_counts",
    "share_of_distinct_rows",
    "shuffle_split_plan",
]

#: A sample of one class only is drawn again, at most this often; its chance is never above one half.
_REDRAWS = 200


def shuffle_split_plan(
    codes: Any,
    *,
    splits: int = 10,
    test: float | int = 0.3,
    stratified: bool = True,
    groups: Any = None,
    random_state: RandomState = None,
    labels: Sequence[Any] = (),
) -> Plan:
    """Random holdouts, independent of each other: split i is fold 0 of repeat i, because each could stand alone.

    >>> plan = shuffle_split_plan([0, 1] * 5, splits=4, test=0.2, random_state=0)
    >>> len(plan), plan.test_sizes.tolist(), plan.repeat.tolist()
    (4, [2, 2, 2, 2], [0, 1, 2, 3])
    """
    splits = whole("splits", splits, least=1)
    return random_splits("shuffle_split", codes, "splits", splits, test, stratified, groups, random_state, labels)


def bootstrap_plan(
    codes: Values,
    *,
    samples: int = 50,
    stratified: bool = False,
    groups: Values | None = None,
    random_state: RandomState = None,
    labels: Sequence[Any] = (),
) -> Plan:
    """Samples of n rows drawn with replacement to train on; every split tests all rows.

    `codes` are class codes, or the number of rows. The last split is the apparent one: it trains on all rows, once
    each. Stratified, each class is drawn from by itself; with `groups`, as many groups as there are are drawn, whole.
    A sample that by chance holds one class only is drawn again; `options["redrawn"]` counts those.

    >>> plan = bootstrap_plan([0, 0, 1, 1], samples=2, random_state=0)
    >>> plan.train_sizes.tolist(), plan.test_sizes.tolist(), plan[2].train.tolist(), plan.overlaps
    ([4, 4, 4], [4, 4, 4], [0, 1, 2, 3], True)
    """
    classes = Classes.of(codes, labels)
    n = classes.n
    samples, stratified = whole("samples", samples, least=1), truth_value("stratified", stratified)
    if n < 2:
        raise InputError("bad_plan", "one row makes only one sample", cure="give at least two rows")
    if stratified and groups is not None:
        problem = "stratified is True and groups are given: a group may hold several classes"
        raise InputError("bad_option", problem, cure="drop one of the two")
    held = None if groups is None else Groups.of(groups, n)
    if held is not None:
        held.need(2, "groups")
    seed = seed_of(random_state)
    two = classes.codes is not None and int((classes.totals > 0).sum()) > 1
    trains, redrawn = [], 0
    for i in range(samples):
        draws = Draws(seed, i)
        train = _sample(classes, stratified, held, draws)
        for _ in range(_REDRAWS):
            if not two or np.ptp(classes.known[train]) > 0:
                break
            train, redrawn = _sample(classes, stratified, held, draws), redrawn + 1
        trains.append(train)
    trains.append(np.arange(n))
    options: dict[str, Any] = {"samples": samples, "stratified": stratified and classes.codes is not None}
    if held is not None:
        options["groups"] = held.count
    plan = Plan(
        "bootstrap",
        n,
        np.tile(np.arange(n), samples + 1),
        np.arange(samples + 2) * n,
        np.zeros(samples + 1, dtype=np.int64),
        np.arange(samples + 1),
        np.concatenate(trains),
        np.concatenate([[0], np.cumsum([len(train) for train in trains])]).astype(np.int64),
        options={**options, "redrawn": redrawn},
        random_state=seed,
        overlaps=True,
    )
    return checked(plan, classes)


def _sample(classes: Classes, stratified: bool, held: Groups | None, draws: Draws) -> Rows:
    """Row numbers, sorted, with repeats."""
    n = classes.n
    if held is not None:
        by_group = np.argsort(narrow(held.of_row), kind="stable")
        sizes = np.bincount(held.of_row)
        drawn = draws.below(held.count, held.count)
        starts, lengths = (np.cumsum(sizes) - sizes)[drawn], sizes[drawn]
        within = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        return np.sort(by_group[np.repeat(starts, lengths) + within]).astype(np.int64, copy=False)
    if stratified and classes.codes is not None:
        by_class = np.argsort(narrow(classes.codes), kind="stable")
        totals = classes.totals
        sizes = np.repeat(totals, totals)
        return np.sort(by_class[np.repeat(np.cumsum(totals) - totals, totals) + draws.below(sizes, n)])
    return np.sort(draws.below(n, n))


def in_bag_counts(plan: Plan) -> NDArray[np.int64]:
    """Samples x rows: how often each row is in each sample of a bootstrap plan; the apparent split is left out."""
    if plan.kind != "bootstrap":
        cure = "make it with bootstrap_plan"
        raise InputError("not_for_this_plan", f"a {plan.kind} plan has no bootstrap samples", cure=cure)
    return np.stack([np.bincount(plan.train(i), minlength=plan.n) for i in range(len(plan) - 1)])


def share_of_distinct_rows(plan: Plan) -> float:
    """The share of all rows that a sample holds at least once, on average over the samples."""
    return float((in_bag_counts(plan) > 0).mean())


def expected_distinct_share(n: int) -> float:
    """What that share is in the long run: 1 - (1 - 1/n)^n, which falls to 1 - 1/e.

    >>> expected_distinct_share(2), round(expected_distinct_share(10**9), 6)
    (0.75, 0.632121)
    """
    n = whole("n", n, least=1)
    return 1.0 if n == 1 else -math.expm1(n * math.log1p(-1 / n))
