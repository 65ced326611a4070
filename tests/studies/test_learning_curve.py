"""learning_curve: nested training sets, what stands beside the error, and how it falls."""

import json
from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_iris, make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from surefold.errors import InputError, UnknownNameError
from surefold.estimates.cross_validated import corrected_interval
from surefold.learners import FullBayes, NaiveBayes
from surefold.resampling.drawing import Draws
from surefold.studies import learning_curve
from surefold.studies.learning_curve import nested_order

X, Y = load_iris(return_X_y=True)
NAMES = np.array(["setosa", "versicolor", "virginica"])[Y]


class Shy(ClassifierMixin, BaseEstimator):
    """Fits only if there are rows enough."""

    def fit(self, X, y):
        if len(X) < 50:
            raise ValueError("too few rows for me")
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


@pytest.mark.parametrize("seed", range(5))
def test_every_beginning_of_the_order_keeps_the_shares(seed: int) -> None:
    codes = np.repeat([0, 1, 2], [60, 30, 10])
    order = nested_order(codes, Draws(seed, 1))
    assert sorted(order.tolist()) == list(range(100))
    assert set(codes[order[:3]].tolist()) == {0, 1, 2}
    for rows in range(3, 101):
        expected = rows * np.array([0.6, 0.3, 0.1])
        assert np.abs(np.bincount(codes[order[:rows]], minlength=3) - expected).max() <= 2


def test_training_sets_are_nested_and_tests_are_shared() -> None:
    curve = learning_curve(NaiveBayes(), X, NAMES, sizes=[15, 0.5, 1.0], folds=5, random_state=0)
    assert curve.x == [15, 60, 120]
    plan = curve.plan
    for first in range(0, len(plan), 3):
        small, middle, large = (plan[first + s] for s in range(3))
        assert set(small.train) < set(middle.train) < set(large.train)
        assert small.test.tolist() == middle.test.tolist() == large.test.tolist()
        assert not set(large.train) & set(large.test)
    assert len({(int(r), int(f)) for r, f in zip(plan.repeat, plan.fold, strict=True)}) == len(plan)


def test_the_interval_is_the_corrected_one_of_the_whole_training_parts() -> None:
    curve = learning_curve(NaiveBayes(), X, NAMES, sizes=[15, 1.0], folds=5, repeats=2, random_state=1)
    for point in curve.points():
        expected = corrected_interval(point.values, n_train=120, n_test=30, folds=5)
        assert point.estimate.interval == expected.interval
        assert point.estimate.value == pytest.approx(point.values.mean())
    assert len(curve.points()[0].values) == 10


def test_change_is_paired() -> None:
    curve = learning_curve(NaiveBayes(), X, NAMES, sizes=[45, 1.0], random_state=0)
    change = curve.change(135)
    first, last = curve.points()
    assert change.value == pytest.approx(last.estimate.value - first.estimate.value)
    assert change.interval == corrected_interval(last.values - first.values, 135, 15, folds=10, limits=(-1, 1)).interval
    assert curve.change(45, since=135).value == -change.value


def test_more_rows_help_the_model_that_can_use_them() -> None:
    """Two normal classes with the same mean whose covariances differ: only the full model has what it takes.

    With 40 rows for its 270 numbers it is poor. Over eight seeds its error fell from .33-.40 at 40 rows to .13-.16 at
    1,200, where the naive model was still at .34-.38; the margins below are half of what was seen.
    """
    rng = np.random.default_rng(0)
    n, d = 1400, 15
    mix = np.linalg.qr(rng.standard_normal((d, d)))[0] * np.sqrt(np.linspace(0.1, 3, d))
    y = rng.integers(2, size=n)
    X = np.where(y[:, None] == 1, rng.standard_normal((n, d)) @ mix.T, rng.standard_normal((n, d)) * 1.1)
    models = {"naive": NaiveBayes(), "full": FullBayes(ridge=1e-6)}
    curve = learning_curve(models, X, y, sizes=[40, 150, 1200], random_state=0)
    few, _, many = (float(point.estimate) for point in curve["full"])
    assert many < few - 0.1
    assert curve.change(1200, model="full").high < 0
    assert many < float(curve.at(1200, "naive").estimate) - 0.1


def test_speed() -> None:
    """Nearest neighbours by brute force: predicting costs more with more rows, fitting next to nothing."""
    X, y = make_classification(6000, 20, random_state=0)
    models = {"near": KNeighborsClassifier(algorithm="brute"), "line": LogisticRegression()}
    curve = learning_curve(models, X, y, sizes=[100, 4500], folds=4, random_state=0)
    near = curve["near"]
    assert near[1].predict_seconds.value > 2 * near[0].predict_seconds.value  # 45 times the distances
    assert all(0 <= p.fit_seconds.low <= p.fit_seconds.value <= p.fit_seconds.high for p in near)
    slope = curve.scaling("near")
    assert slope.low <= slope.value <= slope.high < 1.2  # storing rows is linear at worst
    assert near[0]["fit_seconds"] is near[0].fit_seconds


def test_scaling_is_the_slope_of_logarithms() -> None:
    curve = learning_curve(NaiveBayes(), X, NAMES, sizes=[10, 20, 40], random_state=0)
    for power, point in zip((10, 20, 40), curve.points(), strict=True):
        point.fits[:] = 3.0 * power**1.5
    assert float(curve.scaling()) == pytest.approx(1.5)
    with pytest.raises(InputError):
        learning_curve(NaiveBayes(), X, NAMES, sizes=[10], random_state=0).scaling()


def test_sizes_of_models() -> None:
    models: dict[str, Any] = {
        "tree": DecisionTreeClassifier(),
        "forest": RandomForestClassifier(5),
        "bayes": NaiveBayes(),
    }
    curve = learning_curve(models, X, NAMES, sizes=[15, 1.0], folds=5, random_state=0)
    small, large = curve["tree"]
    assert 1 < small["leaves"].value < large["leaves"].value
    assert large["depth"].value >= 2
    assert curve["forest"][0]["members"].value == 5
    assert curve["forest"][1]["leaves"].value > 5 * 2
    assert curve["bayes"][0].size == {}
    with pytest.raises(UnknownNameError):
        curve["bayes"][0]["leaves"]


def test_a_failing_size_is_undefined_and_says_why() -> None:
    curve = learning_curve({"shy": Shy(), "bayes": NaiveBayes()}, X, NAMES, sizes=[20, 100], random_state=0)
    few, enough = curve["shy"]
    assert not few.estimate.defined
    assert "10 of 10 fits failed" in few.estimate.reason
    assert "too few rows for me" in few.estimate.reason
    assert enough.estimate.value == pytest.approx(2 / 3)
    assert not curve.change(100, model="shy").defined
    assert "undefined" in str(curve)
    json.dumps(curve.to_dict(), allow_nan=False)
    assert curve.to_frame()["error_rate"].null_count() == 1


def test_any_measure() -> None:
    y = np.where(Y == 1, "yes", "no")
    curve = learning_curve(NaiveBayes(), X[:, :2], y, measure="auc", pos_label="yes", sizes=[30, 1.0], random_state=0)
    assert curve.measure == "roc_auc"
    assert 0.5 < float(curve.at(135).estimate) < 0.9
    with pytest.raises(UnknownNameError):
        learning_curve(NaiveBayes(), X, y, measure="auk")


def test_laws() -> None:
    """The same seed gives the same curve, alone or beside another model; names of classes do not matter."""
    alone = learning_curve(NaiveBayes(), X, Y, sizes=[12, 60], random_state=3)
    both = learning_curve({"tree": DecisionTreeClassifier(), "NaiveBayes": NaiveBayes()}, X, NAMES, sizes=[12, 60],
                          random_state=3)  # fmt: skip
    for one, two in zip(alone.points(), both["NaiveBayes"], strict=True):
        assert one.values.tolist() == two.values.tolist()
    assert alone.plan.fingerprint == both.plan.fingerprint


def test_groups_stay_together() -> None:
    groups = np.arange(150) // 3
    curve = learning_curve(NaiveBayes(), X, NAMES, groups=groups, sizes=[30], folds=5, random_state=0)
    for split in curve.plan:
        assert not set(groups[split.train]) & set(groups[split.test])


def test_telling() -> None:
    curve = learning_curve({"tree": DecisionTreeClassifier(), "bayes": NaiveBayes()}, X, NAMES, folds=5, random_state=0)
    text = str(curve)
    assert "\nerror_rate by training rows, 150 rows, 5 folds\n" in text
    assert "leaves" in text
    json.dumps(curve.to_dict(), allow_nan=False)
    frame = curve.to_frame()
    assert frame.shape[0] == 10
    assert frame["leaves"].null_count() == 5
    assert curve.to_frame("pandas").shape == frame.shape
    assert list(curve) == ["tree", "bayes"]
    assert len(curve) == 2
    with pytest.raises(InputError, match="say which"):
        curve.points()
    with pytest.raises(UnknownNameError):
        curve["forest"]
    with pytest.raises(UnknownNameError):
        curve.at(7, "tree")


@pytest.mark.parametrize("sizes", [[], [0.0], [1.5], [2], [1000], ["many"], "all", 5])
def test_refusals(sizes) -> None:
    with pytest.raises(InputError):
        learning_curve(NaiveBayes(), X, NAMES, sizes=sizes)
