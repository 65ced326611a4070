"""Ctrl-C and SIGTERM during a run: say how to go on, and be gone within two seconds whatever a fit is doing."""

from __future__ import annotations

import contextlib
import os
import shlex
import signal
import socket
import sys
import threading
from collections.abc import Iterator, Sequence

import click

from surefold.resampling.run import Stopped
from surefold.show.names import plain

__all__ = ["resumable", "resume_line"]

#: How long the main thread has to come to an end by itself; a fit in compiled code cannot.
PATIENCE = 1.5


def resume_line(store: str, run: str = "run", more: Sequence[str] = ()) -> str:
    """The command that goes on with a run; `more` are words that it needs."""
    words = ["surefold", "resume", store, *([] if run == "run" else ["--run", run]), *more]
    return plain(f"resume with: {shlex.join(words)}")


@contextlib.contextmanager
def resumable(store: str | None, run: str = "run", more: Sequence[str] = ()) -> Iterator[None]:
    """Print the line that goes on with the run when it is stopped; exit 130 on Ctrl-C, 128 + number on a signal."""
    line = "" if store is None else resume_line(store, run, more)
    try:
        with _watched(line):
            yield
    except KeyboardInterrupt:
        if line:
            click.echo(line, err=True)
        raise
    except Stopped as stop:
        if line:
            click.echo(line, err=True)
        click.echo(f"surefold: stopped by {signal.Signals(stop.number).name}", err=True)
        raise click.exceptions.Exit(128 + stop.number) from None


@contextlib.contextmanager
def _watched(line: str) -> Iterator[None]:
    """A thread hears of signals at once, and ends the process if the main thread has not left in time."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    heard, said = socket.socketpair()
    said.setblocking(False)
    left = threading.Event()
    before = signal.set_wakeup_fd(said.fileno(), warn_on_full_buffer=False)
    watcher = threading.Thread(target=_watch, args=(heard, left, line), name="surefold-signals", daemon=True)
    watcher.start()
    try:
        yield
    finally:
        left.set()
        signal.set_wakeup_fd(before)
        said.close()  # ends the thread
        watcher.join(1.0)
        heard.close()


def _watch(heard: socket.socket, left: threading.Event, line: str) -> None:
    stopping = {signal.SIGINT, signal.SIGTERM, getattr(signal, "SIGHUP", signal.SIGTERM)}
    while True:
        try:
            number = next(iter(heard.recv(1)), None)
        except OSError:
            return
        if number is None:
            return
        if number in stopping and not left.wait(PATIENCE):
            with contextlib.suppress(OSError, ValueError):
                sys.stdout.flush()
            with contextlib.suppress(OSError):
                os.write(2, f"\n{line}\n".encode("utf-8", "replace") if line else b"\n")
            os._exit(128 + number)
