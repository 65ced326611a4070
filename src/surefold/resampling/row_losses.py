"""Losses of single rows, for measures that are means over rows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from surefold.inputs.labels import Label
from surefold.measures import catalogue
from surefold.resampling.fold_values import HeldOut

__all__ = ["loss_limits", "loss_name", "row_losses", "unrelated_loss"]

_EPS = np.finfo(np.float64).eps
#: Measures that are means over rows, and how large one row's part can be.
_LIMITS = {
    "error_rate": 1.0,
    "accuracy": 1.0,
    "brier": 1.0,
    "brier_multiclass": 2.0,
    "log_loss": np.inf,
    "log_loss_multiclass": np.inf,
}


def loss_name(measure: str, labels: tuple[Label, ...], positive: int | None) -> str:
    """The measure by its own name, the one for many classes where there are many."""
    return catalogue.twin(measure) if len(labels) > 2 and positive is None else catalogue[measure].name


def loss_limits(name: str) -> tuple[float, float]:
    """The least and the greatest loss of a row by that measure."""
    return 0.0, _LIMITS[name]


def row_losses(held: HeldOut, measure: str, positive: int | None) -> NDArray[np.float64] | None:
    """The part of each held-out row in a measure that is their mean; None where it is no such mean."""
    name = loss_name(measure, held.labels, positive)
    if name in ("error_rate", "accuracy"):
        wrong = held.predicted != held.truth
        return np.asarray(wrong if name == "error_rate" else ~wrong, dtype=np.float64)
    if name not in _LIMITS or held.scores is None or held.score_kind != "probability":
        return None
    if name == "log_loss_multiclass":
        own = held.scores[np.arange(len(held.truth)), held.truth]
        return np.asarray(-np.log(np.maximum(own, _EPS)))
    if name == "brier_multiclass":
        truth = np.zeros(held.scores.shape)
        truth[np.arange(len(held.truth)), held.truth] = 1.0
        return np.asarray(((held.scores - truth) ** 2).sum(axis=1))
    column = 1 if positive is None else positive
    p, is_positive = held.scores[:, column], held.truth == column
    if name == "brier":
        return np.asarray((p - is_positive) ** 2)
    return np.asarray(-np.log(np.clip(np.where(is_positive, p, 1 - p), _EPS, 1.0)))


def unrelated_loss(held: HeldOut, name: str, positive: int | None) -> float:
    """The loss if answers had nothing to do with the truth: its mean over all pairs of an answer and a true class."""
    n, k = len(held.truth), len(held.labels)
    shares = np.bincount(held.truth, minlength=k) / n
    if name in ("error_rate", "accuracy"):
        return float(shares @ (1 - np.bincount(held.predicted, minlength=k) / n))
    if held.scores is None:
        raise AssertionError("a loss of scores needs scores")
    if name == "log_loss_multiclass":
        return float(-np.log(np.maximum(held.scores, _EPS)).mean(axis=0) @ shares)
    column = 1 if positive is None else positive
    if name == "log_loss":
        p, share = held.scores[:, column], shares[column]
        return float(-share * np.log(np.maximum(p, _EPS)).mean() - (1 - share) * np.log(np.maximum(1 - p, _EPS)).mean())
    columns = [column] if name == "brier" else range(k)
    # the mean over pairs of (p - y)^2 is mean p^2 - 2 mean p mean y + mean y
    means = ((held.scores[:, c], shares[c]) for c in columns)
    return float(sum((p**2).mean() - 2 * p.mean() * share + share for p, share in means))
