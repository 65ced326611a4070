"""A measure of every fold at once: labels through one batch of tables, scores fold by fold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefold.errors import InputError
from surefold.estimates.auc import missing_class
from surefold.estimates.of_scores import ScoreEstimates
from surefold.inputs.labels import Label
from surefold.inputs.positive import positive_unknown
from surefold.inputs.predictions import Predictions
from surefold.measures import catalogue
from surefold.measures.catalogue import of_all_classes
from surefold.measures.measure import Measure
from surefold.measures.score_measure import ScoreMeasure
from surefold.resampling.answers import ScoreKind
from surefold.tallies.confusion import Table
from surefold.tallies.score_groups import ScoreGroups

__all__ = ["FoldValues", "HeldOut", "fold_values", "positive_for"]

#: Cells of tables that are counted at a time.
CELLS = 4_000_000


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Held-out answers one after another, as `Plan.test_rows` has the rows; `split` says which fit gave each.

    Where a fold is missing, `predicted` is -1 and `scores` are NaN.
    """

    truth: NDArray[Any]
    predicted: NDArray[np.int32]
    scores: NDArray[np.float64] | None
    score_kind: ScoreKind
    starts: NDArray[np.int64]
    labels: tuple[Label, ...]
    weights: NDArray[np.float64] | None = None

    @property
    def splits(self) -> int:
        """How many splits there are."""
        return len(self.starts) - 1

    def part(self, where: Any) -> HeldOut:
        """Some of the answers, as one split."""
        truth = self.truth[where]
        return replace(
            self,
            truth=truth,
            predicted=self.predicted[where],
            scores=None if self.scores is None else self.scores[where],
            starts=np.array([0, len(truth)]),
            weights=None if self.weights is None else self.weights[where],
        )

    def scores_for(self, positive: int | None) -> NDArray[np.float64] | None:
        """As `Predictions` holds them: the positive class's own for two classes, one column a class for more."""
        if self.scores is None or len(self.labels) > 2:
            return self.scores
        if positive is None:
            raise positive_unknown(self.labels, self.truth, "the model's scores")
        if self.scores.ndim == 1:
            return self.scores if positive == 1 else -self.scores
        return np.ascontiguousarray(self.scores[:, positive])

    def predictions(self, where: Any, positive: int | None, groups: NDArray[np.intp] | None = None) -> Predictions:
        """Some of the answers as a set of predictions; `where` is a slice or row numbers."""
        scores = (
            None if self.scores is None or (len(self.labels) == 2 and positive is None) else self.scores_for(positive)
        )
        return Predictions(
            truth=self.truth[where],
            predicted=self.predicted[where],
            scores=None if scores is None else scores[where],
            labels=self.labels,
            weights=None if self.weights is None else self.weights[where],
            groups=None if groups is None else groups[where],
            positive=positive,
        )


@dataclass(frozen=True, eq=False)
class FoldValues:
    """A value a split, NaN where it is undefined or the fold is missing, and why."""

    values: NDArray[np.float64]
    reasons: Mapping[int, str]


def fold_values(held: HeldOut, name: str, positive: int | None, options: Mapping[str, Any]) -> FoldValues:
    """The measure of each split's held-out rows."""
    asked = catalogue[name].name
    if len(held.labels) > 2 and positive is None:
        asked = catalogue.twin(asked)
    positive = positive_for(asked, held.labels, positive)
    measure = catalogue.with_options(asked, options)
    if measure.needs_options:
        raise measure.lacking
    if isinstance(measure, ScoreMeasure):
        return _of_scores(held, measure, positive)
    if measure.is_per_class and positive is None:
        raise _one_class(held, measure.name)
    return _of_labels(held, measure, positive)


def positive_for(name: str, labels: tuple[Label, ...], positive: int | None) -> int | None:
    """The positive class; where it was not said and the measure is the same for either of two, one of them.

    >>> positive_for("roc_auc", ("ham", "spam"), None), positive_for("average_precision", ("ham", "spam"), None)
    (1, None)
    """
    either = positive is None and len(labels) == 2 and catalogue.same_for_either(name)
    return 1 if either else positive


def _one_class(held: HeldOut, name: str) -> InputError:
    return positive_unknown(held.labels, held.truth, name, instead=f"ask for {of_all_classes(name)}")


def _of_labels(held: HeldOut, measure: Measure, positive: int | None) -> FoldValues:
    k, splits = len(held.labels), held.splits
    values = np.empty(splits)
    averaged = np.bincount(held.truth, minlength=k) > 0
    cells = None if measure.weigh is None else measure.weigh(k, measure.settings)
    at_once = max(1, CELLS // (k * k))
    for first in range(0, splits, at_once):
        last = min(first + at_once, splits)
        margins = Table(_tables(held, first, last)).margins(averaged, cells)
        found = measure(margins.one_vs_rest)[..., positive] if measure.is_per_class else measure(margins)
        values[first:last] = found
    values[_missing(held)] = np.nan
    undefined = np.flatnonzero(np.isnan(values))
    why = measure.undefined.format(label="" if positive is None else repr(held.labels[positive]))
    return FoldValues(values, {int(i): why for i in undefined})


def _tables(held: HeldOut, first: int, last: int) -> NDArray[np.float64]:
    k = len(held.labels)
    part = slice(int(held.starts[first]), int(held.starts[last]))
    split = np.repeat(np.arange(last - first), np.diff(held.starts[first : last + 1]))
    predicted = held.predicted[part]
    place = (split * k + held.truth[part]) * k + predicted
    weights = None if held.weights is None else held.weights[part]
    if predicted.size and predicted.min() < 0:
        there = predicted >= 0
        place, weights = place[there], None if weights is None else weights[there]
    return np.bincount(place, weights, minlength=(last - first) * k * k).reshape(-1, k, k).astype(np.float64)


def _missing(held: HeldOut) -> NDArray[np.bool_]:
    """Splits without an answer."""
    return np.asarray(held.predicted[held.starts[:-1]] < 0)


def _of_scores(held: HeldOut, measure: ScoreMeasure, positive: int | None) -> FoldValues:
    if held.scores is None:
        problem = f"{measure.name} needs scores, and the model gives labels only"
        raise InputError("bad_option", problem, cure="use a model with predict_proba or decision_function")
    if measure.reads == "ranking" and positive is None:
        raise _one_class(held, measure.name)
    line = measure.of_two if len(held.labels) == 2 else None
    if line is not None:
        shared = {name: value for name, value in measure.settings.items() if name in line.of.options}
        found = _of_scores(held, line.of.with_options(**shared), positive)
        return replace(found, values=line.times * found.values + line.plus)
    if held.score_kind == "decision" and measure.needs_probabilities:
        problem = f"{measure.name} needs probabilities, and the model gives decision values"
        raise InputError(
            "score_range", problem, cure="use a model with predict_proba, or wrap it: CalibratedClassifierCV"
        )
    scores = held.scores_for(positive)
    values, reasons = np.full(held.splits, np.nan), {}
    missing = _missing(held)
    for i in np.flatnonzero(~missing).tolist():
        part = slice(int(held.starts[i]), int(held.starts[i + 1]))
        p = Predictions(
            truth=held.truth[part],
            predicted=None,
            scores=None if scores is None else scores[part],
            labels=held.labels,
            weights=None if held.weights is None else held.weights[part],
            positive=positive,
        )
        known = ScoreEstimates.of(p, 0.95)
        if known is None:
            raise AssertionError("scores are there")
        tally = known.tally_for(measure)
        why = missing_class(tally) if isinstance(tally, ScoreGroups) else ""
        values[i] = np.nan if why and measure.reads == "ranking" else measure(tally)
        if np.isnan(values[i]):
            reasons[i] = why or measure.undefined
    return FoldValues(values, reasons)
