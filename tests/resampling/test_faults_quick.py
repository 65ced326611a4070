"""Signals and kills of a whole process: it ends at once, finished folds are kept, the same call goes on from there."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
SCRIPT = """
import sys
import numpy as np
import surefold as sf
from tests.resampling.odd_models import SlowAndCounted
X = np.random.default_rng(0).normal(size=(60, 2)) + np.repeat([[0.0], [2.0]], 30, axis=0)
model = SlowAndCounted(log=sys.argv[2], seconds=float(sys.argv[4]))
found = sf.cross_validate(
    model, X, np.repeat([0, 1], 30), folds=10, repeats=2, random_state=1,
    store=sys.argv[1] or None, n_jobs=int(sys.argv[3]), progress=False,
)
print(found.held.predicted.tobytes().hex(), found.held.scores.tobytes().hex())
"""


def start(folder: Path, jobs: int, seconds: float = 0.05, store: bool = True) -> subprocess.Popen[str]:
    arguments = [str(folder / "runs.db") if store else "", str(folder / "fits"), str(jobs), str(seconds)]
    command = [sys.executable, "-c", SCRIPT, *arguments]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, cwd=ROOT, stdout=pipe, stderr=pipe, text=True, preexec_fn=_heeds_signals)


def _heeds_signals() -> None:
    """Under nohup, or in the background of a shell, these are ignored, and children take that over."""
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def fits(folder: Path) -> int:
    return (folder / "fits").read_text().count("fit") if (folder / "fits").exists() else 0


def until(ready: Any, seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not ready():
        assert time.monotonic() < end
        time.sleep(0.005)


def descendants(parent: int) -> list[int]:
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                of = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                continue
            if of == parent:
                found += [int(entry.name), *descendants(int(entry.name))]
    return found


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> str:
    process = start(tmp_path_factory.mktemp("undisturbed"), 1, seconds=0.0, store=False)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    return out


@pytest.mark.parametrize(
    ("number", "jobs"),
    [(signal.SIGINT, 1), (signal.SIGINT, 2), (signal.SIGTERM, 2), (signal.SIGHUP, 1), (signal.SIGKILL, 2)],
    ids=lambda value: getattr(value, "name", f"n_jobs={value}"),
)
def test_a_stopped_run_goes_on(number: signal.Signals, jobs: int, tmp_path: Path, undisturbed: str):
    process = start(tmp_path, jobs)
    until(lambda: fits(tmp_path) >= 6)
    workers = descendants(process.pid)
    assert len(workers) == (jobs if jobs > 1 else 0)
    asked = time.monotonic()
    process.send_signal(number)
    _, err = process.communicate(timeout=30)
    assert time.monotonic() - asked < 2.0
    assert process.returncode != 0
    if number != signal.SIGKILL:
        assert "folds are safe in" in err
        assert number == signal.SIGINT or process.returncode == 128 + number
        assert ("KeyboardInterrupt" in err) == (number == signal.SIGINT)
    until(lambda: not any(os.path.exists(f"/proc/{worker}") for worker in workers), 2.0)
    begun = fits(tmp_path)
    again = start(tmp_path, 1, 0.05)
    out, err = again.communicate(timeout=60)
    assert out == undisturbed, err
    assert fits(tmp_path) <= 20 + jobs
    assert fits(tmp_path) < begun + 20  # what was finished was not fitted again
    assert [file.name for file in tmp_path.iterdir() if "runs" in file.name] == ["runs.db"]


def test_a_run_without_a_store_ends_as_fast(tmp_path: Path):
    process = start(tmp_path, 2, seconds=1.0, store=False)
    until(lambda: fits(tmp_path) >= 2)
    workers = descendants(process.pid)
    asked = time.monotonic()
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=30)
    assert time.monotonic() - asked < 2.0
    until(lambda: not any(os.path.exists(f"/proc/{worker}") for worker in workers), 2.0)
