"""noise_curve: which labels are made wrong, that tested ones never are, and who suffers."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_iris, make_classification
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.validation import check_is_fitted

from surefold import Estimate
from surefold.errors import InputError
from surefold.learners import NaiveBayes
from surefold.resampling.dataset import Dataset
from surefold.resampling.evaluate import evaluate_plan
from surefold.studies import noise_curve
from surefold.studies.noise import TrainedOnNoise, flipped

X, Y = load_iris(return_X_y=True)
NAMES = np.array(["setosa", "versicolor", "virginica"])[Y]


class Parrot(ClassifierMixin, BaseEstimator):
    """Knows every row by heart: the first feature is the true label, and it remembers what it was told of it."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.wrong_ = float(np.mean(X[:, 0] != y))
        return self

    def predict(self, X):
        return X[:, 0].astype(int)


@given(st.lists(st.sampled_from("abc"), min_size=1, max_size=60), st.floats(0, 0.99), st.integers(0, 99))
def test_flipping(labels, share, seed) -> None:
    y = np.array(labels)
    wrong = flipped(y, share, np.random.RandomState(seed))
    expected = round(share * len(y)) if len(set(labels)) > 1 else 0
    assert (wrong != y).sum() == expected
    assert set(wrong.tolist()) <= set(labels)
    more = flipped(y, min(share + 0.2, 1), np.random.RandomState(seed))
    was_wrong = wrong != y
    assert np.array_equal(more[was_wrong], wrong[was_wrong])  # who was wrong stays wrong, in the same way


def test_other_classes_are_equally_likely() -> None:
    y = np.array(list("abcd") * 3000)
    wrong = flipped(y, 0.5, np.random.RandomState(0))
    to = [np.mean(wrong[(y == "a") & (wrong != "a")] == label) for label in "bcd"]
    assert np.allclose(to, 1 / 3, atol=4 * np.sqrt(1 / 3 * 2 / 3 / 1500))  # four standard errors


def test_tested_labels_are_never_touched() -> None:
    """A model that answers the true label whatever it was trained on makes no error at any share."""
    X = np.column_stack([Y, np.zeros(150)])
    curve = noise_curve(Parrot(), X, Y, shares=[0, 0.4], random_state=0)
    assert all(point.values.max() == 0 for point in curve.points())


def test_the_share_is_that_of_the_training_rows() -> None:
    model = TrainedOnNoise(Parrot(), 0.2, random_state=0).fit(np.column_stack([Y, Y]), Y)
    assert model.model_.wrong_ == 30 / 150


def test_no_noise_is_the_model_itself() -> None:
    curve = noise_curve(NaiveBayes(), X, NAMES, shares=[0], random_state=4)
    plain = evaluate_plan(NaiveBayes(), Dataset.of(X, NAMES), curve.plan)
    assert curve.points()[0].values.tolist() == plain.values("error_rate").tolist()


def test_who_suffers() -> None:
    """A tree grown to the end learns wrong labels by heart, so with 30 % of them it errs on about as many rows; means
    and variances hardly move, because wrong labels are spread over both classes.

    Over eight seeds of data and folds the tree lost .26 to .30, naive Bayes -.00 to .06.
    """
    X, y = make_classification(1000, 5, n_informative=5, n_redundant=0, class_sep=2.0, random_state=0)
    curve = noise_curve({"tree": DecisionTreeClassifier(), "naive": NaiveBayes()}, X, y, shares=[0, 0.3],
                        random_state=0)  # fmt: skip
    tree, naive = (curve.change(0.3, model=name) for name in ("tree", "naive"))
    assert isinstance(tree, Estimate)
    assert tree.low > 0.15
    assert naive.value < 0.12
    assert tree.low > naive.high
    assert curve.at(0.3, "tree")["leaves"].value > 3 * curve.at(0, "tree")["leaves"].value


def test_scores_pass_through() -> None:
    y = np.where(Y == 1, "yes", "no")
    curve = noise_curve(LinearSVC(), X, y, shares=[0.1], measure="roc_auc", pos_label="yes", random_state=0, folds=5)
    assert 0.5 < curve.points()[0].estimate.value <= 1
    wrapped = TrainedOnNoise(LinearSVC())
    assert hasattr(wrapped, "decision_function")
    assert not hasattr(wrapped, "predict_proba")
    check_is_fitted(TrainedOnNoise(NaiveBayes()).fit(X, y))


def test_laws() -> None:
    first = noise_curve(NaiveBayes(), X, NAMES, shares=[0, 0.2], random_state=1)
    more = noise_curve({"tree": DecisionTreeClassifier(), "NaiveBayes": NaiveBayes()}, X, NAMES, shares=[0.4, 0.2, 0],
                       random_state=1)  # fmt: skip
    assert more.x == [0, 0.2, 0.4]
    for x in (0, 0.2):
        assert first.at(x).values.tolist() == more.at(x, "NaiveBayes").values.tolist()


def test_telling(tmp_path) -> None:
    curve = noise_curve(NaiveBayes(), X, NAMES, shares=[0, 0.2], folds=5, repeats=2, store=tmp_path / "n.db")
    again = noise_curve(NaiveBayes(), X, NAMES, shares=[0, 0.2], folds=5, repeats=2, store=tmp_path / "n.db")
    assert again.to_dict() == curve.to_dict()  # even the seconds: nothing was fitted again
    assert "\nerror_rate by share of wrong training labels, 150 rows, 5 folds, 2 times\n" in str(curve)
    assert curve.to_frame().columns[:3] == ["model", "wrong_labels", "error_rate"]
    json.dumps(curve.to_dict(), allow_nan=False)


@pytest.mark.parametrize("shares", [[], [-0.1], [1.0], ["half"], None])
def test_refusals(shares) -> None:
    with pytest.raises(InputError):
        noise_curve(NaiveBayes(), X, NAMES, shares=shares)
