"""Options and output that commands share: stdout is the result alone, notes go to stderr."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from surefold.report.safe import plain_lines

__all__ = ["FORMATS", "note", "output_options", "say"]

FORMATS = ("table", "json", "csv", "md", "junit")


def output_options(formats: tuple[str, ...] = FORMATS) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """--format, --quiet and --debug."""

    def add(command: Callable[..., Any]) -> Callable[..., Any]:
        shape = click.option(
            "--format", "shape", type=click.Choice(formats), default="table", show_default=True, help="What to print."
        )
        quiet = click.option("--quiet", "-q", is_flag=True, help="No notes on stderr.")
        debug = click.option("--debug", is_flag=True, help="Show the traceback of an error.")
        return shape(quiet(debug(command)))

    return add


def say(text: str) -> None:
    """The result, on stdout: whatever it holds, a terminal obeys none of it."""
    click.echo(plain_lines(text))


def note(text: str, quiet: bool = False) -> None:
    """A line for the person, not for the pipe."""
    if not quiet:
        click.echo(plain_lines(text), err=True)
