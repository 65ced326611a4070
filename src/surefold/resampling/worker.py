"""A worker process: reads tasks from its standard input, answers on what was its standard output.

Started as `python -m surefold.resampling.worker`, so a script needs no `if __name__ == "__main__"`, and nothing of the
parent's threads is inherited. It ends as soon as the parent is gone.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import queue
import struct
import sys
import threading
from collections.abc import Iterator
from typing import Any, BinaryIO

__all__ = ["main", "receive", "send"]

_LENGTH = struct.Struct("<Q")


def packed(message: object) -> bytes:
    """A message as it goes through a pipe."""
    import cloudpickle

    content: bytes = cloudpickle.dumps(message)
    return _LENGTH.pack(len(content)) + content


def send(pipe: BinaryIO, message: object) -> None:
    """Write a message to a pipe, and push it out."""
    content = packed(message)
    pipe.write(content)
    pipe.flush()


def receive(pipe: BinaryIO) -> Any:
    """The next message; EOFError when the other side is gone."""
    (length,) = _LENGTH.unpack(_exactly(pipe, _LENGTH.size))
    return pickle.loads(_exactly(pipe, length))  # from our own parent or child, never from a file


def _exactly(pipe: BinaryIO, length: int) -> bytes:
    parts = []
    while length:
        part = pipe.read(min(length, 1 << 24))
        if not part:
            raise EOFError
        parts.append(part)
        length -= len(part)
    return b"".join(parts)


def main() -> None:
    """What a worker does: take a task, run its fold, send the outcome, until the pipe is closed."""
    from surefold.resampling.fold import run_fold

    _end_with_parent()
    inbox, outbox = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    # What compiled code prints goes where standard error goes, not into the answers.
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    settings = receive(inbox)
    sys.path[:] = settings["path"]
    waiting: queue.SimpleQueue[Any] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(inbox, waiting), daemon=True).start()
    models, data, plan = waiting.get()
    data = settings["shared"].restored(data) if settings["shared"] is not None else data
    from sklearn import config_context
    from threadpoolctl import threadpool_limits

    with threadpool_limits(settings["threads"]), config_context(**settings["config"]):
        send(outbox, "ready")
        while True:
            model, split = waiting.get()
            with _limited_memory(settings["max_memory"]):
                outcome = run_fold(models[model], data, plan, split, settings["seed"])
            send(outbox, outcome)


def _listen(inbox: BinaryIO, waiting: queue.SimpleQueue[Any]) -> None:
    try:
        while True:
            waiting.put(receive(inbox))
    except BaseException as error:
        if not isinstance(error, EOFError):
            sys.stderr.write(f"{type(error).__name__}: {error}\n")
            sys.stderr.flush()
            os._exit(70)
        os._exit(0)  # the parent is gone or done: whatever is being fitted, nobody waits for it


def _end_with_parent() -> None:
    """Where the kernel offers it, end with the parent even inside compiled code that lets no other thread run."""
    if not sys.platform.startswith("linux"):
        return
    import ctypes
    import signal

    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


@contextlib.contextmanager
def _limited_memory(extra: float | None) -> Iterator[None]:
    """Let the process grow by `extra` bytes and no more."""
    if extra is None or os.name != "posix":
        yield
        return
    import resource

    try:
        with open("/proc/self/statm", encoding="ascii") as statm:
            now = int(statm.read().split()[0]) * resource.getpagesize()
    except OSError:
        now = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    before = resource.getrlimit(resource.RLIMIT_AS)
    most = now + int(extra)
    resource.setrlimit(resource.RLIMIT_AS, (most if before[1] < 0 else min(most, before[1]), before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


if __name__ == "__main__":
    main()
