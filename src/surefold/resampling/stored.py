"""open_run(): a result as a store holds it, with nothing fitted and nothing written."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from surefold.errors import RunError, show
from surefold.findings import Finding
from surefold.resampling.bootstrapped import Bootstrapped
from surefold.resampling.fold import Failure, Held
from surefold.resampling.gather import gathered
from surefold.resampling.plan import Plan
from surefold.resampling.resampled import Resampled
from surefold.resampling.runs import stored_plan
from surefold.resampling.store import Run, Store
from surefold.resampling.study import Study
from surefold.resampling.training import training_findings

__all__ = ["chosen_run", "open_run"]

#: What facts of a model that are versions begin with.
_VERSION = "version of "


def open_run(store: str | os.PathLike[str], run: str | None = None) -> Resampled | Study | Bootstrapped:
    """The result of a run, read from its store; `run` may be left out where the store holds one.

    Folds that were never run, or whose record does not match its checksum, are missing, so the result says that it is
    incomplete. Several models make a `Study`, bootstrap samples of one a `Bootstrapped`.
    """
    with Store(store, read_only=True) as opened:
        found = chosen_run(opened, run)
        return opened.guard(lambda: _result(found, _outcomes(opened, found)))


def _result(found: Run, outcomes: Mapping[str, Mapping[int, Held | Failure]]) -> Resampled | Study | Bootstrapped:
    plan = stored_plan(found)
    results = {name: _resampled(name, found, plan, each) for name, each in outcomes.items()}
    command = found.facts.get("command") or {}
    if len(results) > 1 or len(command.get("models", ())) > 1:
        return Study(plan, results)
    (only,) = results.values()
    if plan.kind == "bootstrap":
        return Bootstrapped(only, str(command.get("measure") or "error_rate"))
    return only


def chosen_run(store: Store, name: str | None = None) -> Run:
    """The run of that name, or the only one."""
    names = store.run_names()
    if not names:
        raise RunError("unknown_run", f"{store.path} holds no run", cure="start one with that store")
    if name is None and len(names) > 1:
        problem = f"{store.path} holds {len(names)} runs: {_listed(names)}"
        raise RunError("unknown_run", problem, cure="say which (run=, --run)")
    asked = names[0] if name is None else name
    run = store.read_run(asked)
    if run is None:
        problem = f"{store.path} holds no run {show(asked)}; there is {_listed(names)}"
        raise RunError("unknown_run", problem, cure="name one of them (run=, --run)")
    if not run.models:
        problem = f"run {show(asked)} in {store.path} names no model"
        raise RunError("store_damaged", problem, cure="start the run again, in another store")
    return run


def _listed(names: list[str]) -> str:
    return ", ".join(map(show, names[:8])) + ("…" if len(names) > 8 else "")


def _outcomes(store: Store, run: Run) -> dict[str, dict[int, Held | Failure]]:
    splits = len(run.arrays["plan_test_starts"]) - 1
    nothing = Failure("not_run", "it has not been run yet")
    found: dict[str, dict[int, Held | Failure]] = {name: dict.fromkeys(range(splits), nothing) for name in run.models}
    for task, outcome in store.outcomes(run.name, run.facts["key"]):
        if task.model not in found or not 0 <= task.split < splits:
            continue
        spoilt = Failure("not_run", "its record does not match its checksum")
        found[task.model][task.split] = spoilt if outcome is None else outcome
    return found


def _resampled(name: str, run: Run, plan: Plan, outcomes: Mapping[int, Held | Failure]) -> Resampled:
    facts, arrays = run.facts, run.arrays
    command = facts.get("command") or {}
    truth, labels = np.asarray(arrays["truth"], dtype=np.intp), tuple(facts["labels"])
    weights, groups = arrays.get("weights"), arrays.get("groups")
    described = _text(run.models[name])
    versions = {key.removeprefix(_VERSION): value for key, value in described.items() if key.startswith(_VERSION)}
    known = [Finding(**finding) for finding in command.get("noticed", ())]
    return Resampled(
        name,
        plan,
        positive=facts["positive"],
        groups=None if groups is None else np.asarray(groups, dtype=np.intp),
        noticed=(*known, *training_findings(plan, truth, labels)),
        seed=int(facts["seed"]),
        model={key: value for key, value in described.items() if not key.startswith(_VERSION)},
        versions=versions or _text(facts["versions"]),
        confidence=float(command.get("confidence", 0.95)),
        **gathered(outcomes, plan, truth, labels, weights),
    )


def _text(values: Mapping[str, Any]) -> dict[str, str]:
    return {str(name): str(value) for name, value in values.items()}
