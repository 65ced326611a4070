"""noise_curve: how much a learner suffers from wrong labels among the rows it is trained on."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any, Self, Unpack

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state, get_tags
from sklearn.utils.metaestimators import available_if

from surefold.errors import InputError, show
from surefold.estimates.quantiles import checked_confidence
from surefold.given import Features, RandomState, Values
from surefold.inputs.labels import Label
from surefold.measures import catalogue
from surefold.resampling.classifier import Classifier, Models
from surefold.resampling.dataset import Dataset
from surefold.resampling.evaluate import RunOptions, adopted_seed
from surefold.resampling.folds import k_fold_plan
from surefold.resampling.models import as_models, fresh
from surefold.resampling.run_study import run_study
from surefold.studies.study_curve import Design, StudyCurve, curve_point, findings_of

__all__ = ["SHARES", "NoiseCurve", "TrainedOnNoise", "flipped", "noise_curve"]

SHARES = (0.0, 0.05, 0.1, 0.2, 0.3, 0.4)


class NoiseCurve(StudyCurve):
    """A measure on clean held-out labels against the share of training labels made wrong. Made by `noise_curve`."""

    kind = "noise_curve"
    x_name = "share of wrong training labels"
    x_column = "wrong_labels"


def noise_curve(
    model: Models,
    X: Features,
    y: Values,
    *,
    shares: Sequence[float] = SHARES,
    folds: int = 10,
    repeats: int = 1,
    measure: str = "error_rate",
    groups: Values | None = None,
    labels: Sequence[Label] | None = None,
    pos_label: Label | None = None,
    confidence: float = 0.95,
    random_state: RandomState = None,
    **options: Unpack[RunOptions],
) -> NoiseCurve:
    """The measure on held-out rows against the share of training labels that were changed to another class.

    In each training part that share of the rows, drawn at random, gets another class, each of the others as likely.
    Labels that are tested are never touched. Rows that are wrong at one share stay wrong at larger ones, and every
    share is tested on the same rows, so shares are compared pairwise: `curve.change(0.2)` is what 20 % wrong labels
    cost, with a paired interval. `model` is one classifier or several by name.

    >>> from surefold.learners import NaiveBayes
    >>> X = [[0.1 * i + (4.0 if i % 2 else 0.0)] for i in range(40)]
    >>> curve = noise_curve(NaiveBayes(), X, [i % 2 for i in range(40)], shares=[0, 0.4], random_state=0)
    >>> curve.x, curve.change(0.4).value > 0
    ([0.0, 0.4], True)
    """
    level = checked_confidence(confidence)
    name = catalogue[measure].name
    wanted = _shares(shares)
    data = Dataset.of(X, y, labels=labels, pos_label=pos_label, groups=groups)
    seed = adopted_seed(random_state, options)
    plan = k_fold_plan(data.codes, folds=folds, repeats=repeats, groups=groups, random_state=seed, labels=data.labels)
    given = as_models(model)
    noisy = {f"{key}, {share:g} wrong": TrainedOnNoise(each, share) for key, each in given.items() for share in wanted}
    study = run_study(noisy, data, plan, level, options)
    design = Design(name, folds, plan.train_sizes.astype(float), plan.test_sizes.astype(float), level)
    splits = np.arange(len(plan))
    models = {
        key: tuple(curve_point(s, study.models[f"{key}, {s:g} wrong"], splits, design, pos_label) for s in wanted)
        for key in given
    }
    return NoiseCurve(design, models, plan, findings_of(study, name))


def _shares(shares: Sequence[float]) -> list[float]:
    try:
        found = sorted({float(share) for share in shares})
    except (TypeError, ValueError):
        found = []
    if not found or not all(0 <= share < 1 for share in found):
        raise InputError("bad_option", f"shares is {show(shares)}", cure="give numbers from 0 up to, not with, 1")
    return found


def flipped(y: NDArray[Any], share: float, rng: np.random.RandomState) -> NDArray[Any]:
    """y with that share of its labels, rounded to whole rows, changed to another class of y.

    The same generator state with a larger share changes the same rows in the same way, and more of them.

    >>> y = np.array(["a", "b", "a", "b"])
    >>> (flipped(y, 0.5, np.random.RandomState(0)) != y).sum(), (flipped(y, 0.0, np.random.RandomState(0)) != y).sum()
    (np.int64(2), np.int64(0))
    """
    classes, codes = np.unique(y, return_inverse=True)
    order = rng.permutation(len(y))
    step = 1 + rng.randint(max(len(classes) - 1, 1), size=len(y))
    wrong = order[: round(share * len(y))]
    codes[wrong] = (codes[wrong] + step[wrong]) % len(classes)
    changed: NDArray[Any] = classes[codes]
    return changed


def _model_has(verb: str) -> Any:
    def there(self: TrainedOnNoise) -> bool:
        getattr(self.model, verb)
        return True

    return there


class TrainedOnNoise(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier that is trained on labels of which a share was made wrong, and asked as always."""

    def __init__(self, model: Classifier, share: float = 0.0, random_state: RandomState = None) -> None:
        self.model = model
        self.share = share
        self.random_state = random_state

    def fit(self, X: Features, y: Values) -> Self:
        """Fit the learner to labels of which a share was changed. Returns itself."""
        wrong = flipped(np.asarray(y), self.share, check_random_state(self.random_state))
        self.model_ = fresh(self.model).fit(X, wrong)
        if hasattr(self.model_, "classes_"):
            self.classes_ = self.model_.classes_
        return self

    def predict(self, X: Features) -> NDArray[Any]:
        """The label of each row."""
        answers: NDArray[Any] = self.model_.predict(X)
        return answers

    @available_if(_model_has("predict_proba"))  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Features) -> NDArray[np.float64]:
        """The probabilities of the classes, a row a row."""
        found: NDArray[np.float64] = self.model_.predict_proba(X)
        return found

    @available_if(_model_has("decision_function"))  # type: ignore[untyped-decorator]
    def decision_function(self, X: Features) -> NDArray[np.float64]:
        """The learner's scores."""
        found: NDArray[np.float64] = self.model_.decision_function(X)
        return found

    def __sklearn_tags__(self) -> Any:
        try:
            return copy.deepcopy(get_tags(self.model))
        except (AttributeError, TypeError, ValueError):
            return super().__sklearn_tags__()
