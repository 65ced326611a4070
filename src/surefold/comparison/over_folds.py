"""Models of a study, compared over its splits by the test that its plan allows."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np

from surefold.comparison.family import Family
from surefold.comparison.judging import PairResult, checked_margin, judged
from surefold.comparison.result import Comparison
from surefold.comparison.winner import winner_of
from surefold.errors import InputError, RunError, UnknownNameError, refuse_unknown
from surefold.estimates.estimate import TestResult
from surefold.estimates.quantiles import normal_quantile
from surefold.measures import catalogue
from surefold.resampling.resampled import Resampled
from surefold.resampling.study import Study
from surefold.significance.bounds import NormalBounds
from surefold.significance.multiplicity import checked_adjustment
from surefold.significance.paired_folds import corrected_t, five_by_two_f, five_by_two_t, paired_t
from surefold.significance.signed_ranks import wilcoxon

__all__ = ["FOLD_TESTS", "compare_study"]

FOLD_TESTS = ("auto", "corrected_t", "paired_t", "five_by_two_t", "five_by_two_f", "wilcoxon")


def compare_study(
    study: Study,
    measure: str = "error_rate",
    test: str = "auto",
    *,
    control: str | None = None,
    margin: float | None = None,
    confidence: float = 0.95,
    adjust: str = "holm",
    **options: Any,
) -> Comparison:
    """Every pair of models, or each against a control, first minus second over the same splits; p adjusted (`adjust`).

    "auto" is the corrected t, with the degrees of freedom of the corrected interval, and over a 5 x 2 plan the F made
    for it. "paired_t" and "wilcoxon" take folds as independent and are flagged. `margin` is the largest difference
    that does not matter.
    """
    margin = checked_margin(margin)
    checked_adjustment(adjust)
    refuse_unknown("test over folds", test, FOLD_TESTS)
    _check(study, control)
    chosen = catalogue[measure]
    values = {name: each.values(measure, **options) for name, each in study.items()}
    for name, found in values.items():
        if np.isnan(found).any():
            raise InputError("undefined_folds", f"{measure} of {name} is undefined in {np.isnan(found).sum()} folds",
                             cure="compare by a measure that every fold has")  # fmt: skip
    pairs = combinations(study, 2) if control is None else [(name, control) for name in study if name != control]
    tests = {(a, b): partial(_tested, study[a], study[b], values[a], values[b], test) for a, b in pairs}
    lower = chosen.better == "lower"
    results = [_result(pair, tested, confidence) for pair, tested in tests.items()]
    shown = {name: each.interval(measure, confidence=confidence, **options) for name, each in study.items()}
    return Comparison(
        chosen.name,
        shown,
        judged(chosen, results, Family(confidence, adjust, margin), study.plan.n),
        chosen.better,
        control,
        margin,
        confidence,
        winner_of(
            shown, lower, confidence, lambda name, level: study[name].interval(measure, confidence=level, **options)
        ),
        adjust,
    )  # fmt: skip


def _result(pair: tuple[str, str], tested: Callable[[float], TestResult], confidence: float) -> PairResult:
    """The test of a pair, and the same at other confidences."""
    test = tested(confidence)
    return PairResult(pair, test, _bounds(test), again=lambda level: tested(level).effect)


def _bounds(test: TestResult) -> NormalBounds:
    """The standard error that a test over folds rests on, and its degrees of freedom."""
    e = test.effect
    if isinstance(e.df, int | float):
        return NormalBounds(e.value, e.value, e.se, float(e.df))
    half = (e.high - e.low) / 2
    spread = half / normal_quantile((1 + e.confidence) / 2) if math.isfinite(half) else math.nan
    return NormalBounds(e.value, e.value, spread)


def _check(study: Study, control: str | None) -> None:
    if len(study) < 2:
        raise InputError("bad_option", "one model has nothing to be compared with", cure="study two or more")
    if control is not None and control not in study:
        raise UnknownNameError("model", control, study)
    if not study.complete:
        raise RunError("incomplete", f"a comparison was asked of a study of which {study.status}",
                       cure="run the same call again with its store: only what is missing is run")  # fmt: skip
    plan = study.plan
    if plan.overlaps or len(plan) < 2 or (plan.test_sizes == 1).all() or plan.kind == "leave_pair_out":
        raise InputError("not_for_this_plan", f"a {plan.kind} plan has no folds whose values could be compared",
                         cure="use folds=10, repeats=10; or compare predictions of the same rows with sf.compare"
                         )  # fmt: skip


def _tested(a: Resampled, b: Resampled, first: Any, second: Any, test: str, confidence: float) -> TestResult:
    plan, is_five_by_two = a.plan, a.plan.kind == "5x2"
    chosen = test if test != "auto" else "five_by_two_f" if is_five_by_two else "corrected_t"
    if chosen.startswith("five_by_two"):
        if not is_five_by_two:
            raise InputError("not_for_this_plan", f"{chosen} needs five repeats of two folds", cure="use cv='5x2'")
        by_name = {"five_by_two_t": five_by_two_t, "five_by_two_f": five_by_two_f}
        found = by_name[chosen]((first - second).reshape(5, 2), confidence=confidence)
    elif chosen == "corrected_t":
        used = np.flatnonzero(a.outer)
        found = corrected_t(first, second, plan.train_sizes[used], plan.test_sizes[used],
                            a.degrees_of_freedom(len(first)), confidence=confidence)  # fmt: skip
    elif chosen == "paired_t":
        found = paired_t(first, second, confidence=confidence)
    else:
        found = wilcoxon(first, second, confidence=confidence)
        found = replace(found, flags=("naive_folds", *found.flags))
    if "no_spread" in found.flags and found.effect.value == 0:
        found = replace(found, effect=replace(found.effect, reason="identical in every fold"))
    learner = [flag for flag in ("neighbour_learner",) if flag in (*a.flags, *b.flags)]
    return replace(found, flags=tuple(dict.fromkeys((*learner, *found.flags))))
