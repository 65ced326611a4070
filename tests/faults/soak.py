"""Thousands of folds: memory stays flat, and keeping a fold costs little beside fitting it."""

from __future__ import annotations

import os
import resource
import sqlite3
import time
from pathlib import Path
from typing import Any

import numpy as np

import surefold as sf
from surefold.resampling import store
from surefold.resampling.store import Store

from .stage import Figure, in_child, scaled, stage


class Trivial:
    """Says always the same."""

    def fit(self, X: Any, y: Any) -> Trivial:
        self.classes_ = np.array(["no", "yes"])
        return self

    def predict(self, X: Any) -> Any:
        return np.repeat(self.classes_[:1], len(X))

    def predict_proba(self, X: Any) -> Any:
        return np.full((len(X), 2), 0.5)


def figures() -> list[Figure]:
    folds, repeats = 50, scaled(100, 20)
    count = folds * repeats
    with stage() as case:
        bare, bare_cpu, _ = _numbers(in_child(lambda: _timed(case, folds, repeats, None), case.folder))
        sync = _sync(case.folder / "before")
        wall, cpu, grown = _numbers(in_child(lambda: _timed(case, folds, repeats, case.store), case.folder))
        sync = (sync + _sync(case.folder / "after")) / 2
        size = case.store.stat().st_size
        careless, _, _ = _numbers(in_child(lambda: _without_sync(case, folds, repeats), case.folder))
    added, computed, unsynced = (
        (t - less) / count * 1e3 for t, less in ((wall, bare), (cpu, bare_cpu), (careless, bare))
    )
    busy = os.getloadavg()[0] / (os.cpu_count() or 1)
    return [
        Figure("soak", "folds, each with its own transaction", f"{count:,}", "", True),
        Figure("soak", "memory grown after the first tenth", f"{grown / 1e6:.1f} MB", "below 20 MB", grown < 20e6),
        Figure("soak", "what a store adds to a fold", f"{added:.2f} ms", "below 1 ms: 1 % of 100 ms", added < 1.0),
        Figure("soak", "for comparison: the same with syncing off", f"{unsynced:.2f} ms", "", True),
        Figure("soak", "for comparison: processor time of it", f"{computed:.2f} ms", "", True),
        Figure("soak", "for comparison: a bare write and sync of 4 kB", f"{sync:.2f} ms", "", True),
        Figure("soak", "for comparison: processes waiting for each core meanwhile", f"{busy:.1f}", "", True),
        Figure("soak", "file size a fold", f"{size / count:,.0f} bytes", "", True),
    ]  # fmt: skip


def _numbers(told: str) -> tuple[float, float, float]:
    wall, cpu, grown = (float(word) for word in told.split())
    return wall, cpu, grown


def _without_sync(case: Any, folds: int, repeats: int) -> str:
    case.store.unlink()

    class Careless(sqlite3.Connection):
        def execute(self, sql: str, *arguments: Any) -> Any:
            return super().execute("PRAGMA synchronous = OFF" if "synchronous" in sql else sql, *arguments)

    def connected(path: str, *, uri: bool) -> sqlite3.Connection:
        return sqlite3.connect(path, uri=uri, isolation_level=None, check_same_thread=False, factory=Careless)

    store._connected = connected
    return _timed(case, folds, repeats, case.store)


def _timed(case: Any, folds: int, repeats: int, path: Path | None) -> str:
    """Seconds by the clock and of the processor, and bytes grown."""
    X, y = case.data()
    memory: list[int] = []
    write = Store.write_fold

    def watched(self: Store, *arguments: Any) -> None:
        write(self, *arguments)
        memory.append(_resident())

    Store.write_fold = watched  # type: ignore[method-assign,assignment]
    start, cpu = time.perf_counter(), time.process_time()
    sf.cross_validate(Trivial(), X, y, folds=folds, repeats=repeats, random_state=1, store=path, progress=False)
    grown = memory[-1] - memory[len(memory) // 10] if memory else 0
    return f"{time.perf_counter() - start} {time.process_time() - cpu} {grown}"


def _resident() -> int:
    with open("/proc/self/statm", encoding="ascii") as statm:
        return int(statm.read().split()[1]) * resource.getpagesize()


def _sync(path: Path, times: int = 300) -> float:
    descriptor = os.open(path, os.O_CREAT | os.O_WRONLY)
    start = time.perf_counter()
    for _ in range(times):
        os.write(descriptor, b"x" * 4096)
        os.fdatasync(descriptor)
    seconds = time.perf_counter() - start
    os.close(descriptor)
    return seconds / times * 1e3
