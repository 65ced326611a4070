"""`--report`: the option, and the command as it can be given again."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from surefold.cli.output import note
from surefold.cli.places import Writes

__all__ = ["command_line", "report_option", "write_report"]


def report_option(
    otherwise: str | None = None, words: str = "Also write a page (HTML) about it."
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """`--report PATH`; with `otherwise`, the path may be left out: the command finds a free one of that name."""
    value: dict[str, Any] = {} if otherwise is None else {"is_flag": False, "flag_value": otherwise}
    return click.option("--report", metavar="PATH", type=Writes("the report", "page", otherwise), help=words, **value)


def write_report(result: Any, page: Path | None, source: str, sha256: str, path: str, quiet: bool) -> None:
    """The page, if one was asked for, and a note that says where it is."""
    if page is None:
        return
    from surefold.report.document import Source
    from surefold.report.html import report_of

    report_of(result, page, title=os.path.basename(source), source=Source(path, sha256, command_line()))
    note(f"Report: {page}", quiet)


def command_line() -> str:
    """What was typed, as far as it was typed and not left to its default."""
    context = click.get_current_context()
    words = context.command_path.split()
    options: list[str] = []
    for parameter in context.command.params:
        name = parameter.name or ""
        is_said = context.get_parameter_source(name) is ParameterSource.COMMANDLINE
        if not is_said or name not in context.params:
            continue
        value = context.params[name]
        if isinstance(parameter, click.Argument):
            words += [str(v) for v in (value if isinstance(value, tuple) else (value,))]
        elif isinstance(parameter, click.Option) and parameter.is_flag:
            options.append(parameter.opts[0])
        else:
            for each in value if isinstance(value, tuple) else (value,):
                options += [parameter.opts[0], str(each)]
    return shlex.join([*words, *options])
