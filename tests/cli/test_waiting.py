"""Inputs that would keep a command waiting for ever: refused, or read with a word about what is awaited."""

import io
import os
import pty
import subprocess
import sys
import threading

import pytest

from surefold.errors import RunError
from surefold.inputs import files
from surefold.inputs.tables import read_table
from surefold.resampling.store import Store

TABLE = b"y,pred\n1,1\n0,0\n1,0\n0,0\n"
#: Shown as a regular file of no size; whoever may read it waits for the next message of the kernel.
KERNEL = "/proc/kmsg"


@pytest.mark.parametrize("words", [("assess", KERNEL), ("assess", KERNEL, "--memory", "1GB"), ("assess", "folder"),
                                   ("resume", KERNEL), ("assess", "p.csv", "--report", KERNEL)],
                         ids=lambda words: " ".join(words))  # fmt: skip
def test_what_the_system_shows_as_a_file_is_not_waited_for(tmp_path, words):
    (tmp_path / "p.csv").write_bytes(TABLE)
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "a.csv").symlink_to(KERNEL)
    command = [sys.executable, "-m", "surefold", *words]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False, timeout=120)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.decode().startswith("surefold: error: ")
    assert done.stderr.count(b"\n") == 1


@pytest.mark.parametrize("ending", ["-wal", "-shm", "-journal"])
def test_a_named_pipe_beside_a_store_is_refused(tmp_path, ending):
    Store(tmp_path / "runs.db").close()
    os.mkfifo(tmp_path / f"runs.db{ending}")
    for read_only in (False, True):
        with pytest.raises(RunError, match=f"runs.db{ending} is no regular file") as caught:
            Store(tmp_path / "runs.db", read_only=read_only)
        assert caught.value.code == "store_damaged"


def _read_from(descriptor, monkeypatch):
    with os.fdopen(descriptor, "rb") as stream:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(stream))
        return read_table("-").n


def test_a_pipe_that_stays_empty_is_told_of_and_then_read(monkeypatch, capsys):
    monkeypatch.setattr(files, "_PATIENCE", 0.05)
    reading, writing = os.pipe()

    def feed():
        os.write(writing, TABLE)
        os.close(writing)

    threading.Timer(0.4, feed).start()
    assert _read_from(reading, monkeypatch) == 4
    assert "waiting for a table on standard input" in capsys.readouterr().err


def test_a_terminal_is_told_how_to_end_and_a_full_pipe_is_told_nothing(monkeypatch, capsys):
    mine, theirs = pty.openpty()
    os.write(mine, TABLE + b"\x04")  # as typed, with Ctrl-D
    assert _read_from(theirs, monkeypatch) == 4
    assert "Ctrl-D ends it" in capsys.readouterr().err
    os.close(mine)
    reading, writing = os.pipe()
    os.write(writing, TABLE)
    os.close(writing)
    assert _read_from(reading, monkeypatch) == 4
    assert capsys.readouterr().err == ""
