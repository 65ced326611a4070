"""cost_sensitive: the table of models and ways, by hand and by what it tells."""

import json

import numpy as np
import pytest
from scipy import stats
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from surefold.costs.cost_sensitive import METHODS, cost_sensitive
from surefold.costs.example import SLICK_COSTS, simulated_oil_slicks
from surefold.costs.learners import CostLearner
from surefold.costs.study import CostStudy
from surefold.errors import InputError, RunError, UnknownNameError
from surefold.learners import NaiveBayes

X, Y = simulated_oil_slicks(1000, share=0.1)
ZERO_ONE = (Y == "slick").astype(int)


@pytest.fixture(scope="module")
def slicks() -> CostStudy:
    """Two per cent of slicks: what the whole page on costs is about."""
    X, y = simulated_oil_slicks()
    models = {"logistic": LogisticRegression(), "naive": NaiveBayes(), "neighbours": KNeighborsClassifier()}
    return cost_sensitive(models, X, y, SLICK_COSTS, pos_label="slick", random_state=0)


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


class LabelsOnly(ClassifierMixin, BaseEstimator):
    """Always answers the first class, and gives no score."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


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
    labels_only = cost_sensitive(LabelsOnly(), X, Y, SLICK_COSTS, folds=3,
                                 pos_label="slick", methods=("plain", "threshold", "least_cost"))  # fmt: skip
    assert labels_only["threshold"].reason == "LabelsOnly has neither predict_proba nor decision_function"
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
    assert " ".join(text.split()).endswith(f"How we know: {slicks.verdict}")
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


def test_where_errors_cost_the_same_recall_is_that_of_the_positive_class() -> None:
    """Slicks are the rarer class, so only what was said of the positive one can turn it round."""
    for positive in ("look-alike", "slick"):
        found = cost_sensitive(NaiveBayes(), X, Y, [[0, 1], [1, 0]], pos_label=positive, folds=3, random_state=0,
                               methods=("plain", "threshold"))  # fmt: skip
        assert found.costly == positive
        assert f"recall of {positive}" in str(found)
    dear = cost_sensitive(NaiveBayes(), X, Y, [[0, 1], [2, 0]], pos_label="look-alike", folds=3, methods=("plain",))
    assert dear.costly == "slick"
