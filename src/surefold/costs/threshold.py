"""CostThreshold and LeastCost: leave the learner alone, and let costs decide what to answer to its scores."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from surefold.costs.learners import CostLearner, aligned_probabilities, fit_weighted, score_verb
from surefold.costs.weights import cost_table
from surefold.curves.thresholds import Choice, best_threshold, least_cost_classes
from surefold.errors import InputError, show
from surefold.given import Costs, Features, RandomState, Values
from surefold.resampling.classifier import Classifier
from surefold.resampling.dataset import Dataset
from surefold.resampling.folds import k_fold_plan
from surefold.resampling.models import fresh
from surefold.resampling.options import whole
from surefold.tallies.score_groups import ScoreGroups

__all__ = ["CostThreshold", "LeastCost", "chosen_multipliers", "no_scores"]

Array = NDArray[np.float64]
#: What the probabilities of a class may be multiplied by, and how often all classes are gone through at most.
MULTIPLIERS, ROUNDS = 2.0 ** np.linspace(-8, 8, 65), 10


def no_scores(model: Classifier, classes: int, probabilities: bool = False) -> str:
    """Why the answers of this model cannot be moved, or nothing."""
    verb = score_verb(model)
    if verb is None:
        return f"{type(model).__name__} has neither predict_proba nor decision_function"
    if verb == "decision_function" and (probabilities or classes > 2):
        return f"{type(model).__name__} has no predict_proba, which {'this' if probabilities else 'many classes'} needs"
    return ""


class CostThreshold(CostLearner):
    """A classifier as it is, and a threshold that makes its answers cheap, chosen out of fold.

    The training rows are dealt into `cv` folds, each is scored by the classifier trained without it, and the threshold
    that costs least on those scores is kept. The classifier is then fitted to all training rows. Nothing is asked of
    rows that are tested later, and scores of rows that a classifier was fitted to, which flatter it, choose nothing.

    Of two classes that is one threshold, on the probability or the decision value of the second label; the scores need
    not be calibrated. Of more, each class gets a number that its probabilities are multiplied by before the class of
    least expected cost is answered, found class by class from 1 on; that needs probabilities.

    `costs` and `labels` are those of `CostWeighted`. The folds do not know of groups of rows. Once fitted: `classes_`,
    `estimator_`, and `threshold_` (infinite where the second label never pays) or `multipliers_`.

    >>> from surefold.learners import NaiveBayes
    >>> X, y = [[0.0], [0.9], [2.1], [1.4], [2.0], [3.1]], ["no", "no", "no", "yes", "yes", "yes"]
    >>> model = CostThreshold(NaiveBayes(), [[0, 1], [9, 0]], cv=3, random_state=0).fit(X, y)
    >>> model.predict([[1.5]]).tolist(), NaiveBayes().fit(X, y).predict([[1.5]]).tolist()
    (['yes'], ['no'])

    Source: Sheng & Ling (2006), AAAI.
    """

    threshold_: float
    multipliers_: Array

    def __init__(
        self, estimator: Classifier, costs: Costs, cv: int = 5, labels: Any = None, random_state: RandomState = None
    ) -> None:
        self.estimator = estimator
        self.costs = costs
        self.cv = cv
        self.labels = labels
        self.random_state = random_state

    def fit(self, X: Features, y: Values, sample_weight: Any = None) -> Self:
        """Fit the learner, and choose its threshold on scores of held-out folds. Returns itself."""
        data = self._rows(X, y, sample_weight)
        matrix = cost_table(self.costs, data.labels)
        problem = no_scores(self.estimator, len(data.labels))
        if problem:
            raise InputError("bad_model", problem, cure="use a classifier with probabilities, or duplicate rows")
        y = np.asarray(y)
        scores = self._out_of_fold(data, y)
        if len(data.labels) == 2:
            tally = ScoreGroups.of(scores, data.codes == 1, data.weights)
            (tn, fp), (fn, tp) = matrix.tolist()
            prices = {"tn": tn, "fp": fp, "fn": fn, "tp": tp}
            self.threshold_ = best_threshold(tally, Choice("cost", costs=prices)).threshold
        else:
            self.multipliers_ = chosen_multipliers(scores, data.codes, matrix, data.weights)
            self.costs_ = matrix
        return self._keep(fit_weighted(fresh(self.estimator), X, y, data.weights), data)

    def predict(self, X: Features) -> NDArray[Any]:
        """The label of each row, by the threshold that was chosen."""
        check_is_fitted(self)
        scores = _scores(self.estimator_, X, self.labels_)
        if len(self.labels_) == 2:
            codes = (scores >= self.threshold_).astype(np.intp)
        else:
            codes = least_cost_classes(scores * self.multipliers_, self.costs_)
        return _named(codes, self)

    def _out_of_fold(self, data: Dataset, y: NDArray[Any]) -> Array:
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        codes, rows = np.unique(data.codes, return_counts=True)
        if rows.min() < 2:
            only = show(data.labels[int(codes[rows.argmin()])])
            problem = f"class {only} has one training row, which cannot be left out"
            cure = "bring more rows of it, or use LeastCost, which leaves none out"
            raise InputError("too_few_of_a_class", problem, cure=cure)
        folds = min(whole("cv", self.cv, least=2), int(rows.min()))
        plan = k_fold_plan(data.codes, folds=folds, random_state=seed, labels=data.labels)
        found = np.empty(data.n if len(data.labels) == 2 else (data.n, len(data.labels)))
        for split in plan:
            own = None if data.weights is None else data.weights[split.train]
            model = fit_weighted(fresh(self.estimator), data.take(split.train), y[split.train], own)
            found[split.test] = _scores(model, data.take(split.test), data.labels)
        return found


class LeastCost(CostLearner):
    """A classifier as it is, answering the class of least expected cost by its probabilities.

    Right where the probabilities are: nothing is chosen from data, and two classes have the threshold that their costs
    alone give. `costs` and `labels` are those of `CostWeighted`.

    >>> from surefold.learners import NaiveBayes
    >>> X, y = [[0.0], [0.9], [2.1], [1.4], [2.0], [3.1]], ["no", "no", "no", "yes", "yes", "yes"]
    >>> LeastCost(NaiveBayes(), [[0, 1], [9, 0]]).fit(X, y).predict([[1.5]]).tolist()
    ['yes']

    Source: Elkan (2001), IJCAI.
    """

    costs_: Array

    def __init__(self, estimator: Classifier, costs: Costs, labels: Any = None) -> None:
        self.estimator = estimator
        self.costs = costs
        self.labels = labels

    def fit(self, X: Features, y: Values, sample_weight: Any = None) -> Self:
        """Fit the learner, which must give probabilities. Returns itself."""
        data = self._rows(X, y, sample_weight)
        self.costs_ = cost_table(self.costs, data.labels)
        problem = no_scores(self.estimator, len(data.labels), probabilities=True)
        if problem:
            raise InputError("bad_model", problem, cure="use a classifier with probabilities")
        return self._keep(fit_weighted(fresh(self.estimator), X, np.asarray(y), data.weights), data)

    def predict(self, X: Features) -> NDArray[Any]:
        """The label that costs least by the probabilities of each row."""
        check_is_fitted(self)
        probabilities = aligned_probabilities(self.estimator_, X, self.labels_)
        return _named(least_cost_classes(probabilities, self.costs_), self)


def chosen_multipliers(p: Array, codes: NDArray[Any], matrix: Array, weights: Array | None = None) -> Array:
    """A number a class that makes least-cost answers to probabilities cheapest on these rows, class by class from 1.

    A number is only changed where that saves something, and then to the one nearest to 1 among the cheapest. Only their
    ratios matter.

    >>> p = np.array([[0.6, 0.4], [0.7, 0.3], [0.9, 0.1]])  # rows of the second class get too little
    >>> chosen_multipliers(p, np.array([1, 1, 0]), np.array([[0.0, 1.0], [1.0, 0.0]])).round(2).tolist()
    [0.42, 1.0]
    """
    rows, found = np.arange(len(p)), np.ones(p.shape[1])
    w = np.ones(len(p)) if weights is None else weights
    nearest = MULTIPLIERS[np.argsort(np.abs(np.log(MULTIPLIERS)), kind="stable")]

    def cost(multipliers: Array) -> float:
        return float(w @ matrix[codes[rows], least_cost_classes(p * multipliers, matrix)])

    least = cost(found)
    for _ in range(ROUNDS):
        before = least
        for c in range(len(found)):
            for candidate in nearest.tolist():
                tried = found.copy()
                tried[c] = candidate
                now = cost(tried)
                if now < least - 1e-9 * max(1.0, abs(least)):
                    least, found = now, tried
        if least >= before:
            break
    return found


def _scores(model: Any, X: Features, labels: Any) -> Array:
    """Of two classes the score of the second label, of more a column a label."""
    if score_verb(model) == "predict_proba":
        p = aligned_probabilities(model, X, labels)
        return p[:, 1] if len(labels) == 2 else p
    values = np.asarray(model.decision_function(X), dtype=float)
    return values if np.asarray(model.classes_).tolist()[1] == labels[1] else -values


def _named(codes: NDArray[np.intp], model: CostLearner) -> NDArray[Any]:
    """Codes of labels as labels: one that the training rows did not have may still be the cheapest to answer."""
    answers: NDArray[Any] = np.asarray(model.labels_)[codes]
    return answers
