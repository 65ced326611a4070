"""CostDuplicated: say what errors cost by showing costly rows more than once, to learners that know no weights."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from surefold.costs.learners import CostLearner, fit_weighted
from surefold.costs.weights import class_weights, cost_table
from surefold.errors import InputError
from surefold.given import Costs, Features, RandomState, Values
from surefold.resampling.classifier import Classifier
from surefold.resampling.models import fresh

__all__ = ["MOST_GROWTH", "CostDuplicated", "duplicated_rows", "too_many_copies"]

#: Training rows may become at most so many times as many.
MOST_GROWTH = 100


def too_many_copies(codes: NDArray[Any], weights: NDArray[np.float64]) -> str:
    """Why rows of these classes cannot be duplicated by these weights, or nothing."""
    growth = float((weights / weights.min())[codes].mean())
    return f"duplicating would make {growth:,.0f} rows of each" if growth > MOST_GROWTH else ""


def duplicated_rows(codes: NDArray[Any], weights: NDArray[np.float64], rng: np.random.RandomState) -> NDArray[np.intp]:
    """Row numbers, each as often as its class weighs more than the lightest one.

    What is over a whole number of times goes to rows drawn at random, each at most once.

    >>> duplicated_rows(np.array([0, 0, 1, 1]), np.array([1.0, 2.5]), np.random.RandomState(0)).tolist()
    [0, 1, 2, 2, 2, 3, 3]
    """
    times = weights / weights.min()
    copies = np.floor(times).astype(np.intp)[codes]
    for code, over in enumerate((times - np.floor(times)).tolist()):
        rows = np.flatnonzero(codes == code)
        copies[rng.permutation(rows)[: round(over * len(rows))]] += 1
    return np.repeat(np.arange(len(codes)), copies)


class CostDuplicated(CostLearner):
    """A classifier trained on rows of which the costly ones stand there several times.

    Rows are copied when the classifier is fitted and nowhere else. In cross-validation the copies are made of training
    rows alone, so no copy of a row is ever tested; copies made before splitting would be trained on and tested.

    `costs` and `labels` are those of `CostWeighted`, and so are the weights; the cheapest class keeps its rows once.
    Once fitted: `classes_`, `estimator_`, `rows_` (the numbers of the rows trained on, copies included).

    >>> from surefold.learners import NaiveBayes
    >>> model = CostDuplicated(NaiveBayes(), [[0, 1], [3, 0]]).fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
    >>> model.rows_.tolist()
    [0, 1, 2, 2, 2, 3, 3, 3]
    """

    rows_: NDArray[np.intp]

    def __init__(
        self, estimator: Classifier, costs: Costs, labels: Any = None, random_state: RandomState = None
    ) -> None:
        self.estimator = estimator
        self.costs = costs
        self.labels = labels
        self.random_state = random_state

    def fit(self, X: Features, y: Values, sample_weight: Any = None) -> Self:
        """Fit the learner to rows copied by what errors of their class cost. Returns itself."""
        data = self._rows(X, y, sample_weight)
        weights = class_weights(cost_table(self.costs, data.labels), data.labels)
        problem = too_many_copies(data.codes, weights)
        if problem:
            raise InputError("bad_option", f"{problem}; {MOST_GROWTH} is the most", cure="use weights instead")
        self.rows_ = duplicated_rows(data.codes, weights, check_random_state(self.random_state))
        own = None if data.weights is None else data.weights[self.rows_]
        fitted = fit_weighted(fresh(self.estimator), data.take(self.rows_), np.asarray(y)[self.rows_], own)
        return self._keep(fitted, data)
