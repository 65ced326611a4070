"""What the errors cost, under a k x k cost matrix."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefold.errors import InputError
from surefold.measures.measure import measure
from surefold.tallies.margins import Margins
from surefold.tallies.ratio import ratio

Array = NDArray[Any]


def cost_matrix(costs: Any, classes: int) -> NDArray[np.float64]:
    """A checked k x k matrix: `costs[true, predicted]`, any finite numbers, a gain being a negative cost."""
    cure = f"give {classes} rows of {classes} numbers, rows in the order of the labels: costs[true][predicted]"
    try:
        if np.iscomplexobj(costs):
            raise TypeError("complex numbers have no order")
        matrix = np.asarray(costs, dtype=float)
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError("cost_matrix", "the cost matrix is not made of numbers", cure=cure) from error
    if matrix.shape != (classes, classes):
        shape = " x ".join(map(str, matrix.shape)) or "one number"
        raise InputError("cost_matrix", f"the cost matrix is {shape} and there are {classes} classes", cure=cure)
    if not np.isfinite(matrix).all():
        raise InputError("cost_matrix", "the cost matrix has a value that is not finite", cure=cure)
    return matrix


def _weigh(classes: int, options: Mapping[str, Any]) -> NDArray[np.float64]:
    return cost_matrix(options["costs"], classes)


def _range(c: Margins, options: Mapping[str, Any]) -> tuple[float, float]:
    matrix = cost_matrix(options["costs"], c.classes)
    return float(matrix.min()), float(matrix.max())


@measure(
    reads="margins",
    range=(-np.inf, np.inf),
    better="lower",
    text="(sum of cost_ij n_ij) / n",
    undefined="no cost matrix was given, or there are too many classes",
    source="Elkan (2001), IJCAI",
    options={"costs": None},
    weigh=_weigh,
    range_of=_range,
)
def expected_cost(c: Margins, costs: Any) -> Array:
    """Mean cost of a row under the cost matrix."""
    return np.full(c.total.shape, np.nan) if c.loss is None else ratio(c.loss, c.total)
