"""A model that answers by a threshold of ours, as scikit-learn has it."""

from __future__ import annotations

import math

from surefold.errors import InputError
from surefold.inputs.labels import Label
from surefold.resampling.classifier import Classifier

__all__ = ["with_threshold"]


def with_threshold(model: Classifier, threshold: float, pos_label: Label | None, response_method: str) -> Classifier:
    """`FixedThresholdClassifier` of the model. One that was fitted is frozen, so that it is not fitted again."""
    from sklearn.exceptions import NotFittedError
    from sklearn.frozen import FrozenEstimator
    from sklearn.model_selection import FixedThresholdClassifier
    from sklearn.utils.validation import check_is_fitted

    probable = response_method == "predict_proba" or (response_method == "auto" and hasattr(model, "predict_proba"))
    if probable and math.isfinite(threshold) and not 0 <= threshold <= 1:
        problem = f"the threshold {threshold:g} is no probability, and the model would be asked for probabilities"
        raise InputError("bad_option", problem, cure="say response_method='decision_function'")
    try:
        check_is_fitted(model)
        model = FrozenEstimator(model)
    except NotFittedError:
        pass
    made: Classifier = FixedThresholdClassifier(
        model, threshold=threshold, pos_label=pos_label, response_method=response_method
    )
    return made
