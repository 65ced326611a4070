"""Who is at work on a fold, and is that process still there?

A process is named by machine, boot, process namespace, number and start time, so that neither a reused process number
nor a clock that jumps can make a dead one look alive. Where that cannot be looked up (another machine), its heartbeat
must move within a minute of our own clock.
"""

from __future__ import annotations

import os
import socket
import time
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

__all__ = ["BEAT_SECONDS", "STALE_SECONDS", "Owner", "Watch", "this_process"]

BEAT_SECONDS = 10.0
STALE_SECONDS = 60.0


@dataclass(frozen=True)
class Owner:
    """A process that holds a lease: the machine, its number, and when it was started."""

    machine: str
    process: int
    started: str

    def is_here(self) -> bool:
        """Whether this process can look that one up."""
        return self.machine == this_process().machine

    def is_alive(self) -> bool:
        """Only for a process of this machine."""
        return _started(self.process) == self.started


@lru_cache(maxsize=1)
def _this(process: int) -> Owner:
    return Owner(_machine(), process, _started(process))


def this_process() -> Owner:
    """The owner that this process is."""
    return _this(os.getpid())  # by number, so that a fork does not inherit its parent's name


def _machine() -> str:
    parts = [socket.gethostname()]
    for path in ("/proc/sys/kernel/random/boot_id",):
        try:
            parts.append(Path(path).read_text(encoding="ascii").strip())
        except OSError:
            parts.append("")
    try:
        parts.append(os.readlink("/proc/self/ns/pid"))
    except OSError:
        parts.append("")
    return " ".join(parts)


def _started(process: int) -> str:
    """When the process began, in the kernel's own count; empty if there is none, or "?" if nobody can say."""
    try:
        text = Path(f"/proc/{process}/stat").read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        if Path("/proc/self/stat").exists():
            return ""
    except OSError:
        return "?"
    else:
        fields = text.rpartition(")")[2].split()
        return "" if fields[0] in "ZX" else fields[19]
    if os.name == "nt":
        return "?"
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return ""
    except OSError:
        return "?"
    return "?"


class Watch:
    """Remembers when heartbeats last moved, by our own clock."""

    def __init__(self) -> None:
        self._seen: dict[int, tuple[int, float]] = {}

    def is_stale(self, owner: int, beat: int) -> bool:
        """Whether an owner's heart has stood still for longer than a lease lasts, by this process's clock."""
        now = time.monotonic()
        before = self._seen.get(owner)
        if before is None or before[0] != beat:
            self._seen[owner] = (beat, now)
            return False
        return now - before[1] > STALE_SECONDS
