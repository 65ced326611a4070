"""A measure of scores in every slice and in the rest of each: a tally a slice, and that of all rows less it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from surefold.comparison.slices.fast_rests import RestAreas, RestLosses
from surefold.comparison.slices.sides import Scale, Sides
from surefold.estimates.auc import AucMoments, missing_class, weights_vary
from surefold.estimates.average_precision import ap_one_row
from surefold.estimates.estimate import Estimate
from surefold.estimates.grouping import NOT_GROUPED, Design, score_design
from surefold.estimates.losses import loss_moments
from surefold.estimates.multiclass_auc import average_moments
from surefold.estimates.of_scores import ScoreEstimates
from surefold.evidence.held import Held
from surefold.evidence.slicing import Way
from surefold.inputs.door import ONLY
from surefold.inputs.predictions import Predictions
from surefold.measures.catalogue import catalogue
from surefold.measures.ranking import precision_sums
from surefold.measures.score_measure import ScoreMeasure
from surefold.tallies.score_groups import ScoreGroups
from surefold.tallies.score_matrix import ScoreMatrix

__all__ = ["score_sides"]

Array = NDArray[np.float64]
#: On which scale each kind of interval is made; of others no difference between slices was measured.
_SCALES: dict[str, Scale] = {
    "area": "unit",
    "precision": "unit",
    "bounded": "unit",
    "share": "unit",
    "log": "log",
    "skill": "skill",
}


class _Moments(NamedTuple):
    """Of one set of rows: see `Sides`."""

    value: float = np.nan
    centre: float = np.nan
    variance: float = np.nan
    rows: float = 0.0
    groups: float = np.inf
    shape: float = 0.5


@dataclass(frozen=True, eq=False)
class _Asked:
    """A measure of scores by name, as a model's scores can have it."""

    name: str
    measure: ScoreMeasure
    options: Mapping[str, Any]


def score_sides(name: str, e: Held, ways: Sequence[Way], options: Mapping[str, Any]) -> tuple[Sides, Sides]:
    """Of all slices of all ways, one after the other, and of the rest of each."""
    p = e.predictions(ONLY).weighing
    whole = ScoreEstimates.of(p, 0.95)
    if whole is None:
        raise AssertionError("the door has seen to it that there are scores")
    asked = _asked(name, whole, options)
    each = [ScoreEstimates.of(p.kept(rows), 0.95) for rows in _rows(ways)]
    inside = [_moments(asked, s) for s in each if s is not None]
    fast = _fast(asked.measure.source_measure, whole, p)
    if fast is not None:
        outside = [
            _moved(asked.measure, _of_rest(fast, s.tally)) for s in each if s is not None and s.tally is not None
        ]
    else:
        pairs = zip(each, _rows(ways), strict=True)
        outside = [_rest(asked, whole, s, p, rows) for s, rows in pairs if s is not None]

    def estimates(confidence: float) -> list[Estimate]:
        at = [replace(s, confidence=confidence) for s in each if s is not None]
        return [s.measure(asked.name, options=asked.options) for s in at]

    return _sides(asked.measure, inside, estimates), _sides(asked.measure, outside)


def _asked(name: str, whole: ScoreEstimates, options: Mapping[str, Any]) -> _Asked:
    told = catalogue.twin(name) if whole.matrix is not None and whole.tally is None else name
    chosen = catalogue.with_options(told, options)
    if not isinstance(chosen, ScoreMeasure):
        raise AssertionError(f"{name} is a measure of labels")
    whole.tally_for(chosen)  # InputError where these scores do not have it
    return _Asked(told, chosen, options)


def _rows(ways: Sequence[Way]) -> Iterator[NDArray[np.intp]]:
    """The rows of each slice."""
    for way in ways:
        order = np.argsort(way.codes, kind="stable")
        starts = np.searchsorted(way.codes[order], np.arange(len(way) + 1))
        for i in range(len(way)):
            yield order[starts[i] : starts[i + 1]]


def _sides(
    measure: ScoreMeasure, found: Sequence[_Moments], estimates: Callable[[float], list[Estimate]] | None = None
) -> Sides:
    arrays = [np.array(column, dtype=float) for column in zip(*found, strict=True)] if found else [np.zeros(0)] * 6
    value, centre, variance, rows, groups, shape = arrays
    scale = _SCALES.get(measure.interval, "none")
    return Sides(value, centre, variance, rows, groups, measure.span, shape, scale, None, estimates)


def _moments(asked: _Asked, s: ScoreEstimates) -> _Moments:
    """Of a slice."""
    measure = asked.measure
    tally = s.matrix if measure.reads == "matrix" else s.tally
    if not isinstance(tally, ScoreGroups | ScoreMatrix):
        raise AssertionError("the measure was asked for on all rows first")
    value = measure(tally)
    if not np.isfinite(value) or measure.interval not in _SCALES:
        return _Moments(value if np.isfinite(value) else np.nan)
    in_place = measure.reads == "matrix" and not measure.needs_probabilities
    return _of_tally(measure, tally, NOT_GROUPED if in_place else s.design(measure))


def _fast(known: ScoreMeasure, whole: ScoreEstimates, p: Predictions) -> RestAreas | RestLosses | None:
    """What rests are made from by sums over slices alone; None where rows come in groups, or weigh differently."""
    if whole.tally is None or p.weights is not None or p.groups is not None or known.reads == "matrix":
        return None
    if known.interval == "area":
        return RestAreas(whole.tally)
    return RestLosses(known, whole.tally) if known.loss is not None and known.interval in ("bounded", "log") else None


def _of_rest(fast: RestAreas | RestLosses, part: ScoreGroups) -> _Moments:
    if isinstance(fast, RestLosses):
        return _Moments(*fast.without(part), rows=fast.tally.total - part.total, shape=0.0)
    moments = fast.without(part)
    if not moments.positives * moments.negatives > 0:
        return _Moments()
    centre, variance = moments.one_row()
    rows = float(moments.positives + moments.negatives)
    return _Moments(float(moments.auc), float(centre), float(variance), rows, shape=0.0)


def _moved(measure: ScoreMeasure, found: _Moments) -> _Moments:
    """Of a measure that is a line of the one these are of."""
    if measure.line is None:
        return found
    times, plus = measure.line.times, measure.line.plus
    value, centre = times * found.value + plus, times * found.centre + plus
    return found._replace(value=value, centre=centre, variance=times**2 * found.variance)


def _rest(
    asked: _Asked, whole: ScoreEstimates, part: ScoreEstimates, p: Predictions, rows: NDArray[np.intp]
) -> _Moments:
    """Of all rows but those of a slice."""
    measure = asked.measure
    if measure.reads == "matrix" or whole.tally is None or part.tally is None:
        held = np.ones(p.n, dtype=bool)
        held[rows] = False
        rest = ScoreEstimates.of(p.kept(held), 0.95) if held.any() else None
        return _Moments() if rest is None else _moments(asked, rest)
    tally = whole.tally.without(part.tally)
    value = measure(tally) if tally.total > 0 else np.nan
    if not np.isfinite(value) or measure.interval not in _SCALES:
        return _Moments(value if np.isfinite(value) else np.nan)
    design = NOT_GROUPED
    if p.groups is not None and p.scores is not None:
        held = np.ones(p.n, dtype=bool)
        held[rows] = False
        scores = p.scores if p.scores.ndim == 1 else p.scores[:, p.positive or 0]
        facts = (None if p.weights is None else p.weights[held], np.unique(p.groups[held], return_inverse=True)[1])
        design = score_design(measure.source_measure, tally, scores[held], p.truth[held] == p.positive, *facts)
    return _of_tally(measure, tally, design)


def _of_tally(measure: ScoreMeasure, t: ScoreGroups | ScoreMatrix, design: Design) -> _Moments:
    """The measure with its row added, and its variance there."""
    known = measure.source_measure
    value, n, shape = known(t), _worth(t), 0.5
    if isinstance(t, ScoreMatrix) and known.average is not None:
        centre, variance, design = average_moments(known, t)
        plain = t.groups is None and (t.weights is None or float(np.ptp(t.weights)) == 0)
        shape = 0.0 if known.interval == "area" and plain else 0.5
    elif isinstance(t, ScoreGroups) and known.interval == "area":
        centre, variance = AucMoments.of(t).one_row()
        shape = 0.5 if weights_vary(t) or np.isfinite(design.groups) else 0.0
    elif isinstance(t, ScoreGroups) and known.interval == "precision":
        if missing_class(t):
            return _Moments()
        value, variance = precision_sums(t)
        centre, variance = ap_one_row(value, variance, t.positives**2 / t.squared_weights[0])
    elif known.loss is not None or known.interval == "skill":
        centre, variance = loss_moments(known, t)
        centre = 1 - centre if known.interval == "skill" else centre
        shape = 0.0
    else:
        return _Moments(measure(t))
    effect = float(design.effect[0, 0])
    found = _Moments(float(value), float(centre), float(variance) * effect, n / effect, float(design.groups), shape)
    return _moved(measure, found)


def _worth(t: ScoreGroups | ScoreMatrix) -> float:
    """How many rows of one weight they are worth."""
    if isinstance(t, ScoreMatrix):
        return float(t.n if t.weights is None else t.weights.sum() ** 2 / (t.weights @ t.weights))
    return t.total if not t.is_weighted else t.total**2 / sum(t.squared_weights)
