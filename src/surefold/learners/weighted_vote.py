"""The weighted vote: each member of an ensemble gives its weight to one class, and the class with most weight wins."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["label_codes", "running_votes", "vote_margin", "vote_shares", "votes"]

Floats = NDArray[np.float64]
Codes = NDArray[np.intp]


def label_codes(answers: Any, classes: NDArray[Any]) -> Codes:
    """The place in `classes`, which are sorted, of each label answered.

    >>> label_codes(["b", "a", "b"], np.array(["a", "b"])).tolist()
    [1, 0, 1]
    """
    return np.asarray(np.searchsorted(classes, np.asarray(answers)), dtype=np.intp)


def votes(codes: ArrayLike, weights: ArrayLike, classes: int) -> Floats:
    """Rows x classes: the weight of the members that answered each class. `codes` are members x rows.

    >>> votes([[0, 1], [1, 1], [0, 0]], [0.5, 1.0, 0.75], classes=2).tolist()
    [[1.25, 1.0], [0.75, 1.5]]
    """
    total = np.zeros((np.shape(codes)[1], classes))
    for total in running_votes(np.asarray(codes), weights, classes):  # noqa: B007 - the last one is wanted
        pass
    return total


def running_votes(codes: ArrayLike, weights: ArrayLike, classes: int) -> Iterator[Floats]:
    """The votes of the first member, of the first two, and so on, each its own array."""
    answered: Sequence[Codes] = np.asarray(codes, dtype=np.intp)  # type: ignore[assignment]
    total = np.zeros((np.shape(codes)[1], classes))
    rows = np.arange(len(total))
    for answer, weight in zip(answered, np.asarray(weights, dtype=float), strict=True):
        total = total.copy()
        total[rows, answer] += weight
        yield total


def vote_shares(total: Floats) -> Floats:
    """Votes as shares of all the weight there is."""
    return np.asarray(total / total.sum(axis=1, keepdims=True))


def vote_margin(total: Floats) -> Floats:
    """What decides: of two classes the share of the second less that of the first, of more each class's share.

    For classes -1 and +1 and members M of weight a, the first is (sum of a M) / (sum of a), whose sign is the answer.

    >>> vote_margin(np.array([[1.25, 1.0], [0.75, 1.5]])).round(3).tolist()
    [-0.111, 0.333]
    """
    shares = vote_shares(total)
    return np.asarray(shares[:, 1] - shares[:, 0]) if shares.shape[1] == 2 else shares
