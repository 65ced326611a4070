"""Leave-one-out and cross-validation, against scikit-learn's."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from sklearn.model_selection import LeaveOneOut, RepeatedStratifiedKFold, cross_val_score
from sklearn.model_selection import cross_validate as sk_cross_validate
from sklearn.naive_bayes import GaussianNB

import surefold as sf
from benchmarks.bench import Bench
from benchmarks.startup import Limit
from surefold.learners import NaiveBayes
from surefold.resampling.dataset import Dataset
from surefold.resampling.fold import Held
from surefold.resampling.folds import leave_one_out_plan
from surefold.resampling.ledger import Task
from surefold.resampling.runs import plan_arrays
from surefold.resampling.store import Run, Store
from surefold.resampling.store_ledger import RunLedger

#: Ours, and the scorers that scikit-learn is given for the same.
MEASURES = {
    "accuracy": "accuracy",
    "balanced_accuracy": "balanced_accuracy",
    "f1": "f1",
    "precision": "precision",
    "recall": "recall",
    "roc_auc": "roc_auc",
    "brier": "neg_brier_score",
}


def benches() -> Iterator[Bench]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 10))
    y = (X[:, 0] + X[:, 1] ** 2 + rng.normal(size=2000) > 1).astype(int)

    def ours_loo() -> float:
        return sf.leave_one_out(NaiveBayes(), X, y)["accuracy"].value

    def theirs_loo() -> float:
        return float(cross_val_score(NaiveBayes(), X, y, cv=LeaveOneOut()).mean())

    if abs(ours_loo() - theirs_loo()) > 1e-12:
        raise AssertionError("leave-one-out differs")
    yield Bench("loo", "leave-one-out of NaiveBayes with an interval, n = 2,000, d = 10",
                "cross_val_score(LeaveOneOut)", 1000, ours_loo, theirs_loo, X.nbytes)  # fmt: skip

    def ours_cv() -> list[float]:
        r = sf.cross_validate(GaussianNB(), X, y, folds=10, repeats=10, random_state=0)
        return [r[name].value for name in MEASURES]

    def theirs_cv() -> dict[str, np.ndarray]:
        cv = RepeatedStratifiedKFold(n_splits=10, n_repeats=10, random_state=0)
        return sk_cross_validate(GaussianNB(), X, y, cv=cv, scoring=list(MEASURES.values()))

    yield Bench("cv", "10 x 10 folds of GaussianNB, seven measures with intervals, n = 2,000",
                "cross_validate, the same scorers", 2, ours_cv, theirs_cv, X.nbytes)  # fmt: skip


def store_seconds(folds: int = 300) -> float:
    """What keeping a fold costs: claimed, written through to the disk, read back; the median of fold by fold."""
    X = np.random.default_rng(0).normal(size=(folds * 2, 5))
    data = Dataset.of(X, np.tile([0, 1], folds))
    plan = leave_one_out_plan(data.codes, random_state=0)
    tasks = [Task("m", i) for i in range(folds)]
    held = Held(np.zeros(200, dtype=np.int32), np.zeros((200, 2)), "probability", 0.1, 0.01)
    run = Run("run", {"key": "k"}, {"truth": data.codes, **plan_arrays(plan)}, {"m": {}})
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as folder, Store(Path(folder) / "runs.db") as store:
        store.write_run(run)
        ledger = RunLedger(store, "run", "k", tasks, retries=1)
        seconds = []
        for _ in tasks:
            start = time.perf_counter()
            task = ledger.claim()
            if task is None:
                raise AssertionError("there is a task left")
            ledger.record(task, held)
            seconds.append(time.perf_counter() - start)
        ledger.close()
        start = time.perf_counter()
        if sum(outcome is not None for _, outcome in store.outcomes("run", "k")) != folds:
            raise AssertionError("a fold is missing")
        reading = (time.perf_counter() - start) / folds
    return float(np.median(seconds)) + reading


def limits() -> list[Limit]:
    return [("a fold kept in a store (1 % of a fold of 100 ms), s", store_seconds(), 0.001)]
