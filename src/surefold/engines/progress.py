"""Rows read, rows a second and the time left, on standard error, for people who wait."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator

__all__ = ["Advance", "is_shown", "rows_read"]

Advance = Callable[[float], None]


def is_shown(show: bool | None) -> bool:
    """Whether a line is shown: as asked, or else on a terminal."""
    return sys.stderr.isatty() if show is None else show


@contextlib.contextmanager
def rows_read(total: float, what: str, unit: str, show: bool | None) -> Iterator[Advance]:
    """Give a function that is told how much more was read. With `show=None` there is a line only on a terminal."""
    if not is_shown(show):
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, ProgressColumn, Task, TextColumn, TimeRemainingColumn
    from rich.text import Text

    class Speed(ProgressColumn):
        def render(self, task: Task) -> Text:
            done = f"{task.completed:,.0f} {unit}"
            seconds = task.elapsed or 0.0  # since it began: of the last moments parts that come in twos say too much
            speed = f", {task.completed / seconds:,.0f} a second" if task.completed and seconds else ""
            return Text(done + speed)

    columns = (TextColumn("{task.description}"), BarColumn(), Speed(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True, force_terminal=show), transient=True) as bar:
        task = bar.add_task(what, total=total)
        yield lambda more: bar.advance(task, more)
