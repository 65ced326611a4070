"""A pipeline that takes row weights."""

from __future__ import annotations

from typing import Any

from sklearn.pipeline import Pipeline

__all__ = ["Prepared"]


class Prepared(Pipeline):  # type: ignore[misc]
    """A pipeline that hands row weights to its last step."""

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        weights = {} if sample_weight is None else {f"{self.steps[-1][0]}__sample_weight": sample_weight}
        return super().fit(X, y, **weights)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True  # missing values are refused before, or filled in by a step
        return tags
