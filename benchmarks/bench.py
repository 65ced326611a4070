"""What a benchmark is, and how it is timed."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["Bench", "Result", "best_of", "grown", "run"]

REPEATS = 3


@dataclass(frozen=True)
class Bench:
    """One piece of work, ours and the peer's, on the same data.

    `peer_share` is the part of the peer's work that is timed when all of it would take too long; its time is divided
    by that share, and the table says so.
    """

    name: str
    work: str
    peer: str
    at_least: float
    ours: Callable[[], Any]
    theirs: Callable[[], Any]
    input_bytes: int
    peer_share: float = 1.0


@dataclass(frozen=True)
class Result:
    bench: Bench
    our_seconds: float
    peer_seconds: float
    peak_over_input: float

    @property
    def ratio(self) -> float:
        return self.peer_seconds / self.our_seconds

    @property
    def reached(self) -> bool:
        return self.ratio >= self.bench.at_least


def best_of(work: Callable[[], Any], repeats: int = REPEATS) -> float:
    """The shortest of a few runs: what the work takes when nothing else is in the way."""
    times = []
    for _ in range(repeats):
        gc.collect()
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def run(bench: Bench) -> Result:
    """Ours and the peer's by turns after a first warm call of ours (imports), so that both meet the same machine."""
    bench.ours()
    ours, theirs = [], []
    for _ in range(REPEATS):
        ours.append(best_of(bench.ours, 1))
        theirs.append(best_of(bench.theirs, 1) / bench.peer_share)
    return Result(bench, min(ours), min(theirs), 1 + grown(bench.ours) / bench.input_bytes)


def grown(work: Callable[[], Any]) -> float:
    """Bytes of memory that the work makes this process hold at once, beyond what it held before (Linux)."""
    gc.collect()
    Path("/proc/self/clear_refs").write_text("5")  # the most that was held so far is forgotten
    before = _held("VmRSS")
    work()
    return max(_held("VmHWM") - before, 0.0)


def _held(what: str) -> float:
    lines = Path("/proc/self/status").read_text().splitlines()
    return float(next(line for line in lines if line.startswith(what)).split()[1]) * 1024
