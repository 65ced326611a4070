"""AlphaChosen: cost-complexity pruning with the price of a leaf chosen out of fold, as CART does it."""

from __future__ import annotations

import copy
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from surefold.given import Features, RandomState, Values
from surefold.learners.tree import DecisionTree
from surefold.learners.trees.pruning import prune_by_cost
from surefold.resampling.dataset import Dataset
from surefold.resampling.folds import k_fold_plan
from surefold.resampling.models import fresh
from surefold.resampling.options import truth_value, whole

__all__ = ["AlphaChosen", "tried_alphas"]

#: So many alphas are tried at most, spread evenly over the path.
MOST_TRIED = 25


def tried_alphas(path: NDArray[np.float64], most: int = MOST_TRIED) -> NDArray[np.float64]:
    """One alpha for each tree of a path: the geometric mean of where the tree begins and ends to be the best.

    >>> tried_alphas(np.array([0.0, 0.01, 0.04])).round(3).tolist()
    [0.0, 0.02, 0.04]
    """
    tried = np.append(np.sqrt(path[:-1] * path[1:]), path[-1:])
    if len(tried) > most:
        tried = tried[np.unique(np.linspace(0, len(tried) - 1, most).round().astype(int))]
    return np.asarray(tried)


class AlphaChosen(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A `DecisionTree` pruned by cost and complexity, its `ccp_alpha` chosen by cross-validation of the training rows.

    A tree is grown without each of `cv` folds and pruned by every alpha on the path of the tree of all rows; the alpha
    with the fewest errors on rows left out is used, the largest of equal ones. `one_se`: the largest whose errors are
    within one standard error of the fewest, which gives smaller trees.

    Once fitted: `classes_`, `estimator_` (the tree), `ccp_alpha_`.

    Source: Breiman, Friedman, Olshen & Stone (1984), chapter 3.
    """

    def __init__(
        self, estimator: DecisionTree, cv: int = 5, one_se: bool = False, random_state: RandomState = None
    ) -> None:
        self.estimator = estimator
        self.cv = cv
        self.one_se = one_se
        self.random_state = random_state

    def fit(self, X: Features, y: Values) -> Self:
        """Grow the tree and cut it back by the alpha that folds of these rows chose. Returns itself."""
        truth_value("one_se", self.one_se)
        data, y = Dataset.of(X, np.asarray(y)), np.asarray(y)
        grown = fresh(self.estimator).set_params(prune=None, ccp_alpha=0.0)
        alphas = tried_alphas(grown.cost_complexity_path(X, y).ccp_alphas)
        errors = self._errors(grown, data, y, alphas)
        least = errors.min()
        if self.one_se:
            rate = least / data.n
            least += np.sqrt(rate * (1 - rate) * data.n)
        self.ccp_alpha_ = float(alphas[np.flatnonzero(errors <= least)[-1]])
        self.estimator_ = grown.set_params(prune="cost_complexity", ccp_alpha=self.ccp_alpha_).fit(X, y)
        self.classes_ = self.estimator_.classes_
        return self

    def _errors(self, grown: Any, data: Dataset, y: NDArray[Any], alphas: NDArray[np.float64]) -> NDArray[np.float64]:
        """Errors on rows left out, of all folds together, for each alpha."""
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        rarest = int(np.unique(data.codes, return_counts=True)[1].min())
        folds = max(2, min(whole("cv", self.cv, least=2), rarest))
        plan = k_fold_plan(data.codes, folds=folds, random_state=seed, labels=data.labels, min_class="allow")
        errors = np.zeros(len(alphas))
        for split in plan:
            model = fresh(grown).fit(data.take(split.train), y[split.train])
            asked, truth = data.take(split.test), y[split.test]
            pruned = copy.copy(model)
            for i, alpha in enumerate(alphas.tolist()):
                pruned.tree_ = prune_by_cost(model.tree_, model.criterion, alpha)
                errors[i] += np.count_nonzero(pruned.predict(asked) != truth)
        return errors

    def predict(self, X: Features) -> NDArray[Any]:
        """The label of each row."""
        check_is_fitted(self)
        answers: NDArray[Any] = self.estimator_.predict(X)
        return answers

    def predict_proba(self, X: Features) -> NDArray[np.float64]:
        """The probabilities of the classes, a row a row."""
        check_is_fitted(self)
        found: NDArray[np.float64] = self.estimator_.predict_proba(X)
        return found
