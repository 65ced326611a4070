"""What a fitted model says of rows whose truth is known, as checked predictions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefold.errors import InputError
from surefold.given import Features
from surefold.inputs.labels import Label
from surefold.inputs.options import Given
from surefold.inputs.positive import positive_unknown
from surefold.inputs.predictions import Predictions
from surefold.resampling.answers import BadAnswerError, ScoreKind, label_codes, score_columns
from surefold.resampling.classifier import Classifier
from surefold.resampling.fold_values import HeldOut

__all__ = ["Asked", "answers", "predictions_of"]


@dataclass(frozen=True, eq=False)
class Asked:
    """Rows to ask a model about: features, truth, and what else is known of them."""

    X: Features
    y: Given
    labels: Sequence[Label] | None = None
    pos_label: Label | None = None
    sample_weight: Given | None = None
    groups: Given | None = None


def answers(model: Classifier, asked: Asked, *, want: str = "both") -> tuple[HeldOut, Predictions]:
    """The answers as one held-out part, and the truth as it was checked. `want` is "labels", "scores" or "both".

    The classes are those of the truth and those that the model knows. A class that the model does not know has
    probability 0.
    """
    classes = getattr(model, "classes_", None)
    no_scores: tuple[NDArray[np.float64] | None, ScoreKind, dict[str, Any]] = (None, "none", {})
    truth = _truth(asked, np.array([]) if classes is None else np.asarray(classes))
    try:
        n = truth.n
        predicted = np.zeros(n, dtype=np.int32)  # which no measure of scores looks at
        if want != "scores":
            said = model.predict(asked.X)
            if classes is None:  # nobody says what else it may answer
                truth = _truth(asked, np.unique(np.asarray(said)))
            predicted, _ = label_codes("predict", said, truth.labels, n)
        scores, kind, notes = no_scores
        if want != "labels":
            scores, kind, notes = score_columns(model, asked.X, truth.labels, n)
    except BadAnswerError as error:
        raise InputError(
            "bad_model", f"{type(model).__name__}: {error}", cure="give it the X that goes with y"
        ) from None
    if want == "scores" and scores is None:
        problem = f"{type(model).__name__} gives no scores: {notes['no_scores']}"
        raise InputError("bad_model", problem, cure="use a model with predict_proba, or a measure of labels")
    held = HeldOut(truth.truth, predicted, scores, kind, np.array([0, n]), truth.labels, truth.weights)
    return held, truth


def predictions_of(model: Classifier, asked: Asked) -> Predictions:
    """All that the model says of the rows: labels, and scores where it has them."""
    held, truth = answers(model, asked)
    if held.scores is not None and truth.positive is None and len(truth.labels) == 2:
        raise positive_unknown(truth.labels, truth.truth, "the model's scores")
    found = held.predictions(slice(None), truth.positive, truth.groups)
    return replace(found, findings=truth.findings)


def _truth(asked: Asked, classes: NDArray[Any]) -> Predictions:
    """The truth, coded by its own classes and those of the model."""
    facts: dict[str, Any] = {
        "sample_weight": asked.sample_weight,
        "groups": asked.groups,
        "names": ("y", "y", "scores"),
    }
    of: Callable[..., Predictions] = Predictions.of
    if asked.labels is not None:
        return of(asked.y, asked.y, labels=asked.labels, pos_label=asked.pos_label, **facts)
    own = of(asked.y, asked.y, **facts)
    known = [] if len(classes) == 0 else list(of(classes, classes, names=("classes_", "classes_", "scores")).labels)
    if set(known) <= set(own.labels):
        return of(asked.y, asked.y, pos_label=asked.pos_label, **facts)
    every = sorted({*known, *own.labels}, key=lambda label: (isinstance(label, str), label))
    found = of(asked.y, asked.y, labels=every, pos_label=asked.pos_label, **facts)
    return replace(found, declared=False)
