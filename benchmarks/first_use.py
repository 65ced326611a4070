"""What a person meets first: a tree and an area where nothing was compiled yet, and a table with an ID and many levels.

Every figure is of a process of its own, with an empty cache of compiled code. Memory is what the process held at once
(resident), libraries included.
"""

from __future__ import annotations

import csv
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from benchmarks.bench import Bench
from benchmarks.startup import Limit

__all__ = ["benches", "limits"]

_ROWS, _LEVELS, _FOLDS = 20_000, 500, 10

_TREE = """
import time
from sklearn.datasets import make_classification
from surefold.learners import DecisionTree
X, y = make_classification({rows}, 10, n_informative=5, flip_y=0.05, random_state=0)
start = time.perf_counter()
DecisionTree().fit(X, y).predict(X)
print(time.perf_counter() - start)
"""
_COMPILED = (
    "from surefold.learners.trees.training_rows import TrainingRows\nTrainingRows.grows_compiled = lambda *_: True\n"
)
_AREA = """
import time
import numpy as np
import surefold
rng = np.random.default_rng(0)
y = rng.integers(0, 2, 1000)
s = rng.random(1000) + 0.3 * y
start = time.perf_counter()
surefold.measure("roc_auc", y, y_score=s, pos_label=1)
print(time.perf_counter() - start)
"""
_RESIDENT = """
import sys
from pathlib import Path
from surefold.cli.main import main
main(sys.argv[1:])
held = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
print(int(held.split()[1]) / 1024)
"""


def _first(script: str) -> float:
    """The best of three first times."""
    return min(_printed(script, []) for _ in range(3))


def _printed(script: str, words: list[str]) -> float:
    with tempfile.TemporaryDirectory() as cache:
        where = {**os.environ, "NUMBA_CACHE_DIR": cache}
        command = [sys.executable, "-c", script, *words]
        made = subprocess.run(command, env=where, check=True, stdout=subprocess.PIPE, text=True)
    return float(made.stdout.splitlines()[-1])


def _table() -> tuple[list[str], list[list[object]]]:
    """An ID, a column of 500 levels that matter, five numbers of which one does, and the class."""
    rng = np.random.default_rng(0)
    numbers, level, effect = rng.normal(size=(_ROWS, 5)), rng.integers(0, _LEVELS, _ROWS), rng.normal(size=_LEVELS)
    y = numbers[:, 0] + effect[level] + rng.logistic(size=_ROWS) > 0
    rows: list[list[object]] = [
        [f"c{i:05}", f"city{level[i]}", *numbers[i].round(3).tolist(), "yes" if y[i] else "no"] for i in range(_ROWS)
    ]
    return ["id", "city", *"abcde", "y"], rows


def _write(folder: str) -> str:
    path = Path(folder) / "wide.csv"
    head, rows = _table()
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([head, *rows])
    return str(path)


def _words(path: str) -> list[str]:
    folds = ["--folds", str(_FOLDS), "--repeats", "1"]
    return ["evaluate", path, "--target", "y", "--pos-label", "yes", "--model", "logistic", *folds, "--quiet"]


def _wide() -> Bench:
    folder = tempfile.TemporaryDirectory()
    path = _write(folder.name)
    head, rows = _table()

    def ours() -> None:
        subprocess.run([sys.executable, "-m", "surefold", *_words(path)], check=True, capture_output=True)
        assert folder  # the file stays as long as this does

    def theirs() -> None:
        import pandas as pd

        frame = pd.DataFrame(rows, columns=head)
        words, numbers = ["id", "city"], list("abcde")
        one_hot = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
        prepare = ColumnTransformer([("n", StandardScaler(), numbers), ("w", one_hot, words)])
        train = np.arange(_ROWS) % _FOLDS > 0
        model = make_pipeline(prepare, LogisticRegression(max_iter=1000))
        model.fit(frame[train], frame["y"][train]).predict_proba(frame[~train])

    return Bench(
        "wide",
        f"surefold evaluate, {_FOLDS} folds, {_ROWS:,} rows with an ID and a {_LEVELS}-level column, the whole command",
        f"scikit-learn's dense one-hot columns and logistic regression in a loop (1 of {_FOLDS} folds timed)",
        30,
        ours,
        theirs,
        Path(path).stat().st_size,
        1 / _FOLDS,
    )


def benches() -> Iterator[Bench]:
    yield _wide()


def limits() -> list[Limit]:
    """(what, measured, allowed)."""
    with tempfile.TemporaryDirectory() as folder:
        held = _printed(_RESIDENT, _words(_write(folder)))
    return [
        ("first tree, 1,000 rows, nothing compiled, s", _first(_TREE.format(rows=1_000)), 0.3),
        ("first compiled tree, 20,000 rows, empty cache, s", _first(_COMPILED + _TREE.format(rows=20_000)), 3.5),
        ("first area with its interval, 1,000 rows, s", _first(_AREA), 0.1),
        (f"surefold evaluate, {_ROWS:,} rows with an ID and {_LEVELS} levels, resident MB", held, 1_000),
    ]
