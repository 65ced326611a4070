"""What classifiers that know about costs share: one classifier inside, its training rows, and its answers passed on."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from surefold.errors import InputError
from surefold.given import Features, Values
from surefold.inputs.labels import Label
from surefold.resampling.classifier import Classifier
from surefold.resampling.dataset import Dataset
from surefold.resampling.models import weight_argument

__all__ = ["CostLearner", "aligned_probabilities", "fit_weighted", "score_verb"]

Array = NDArray[np.float64]


def fit_weighted(model: Classifier, X: Features, y: NDArray[Any], weights: Array | None) -> Any:
    """The model, fitted to rows with these weights."""
    if weights is None:
        return model.fit(X, y)
    argument = weight_argument(model)
    if argument is None:
        problem = f"the fit of {type(model).__name__} takes no sample_weight"
        raise InputError("bad_model", problem, cure="duplicate rows or move the threshold instead, which ask for none")
    return model.fit(X, y, **{argument: weights})


def score_verb(model: Classifier) -> str | None:
    """How a model is asked for scores, probabilities first; None where it gives labels only."""
    return next((verb for verb in ("predict_proba", "decision_function") if hasattr(model, verb)), None)


def aligned_probabilities(model: Any, X: Features, labels: Sequence[Label]) -> Array:
    """Probabilities with one column a label, in that order; a class that the model never saw has none."""
    found = np.asarray(model.predict_proba(X), dtype=float)
    place = {label: code for code, label in enumerate(labels)}
    aligned = np.zeros((len(found), len(labels)))
    aligned[:, [place[label] for label in np.asarray(model.classes_).tolist()]] = found
    return aligned


def _inside_has(verb: str) -> Any:
    def there(self: CostLearner) -> bool:
        getattr(self.__dict__.get("estimator_", self.estimator), verb)
        return True

    return there


class CostLearner(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier made from another. `estimator_` is the one that was fitted; scores are always its own."""

    labels_: tuple[Label, ...]
    classes_: NDArray[Any]

    estimator: Any
    labels: Any

    def fit(self, X: Features, y: Values, sample_weight: Values | None = None) -> Self:
        """Learn from rows. `y` are labels, `sample_weight` one weight a row. Returns itself."""
        raise NotImplementedError

    def predict(self, X: Features) -> NDArray[Any]:
        """The label of each row."""
        check_is_fitted(self)
        answers: NDArray[Any] = self.estimator_.predict(X)
        return answers

    @available_if(_inside_has("predict_proba"))  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Features) -> Array:
        """The probabilities of the classifier inside."""
        check_is_fitted(self)
        found: Array = self.estimator_.predict_proba(X)
        return found

    @available_if(_inside_has("decision_function"))  # type: ignore[untyped-decorator]
    def decision_function(self, X: Features) -> Array:
        """The decision values of the classifier inside."""
        check_is_fitted(self)
        found: Array = self.estimator_.decision_function(X)
        return found

    def __sklearn_tags__(self) -> Any:
        try:
            return copy.deepcopy(get_tags(self.estimator))
        except (AttributeError, TypeError, ValueError):
            return super().__sklearn_tags__()

    def _rows(self, X: Features, y: Values, sample_weight: Values) -> Dataset:
        labels = None if self.labels is None else list(self.labels)
        return Dataset.of(X, np.asarray(y), labels=labels, sample_weight=sample_weight)

    def _keep(self, fitted: Any, data: Dataset) -> Self:
        self.estimator_ = fitted
        self.labels_ = data.labels
        self.classes_ = getattr(fitted, "classes_", np.unique(data.y))
        for known in ("n_features_in_", "feature_names_in_"):
            if hasattr(fitted, known):
                setattr(self, known, getattr(fitted, known))
        return self
