"""Thousands of folds: memory stays flat, and keeping a fold costs little beside fitting it."""

from __future__ import annotations

import os
import resource
import time
from pathlib import Path
from typing import Any

import numpy as np

import surefold as sf
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
    with stage() as case:
        bare = float(in_child(lambda: _timed(case, folds, repeats, None)[0], case.folder))
        told = in_child(lambda: "{} {}".format(*_timed(case, folds, repeats, case.store)), case.folder)
        sync = _sync(case.folder / "bare")
        size = case.store.stat().st_size
    seconds, grown = (float(word) for word in told.split())
    count = folds * repeats
    overhead, fold = (seconds - bare) / count * 1e3, bare / count * 1e3
    return [
        Figure("soak", "folds, each with its own transaction", f"{count:,}", "", True),
        Figure("soak", "memory grown after the first tenth", f"{grown / 1e6:.1f} MB", "below 20 MB", grown < 20e6),
        Figure("soak", "what a store adds to a fold", f"{overhead:.2f} ms (a bare sync of 4 kB here: {sync:.2f} ms; "
               f" a fold without a store: {fold:.2f} ms)", "below 1 ms, 1 % of a 100 ms fit", overhead < 1.0),
        Figure("soak", "file size a fold", f"{size / count:,.0f} bytes", "", True),
    ]  # fmt: skip


def _timed(case: Any, folds: int, repeats: int, store: Path | None) -> tuple[float, int]:
    X, y = case.data()
    memory: list[int] = []
    write = Store.write_fold

    def watched(self: Store, *arguments: Any) -> None:
        write(self, *arguments)
        memory.append(_resident())

    Store.write_fold = watched  # type: ignore[method-assign]
    start = time.perf_counter()
    sf.cross_validate(Trivial(), X, y, folds=folds, repeats=repeats, random_state=1, store=store, progress=False)
    seconds = time.perf_counter() - start
    return seconds, memory[-1] - memory[len(memory) // 10] if memory else 0


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
