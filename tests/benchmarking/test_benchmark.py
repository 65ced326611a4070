"""benchmark: models over data sets, run once and asked afterwards."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_iris
from sklearn.utils import Bunch

import surefold as sf
from surefold.benchmarking.benchmark import benchmark
from surefold.benchmarking.result import Benchmark
from surefold.errors import InputError, RunError, UnknownNameError
from surefold.learners import DecisionTree, FullBayes, NaiveBayes
from surefold.resampling.store import Store

approx = pytest.approx
RNG = np.random.default_rng(4)


def rows(shift, n=40, classes=("no", "yes")):
    y = np.array(classes * (n // 2))
    return RNG.normal(size=(n, 2)) + shift * (y == classes[1])[:, None], y


DATASETS = {"near": rows(0.8), "far": rows(2.0), "numbers": rows(1.2, classes=(0, 1))}
MODELS = {"naive": NaiveBayes(), "full": FullBayes(), "tree": DecisionTree(max_depth=2)}


@pytest.fixture(scope="module")
def run():
    return benchmark(MODELS, DATASETS, folds=4, random_state=0, pos_label={"near": "yes", "far": "yes"})


class Picky(ClassifierMixin, BaseEstimator):
    """Refuses data whose first value is above a limit: so a test decides where fits fail."""

    def __init__(self, limit=50.0):
        self.limit = limit

    def fit(self, X, y):
        if np.asarray(X).max() > self.limit:
            raise ValueError("too large")
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


def test_every_cell_is_the_mean_over_the_folds_of_cross_validate(run):
    table = run.table()
    assert (table.measure, table.better) == ("accuracy", "higher")
    for name, (X, y) in DATASETS.items():
        alone = sf.cross_validate(MODELS, X, y, folds=4, random_state=0)
        for model in MODELS:
            assert table[name, model] == alone[model].values("accuracy").mean()
    assert np.array_equal(np.asarray(table), table.values)


def test_other_measures_are_asked_without_a_refit(run):
    errors = run.table("error_rate")
    assert errors.better == "lower"
    assert errors.values == approx(1 - run.table("accuracy").values)
    assert run.table("roc_auc")["far", "naive"] == run.studies["far"]["naive"].mean("roc_auc")
    weighed = run.table("fbeta", beta=2.0)["near", "tree"]
    assert weighed == run["near"]["tree"].mean("fbeta", beta=2.0)
    with pytest.raises(UnknownNameError, match="accuracy"):
        run.table("acuracy")


def test_frames_and_plain_values(run):
    frame = run.to_frame()
    assert frame.height == 9
    assert frame.columns[:5] == ["data_set", "model", "accuracy", "low", "high"]
    first = run.studies["near"]["naive"]["accuracy"]
    assert frame.row(0)[2:5] == (first.value, first.low, first.high)
    assert frame["folds"].to_list() == [4] * 9
    assert run.to_frame("f1", "pandas").shape[0] == 9
    assert run.table().to_frame().columns == ["data_set", *MODELS]
    told = json.loads(json.dumps(run.to_dict(), allow_nan=False))
    assert told["kind"] == "benchmark"
    assert told["values"] == run.table().values.tolist()
    assert len(told["cells"]) == 9
    assert "fit_seconds" not in json.dumps(told)


def test_text_has_every_interval_and_the_average_ranks(run):
    text = str(run)
    assert text.startswith("3 models over 3 data sets: accuracy (higher is better)")
    for name in DATASETS:
        for model in MODELS:
            assert str(run.studies[name][model]["accuracy"]) in text
    ranks = run.table().ranks.mean(axis=0)
    assert text.split("average rank")[1].split("\n")[0].split() == [f"{rank:.2f}" for rank in ranks]


def test_what_a_data_set_may_be():
    X, y = DATASETS["near"]
    groups = np.arange(40) // 2
    b = benchmark({"naive": NaiveBayes()}, {"pair": (X, y), "three": [X, y, groups], "bunch": Bunch(data=X, target=y)},
                  folds=4, random_state=0)  # fmt: skip
    assert b["three"].plan.fingerprint != b["pair"].plan.fingerprint
    for split in b["three"].plan:
        assert not set(groups[split.train]) & set(groups[split.test])
    assert b["bunch"].plan.fingerprint == b["pair"].plan.fingerprint
    five = benchmark({"naive": NaiveBayes()}, {"pair": (X, y)}, cv="5x2", random_state=0)
    assert len(five["pair"].plan) == 10


@pytest.mark.parametrize(
    ("datasets", "code"),
    [({}, "no_rows"), ([(1, 2)], "not_an_array"), (load_iris(), "not_an_array"), ({"a": 3}, "bad_shape"),
     ({"a": (1, 2, 3, 4)}, "bad_shape"), ({2: ([[1.0]], [0])}, "bad_option"), ({" ": ([[1.0]], [0])}, "bad_option")],
)  # fmt: skip
def test_what_is_no_data_set_is_refused_before_anything_runs(datasets, code):
    with pytest.raises(InputError) as caught:
        benchmark(MODELS, datasets)
    assert caught.value.code == code


def test_options_and_models_are_checked_at_the_door():
    data = {"near": DATASETS["near"]}
    with pytest.raises(InputError, match="bad_model"):
        benchmark(NaiveBayes(), data)
    with pytest.raises(InputError, match="bad_model"):
        benchmark({"naive": NaiveBayes}, data)
    with pytest.raises(UnknownNameError, match="stratified"):
        benchmark(MODELS, data, stratifed=True)  # type: ignore[call-arg]
    with pytest.raises(UnknownNameError, match="group"):
        benchmark(MODELS, data, groups=[1])  # type: ignore[call-arg]
    with pytest.raises(UnknownNameError, match="data set 'nera'"):
        benchmark(MODELS, data, pos_label={"nera": "yes"})
    with pytest.raises(UnknownNameError, match="accuracy"):
        benchmark(MODELS, data, measure="acuracy")
    with pytest.raises(InputError, match="folds"):  # wrong for every data set, so it is an error and not a failure
        benchmark(MODELS, DATASETS, folds=1)


def test_one_data_set_that_fails_does_not_lose_the_rest():
    X, y = DATASETS["near"]
    datasets = {"bad": (X[:3], y[:3]), "large": (X + 100, y), "good": (X, y), "fine": (X + 1, y)}
    options: Any = {"folds": 4, "random_state": 0, "retries": 0, "shortcut": False}
    b = benchmark({"naive": NaiveBayes(), "picky": Picky()}, datasets, **options)
    assert list(b.failures) == ["bad"]
    assert list(b.missing) == [("bad", "naive"), ("bad", "picky"), ("large", "picky")]
    assert not b.complete
    assert "3 of 8 cells are incomplete" in b.status
    assert "too large" in b.missing["large", "picky"]
    assert "INCOMPLETE" in str(b)
    assert "missing" in str(b)
    assert [f.evidence["dataset"] for f in b.findings if f.code == "incomplete"] == ["bad", "large"]
    table = b.table()
    assert np.isnan(table.values).sum() == 3
    assert table["large", "naive"] == b["large"]["naive"].mean("accuracy")
    with pytest.raises(RunError, match="was not run"):
        b["bad"]
    with pytest.raises(UnknownNameError, match="nothere"):
        b["nothere"]
    json.dumps(b.to_dict(), allow_nan=False)
    frame = b.to_frame()
    assert frame["reason"].null_count() == 5
    with pytest.raises(InputError, match="missing='drop'") as refused:
        b.compare()
    assert refused.value.code == "missing_value"
    assert "2 data sets" not in str(refused.value)
    c = b.compare(missing="drop")
    assert c.datasets == ("good", "fine")
    assert list(c.dropped) == ["bad", "large"]
    assert "Left out for missing values: bad and large." in c.verdict


def test_a_model_that_fails_everywhere_on_the_only_data_is_an_error():
    X, y = DATASETS["near"]
    with pytest.raises(RunError, match="too large"):
        benchmark({"picky": Picky()}, {"one": (X + 100, y), "two": (X + 200, y)}, folds=4, retries=0)


def test_a_measure_that_no_cell_has_is_refused():
    X, y = DATASETS["near"]
    b = benchmark({"one": Picky(), "two": Picky()}, {"a": (X, y), "b": (X, y)}, folds=4, random_state=0)
    with pytest.raises(InputError, match="undefined on every data set") as refused:
        b.table("brier")
    assert refused.value.code == "undefined_folds"
    assert not b.estimate("a", "one", "brier").defined


def test_one_store_holds_all_and_a_second_call_runs_nothing(tmp_path):
    store, log = tmp_path / "runs.db", tmp_path / "fits"

    class Counted(NaiveBayes):
        def fit(self, X, y, sample_weight=None):
            with log.open("a") as file:
                file.write(".")
            return super().fit(X, y, sample_weight)

    first = benchmark({"counted": Counted()}, DATASETS, folds=4, store=store)
    with Store(store, read_only=True) as opened:
        assert sorted(opened.run_names()) == sorted(DATASETS)
    assert log.read_text() == "." * 12
    again = benchmark({"counted": Counted()}, DATASETS, folds=4, store=store)  # the seed is that of the store
    assert log.read_text() == "." * 12
    assert json.dumps(again.to_dict()) == json.dumps(first.to_dict())
    more = benchmark({"counted": Counted()}, {**DATASETS, "new": rows(1.0)}, folds=4, store=store)
    assert log.read_text() == "." * 16
    assert more["new"].plan.random_state == first["near"].plan.random_state
    opened_again = sf.open_run(store, "far")
    assert isinstance(opened_again, sf.Resampled)  # of one model
    assert opened_again.fingerprint == first["far"].fingerprint
    named = benchmark({"counted": Counted()}, {"near": DATASETS["near"]}, folds=4, store=store, run="second")
    assert named["near"].fingerprint != first["near"].fingerprint
    with pytest.raises(RunError, match="changed_run"):  # the store is at fault, not a data set
        benchmark({"counted": Counted()}, {**DATASETS, "far": rows(1.0)}, folds=4, store=store)


SCRIPT = """
import hashlib, json, os, sys, time
import numpy as np
from sklearn.naive_bayes import GaussianNB
from surefold.benchmarking.benchmark import benchmark

class Slow(GaussianNB):
    def fit(self, X, y, sample_weight=None):
        with open(os.environ["FITS"], "a") as log:
            log.write(".")
        time.sleep(0.03)
        return super().fit(X, y, sample_weight)

rng = np.random.default_rng(0)
y = np.tile([0, 1], 30)
datasets = {name: (rng.normal(size=(60, 2)) + shift * y[:, None], y) for name, shift in (("a", 1), ("b", 2), ("c", 3))}
models = {"slow": Slow(), "smooth": Slow(var_smoothing=0.5)}
b = benchmark(models, datasets, folds=5, random_state=7, store=sys.argv[1])
held = [each.held.scores.tobytes() for study in b.studies.values() for each in study.models.values()]
print(json.dumps(b.to_dict()))
print(json.dumps(b.compare().to_dict()))
print(hashlib.sha256(b"".join(held)).hexdigest())
"""


def test_killed_in_the_middle_and_called_again_it_gives_the_same_bytes(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)

    def call(name):
        where = {"env": {**os.environ, "FITS": str(tmp_path / f"{name}.log")}}
        return {"args": [sys.executable, str(script), str(tmp_path / f"{name}.db")], **where}

    whole = subprocess.run(**call("whole"), capture_output=True, check=True)
    killed = subprocess.Popen(**call("cut"), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    deadline = time.monotonic() + 60
    while _done(tmp_path / "cut.db") < 13:  # of 30 folds: in the second data set
        assert killed.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.01)
    os.kill(killed.pid, signal.SIGKILL)
    killed.communicate()
    kept = _done(tmp_path / "cut.db")
    assert 13 <= kept < 30
    before = len((tmp_path / "cut.log").read_text())
    resumed = subprocess.run(**call("cut"), capture_output=True, check=True)
    assert resumed.stdout == whole.stdout
    assert len((tmp_path / "cut.log").read_text()) - before <= 30 - kept


def _done(path: Path) -> int:
    if not path.exists():
        return 0
    try:
        with closing(sqlite3.connect(path)) as db:
            return int(db.execute("SELECT count(*) FROM folds WHERE state = 'done'").fetchone()[0])
    except sqlite3.OperationalError:
        return 0


def test_the_bar_counts_fits(capfd, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    X, y = DATASETS["near"]
    benchmark({"naive": NaiveBayes()}, {"a": (X, y), "b": (X, y)}, folds=4, random_state=0, progress=True)
    told = capfd.readouterr().err
    assert "fits of 1 model over 2 data sets" in told
    assert "8/8" in told
    with pytest.raises(InputError, match="folds"):
        benchmark({"naive": NaiveBayes()}, {"a": (X, y), "b": (X, y)}, folds="ten", progress=True)  # type: ignore[arg-type]
    capfd.readouterr()
    benchmark({"naive": NaiveBayes()}, {"a": (X, y), "b": (X, y)}, folds=4, random_state=0, progress=False)
    assert capfd.readouterr().err == ""


def test_a_given_table_has_no_studies():
    b = Benchmark.of_table([[0.9, 0.8], [0.7, 0.6]], models=["a", "b"])
    assert (len(b), list(b), b.complete) == (2, ["data set 1", "data set 2"], True)
    assert b.estimate("data set 1", "a").value == 0.9
    assert b.to_frame()["rows"].to_list() == [None] * 4
    with pytest.raises(UnknownNameError, match="roc_auc"):
        b.table("roc_auc")
    with pytest.raises(UnknownNameError, match="data set 1"):
        b["data set 1"]
    json.dumps(b.to_dict(), allow_nan=False)


def test_one_area_spans_data_sets_of_two_and_of_many_classes():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    two, three = np.where(X[:, 0] > 0, "yes", "no"), np.array(["a", "b", "c"])[np.digitize(X[:, 1], [-0.5, 0.5])]
    b = benchmark({"naive": NaiveBayes()}, {"two": (X, two), "three": (X, three)}, measure="roc_auc", folds=3,
                  random_state=0)  # fmt: skip
    assert b.complete
    assert b["two"]["naive"]["roc_auc"].name == "roc_auc"  # the same whichever of two classes is positive
    assert b["three"]["naive"]["roc_auc"].name == "roc_auc_hand_till"


@pytest.mark.parametrize("measure", ["f1", "average_precision"])
def test_a_measure_of_one_class_asks_for_it_before_anything_is_fitted(measure):
    with pytest.raises(InputError, match=r"pos_label=\{'near': 'yes', 'far': 'yes'\}") as caught:
        benchmark({"never": Picky(limit=-1e9)}, DATASETS, measure=measure, folds=4)
    assert caught.value.code == "positive_class_unknown"
    assert "'far'" in caught.value.problem
    assert "numbers" not in caught.value.problem  # 0 and 1 say it themselves
    said = benchmark({"naive": NaiveBayes()}, DATASETS, measure=measure, folds=4, random_state=0,
                     pos_label={"near": "yes", "far": "no"})  # fmt: skip
    assert said.complete


def test_a_value_that_folds_do_not_have_is_missing_with_a_reason():
    """Twelve rows of one class in forty and a model that never answers it: its precision is undefined in every fold."""
    X, y = np.arange(40.0).reshape(-1, 1), np.array([1] * 12 + [0] * 28)
    b = benchmark({"no": Picky(), "naive": NaiveBayes()}, {"one": (X, y), "two": (X, y)}, measure="precision", folds=3,
                  random_state=0)  # fmt: skip
    assert set(b.missing) >= {("one", "no"), ("two", "no")}
    assert not b.complete
    assert "undefined" in b.missing["one", "no"]
    assert b.missing == dict(b.table().reasons)
    assert "INCOMPLETE" in str(b)
    assert "undefined" in b.status
