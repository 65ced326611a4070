"""Rows read, rows a second and the time left, on standard error, for people who wait."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator

__all__ = ["rows_read"]

Advance = Callable[[float], None]


@contextlib.contextmanager
def rows_read(total: float, what: str, unit: str, show: bool | None) -> Iterator[Advance]:
    """Give a function that is told how much more was read. With `show=None` there is a line only on a terminal."""
    if show is False or (show is None and not sys.stderr.isatty()):
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, ProgressColumn, Task, TextColumn, TimeRemainingColumn
    from rich.text import Text

    class Speed(ProgressColumn):
        def render(self, task: Task) -> Text:
            done = f"{task.completed:,.0f} {unit}"
            return Text(done if not task.speed else f"{done}, {task.speed:,.0f} a second")

    columns = (TextColumn("{task.description}"), BarColumn(), Speed(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True, force_terminal=show), transient=True) as bar:
        task = bar.add_task(what, total=total)
        yield lambda more: bar.advance(task, more)
