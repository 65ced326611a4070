"""What is still to do: the same questions to a run in memory and to a run in a store."""

from __future__ import annotations

from collections import deque
from typing import NamedTuple, Protocol

from surefold.resampling.fold import Failure, Held

__all__ = ["InMemory", "Ledger", "Task"]


class Task(NamedTuple):
    """One fit."""

    model: str
    split: int


class Ledger(Protocol):
    """Hands out tasks and keeps what came of them. `record` says whether a failed task is to be tried again."""

    def claim(self) -> Task | None:
        """A task that nobody works on; None where there is none now."""

    def record(self, task: Task, outcome: Held | Failure) -> bool:
        """Keep an outcome; whether the task will be tried again."""

    def give_back(self, task: Task) -> None:
        """A task that was claimed and not begun."""

    def others_at_work(self) -> bool:
        """Whether another process holds tasks of this run."""

    @property
    def settled(self) -> int:
        """How many tasks are done or have failed for good."""

    def needs_own_process(self, task: Task) -> bool:
        """Whether a task has taken a process with it before."""


class InMemory:
    """A run that nobody wants to resume."""

    def __init__(self, tasks: list[Task], retries: int) -> None:
        self._waiting = deque(tasks)
        self._tried: dict[Task, int] = {}
        self._retries = retries
        self.outcomes: dict[Task, Held | Failure] = {}

    def claim(self) -> Task | None:
        """The next task; None where all are claimed."""
        return self._waiting.popleft() if self._waiting else None

    def record(self, task: Task, outcome: Held | Failure) -> bool:
        """Keep an outcome; whether the task will be tried again."""
        tried = self._tried[task] = self._tried.get(task, 0) + 1
        if isinstance(outcome, Failure):
            if tried <= self._retries:
                self._waiting.append(task)
                return True
            outcome = Failure(outcome.kind, outcome.message, outcome.traceback, tried)
        elif tried > 1:
            outcome.notes["attempts"] = tried
        self.outcomes[task] = outcome
        return False

    def give_back(self, task: Task) -> None:
        """A task that was claimed and not begun comes next."""
        self._waiting.appendleft(task)

    def others_at_work(self) -> bool:
        """Never: memory is of one process."""
        return False

    @property
    def settled(self) -> int:
        """How many tasks are done or have failed for good."""
        return len(self.outcomes)

    def needs_own_process(self, task: Task) -> bool:
        """Never: nothing is known of earlier runs."""
        return False
