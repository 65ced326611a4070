"""Every path of every command, taken from the commands themselves, and calls in which two of them are one."""

from __future__ import annotations

import os
from itertools import permutations
from pathlib import Path

import click

from surefold.cli.main import COMMANDS, cli
from surefold.cli.places import Code, Keeps, Place, Writes

DATA = "id,y,a,b,x,z\n" + "".join(f"{i},{i % 2},{i % 2},{(i + i // 7) % 2},{i % 5},{i % 3}\n" for i in range(40))
#: What each command needs to be called, beside its paths.
NEEDS = {
    "assess": ["--truth", "y", "--pred", "a"],
    "compare": ["--truth", "y", "--pred", "a", "--pred", "b"],
    "gate": ["--truth", "y", "--candidate", "a", "--id", "id"],
    "plan": ["mcnemar", "--difference", "0.02", "--disagreement", "0.1"],
    "evaluate": ["--target", "y", "--folds", "2", "--repeats", "1"],
    "select": ["--target", "y", "--folds", "2", "--trust-pickle"],
    "resume": ["--trust-pickle"],
    "measures": [],
    "book": [],
    "demo": [],
}


def command(name: str) -> click.Command:
    found = cli.get_command(click.Context(cli), name)
    assert found is not None
    return found


def places(name: str) -> list[click.Parameter]:
    return [param for param in command(name).params if isinstance(param.type, Place)]


def own_file(param: click.Parameter) -> str:
    """A file of the kind that this option or argument names."""
    kind = param.type
    if isinstance(kind, Writes):
        return {"page": "page.html", "result": "result.json", "model": "model.pkl"}[kind.kind]
    if isinstance(kind, Keeps):
        return "runs.db"
    return "factories.py" if isinstance(kind, Code) else f"{param.name}.csv"


def words(name: str, instead: dict[str, str]) -> list[str]:
    """A call of the command with all its paths, some of them said otherwise."""
    said = [name, *NEEDS[name]]
    for param in places(name):
        value = "m=factories:make" if isinstance(param.type, Code) else own_file(param)
        value = instead.get(str(param.name), value)
        said += [value] if isinstance(param, click.Argument) else [max(param.opts, key=len), value]
    return said


def pairs() -> list[tuple[str, click.Parameter, click.Parameter]]:
    """Of each command, something that it writes or keeps and another of its paths."""
    return [
        (name, other, output)
        for name in COMMANDS
        for other, output in permutations(places(name), 2)
        if isinstance(output, click.Option) and isinstance(output.type, Writes | Keeps)
    ]


def fill(folder: Path) -> None:
    """A file of each kind that a command may name."""
    for name in ("file.csv", "data.csv", "baseline_file.csv"):
        (folder / name).write_text(DATA)
    (folder / "factories.py").write_text("raise SystemExit('code was run before the paths were looked at')\n")
    (folder / "page.html").write_text("<!doctype html>mine")
    (folder / "result.json").write_text("{}")
    (folder / "model.pkl").write_bytes(b"\x80\x04N.")
    (folder / "runs.db").write_bytes(b"")


def content(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


SPELLINGS = ["same", "absolute", "up and down", "link", "hard link", "link to its folder"]


def spelled(path: str, how: str) -> str:
    """Another path to the same file."""
    if how == "same":
        return path
    if how == "absolute":
        return os.path.abspath(path)
    if how == "up and down":
        return f"../here/./{path}"
    if how == "link to its folder":
        os.symlink(os.getcwd(), "../there")
        return f"../there/{path}"
    name = f"other-{path}"
    (os.symlink if how == "link" else os.link)(path, name)
    return name
