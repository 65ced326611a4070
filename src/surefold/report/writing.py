"""Where results are written: refused before the work if that cannot be done, and all or nothing after it."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Literal

from surefold.errors import InputError

__all__ = ["Kind", "check_writable", "replaced"]

Kind = Literal["page", "result", "model"]

#: What we write, and how it begins. A file that begins otherwise was not written by us, and is not replaced.
_KINDS: dict[Kind, tuple[str, tuple[bytes, ...]]] = {
    "page": ("a page (HTML)", (b"<!doctype html", b"<html")),
    "result": ("a result (JSON)", (b"{",)),
    "model": ("a pickle", (b"\x80",)),
}
_CURE = "say a path in a folder that you may write to"


def check_writable(path: str | os.PathLike[str], kind: Kind = "page") -> Path:
    """The path of a file that can be written, or a refusal; asked before the work starts."""
    try:
        place = Path(path)
    except TypeError:
        raise InputError("cannot_write", f"the path to write to is {path!r}",
                         cure="say the path of a file, such as 'report.html'") from None  # fmt: skip
    if str(place) == "-" or "\0" in str(place):
        raise InputError("cannot_write", f"{str(place)!r} is no path of a file, and files are what is written",
                         cure="say the path of a file, such as report.html")  # fmt: skip
    try:
        _check(place, kind)
    except InputError:  # which is a ValueError too
        raise
    except (OSError, RuntimeError, ValueError) as error:  # RuntimeError: links that lead in a circle, before 3.13
        reason = getattr(error, "strerror", None) or error
        problem = f"nothing can be written to {str(place)!r} ({reason})"
        raise InputError("cannot_write", problem, cure=_CURE) from None
    return place


def _check(place: Path, kind: Kind) -> None:
    if not place.parent.is_dir():
        problem = f"there is no folder {str(place.parent)!r}"
        raise InputError("cannot_write", problem, cure="make it, or say another path")
    target = place.resolve(strict=place.is_symlink() and os.path.lexists(place.resolve()))
    if target.exists():
        if not stat.S_ISREG(target.stat().st_mode):
            what = "a folder" if target.is_dir() else "no regular file"
            raise InputError("cannot_write", f"{str(place)!r} is {what}", cure="say the path of a file")
        if not os.access(target, os.W_OK):
            raise InputError("cannot_write", f"{str(place)!r} may not be written to",
                             cure="say another path, or give it write permission")  # fmt: skip
        _refuse_other(place, kind)
    with tempfile.TemporaryFile(dir=target.parent):
        pass


def _refuse_other(place: Path, kind: Kind) -> None:
    """InputError where a file lies there that is of another kind than what is written."""
    name, beginnings = _KINDS[kind]
    try:
        if not os.path.getsize(place):
            return  # nothing to lose, nor to read: what the system shows as a file without a size may never end
        with open(place, "rb") as file:
            found = file.read(64).removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    except FileNotFoundError:
        return
    if found and not found.startswith(beginnings):
        raise InputError("cannot_write", f"{str(place)!r} is there already and is not {name}: it would be lost",
                         cure="say another path, or remove the file")  # fmt: skip


@contextlib.contextmanager
def replaced(path: str | os.PathLike[str], kind: Kind = "page") -> Iterator[IO[bytes]]:
    """A file beside the one to write, which takes its place once it is whole and on the disk.

    A link stays, and the file it leads to is replaced; who may read that file, and whose it is, stay as they were.
    """
    try:
        place = Path(path).resolve()
        beside = place.with_name(f".surefold-{secrets.token_hex(8)}")
        handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
        try:
            with os.fdopen(handle, "wb") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            _refuse_other(place, kind)  # somebody may have put a file there since it was checked
            _keep_rights(place, beside)
            os.replace(beside, place)
        except BaseException:
            with contextlib.suppress(OSError):
                beside.unlink()
            raise
        _sync_folder(place.parent)
    except OSError as error:
        problem = f"{str(path)!r} could not be written ({error.strerror or error})"
        raise InputError("cannot_write", problem, cure="make room or say another path") from None


def _keep_rights(place: Path, beside: Path) -> None:
    try:
        before = place.stat()
    except FileNotFoundError:
        return
    if hasattr(os, "chown"):
        with contextlib.suppress(OSError):  # only the superuser may give files away
            os.chown(beside, before.st_uid, before.st_gid)
    os.chmod(beside, stat.S_IMODE(before.st_mode) & 0o777)


def _sync_folder(folder: Path) -> None:
    """So that the new name survives a power cut; where folders cannot be opened, the system sees to it."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
