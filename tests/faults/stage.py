"""What all parts of the campaign share: a run to disturb, processes to disturb it in, and figures to print."""

from __future__ import annotations

import hashlib
import os
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import surefold as sf
from surefold.resampling.fold import Held
from surefold.resampling.ledger import Task
from surefold.resampling.store import Store
from tests.resampling.odd_models import Odd, Random, Slow

#: Times the usual number of kills, flips and rounds; FAULTS=10 for a night, FAULTS=0.1 for a look.
SCALE = float(os.environ.get("FAULTS", "1"))
#: The whole run is dead if it takes longer than this.
LONGEST = 120.0


def scaled(number: int, least: int = 1) -> int:
    return max(least, round(number * SCALE))


@dataclass(frozen=True)
class Figure:
    """One measured line: what was done, what came of it, and what must come of it."""

    part: str
    what: str
    value: str
    wanted: str
    passed: bool

    def __str__(self) -> str:
        return f"{'ok  ' if self.passed else 'FAIL'} {self.part}: {self.what}: {self.value} (wanted: {self.wanted})"


@dataclass(frozen=True)
class Case:
    """A run of two models over repeated folds; `seconds` is what a fit takes."""

    folder: Path
    folds: int = 20
    repeats: int = 5
    rows: int = 100
    seconds: float = 0.02

    @property
    def store(self) -> Path:
        return self.folder / "runs.db"

    @property
    def log(self) -> Path:
        return self.folder / "fits"

    @property
    def tasks(self) -> int:
        return 2 * self.folds * self.repeats

    @property
    def fits(self) -> int:
        return self.log.stat().st_size // 4 if self.log.exists() else 0

    def models(self) -> dict[str, Any]:
        kind: Any = SlowRandom if self.seconds else CountedRandom
        slow = {"seconds": self.seconds} if self.seconds else {}
        return {"a": kind(log=str(self.log), **slow), "b": (Slow if self.seconds else Odd)(log=str(self.log), **slow)}

    def run(self, **options: Any) -> str:
        """The whole run, and a digest of every prediction and score of it."""
        X, y = self.data()
        given: dict[str, Any] = {"store": self.store, "progress": False, "shortcut": False, **options}
        models = given.pop("models", None) or self.models()
        study = sf.cross_validate(
            models, given.pop("X", X), given.pop("y", y),
            **{"folds": self.folds, "repeats": self.repeats, "random_state": 11, **given},
        )  # fmt: skip
        return digest(study)

    def data(self) -> tuple[Any, Any]:
        rng = np.random.default_rng(5)
        X = rng.normal(size=(self.rows, 2)) + np.repeat([[0.0], [1.5]], self.rows // 2, axis=0)
        return X, np.repeat(["no", "yes"], self.rows // 2)

    def reference(self) -> str:
        """The digest of a run that nothing disturbs, without a store."""
        found = self.run(store=None)
        self.log.unlink(missing_ok=True)
        return found

    def done(self) -> set[Task]:
        """The folds that the store holds whole."""
        if not self.store.exists() or not self.store.stat().st_size:
            return set()
        with Store(self.store, read_only=True) as store:
            run = store.read_run("run") if "runs" in _tables(store) else None
            if run is None:
                return set()
            return {task for task, outcome in store.outcomes("run", run.facts["key"]) if isinstance(outcome, Held)}

    def clear(self) -> None:
        for file in self.folder.iterdir():
            file.unlink()


class SlowRandom(Random, Slow):
    """Takes its time, and draws from the global generators."""


class CountedRandom(Random):
    pass


def _tables(store: Store) -> set[str]:
    return {str(row[0]) for row in store.db.execute("SELECT name FROM sqlite_master")}


def digest(study: Any) -> str:
    found = hashlib.sha256()
    for name, each in sorted(study.items()):
        assert each.complete, each.status
        found.update(name.encode() + each.held.predicted.tobytes() + each.held.scores.tobytes())
        found.update(each.values("error_rate").tobytes())
    return found.hexdigest()


# processes


class Child:
    """A process that has all modules loaded already, so that it is at work at once."""

    def __init__(self, work: Callable[[], Any], folder: Path) -> None:
        self.answer = folder / f"answer{time.monotonic_ns()}"
        sys.stdout.flush()
        sys.stderr.flush()
        self.pid = os.fork()
        self.ended: int | None = None
        if self.pid:
            return
        try:
            os.setsid()
            self.answer.with_suffix(".part").write_text(str(work()))
            os.rename(self.answer.with_suffix(".part"), self.answer)
            os._exit(0)
        except BaseException:
            self.answer.with_suffix(".error").write_text(traceback.format_exc())
            os._exit(1)

    def kill(self) -> None:
        os.kill(self.pid, signal.SIGKILL)
        self.wait()

    def poll(self) -> int | None:
        if self.ended is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            self.ended = os.waitstatus_to_exitcode(status) if pid else None
        return self.ended

    def wait(self, seconds: float = LONGEST) -> int:
        until = time.monotonic() + seconds
        while self.poll() is None:
            if time.monotonic() > until:
                os.kill(self.pid, signal.SIGKILL)
                raise TimeoutError(f"nothing came within {seconds:g} s")
            time.sleep(0.002)
        assert self.ended is not None
        return self.ended

    def said(self) -> str:
        """What the work gave; the error where it raised."""
        error = self.answer.with_suffix(".error")
        if error.exists():
            text = error.read_text()
            error.unlink()
            raise AssertionError(text)
        text = self.answer.read_text()
        self.answer.unlink()
        return text


def in_child(work: Callable[[], Any], folder: Path) -> str:
    child = Child(work, folder)
    child.wait()
    return child.said()


@contextmanager
def stage(**options: Any) -> Iterator[Case]:
    with tempfile.TemporaryDirectory(prefix="surefold-faults-") as folder:
        yield Case(Path(folder), **options)


@contextmanager
def within(seconds: int) -> Iterator[None]:
    """Nothing may hang."""

    def late(*_: object) -> None:
        raise TimeoutError(f"nothing came within {seconds} s")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
