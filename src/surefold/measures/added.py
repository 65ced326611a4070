"""The row that intervals add to a table: half right, half wrong, shared over the classes by 1/(rows of the class).

Above 95 % more than one such row is added: see `surefold.estimates.one_row.rows_added`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefold.measures.measure import Given
from surefold.tallies.margins import Margins

__all__ = ["enlarged", "shares_of_row"]

Array = NDArray[Any]


def shares_of_row(rows: Array) -> Array:
    """How much of the added row each class gets: by 1/rows, nothing for a class without rows."""
    inverse = np.where(rows > 0, 1 / np.where(rows > 0, rows, 1.0), 0.0)
    return np.asarray(inverse / inverse.sum(axis=-1, keepdims=True))


def enlarged(margins: Margins, given: Given = "true", rows: float = 1.0) -> tuple[Margins, Array]:
    """The table with its added row, or so many `rows`, and how much of them each class got."""
    key = ("enlarged", given, rows)
    if key not in margins.ledger:
        margins.ledger[key] = _enlarged(margins, given, rows)
    found: tuple[Margins, Array] = margins.ledger[key]
    return found


def _enlarged(margins: Margins, given: Given, rows: float) -> tuple[Margins, Array]:
    own, other = (margins.actual, margins.called) if given == "true" else (margins.called, margins.actual)
    share = rows * shares_of_row(own)
    others = max(margins.classes - 1, 1)
    own, other = own + share, other + share / 2 + (share.sum(axis=-1, keepdims=True) - share) / (2 * others)
    actual, called = (own, other) if given == "true" else (other, own)
    loss = margins.loss
    if loss is not None and margins.cell_weights is not None:
        right, wrong = np.diagonal(margins.cell_weights), _off_diagonal_mean(margins.cell_weights)
        loss = loss + (share * (right + wrong) / 2).sum(axis=-1)
    return replace(margins, tp=margins.tp + share / 2, actual=actual, called=called, loss=loss), share


def _off_diagonal_mean(weights: NDArray[np.float64]) -> Array:
    others = max(len(weights) - 1, 1)
    return np.asarray((weights.sum(axis=1) - np.diagonal(weights)) / others)
