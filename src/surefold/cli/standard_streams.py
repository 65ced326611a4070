"""Standard output and error of a command: what cannot be written is one error with code 2, whatever the reason is."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import select
import sys
from collections.abc import Iterator
from typing import Any, TextIO

from surefold.errors import InputError

__all__ = ["refuse_closed_output", "standard_streams"]


class _Outlet(io.RawIOBase):
    """A descriptor that says once that it cannot be written to, and takes the rest without a word.

    Whoever has read enough of a result may close the pipe: from then on nothing is owed, and the command ends with the
    code that it has to give. A reader that was gone before the first byte was never given the result.
    """

    def __init__(self, descriptor: int, *, owes: bool) -> None:
        self._descriptor = descriptor
        self._owes = owes  # a result; notes may be lost
        self._given = 0
        self._lost = False

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._descriptor

    def write(self, data: Any, /) -> int:
        while not self._lost:
            try:
                written = os.write(self._descriptor, data)
            except BlockingIOError:
                select.select([], [self._descriptor], [])
            except OSError as error:
                self._lost = True
                if self._owes and not (error.errno == errno.EPIPE and self._given):
                    reason = "its reader had gone" if error.errno == errno.EPIPE else error.strerror
                    raise _unwritable(f"{reason}") from None
            else:
                self._given += written
                return written
        return len(data)


def _unwritable(reason: str) -> InputError:
    return InputError(
        "cannot_write",
        f"the result could not be written to standard output ({reason})",
        cure="send it where it can be written",
    )


@contextlib.contextmanager
def standard_streams() -> Iterator[None]:
    """Standard output and error through outlets; a descriptor that was closed leads nowhere instead of into a file."""
    for descriptor in (0, 1, 2):
        try:
            os.fstat(descriptor)
        except OSError:  # the next file to be opened would be given this number, and a stray note written into it
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)
    before = sys.stdout, sys.stderr
    sys.stdout = before[0] and _through(before[0], sys.__stdout__, _Outlet(1, owes=True))
    sys.stderr = _through(before[1], sys.__stderr__, _Outlet(2, owes=False))
    try:
        yield
    finally:
        for stream in filter(None, (sys.stdout, sys.stderr)):
            with contextlib.suppress(InputError, OSError, ValueError):
                stream.flush()
        sys.stdout, sys.stderr = before


def _through(stream: TextIO | None, own: TextIO | None, outlet: _Outlet) -> Any:
    """The stream through an outlet, unless somebody else put it there; with marks for characters it cannot show."""
    if stream is not own or (stream is not None and stream.isatty()):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
        return stream
    encoding = None if stream is None else stream.encoding
    return io.TextIOWrapper(io.BufferedWriter(outlet), encoding, errors="backslashreplace", line_buffering=True)


def refuse_closed_output() -> None:
    """InputError where there is no standard output: nobody could read the result."""
    if sys.stdout is None:
        raise _unwritable("it is closed")
