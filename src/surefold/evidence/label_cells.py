"""The truth and every model's call: cells of rows that are alike, or the rows themselves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefold.inputs.kinds import Label

__all__ = ["LabelCells"]

Array = NDArray[np.float64]
Codes = NDArray[Any]


@dataclass(frozen=True, eq=False)
class LabelCells:
    """Cells by the true class and what each model called, `calls[model, cell]`, with rows, weight and squares of each.

    `group_*` say the same for each group of rows: which group, which cell, and the weight. A row that is held is a
    cell of one row.
    """

    labels: tuple[Label, ...]
    truth: Codes
    calls: Codes
    rows: NDArray[np.int64]
    weight: Array
    squares: Array
    weighted: bool
    declared: bool = False
    group: Codes | None = None
    group_truth: Codes | None = None
    group_calls: Codes | None = None
    group_weight: Array | None = None
