"""Models that draw from the global generators of Python and numpy: the same draws for a fold wherever it runs.

A fold seeds the global generators for itself and puts them back. Threads share them, so two folds at once would draw
from each other. Folds in threads therefore run side by side without seeding, and each looks afterwards whether anyone
drew: if so its answer is thrown away and it runs again alone, seeded. Models that do not draw never notice.
"""

from __future__ import annotations

import random
import threading
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

__all__ = ["with_global_seed"]

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
    return one[0] == two[0] and all(np.array_equal(a, b) for a, b in zip(one[1], two[1], strict=True))


class _Gate:
    """Lets in many that do not draw, or one that does."""

    def __init__(self) -> None:
        self._free = threading.Condition()
        self._inside = 0
        self._alone = False
        self._drawn = False  # once a model has drawn, the next fold is not tried side by side first

    def run(self, words: tuple[int, int], work: Callable[[], T]) -> T:
        with self._free:
            self._free.wait_for(lambda: not self._alone)
            together = not self._drawn
            if together:
                self._inside += 1
                before = _states()
        if together:
            failed = True
            try:
                answer = work()
                failed = False
            except BaseException:
                if _same(before, _states()):
                    raise
            finally:
                with self._free:
                    self._drawn = self._drawn or not _same(before, _states())
                    drawn = self._drawn
                    self._inside -= 1
                    self._free.notify_all()
            if not drawn and not failed:
                return answer
        with self._free:
            self._free.wait_for(lambda: not self._alone and self._inside == 0)
            self._alone = True
        try:
            return _seeded(words, work)
        finally:
            with self._free:
                self._alone = False
                self._free.notify_all()


_GATE = _Gate()
