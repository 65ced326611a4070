"""Weights of rows, as `fit` takes them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from surefold.errors import InputError
from surefold.given import Values
from surefold.inputs.weights import read_weights

__all__ = ["row_weights"]


def row_weights(sample_weight: Values | None, n: int) -> NDArray[np.float64] | None:
    """Weights checked: one a row, none negative, not all zero."""
    if sample_weight is None:
        return None
    one = isinstance(sample_weight, int | float)
    weights = read_weights(np.full(n, sample_weight, dtype=float) if one else sample_weight)
    if len(weights) != n:
        problem = f"sample_weight has {len(weights):,} values and X {n:,} rows"
        raise InputError("length_mismatch", problem, cure="give one weight a row")
    return weights
