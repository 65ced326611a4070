"""Models whose held-out answers a test decides."""

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin


class Column(ClassifierMixin, BaseEstimator):
    """Answers what one column says, so that a test decides every held-out answer; `leaves` is the size it tells."""

    def __init__(self, column: int = 0, leaves: int = 1, slow: float = 0.0) -> None:
        self.column = column
        self.leaves = leaves
        self.slow = slow

    def fit(self, X: Any, y: Any) -> "Column":
        self.classes_ = np.unique(y)
        self.n_leaves_ = self.leaves
        return self

    def predict(self, X: Any) -> Any:
        return self.classes_[np.asarray(X)[:, self.column].astype(int)]


def told(*wrong: int, n: int = 100) -> tuple[Any, Any]:
    """Columns with so many wrong answers each, spread over the rows, and the truth."""
    truth = np.tile([0, 1], n // 2)
    columns = []
    for i, count in enumerate(wrong):
        column = truth.copy()
        rows = (np.arange(count) * 7 + i) % n
        column[rows] = 1 - column[rows]
        columns.append(column)
    return np.column_stack(columns).astype(float), truth
