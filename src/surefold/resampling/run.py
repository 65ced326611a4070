"""Run models over a plan: claim a fold, fit it, keep it, until every fold is settled."""

from __future__ import annotations

import contextlib
import hashlib
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from types import FrameType
from typing import Any

import numpy as np

from surefold.errors import InputError, RunError, is_text
from surefold.findings import Finding
from surefold.resampling.dataset import Dataset
from surefold.resampling.executors import Executor, Here, Joblib, Pool, Work
from surefold.resampling.fold import Failure, Held, Stopped, run_fold
from surefold.resampling.ledger import InMemory, Ledger, Task
from surefold.resampling.models import describe, versions
from surefold.resampling.plan import Plan
from surefold.resampling.progress import progress_bar
from surefold.resampling.runs import changes, plan_arrays, version_changes, with_versions
from surefold.resampling.store import Run, Store
from surefold.resampling.store_ledger import RunLedger

__all__ = ["Outcomes", "Settings", "Stopped", "run_models"]

Outcomes = dict[int, Held | Failure]

#: How often the store is read again before what cannot be read twice is called damaged.
ROUNDS = 3


@dataclass(frozen=True)
class Settings:
    """How to run, none of which may change what comes out."""

    n_jobs: int | None = None
    store: str | os.PathLike[str] | None = None
    run: str = "run"
    fold_timeout: float | None = None
    max_memory: int | None = None
    retries: int = 1
    threads: int = 1
    progress: bool | None = None
    allow_version_change: bool = False
    check_determinism: bool = False
    command: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        for name, least in (("fold_timeout", 0), ("max_memory", 0)):
            value = getattr(self, name)
            if value is not None and not (isinstance(value, int | float) and value > least):
                raise InputError(
                    "bad_option", f"{name}={value!r}", cure=f"give a number above {least}, or leave it out"
                )
        if not isinstance(self.retries, int) or self.retries < 0:
            raise InputError("bad_option", f"retries={self.retries!r}", cure="give a whole number from 0")
        if not isinstance(self.threads, int) or self.threads < 1:
            raise InputError("bad_option", f"threads={self.threads!r}", cure="give a whole number from 1")
        if not isinstance(self.run, str) or not self.run.strip() or not is_text(self.run):
            raise InputError("bad_option", f"run={self.run!r}", cure="name the run by text")
        if not isinstance(self.store, str | os.PathLike | None):
            raise InputError("bad_option", f"store={self.store!r}", cure="name a file, or leave it out")
        if not isinstance(self.n_jobs, int | None) or self.n_jobs == 0:
            raise InputError("bad_option", f"n_jobs={self.n_jobs!r}", cure="give a whole number; -1 uses every core")


def run_models(
    models: Mapping[str, Any], data: Dataset, plan: Plan, seed: int, settings: Settings
) -> tuple[dict[str, Outcomes], tuple[Finding, ...]]:
    """Every model on every split, and what was noticed on the way.

    Nothing is lost with a store: call it again with the same arguments and only what is missing is run.
    """
    work = Work(models, data, plan, seed, settings.threads, settings.fold_timeout, settings.max_memory)
    tasks = [Task(name, i) for i in range(len(plan)) for name in models]
    findings = _determinism(work) if settings.check_determinism else ()
    if settings.store is None:
        ledger = InMemory(tasks, settings.retries)
        with _stoppable():
            _work_off(ledger, work, settings, len(tasks))
        found = ledger.outcomes
    else:
        found, noticed = _with_store(settings.store, tasks, work, settings)
        findings += noticed
    by_model: dict[str, Outcomes] = {name: {} for name in models}
    for task, outcome in found.items():
        by_model[task.model][task.split] = outcome
    return by_model, findings


def _with_store(
    path: str | os.PathLike[str], tasks: list[Task], work: Work, settings: Settings
) -> tuple[dict[Task, Held | Failure], tuple[Finding, ...]]:
    with Store(path) as store:
        run, findings = _register(store, work, settings)
        if store.on_network:
            findings += (
                Finding.of(
                    "network_store",
                    f"{store.path} lies on a network file system: it is written with "
                    "a journal that is slower there, and safe.",
                ),
            )
        key, wanted = run.facts["key"], set(tasks)
        for i in range(ROUNDS):
            ledger = RunLedger(store, run.name, key, tasks, settings.retries, again=i == 0, registered=run.checksums)
            try:
                with _stoppable():
                    _work_off(ledger, work, settings, len(tasks))
            except (KeyboardInterrupt, Stopped) as stop:
                text = (
                    f"{ledger.settled} of {len(tasks)} folds are safe in {store.path}; the same call goes on from there"
                )
                stop.add_note(text)
                if isinstance(stop, Stopped):  # which ends without a traceback, and so without its note
                    print(f"surefold: {text}", file=sys.stderr, flush=True)
                raise
            finally:
                ledger.close()
            found = {task: outcome for task, outcome in store.outcomes(run.name, key) if task in wanted}
            if len(found) == len(wanted) and None not in found.values():
                store.checkpoint()
                return {task: outcome for task, outcome in found.items() if outcome is not None}, findings
        problem = f"{store.path} does not give back what was just written to it"
        raise RunError("store_damaged", problem, cure="check the disk, and start another store elsewhere")


def _register(store: Store, work: Work, settings: Settings) -> tuple[Run, tuple[Finding, ...]]:
    """The run in the store: a new one, or the same one again; anything else is refused with what changed."""
    data, plan = work.data, work.plan
    now = versions(work.models)
    key = hashlib.sha256(f"{data.fingerprint} {plan.fingerprint} {work.seed}".encode()).hexdigest()[:20]
    facts: dict[str, Any] = {
        "key": key,
        "data": data.fingerprint,
        "rows": data.n,
        "columns": [str(c) for c in data.columns],
        "labels": list(data.labels),
        "positive": data.positive,
        "plan": {
            "kind": plan.kind,
            "options": dict(plan.options),
            "fingerprint": plan.fingerprint,
            "random_state": plan.random_state,
            "overlaps": plan.overlaps,
        },
        "seed": work.seed,
        "versions": now,
        "command": None if settings.command is None else dict(settings.command),
        "created": time.time(),
    }
    described = {name: with_versions(describe(model), versions({name: model})) for name, model in work.models.items()}
    there = store.read_run(settings.run)
    findings: tuple[Finding, ...] = ()
    if there is not None:
        others = [name for name, facts_now in described.items() if there.models.get(name, facts_now) != facts_now]
        # a model of which nothing came may be mended
        if others and not store.guard(partial(changes, there, facts, {})):
            store.forget_idle(settings.run, others)
            there = store.read_run(settings.run)
    if there is not None:
        changed = store.guard(partial(changes, there, facts, described))
        versions_changed = store.guard(partial(version_changes, there, facts, described))
        if versions_changed and settings.allow_version_change:
            text = f"The run goes on with other versions than it began with: {'; '.join(versions_changed)}."
            findings += (Finding.of("version_changed", text),)
        elif versions_changed:
            changed += versions_changed
        if changed:
            cure = "name another run (run=, --run) or another store, and both are kept"
            if changed == versions_changed:
                cure += "; allow_version_change=True (--allow-version-change) goes on all the same"
            problem = f"run {settings.run!r} in {store.path} was made otherwise: {'; '.join(changed)}"
            raise RunError("changed_run", problem, cure=cure)
    arrays = {"truth": np.asarray(data.codes, dtype=np.int32), **plan_arrays(plan)}
    if data.weights is not None:
        arrays["weights"] = data.weights
    if data.groups is not None:
        arrays["groups"] = data.groups
    run = Run(settings.run, facts if there is None else there.facts, arrays, described)
    if there is None or not described.keys() <= there.models.keys():
        store.write_run(run)
        there = store.read_run(settings.run)  # another process may have been first: then it decides
        if there is None or changes(there, facts, described):
            problem = f"another process began run {settings.run!r} in {store.path} otherwise"
            raise RunError("changed_run", problem, cure="name another run (run=, --run) or another store")
    return Run(settings.run, there.facts, arrays, described, there.checksums), findings


def _work_off(ledger: Ledger, work: Work, settings: Settings, total: int) -> None:
    if ledger.settled == total:
        return
    executor = _executor(work, settings, total - ledger.settled)
    what = next(iter(work.models)) if len(work.models) == 1 else f"{len(work.models)} models"
    try:
        with progress_bar(total, ledger.settled, what, settings.progress) as advance:
            while True:
                while executor.room:
                    task = ledger.claim()
                    if task is None:
                        break
                    if isinstance(executor, Here) and ledger.needs_own_process(task):
                        with contextlib.suppress(RunError):  # a model that cannot be sent stays here
                            pool = Pool(work, 1)
                            executor.close()
                            executor = pool
                    executor.submit(task)
                if not executor.busy:
                    if not ledger.others_at_work():
                        return
                    time.sleep(0.1)
                for task, outcome in executor.wait(0.5):
                    ledger.record(task, outcome)
                advance(ledger.settled)
    finally:
        executor.close()


def _executor(work: Work, settings: Settings, left: int) -> Executor:
    from joblib import effective_n_jobs
    from joblib.parallel import get_active_backend

    backend, configured = get_active_backend()
    ours = type(backend).__name__ in ("LokyBackend", "SequentialBackend", "MultiprocessingBackend")
    watched = work.fold_timeout is not None or work.max_memory is not None
    if not ours:
        if watched:
            name = type(backend).__name__
            problem = f"fold_timeout and max_memory need workers of our own, and {name} is set"
            raise InputError("bad_option", problem, cure="leave them out, or leave the joblib backend out")
        client = getattr(backend, "client", None)
        if type(backend).__name__ == "DaskDistributedBackend" and client is not None:
            from surefold.resampling.on_dask import OnDask

            return OnDask(work, client)
        return Joblib(work, settings.n_jobs if settings.n_jobs is not None else configured)
    asked = settings.n_jobs if settings.n_jobs is not None else configured
    jobs = effective_n_jobs(asked)  # also for one last fold: who asked for workers does not want it in this process
    return Pool(work, min(jobs, left)) if jobs > 1 or watched else Here(work)


def _determinism(work: Work) -> tuple[Finding, ...]:
    """Fit the first split of each model twice and compare."""
    findings = []
    for name, model in work.models.items():
        one, two = (run_fold(model, work.data, work.plan, 0, work.seed) for _ in range(2))
        if isinstance(one, Held) and isinstance(two, Held):
            same = np.array_equal(one.predicted, two.predicted)
            if one.scores is not None and two.scores is not None:
                same = same and np.array_equal(one.scores, two.scores)
            if not same:
                text = f"{name}: fitting {work.plan.name_of(0)} twice gave different predictions; set its random_state."
                findings.append(Finding.of("not_deterministic", text, model=name))
    return tuple(findings)


@contextlib.contextmanager
def _stoppable() -> Iterator[None]:
    """Turn SIGTERM and SIGHUP into an exception while folds run, so that workers end and claims are given back."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(number: int, frame: FrameType | None) -> None:
        raise Stopped(number)

    names = ("SIGTERM", "SIGHUP")
    before = {}
    for name in names:
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
            before[number] = signal.signal(number, stop)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
