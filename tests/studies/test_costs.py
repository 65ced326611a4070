"""cost_sensitive: weights by hand, copies that never leak, thresholds that never see tested rows, and the table."""

import json
import math
import pickle
from typing import Any

import numpy as np
import pytest
from scipy import stats
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

import surefold as sf
from surefold.curves.thresholds import least_cost_classes
from surefold.errors import InputError, RunError, UnknownNameError
from surefold.learners import FullBayes, NaiveBayes
from surefold.resampling.models import describe
from surefold.studies.cost_duplicated import CostDuplicated, duplicated_rows
from surefold.studies.cost_example import SLICK_COSTS, simulated_oil_slicks
from surefold.studies.cost_learners import CostLearner
from surefold.studies.cost_shown_threshold import shown_threshold
from surefold.studies.cost_study import CostStudy
from surefold.studies.cost_threshold import CostThreshold, LeastCost, chosen_multipliers
from surefold.studies.cost_weighted import CostWeighted
from surefold.studies.cost_weights import class_weights, cost_table, costly_class, least_cost_threshold
from surefold.studies.costs import METHODS, cost_sensitive

COSTS = ((0.0, 1.0), (20.0, 0.0))
X, Y = simulated_oil_slicks(1000, share=0.1)
ZERO_ONE = (Y == "slick").astype(int)


@pytest.fixture(scope="module")
def slicks() -> CostStudy:
    """Two per cent of slicks: what the whole page on costs is about."""
    X, y = simulated_oil_slicks()
    models = {"logistic": LogisticRegression(), "naive": NaiveBayes(), "neighbours": KNeighborsClassifier()}
    return cost_sensitive(models, X, y, SLICK_COSTS, pos_label="slick", random_state=0)


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
        (CostThreshold(NeverBoth(), COSTS), "neither predict_proba nor decision_function"),
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


# the study


def test_cost_and_accuracy_choose_differently(slicks: CostStudy) -> None:
    best, by_accuracy = slicks.best, slicks.best_by("accuracy")
    assert by_accuracy.method == "plain"
    assert (best.model, best.method) != (by_accuracy.model, by_accuracy.method)
    assert best.model != by_accuracy.model
    assert (best.method, by_accuracy.threshold.value) == ("threshold", 0.5)
    assert best.threshold.high < 0.2  # the costs alone would say 1/21
    assert by_accuracy.cost.value > 1.5 * best.cost.value
    assert best.status(0.05) == "better"
    assert best.recall.value > 3 * by_accuracy.recall.value
    assert best.accuracy.high < by_accuracy.accuracy.low


def test_the_figures_by_hand(slicks: CostStudy) -> None:
    """Costs, differences and their interval from the held-out answers, without the library's own sums."""
    matrix = np.array([[0.0, 1.0], [20.0, 0.0]])
    plan = slicks.study.plan

    def of_folds(name: str) -> np.ndarray:
        held = slicks.study[name].held
        each = matrix[held.truth, held.predicted]
        return np.array([part.mean() for part in np.split(each, plan.test_starts[1:-1])])

    cell = slicks["naive", "threshold"]
    first, second = of_folds("naive: threshold"), of_folds("naive: plain")
    assert cell.cost.value == pytest.approx(first.mean())
    share = 1 / 10 + 400 / 3600
    reach = stats.t.ppf(0.975, 9) * np.sqrt(share * first.var(ddof=1))
    assert cell.cost.interval == pytest.approx((first.mean() - reach, first.mean() + reach))
    assert cell.difference is not None
    gap = first - second
    se = np.sqrt(share * gap.var(ddof=1))
    assert cell.difference.effect.value == pytest.approx(gap.mean())
    assert cell.difference.p_value == pytest.approx(2 * stats.t.sf(abs(gap.mean() / se), 9))
    compared = [c for c in slicks if c.difference is not None]
    raw = sorted(c.difference.p_value for c in compared if c.difference is not None)
    running, adjusted = 0.0, []
    for i, p in enumerate(raw):
        running = max(running, min(1.0, (len(raw) - i) * p))
        adjusted.append(running)
    assert sorted(c.adjusted_p for c in compared) == pytest.approx(adjusted)


def test_what_a_model_does_not_take_is_told(slicks: CostStudy) -> None:
    assert slicks["naive", "class_weight"].reason == "NaiveBayes has no class_weight"
    for method in ("instance_weight", "balanced"):
        cell = slicks["neighbours", method]
        assert cell.reason == "the fit of KNeighborsClassifier takes no sample_weight"
        assert not cell.cost.defined
        assert cell.difference is None
    assert slicks["neighbours", "duplicate"].cost.defined
    assert "not run" in str(slicks)
    assert len([c for c in slicks if not c.reason]) == len(slicks.study) == 14
    labels_only = cost_sensitive(NeverBoth(), np.column_stack([np.arange(1000), X]), Y, SLICK_COSTS, folds=3,
                                 pos_label="slick", methods=("plain", "threshold", "least_cost"))  # fmt: skip
    assert labels_only["threshold"].reason == "NeverBoth has neither predict_proba nor decision_function"
    ridge = cost_sensitive(RidgeClassifier(), X, Y, SLICK_COSTS, pos_label="slick", folds=3,
                           methods=("plain", "least_cost"))  # fmt: skip
    assert "no predict_proba" in ridge["least_cost"].reason


def test_measures_are_asked_afterwards(slicks: CostStudy) -> None:
    precision = slicks.estimates("precision", pos_label="slick")
    assert len(precision) == 14
    key = ("naive", "threshold")
    each = slicks.study["naive: threshold"]
    assert precision[key] == each.interval("precision", pos_label="slick")
    assert slicks.best_by("roc_auc").cost.defined
    assert slicks.estimates("expected_cost")[key] == slicks[key].cost
    with pytest.raises(UnknownNameError):
        slicks.best_by("acuracy")


def test_the_cheapest_can_be_fitted_and_used(slicks: CostStudy) -> None:
    model = slicks.learner()
    assert isinstance(model, CostLearner)
    assert not hasattr(model, "estimator_")
    X, y = simulated_oil_slicks(600, share=0.1, random_state=1)
    model = slicks.learner("naive", "threshold").set_params(random_state=0).fit(X, y)
    assert 0 < model.threshold_ < 0.5
    with pytest.raises(InputError, match="has no class_weight"):
        slicks.learner("naive", "class_weight")


def test_rivals_are_not_shown_to_be_dearer(slicks: CostStudy) -> None:
    """Each cell less the cheapest, over the folds: t by hand, then Holm's steps until one is not rejected."""
    matrix = np.array([[0.0, 1.0], [20.0, 0.0]])
    costs = {name: each.values("expected_cost", costs=matrix) for name, each in slicks.study.items()}
    best = costs.pop(slicks.best.name)
    p = {}
    for name, each in costs.items():
        gap = each - best
        p[name] = 2 * stats.t.sf(abs(gap.mean()) / np.sqrt((1 / 10 + 1 / 9) * gap.var(ddof=1)), 9)
    dearer: list[str] = []
    for step, name in enumerate(sorted(p, key=lambda name: p[name])):
        if p[name] * (len(p) - step) > 0.05:
            break
        dearer.append(name)
    assert {cell.name for cell in slicks.rivals} == set(p) - set(dearer)
    assert "logistic: plain" in dearer
    assert f"{len(p) - len(dearer)} others cannot be told from it" in slicks.verdict


def test_rare_classes_are_told(slicks: CostStudy) -> None:
    (rare,) = [f for f in slicks.findings if f.code == "rare_class"]
    assert (rare.evidence["rows"], rare.evidence["folds"]) == (80, 10)
    held = slicks.study["naive: plain"].held
    assert [int(part.sum()) for part in np.split(held.truth, held.starts[1:-1])] == [8] * 10  # stratified
    enough = cost_sensitive(NaiveBayes(), X, Y, SLICK_COSTS, pos_label="slick", folds=10, methods=("plain",))
    assert not [f for f in enough.findings if f.code == "rare_class"]


def test_cells_that_answer_alike_are_told(slicks: CostStudy) -> None:
    told = [f.evidence["cells"] for f in slicks.findings if f.code == "no_disagreement"]
    assert ["naive: duplicate", "naive: instance_weight"] in told


def test_always_answering_one_class(slicks: CostStudy) -> None:
    assert slicks.constant == "look-alike"
    assert slicks.constant_cost == pytest.approx(0.02 * 20)
    hopeless = cost_sensitive(KNeighborsClassifier(1), np.random.default_rng(0).normal(size=(300, 2)), ["a", "b"] * 150,
                              [[0, 9], [1, 0]], folds=5, random_state=0, methods=("plain",))  # fmt: skip
    assert "not shown to beat always answering 'a'" in hopeless.verdict


def test_telling(slicks: CostStudy) -> None:
    told = json.loads(json.dumps(slicks.to_dict(), allow_nan=False))
    assert told["best"] == {"model": slicks.best.model, "method": slicks.best.method}
    assert told["costs"] == [[0.0, 1.0], [20.0, 0.0]]
    frame = slicks.to_frame()
    assert frame.shape[0] == 18
    assert frame["method"].to_list()[:6] == list(METHODS)
    assert frame.filter(frame["reason"].is_not_null()).shape[0] == 4
    text = str(slicks)
    assert "Costs: look-alike answered slick 1; slick answered look-alike 20" in text
    assert text.splitlines()[-1] == f"Verdict: {slicks.verdict}"
    one = cost_sensitive(NaiveBayes(), X, Y, {"fp": 100, "fn": 9000}, pos_label="slick", folds=3, random_state=0)
    assert "model" not in str(one).splitlines()[3].split()
    assert one["plain"].cost.value > 100


def test_a_store_keeps_it_and_fits_nothing_again(tmp_path) -> None:
    def run() -> CostStudy:
        return cost_sensitive(LogisticRegression(), X, Y, SLICK_COSTS, pos_label="slick", folds=3, random_state=0,
                              store=tmp_path / "c.db")  # fmt: skip

    first, second = run(), run()
    assert first.to_dict() == second.to_dict()
    name = "LogisticRegression: threshold"
    assert first.study[name].fit_seconds.tolist() == second.study[name].fit_seconds.tolist()
    with pytest.raises(RunError, match="changed_run"):
        cost_sensitive(LogisticRegression(), X, Y, {"fp": 1, "fn": 21}, pos_label="slick", folds=3, random_state=0,
                       store=tmp_path / "c.db")  # fmt: skip


def test_two_workers_give_the_same() -> None:
    both = [cost_sensitive(DecisionTreeClassifier(max_depth=4), X, Y, SLICK_COSTS, pos_label="slick", folds=3,
                           random_state=0, n_jobs=n_jobs).to_dict() for n_jobs in (1, 2)]  # fmt: skip
    assert both[0] == both[1]


def test_weights_and_groups() -> None:
    groups = np.arange(len(X)) // 2
    weights, methods = np.linspace(1, 2, len(X)), ("plain", "threshold", "duplicate")
    found = cost_sensitive(NaiveBayes(), X, Y, SLICK_COSTS, pos_label="slick", folds=4, groups=groups, random_state=0,
                           sample_weight=weights, methods=methods)  # fmt: skip
    for split in found.study.plan:
        assert not set(groups[split.train]) & set(groups[split.test])
    assert found["duplicate"].cost.value < found["plain"].cost.value
    with pytest.raises(InputError, match="does not take it"):
        cost_sensitive(KNeighborsClassifier(), X, Y, SLICK_COSTS, pos_label="slick", sample_weight=np.ones(len(X)))


def test_missing_a_class_that_costs_nothing() -> None:
    """No weight can say it, and a threshold can: answer the other class always."""
    found = cost_sensitive(NaiveBayes(), X, ZERO_ONE, [[0, 1], [0, 0]], folds=3, random_state=0)
    assert "no weight can stand for it" in found["instance_weight"].reason
    assert found["threshold"].cost.value == 0
    assert found["threshold"].cost.high > 0  # never of zero width
    assert found.costly == 0
    assert set(found.study["NaiveBayes: threshold"].held.predicted.tolist()) == {0}
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


def test_a_model_that_fails_leaves_the_others() -> None:
    class Fails(NaiveBayes):
        def fit(self, X, y, sample_weight=None):
            if sample_weight is not None:
                raise ValueError("no weights today")
            return super().fit(X, y)

    found = cost_sensitive(Fails(), X, Y, SLICK_COSTS, pos_label="slick", folds=3, random_state=0, retries=0,
                           methods=("plain", "instance_weight"))  # fmt: skip
    assert not found["instance_weight"].cost.defined
    assert "no weights today" in found["instance_weight"].cost.reason
    assert found.best.method == "plain"
    assert "Undefined: Fails: instance_weight" in str(found)
    json.dumps(found.to_dict(), allow_nan=False)


@pytest.mark.parametrize("methods", [(), ("plain", "plain")])
def test_refused_methods(methods) -> None:
    with pytest.raises(InputError):
        cost_sensitive(NaiveBayes(), X, Y, SLICK_COSTS, pos_label="slick", methods=methods)


def test_unknown_names(slicks: CostStudy) -> None:
    with pytest.raises(UnknownNameError, match="threshold"):
        cost_sensitive(NaiveBayes(), X, Y, SLICK_COSTS, pos_label="slick", methods=("treshold",))
    with pytest.raises(UnknownNameError):
        slicks["naive", "plane"]
    with pytest.raises(InputError, match="nothing can be made"):
        cost_sensitive(KNeighborsClassifier(), X, Y, SLICK_COSTS, pos_label="slick", methods=("instance_weight",))
