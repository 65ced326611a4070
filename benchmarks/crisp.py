"""Labels: every measure with its interval, and the bootstrap."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.metrics import classification_report, f1_score

import surefold as sf
from benchmarks.bench import Bench

__all__ = ["benches"]


def _labels(n: int, classes: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, classes, n)
    return truth, np.where(rng.random(n) < 0.8, truth, rng.integers(0, classes, n))


def _everything(truth: Any, predicted: Any) -> None:
    """All label measures of the table and of each class, with intervals, and the verdict."""
    a = sf.assess(truth, predicted)
    assert len(a.overall) > 15
    for measures in a.per_class.values():
        dict(measures)
    str(a.verdict)


def _report(truth: Any, predicted: Any) -> None:
    classification_report(truth, predicted, output_dict=True)


def _int() -> Bench:
    truth, predicted = _labels(5_000_000, 10)
    return Bench(
        "crisp-int",
        "all label measures with intervals, n = 5e6, 10 classes, ints",
        "scikit-learn classification_report",
        30,
        lambda: _everything(truth, predicted),
        lambda: _report(truth, predicted),
        truth.nbytes + predicted.nbytes,
    )


def _str(kind: str) -> Bench:
    names = np.array([f"class {c}" for c in range(10)], dtype=object if kind == "object" else None)
    truth, predicted = (names[codes] for codes in _labels(1_000_000, 10))
    return Bench(
        f"crisp-str ({kind})",
        f"same, n = 1e6, strings in a numpy {kind} array",
        "scikit-learn classification_report",
        10,
        lambda: _everything(truth, predicted),
        lambda: _report(truth, predicted),
        truth.nbytes + predicted.nbytes,
    )


def _boot() -> Bench:
    truth, predicted = _labels(200_000, 5)
    draws, timed = 10_000, 10

    def loop() -> None:
        rng = np.random.default_rng(0)
        for _ in range(timed):
            rows = rng.integers(0, len(truth), len(truth))
            f1_score(truth[rows], predicted[rows], average="macro")

    def ours() -> None:
        sf.measure("f1_macro", truth, predicted, method="percentile", draws=draws, random_state=0)

    return Bench(
        "crisp-boot",
        "10,000 bootstrap macro-F1, n = 2e5, 5 classes",
        f"loop over scikit-learn f1_score ({timed} of {draws:,} draws timed)",
        2000,
        ours,
        loop,
        truth.nbytes + predicted.nbytes,
        timed / draws,
    )


def benches() -> Iterator[Bench]:
    warnings.simplefilter("ignore")
    yield _int()
    yield _str("unicode")
    yield _str("object")
    yield _boot()
