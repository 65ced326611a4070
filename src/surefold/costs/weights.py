"""From what errors cost to how much rows weigh: the ratio of costs for two classes, Breiman's sum for more.

Of two classes, weighting each by what missing it costs beyond getting it right is exact: a learner that minimises the
weighted errors minimises the cost (Elkan, 2001). Of more classes one number a class cannot say which wrong answer is
the dear one; the sum of a row of the matrix is Breiman's way, and an approximation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefold.curves.costs import TwoClassCosts
from surefold.errors import InputError, show
from surefold.given import Costs
from surefold.inputs.labels import Label
from surefold.measures.cost import cost_matrix
from surefold.tallies.confusion import named_square

__all__ = ["balanced_weights", "class_weights", "cost_table", "costly_class", "least_cost_threshold"]

Array = NDArray[np.float64]


def cost_table(costs: Costs, labels: Sequence[Label], positive: int | None = None) -> Array:
    """A checked matrix `costs[true, predicted]` in the order of the labels.

    From such a matrix, a data frame that names its rows and columns, or of two classes `{"fp": 1, "fn": 5}`, which
    needs the positive one. A matrix that prices everything alike is refused: it has nothing to choose by.

    >>> cost_table({"fp": 1, "fn": 50}, ["look-alike", "slick"], positive=1).tolist()
    [[0.0, 1.0], [50.0, 0.0]]
    """
    if hasattr(costs, "index") and hasattr(costs, "columns"):
        costs = named_square(costs, labels, "cost_matrix")
    if isinstance(costs, Mapping):
        if len(labels) != 2 or positive is None:
            named = ", ".join(map(show, labels[:6]))
            cure = f"say pos_label= (of two classes), or give a matrix costs[true][predicted] in the order {named}"
            problem = f"costs={dict(costs)!r} does not say which class is the positive one"
            raise InputError("cost_matrix", problem, cure=cure)
        c = TwoClassCosts.of(costs)
        costs = [[c.tn, c.fp], [c.fn, c.tp]] if positive == 1 else [[c.tp, c.fn], [c.fp, c.tn]]
    matrix = cost_matrix(costs, len(labels))
    if (matrix == matrix.flat[0]).all():
        problem = "all cells of the cost matrix are equal, so no answer is better than another"
        raise InputError("cost_matrix", problem, cure="price errors above right answers")
    return matrix


def class_weights(matrix: Array, labels: Sequence[Label]) -> Array:
    """What missing a row of each class costs, beyond getting it right: the sum of its row of the matrix.

    >>> class_weights(np.array([[0.0, 1.0], [50.0, 0.0]]), ["look-alike", "slick"]).tolist()
    [1.0, 50.0]
    >>> class_weights(np.array([[0, 1, 2], [3, 0, 4], [9.0, 5, 0]]), "abc").tolist()  # 1 + 2, 3 + 4, 9 + 5
    [3.0, 7.0, 14.0]
    """
    weights = _missed(matrix)
    for label, weight in zip(labels, weights.tolist(), strict=True):
        if weight <= 0:
            problem = (
                f"missing a row of class {show(label)} costs no more than getting it "
                "right, so no weight can stand for it"
            )
            raise InputError("cost_matrix", problem, cure="move the threshold instead")
    return weights


def balanced_weights(codes: NDArray[Any], classes: int, weights: Array | None = None) -> Array:
    """A weight a class that makes all classes that are there weigh the same: rows / (classes x rows of the class).

    >>> balanced_weights(np.array([0, 0, 0, 1]), 2).tolist()  # 4 / (2 x 3), 4 / (2 x 1)
    [0.6666666666666666, 2.0]
    """
    totals = np.bincount(codes, weights, minlength=classes).astype(float)
    there = totals > 0
    found = np.zeros(classes)
    found[there] = totals.sum() / (there.sum() * totals[there])
    return found


def costly_class(matrix: Array, codes: NDArray[Any], positive: int | None = None) -> int:
    """The class that is dearest to miss, of those that are there; among equals the positive one, then the rarest.

    >>> costly_class(np.array([[0.0, 1.0], [1.0, 0.0]]), np.array([0, 1, 0]))
    1
    >>> costly_class(np.array([[0.0, 1.0], [1.0, 0.0]]), np.array([0, 1, 0]), positive=0)
    0
    """
    rows = np.bincount(codes, minlength=len(matrix))
    missed = np.where(rows > 0, _missed(matrix), -np.inf)
    negative = np.arange(len(matrix)) != positive
    return int(np.lexsort((rows, negative, -missed))[0])


def least_cost_threshold(matrix: Array, costly: int) -> float | None:
    """Elkan's threshold of two classes: answer the costly one from this probability of it on; None if it never pays.

    >>> round(least_cost_threshold(np.array([[0.0, 1.0], [50.0, 0.0]]), 1), 4)  # 1 / (1 + 50)
    0.0196
    """
    missed = _missed(matrix)
    if len(missed) != 2 or missed.min() <= 0:
        return None
    return float(missed[1 - costly] / missed.sum())


def _missed(matrix: Array) -> Array:
    return np.asarray((matrix - np.diagonal(matrix)[:, None]).sum(axis=1))
