"""Which rows a level trains on, chooses by and tests, decided before anything is fitted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from surefold.errors import InputError
from surefold.resampling.dataset import Dataset
from surefold.resampling.dealing import NO_CLASSES_CURE
from surefold.resampling.folds import k_fold_plan
from surefold.resampling.holdout import holdout_plan, three_way
from surefold.resampling.options import whole
from surefold.resampling.plan import Plan, Rows

__all__ = ["Layout", "Sizes", "layout_of", "part_of"]

#: Streams of the seed: the outer folds, and the searches within them.
_OUTER, _INNER = 0x6F757465, 0x696E6E65


@dataclass(frozen=True)
class Sizes:
    """What was asked of the splits."""

    folds: int = 10
    repeats: int = 1
    test_size: float | int | None = 0.25
    validation_size: float | int = 0.25
    outer_folds: int = 10
    outer_repeats: int = 1


@dataclass(frozen=True, eq=False)
class Layout:
    """Plans of the searches, the one that chooses the shipped model first; and where chosen models are tested.

    Nested, search 1 + i chooses the model that split i of `tests` tests. Without `tests` the search's own figure is all
    there is.
    """

    searches: tuple[Plan, ...]
    tests: Plan | None

    @property
    def final(self) -> Plan:
        """The splits of the search over all rows, whose winner is kept."""
        return self.searches[0]

    @property
    def is_nested(self) -> bool:
        """Whether the choice is made again in each outer fold."""
        return len(self.searches) > 1

    def fits(self, candidates: int) -> int:
        """Fits of a full search, without the last one on all rows."""
        chosen = 0 if self.tests is None else len(self.tests)
        return candidates * sum(len(plan) for plan in self.searches) + chosen


def layout_of(strategy: str, data: Dataset, sizes: Sizes, seed: int) -> Layout:
    """The splits of a level; `InputError` where there are too few rows for it."""
    named: dict[str, Any] = {"groups": data.groups, "random_state": seed, "labels": data.labels}
    everything = np.arange(data.n)
    if strategy == "zero":
        options = {"tested": "the rows trained on"}
        plan = Plan.of(
            "apparent",
            data.n,
            tests=[everything],
            trains=[everything],
            options=options,
            random_state=seed,
            overlaps=True,
        )
        return Layout((plan,), None)
    if strategy in ("quick", "standard"):
        return Layout((holdout_plan(data.codes, test=_asked(sizes.test_size), **named),), None)
    if strategy == "train_validation_test":
        parts = three_way(data.codes, validation=sizes.validation_size, test=_asked(sizes.test_size), **named)
        return Layout((parts.selection,), parts.final)
    if strategy == "cross_validation":
        if sizes.test_size is None:
            return Layout((_folds_of(data, everything, sizes, seed),), None)
        tests = holdout_plan(data.codes, test=sizes.test_size, **named)
        return Layout((_folds_of(data, tests.train(0), sizes, seed),), tests)
    outer_folds = whole("outer_folds", sizes.outer_folds, least=2)
    outer_repeats = whole("outer_repeats", sizes.outer_repeats, least=1)
    outer = k_fold_plan(
        data.codes, folds=outer_folds, repeats=outer_repeats, **{**named, "random_state": _child(seed, _OUTER)}
    )
    inner = [_folds_of(data, outer.train(i), sizes, _child(seed, _INNER, i)) for i in range(len(outer))]
    return Layout((_folds_of(data, everything, sizes, seed), *inner), outer)


def _asked(size: float | int | None) -> float | int:
    if size is None:
        problem = "test_size=None leaves no rows to test, which only cross_validation can do"
        raise InputError("bad_option", problem, cure="give a share such as 0.25, or strategy='cross_validation'")
    return size


def _child(seed: int, *stream: int) -> int:
    words = np.random.SeedSequence(seed, spawn_key=stream).generate_state(2)
    return int(words[0]) << 31 | int(words[1]) >> 1


def _folds_of(data: Dataset, rows: Rows, sizes: Sizes, seed: int) -> Plan:
    """Folds of some of the rows, as a plan of all of them."""
    try:
        dealt = k_fold_plan(
            data.codes[rows],
            folds=sizes.folds,
            repeats=sizes.repeats,
            groups=None if data.groups is None else data.groups[rows],
            random_state=seed,
            labels=data.labels,
        )
    except InputError as error:
        if error.code != "too_few_of_a_class" or error.cure == NO_CLASSES_CURE:
            raise
        where = "" if len(rows) == data.n else f" (among the {len(rows):,} rows that choose)"
        raise InputError(
            error.code, f"{error.problem}{where}", cure="use fewer folds, hold out less, or merge or drop that class"
        ) from None
    if len(rows) == data.n:
        return dealt
    return Plan.of(
        dealt.kind,
        data.n,
        tests=[rows[split.test] for split in dealt],
        trains=[rows[split.train] for split in dealt],
        repeat=dealt.repeat,
        fold=dealt.fold,
        options=dealt.options,
        random_state=seed,
        findings=dealt.findings,
    )


def part_of(plan: Plan, splits: Sequence[int]) -> Plan:
    """Some splits of a plan, with the repeat and fold that their seeds go by."""
    chosen = np.asarray(splits, dtype=np.int64)
    trains = None if plan.train_rows is None else [plan.train(int(i)) for i in chosen]
    return Plan.of(
        plan.kind,
        plan.n,
        tests=[plan.test(int(i)) for i in chosen],
        trains=trains,
        repeat=plan.repeat[chosen],
        fold=plan.fold[chosen],
        options=plan.options,
        random_state=plan.random_state,
        overlaps=plan.overlaps,
        findings=plan.findings,
    )
