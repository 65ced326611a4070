"""A path -> the bytes of a local regular file, unpacked, guarded and unchanged while it was read."""

from __future__ import annotations

import codecs
import gzip
import hashlib
import io
import os
import re
import select
import stat
import sys
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import IO

from surefold.errors import InputError, show

__all__ = ["MOST_BYTES", "FileBytes", "digest_of", "read_bytes", "refuse_by_content", "without_nul"]

MOST_BYTES = 8 << 30  # more than this is not read into memory
_BLOCK = 4 << 20
_FREE_BYTES = 64 << 20  # up to here any ratio of compression is fine
_MOST_RATIO = 200  # beyond it, a file that unpacks to 200 times its size is taken for a bomb

#: Seconds after which an empty pipe is worth a word.
_PATIENCE = 3.0

_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
_PICKLES = (".pkl", ".pickle", ".joblib", ".dill", ".cloudpickle")
_PACKED = {b"PK\x03\x04": "zip", b"BZh": "bzip2", b"\xfd7zXZ\x00": "xz", b"\x28\xb5\x2f\xfd": "zstandard"}


#: No text in any encoding has so many in a row.
_HOLE = b"\0" * 64


@dataclass(frozen=True)
class FileBytes:
    """What stood in the file when it was read."""

    path: str
    data: bytes  # unpacked
    sha256: str  # of the file as it lies on the disk


def read_bytes(path: str | os.PathLike[str], *, wide: bool = False) -> FileBytes:
    """The bytes of a local regular file (`-` is standard input), gunzipped; InputError for anything else.

    Reading ends with the first block that cannot be part of a table; `wide` text (UTF-16) is full of NUL bytes.
    """
    name = os.fspath(path)
    if name == "-":
        shown = "standard input"
        stored = _read_standard_input(shown, wide)
    else:
        stored, shown = _read_regular(name, wide), name
    if not stored:
        raise _empty(shown)
    digest = hashlib.sha256(stored).hexdigest()
    return FileBytes(shown, _gunzip(stored, shown) if stored[:2] == b"\x1f\x8b" else stored, digest)


def digest_of(path: str) -> str:
    """The SHA-256 of a file as it lies on the disk, read a few megabytes at a time."""
    with open(path, "rb", buffering=0) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _read_standard_input(shown: str, wide: bool) -> bytes:
    _tell_what_is_awaited()
    try:
        return b"".join(_blocks(sys.stdin.buffer, "-", shown, wide))
    except (AttributeError, OSError, ValueError) as error:  # no such attribute: there is no standard input
        if isinstance(error, InputError):
            raise
        reason = "it is closed" if sys.stdin is None or sys.stdin.closed else getattr(error, "strerror", "") or error
        raise InputError(
            "not_a_file",
            f"standard input cannot be read ({reason})",
            cure="send a table to it, or give the path of a file",
        ) from None


def _tell_what_is_awaited() -> None:
    """A note for whoever sits at a terminal, or feeds a pipe that stays empty for some seconds: this is no hang."""
    try:
        ready = not sys.stdin.isatty() and select.select([sys.stdin], [], [], _PATIENCE)[0]
    except (AttributeError, OSError, ValueError):  # no such stream, or one that cannot be watched
        return
    if not ready and sys.stderr is not None:
        note = "surefold: waiting for a table on standard input (at a terminal, Ctrl-D ends it)"
        print(note, file=sys.stderr, flush=True)


def _blocks(file: IO[bytes], name: str, shown: str, wide: bool) -> Iterator[bytes]:
    """A file block by block, up to the first that cannot be part of a table: InputError there."""
    size = lines = 0
    packed = False
    while block := file.read(_BLOCK):
        if not size:
            refuse_by_content(block, name, shown)
            _refuse_broken_gzip(block, shown)
            packed = block.startswith((b"PAR1", b"\x1f\x8b"))
            wide |= block.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_BE))
        size += len(block)
        if size > MOST_BYTES:
            raise _too_large(shown, size)
        if not packed and (not wide or _HOLE in block):
            without_nul(block, shown, None if wide else lines)
            lines += block.count(b"\n")
        yield block
        if len(block) < _BLOCK:  # a terminal says but once that it has ended
            return


def without_nul(data: bytes, source: str, lines_before: int | None = 0) -> bytes:
    """The bytes of text, if none of them is NUL; InputError that says where the first is, if that is known."""
    at = data.find(b"\0")
    if at < 0:
        return data
    beginning = data[:2000]
    if lines_before == 0 and 1 / 3 < beginning.count(b"\0") / len(beginning) < 0.9:
        raise InputError("bad_encoding", "half of the bytes are NUL: UTF-16 without a byte-order mark?", lines=[1],
                         source=source, cure="say encoding='utf-16-le' (--encoding utf-16-le)")  # fmt: skip
    lines = [] if lines_before is None else [lines_before + data.count(b"\n", 0, at) + 1]
    more = " or more" if len(data) >= _BLOCK // 4 else ""
    raise InputError("nul_byte", f"the file holds {data.count(0):,} NUL bytes{more}", source=source, lines=lines,
                     cure="remove them")  # fmt: skip


def _read_regular(name: str, wide: bool) -> bytes:
    if _URL.match(name):
        raise InputError("not_a_file", "this is an address, and nothing is fetched", source=name,
                         cure="download the file and give its path")  # fmt: skip
    if Path(name).name.lower().removesuffix(".gz").endswith(_PICKLES):
        raise InputError("pickle", "a pickled object could run code when loaded, so it is not opened", source=name,
                         cure="save the predictions as CSV or Parquet")  # fmt: skip
    try:
        _refuse_special(os.stat(name), name)
        with open(name, "rb") as file:
            before = os.fstat(file.fileno())
            _refuse_special(before, name)
            _refuse_cut_parquet(file, name)
            for _ in _blocks(file, name, name, wide):
                pass  # looked at before all of it is held
            file.seek(0)
            data = file.read()
            after = os.stat(name)
    except InputError:  # which is a ValueError too
        raise
    except FileNotFoundError:
        raise _not_found(name) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError("not_a_file", f"cannot be read ({reason})", source=name, cure="check the path") from None
    if _state(before) != _state(after) or len(data) != before.st_size:
        raise InputError("changed_file", "the file changed while it was read", source=name, cure="wait, and try again")
    return data


def _state(status: os.stat_result) -> tuple[int, int, int]:
    return status.st_ino, status.st_size, status.st_mtime_ns


def _refuse_special(status: os.stat_result, name: str) -> None:
    if not stat.S_ISREG(status.st_mode):
        kinds = {stat.S_IFDIR: "a directory", stat.S_IFIFO: "a named pipe", stat.S_IFSOCK: "a socket"}
        kind = kinds.get(stat.S_IFMT(status.st_mode), "a device")
        raise InputError(
            "not_a_file", f"this is {kind}, not a regular file", source=name, cure="give a CSV or Parquet file"
        )
    if status.st_size > MOST_BYTES:
        raise _too_large(name, status.st_size)
    if status.st_size == 0:  # nor is it read: what the system shows as files without a size may never end
        raise _empty(name)


def _empty(source: str) -> InputError:
    return InputError("empty_file", "the file has no bytes", source=source, cure="give a file with a header and rows")


def _too_large(source: str, size: int) -> InputError:
    problem = f"{size / (1 << 30):.1f} GiB or more; at most {MOST_BYTES >> 30} GiB are read"
    return InputError("too_large", problem, source=source, cure="keep only the columns that are needed")


def _not_found(name: str) -> InputError:
    path = Path(name)
    try:
        near = get_close_matches(path.name, os.listdir(path.parent), n=1)
    except OSError:
        near = []
    hint = f"; did you mean {show(str(path.parent / near[0]))}?" if near else ""
    return InputError("not_a_file", f"there is no such file{hint}", source=name, cure="check the path")


def refuse_by_content(data: bytes, name: str, shown: str) -> None:
    """InputError where the first bytes are those of something that is no table of text or Parquet."""
    if data[:6] == b"\x93NUMPY":
        if b"'O'" in data[:256] or b"|O" in data[:256]:
            raise InputError("pickle", "an array of objects is a pickle and is not opened", source=shown,
                             cure="save the predictions as CSV or Parquet")  # fmt: skip
        raise InputError("unknown_file_type", "this is a numpy array without column names", source=shown,
                         cure="pass the array from Python, or save it as CSV")  # fmt: skip
    if len(data) > 1 and data[0] == 0x80 and 2 <= data[1] <= 5:
        raise InputError("pickle", "this is a pickled object, which could run code when loaded", source=shown,
                         cure="save the predictions as CSV or Parquet")  # fmt: skip
    for magic, kind in _PACKED.items():
        if data.startswith(magic):
            what = "a spreadsheet" if name.lower().endswith((".xlsx", ".ods", ".xlsm")) else f"a {kind} file"
            raise InputError("unknown_file_type", f"this is {what}", source=shown, cure="save or unpack it as CSV")
    if data.startswith((b"ARROW1", b"%PDF", b"\x89HDF", b"SQLite format 3")):
        raise InputError(
            "unknown_file_type", "this is neither CSV nor Parquet", source=shown, cure="save it as CSV or Parquet"
        )


def _refuse_cut_parquet(file: IO[bytes], shown: str) -> None:
    """InputError where a file begins as Parquet and does not end with the size of a footer and the same word."""
    begins = file.read(4) == b"PAR1"
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - 8))
    end = file.read(8)
    file.seek(0)
    if begins and (end[4:] != b"PAR1" or not any(end[:4])):
        problem = "the Parquet file cannot be read (it ends without a footer)"
        raise InputError("truncated_file", problem, source=shown, cure="write it again")


def _refuse_broken_gzip(beginning: bytes, shown: str) -> None:
    """InputError where a compressed file cannot be unpacked from its first bytes on: the rest need not be read."""
    if beginning[:2] != b"\x1f\x8b":
        return
    try:
        zlib.decompressobj(wbits=31).decompress(beginning, 1 << 16)
    except zlib.error as error:
        raise _broken(f"is damaged ({error})", shown) from None


def _broken(what: str, shown: str) -> InputError:
    problem = f"the compressed file {what}; none of its rows are used"
    return InputError("truncated_file", problem, source=shown, cure="fetch or write it again")


def _gunzip(stored: bytes, shown: str) -> bytes:
    limit = min(MOST_BYTES, max(_FREE_BYTES, _MOST_RATIO * len(stored)))
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(stored)) as file:
            data = file.read(limit + 1)
    except (EOFError, zlib.error, gzip.BadGzipFile, OSError) as error:
        reason = "ends early" if isinstance(error, EOFError) else f"is damaged ({error})"
        raise _broken(reason, shown) from None
    if len(data) > limit:
        problem = f"the file unpacks to more than {limit:,} bytes, over {limit // len(stored):,} times its size"
        raise InputError("compressed_too_far", problem, source=shown, cure="unpack it yourself if you trust it")
    if not data:
        raise InputError("empty_file", "the compressed file holds no bytes", source=shown, cure="write it again")
    return data
