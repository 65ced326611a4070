"""Plans from elsewhere: scikit-learn's splitters, anything with split(), and lists of (train, test)."""

from __future__ import annotations

import copy
import re
import warnings
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from surefold.counting import verb
from surefold.errors import InputError, show
from surefold.findings import Finding
from surefold.given import Features, Values
from surefold.resampling.folds import k_fold_plan
from surefold.resampling.grouped import Groups
from surefold.resampling.options import RandomState, recorded_seed, seed_of
from surefold.resampling.plan import Plan, Rows
from surefold.resampling.training import Classes, checked

__all__ = ["plan_from_splitter"]


def plan_from_splitter(
    cv: Any,
    X: Any = None,
    codes: Any = None,
    y: Any = None,
    groups: Any = None,
    *,
    random_state: RandomState = None,
    labels: Sequence[Any] = (),
) -> Plan:
    """The splits of `cv`, checked, as a plan.

    `cv` is a number of folds (shuffled and stratified, as `k_fold_plan` makes them), an object with `split(X, y,
    groups)`, an iterable of (train, test) pairs of row numbers or masks, or a plan of these rows. A splitter that
    would draw from numpy's global state is given a seed instead, made from `random_state`. Where consecutive splits
    test every row once, they become one repeat; training rows that are all the others are not stored.

    >>> plan = plan_from_splitter([([0, 1], [2, 3]), ([2, 3], [0, 1])], codes=[0, 1, 0, 1])
    >>> plan.kind, plan.is_partition, plan.train_rows
    ('splitter', True, None)
    """
    classes = Classes.of(codes, labels)
    n = classes.n
    if isinstance(cv, Plan):
        if cv.n != n:
            raise InputError("bad_plan", f"the plan is of {cv.n:,} rows and there are {n:,}", cure="make it from these")
        return cv
    if isinstance(cv, (bool, np.bool_)):
        raise InputError(
            "bad_option", f"cv is {cv!r}", cure="give a number of folds, a splitter, or (train, test) pairs"
        )
    if isinstance(cv, (int, np.integer)):
        return k_fold_plan(codes, folds=int(cv), groups=groups, random_state=random_state, labels=labels)
    seed = recorded_seed(random_state)
    if _draws_globally(cv):
        seed = seed_of(random_state) if seed is None else seed
        cv = copy.copy(cv)
        cv.random_state = seed % 2**32
    pairs = _pairs(cv, X, codes if y is None else y, groups, n)
    tests, trains = [test for _, test in pairs], [train for train, _ in pairs]
    repeat, fold = _repeats(tests, n)
    plan = Plan.of(
        "splitter",
        n,
        tests=tests,
        trains=None if _all_others(pairs, n) else trains,
        repeat=repeat,
        fold=fold,
        options=_description(cv),
        random_state=seed,
    )
    held = None if groups is None else Groups.of(groups, n)
    return checked(plan, classes, *_coverage(plan), *_straddling(plan, held))


def _draws_globally(cv: Any) -> bool:
    """Whether a splitter would shuffle from numpy's global state."""
    return hasattr(cv, "split") and getattr(cv, "random_state", 0) is None and bool(getattr(cv, "shuffle", True))


def _pairs(cv: Any, X: Features, y: Values, groups: Values, n: int) -> list[tuple[Rows, Rows]]:
    if hasattr(cv, "split") and not isinstance(cv, (str, bytes)):
        name = type(cv).__name__
        try:
            with warnings.catch_warnings():
                # Ours says whether it mattered.
                warnings.filterwarnings("ignore", message="The groups parameter is ignored")
                found: list[Any] = list(cv.split(np.zeros((n, 1)) if X is None else X, y, groups))
        except (ValueError, TypeError) as error:
            raise InputError("bad_plan", f"{name} does not split these rows: {error}", cure="use another") from error
    elif isinstance(cv, Iterable) and not isinstance(cv, (str, bytes, dict)):
        name, found = "cv", list(cv)
    else:
        cure = "give a number of folds, an object with split(X, y, groups), or (train, test) pairs"
        raise InputError("bad_option", f"cv is {show(cv)}", cure=cure)
    return [_pair(item, i, name, n) for i, item in enumerate(found)]


def _pair(item: Any, i: int, name: str, n: int) -> tuple[Rows, Rows]:
    try:
        train, test = item
    except (TypeError, ValueError):
        problem = f"split {i + 1} of {name} is {show(item)}, not a pair"
        raise InputError("bad_plan", problem, cure="give (train, test) pairs of row numbers or masks") from None
    return _rows(train, i, name, n), _rows(test, i, name, n)


def _rows(part: object, i: int, name: str, n: int) -> Rows:
    rows = np.asarray(part)
    if rows.dtype.kind == "b":
        if rows.shape != (n,):
            problem = f"a mask in split {i + 1} of {name} has shape {rows.shape} and there are {n:,} rows"
            raise InputError("bad_plan", problem, cure="give masks with one value a row")
        return np.flatnonzero(rows)
    if rows.ndim != 1 or (rows.size and rows.dtype.kind not in "iu"):
        problem = f"a part of split {i + 1} of {name} is {show(part)}"
        raise InputError("bad_plan", problem, cure="give row numbers from 0, or masks of bools")
    return rows.astype(np.int64)


def _repeats(tests: list[Rows], n: int) -> tuple[Rows, Rows]:
    """Repeat and fold of each split, where every block of splits tests each row once; else one repeat."""
    ends = np.cumsum([len(test) for test in tests], dtype=np.int64)
    blocks = np.concatenate([[0], np.flatnonzero(ends % n == 0) + 1]) if n else np.zeros(1, dtype=np.int64)
    whole = len(blocks) > 1 and blocks[-1] == len(tests) and ends[-1] == n * (len(blocks) - 1)
    if whole:
        rows = np.sort(np.concatenate(tests).reshape(-1, n), axis=1)
        whole = bool((rows == np.arange(n)).all())
    if not whole:
        return np.zeros(len(tests), dtype=np.int64), np.arange(len(tests))
    repeat = np.repeat(np.arange(len(blocks) - 1), np.diff(blocks))
    return repeat, np.arange(len(tests)) - blocks[repeat]


def _all_others(pairs: list[tuple[Rows, Rows]], n: int) -> bool:
    """Whether every split trains once on each row that it does not test."""
    for train, test in pairs:
        if len(train) + len(test) != n:
            return False
        rows = np.concatenate([train, test])
        if rows.size and (rows.min() < 0 or rows.max() >= n or np.bincount(rows, minlength=n).max() > 1):
            return False
    return True


def _description(cv: Any) -> dict[str, Any]:
    """The class and the repr of a splitter, without addresses, which differ from run to run."""
    if not hasattr(cv, "split"):
        return {"splitter": "pairs"}
    text = re.sub(r" at 0x[0-9A-Fa-f]+", "", repr(cv))
    return {"splitter": type(cv).__name__, "repr": text if len(text) <= 200 else f"{text[:199]}…"}


def _coverage(plan: Plan) -> tuple[Finding, ...]:
    times, rows = np.unique(plan.times_tested, return_counts=True)
    if len(times) == 1:
        return ()
    never = int(rows[0]) if times[0] == 0 else 0
    left = f"{never:,} of {plan.n:,} rows {verb(never)} never tested"
    what = left if never else "Some rows are tested more often than others"
    tested = times[times > 0]
    often = f"{int(tested[0]):,}" if len(tested) == 1 else f"{int(tested[0]):,} to {int(tested[-1]):,}"
    sentence = f"{what}; {'the others' if never else 'rows'} are tested {often} times. Figures lean to those."
    coverage = [{"times": int(t), "rows": int(r)} for t, r in zip(times, rows, strict=True)]
    return (Finding.of("rows_not_tested", sentence, never=never, coverage=coverage),)


def _straddling(plan: Plan, held: Groups | None) -> tuple[Finding, ...]:
    """Groups of which a split trains on some rows and tests others."""
    if held is None:
        return ()
    across = [np.intersect1d(held.of_row[split.train], held.of_row[split.test]).size for split in plan]
    count = sum(1 for groups in across if groups)
    if not count:
        return ()
    first = plan.name_of(next(i for i, groups in enumerate(across) if groups))
    sentence = (
        f"{count:,} of {len(plan):,} splits train on some rows of a group and test others (first {first}, up to "
        f"{max(across):,} groups): what is learnt of a group flatters the model. Use a splitter that heeds groups."
    )
    return (Finding.of("groups_straddle", sentence, splits=count, most_groups=max(across)),)
