"""Dask workers on this machine, for as long as they are needed.

They are started as a command in a session of its own. Processes that multiprocessing starts would run the caller's
script again where it has no `if __name__ == "__main__"`, and an interrupt at the terminal would reach them too. The
scheduler is in this process: if it dies, they end by themselves.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from surefold.errors import RunError

__all__ = ["workers_here"]

#: How long workers may take to start, and to end before they are killed.
START_SECONDS, END_SECONDS = 60, 3


@contextlib.contextmanager
def workers_here() -> Iterator[Any]:
    """A client of as many workers as there are cores; nothing of them is left afterwards."""
    from distributed import Client, LocalCluster

    cores = os.cpu_count() or 1
    with contextlib.ExitStack() as held:
        room = held.enter_context(tempfile.TemporaryDirectory(prefix="surefold-dask-", ignore_cleanup_errors=True))
        where = {"scheduler_kwargs": {"local_directory": room}, "dashboard_address": "127.0.0.1:0"}
        cluster = held.enter_context(LocalCluster(n_workers=0, **where))  # type: ignore[no-untyped-call]
        held.enter_context(_started(cluster.scheduler_address, cores, Path(room)))
        client = held.enter_context(Client(cluster))  # type: ignore[no-untyped-call]
        try:
            client.wait_for_workers(cores, timeout=START_SECONDS)
        except TimeoutError:
            last = (Path(room) / "log").read_text(encoding="utf-8", errors="replace").strip().splitlines()[-1:]
            problem = f"Dask's workers did not start within {START_SECONDS} s ({''.join(last)[:300] or 'no word'})"
            raise RunError("worker_lost", problem, cure="start a cluster, and give its address as cluster=") from None
        yield client


@contextlib.contextmanager
def _started(scheduler: str, workers: int, room: Path) -> Iterator[None]:
    options = ["--nworkers", str(workers), "--nthreads", "1", "--no-dashboard", "--local-directory", str(room)]
    command = [sys.executable, "-m", "dask", "worker", scheduler, *options, "--death-timeout", "10"]
    with (room / "log").open("wb") as log:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)
    try:
        yield
    finally:
        process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(END_SECONDS)
        with contextlib.suppress(ProcessLookupError):  # what is left of its session, if anything is
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
