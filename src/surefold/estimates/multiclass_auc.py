"""Measures of order over many classes, each with its interval.

Every area here is a mean of two-class areas, so a row's influence is a mean of its influences on those. One row is
added, shared over the classes by 1/(rows of the class): half of a class's share has that class's score above all others
and the other scores below all others, the other half the reverse. With two classes this is the rule for the plain area.
A mean of average precisions follows their own rule, with the harmonic mean of the classes' rows as positives.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from surefold.estimates.auc import few_of_a_class, few_weighted_errors, undefined
from surefold.estimates.average_precision import FEW_POSITIVES, ap_one_row
from surefold.estimates.estimate import Estimate
from surefold.estimates.grouping import NOT_GROUPED, Design, row_design
from surefold.estimates.one_row import beta_interval, effective_rows
from surefold.estimates.quantiles import checked_confidence
from surefold.estimates.share_intervals import few, is_exact, share_interval
from surefold.measures.row_moves import row_sums
from surefold.measures.score_measure import Average, ScoreMeasure
from surefold.tallies.class_counts import CountedMatrix
from surefold.tallies.score_matrix import ScoreMatrix

__all__ = ["added_rows", "average_moments", "enlarged_matrix", "matrix_estimate", "share_estimate"]

Array = NDArray[np.float64]
_UNIT = (0.0, 1.0)


def _effective(m: ScoreMatrix | CountedMatrix) -> tuple[Array, Array]:
    """Effective rows of each class, and the weight of one."""
    rows, squares = m.class_weights, m.class_squares
    held = squares > 0
    return np.where(held, rows**2 / np.where(held, squares, 1.0), 0.0), np.where(
        held, squares / np.where(held, rows, 1.0), 0.0
    )


def added_rows(m: ScoreMatrix | CountedMatrix) -> tuple[ScoreMatrix, Array]:
    """The parts of the row added, two a class, and the squared weight that each counts for."""
    effective, unit = _effective(m)
    share = (1 / effective) / (1 / effective).sum() / 2
    k = m.classes
    right = np.where(np.eye(k, dtype=bool), np.inf, -np.inf)
    truth, weights = np.tile(np.arange(k), 2), np.tile(share * unit, 2)
    return ScoreMatrix(np.concatenate([right, -right]), truth, m.labels, weights), np.tile(share * unit**2, 2)


def enlarged_matrix(m: ScoreMatrix) -> tuple[ScoreMatrix, Array]:
    """The matrix with the row added, at the end, and the squared weight each row counts for."""
    added, squares = added_rows(m)
    weights = np.ones(m.n) if m.weights is None else m.weights
    bigger = ScoreMatrix(
        np.concatenate([m.scores, added.scores]),
        np.concatenate([m.truth, added.truth]),
        m.labels,
        np.concatenate([weights, np.ones(added.n) if added.weights is None else added.weights]),
    )
    return bigger, np.concatenate([weights**2, squares])


def matrix_estimate(measure: ScoreMeasure, m: ScoreMatrix | CountedMatrix, *, confidence: float = 0.95) -> Estimate:
    """A mean over classes with its interval; weights and groups are those of the matrix."""
    confidence = checked_confidence(confidence)
    average = measure.average
    if average is None:
        raise AssertionError(f"{measure.name} is no mean over classes")
    if not average.held(m):
        average.whole(m)
    rows = m.class_weights
    if m.classes < 2 or not (rows > 0).all():
        absent = [repr(label) for label, n in zip(m.labels, rows, strict=True) if n == 0]
        reason = f"needs rows of every class, and {', '.join(absent[:3])} has none" if absent else "needs two classes"
        return undefined(measure.name, reason, confidence, float(rows.sum()))
    is_area = measure.interval == "area"
    found = _of_rows(average, m, is_area) if isinstance(m, ScoreMatrix) else _of_counts(average, m, is_area)
    value, known, effective = found.value, found.known, _effective(m)[0]
    varies = m.vary if isinstance(m, CountedMatrix) else _vary(m)
    centre, enlarged_variance = found.centre, found.enlarged
    if not is_area:
        centre, enlarged_variance = ap_one_row(value, found.variance, _positives_behind(m, average, effective))
    effect, factor = float(known.effect[0, 0]), known.factor(confidence)
    n = effective_rows(centre, enlarged_variance, _UNIT) / effect

    def bounds(level: float) -> tuple[float, float]:
        shape = 0.0 if is_area and known is NOT_GROUPED and not varies else 0.5
        low, high = beta_interval(centre, n * factor, value, _UNIT, level, shape)
        return float(low), float(high)

    flags = ["degenerate"] if value <= 1e-12 or value >= 1 - 1e-12 else []
    if is_area and few_of_a_class(float(effective.min())):
        flags.append("few_of_a_class")
    if varies and any(few_weighted_errors(m.one_vs_rest(c)) for c in range(m.classes)):
        flags.append("few_weighted_errors")
    if not is_area and effective.min() < FEW_POSITIVES - 1e-9:
        flags.append("few_positives")
    if known.groups < 10 - 1e-9:
        flags.append("few_clusters")
    low, high = bounds(confidence)
    se = math.sqrt(found.variance * effect)
    facts = (se, confidence, "one_row", _rows(m) / effect, tuple(flags), measure.name)
    return Estimate(value, low, high, *facts, pessimistic=bounds(0.5)[0])


class _Spread(NamedTuple):
    """A mean over classes and its variance; both with the row added, of areas; and what groups do."""

    value: float
    variance: float
    centre: float
    enlarged: float
    known: Design


def _of_rows(average: Average, m: ScoreMatrix, is_area: bool) -> _Spread:
    weights = np.ones(m.n) if m.weights is None else m.weights
    value, moves = average.value_and_moves(m)
    variance, centre, enlarged = float(weights**2 @ moves**2), value, 0.0
    if is_area:
        bigger, squares = enlarged_matrix(m)
        centre, slopes = average.value_and_moves(bigger)
        enlarged, moves = float(squares @ slopes**2), slopes[: m.n]
    return _Spread(value, variance, centre, enlarged, row_design(moves, m.weights, m.groups, m.truth))


def _of_counts(average: Average, m: CountedMatrix, is_area: bool) -> _Spread:
    """The same where the rows are gone over again."""
    (value, move), (added, squares) = average.fitted(m), added_rows(m)
    centre, bigger = average.fitted(m, added) if is_area else (value, move)
    moves = m.moves((move, bigger) if is_area else (move,))
    variance, *with_row = (float(x[:, 0, 0, 0].sum()) / m.scale**2 for x in moves.products)
    enlarged = with_row[0] + float(squares @ bigger.of(added) ** 2) if is_area else 0.0
    known = Design.of(moves[len(moves.products) - 1], by_class=True) if moves.units else NOT_GROUPED
    return _Spread(value, variance, centre, enlarged, known)


def _vary(m: ScoreMatrix) -> bool:
    return m.weights is not None and bool(np.ptp(m.weights) > 1e-9 * m.weights.max())


def average_moments(measure: ScoreMeasure, m: ScoreMatrix) -> tuple[float, float, Design]:
    """A mean over classes with the row added, its variance as if rows were independent, and what groups do to it."""
    average, is_area = measure.average, measure.interval == "area"
    if average is None:
        raise AssertionError(f"{measure.name} is no mean over classes")
    found = _of_rows(average, m, is_area)
    if is_area:
        return found.centre, found.enlarged, found.known
    behind = _positives_behind(m, average, _effective(m)[0])
    centre, variance = ap_one_row(found.value, found.variance, behind)
    return float(centre), float(variance), found.known


def _positives_behind(m: ScoreMatrix | CountedMatrix, average: Average, effective: Array) -> float:
    """How many positives a mean of average precisions rests on: the harmonic mean over classes, by their weights."""
    weight = m.class_weights if average.by_rows else np.ones(m.classes)
    return float(weight.sum() / (weight / effective).sum())


def _rows(m: ScoreMatrix | CountedMatrix) -> float:
    if isinstance(m, CountedMatrix):
        return m.total
    return float(m.n if m.weights is None else m.weights.sum() ** 2 / (m.weights @ m.weights))


def share_estimate(
    measure: ScoreMeasure, m: ScoreMatrix | CountedMatrix, known: Design, *, confidence: float = 0.95
) -> Estimate:
    """A share of the rows: Wilson's interval, the exact one where few rows miss or weights vary, on effective rows."""
    value = measure(m)
    if math.isnan(value):
        return undefined(measure.name, measure.undefined, confidence, 0.0)
    sums = row_sums(measure, m).losses
    n, varies = float(sums.weight), sums.heavy is not None
    if varies:  # the plain rows of the same variance, a row added so that it does not vanish
        q = (float(sums.total) + 0.5) / (n + 1)
        spread = float(sums.about(q)) + 0.5 * ((1 - q) ** 2 + q**2)
        n = max(q * (1 - q) * (n + 1) ** 2 / spread - 1, 0.0)
    effect = float(known.effect[0, 0])
    used = n / effect * known.factor(confidence)
    exact = varies or bool(is_exact(value * used, used, confidence))
    method = "clopper_pearson" if exact else "wilson"
    low, high = share_interval(method, value * used, used, confidence)
    cautious, _ = share_interval("wilson", value * used, used, 0.5)
    se = float(sums.standard_error) * math.sqrt(effect)
    flags = ["degenerate"] if value in (0.0, 1.0) else []
    if few(value * used, used):
        flags.append("few_errors")
    facts = (se, confidence, method, n / effect, tuple(flags), measure.name)
    return Estimate(value, float(low), float(high), *facts, pessimistic=float(cautious))
