"""A search: every candidate over one plan, through the store, in full or as a race."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from surefold.errors import InputError, RunError
from surefold.findings import Finding
from surefold.resampling.dataset import Dataset
from surefold.resampling.evaluate import RunOptions
from surefold.resampling.fold_values import HeldOut
from surefold.resampling.plan import Plan
from surefold.resampling.resampled import Resampled
from surefold.resampling.run_study import run_study
from surefold.selection.candidates import Candidate
from surefold.selection.racing import FIRST_LOOK, behind
from surefold.selection.score import Floats, Score
from surefold.selection.splits import part_of

__all__ = ["Runner", "Searched", "assembled"]


@dataclass(frozen=True, eq=False)
class Searched:
    """What every candidate did: results over the folds it ran, and why some ran no further or cannot be judged."""

    plan: Plan
    results: Mapping[str, Resampled]
    dropped: Mapping[str, str] = field(default_factory=dict)
    unusable: Mapping[str, str] = field(default_factory=dict)

    @property
    def fits(self) -> int:
        """How many models were fitted."""
        return sum(len(each.plan) for each in self.results.values())

    @property
    def finished(self) -> dict[str, Resampled]:
        """The candidates that can be chosen."""
        left = {*self.dropped, *self.unusable}
        return {name: each for name, each in self.results.items() if name not in left}

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What was noticed in any run, each once."""
        return tuple({str(f): f for each in self.results.values() for f in each.noticed}.values())


@dataclass(frozen=True, eq=False)
class Runner:
    """Runs models over plans of the same rows, each part of the work under a name of its own in the store."""

    data: Dataset
    score: Score
    confidence: float
    options: RunOptions
    race: bool = False

    def run(self, models: Mapping[str, Any], plan: Plan, part: str) -> Mapping[str, Resampled]:
        """Models over a plan; `part` is added to the name of the run."""
        options = RunOptions(**{**self.options, "run": f"{self.options.get('run', 'run')} {part}"})
        return run_study(models, self.data, plan, self.confidence, options).models

    def search(self, candidates: Sequence[Candidate], plan: Plan, part: str) -> Searched:
        """Every candidate over every split, or as many as it takes."""
        models = {c.name: c.model for c in candidates}
        found = self._raced(models, plan, part) if self.race else Searched(plan, self.run(models, plan, part))
        judged = [name for name in found.results if name not in found.dropped]
        unusable = {name: why for name in judged if (why := self.score.is_defined(found.results[name]))}
        if len(unusable) == len(judged):
            first = next(iter(unusable))
            problem = f"no candidate can be judged; {first}: {unusable[first]}"
            raise RunError("incomplete", problem, cure="mend the models, use fewer folds, or choose by another measure")
        return replace(found, unusable={**found.unusable, **unusable})

    def _raced(self, models: Mapping[str, Any], plan: Plan, part: str) -> Searched:
        """Fold by fold: a block of folds up to the first look, then one at a time."""
        alive = dict(models)
        pieces: dict[str, list[tuple[Resampled, int]]] = {name: [] for name in models}
        dropped: dict[str, str] = {}
        ends = [min(FIRST_LOOK, len(plan)), *range(FIRST_LOOK + 1, len(plan) + 1)]
        start = 0
        for end in ends:
            if len(alive) == 1 and end > FIRST_LOOK:
                end = len(plan)  # nobody is left to be compared with
            block = part_of(plan, range(start, end))
            for name, each in self.run(alive, block, f"{part}, folds {start + 1}-{end}").items():
                pieces[name] += [(each, i) for i in range(end - start)]
            start = end
            if end == len(plan):
                break
            for name, why in self._losers({name: pieces[name] for name in alive}, plan, end).items():
                dropped[name] = why
                del alive[name]
        results = {
            name: assembled(name, plan if len(each) == len(plan) else part_of(plan, range(len(each))), each)
            for name, each in pieces.items()
        }
        return Searched(plan, results, dropped)

    def _losers(self, pieces: Mapping[str, list[tuple[Resampled, int]]], plan: Plan, seen: int) -> dict[str, str]:
        values: dict[str, Floats] = {}
        lost: dict[str, str] = {}
        for name, each in pieces.items():
            try:
                by_result = {id(r): self.score.values(r) for r, _ in each}
                values[name] = np.array([by_result[id(r)][i] for r, i in each])
            except InputError as error:
                lost[name] = error.problem
                continue
            if np.isnan(values[name]).any():
                failed = [f"{r.plan.name_of(i)} {r.failures[i]}" for r, i in each if i in r.failures]
                lost[name] = failed[0] if failed else f"{self.score.measure} is undefined in a fold"
                del values[name]
        if len(values) < 2:
            return lost if values else {}  # when all fail, the last word is that of the search
        sizes = plan.train_sizes[:seen].astype(float), plan.test_sizes[:seen].astype(float)
        late = behind(values, *sizes, sign=self.score.sign, folds=plan.folds, level=1 - self.confidence)
        return lost | {name: f"behind the leader, p = {p:.3g}" for name, p in late.items()}


def assembled(name: str, plan: Plan, pieces: Sequence[tuple[Resampled, int]]) -> Resampled:
    """One result over `plan` from splits of others: (result, its split) for each split of the plan."""
    if all(r is pieces[0][0] for r, _ in pieces) and len(pieces[0][0].plan) == len(plan):
        return replace(pieces[0][0], name=name)
    first = pieces[0][0]
    helds = [r.held.part(slice(int(r.held.starts[i]), int(r.held.starts[i + 1]))) for r, i in pieces]
    kinds = {held.score_kind for held, (r, i) in zip(helds, pieces, strict=True) if i not in r.failures}
    scores = None
    if len(kinds) == 1 and "none" not in kinds:
        shape = next(held.scores.shape[1:] for held in helds if held.scores is not None)
        blank = [np.full((len(held.truth), *shape), np.nan) if held.scores is None else held.scores for held in helds]
        scores = np.concatenate(blank)
    held = HeldOut(
        np.concatenate([each.truth for each in helds]),
        np.concatenate([each.predicted for each in helds]),
        scores,
        kinds.pop() if scores is not None else "none",
        plan.test_starts,
        first.labels,
        None if first.held.weights is None else np.concatenate([_weights(each) for each in helds]),
    )
    noticed = {str(f): f for r, _ in pieces for f in r.noticed}
    models = {r.name: r.model for r, _ in pieces}
    model = (
        first.model
        if len(models) == 1
        else {f"{who}: {key}": text for who, described in models.items() for key, text in described.items()}
    )
    return replace(
        first,
        name=name,
        plan=plan,
        held=held,
        model=model,
        fit_seconds=np.array([r.fit_seconds[i] for r, i in pieces]),
        score_seconds=np.array([r.score_seconds[i] for r, i in pieces]),
        failures={at: r.failures[i] for at, (r, i) in enumerate(pieces) if i in r.failures},
        notes={at: r.notes[i] for at, (r, i) in enumerate(pieces) if i in r.notes},
        noticed=tuple(noticed.values()),
    )


def _weights(held: HeldOut) -> Floats:
    if held.weights is None:
        raise AssertionError("results of the same rows have weights alike")
    return held.weights
