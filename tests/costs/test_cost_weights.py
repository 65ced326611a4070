"""Costs as weights of rows and as copies of them: by hand, by two routes, and never on both sides of a split."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import surefold as sf
from surefold.costs.cost_sensitive import cost_sensitive
from surefold.costs.duplicated import CostDuplicated, duplicated_rows
from surefold.costs.example import SLICK_COSTS, simulated_oil_slicks
from surefold.costs.threshold import LeastCost
from surefold.costs.weighted import CostWeighted
from surefold.costs.weights import class_weights, cost_table, costly_class, least_cost_threshold
from surefold.curves.thresholds import least_cost_classes
from surefold.errors import InputError, RunError
from surefold.learners import FullBayes, NaiveBayes

COSTS = ((0.0, 1.0), (20.0, 0.0))
X, Y = simulated_oil_slicks(1000, share=0.1)


# weights


def test_weights_of_two_classes_have_the_ratio_of_their_costs() -> None:
    matrix = cost_table({"fp": 3, "fn": 12, "tp": 2, "tn": -1}, ["no", "yes"], positive=1)
    assert matrix.tolist() == [[-1, 3], [12, 2]]
    assert class_weights(matrix, ["no", "yes"]).tolist() == [3 - -1, 12 - 2]
    assert least_cost_threshold(matrix, 1) == 4 / (4 + 10)
    first = cost_table({"fp": 3, "fn": 12}, ["no", "yes"], positive=0)
    assert first.tolist() == [[0, 12], [3, 0]]
    assert costly_class(first, np.array([0, 1, 1])) == 0


def test_the_threshold_of_two_classes_is_the_least_cost_rule() -> None:
    """From p on, answering yes costs (1 - p) 4 - 1 + 2p..., no p 12 - (1 - p): equal where p = 4/14."""
    matrix = np.array([[-1.0, 3.0], [12.0, 2.0]])
    for p in (4 / 14 - 1e-9, 4 / 14 + 1e-9):
        assert least_cost_classes([[1 - p, p]], matrix)[0] == (p > 4 / 14)


def test_weights_of_many_classes_are_sums_of_rows() -> None:
    assert class_weights(np.array([[1.0, 2, 4], [3, 0, 3], [7, 1, 1]]), "abc").tolist() == [1 + 3, 3 + 3, 6 + 0]


@pytest.mark.parametrize(
    ("costs", "labels", "positive", "text"),
    [
        ([[1, 1], [1, 1]], "ab", None, "no answer is better"),
        ({"fp": 1, "fn": 2}, "ab", None, "pos_label="),
        ({"fp": 1, "fn": 2}, "abc", 1, "costs\\[true\\]\\[predicted\\]"),
        ({"fn": 2}, "ab", 1, "price both errors"),
        ([[0, 1]], "ab", None, "2 x 2|1 x 2"),
        ([[0, float("nan")], [1, 0]], "ab", None, "not finite"),
    ],
)
def test_refused_costs(costs, labels, positive, text) -> None:
    with pytest.raises(InputError, match=text):
        cost_table(costs, labels, positive)


def test_costs_in_a_frame_go_by_their_names() -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame([[0, 20], [1, 0]], index=["slick", "look-alike"], columns=["slick", "look-alike"])
    assert cost_table(frame, ["look-alike", "slick"]).tolist() == [[0, 1], [20, 0]]


# weighting, by hand and by two routes


def test_weights_add_up_to_the_rows() -> None:
    model = CostWeighted(NaiveBayes(), COSTS).fit(X, Y)
    calm, slick = model.weights_["look-alike"], model.weights_["slick"]
    assert slick / calm == pytest.approx(20)
    assert 900 * calm + 100 * slick == pytest.approx(1000)


def test_weights_of_rows_multiply() -> None:
    own = np.linspace(0.5, 2, len(X))
    model = CostWeighted(NaiveBayes(), COSTS).fit(X, Y, sample_weight=own)
    by_hand = own * np.where(Y == "slick", 20, 1)
    by_hand *= own.sum() / by_hand.sum()
    plain = NaiveBayes().fit(X, Y, sample_weight=by_hand)
    assert np.allclose(model.predict_proba(X), plain.predict_proba(X), atol=1e-12)


def test_class_weights_and_weights_of_rows_agree() -> None:
    for inside in (LogisticRegression(), make_pipeline(StandardScaler(), LogisticRegression())):
        first, second = (
            CostWeighted(inside, COSTS, through).fit(X, Y) for through in ("class_weight", "sample_weight")
        )
        assert np.allclose(first.predict_proba(X), second.predict_proba(X), atol=1e-4)
        assert first.predict(X).tolist() == second.predict(X).tolist()


def test_balanced_is_that_of_scikit_learn() -> None:
    ours = CostWeighted(DecisionTreeClassifier(max_depth=3, random_state=0), "balanced", "either").fit(X, Y)
    theirs = DecisionTreeClassifier(max_depth=3, random_state=0, class_weight="balanced").fit(X, Y)
    assert np.allclose(ours.predict_proba(X), theirs.predict_proba(X))
    bayes = CostWeighted(NaiveBayes(), "balanced", "either").fit(X, Y)  # it has no class_weight
    assert bayes.weights_ == {"look-alike": 1000 / 2 / 900, "slick": 1000 / 2 / 100}


def test_a_density_weighted_by_costs_answers_as_the_least_cost_rule_does() -> None:
    """Weights of classes move the priors of a density and nothing else, which is what moving its threshold does."""
    for inside in (NaiveBayes(), FullBayes()):
        weighted, moved = CostWeighted(inside, COSTS).fit(X, Y), LeastCost(inside, COSTS).fit(X, Y)
        assert weighted.predict(X).tolist() == moved.predict(X).tolist()
        assert (moved.predict(X) != inside.fit(X, Y).predict(X)).any()


# copies


def test_whole_copies_are_weights() -> None:
    assert duplicated_rows(np.array([1, 0, 1]), np.array([2.0, 6.0]), np.random.RandomState(0)).tolist() == [
        0, 0, 0, 1, 2, 2, 2]  # fmt: skip
    copied, weighted = CostDuplicated(NaiveBayes(), COSTS).fit(X, Y), CostWeighted(NaiveBayes(), COSTS).fit(X, Y)
    assert np.allclose(copied.predict_proba(X), weighted.predict_proba(X), atol=1e-12)


def test_parts_of_copies_go_to_that_share_of_rows() -> None:
    codes = np.array([0] * 5 + [1] * 40)
    times = np.bincount(duplicated_rows(codes, np.array([2.0, 4.5]), np.random.RandomState(3)))
    assert times[:5].tolist() == [1] * 5
    assert sorted(times[5:].tolist()) == [2] * 30 + [3] * 10  # 2.25 times


class NeverBoth(ClassifierMixin, BaseEstimator):
    """Column 0 is the number of a row; it fails when asked of one that it was trained on."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.trained_ = set(X[:, 0].astype(int).tolist())
        return self

    def predict(self, X):
        both = self.trained_ & set(X[:, 0].astype(int).tolist())
        if both:
            raise ValueError(f"{len(both)} rows were trained on")
        return np.full(len(X), self.classes_[0])


def test_no_copy_is_trained_on_and_tested() -> None:
    rows = np.column_stack([np.arange(len(X)), X])
    found = cost_sensitive(NeverBoth(), rows, Y, SLICK_COSTS, pos_label="slick", folds=5, repeats=2, random_state=0,
                           methods=("plain", "duplicate"))  # fmt: skip
    each = found.study["NeverBoth: duplicate"]
    assert each.complete
    assert found.study.plan.times_tested.tolist() == [2] * len(X)  # once a repeat
    assert each.held.predicted.size == 2 * len(X)
    # The test can fail: copies made before splitting are on both sides.
    copies = np.repeat(np.arange(len(X)), np.where(Y == "slick", 20, 1))
    with pytest.raises(RunError, match="rows were trained on"):
        sf.cross_validate(NeverBoth(), rows[copies], Y[copies], folds=5, random_state=0)


def test_too_many_copies_are_refused_and_told() -> None:
    costs = {"fp": 1, "fn": 100_000}
    with pytest.raises(InputError, match="use weights instead"):
        CostDuplicated(NaiveBayes(), [[0, 1], [100_000, 0]]).fit(X, Y)
    found = cost_sensitive(NaiveBayes(), X, Y, costs, pos_label="slick", folds=3, methods=("plain", "duplicate"))
    assert "10,001 rows of each" in found["duplicate"].reason  # .9 + .1 x 100,000
