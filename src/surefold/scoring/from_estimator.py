"""A fitted model and rows, assessed."""

from __future__ import annotations

from surefold.assessment import Assessment, assess
from surefold.given import Features
from surefold.inputs.options import AssessOptions, Given, refuse_unknown
from surefold.resampling.classifier import Classifier
from surefold.scoring.fitted import Asked, predictions_of

__all__ = ["assessment_of"]


def assessment_of(model: Classifier, X: Features, y: Given, options: AssessOptions) -> Assessment:
    """The assessment of what the model says; with `threshold=` of labels that its scores make."""
    refuse_unknown("from_estimator", options, AssessOptions)
    asked = Asked(
        X,
        y,
        labels=options.get("labels"),
        pos_label=options.get("pos_label"),
        sample_weight=options.get("sample_weight"),
        groups=options.get("groups"),
    )
    found = assess(
        predictions_of(model, asked),
        costs=options.get("costs"),
        measures=options.get("measures"),
        confidence=options.get("confidence", 0.95),
        random_state=options.get("random_state"),
    )
    threshold = options.get("threshold")
    return found if threshold is None else found.at(threshold)
