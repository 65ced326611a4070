"""A worker process: reads tasks from its standard input, answers on what was its standard output.

Started as `python -m surefold.resampling.worker`, so a script needs no `if __name__ == "__main__"`, and nothing of the
parent's threads is inherited. It ends as soon as the parent is gone.
"""

from __future__ import annotations

import os
import pickle
import queue
import struct
import sys
import threading
from typing import Any, BinaryIO

__all__ = ["main", "receive", "send"]

_LENGTH = struct.Struct("<Q")


def send(pipe: BinaryIO, message: Any) -> None:
    import cloudpickle

    content = cloudpickle.dumps(message)
    pipe.write(_LENGTH.pack(len(content)))
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
    from surefold.resampling.fold import run_fold

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
    _limit_memory(settings["max_memory"])
    from threadpoolctl import threadpool_limits

    with threadpool_limits(settings["threads"]):
        send(outbox, "ready")
        while True:
            model, split = waiting.get()
            send(outbox, run_fold(models[model], data, plan, split, settings["seed"]))


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


def _limit_memory(extra: int | None) -> None:
    """Let the process grow by `extra` bytes and no more."""
    if extra is None or os.name != "posix":
        return
    import resource

    try:
        with open("/proc/self/statm", encoding="ascii") as statm:
            now = int(statm.read().split()[0]) * resource.getpagesize()
    except OSError:
        now = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    resource.setrlimit(resource.RLIMIT_AS, (now + extra, now + extra))


if __name__ == "__main__":
    main()
