"""A bar with the time left, on standard error, for people who wait."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator

__all__ = ["progress_bar"]

Advance = Callable[[int], None]


@contextlib.contextmanager
def progress_bar(total: int, done: int, what: str, show: bool | None) -> Iterator[Advance]:
    """Give a function that is told how many are done. With `show=None` there is a bar only on a terminal."""
    if show is False or (show is None and not sys.stderr.isatty()) or total - done < 2:
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=total, completed=done)
        yield lambda now: bar.update(task, completed=now)
