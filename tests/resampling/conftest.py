"""Models and results that several tests use."""

from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin

import surefold as sf


class Told(ClassifierMixin, BaseEstimator):
    """Answers what the only feature says: so a test decides every held-out answer."""

    def fit(self, X: Any, y: Any) -> "Told":
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: Any) -> Any:
        return self.classes_[np.asarray(X)[:, 0].astype(int)]


@pytest.fixture
def told() -> type[Told]:
    return Told


@pytest.fixture
def errors_by_fold() -> sf.Resampled:
    """Five folds of 30 rows with 8, 4, 7, 11 and 5 errors."""
    truth = np.tile([0, 1], 75)
    said = truth.copy()
    folds = [np.arange(30 * i, 30 * i + 30) for i in range(5)]
    for rows, wrong in zip(folds, (8, 4, 7, 11, 5), strict=True):
        said[rows[:wrong]] = 1 - truth[rows[:wrong]]
    pairs = [(np.setdiff1d(np.arange(150), test), test) for test in folds]
    found = sf.cross_validate(Told(), said[:, None].astype(float), truth, cv=pairs)
    assert isinstance(found, sf.Resampled)
    return found
