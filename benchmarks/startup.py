"""How long a person waits before anything happens."""

from __future__ import annotations

import csv
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

__all__ = ["Limit", "limits"]

Limit = tuple[str, float, float]


def _seconds(command: list[str]) -> float:
    times = []
    for _ in range(5):
        start = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        times.append(time.perf_counter() - start)
    return min(times)


def _import_seconds() -> float:
    """What `import surefold` adds to a bare interpreter."""
    return _seconds([sys.executable, "-c", "import surefold"]) - _seconds([sys.executable, "-c", "pass"])


def _cold_seconds(rows: int) -> float:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, rows)
    predicted = np.where(rng.random(rows) < 0.8, truth, 1 - truth)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "predictions.csv"
        with path.open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["truth", "pred"])
            writer.writerows(zip(truth.tolist(), predicted.tolist(), strict=True))
        return _seconds([sys.executable, "-m", "surefold.cli.main", "assess", str(path)])


def limits() -> list[Limit]:
    """(what, seconds measured, seconds allowed)."""
    return [
        ("import surefold, s", _import_seconds(), 0.15),
        ("surefold assess, 1,000 rows, cold, s", _cold_seconds(1_000), 1.5),
    ]
