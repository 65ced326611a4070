"""Who is at work: processes are told apart by when they began, and others' heartbeats are timed by our own clock."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from surefold.resampling import lease
from surefold.resampling.lease import Owner, Watch, this_process


def test_this_process_is_here_and_alive():
    me = this_process()
    assert me.process == os.getpid()
    assert me.is_here()
    assert me.is_alive()
    assert me == this_process()


def test_a_dead_process_and_a_reused_number():
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    other = Owner(this_process().machine, child.pid, lease._started(child.pid))
    assert other.is_alive()
    assert not Owner(other.machine, child.pid, "12345").is_alive()  # the same number, begun at another time
    child.kill()
    while lease._started(child.pid):
        time.sleep(0.01)
    assert not other.is_alive()  # though nobody has waited for it yet
    child.communicate()
    assert not other.is_alive()


def test_another_machine_is_not_looked_up():
    assert not Owner("elsewhere", os.getpid(), this_process().started).is_here()


def test_a_fork_has_a_name_of_its_own():
    code = (
        "import os\nfrom surefold.resampling.lease import this_process\n"
        "before = this_process()\npid = os.fork()\n"
        "if not pid: os._exit(this_process().process == os.getpid() and this_process() != before)\n"
        "raise SystemExit(0 if os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 1 else 1)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_heartbeats_are_stale_by_our_own_clock(monkeypatch):
    now = [1000.0]
    monkeypatch.setattr("surefold.resampling.lease.time.monotonic", lambda: now[0])
    watch = Watch()
    assert not watch.is_stale(1, 5)
    now[0] += lease.STALE_SECONDS + 1
    assert watch.is_stale(1, 5)
    assert not watch.is_stale(1, 6)  # it moved
    now[0] += lease.STALE_SECONDS - 1
    assert not watch.is_stale(1, 6)


@pytest.mark.parametrize("alive", [True, False])
def test_without_proc_the_number_must_do(monkeypatch, alive: bool):
    def gone(path: Path, *_: object, **__: object) -> str:
        raise FileNotFoundError(path)

    def kill(process: int, number: int) -> None:
        if not alive:
            raise ProcessLookupError

    monkeypatch.setattr(Path, "read_text", gone)
    monkeypatch.setattr(Path, "exists", lambda path: False)
    monkeypatch.setattr(os, "kill", kill)
    assert lease._started(4711) == ("?" if alive else "")
    monkeypatch.setattr(os, "readlink", gone)
    assert lease._machine().strip()
