"""`surefold`: the group of commands, and what happens when one fails."""

from __future__ import annotations

import io
import sys
import traceback
from collections.abc import Sequence
from difflib import get_close_matches
from importlib import import_module

import click

from surefold._version import __version__
from surefold.cli.spelling import as_flags, command_of, flags_of
from surefold.cli.standard_streams import refuse_closed_output, standard_streams
from surefold.docstrings import docstring
from surefold.errors import SurefoldError, show
from surefold.show.names import cut, plain, plain_lines

__all__ = ["cli", "main"]

#: Commands in the order `--help` lists them; each is a module of this package with a function of that name.
COMMANDS = {
    "assess": "Every measure of a file of predictions, with intervals and a verdict.",
    "compare": "Two or more models on the same rows: the difference, its interval, the test.",
    "gate": "Whether a candidate may replace a baseline: exit code 0 yes, 1 no, 3 cannot tell.",
    "plan": "How many rows it takes to show a difference, or what so many can show.",
    "evaluate": "Models on a table, every row held out: intervals, time, verdict.",
    "select": "The model to ship: a search over models and parameters, and what it is worth.",
    "resume": "Go on with a stored run where it stopped, or show it again.",
    "measures": "The catalogue: formulas, ranges, directions, sources.",
    "book": "Worked examples of the sources: their printed figures beside ours.",
    "demo": "Assess and compare the bundled real predictions.",
}


class Commands(click.Group):
    """Loads a command when it is called, and suggests one when there is none of that name."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Their names, in the order in which they are listed."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """A command by its name, which is imported now."""
        if name not in COMMANDS:
            return None
        command: click.Command = getattr(import_module(f"surefold.cli.{name}"), name)
        return _with_help(command)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that was meant; a slip of the name is told."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            close = get_close_matches(args[0], COMMANDS, n=1)
            hint = f" Did you mean {close[0]!r}?" if close else f" There are: {', '.join(COMMANDS)}."
            raise click.UsageError(f"No command {plain(args[0])!r}.{hint}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of commands in the help."""
        with formatter.section("Commands"):  # from the table above, so that help imports no command
            formatter.write_dl(list(COMMANDS.items()))


def _with_help(command: click.Command) -> click.Command:
    """The command with its help, which is its docstring, where `python -OO` took that away."""
    if not command.help and command.callback is not None:
        command.help = docstring(command.callback)
    return command


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="surefold")
def cli() -> None:
    """Assess classifiers, and know how sure you are.

    \b
    Examples:
      surefold demo
      surefold assess predictions.csv
      surefold assess predictions.csv --truth churned --pred model --pos-label yes
      surefold compare predictions.csv --truth y --pred logistic --pred forest
      surefold gate predictions.csv --truth y --baseline old --candidate new --margin 0.01
      surefold plan mcnemar --difference 0.02 --disagreement 0.1
      surefold evaluate data.csv --target y --model logistic --model forest --store runs.db
      surefold resume runs.db
      surefold measures
    """


_with_help(cli)


def main(args: list[str] | None = None) -> int:
    """Run a command and return its exit code.

    0: done, or the gate passed. 1: the gate failed, and nothing else. 2: bad usage, input or output, or a fault of the
    program. 3: cannot tell, or not finished. 130 and 143: stopped by Ctrl-C and by SIGTERM.
    """
    words = sys.argv[1:] if args is None else args
    with standard_streams():
        try:
            refuse_closed_output()
            outcome = cli.main(args=words, prog_name="surefold", standalone_mode=False)
            sys.stdout.flush()
            return outcome if isinstance(outcome, int) else 0
        except BaseException as error:
            return _told(error, words)


def _told(error: BaseException, words: Sequence[str]) -> int:
    """Say in one line what ended a command; the code it ends with."""
    match error:
        case click.exceptions.Exit():
            return error.exit_code
        case click.ClickException():
            told = io.StringIO()
            error.show(told)
            click.echo(plain_lines(told.getvalue().rstrip("\n")), err=True)
            return 2
        case KeyboardInterrupt() | click.Abort() if not isinstance(error.__cause__, EOFError):
            click.echo("surefold: interrupted", err=True)
            return 130
        case click.Abort() | SystemExit() if error.__context__ is not None:  # click's words for EOFError and EPIPE
            return _told(error.__context__, words)
    if "--debug" in words:
        click.echo("".join(traceback.format_exception(error)), err=True, nl=False)
    else:
        click.echo(f"surefold: error: {plain(_sentence(error, words))}", err=True)
    return error.exit_code if isinstance(error, SurefoldError) else 2


def _sentence(error: BaseException, words: Sequence[str]) -> str:
    match error:
        case SurefoldError():
            return as_flags(str(error), flags_of(command_of(cli, words)))
        case OSError(strerror=str(reason)):
            return f"{error.filename}: {reason}." if error.filename else f"{reason}."
        case MemoryError():
            return "There is not enough memory. To fix: use fewer rows or columns, or count in parts with --memory."
        case SystemExit():
            return f"the program was ended by sys.exit({show(error.code)})"
    said = cut(" ".join([type(error).__name__, *str(error).split()]), 300)
    return f"{said}. This is a fault of surefold: please report it with what --debug shows."


if __name__ == "__main__":
    sys.exit(main())
