"""Folds: K-fold, repeated, stratified, grouped; 5x2, nested, leave-one-out, leave-pair-out.

Every repeat is drawn from its own stream of the seed: asking for more repeats leaves the first ones as they were.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from surefold.errors import InputError
from surefold.given import Values
from surefold.resampling.dealing import deal, parts_of, starts_of
from surefold.resampling.drawing import Draws
from surefold.resampling.options import RandomState, recorded_seed, seed_of, whole
from surefold.resampling.plan import Plan, Rows
from surefold.resampling.training import Classes, checked

__all__ = ["five_by_two_plan", "k_fold_plan", "leave_one_out_plan", "leave_pair_out_plan", "nested_plan"]

MinClass = Literal["refuse", "allow"]

#: More pairs than this are refused unless a number of them is asked for.
_MOST_PAIRS = 200_000


def k_fold_plan(
    codes: Any,
    *,
    folds: int = 10,
    repeats: int = 1,
    stratified: bool = True,
    shuffle: bool = True,
    groups: Any = None,
    random_state: RandomState = None,
    labels: Sequence[Any] = (),
    min_class: MinClass = "refuse",
) -> Plan:
    """Each row tested once a repeat, in one of `folds` parts whose sizes differ by at most one.

    `codes` are class codes, or the number of rows where classes do not matter. Stratified, the rows of each class are
    spread as evenly as the rows as a whole. A class with fewer rows than folds is refused, because measures of it would
    be undefined in some folds; `min_class="allow"` spreads it as far as it goes. With `groups`, whole groups are dealt
    out, and sizes are as even as they allow. Without shuffling, folds are runs of neighbouring rows (within each class,
    where stratified).

    >>> plan = k_fold_plan([0, 0, 0, 0, 1, 1], folds=2, random_state=0)
    >>> plan.test_sizes.tolist(), plan.times_tested.tolist()
    ([3, 3], [1, 1, 1, 1, 1, 1])
    >>> [split.test.tolist() for split in k_fold_plan([0, 0, 0, 0, 1, 1], folds=2, shuffle=False)]
    [[0, 1, 4], [2, 3, 5]]
    """
    dealt = deal(codes, folds, repeats, stratified, shuffle, groups, random_state, labels, min_class)
    return checked(dealt.plan("k_fold"), dealt.classes, *dealt.findings)


def five_by_two_plan(
    codes: Any,
    *,
    stratified: bool = True,
    groups: Any = None,
    random_state: RandomState = None,
    labels: Sequence[Any] = (),
    min_class: MinClass = "refuse",
) -> Plan:
    """Five repeats of two folds, for the 5x2 tests.

    >>> plan = five_by_two_plan([0, 0, 0, 1, 1, 1], random_state=0)
    >>> len(plan), plan.repeats, plan.folds
    (10, 5, 2)
    """
    dealt = deal(codes, 2, 5, stratified, True, groups, random_state, labels, min_class)
    return checked(dealt.plan("5x2"), dealt.classes)


def nested_plan(
    codes: Any,
    *,
    folds: int = 10,
    repeats: int = 1,
    stratified: bool = True,
    groups: Any = None,
    random_state: RandomState = None,
    labels: Sequence[Any] = (),
    min_class: MinClass = "refuse",
) -> Plan:
    """K-fold splits, and for every two folds a split that trains on neither: nested cross-validation.

    A repeat has the K ordinary splits first (the same as those of `k_fold_plan` with this seed), then the pairs (0, 1),
    (0, 2), ... (K-2, K-1), numbered from K. A pair tests the rows of its first fold, then those of its second; each
    part in the order of its ordinary split. Source: Bates, Hastie and Tibshirani (2024), JASA 119:1434.

    >>> plan = nested_plan([0, 1] * 3, folds=3, random_state=0)
    >>> [int(f) for f in plan.fold], plan.test_sizes.tolist()
    ([0, 1, 2, 3, 4, 5], [2, 2, 2, 4, 4, 4])
    """
    folds = whole("folds", folds, least=3)
    dealt = deal(codes, folds, repeats, stratified, True, groups, random_state, labels, min_class)
    pairs = [(i, j) for i in range(folds) for j in range(i + 1, folds)]
    tests = []
    for numbers in dealt.numbers:
        ordinary = parts_of(numbers, folds)
        tests += ordinary + [np.concatenate([ordinary[i], ordinary[j]]) for i, j in pairs]
    splits = folds + len(pairs)
    plan = Plan(
        "nested",
        dealt.classes.n,
        np.concatenate(tests),
        starts_of([len(test) for test in tests]),
        np.repeat(np.arange(dealt.repeats), splits),
        np.tile(np.arange(splits), dealt.repeats),
        options=dealt.options,
        random_state=dealt.seed,
    )
    return checked(plan, dealt.classes)


def leave_one_out_plan(codes: Values, *, random_state: RandomState = None, labels: Sequence[Any] = ()) -> Plan:
    """Each row tested alone, by a model trained on all others.

    >>> plan = leave_one_out_plan([0, 0, 1, 1])
    >>> plan[2].train.tolist(), plan[2].test.tolist()
    ([0, 1, 3], [2])
    """
    classes = Classes.of(codes, labels)
    n = classes.n
    if n < 2:
        raise InputError("bad_plan", "one row cannot be both trained on and tested", cure="give at least two rows")
    rows = np.arange(n + 1)
    plan = Plan(
        "leave_one_out",
        n,
        rows[:-1],
        rows,
        np.zeros(n, dtype=np.int64),
        rows[:-1],
        random_state=recorded_seed(random_state),
    )
    return checked(plan, classes)


def leave_pair_out_plan(
    codes: Values,
    *,
    positive: int,
    pairs: int | None = None,
    random_state: RandomState = None,
    labels: Sequence[Any] = (),
) -> Plan:
    """Every pair of a positive and another row tested together, the positive first: an unbiased road to the AUC.

    `positive` is the code of the positive class. With `pairs`, that many different pairs are drawn at random, each
    positive and each other row in as equal a number of them as can be.

    >>> [split.test.tolist() for split in leave_pair_out_plan([0, 1, 0, 1], positive=1)]
    [[1, 0], [1, 2], [3, 0], [3, 2]]
    """
    classes = Classes.of(codes, labels)
    is_positive = classes.known == whole("positive", positive, least=0)
    ups, downs = np.flatnonzero(is_positive), np.flatnonzero(~is_positive)
    if not ups.size or not downs.size:
        which = f"of the positive class {classes.name(positive)}" if not ups.size else "outside the positive class"
        raise InputError("too_few_of_a_class", f"there is no row {which}", cure="give rows of both")
    there = len(ups) * len(downs)
    if pairs is None and there > _MOST_PAIRS:
        problem = f"{len(ups):,} positive and {len(downs):,} other rows make {there:,} pairs, each of them a fit"
        cure = f"ask for a part of them, as with pairs=10_000, or use folds; the most is {_MOST_PAIRS:,}"
        raise InputError("bad_plan", problem, cure=cure)
    wanted = there if pairs is None else min(whole("pairs", pairs, least=1, most=_MOST_PAIRS), there)
    seed = recorded_seed(random_state)
    if wanted < there:
        seed = seed_of(random_state) if seed is None else seed
        up, down = _even_pairs(len(ups), len(downs), wanted, Draws(seed))
    else:
        up, down = np.divmod(np.arange(there), len(downs))
    plan = Plan(
        "leave_pair_out",
        classes.n,
        np.column_stack([ups[up], downs[down]]).reshape(-1),
        np.arange(0, 2 * wanted + 1, 2),
        np.zeros(wanted, dtype=np.int64),
        np.arange(wanted),
        options={"positive": int(positive), "pairs": wanted, "of": there},
        random_state=seed,
    )
    return checked(plan, classes)


def _even_pairs(ups: int, downs: int, wanted: int, draws: Draws) -> tuple[Rows, Rows]:
    """Different pairs in which each number of either side comes as often as any other, or once more.

    Both sides are walked round together; whenever the walk has come back to its start, one side moves on by one.
    """
    step = np.arange(wanted)
    up = draws.order(ups)[step % ups]
    down = draws.order(downs)[(step + step // math.lcm(ups, downs)) % downs]
    sort = np.lexsort((down, up))
    return up[sort], down[sort]
