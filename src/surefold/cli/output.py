"""Options and output that commands share: stdout is the result alone, notes go to stderr."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import click

from surefold.numbers import MINUS
from surefold.show.names import plain_lines

if TYPE_CHECKING:
    from surefold.show.write.terminal import Look

__all__ = ["FORMATS", "emit", "look", "note", "output_options", "say"]

FORMATS = ("table", "json", "csv", "md", "tex", "junit")
_KEPT = "surefold.output"


def output_options(
    formats: tuple[str, ...] = FORMATS, width: str = "--width"
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """--format, --width (a command may have that name for something else), --color, --quiet and --debug."""

    def add(command: Callable[..., Any]) -> Callable[..., Any]:
        shape = click.option(
            "--format", "shape", type=click.Choice(formats), default="table", show_default=True, help="What to print."
        )
        wide = click.option(
            width,
            "output_width",
            type=click.IntRange(20),
            metavar="N",
            expose_value=False,
            callback=_keep,
            help="Columns of the text.  [default: the terminal's, else 80]",
        )
        colour = click.option(
            "--color",
            type=click.Choice(["auto", "always", "never"]),
            default="auto",
            expose_value=False,
            callback=_keep,
            help="Colours: where a terminal shows them, always, or never.",
        )
        quiet = click.option("--quiet", "-q", is_flag=True, help="No notes on stderr.")
        debug = click.option("--debug", is_flag=True, help="Show the traceback of an error.")
        return shape(wide(colour(quiet(debug(command)))))

    return add


def _keep(context: click.Context, option: click.Parameter, value: object) -> None:
    """Options of the output alone are no business of a command."""
    context.meta.setdefault(_KEPT, {})[option.name] = value


def look() -> Look:
    """How text is to look here: --width and --color, else what the terminal is like."""
    from surefold.show.write.terminal import Look

    context = click.get_current_context(silent=True)
    kept = {} if context is None else context.meta.get(_KEPT, {})
    return Look.here(kept.get("output_width"), _in_colour(kept.get("color", "auto")))


def _in_colour(asked: str) -> bool:
    """Only on a terminal that shows colours, unless they were asked for; never where NO_COLOR says so."""
    if asked != "auto":
        return asked == "always"
    if os.environ.get("NO_COLOR") or os.environ.get("TERM", "") in ("", "dumb"):
        return False
    return bool(sys.stdout.isatty())


def emit(
    result: Any,
    shape: str,
    facts: Mapping[str, Any] | None = None,
    *,
    records: Callable[[], str] | None = None,
    junit: Callable[[], str] | None = None,
    plain: Callable[[], Mapping[str, Any]] | None = None,
    **asked: object,
) -> None:
    """The result in the shape that was asked for; `facts` are added to the JSON, `asked` says what text shows more."""
    if shape == "json":
        from surefold.report.as_json import to_json

        said = result.to_dict() if plain is None else plain()
        say(to_json({**said, **(facts or {})}))
    elif shape in ("csv", "junit"):
        made = records if shape == "csv" else junit
        if made is None:
            raise AssertionError(f"no {shape} of {type(result).__name__}")
        say(made().rstrip("\n"))
    else:
        from surefold.show.of.catalogue import document_of

        document = document_of(result, **asked)
        if shape == "tex":
            from surefold.show.write.latex import latex

            say(latex(document).rstrip("\n"))
        elif shape == "md":
            from surefold.show.write.markdown import markdown

            say(markdown(document).rstrip("\n"))
        else:
            from surefold.show.write.terminal import terminal

            _echo(terminal(document, look()))


def say(text: str) -> None:
    """The result, on stdout: whatever it holds, a terminal obeys none of it."""
    _echo(plain_lines(text))


def _echo(text: str) -> None:
    """Text that is safe already; a minus sign that the output cannot show is a hyphen."""
    encoding = getattr(sys.stdout, "encoding", None) or "ascii"
    try:
        MINUS.encode(encoding)
    except (UnicodeEncodeError, LookupError):
        text = text.replace(MINUS, "-")
    click.echo(text, color=True)


def note(text: str, quiet: bool = False) -> None:
    """A line for the person, not for the pipe."""
    if not quiet:
        click.echo(plain_lines(text), err=True)
