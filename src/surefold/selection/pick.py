"""From what candidates did to one of them: the best, the simplest within one standard error, the simplest not worse."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

from surefold.errors import InputError
from surefold.estimates.estimate import Estimate
from surefold.resampling.row_losses import row_losses
from surefold.selection.candidates import Candidate
from surefold.selection.score import Floats, Score
from surefold.selection.search import Searched
from surefold.significance.paired_cases import mcnemar
from surefold.significance.paired_folds import corrected_t, paired_t

__all__ = ["RULES", "TIE_BREAKS", "Entry", "Picked", "pick"]

Rule = Literal["best", "one_se", "simplest"]
RULES = ("best", "one_se", "simplest")
TIE_BREAKS = ("speed", "size")
#: Values this close are equal but for rounding.
_EQUAL = 1e-12
#: What a fitted model may say of its size, the first one that all candidates have is compared.
_SIZES = ("leaves", "rules", "support_vectors", "coefficients", "members", "depth")


@dataclass(frozen=True, eq=False)
class Entry:
    """A candidate and what it did. `dropped_at` is the fold after which a race went on without it."""

    candidate: Candidate
    estimate: Estimate
    values: Floats = field(repr=False)
    fits: int = 0
    fit_seconds: float = math.nan
    predict_seconds: float = math.nan
    size: Mapping[str, float] = field(default_factory=dict)
    dropped_at: int | None = None
    reason: str = ""

    @property
    def name(self) -> str:
        """The name of the candidate."""
        return self.candidate.name

    @property
    def in_play(self) -> bool:
        """Whether it could be chosen."""
        return not self.reason


@dataclass(frozen=True, eq=False)
class Picked:
    """The table, best first, and who was chosen by each rule. `ordered_by` says what "simple" went by."""

    entries: tuple[Entry, ...]
    top: Entry
    one_se: Entry
    simplest: Entry | None
    chosen: Entry
    ordered_by: str


def pick(
    candidates: Sequence[Candidate],
    found: Searched,
    score: Score,
    *,
    rule: str,
    tie_break: str | None,
    confidence: float,
) -> Picked:
    """Judge what a search found."""
    by_name = {c.name: c for c in candidates}
    entries = [_entry(by_name[name], found, score, confidence) for name in found.results]
    order = sorted(entries, key=lambda e: (not e.in_play, _rank(e, score), e.candidate.place))
    playing = [e for e in order if e.in_play]
    simple, ordered_by = _by_simplicity(playing)
    top = _untied(playing, score, tie_break, simple)
    best = score.sign * top.estimate.value
    reach = top.estimate.se if math.isfinite(top.estimate.se) else 0.0
    one_se = next(e for e in simple if score.sign * e.estimate.value >= best - reach - _EQUAL)
    simplest = _simplest(simple, top, found, score, 1 - confidence)
    chosen: Entry | None = {"best": top, "one_se": one_se, "simplest": simplest}[rule]
    if chosen is None:
        problem = f"rule='simplest' has no test for {score.measure} on one set of rows"
        raise InputError("bad_option", problem, cure="use strategy='cross_validation', or rule='one_se'")
    shown = [top, *(e for e in order if e is not top)]
    return Picked(tuple(shown), top, one_se, simplest, chosen, ordered_by)


def _entry(candidate: Candidate, found: Searched, score: Score, confidence: float) -> Entry:
    r = found.results[candidate.name]
    why = found.unusable.get(candidate.name, "")
    nan = math.nan
    values = np.full(len(r.plan), nan)
    estimate = Estimate(nan, nan, nan, nan, confidence, "", len(r.plan), (), score.measure, why)
    if not why:
        try:
            values, estimate = score.values(r), score.estimate(r, confidence)
        except InputError as error:  # a race dropped it because it lacks what the measure needs
            estimate = replace(estimate, reason=error.problem)
    dropped = candidate.name in found.dropped
    sizes: dict[str, list[float]] = {}
    for notes in r.notes.values():
        for what, number in notes.get("size", {}).items():
            sizes.setdefault(what, []).append(float(number))
    return Entry(
        candidate,
        estimate,
        values,
        len(r.plan),
        _median(r.fit_seconds),
        _median(r.score_seconds),
        {what: float(np.median(each)) for what, each in sizes.items()},
        len(r.plan) if dropped else None,
        found.dropped.get(candidate.name, why),
    )


def _median(seconds: Floats) -> float:
    there = seconds[~np.isnan(seconds)]
    return float(np.median(there)) if there.size else math.nan


def _rank(e: Entry, score: Score) -> float:
    return -score.sign * e.estimate.value if e.estimate.defined else math.inf


def _by_simplicity(playing: Sequence[Entry]) -> tuple[list[Entry], str]:
    """Simple ones first: by a size that all of them have, else by the order in which they were listed."""
    shared = next((what for what in _SIZES if all(what in e.size for e in playing)), None)
    if shared is None:
        return sorted(playing, key=lambda e: e.candidate.place), "the order listed"
    return sorted(playing, key=lambda e: (e.size[shared], e.candidate.place)), shared.replace("_", " ")


def _untied(playing: Sequence[Entry], score: Score, tie_break: str | None, simple: Sequence[Entry]) -> Entry:
    """The best; among equals the first listed, or the fastest, or the smallest."""
    best = max(score.sign * e.estimate.value for e in playing)
    equal = [e for e in playing if score.sign * e.estimate.value >= best - _EQUAL]
    if tie_break == "speed":
        return min(equal, key=lambda e: (_seconds(e), e.candidate.place))
    if tie_break == "size":
        return min(equal, key=simple.index)
    return min(equal, key=lambda e: e.candidate.place)


def _seconds(e: Entry) -> float:
    total = e.fit_seconds + e.predict_seconds
    return math.inf if math.isnan(total) else total


def _simplest(simple: Sequence[Entry], top: Entry, found: Searched, score: Score, level: float) -> Entry | None:
    """The simplest candidate that no test finds worse than the best, each by itself, one-sided."""
    for e in simple:
        if e is top:
            return e
        p = _p_worse(e, top, found, score)
        if p is None:
            return None
        if p >= level:
            return e
    raise AssertionError("the best is among them")


def _p_worse(e: Entry, top: Entry, found: Searched, score: Score) -> float | None:
    """One-sided p of the candidate being worse than the best: corrected t over folds, by rows where there is one set.

    None where rows cannot tell: the measure is no mean over them.
    """
    plan = found.plan
    a, b = found.results[top.name], found.results[e.name]
    if len(plan) > 1:
        first, second = score.sign * top.values, score.sign * e.values
        df = a.degrees_of_freedom(len(first))
        return corrected_t(first, second, plan.train_sizes, plan.test_sizes, df, alternative="greater").p_value
    losses: list[Any] = [row_losses(r.held, score.measure, r.positive) for r in (a, b)]
    if losses[0] is None or losses[1] is None:
        return None
    gain = score.sign * (losses[0] - losses[1])
    if score.measure in ("accuracy", "error_rate"):
        won, lost = int((gain > 0).sum()), int((gain < 0).sum())
        both_sides = mcnemar(won, lost).p_value
        return both_sides / 2 if won > lost else 1 - both_sides / 2
    return paired_t(score.sign * losses[0], score.sign * losses[1], alternative="greater").p_value
