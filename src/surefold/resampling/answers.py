"""What a fitted model says of rows: codes of labels, and scores in the order of the labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from surefold.errors import show
from surefold.given import Features
from surefold.inputs.labels import Label
from surefold.resampling.classifier import Classifier

__all__ = ["BadAnswerError", "ScoreKind", "label_codes", "score_columns"]

ScoreKind = Literal["probability", "decision", "none"]


class BadAnswerError(Exception):
    """A model answered with something that is no answer; the message says what was expected and what came."""


def label_codes(verb: str, said: object, labels: Sequence[Label], n: int) -> tuple[NDArray[np.int32], bool]:
    """What the model said, as codes of labels, and whether it came as a column."""
    answer = np.asarray(said)
    flattened = answer.ndim == 2 and answer.shape == (n, 1)
    if flattened:
        answer = answer.ravel()
    if answer.shape != (n,):
        raise BadAnswerError(f"{verb} gave shape {answer.shape} for {n} rows; ({n},) was expected")
    known = np.asarray(labels)
    if known.dtype.kind == answer.dtype.kind and known.dtype.kind in "iuUb":
        order = np.argsort(known, kind="stable")
        place = np.minimum(np.searchsorted(known[order], answer), len(known) - 1)
        codes = order[place].astype(np.int32)
        wrong = known[codes] != answer
        if not wrong.any():
            return codes, flattened
    lookup = {label: code for code, label in enumerate(labels)}
    codes = np.array([lookup.get(_plain(value), -1) for value in answer], dtype=np.int32)
    if (codes < 0).any():
        first = int(np.flatnonzero(codes < 0)[0])
        where = f"for test row {first + 1}" if verb == "predict" else f"at place {first + 1}"
        raise BadAnswerError(
            f"{verb} gave {show(_plain(answer[first]))} {where}, no class of y ({int((codes < 0).sum())} such)"
        )
    return codes, flattened


def _plain(value: object) -> Any:
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, float) and value.is_integer():
        return int(value)
    try:
        hash(value)
    except TypeError:
        return None
    return value


def score_columns(
    model: Any, X: Features, labels: Sequence[Label], n: int
) -> tuple[NDArray[np.float64] | None, ScoreKind, dict[str, Any]]:
    """Probabilities if the model gives them, else decision values, else nothing; columns in the order of the labels."""
    k = len(labels)
    kind: ScoreKind
    if callable(getattr(model, "predict_proba", None)):
        verb, kind, raw = "predict_proba", "probability", model.predict_proba(X)
    elif callable(getattr(model, "decision_function", None)):
        verb, kind, raw = "decision_function", "decision", model.decision_function(X)
    else:
        return None, "none", {"no_scores": "the model has neither predict_proba nor decision_function"}
    scores = np.asarray(raw, dtype=np.float64)
    classes = getattr(model, "classes_", None)
    if classes is None:
        raise BadAnswerError(f"the model has {verb} but no classes_, so its columns cannot be named")
    codes, _ = label_codes("classes_", classes, labels, len(classes))
    if len(np.unique(codes)) < len(codes):
        raise BadAnswerError("classes_ names a class twice, so the columns cannot be told apart")
    if kind == "decision" and scores.ndim == 1 and len(codes) == 2 and scores.shape == (n,):
        scores = np.column_stack([-scores, scores])
    if kind == "decision" and len(codes) > 2 and _one_against_one(model):
        return None, "none", {"no_scores": "decision_function compares pairs of classes: no column is a class's own"}
    if kind == "decision" and scores.ndim == 2 and scores.shape[1] != len(codes):
        return None, "none", {"no_scores": f"decision_function gave {scores.shape[1]} columns for {len(codes)} classes"}
    if scores.shape != (n, len(codes)):
        raise BadAnswerError(f"{verb} gave shape {scores.shape}; ({n}, {len(codes)}) was expected")
    if np.isnan(scores).any():
        bad = np.flatnonzero(np.isnan(scores).any(axis=1))
        raise BadAnswerError(f"{verb} gave NaN in {len(bad)} of {n} test rows (first: test row {int(bad[0]) + 1})")
    if kind == "probability":
        _check_probabilities(scores)
    aligned = np.full((n, k), 0.0 if kind == "probability" else -np.inf)
    aligned[:, codes] = scores
    if kind == "decision" and k == 2:
        return np.ascontiguousarray(aligned[:, 1]), kind, {}
    return aligned, kind, {}


def _check_probabilities(scores: NDArray[np.float64]) -> None:
    outside = (scores < -1e-6) | (scores > 1 + 1e-6)
    if outside.any():
        row, column = (int(place) for place in np.argwhere(outside)[0])
        raise BadAnswerError(
            f"predict_proba gave {scores[row, column]:g} for test row {row + 1}, no probability "
            f"({int(outside.any(axis=1).sum())} such rows)"
        )
    sums = scores.sum(axis=1)
    worst = int(np.abs(sums - 1).argmax())
    if abs(sums[worst] - 1) > 1e-3:
        raise BadAnswerError(f"probabilities of test row {worst + 1} add up to {sums[worst]:g}, not to 1")


def _one_against_one(model: Classifier) -> bool:
    if not hasattr(model, "get_params"):
        return False
    asked = model.get_params(deep=True)
    return any(name.endswith("decision_function_shape") and value == "ovo" for name, value in asked.items())
