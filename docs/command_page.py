"""The page of the command line: the help of every command, as the command prints it."""

from __future__ import annotations

import io
from contextlib import redirect_stdout

from surefold.cli.main import COMMANDS, cli

__all__ = ["commands_page", "help_of"]

#: As wide as the terminal in which the code of pages is run; click leaves two of them free.
COLUMNS = 100


def commands_page() -> str:
    """The page, as Markdown. Help is asked of the commands themselves."""
    lines = [
        "# Command line",
        "",
        "This page is written by `python -m docs.generate`: what follows is what the commands say of themselves.",
        "",
        "- The result alone goes to stdout; notes, progress and errors go to stderr. `--quiet` leaves the notes out.",
        "- `--format` says in which shape: a `table` for people, `json` for programs ([all its keys](json.md)), `csv`,",
        "  `md`, and `junit` for test runners.",
        "- `-` reads a CSV from stdin.",
        "- Colours are only used on a terminal, and never where `NO_COLOR` is set.",
        "- What the exit code means: [exit codes](exit-codes.md).",
        "",
        "| command | what it answers |",
        "|---|---|",
        *(f"| [`{name}`](#{name}) | {words} |" for name, words in COMMANDS.items()),
    ]
    for name in COMMANDS:
        lines += ["", f"## {name}", "", "```console", f"$ surefold {name} --help", *help_of(name), "```"]
    return "\n".join([*lines, ""])


def help_of(name: str) -> list[str]:
    """What `surefold NAME --help` prints."""
    out = io.StringIO()
    with redirect_stdout(out):
        cli.main([name, "--help"], prog_name="surefold", standalone_mode=False, terminal_width=COLUMNS - 2)
    return [line.rstrip() for line in out.getvalue().rstrip().splitlines()]
