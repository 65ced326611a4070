"""Folds on a Dask cluster: the same answers as here, the data sent once, and a dead worker costs its folds a rerun."""

import os
import signal
import sys
from pathlib import Path
from typing import Any

import cloudpickle
import numpy as np
import pytest
from joblib import parallel_config
from sklearn.naive_bayes import GaussianNB

import surefold as sf

cloudpickle.register_pickle_by_value(sys.modules[__name__])  # workers do not see the tests
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:distributed", "ignore::ResourceWarning")

RNG = np.random.default_rng(0)
X = RNG.normal(size=(400, 5))
Y = (X[:, 0] + RNG.normal(size=400) > 0).astype(int)


class Dies(GaussianNB):
    """Kills its worker on the first fit that any process makes, or on every one without a marker to leave."""

    def __init__(self, marker: str | None = None) -> None:
        super().__init__()
        self.marker = marker

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "Dies":
        if self.marker is None:
            os.kill(os.getpid(), signal.SIGKILL)
        elif not os.path.exists(self.marker):
            with open(self.marker, "w", encoding="utf-8") as file:
                file.write("died here")
            os.kill(os.getpid(), signal.SIGKILL)
        super().fit(X, y)
        return self


def validate(model: Any, **options: Any) -> sf.Resampled:
    found: sf.Resampled = sf.cross_validate(model, X, Y, folds=5, repeats=2, random_state=0, **options)
    return found


def test_the_data_are_sent_once(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    here, sent, scatter = validate(GaussianNB()), [], client.scatter

    def counted(*data: Any, **options: Any) -> Any:
        sent.append(options)
        return scatter(*data, **options)

    monkeypatch.setattr(client, "scatter", counted)
    with parallel_config("dask"):
        there = validate(GaussianNB())
    assert np.array_equal(there.held.predicted, here.held.predicted)
    assert np.array_equal(there.held.scores, here.held.scores)  # type: ignore[arg-type]
    assert [options["broadcast"] for options in sent] == [True]


def test_a_worker_that_dies_costs_its_folds_a_second_run(client: Any, tmp_path: Path) -> None:
    marker = tmp_path / "died"
    with parallel_config("dask"):
        found = validate(Dies(str(marker)), store=tmp_path / "runs.db")
    assert marker.read_text() == "died here"
    assert not found.failures
    assert np.array_equal(found.held.predicted, validate(GaussianNB()).held.predicted)


def test_a_model_that_always_kills_its_worker_is_a_failed_run(client: Any) -> None:
    scheduler = client.cluster.scheduler
    before, scheduler.allowed_failures = scheduler.allowed_failures, 0
    try:
        with parallel_config("dask"), pytest.raises(sf.RunError, match="fit_failed"):
            sf.cross_validate(Dies(), X, Y, folds=2, random_state=0, retries=0)
    finally:
        scheduler.allowed_failures = before
