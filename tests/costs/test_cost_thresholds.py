"""Costs as thresholds chosen out of fold, and what classifiers made from another keep of it."""

import json
import math
import pickle
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC

from surefold.costs.cost_sensitive import METHODS, cost_sensitive
from surefold.costs.duplicated import CostDuplicated
from surefold.costs.example import SLICK_COSTS, simulated_oil_slicks
from surefold.costs.learners import CostLearner
from surefold.costs.shown_threshold import shown_threshold
from surefold.costs.threshold import CostThreshold, LeastCost, chosen_multipliers
from surefold.costs.weighted import CostWeighted
from surefold.curves.thresholds import least_cost_classes
from surefold.errors import InputError
from surefold.learners import NaiveBayes
from surefold.resampling.models import describe

COSTS = ((0.0, 1.0), (20.0, 0.0))
X, Y = simulated_oil_slicks(1000, share=0.1)


# thresholds


class OneColumn(ClassifierMixin, BaseEstimator):
    """Its probability is the first column, whatever it is trained on."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X):
        return np.column_stack([1 - X[:, 0], X[:, 0]])

    def predict(self, X):
        return self.classes_[(X[:, 0] >= 0.5).astype(int)]


def test_the_threshold_by_hand() -> None:
    """Scores .1 to .8; yes at .3, .6, .8. Of 9 for a miss and 1 for an alarm .3 costs three alarms; .6 costs 9 + 1."""
    scores = np.array([[0.1], [0.2], [0.3], [0.4], [0.5], [0.6], [0.7], [0.8]])
    y = np.array([0, 0, 1, 0, 0, 1, 0, 1])
    model = CostThreshold(OneColumn(), [[0, 1], [9, 0]], cv=2, random_state=0).fit(scores, y)
    assert model.threshold_ == 0.3
    assert model.predict(scores).tolist() == [0, 0, 1, 1, 1, 1, 1, 1]
    # A miss of 1 and an alarm of 9: .8 leaves two misses, and everything below it adds alarms.
    assert CostThreshold(OneColumn(), [[0, 9], [1, 0]], cv=2, random_state=0).fit(scores, y).threshold_ == 0.8
    never = CostThreshold(OneColumn(), [[0, 9], [1, 0]], cv=2, random_state=0).fit(scores, 1 - y)
    assert (never.threshold_, never.predict(scores).tolist()) == (math.inf, [0] * 8)


class ByHeart(ClassifierMixin, BaseEstimator):
    """Sure of rows that it was trained on, and at a loss with others."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.known_ = dict(zip(X[:, 0].tolist(), y.tolist(), strict=True))
        return self

    def predict_proba(self, X):
        p = np.array([float(self.known_.get(x, 0.3)) for x in X[:, 0].tolist()])
        return np.column_stack([1 - p, p])

    def predict(self, X):
        return self.predict_proba(X).argmax(axis=1)


def test_the_threshold_is_chosen_out_of_fold() -> None:
    """On its own rows any threshold above 0 would do; on others all scores are .3, and answering yes is cheaper."""
    x, y = np.arange(20.0).reshape(-1, 1), np.array([0, 1] * 10)
    model = CostThreshold(ByHeart(), [[0, 1], [9, 0]], random_state=0).fit(x, y)
    assert model.threshold_ == 0.3
    assert model.predict(np.array([[99.0]])).tolist() == [1]


def test_decision_values_will_do_and_labels_may_stand_in_any_order() -> None:
    svm = CostThreshold(LinearSVC(), COSTS, random_state=0).fit(X, Y)
    assert np.mean(svm.predict(X)[Y == "slick"] == "slick") > np.mean(
        svm.estimator_.predict(X)[Y == "slick"] == "slick"
    )
    turned = ((0.0, 20.0), (1.0, 0.0))
    for inside in (LinearSVC(), NaiveBayes()):
        both = [
            CostThreshold(inside, costs, labels=labels, random_state=0).fit(X, Y)
            for costs, labels in ((COSTS, None), (turned, ("slick", "look-alike")))
        ]
        answers = [model.predict(X) for model in both]
        # the thresholds are observed scores of either class, so they may differ by one row at the edge
        assert np.mean(answers[0] != answers[1]) <= 0.03


def test_a_class_of_one_row_cannot_choose_a_threshold() -> None:
    with pytest.raises(InputError, match="cannot be left out"):
        CostThreshold(NaiveBayes(), COSTS).fit(X[:20], np.array(["a"] * 19 + ["b"]))


def test_many_classes() -> None:
    """Three classes on a line; answering "c" to an "a" is ruinous, so those between are answered "b"."""
    rng = np.random.default_rng(0)
    y = np.repeat(np.array(["a", "b", "c"]), 60)
    x = rng.normal(np.repeat([0.0, 1.0, 2.0], 60), 0.7)[:, None]
    costs = ((0.0, 1.0, 30.0), (1.0, 0.0, 1.0), (1.0, 1.0, 0.0))
    found = cost_sensitive(GaussianNB(), x, y, costs, folds=5, random_state=0, methods=(*METHODS, "least_cost"))
    assert found["class_weight"].reason == "GaussianNB has no class_weight"
    assert found.costly == "a"
    for method in ("threshold", "least_cost"):
        cell = found[method]
        assert cell.cost.value < found["plain"].cost.value
        assert math.isnan(cell.threshold.value)
        assert cell.threshold.reason == "many classes have no single threshold"
    assert "Breiman's sums" in str(found)
    least = LeastCost(GaussianNB(), costs).fit(x, y)
    by_hand = [min("abc", key=lambda j: sum(p * costs[i]["abc".index(j)] for i, p in enumerate(row)))
               for row in least.predict_proba(x).tolist()]  # fmt: skip
    assert least.predict(x).tolist() == by_hand


def test_multipliers_never_cost_more_than_none() -> None:
    rng = np.random.default_rng(1)
    for _ in range(20):
        p, codes = rng.dirichlet(np.ones(3), size=40), rng.integers(3, size=40)
        matrix = rng.uniform(0, 5, size=(3, 3)) * (1 - np.eye(3))
        cost = [matrix[codes, least_cost_classes(p * m, matrix)].sum()
                for m in (np.ones(3), chosen_multipliers(p, codes, matrix))]  # fmt: skip
        assert cost[1] <= cost[0]


# as scikit-learn's own


@pytest.mark.parametrize("wrap", [CostWeighted, CostDuplicated, CostThreshold, LeastCost])
def test_they_clone_pickle_and_describe_themselves(wrap: Any) -> None:
    model: CostLearner = wrap(LogisticRegression(C=0.5), COSTS)
    again = clone(model).set_params(estimator__C=2.0)
    assert (model.estimator.C, again.estimator.C) == (0.5, 2.0)
    assert describe(model) != describe(again)
    assert describe(model) == describe(pickle.loads(pickle.dumps(model)))
    assert describe(model) != describe(wrap(LogisticRegression(C=0.5), ((0.0, 1.0), (21.0, 0.0))))
    fitted = clone(model).set_params(**({"random_state": 0} if "random_state" in model.get_params() else {})).fit(X, Y)
    back = pickle.loads(pickle.dumps(fitted))
    assert back.predict(X).tolist() == fitted.predict(X).tolist()
    assert fitted.classes_.tolist() == ["look-alike", "slick"]
    assert fitted.n_features_in_ == 5
    assert hasattr(fitted, "decision_function")
    assert not hasattr(wrap(LinearSVC(), COSTS), "predict_proba")


def test_other_kinds_of_x() -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(X, columns=list("abcde"))
    first = cost_sensitive(LogisticRegression(), frame, Y, SLICK_COSTS, pos_label="slick", folds=3, random_state=0)
    second = cost_sensitive(LogisticRegression(), X, Y, SLICK_COSTS, pos_label="slick", folds=3, random_state=0)
    assert [cell.cost for cell in first] == [cell.cost for cell in second]
    sparse = cost_sensitive(LogisticRegression(), csr_array(X), Y, SLICK_COSTS, pos_label="slick", folds=3,
                            random_state=0)  # fmt: skip
    assert all(cell.cost.defined for cell in sparse)
    assert sparse["duplicate"].cost.value == pytest.approx(second["duplicate"].cost.value, abs=0.05)


class Duck:
    """A classifier of nobody's library."""

    def fit(self, X, y):
        self.commonest = max(set(y.tolist()), key=y.tolist().count)
        return self

    def predict(self, X):
        return np.full(len(X), self.commonest)


def test_a_classifier_of_nobody_will_do() -> None:
    found = cost_sensitive(Duck(), X, Y, SLICK_COSTS, pos_label="slick", folds=3, methods=("plain", "duplicate"))
    assert found["plain"].cost.value == pytest.approx(0.1 * 20, abs=0.01)
    assert found["duplicate"].cost.value == pytest.approx(0.9, abs=0.01)  # slicks are the commonest now
    assert found["plain"].threshold.reason == "the model gives labels only"


@pytest.mark.parametrize(
    ("model", "text"),
    [
        (CostWeighted(NaiveBayes(), COSTS, "class_weight"), "NaiveBayes has no class_weight"),
        (CostWeighted(KNeighborsClassifier(), COSTS), "takes no sample_weight"),
        (CostWeighted(NaiveBayes(), COSTS, "both"), "through"),  # type: ignore[arg-type]
        (CostWeighted(NaiveBayes(), "unbalanced"), "costs"),
        (CostThreshold(Duck(), COSTS), "neither predict_proba nor decision_function"),
        (LeastCost(LinearSVC(), COSTS), "no predict_proba"),
    ],
)
def test_what_cannot_be_fitted_says_so(model, text) -> None:
    with pytest.raises(InputError, match=text):
        model.fit(X, Y)


def test_copies_of_weighted_rows_need_a_model_with_weights() -> None:
    with pytest.raises(InputError, match="takes no sample_weight"):
        CostDuplicated(KNeighborsClassifier(), COSTS).fit(X, Y, sample_weight=np.ones(len(X)))


def test_labels_that_do_not_go_by_the_scores_have_no_threshold() -> None:
    class Contrary(OneColumn):
        def predict(self, X):
            return self.classes_[(X[:, 1] >= 0.5).astype(int)]

    x, y = np.random.default_rng(0).uniform(size=(60, 2)), np.array([0, 1] * 30)
    found = cost_sensitive(Contrary(), x, y, [[0, 1], [2, 0]], folds=3, random_state=0, methods=("plain",))
    assert found["plain"].threshold.reason == "the labels do not go by the scores alone"
    json.dumps(found.to_dict(), allow_nan=False)


def test_a_class_that_is_never_answered_has_an_infinite_threshold() -> None:
    """Scores end at .39 and the model answers yes from .5 on."""
    x, y = np.arange(40.0).reshape(-1, 1) / 100, np.array([0, 1] * 20)
    found = cost_sensitive(OneColumn(), x, y, [[0, 9], [10, 0]], folds=2, random_state=0, methods=("plain",))
    shown = shown_threshold(found.study["OneColumn: plain"], 1)
    assert (shown.value, str(shown)) == (math.inf, "∞")
    assert shown.to_dict() == {
        "label": 1,
        "value": None,
        "low": None,
        "high": None,
        "infinite": ["value", "low", "high"],
    }
    assert found["plain"].threshold.value == 0.5  # which every fold allows, and is what the model goes by
