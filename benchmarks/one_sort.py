"""Scores against the limits of the machine: one sort, every measure, small data, and a file of five million rows."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars
from numpy.typing import NDArray
from sklearn.calibration import calibration_curve
from sklearn.metrics import average_precision_score, brier_score_loss, log_loss, roc_auc_score, roc_curve

import surefold as sf
from benchmarks.bench import Bench, best_of
from benchmarks.startup import Limit

__all__ = ["benches", "limits"]

_ROWS = 5_000_000
_COMMAND = """
import sys
from pathlib import Path
from surefold.cli.main import main
try:
    main(sys.argv[1:])
finally:
    held = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
    print(int(held.split()[1]) / 1024, file=sys.stderr)
"""


def _scored(n: int) -> tuple[NDArray[Any], NDArray[np.float64]]:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, n)
    return truth, np.clip(rng.normal(0.35 + 0.3 * truth, 0.2), 0, 1)


def _sort() -> Bench:
    truth, scores = _scored(_ROWS)
    return Bench(
        "sort",
        "AUC with its interval, n = 5e6",
        "numpy's sort of the same scores, and nothing else",
        1 / 2.5,
        lambda: sf.measure("roc_auc", truth, y_score=scores),
        lambda: np.sort(scores),
        truth.nbytes + scores.nbytes,
    )


def _all_scores() -> Bench:
    truth, scores = _scored(_ROWS)
    names = [name for name in sf.assess(truth[:1000], y_score=scores[:1000]) if name in sf.measures.catalogue.of_scores]

    def ours() -> None:
        a = sf.assess(truth, y_score=scores)
        for name in names:
            a.measure(name)

    def theirs() -> None:
        """What scikit-learn has of them: areas, losses, the curve that Smirnov's distance is read off, and bins."""
        roc_auc_score(truth, scores)
        average_precision_score(truth, scores)
        brier_score_loss(truth, scores)
        log_loss(truth, scores)
        roc_curve(truth, scores)
        calibration_curve(truth, scores, n_bins=15)
        calibration_curve(truth, scores, n_bins=10, strategy="quantile")

    return Bench(
        "all-scores",
        f"{len(names)} measures of scores with intervals, n = 5e6",
        "scikit-learn: the values that it has of them (five, a ROC curve, two sets of bins), without intervals",
        15,
        ours,
        theirs,
        truth.nbytes + scores.nbytes,
    )


def benches() -> Iterator[Bench]:
    """Each on data of its own."""
    yield _sort()
    yield _all_scores()


def _dictionary(n: int) -> float:
    truth, scores = _scored(n)
    return best_of(lambda: sf.assess(truth, y_score=scores).to_dict(), 10)


def _written(folder: str) -> tuple[str, str]:
    """The same rows as CSV and as Parquet."""
    truth, scores = _scored(_ROWS)
    names = np.array(["no", "yes"])
    called = names[(scores >= 0.5).astype(int)]
    frame = polars.DataFrame({"truth": names[truth], "label": called, "score": scores.round(6)})
    csv, parquet = (str(Path(folder) / f"rows.{kind}") for kind in ("csv", "parquet"))
    frame.write_csv(csv)
    frame.write_parquet(parquet)
    return csv, parquet


def _command(path: str) -> tuple[float, float]:
    """Seconds of the whole command, and the most memory that it held, in MB: the best of three."""
    words = ["assess", path, "--truth", "truth", "--pred", "label", "--score", "score", "--pos-label", "yes", "--quiet"]
    found = []
    for _ in range(3):
        start = time.perf_counter()
        run = subprocess.run([sys.executable, "-c", _COMMAND, *words], capture_output=True, text=True, env=os.environ)
        found.append((time.perf_counter() - start, float(run.stderr.splitlines()[-1])))
    return min(found)


def limits() -> list[Limit]:
    """(what, measured, allowed)."""
    with tempfile.TemporaryDirectory() as folder:
        csv, parquet = _written(folder)
        alone = best_of(lambda: polars.read_csv(csv))
        (of_csv, csv_held), (of_parquet, parquet_held) = _command(csv), _command(parquet)
    return [
        ("to_dict, labels and scores, 1,000 rows, s", _dictionary(1_000), 0.02),
        ("to_dict, labels and scores, 10,000 rows, s", _dictionary(10_000), 0.03),
        ("surefold assess, Parquet of 5e6 rows, times what polars takes to read the CSV", of_parquet / alone, 5),
        ("the same, most memory held, MB", parquet_held, 400),
        ("surefold assess, CSV of 5e6 rows, times what polars takes to read it", of_csv / alone, 7),
        ("the same, most memory held, MB", csv_held, 400),
    ]
