"""How far the error on the training rows flatters a model, and the .632 family that makes up for it.

A bootstrap sample holds .632 of the distinct rows, so the error on the rows left out is that of a model trained on too
few, and too high; the apparent error, on the rows trained on, is too low. `point632` weighs the two. A learner that
fits its training rows perfectly whatever they are makes that too low as well; `point632plus` measures how much it
overfits, by the error that would be seen if features told nothing about classes.

Efron (1983), Efron & Tibshirani (1997). Functions of numbers, or of arrays of them.
"""

from __future__ import annotations

from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefold.errors import InputError

__all__ = ["DISTINCT", "no_information_rate", "overfitting_rate", "point632", "point632plus", "weight632plus"]

Array = NDArray[np.float64]

#: The share of distinct rows in a bootstrap sample as the estimators' name has it; 1 - 1/e is .63212.
DISTINCT = 0.632


def no_information_rate(y_true: ArrayLike, y_pred: ArrayLike) -> float:
    """Efron's γ: the error rate if truth and prediction had nothing to do with each other.

    Σ p_k (1 - q_k), with p_k the share of class k in the truth and q_k in the predictions: the error averaged over all
    n² pairs of a true and a predicted label. (caret's "no information rate" is something else, the share of the
    largest class; here that is `majority_share`.)

    >>> no_information_rate(["a", "a", "a", "b"], ["a", "a", "b", "b"])  # 3/4 x 1/2 + 1/4 x 1/2
    0.5
    """
    truth, predicted = np.asarray(y_true), np.asarray(y_pred)
    for name, labels in (("y_true", truth), ("y_pred", predicted)):
        if labels.ndim != 1:
            cure = "give one label a row"
            raise InputError("bad_shape", f"{name} has shape {labels.shape}", cure=cure)
    if len(truth) != len(predicted):
        problem = f"y_true has {len(truth):,} rows, y_pred {len(predicted):,}"
        raise InputError("length_mismatch", problem, cure="give a prediction for every row")
    if not len(truth):
        raise InputError("no_rows", "y_true is empty", cure="give at least one row")
    shares = {label: count / len(truth) for label, count in _counts(predicted).items()}
    return float(sum(count * (1 - shares.get(label, 0.0)) for label, count in _counts(truth).items()) / len(truth))


def _counts(labels: NDArray[Any]) -> dict[Any, int]:
    if labels.dtype == object:
        found: dict[Any, int] = {}
        for label in labels.tolist():
            found[label] = found.get(label, 0) + 1
        return found
    values, counts = np.unique(labels, return_counts=True)
    return dict(zip(values.tolist(), counts.tolist(), strict=True))


@overload
def point632(apparent_error: float, out_of_bag_error: float) -> float: ...
@overload
def point632(apparent_error: ArrayLike, out_of_bag_error: ArrayLike) -> float | Array: ...
def point632(apparent_error: ArrayLike, out_of_bag_error: ArrayLike) -> float | Array:
    """.368 x the apparent error + .632 x the error on rows left out of the sample.

    Optimistic for learners that fit their training rows perfectly: on pure noise the nearest neighbour gets .316.

    >>> round(point632(0.1, 0.3), 4)
    0.2264
    """
    apparent, left_out = _errors(apparent_error=apparent_error, out_of_bag_error=out_of_bag_error)
    return _plain((1 - DISTINCT) * apparent + DISTINCT * left_out)


@overload
def point632plus(apparent_error: float, out_of_bag_error: float, no_information_rate: float) -> float: ...
@overload
def point632plus(
    apparent_error: ArrayLike, out_of_bag_error: ArrayLike, no_information_rate: ArrayLike
) -> float | Array: ...
def point632plus(
    apparent_error: ArrayLike, out_of_bag_error: ArrayLike, no_information_rate: ArrayLike
) -> float | Array:
    """(1 - w) x the apparent error + w x the error on rows left out, w from .632 to 1 as the learner overfits.

    w = .632 / (1 - .368 R) with R the overfitting rate; an error on rows left out that is above the no-information
    rate γ counts as γ, so the answer never exceeds γ unless the apparent error does.

    >>> round(point632plus(0.0, 0.5, 0.5), 4), round(point632plus(0.1, 0.3, 0.5), 4)  # R = 1; R = 1/2, w = .632 / .816
    (0.5, 0.2549)
    """
    apparent, left_out, gamma = _errors(
        apparent_error=apparent_error, out_of_bag_error=out_of_bag_error, no_information_rate=no_information_rate
    )
    weight = weight632plus(apparent, left_out, gamma)
    return _plain((1 - weight) * apparent + weight * _at_most(left_out, gamma, apparent))


def overfitting_rate(apparent: ArrayLike, left_out: ArrayLike, gamma: ArrayLike) -> Array:
    """R = (left out - apparent) / (γ - apparent), in [0, 1]; 0 where nothing was overfitted.

    >>> overfitting_rate([0.0, 0.2, 0.0], [0.25, 0.1, 0.7], 0.5).tolist()
    [0.5, 0.0, 1.0]
    """
    err, out, top = np.broadcast_arrays(*(np.asarray(x, dtype=float) for x in (apparent, left_out, gamma)))
    above = (out > err) & (top > err)
    return np.where(above, np.minimum(out - err, top - err) / np.where(above, top - err, 1.0), 0.0)


def weight632plus(apparent: ArrayLike, left_out: ArrayLike, gamma: ArrayLike) -> Array:
    """The weight of the error on rows left out: .632 without overfitting, 1 where there is nothing else."""
    return np.asarray(DISTINCT / (1 - (1 - DISTINCT) * overfitting_rate(apparent, left_out, gamma)))


def _at_most(left_out: Array, gamma: Array, apparent: Array) -> Array:
    """min(left out, γ), except where even the apparent error is above γ: then there is no rate to cap it by."""
    return np.where(gamma > apparent, np.minimum(left_out, gamma), left_out)


def _errors(**given: ArrayLike) -> tuple[Array, ...]:
    for name, value in given.items():
        x = np.asarray(value, dtype=float)
        if not ((x >= 0) & np.isfinite(x)).all():
            cure = "give errors (losses), from 0 upwards; of an accuracy, 1 minus it"
            raise InputError("bad_option", f"{name} holds a value that is negative or not finite", cure=cure)
    return tuple(np.broadcast_arrays(*(np.asarray(value, dtype=float) for value in given.values())))


def _plain(x: NDArray[Any]) -> float | Array:
    return float(x) if x.ndim == 0 else x
