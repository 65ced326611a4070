"""Many models on the same rows, every pair of them, on five measures."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn import metrics

from benchmarks.bench import Bench
from surefold.comparison import compare

__all__ = ["benches"]

ROWS, MODELS, CLASSES = 100_000, 50, 3
MEASURES = ("accuracy", "balanced_accuracy", "f1_macro", "mcc", "kappa")


def _models() -> tuple[Any, dict[str, Any]]:
    rng = np.random.default_rng(20)
    truth = rng.integers(0, CLASSES, ROWS)
    return truth, {
        f"model {i}": np.where(rng.random(ROWS) < 0.7 + i / 250, truth, rng.integers(0, CLASSES, ROWS))
        for i in range(MODELS)
    }


def _pairs() -> Bench:
    truth, models = _models()

    def loop() -> None:
        """The five values of each model, once, and their differences; no interval and no test."""
        table = np.array([
            [
                metrics.accuracy_score(truth, predicted),
                metrics.balanced_accuracy_score(truth, predicted),
                metrics.f1_score(truth, predicted, average="macro"),
                metrics.matthews_corrcoef(truth, predicted),
                metrics.cohen_kappa_score(truth, predicted),
            ]
            for predicted in models.values()
        ])  # fmt: skip
        _ = table[:, None] - table[None]

    return Bench(
        "pairs",
        f"{MODELS} models, n = 1e5, {CLASSES} classes: all {MODELS * (MODELS - 1) // 2:,} pairs on five measures, with "
        "intervals, tests and verdicts",
        "scikit-learn: the five values of each model, without intervals or tests",
        1,
        lambda: compare(truth, models, measure=list(MEASURES)),
        loop,
        truth.nbytes * (1 + MODELS),
    )


def benches() -> Iterator[Bench]:
    yield _pairs()
