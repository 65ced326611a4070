"""What a model must be able to do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from surefold.given import Features, Values

__all__ = ["Classifier", "Models"]


class Classifier(Protocol):
    """Anything that learns from rows and then names a class for each: scikit-learn's classifiers, and others like them.

    Probabilities (`predict_proba`) or decision values (`decision_function`) are used where a model has them.
    """

    def fit(self, X: Features, y: Values) -> Any:
        """Learn from rows and their labels."""

    def predict(self, X: Features) -> Any:
        """The label of each row."""


#: One model, or several under their names.
Models = Classifier | Mapping[str, Any]
