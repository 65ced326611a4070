"""Scorers: any measure as scikit-learn asks for one, in `cross_val_score`, `GridSearchCV` and the like."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from typing import Any, Self, Unpack

import numpy as np

from surefold.errors import InputError
from surefold.given import Features, Values
from surefold.inputs.labels import Label
from surefold.inputs.options import MeasureOptions
from surefold.inputs.predictions import Predictions
from surefold.measures.catalogue import catalogue, listed_names
from surefold.measures.measure import Measure
from surefold.measures.score_measure import ScoreMeasure
from surefold.resampling.classifier import Classifier
from surefold.resampling.fold_values import HeldOut, fold_values
from surefold.scoring.fitted import Asked, answers

__all__ = ["Scorer", "scorer", "scorers"]

#: Stands for a worst value that is infinite: means over folds have to stay numbers.
_FAR = 1e12


class Scorer:
    """A measure as a function of a fitted model, `X` and the truth. Higher is always better. Made by `scorer`.

    scikit-learn asks the scorers of its own by names that begin with an underscore, and those of others too where a
    threshold is tuned; they are here for that.
    """

    def __init__(self, name: str, pos_label: Label | None = None, options: Mapping[str, Any] | None = None) -> None:
        name, self.options = name.removeprefix("neg_"), dict(options or {})  # every loss has its sign turned
        self.name, self.pos_label = catalogue[name].name, pos_label
        known = self.measure
        if known.better == "neither":
            problem = f"of {known.name} neither more nor less is better"
            raise InputError("bad_option", problem, cure="search by a measure of which more or less is better")
        if known.needs_options:
            raise known.lacking
        self._sign = -1 if known.better == "lower" else 1
        self._kwargs = {} if pos_label is None else {"pos_label": pos_label}
        self._requested: dict[str, bool | str | None] = {"sample_weight": None}
        self._told: set[str] = set()

    @property
    def measure(self) -> Measure:
        """The measure with its options."""
        return catalogue.with_options(self.name, self.options)

    def __call__(
        self, estimator: Classifier, X: Features, y_true: Values, sample_weight: Values | None = None
    ) -> float:
        """The measure of what the model says of the rows; a loss comes with its sign turned.

        NaN where it is undefined, with one warning for each reason.
        """
        want = "scores" if isinstance(self.measure, ScoreMeasure) else "labels"
        asked = Asked(X, y_true, pos_label=self.pos_label, sample_weight=sample_weight)
        held, truth = answers(estimator, asked, want=want)
        return self._sign * self._value(held, truth.positive)

    def __repr__(self) -> str:
        said = [repr(self.name), *(f"{name}={value!r}" for name, value in (self._kwargs | self.options).items())]
        return f"surefold.scorer({', '.join(said)})"

    def set_score_request(self, *, sample_weight: bool | str | None = None) -> Self:
        """Where scikit-learn routes metadata: whether weights are wanted, or under which name they come."""
        self._requested = {"sample_weight": sample_weight}
        return self

    def get_metadata_routing(self) -> object:
        """What was requested, as scikit-learn reads it."""
        from sklearn.utils.metadata_routing import MetadataRequest

        request = MetadataRequest(owner=self)
        for name, alias in self._requested.items():
            request.score.add_request(param=name, alias=alias)
        return request

    # what scikit-learn asks of its own scorers

    _get_metadata_request = get_metadata_routing

    def _accept_sample_weight(self) -> bool:
        return True

    def _score_func(
        self, y_true: Values, y_pred: Values, pos_label: Label | None = None, sample_weight: Values | None = None
    ) -> float:
        """The measure of labels that a threshold made, in its own direction.

        Where it is undefined, as precision is where nothing is called positive, the worst value there is: the search
        for a threshold would take NaN for the best.
        """
        if isinstance(self.measure, ScoreMeasure):
            problem = f"a threshold is tuned by a measure of labels, and {self.name} is one of scores"
            raise InputError("bad_option", problem, cure="tune by a measure of labels, such as f1 or mcc")
        p = Predictions.of(y_true, y_pred, pos_label=pos_label, sample_weight=sample_weight)
        predicted = np.asarray(p.predicted, dtype=np.int32)
        held = HeldOut(p.truth, predicted, None, "none", np.array([0, p.n]), p.labels, p.weights)
        value = float(fold_values(held, self.name, p.positive, self.options).values[0])
        return self._worst if np.isnan(value) else value

    @property
    def _worst(self) -> float:
        least, greatest = self.measure.range
        return float(np.clip(least if self._sign == 1 else greatest, -_FAR, _FAR))

    def _value(self, held: HeldOut, positive: int | None) -> float:
        """The value, with a warning where it is undefined for a reason that was not told before."""
        found = fold_values(held, self.name, positive, self.options)
        value = float(found.values[0])
        if np.isnan(value):
            reason = found.reasons.get(0, "no value")
            if reason not in self._told:
                self._told.add(reason)
                warnings.warn(f"{self.name} is undefined, so its score is NaN: {reason}", stacklevel=3)
        return value


def scorer(name: str, *, pos_label: Label | None = None, **options: Unpack[MeasureOptions]) -> Scorer:
    """Any measure for `scoring=` of scikit-learn: `cross_val_score`, `GridSearchCV`, `TunedThresholdClassifierCV`.

    Higher is always better: a loss such as `log_loss` comes with its sign turned, as scikit-learn's `neg_` names do.
    Measures of scores ask for probabilities, or else decision values; those of labels for `predict`. Weights are
    routed as for scikit-learn's own: `scorer("mcc").set_score_request(sample_weight=True)`. Where the measure is
    undefined the score is NaN, with one warning that says why. `options` are those of the measure.

    >>> from sklearn.linear_model import LogisticRegression
    >>> model = LogisticRegression().fit([[0.0], [1.0], [2.0], [3.0]], ["ham", "ham", "spam", "spam"])
    >>> scorer("f1", pos_label="spam")(model, [[0.5], [2.5], [1.0]], ["ham", "spam", "spam"])  # TP 1, FN 1
    0.6666666666666666
    """
    return Scorer(name, pos_label, options)


def scorers(names: Iterable[str], *, pos_label: Label | None = None) -> dict[str, Scorer]:
    """Several measures for `scoring=`, by their names; a search then wants `refit=` one of them.

    >>> scorers(["mcc", "roc_auc"])
    {'mcc': surefold.scorer('mcc'), 'roc_auc': surefold.scorer('roc_auc')}
    """
    return {name: Scorer(name, pos_label) for name in listed_names(names)}
