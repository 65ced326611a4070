"""kill -9 of the whole process, at random moments and at each named point, then the same call again."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

from surefold.resampling import executors, run, store
from surefold.resampling.ledger import Task
from surefold.resampling.store import Store
from surefold.resampling.store_ledger import RunLedger
from tests.resampling import odd_models

from .stage import Case, Child, Figure, in_child, scaled, stage

JOBS = (1, 2)


def figures() -> list[Figure]:
    found = []
    for jobs in JOBS:
        found += _random_moments(jobs)
        found += _named_points(jobs)
    return found


def _random_moments(jobs: int) -> list[Figure]:
    wanted, rng = scaled(60, 4), random.Random(jobs)
    kills = rounds = wrong = lost = refits = folds = 0
    excess = False
    with stage() as case:
        reference = case.reference()
        while kills < wanted:
            case.clear()
            killed, before = 0, set[Task]()
            while kills < wanted:
                child = Child(lambda: case.run(n_jobs=jobs), case.folder)
                time.sleep(rng.uniform(0.0, 0.6 if jobs == 1 else 1.4))
                if child.poll() is not None:
                    child.said()
                    break
                child.kill()
                killed, kills = killed + 1, kills + 1
                after = case.done()
                lost += len(before - after)
                before = after
            # the last one goes on in an interpreter that knows nothing of the others
            found = _afresh(case, jobs) if kills >= wanted else in_child(lambda: case.run(n_jobs=jobs), case.folder)
            rounds, folds = rounds + 1, folds + case.tasks
            wrong += found != reference
            if len(found) > len(reference):
                print(found)
            lost += case.tasks - len(case.done())
            refits += case.fits - case.tasks
            excess = excess or case.fits > case.tasks + killed * jobs
    part = f"kill -9, n_jobs={jobs}"
    return [
        Figure(part, "kills at random moments", f"{kills} in {rounds} runs of {folds // rounds} folds", "", True),
        Figure(part, "results that differ from an undisturbed run by a byte", f"{wrong}", "0", wrong == 0),
        Figure(part, "finished folds lost", f"{lost}", "0", lost == 0),
        Figure(part, "folds fitted again", f"{refits}", f"at most {kills * jobs}", not excess and refits >= 0),
    ]


def _afresh(case: Case, jobs: int) -> str:
    script = (
        "from pathlib import Path; from tests.faults.stage import Case; "
        f"print(Case(Path({str(case.folder)!r})).run(n_jobs={jobs}))"
    )
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    return found.stdout.strip() if found.returncode == 0 else found.stderr


# named points: the process kills itself at the n-th time it comes by


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(60)


class _Countdown:
    def __init__(self, at: int) -> None:
        self.left = at

    def now(self) -> bool:
        self.left -= 1
        return self.left == 0


def _around(owner: Any, name: str, at: int, *, before: bool = False, after: bool = False) -> None:
    work, countdown = getattr(owner, name), _Countdown(at)

    def wrapped(*arguments: Any, **options: Any) -> Any:
        now = countdown.now()
        if now and before:
            _die()
        found = work(*arguments, **options)
        if now and after:
            _die()
        return found

    setattr(owner, name, wrapped)


def _in_fit(at: int) -> None:
    """Through the clock that fits look at, because a changed class would be noticed as changed code."""
    countdown = _Countdown(20 * at)

    class Clock:
        @staticmethod
        def perf_counter() -> float:
            if countdown.now():
                _die()
            return time.perf_counter()

    vars(odd_models)["time"] = Clock


def _statements(at: int, words: str, *, during: float | None = None) -> None:
    """Die before the n-th statement that begins so, or that many seconds after it began."""
    countdown = _Countdown(at)

    class Deadly(sqlite3.Connection):
        def execute(self, sql: str, *arguments: Any) -> Any:
            if sql.strip().startswith(words) and countdown.now():
                if during is None:
                    _die()
                else:
                    threading.Timer(during, _die).start()
            return super().execute(sql, *arguments)

    def connected(path: str, *, uri: bool) -> sqlite3.Connection:
        return sqlite3.connect(
            path, uri=uri, timeout=60.0, isolation_level=None, check_same_thread=False, factory=Deadly
        )

    store._connected = connected


def _checkpoint(at: int, during: float) -> None:
    work, countdown = Store.write_fold, _Countdown(at)

    def wrapped(self: Store, *arguments: Any) -> None:
        work(self, *arguments)
        if countdown.now():
            threading.Timer(during, _die).start()
            for _ in range(200):
                self.db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                work(self, *arguments)
            _die()

    Store.write_fold = wrapped  # type: ignore[method-assign,assignment]


def _closing(during: float) -> None:
    work = Store.close

    def wrapped(self: Store) -> None:
        threading.Timer(during, _die).start()
        work(self)
        _die()

    Store.close = wrapped  # type: ignore[method-assign]


def _points(jobs: int, rng: random.Random) -> dict[str, Callable[[], None]]:
    at, short = rng.randint(2, 60), rng.uniform(0, 0.0008)
    fit: dict[str, Callable[[], None]] = {
        "before a fit": lambda: _around(executors, "run_fold", at, before=True),
        "in a fit": lambda: _around(executors, "run_fold", at, before=True),
        "after a fit": lambda: _around(executors, "run_fold", at, after=True),
    }
    if jobs == 1:
        fit["in a fit"] = lambda: _in_fit(at)
    else:
        fit = {
            "before a fit": lambda: _around(executors.Pool, "submit", at, before=True),
            "in a fit": lambda: _around(executors.Pool, "submit", at, after=True),
            "after a fit": lambda: _around(RunLedger, "record", at, before=True),
        }
    return {
        "while the store is made": lambda: _statements(rng.randint(1, 4), "CREATE TABLE"),
        "while the run is registered": lambda: _statements(1, "INSERT OR IGNORE INTO models"),
        "while signing in": lambda: _around(RunLedger, "_sign_in", 1, after=True),
        "in a claim": lambda: _statements(at, "INSERT INTO folds (run, model, split, state, owner"),
        "after a claim": lambda: _around(RunLedger, "claim", at, after=True),
        **fit,
        "before a commit": lambda: _around(Store, "write_fold", at, before=True),
        "in a transaction": lambda: _statements(at, "INSERT INTO folds (run, model, split, state, failures"),
        "just before COMMIT": lambda: _statements(2 * at, "COMMIT"),
        "inside COMMIT": lambda: _statements(2 * at, "COMMIT", during=short),
        "after a commit": lambda: _around(Store, "write_fold", at, after=True),
        "between two folds": lambda: _around(RunLedger, "claim", at, before=True),
        "in a checkpoint": lambda: _checkpoint(at, rng.uniform(0.0005, 0.02)),
        "while signing out": lambda: _around(RunLedger, "close", 1, before=True),
        "while closing": lambda: _closing(short),
        "while reading the result": lambda: _around(run, "_work_off", 1, after=True),
    }


def _named_points(jobs: int) -> list[Figure]:
    rng = random.Random(100 + jobs)
    wrong: list[str] = []
    excess, lost, kills, names = 0, 0, 0, set[str]()
    with stage(folds=10, repeats=4, seconds=0.002) as case:
        reference = case.reference()
        for _ in range(scaled(2)):
            for name in _points(jobs, rng):
                case.clear()
                install = _points(jobs, rng)[name]

                def work(install: Callable[[], None] = install) -> str:
                    install()
                    return case.run(n_jobs=jobs)

                child = Child(work, case.folder)
                if child.wait() != -signal.SIGKILL:
                    child.said()
                    wrong.append(f"{name} (was never come by)")
                    continue
                kills, names = kills + 1, names | {name}
                before = case.done()
                found = in_child(lambda: case.run(n_jobs=jobs), case.folder)
                if found != reference:
                    wrong.append(name)
                lost += len(before - case.done())
                excess += case.fits > case.tasks + jobs
    part = f"kill -9, n_jobs={jobs}"
    told = f"{len(wrong)}" + (f": {', '.join(wrong)}" if wrong else "")
    return [
        Figure(part, f"kills at {len(names)} named points ({', '.join(sorted(names))})", f"{kills}", "", True),
        Figure(part, "of these, results that differ by a byte", told, "0", not wrong),
        Figure(part, "of these, runs that lost a fold or fitted more than those under way", f"{lost + excess}", "0",
               lost + excess == 0),
    ]  # fmt: skip
