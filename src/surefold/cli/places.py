"""Every file that a command reads, keeps or writes, known before it starts: no output may lie where another file is.

A path is an option or argument of type `Reads`, `Keeps`, `Writes` or `Code`, and a command is `Checked`: before it does
anything it looks at all of them together, by where they lead (links, hard links, `..`, letters of either case).
"""

from __future__ import annotations

import os
import stat
import sys
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import click

from surefold.errors import InputError, is_text, show
from surefold.report.writing import Kind, check_writable

__all__ = ["BESIDE_A_STORE", "Checked", "Code", "Keeps", "Place", "Reads", "Writes", "refuse_written_over"]

#: What SQLite writes beside a store.
BESIDE_A_STORE = ("", "-wal", "-shm", "-journal")


class Place(click.ParamType):  # type: ignore[type-arg]  # which older releases of click do not take
    """The type of an option or argument that names files; `what` they are, in words."""

    name = "path"

    def __init__(self, what: str) -> None:
        self.what = what

    def files(self, value: Any) -> Iterator[str]:
        """The files that a value stands for."""
        yield os.fspath(value)


class Reads(Place):
    """A file that is read, or a folder or glob of them."""

    def files(self, value: Any) -> Iterator[str]:
        """The file, or those of a folder or a glob."""
        from surefold.inputs.streams import files_of

        source = os.fspath(value)
        try:
            yield from (source,) if source == "-" else files_of(source)
        except (InputError, OSError, ValueError):
            return  # reading it tells what is wrong


class Keeps(Place):
    """A store: it is read and written, and SQLite puts files beside it."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path; standard input is none."""
        if str(value) == "-":
            problem = "'-' is no path of a file, and a store is one"
            raise InputError("cannot_write", problem, cure="say the path of a file, such as runs.db")
        return value

    def files(self, value: Any) -> Iterator[str]:
        """The store, and what stands beside it."""
        return (f"{value}{ending}" for ending in BESIDE_A_STORE)


class Writes(Place):
    """A file that is made or replaced. `own` stands for the first free name of that kind."""

    def __init__(self, what: str, kind: Kind, own: str | None = None) -> None:
        super().__init__(what)
        self.kind: Kind = kind
        self.own = own

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        """The path."""
        return Path(value)


class Code(Place):
    """Models, one or several by commas: `name=module:factory` is code, which may be a file of the current folder."""

    def files(self, value: Any) -> Iterator[str]:
        """The files of the current folder that may hold the code."""
        for text in str(value).split(","):
            module, is_code, _ = text.rpartition("=")[2].strip().partition(":")
            if is_code:
                stem = module.replace(".", os.sep)
                yield from (f"{stem}.py", os.path.join(stem, "__init__.py"))


class Checked(click.Command):
    """A command that refuses, before it starts, to write where another of its files is."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command, unless it would write where another of its files is."""
        _refuse_bytes(ctx)
        refuse_written_over(ctx)
        return super().invoke(ctx)


def _refuse_bytes(ctx: click.Context) -> None:
    """InputError where a word is bytes that are no text. Names of files may be; nothing else in a file or store can."""
    for param in ctx.command.params:
        if isinstance(param.type, Place) and not isinstance(param.type, Code):
            continue
        for value in _values(ctx.params.get(str(param.name))):
            if isinstance(value, str) and not is_text(value):
                name = param.opts[0] if isinstance(param, click.Option) else str(param.name).upper()
                problem = f"{name} {show(value)} holds bytes that are no UTF-8"
                raise InputError("bad_encoding", problem, cure="write it in UTF-8")


How = Literal["read", "kept", "written", "printed"]


@dataclass(frozen=True)
class _File:
    """One file of a call: what it is in words, where, and what happens to it."""

    what: str
    path: str
    how: How


def refuse_written_over(ctx: click.Context, more: Sequence[tuple[Place, str]] = ()) -> None:
    """InputError where a file that the call writes is one that it reads or keeps, or is written twice.

    `more` is read too, and was not said in the call.
    """
    said = [(param.type, value) for param in ctx.command.params if isinstance(param.type, Place)
            for value in _values(ctx.params.get(str(param.name)))]  # fmt: skip
    sources = [(kind, value) for kind, value in (*said, *more) if isinstance(kind, Reads | Code)]
    stores = [(kind, value) for kind, value in said if isinstance(kind, Keeps)]
    outputs = [(kind, value) for kind, value in said if isinstance(kind, Writes) and os.fspath(value) != kind.own]
    printed = list(_streams())
    if not (stores or outputs or printed):
        return
    for kind, value in (*stores, *outputs):
        _refuse_among_data(_File(kind.what, os.fspath(value), "written"), sources)
    taken: dict[object, _File] = {}
    each: list[tuple[How, Sequence[tuple[Place, Any]]]] = [("read", sources), ("kept", stores), ("written", outputs)]
    files = [
        _File(kind.what, path, how) for how, places in each for kind, value in places for path in kind.files(value)
    ]
    for file in sorted(files, key=lambda file: file.path != "-" and not os.path.exists(file.path)):
        _take(_identity(file.path), file, taken)
        taken.setdefault(_name_in_folder(file.path), file)  # what is new has its name in no other letters
    for name, identity in printed:
        path = taken[identity].path if identity in taken else ""
        _take(identity, _File(name, path, "printed"), taken)
    for kind, value in outputs:
        check_writable(value, kind.kind)


def _take(identity: object, file: _File, taken: dict[object, _File]) -> None:
    """Note whose a place is; InputError where it is another's and would be lost."""
    if identity is None:
        return
    other = taken.setdefault(identity, file)
    if other is file or file.how == other.how != "written" or file.how == "read":
        return
    place = repr(file.path) if file.path == other.path else f"{file.path!r}, which is {other.path!r}"
    problem = f"{file.what} would replace {other.what}: {place}"
    if other.how == "written":
        problem = f"{other.what} and {file.what} would be written to one place: {place}"
    raise InputError("cannot_write", problem, cure=f"say another path for {file.what}")


def _refuse_among_data(file: _File, sources: Sequence[tuple[Place, Any]]) -> None:
    """InputError where an output, once it is there, would be taken for data of a folder or glob that is read."""
    from surefold.inputs.streams import would_be_found

    for kind, source in sources:
        if isinstance(kind, Reads) and would_be_found(file.path, os.fspath(source)):
            problem = f"{file.what} would stand among {kind.what}: {file.path!r}, in {os.fspath(source)!r}"
            raise InputError("cannot_write", problem, cure=f"say another path for {file.what}")


def _values(value: Any) -> tuple[Any, ...]:
    return () if value is None else value if isinstance(value, tuple) else (value,)


def _identity(path: str) -> object:
    """What is the same for two paths if and only if they lead to one file; None if that cannot be said.

    A file that is there is its device and number. One that is not is its name in its folder.
    """
    if path == "-":
        return _regular(sys.stdin)
    try:
        status = os.stat(path)
        return status.st_dev, status.st_ino
    except FileNotFoundError:
        pass
    except (OSError, ValueError):
        return None
    return _name_in_folder(path)


def _name_in_folder(path: str) -> object:
    """A name in its folder, whatever the case of the letters: two such names are one file on many disks."""
    try:
        target = os.path.realpath(path)
    except (OSError, ValueError):
        return None
    folder, name = os.path.split(target)
    name = unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())
    try:
        status = os.stat(folder)
    except OSError:
        return folder, name
    return status.st_dev, status.st_ino, name


def _streams() -> Iterator[tuple[str, object]]:
    """Where what is printed goes, if that is a file."""
    for name, stream in (("standard output", sys.stdout), ("standard error", sys.stderr)):
        identity = _regular(stream)
        if identity is not None:
            yield name, identity


def _regular(stream: Any) -> object:
    try:
        status = os.fstat(stream.fileno())
    except (OSError, ValueError, AttributeError):
        return None
    return (status.st_dev, status.st_ino) if stat.S_ISREG(status.st_mode) else None
