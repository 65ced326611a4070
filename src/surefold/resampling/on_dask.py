"""Folds on a Dask cluster: the data are sent once to each worker, and one that dies costs its folds a second run.

joblib's own way sends what folds share to one worker; when that one dies, every fold that is left dies with it.
"""

from __future__ import annotations

import queue
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import CancelledError
from typing import Any

from surefold.resampling.executors import Outcome, Work, limited_fold
from surefold.resampling.fold import Failure
from surefold.resampling.ledger import Task

__all__ = ["OnDask"]

#: Folds that wait on the cluster for each of its threads.
AHEAD = 2
#: How often a fold is sent again because what it needs was lost with a worker.
RESENT = 5


class OnDask:
    """Takes tasks and gives outcomes through a client of Dask."""

    def __init__(self, work: Work, client: Any) -> None:
        self._work, self._client = work, client
        self._running: dict[str, tuple[Task, Any, int]] = {}  # by key: task, future, which sending of the data
        self._over: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._sendings, self._sent = 0, None
        self._lost: Counter[Task] = Counter()

    @property
    def room(self) -> int:
        """How many more tasks it takes now."""
        threads = int(sum(self._client.nthreads().values()))
        return max(AHEAD * max(threads, 1) - self.busy, 0)

    @property
    def busy(self) -> int:
        """How many tasks are under way."""
        return len(self._running)

    def submit(self, task: Task) -> None:
        """Take a task; it is begun now or when there is room."""
        if self._sent is None:
            w = self._work
            shared = (dict(w.models), w.data, w.plan, w.seed, w.threads, w.config)
            self._sendings += 1
            self._sent = self._client.scatter([shared], broadcast=True, hash=False)[0]
        future = self._client.submit(_fold, task, self._sent, pure=False)
        self._running[future.key] = (task, future, self._sendings)
        future.add_done_callback(lambda done: self._over.put(done.key))

    def wait(self, seconds: float) -> Iterator[tuple[Task, Outcome]]:
        """Outcomes as they come, for at most so many seconds."""
        until = time.monotonic() + seconds
        while self._running:
            try:
                key = self._over.get(timeout=max(until - time.monotonic(), 0.001))
            except queue.Empty:
                return
            if key not in self._running:
                continue
            task, future, sending = self._running.pop(key)
            outcome = self._outcome(task, future)
            if outcome is not None:
                yield task, outcome
                return
            if sending == self._sendings:
                self._sent = None  # its last copy is gone: send the data again
            self.submit(task)

    def _outcome(self, task: Task, future: Any) -> Outcome | None:
        """What came of a fold; None where it was lost with what it needs, and has to be sent again."""
        from distributed import KilledWorker

        try:
            found: Outcome = future.result()
            return found
        except CancelledError:
            self._lost[task] += 1
            return None if self._lost[task] <= RESENT else Failure("died", f"lost with its workers {RESENT} times")
        except KilledWorker as error:
            return Failure("died", f"workers of the cluster died on it ({error})")

    def close(self) -> None:
        """End what is under way and give everything back."""
        futures = [future for _, future, _ in self._running.values()]
        self._running.clear()
        if futures:
            self._client.cancel(futures, force=True)
        self._sent = None


def _fold(task: Task, shared: Any) -> Outcome:
    models, *rest = shared
    return limited_fold(task, models[task.model], *rest)[1]
