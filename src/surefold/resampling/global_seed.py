"""Models that draw from the global generators of Python and numpy: the same draws for a fold wherever it runs.

A fold seeds the global generators for itself and puts them back. Threads share them, so two folds at once would draw
from each other. Folds in threads therefore run side by side without seeding, and each looks afterwards whether anyone
drew: if so its answer is thrown away and it runs again alone, seeded. Models that do not draw never notice.

On a dask cluster the cluster's own threads draw from Python's generator whenever they like: there, models that use it
(and not numpy's) are not the same twice.
"""

from __future__ import annotations

import random
import sys
import threading
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

__all__ = ["with_global_seed"]

#: Seconds that a fold waits for those beside it to end.
LONGEST_WAIT = 3600.0
T = TypeVar("T")


def with_global_seed(words: tuple[int, int], work: Callable[[], T]) -> T:
    """Do the work as if the global generators had been seeded by two words for it alone."""
    if threading.current_thread() is threading.main_thread():
        return _seeded(words, work)
    return _GATE.run(words, work)


def _seeded(words: tuple[int, int], work: Callable[[], T]) -> T:
    before = _states()
    random.seed(words[0])
    np.random.seed(words[1])  # noqa: NPY002 - it is the global one that models draw from
    try:
        return work()
    finally:
        random.setstate(before[0])
        np.random.set_state(before[1])  # noqa: NPY002


def _states() -> tuple[Any, Any]:
    return random.getstate(), np.random.get_state()  # noqa: NPY002


def _same(one: tuple[Any, Any], two: tuple[Any, Any]) -> bool:
    ours = "distributed" in sys.modules or one[0] == two[0]
    return ours and all(np.array_equal(a, b) for a, b in zip(one[1], two[1], strict=True))


class _Gate:
    """Lets in many that do not draw, or one that does."""

    def __init__(self) -> None:
        self._free = threading.Condition()
        self._inside = 0
        self._alone = False
        self._drawn = False  # the last fold drew, so the next is not tried side by side first
        self._seedings = 0
        self._thread = threading.local()

    def run(self, words: tuple[int, int], work: Callable[[], T]) -> T:
        if getattr(self._thread, "inside", False):  # a model that itself runs folds: its thread is let in already
            with self._free:
                self._seedings += 1
            return _seeded(words, work)
        self._thread.inside = True
        try:
            answers: list[T] = []
            if self._side_by_side(work, answers):
                return answers[0]
            return self._by_itself(words, work)
        finally:
            self._thread.inside = False

    def _side_by_side(self, work: Callable[[], T], answers: list[T]) -> bool:
        """Whether the work was done and nobody drew meanwhile."""
        with self._free:
            self._free.wait_for(lambda: not self._alone)
            if self._drawn:
                return False
            self._inside += 1
            before, seedings = _states(), self._seedings

        def undisturbed() -> bool:
            return seedings == self._seedings and _same(before, _states())

        try:
            answers.append(work())
        except Exception:
            if undisturbed():
                raise
        finally:
            with self._free:
                fine = undisturbed()
                self._drawn = self._drawn or not fine
                self._inside -= 1
                self._free.notify_all()
        return fine and len(answers) == 1

    def _by_itself(self, words: tuple[int, int], work: Callable[[], T]) -> T:
        with self._free:
            if not self._free.wait_for(lambda: not self._alone and self._inside == 0, timeout=LONGEST_WAIT):
                raise RuntimeError("a fold that draws from the global generators could not be run alone")
            self._alone = True

        def watched() -> T:
            before = _states()
            try:
                return work()
            finally:
                self._drawn = not _same(before, _states())

        try:
            return _seeded(words, watched)
        finally:
            with self._free:
                self._alone = False
                self._free.notify_all()


_GATE = _Gate()
