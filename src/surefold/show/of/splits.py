"""What documents about runs over splits share: the estimates, the plan in words, the time it took."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefold.errors import InputError, RunError, UnknownNameError
from surefold.estimates.estimate import Estimate
from surefold.measures import catalogue
from surefold.resampling.bootstrapped import KINDS, Bootstrapped
from surefold.resampling.fold_values import FoldValues, fold_values
from surefold.resampling.plan import Plan
from surefold.resampling.resampled import Resampled
from surefold.resampling.study import Study

__all__ = [
    "MOST_SPLITS",
    "Result",
    "bootstrap_estimates",
    "chosen",
    "estimates_of",
    "fold_values_of",
    "parts_of",
    "plan_text",
    "seconds_of",
    "sizes_of",
    "split_rows",
]

Result = Resampled | Study | Bootstrapped
#: More splits than this (every pair left out) are not listed one by one.
MOST_SPLITS = 5_000


def parts_of(result: Result) -> list[Resampled]:
    """The models, each over the plan."""
    if isinstance(result, Study):
        return list(result.models.values())
    return [result.resampled if isinstance(result, Bootstrapped) else result]


def chosen(r: Resampled, measures: Sequence[str] | None) -> list[str]:
    """The measures to show: those asked for, under the names of the catalogue, or the headlines."""
    return list(r.headlines) if measures is None else [catalogue[name].name for name in measures]


def estimates_of(r: Resampled, measures: Sequence[str] | None = None) -> dict[str, Estimate]:
    """Each measure with its default interval; what cannot be had here is undefined, with the reason."""
    return {name: _or_reason(lambda name=name: r[name], name, r.confidence) for name in chosen(r, measures)}


def bootstrap_estimates(b: Bootstrapped, measure: str | None = None) -> dict[str, Estimate]:
    """The five estimates of one measure, by kind."""
    name = b.measure if measure is None else catalogue[measure].name
    return {kind: _or_reason(lambda kind=kind: b.estimate(kind, name), name, b.confidence) for kind in KINDS}


def _or_reason(ask: Any, name: str, confidence: float) -> Estimate:
    try:
        found: Estimate = ask()
    except UnknownNameError:
        raise
    except (InputError, RunError) as error:
        nan = math.nan
        flags = ("incomplete",) if error.code == "incomplete" else ()
        return Estimate(nan, nan, nan, confidence=confidence, flags=flags, name=name, reason=error.problem)
    return found


def fold_values_of(r: Resampled, name: str) -> FoldValues:
    """The values of the splits; all NaN, with the reason, where the model gives none."""
    try:
        found = fold_values(r.held, name, r.positive, {})
    except (InputError, RunError) as error:
        return FoldValues(np.full(len(r.plan), np.nan), dict.fromkeys(range(len(r.plan)), error.problem))
    reasons = {i: why for i, why in found.reasons.items() if i not in r.failures}
    return FoldValues(found.values, reasons | {i: str(failure) for i, failure in r.failures.items()})


def seconds_of(r: Resampled) -> dict[str, dict[str, float]] | None:
    """Median a split and total of fitting and of predicting; None where nothing was refitted."""
    if r.shortcut or not len(r.fit_seconds) or np.isnan(r.fit_seconds).all():
        return None

    def told(seconds: NDArray[np.float64]) -> dict[str, float]:
        there = seconds[~np.isnan(seconds)]
        return {"median": float(np.median(there)), "total": float(there.sum())}

    return {"fit": told(r.fit_seconds), "predict": told(r.score_seconds)}


def sizes_of(r: Resampled) -> dict[str, float]:
    """How large the fitted models are (leaves, depth, members, ...): the median over the splits."""
    told = [notes["size"] for notes in r.notes.values() if notes.get("size")]
    names = dict.fromkeys(name for size in told for name in size)
    return {name: float(np.median([size[name] for size in told if name in size])) for name in names}


def split_rows(r: Resampled, measures: Sequence[str] | None = None) -> Iterator[dict[str, Any]]:
    """One row a split; of nested folds the outer ones. `repeat` and `fold` count from one, as messages do."""
    found = {name: fold_values_of(r, name).values for name in chosen(r, measures)}
    for i in np.flatnonzero(r.outer).tolist():
        yield {
            "model": r.name,
            "split": i,
            "repeat": int(r.plan.repeat[i]) + 1,
            "fold": int(r.plan.fold[i]) + 1,
            "train_rows": int(r.plan.train_sizes[i]),
            "test_rows": int(r.plan.test_sizes[i]),
            "fit_seconds": _known(r.fit_seconds, i),
            "predict_seconds": _known(r.score_seconds, i),
            **{f"size_{name}": float(value) for name, value in r.notes.get(i, {}).get("size", {}).items()},
            "complete": i not in r.failures,
            "failure": str(r.failures[i]) if i in r.failures else "",
            **{name: _known(values, i) for name, values in found.items()},
        }


def _known(values: NDArray[np.float64], i: int) -> float | None:
    return float(values[i]) if i < len(values) and math.isfinite(values[i]) else None


def plan_text(plan: Plan) -> str:
    """The plan in words, its seed, and the beginning of its fingerprint."""
    options, n = plan.options, f"{plan.n:,} rows"
    tested = f"{int(plan.test_sizes[0]):,}"
    times = f", {plan.repeats} times" if plan.repeats > 1 else ""
    by_kind = {
        "k_fold": _folds(plan),
        "5x2": _folds(plan),
        "nested": f"nested: {options.get('folds', '')} folds of {n} and every two of them{times}",
        "leave_one_out": f"each of {n} left out alone",
        "leave_one_group_out": f"each of {options.get('groups', '')} groups of {n} left out",
        "leave_pair_out": f"{len(plan):,} pairs of {n} left out",
        "holdout": f"{tested} of {n} held out{times}",
        "shuffle_split": f"{tested} of {n} held out{times}",
        "bootstrap": f"{len(plan) - 1:,} samples of {n} drawn with replacement",
        "time_order": f"{len(plan)} folds of {n} in time order",
    }
    words = [by_kind.get(plan.kind, f"{len(plan):,} splits of {n}")]
    if "stratified" in options and plan.kind != "bootstrap":
        words.append("stratified" if options["stratified"] else "not stratified")
    if options.get("shuffle") is False:
        words.append("not shuffled")
    if "groups" in options and plan.kind != "leave_one_group_out":
        words.append(f"{options['groups']:,} groups kept together")
    if plan.random_state is not None:
        words.append(f"seed {plan.random_state}")
    return ", ".join([*words, f"splits {plan.fingerprint[:8]}…"])


def _folds(plan: Plan) -> str:
    return (
        f"{plan.repeats} x {plan.folds} folds of {plan.n:,} rows"
        if plan.repeats > 1
        else (f"{plan.folds} folds of {plan.n:,} rows")
    )
