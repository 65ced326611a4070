"""Scores: the area with its interval, its bootstrap, two areas, and a whole file."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import norm, rankdata
from sklearn.metrics import average_precision_score, classification_report, roc_auc_score

import surefold as sf
from benchmarks.bench import Bench
from surefold.comparison import delong_test
from surefold.estimates.score_draws import auc_replicates
from surefold.inputs.columns import find_columns, predictions_from_table
from surefold.inputs.tables import read_table
from surefold.tallies.score_groups import ScoreGroups

__all__ = ["benches"]


def _scored(n: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, n)
    return truth, np.clip(rng.normal(0.35 + 0.3 * truth, 0.2), 0, 1)


def _auc() -> Bench:
    truth, scores = _scored(5_000_000)
    return Bench(
        "auc",
        "AUC with its interval, n = 5e6",
        "scikit-learn roc_auc_score",
        20,
        lambda: sf.measure("roc_auc", truth, y_score=scores),
        lambda: roc_auc_score(truth, scores),
        truth.nbytes + scores.nbytes,
    )


def _auc_boot() -> Bench:
    truth, scores = _scored(100_000)
    draws, timed = 1_000, 20

    def loop() -> None:
        rng = np.random.default_rng(0)
        for _ in range(timed):
            rows = rng.integers(0, len(truth), len(truth))
            roc_auc_score(truth[rows], scores[rows])

    return Bench(
        "auc-boot",
        "1,000 bootstrap AUCs, n = 1e5",
        f"loop over roc_auc_score ({timed} of {draws:,} draws timed)",
        60,
        lambda: auc_replicates(ScoreGroups.of(scores, truth == 1), draws, 0),
        loop,
        truth.nbytes + scores.nbytes,
        timed / draws,
    )


def _delong() -> Bench:
    truth, first = _scored(1_000_000)
    second = np.clip(first + np.random.default_rng(1).normal(0, 0.1, len(first)), 0, 1)

    def theirs() -> Any:
        """The usual way by midranks (Sun and Xu, 2014): six rankings, without a loop in Python."""
        positive = truth == 1
        m, n = int(positive.sum()), int((~positive).sum())
        up, down = np.empty((2, m)), np.empty((2, n))
        for i, s in enumerate((first, second)):
            x, y = s[positive], s[~positive]
            together = rankdata(np.concatenate([x, y]))
            up[i] = (together[:m] - rankdata(x)) / n
            down[i] = 1 - (together[m:] - rankdata(y)) / m
        both = np.cov(up) / m + np.cov(down) / n
        apart = up[0].mean() - up[1].mean()
        return 2 * norm.sf(abs(apart) / np.sqrt(both[0, 0] + both[1, 1] - 2 * both[0, 1]))

    return Bench(
        "delong",
        "paired test of two AUCs, n = 1e6",
        "midranks by scipy rankdata (MLstatkit, with loops in Python, takes several times as long)",
        5,
        lambda: delong_test(truth, first, second),
        theirs,
        truth.nbytes + first.nbytes + second.nbytes,
    )


def _csv(folder: Path) -> Bench:
    path = folder / "predictions.csv"
    truth, scores = _scored(5_000_000)
    names = np.array(["no", "yes"])
    frame = pd.DataFrame({"truth": names[truth], "label": names[(scores >= 0.5).astype(int)], "score": scores.round(6)})
    frame.to_csv(path, index=False)

    def ours() -> None:
        table = read_table(path)
        columns = find_columns(table, truth="truth", pred="label", score="score")
        sf.assess(predictions_from_table(table, columns, pos_label="yes")).to_dict()

    def theirs() -> None:
        data = pd.read_csv(path)
        classification_report(data["truth"], data["label"], output_dict=True)
        roc_auc_score(data["truth"] == "yes", data["score"])
        average_precision_score(data["truth"] == "yes", data["score"])

    return Bench(
        "csv",
        "5e6-row CSV of truth, label, score to a full assessment",
        "pandas + scikit-learn (report, AUC, average precision)",
        5,
        ours,
        theirs,
        path.stat().st_size,
    )


def benches() -> Iterator[Bench]:
    yield _auc()
    yield _auc_boot()
    yield _delong()
    with tempfile.TemporaryDirectory() as folder:
        yield _csv(Path(folder))
