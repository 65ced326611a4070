"""One measure after the other in every slice of many rows, with intervals and tests against the rest."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from sklearn import metrics

from benchmarks.bench import Bench
from surefold.comparison.slices.slices import slices

__all__ = ["benches"]

ROWS, SLICES = 1_000_000, 500
MEASURES = ("accuracy", "recall", "precision", "roc_auc", "brier")


def benches() -> Iterator[Bench]:
    """A million rows in 500 slices."""
    rng = np.random.default_rng(25)
    truth = rng.integers(0, 2, ROWS)
    scores = 1 / (1 + np.exp(-(rng.normal(0, 1, ROWS) + 2 * truth - 1)))
    called = (scores > 0.5).astype(int)
    region = np.array([f"region {i}" for i in range(SLICES)])[rng.integers(0, SLICES, ROWS)]

    def loop() -> None:
        """The five values of each slice, once; no interval, no test and nothing of the rest."""
        for level in np.unique(region):
            y, p, s = (x[region == level] for x in (truth, called, scores))
            metrics.accuracy_score(y, p)
            metrics.recall_score(y, p)
            metrics.precision_score(y, p)
            metrics.roc_auc_score(y, s)
            metrics.brier_score_loss(y, s)

    yield Bench(
        "slices",
        f"n = 1e6 in {SLICES} slices: three measures of labels and two of scores, with intervals at once "
        "for all slices and tests against the rest",
        "scikit-learn: the five values of each slice, without intervals or tests",
        1,
        lambda: slices(truth, called, y_score=scores, by={"region": region}, measure=list(MEASURES), pos_label=1),
        loop,
        truth.nbytes * 3 + region.nbytes,
    )
