"""ensemble_curve: the error of an ensemble with its first member alone, its first two, and so on, over folds."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefold.errors import InputError, refuse_unknown, show
from surefold.inputs.predictions import Predictions
from surefold.resampling.classifier import Classifier
from surefold.resampling.folds import k_fold_plan
from surefold.resampling.models import fresh, seeded
from surefold.resampling.plan import Plan

if TYPE_CHECKING:
    pass

__all__ = ["EnsembleCurve", "ensemble_curve"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class EnsembleCurve:
    """Error rates by number of members, one row a fold: on the rows trained on (`train`) and on those held out."""

    train: Floats
    test: Floats
    plan: Plan = field(repr=False)

    @property
    def members(self) -> NDArray[np.int64]:
        """1, 2, ... as many as the largest fold's ensemble has."""
        return np.arange(1, self.test.shape[1] + 1)

    def at(self, members: int, rows: str = "test") -> float:
        """The mean error over the folds with so many members, on "test" or "train" rows."""
        refuse_unknown("rows", rows, ("train", "test"))
        if isinstance(members, bool) or not isinstance(members, int) or not 1 <= members <= len(self.members):
            cure = f"give a whole number from 1 to {len(self.members)}"
            raise InputError("bad_option", f"members={show(members)}", cure=cure)
        return float((self.test if rows == "test" else self.train)[:, members - 1].mean())

    def _repr_html_(self) -> str:
        from surefold.report.notebook import figure_html

        return figure_html(self)

    def plot(self, ax: Any = None, **options: Any) -> Any:
        """Both errors against the number of members."""
        from surefold.show.plots import plot

        return plot(self, None, ax, **options)


def ensemble_curve(
    model: Classifier, X: ArrayLike, y: ArrayLike, *, folds: int = 5, stratified: bool = True, random_state: int = 0
) -> EnsembleCurve:
    """Train an ensemble on each set of folds but one, and follow its errors as members are added.

    `model` is any ensemble with `staged_predict`, such as `AdaBoost`, `Bagging` or `RandomForest`. One that stops early
    keeps its last error.

    >>> from sklearn.datasets import load_iris
    >>> from surefold.learners import AdaBoost
    >>> curve = ensemble_curve(AdaBoost(n_estimators=20, resample=False), *load_iris(return_X_y=True))
    >>> curve.at(1) > curve.at(20), curve.at(20, "train") <= curve.at(20)
    (True, True)
    """
    if not callable(getattr(model, "staged_predict", None)):
        cure = "pass an ensemble, such as AdaBoost, Bagging or RandomForest"
        raise InputError("bad_model", f"{type(model).__name__} has no staged_predict", cure=cure)
    features = X if hasattr(X, "iloc") else np.asarray(X)
    truth = np.asarray(y)
    codes = Predictions.of(truth, truth, names=("y", "y", "scores")).truth
    plan = k_fold_plan(codes, folds=folds, stratified=stratified, random_state=random_state)
    paths: list[tuple[list[float], list[float]]] = []
    for split in plan:
        fitted = seeded(fresh(model), np.random.SeedSequence([random_state, split.index]))
        fitted.fit(_rows(features, split.train), truth[split.train])
        train, test = (
            [float(np.mean(answers != truth[rows])) for answers in fitted.staged_predict(_rows(features, rows))]
            for rows in (split.train, split.test)
        )
        paths.append((train, test))
    most = max(len(test) for _, test in paths)
    found = np.array([[path + path[-1:] * (most - len(path)) for path in pair] for pair in paths])
    return EnsembleCurve(found[:, 0], found[:, 1], plan)


def _rows(features: ArrayLike, rows: NDArray[np.int64]) -> ArrayLike:
    part: ArrayLike = features.iloc[rows] if hasattr(features, "iloc") else np.asarray(features)[rows]
    return part
