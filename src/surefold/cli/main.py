"""`surefold`: the group of commands, and what happens when one fails."""

from __future__ import annotations

import io
import os
import sys
from difflib import get_close_matches
from importlib import import_module

import click

from surefold._version import __version__
from surefold.cli.spelling import as_flags, command_of, flags_of
from surefold.errors import SurefoldError
from surefold.report.safe import plain, plain_lines

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
    "demo": "Assess and compare the bundled real predictions.",
}


class Commands(click.Group):
    """Loads a command when it is called, and suggests one when there is none of that name."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        command: click.Command = getattr(import_module(f"surefold.cli.{name}"), name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            close = get_close_matches(args[0], COMMANDS, n=1)
            hint = f" Did you mean {close[0]!r}?" if close else f" There are: {', '.join(COMMANDS)}."
            raise click.UsageError(f"No command {plain(args[0])!r}.{hint}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):  # from the table above, so that help imports no command
            formatter.write_dl(list(COMMANDS.items()))


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


def main(args: list[str] | None = None) -> int:
    """Run a command and return its exit code: 0 done, 1 gate failed, 2 bad usage, 3 cannot tell, 130 stopped."""
    _tolerate_narrow_output()
    try:
        outcome = cli.main(args=args, prog_name="surefold", standalone_mode=False)
        sys.stdout.flush()
        return outcome if isinstance(outcome, int) else 0
    except click.exceptions.Exit as error:
        return error.exit_code
    except click.ClickException as error:
        told = io.StringIO()
        error.show(told)
        click.echo(plain_lines(told.getvalue().rstrip("\n")), err=True)
        return 2
    except (click.Abort, KeyboardInterrupt):
        click.echo("surefold: interrupted", err=True)
        return 130
    except SurefoldError as error:
        if _wants_traceback(args):
            raise
        flags = flags_of(command_of(cli, sys.argv[1:] if args is None else args))
        click.echo(f"surefold: error: {plain(as_flags(str(error), flags))}", err=True)
        return error.exit_code
    except BrokenPipeError:
        # The reader went away (`| head`): nothing is wrong, and nothing more is to be said.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _wants_traceback(args: list[str] | None) -> bool:
    return "--debug" in (sys.argv[1:] if args is None else args)


def _tolerate_narrow_output() -> None:
    """Where stdout cannot show a character, show a replacement instead of dying."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


if __name__ == "__main__":
    sys.exit(main())
