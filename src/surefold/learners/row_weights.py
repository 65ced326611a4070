"""Weights of rows, as `fit` takes them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefold.errors import InputError
from surefold.inputs.weights import read_weights

__all__ = ["row_weights"]


def row_weights(sample_weight: Any, n: int) -> NDArray[np.float64] | None:
    """Weights checked: one a row, none negative, not all zero."""
    if sample_weight is None:
        return None
    if isinstance(sample_weight, (int, float)):
        sample_weight = np.full(n, float(sample_weight))
    weights = read_weights(sample_weight)
    if len(weights) != n:
        raise InputError("length_mismatch", f"sample_weight has {len(weights):,} values and X {n:,} rows",
                         cure="give one weight a row")  # fmt: skip
    return weights
