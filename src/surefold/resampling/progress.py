"""How far a run is and the time left, on standard error, for people who wait: a bar, or lines where there is none."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Callable, Iterator

__all__ = ["progress_bar"]

Advance = Callable[[int], None]

#: Seconds before the first line without a terminal, and at least between one line and the next.
FIRST, BETWEEN = 1.0, 10.0


@contextlib.contextmanager
def progress_bar(total: int, done: int, what: str, show: bool | None) -> Iterator[Advance]:
    """Give a function that is told how many are done.

    A bar comes on a terminal. Elsewhere there is nothing with `show=None`, and with True a line once in a while.
    """
    if show is False or (show is None and not sys.stderr.isatty()) or total - done < 2:
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    if not console.is_terminal:
        with _lines(total, done, what) as advance:
            yield advance
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(what, total=total, completed=done)
        yield lambda now: bar.update(task, completed=now)


@contextlib.contextmanager
def _lines(total: int, done: int, what: str) -> Iterator[Advance]:
    """A thread of its own, because a fit may take long: after a second, then at growing distances."""
    now, over, began = [done], threading.Event(), time.monotonic()
    out = sys.stderr  # while a model is fitted, what stands there is the log of its fold

    def tell() -> None:
        wait = FIRST
        while not over.wait(wait):
            seconds = time.monotonic() - began
            print(f"surefold: {_told(what, now[0], total, done, seconds)}", file=out, flush=True)
            wait = max(BETWEEN, seconds / 4)

    def advance(reached: int) -> None:
        now[0] = reached

    teller = threading.Thread(target=tell, name="surefold-progress", daemon=True)
    teller.start()
    try:
        yield advance
    finally:
        over.set()
        teller.join()


def _told(what: str, now: int, total: int, before: int, seconds: float) -> str:
    """How far it is, and how long it may take.

    >>> _told("tree", 30, 100, 10, 60.0), _told("tree", 0, 100, 0, 1.0)
    ('tree: 30 of 100, about 3 min 30 s left', 'tree: 0 of 100')
    """
    told = f"{what}: {now:,} of {total:,}"
    if now <= before:
        return told
    minutes, left = divmod(round(seconds / (now - before) * (total - now)), 60)
    return f"{told}, about {f'{minutes:,} min ' if minutes else ''}{left} s left"
