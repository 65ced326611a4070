"""CostWeighted: train with weights that say what errors cost."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from surefold.costs.learners import CostLearner, fit_weighted
from surefold.costs.weights import balanced_weights, class_weights, cost_table
from surefold.errors import InputError
from surefold.given import Costs, Features, Values
from surefold.resampling.classifier import Classifier
from surefold.resampling.dataset import Dataset
from surefold.resampling.models import fresh, weight_argument
from surefold.resampling.options import one_of

__all__ = ["CostWeighted", "class_weight_parameter"]

Through = Literal["sample_weight", "class_weight", "either"]


def class_weight_parameter(model: Classifier) -> str | None:
    """What the model calls the weights of classes: of a Pipeline, those of its last step; None where it has none."""
    if hasattr(model, "steps"):
        name, last = model.steps[-1]
        inside = class_weight_parameter(last)
        return None if inside is None else f"{name}__{inside}"
    known = model.get_params(deep=False) if hasattr(model, "get_params") else {}
    return "class_weight" if "class_weight" in known else None


class CostWeighted(CostLearner):
    """A classifier trained with each class weighted by what missing it costs.

    `costs` is a matrix `costs[true][predicted]` in the order of `labels` (sorted, if not said), or "balanced", which
    makes all classes weigh the same and knows no costs. Of two classes the weights have the ratio of the two costs,
    which is exact; of more they are Breiman's sums of the rows of the matrix. They are scaled to add up to the number
    of rows (to the weight of all rows, where rows have weights of their own), so that what regularises a learner
    means what it meant before.

    `through`: "sample_weight" hands `fit` a weight a row; "class_weight" sets that parameter of the classifier;
    "either" takes the parameter where there is one. Of a Pipeline it is that of the last step.

    Once fitted: `classes_`, `estimator_`, `weights_` (by class).

    >>> from surefold.learners import NaiveBayes
    >>> X, y = [[0.0], [1.0], [1.5], [2.0], [3.0]], ["no", "no", "no", "yes", "yes"]
    >>> model = CostWeighted(NaiveBayes(), [[0, 1], [4, 0]]).fit(X, y)  # 3 rows of 1 and 2 of 4 are to add up to 5
    >>> {label: round(weight, 3) for label, weight in model.weights_.items()}
    {'no': 0.455, 'yes': 1.818}

    Source: Elkan (2001), IJCAI; Breiman, Friedman, Olshen & Stone (1984), section 4.4.
    """

    def __init__(
        self, estimator: Classifier, costs: Costs, through: Through = "sample_weight", labels: Any = None
    ) -> None:
        self.estimator = estimator
        self.costs = costs
        self.through = through
        self.labels = labels

    def fit(self, X: Features, y: Values, sample_weight: Any = None) -> Self:
        """Fit the learner with rows weighted by what errors of their class cost. Returns itself."""
        one_of("through", self.through, ("sample_weight", "class_weight", "either"))
        data = self._rows(X, y, sample_weight)
        by_class = self._by_class(data)
        self.weights_ = dict(zip(data.labels, by_class.tolist(), strict=True))
        model, y = fresh(self.estimator), np.asarray(y)
        parameter = class_weight_parameter(model)
        if self.through == "class_weight" or (self.through == "either" and parameter is not None):
            if parameter is None:
                problem = f"{type(model).__name__} has no class_weight"
                raise InputError("bad_model", problem, cure="use through='sample_weight'")
            there = set(np.unique(data.codes).tolist())
            known = {label: weight for code, (label, weight) in enumerate(self.weights_.items()) if code in there}
            return self._keep(fit_weighted(model.set_params(**{parameter: known}), X, y, data.weights), data)
        if weight_argument(model) is None:
            problem = f"the fit of {type(model).__name__} takes no sample_weight"
            raise InputError("bad_model", problem, cure="duplicate rows or move the threshold instead")
        rows = by_class[data.codes]
        return self._keep(fit_weighted(model, X, y, rows if data.weights is None else rows * data.weights), data)

    def _by_class(self, data: Dataset) -> NDArray[np.float64]:
        if isinstance(self.costs, str):
            one_of("costs", self.costs, ("balanced",))
            return balanced_weights(data.codes, len(data.labels), data.weights)
        weights = class_weights(cost_table(self.costs, data.labels), data.labels)
        own = np.ones(data.n) if data.weights is None else data.weights
        return np.asarray(weights * (own.sum() / (own @ weights[data.codes])))
