"""Racing against the full grid on real data: how many fits it saves, and whether it chooses as well.

python -m benchmarks.selection
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris, load_wine
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import surefold as sf

__all__ = ["Raced", "data_sets", "models", "race_against_grid", "table"]

#: Fits of the full grid for each fit of the race, and how much worse its choice may be on new rows, on average.
AT_LEAST, NO_WORSE = 2.0, 0.01
FOLDS, REPEATS, SEEDS = 10, 3, 3

Array = NDArray[Any]


@dataclass(frozen=True)
class Raced:
    """One data set: fits of grid and race, and the accuracy of both choices on rows set aside, for each seed."""

    name: str
    rows: int
    full_fits: int
    race_fits: int
    full: tuple[float, ...]
    race: tuple[float, ...]
    seconds: float

    @property
    def ratio(self) -> float:
        return self.full_fits / self.race_fits

    @property
    def loss(self) -> float:
        """How much accuracy the race gave away on rows set aside, on average over the seeds."""
        return float(np.mean(np.subtract(self.full, self.race)))


def data_sets() -> dict[str, tuple[Array, Array]]:
    """Five real sets that come with scikit-learn; of the digits 600 rows; diabetes as above or below its median."""
    digits, target = load_digits(return_X_y=True)
    some = np.random.default_rng(0).permutation(len(target))[:600]
    diabetes, progress = load_diabetes(return_X_y=True)
    return {
        "iris": load_iris(return_X_y=True),
        "wine": load_wine(return_X_y=True),
        "breast cancer": load_breast_cancer(return_X_y=True),
        "digits, 600 rows": (digits[some], target[some]),
        "diabetes, above median": (diabetes, (progress > np.median(progress)).astype(int)),
    }


def models() -> dict[str, Any]:
    """Four kinds of learner with the wide grids that people search when they do not know better: 38 candidates."""

    def scaled(model: Any) -> Pipeline:
        return Pipeline([("scale", StandardScaler()), ("model", model)])

    return {
        "bayes": (GaussianNB(), {"var_smoothing": [1e-9, 1e-3, 1.0]}),
        "tree": (DecisionTreeClassifier(random_state=0), {"max_depth": [1, 2, 3, 5, None],
                                                          "min_samples_leaf": [1, 10, 30]}),
        "neighbours": (scaled(KNeighborsClassifier()), {"model__n_neighbors": [1, 5, 15, 45]}),
        "svm": (scaled(SVC()), {"model__C": [0.001, 0.1, 10.0, 1000.0], "model__gamma": [1e-5, 1e-3, 0.1, 10.0]}),
    }  # fmt: skip


def race_against_grid(name: str, X: Array, y: Array, seeds: int = SEEDS) -> Raced:
    """Search two thirds of the rows both ways, judge both choices on the last third."""
    start = time.perf_counter()
    fits, accuracy = np.zeros(2, dtype=int), np.zeros((2, seeds))
    for seed in range(seeds):
        X_in, X_out, y_in, y_out = train_test_split(X, y, test_size=1 / 3, random_state=seed, stratify=y)
        for how, race in enumerate((False, True)):
            s = sf.select(models(), X_in, y_in, test_size=None, folds=FOLDS, repeats=REPEATS, race=race,
                          random_state=seed, progress=False)  # fmt: skip
            fits[how] += s.fits
            accuracy[how, seed] = float((s.estimator.predict(X_out) == y_out).mean())
    full, raced = (tuple(each.tolist()) for each in accuracy)
    return Raced(name, len(y), int(fits[0]), int(fits[1]), full, raced, time.perf_counter() - start)


def table(found: list[Raced]) -> str:
    lines = [
        "| data | rows | fits, grid | fits, race | ratio | accuracy, grid | accuracy, race | lost |",
        "|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for r in found:
        full, race = float(np.mean(r.full)), float(np.mean(r.race))
        lines.append(
            f"| {r.name} | {r.rows:,} | {r.full_fits:,} | {r.race_fits:,} | {r.ratio:.1f}x | {full:.3f} | {race:.3f} "
            f"| {r.loss:+.3f} |"
        )
    mean = float(np.mean([r.loss for r in found]))
    how = f"{len(found[0].full)} searches a data set, {REPEATS} x {FOLDS} folds each"
    return "\n".join([*lines, "", f"{how}; accuracy lost on average over the data sets: {mean:+.4f}"])


def main() -> int:
    found = []
    for name, (X, y) in data_sets().items():
        found.append(race_against_grid(name, X, y))
        print(f"{name}: {found[-1].seconds:.0f} s", file=sys.stderr, flush=True)
    print(table(found))
    missed = [r.name for r in found if r.ratio < AT_LEAST]
    worse = float(np.mean([r.loss for r in found])) > NO_WORSE
    if missed or worse:
        print(f"missed: {', '.join([*missed, *(['the choice is worse'] if worse else [])])}", file=sys.stderr)
    return 1 if missed or worse else 0


if __name__ == "__main__":
    sys.exit(main())
