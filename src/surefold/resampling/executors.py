"""Where folds run: in this process, in worker processes that are watched, or wherever joblib was told to.

All three take tasks and give outcomes; none of them knows about stores.
"""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from surefold.errors import RunError
from surefold.resampling.classifier import Classifier
from surefold.resampling.dataset import Dataset
from surefold.resampling.fold import Failure, Held, run_fold
from surefold.resampling.ledger import Task
from surefold.resampling.plan import Plan
from surefold.resampling.shared import SharedFeatures
from surefold.resampling.worker import packed, receive

__all__ = ["Executor", "Here", "Joblib", "Pool", "Work", "limited_fold"]

Outcome = Held | Failure

#: Seconds that a worker which answers no more is given to end by itself.
LAST_WORDS = 2.0


def _sklearn_config() -> dict[str, Any]:
    from sklearn import get_config

    return dict(get_config())


@dataclass(frozen=True, eq=False)
class Work:
    """What all folds of a run share. `config` is scikit-learn's, which a thread or a worker does not inherit."""

    models: Mapping[str, Any]
    data: Dataset
    plan: Plan
    seed: int
    threads: int = 1
    fold_timeout: float | None = None
    max_memory: int | None = None
    config: Mapping[str, Any] = field(default_factory=_sklearn_config)


class Executor(Protocol):
    """`room` is how many more tasks it can take now."""

    @property
    def room(self) -> int:
        """How many more tasks it takes now."""

    @property
    def busy(self) -> int:
        """How many tasks are under way."""

    def submit(self, task: Task) -> None:
        """Take a task; it is begun now or when there is room."""

    def wait(self, seconds: float) -> Iterator[tuple[Task, Outcome]]:
        """Outcomes as they come, for at most so many seconds."""

    def close(self) -> None:
        """End what is under way and give everything back."""


class Here:
    """One fold after another, in this process."""

    def __init__(self, work: Work) -> None:
        from threadpoolctl import threadpool_limits

        self._work = work
        self._next: Task | None = None
        self._limits = threadpool_limits(work.threads)

    @property
    def room(self) -> int:
        """How many more tasks it takes now."""
        return 0 if self._next else 1

    @property
    def busy(self) -> int:
        """How many tasks are under way."""
        return 1 if self._next else 0

    def submit(self, task: Task) -> None:
        """Take a task; it is begun now or when there is room."""
        self._next = task

    def wait(self, seconds: float) -> Iterator[tuple[Task, Outcome]]:
        """Outcomes as they come, for at most so many seconds."""
        task = self._next
        if task is not None:
            w = self._work
            outcome = run_fold(w.models[task.model], w.data, w.plan, task.split, w.seed)
            self._next = None
            yield task, outcome

    def close(self) -> None:
        """End what is under way and give everything back."""
        self._limits.restore_original_limits()


@dataclass(eq=False)
class _Worker:
    process: subprocess.Popen[bytes]
    log: Any
    task: Task | None = None
    since: float = field(default_factory=time.monotonic)
    ready: bool = False
    ended: str = ""
    outbox: queue.SimpleQueue[bytes | None] = field(default_factory=queue.SimpleQueue)

    def talk(self) -> None:
        """Write to the worker from a thread of its own: it is slow to listen while it starts, and others wait."""
        with contextlib.suppress(OSError, ValueError):  # one that is gone is heard of by whoever listens
            while (message := self.outbox.get()) is not None:
                self.process.stdin.write(message)  # type: ignore[union-attr]
                self.process.stdin.flush()  # type: ignore[union-attr]

    def end(self, *, wait: bool = True) -> None:
        """Kill it and all that it started, and let go of what was held for it."""
        self.outbox.put(None)
        self.kill()
        if not wait:
            return
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            with contextlib.suppress(OSError):
                pipe.close()  # type: ignore[union-attr]
        self.log.close()

    def kill(self) -> None:
        """It leads a session of its own; its number is surely its own until it has been waited for."""
        if self.process.returncode is None:
            with contextlib.suppress(OSError):
                os.killpg(self.process.pid, signal.SIGKILL) if os.name == "posix" else self.process.kill()

    def mourn(self) -> None:
        """Wait until it has ended, then end what it started and left behind."""
        self.outbox.put(None)
        if hasattr(os, "waitid"):
            until = time.monotonic() + LAST_WORDS
            while time.monotonic() < until:
                with contextlib.suppress(OSError):
                    if os.waitid(os.P_PID, self.process.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is None:
                        time.sleep(0.005)
                        continue
                break
            self.kill()
        self.process.wait()

    def forget_log(self) -> None:
        """What compiled code wrote belongs to the fold that is over: the next begins with an empty log."""
        self.log.seek(0)
        self.log.truncate()


class Pool:
    """Worker processes, each watched: one that dies, hangs or runs out of memory costs its own fold and no other."""

    def __init__(self, work: Work, jobs: int) -> None:
        self._work, self._jobs = work, jobs
        _check_picklable(work.models)
        self._shared, light = SharedFeatures.of(work.data)
        self._payload = (dict(work.models), light, work.plan)
        self._settings = {
            "path": list(sys.path),
            "seed": work.seed,
            "threads": work.threads,
            "max_memory": work.max_memory,
            "shared": self._shared,
            "config": work.config,
        }
        try:
            self._greeting = packed(self._settings) + packed(self._payload)
        except Exception as error:
            raise _not_picklable("the data", error) from error
        self._heard: queue.SimpleQueue[tuple[_Worker, Any]] = queue.SimpleQueue()
        self._workers: list[_Worker] = []
        self._early_deaths = 0

    @property
    def room(self) -> int:
        """How many more tasks it takes now."""
        return self._jobs - self.busy

    @property
    def busy(self) -> int:
        """How many tasks are under way."""
        return sum(worker.task is not None for worker in self._workers)

    def submit(self, task: Task) -> None:
        """Take a task; it is begun now or when there is room."""
        worker = next((w for w in self._workers if w.task is None), None) or self._start()
        worker.task, worker.since = task, time.monotonic()
        worker.outbox.put(packed(tuple(task)))

    def wait(self, seconds: float) -> Iterator[tuple[Task, Outcome]]:
        """Outcomes as they come, for at most so many seconds."""
        until = time.monotonic() + seconds
        while True:
            left = self._patience(until)
            try:
                worker, message = self._heard.get(timeout=max(left, 0.001)) if left > 0 else self._heard.get_nowait()
            except queue.Empty:
                overdue = self._overdue()
                yield from overdue
                if overdue or time.monotonic() >= until:
                    return
                continue
            if worker not in self._workers:  # we ended it ourselves
                continue
            if isinstance(message, str) and message == "ready":
                worker.ready, worker.since = True, time.monotonic()
                self._early_deaths = 0
                continue
            task, worker.task = worker.task, None
            if message is None:
                self._workers.remove(worker)
                try:
                    message = self._obituary(worker)
                finally:
                    worker.end()
            else:
                worker.forget_log()
            if task is not None:
                yield task, message
                return

    def _patience(self, until: float) -> float:
        """Until the caller or the first overdue fold wants us back."""
        limit = self._work.fold_timeout
        ends = [until] if limit is None else [until, *(w.since + limit for w in self._workers if w.task and w.ready)]
        return min(ends) - time.monotonic()

    def _overdue(self) -> list[tuple[Task, Outcome]]:
        limit = self._work.fold_timeout
        found: list[tuple[Task, Outcome]] = []
        if limit is None:
            return found
        for worker in list(self._workers):
            if worker.task is not None and worker.ready and time.monotonic() - worker.since >= limit:
                found.append((worker.task, Failure("timeout", f"no answer within {limit:g} s")))
                self._workers.remove(worker)
                worker.end()
        return found

    def _start(self) -> _Worker:
        log = tempfile.TemporaryFile()  # noqa: SIM115 - it lives as long as the worker
        process = subprocess.Popen(
            [sys.executable, "-m", "surefold.resampling.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            start_new_session=True,  # Ctrl-C is ours to handle
            pass_fds=() if self._shared is None else (self._shared.descriptor,),
            env={**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)},
        )
        worker = _Worker(process, log)
        self._workers.append(worker)
        worker.outbox.put(self._greeting)
        threading.Thread(target=worker.talk, name="surefold-talker", daemon=True).start()
        threading.Thread(target=self._listen, args=(worker,), name="surefold-listener", daemon=True).start()
        return worker

    def _listen(self, worker: _Worker) -> None:
        try:
            while True:
                self._heard.put((worker, receive(worker.process.stdout)))  # type: ignore[arg-type]
        except Exception as error:
            if not isinstance(error, EOFError):
                worker.ended = f"{type(error).__name__}: {error}"
                worker.process.kill()
            worker.mourn()
            self._heard.put((worker, None))

    def _obituary(self, worker: _Worker) -> Failure:
        code = worker.process.returncode
        worker.log.seek(0)
        said = worker.log.read()[-4000:].decode("utf-8", "replace").strip()
        if worker.ended:
            how = worker.ended
        elif code < 0:
            with contextlib.suppress(ValueError):
                code = signal.Signals(-code).name
            how = f"ended by {code}" + (" (out of memory?)" if code == "SIGKILL" else "")
        else:
            how = f"exit status {code}"
        if not worker.ready:
            self._early_deaths += 1
            if self._early_deaths > 3:
                last = said.splitlines()[-1] if said else how
                problem = f"workers end before their first fold ({last})"
                raise RunError("not_picklable", problem, cure="use n_jobs=1, which runs in this process")
        return Failure("memory" if "MemoryError" in said else "died", how, said)

    def close(self) -> None:
        """End what is under way and give everything back."""
        for worker in self._workers:
            worker.end(wait=False)
        for worker in self._workers:
            worker.end()
        self._workers.clear()
        if self._shared is not None:
            self._shared.close()
            self._shared = None


def _check_picklable(models: Mapping[str, Any]) -> None:
    import cloudpickle

    for name, model in models.items():
        try:
            cloudpickle.dumps(model)
        except Exception as error:
            raise _not_picklable(name, error) from error


def _not_picklable(what: str, error: Exception) -> RunError:
    reason = str(error).strip().split("\n")[0][:200] or type(error).__name__
    return RunError(
        "not_picklable",
        f"{what} cannot be sent to a worker process ({reason})",
        cure="use n_jobs=1, which runs in this process",
    )


class Joblib:
    """Through whichever backend `joblib.parallel_config` has chosen: dask, threads, or another."""

    def __init__(self, work: Work, jobs: int | None) -> None:
        self._work, self._jobs = work, jobs
        self._batch: deque[Task] = deque()
        self._running: Iterator[tuple[Task, Outcome]] | None = None
        self._left = 0

    @property
    def room(self) -> int:
        """How many more tasks it takes now."""
        return 0 if self._left else 1_000_000

    @property
    def busy(self) -> int:
        """How many tasks are under way."""
        return self._left + len(self._batch)

    def submit(self, task: Task) -> None:
        """Take a task; it is begun now or when there is room."""
        self._batch.append(task)

    def wait(self, seconds: float) -> Iterator[tuple[Task, Outcome]]:
        """Outcomes as they come, for at most so many seconds."""
        from joblib import Parallel, delayed

        if self._running is None and self._batch:
            tasks = list(self._batch)
            self._batch.clear()
            self._left = len(tasks)
            w = self._work
            run = Parallel(n_jobs=self._jobs, return_as="generator_unordered")
            shared = (w.data, w.plan, w.seed, w.threads, w.config)
            jobs = (delayed(limited_fold)(task, w.models[task.model], *shared) for task in tasks)
            self._running = iter(run(jobs))
        if self._running is not None:
            try:
                outcome = next(self._running)
            except StopIteration:
                self._running, self._left = None, 0
                return
            self._left -= 1
            if self._left == 0:
                next(self._running, None)  # to its end, so that the backend puts its things away
                self._running = None
            yield outcome

    def close(self) -> None:
        """End what is under way and give everything back."""
        running, self._running = self._running, None
        if running is not None and hasattr(running, "close"):
            with warnings.catch_warnings():  # that folds are dropped is what closing means; they are run again later
                warnings.filterwarnings("ignore", category=UserWarning, module="joblib")
                running.close()


def limited_fold(
    task: Task, model: Classifier, data: Dataset, plan: Plan, seed: int, threads: int, config: Mapping[str, Any]
) -> tuple[Task, Outcome]:
    """One fold, with so many threads and scikit-learn's settings of the caller."""
    from sklearn import config_context

    with _LIMITS.of(threads), config_context(**config):
        return task, run_fold(model, data, plan, task.split, seed)


class _Limits:
    """Threads of numerical libraries while folds run in threads: the first in sets the limit, the last out lifts it.

    Each by itself would lift it while others still count on it. OpenMP counts for each thread apart.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._inside = 0
        self._limits: Any = None

    @contextlib.contextmanager
    def of(self, threads: int) -> Iterator[None]:
        from threadpoolctl import threadpool_limits

        with self._lock:
            if self._inside == 0:
                self._limits = threadpool_limits(threads, user_api="blas")
            self._inside += 1
        try:
            with threadpool_limits(threads, user_api="openmp"):
                yield
        finally:
            with self._lock:
                self._inside -= 1
                if self._inside == 0:
                    self._limits.restore_original_limits()


_LIMITS = _Limits()
