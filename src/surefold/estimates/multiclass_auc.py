"""Measures of order over many classes, each with its interval.

Every area here is a mean of two-class areas, so a row's influence is a mean of its influences on those. One row is
added, shared over the classes by 1/(rows of the class): half of a class's share has that class's score above all others
and the other scores below all others, the other half the reverse. With two classes this is the rule for the plain area.
A mean of average precisions follows their own rule, with the harmonic mean of the classes' rows as positives.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefold.errors import UnknownNameError
from surefold.estimates.auc import auc_influence, few_of_a_class, few_weighted_errors, undefined
from surefold.estimates.average_precision import FEW_POSITIVES, ap_influence, ap_one_row
from surefold.estimates.estimate import Estimate
from surefold.estimates.grouping import NOT_GROUPED, grouping
from surefold.estimates.one_row import beta_interval, effective_rows
from surefold.estimates.proportion import few, share_interval
from surefold.estimates.quantiles import checked_confidence
from surefold.estimates.row_influence import at_rows
from surefold.measures.measure import Measure
from surefold.measures.ranking import average_precision, class_weights, in_top, roc_auc, top_k_accuracy
from surefold.tallies.score_groups import ScoreGroups
from surefold.tallies.score_matrix import ScoreMatrix

__all__ = ["MATRIX_MEASURES", "enlarged_matrix", "matrix_estimate", "matrix_influence"]

Array = NDArray[np.float64]
TwoClass = tuple[Callable[[ScoreGroups], float], Callable[[ScoreGroups], tuple[Array, Array]]]

_UNIT = (0.0, 1.0)
_AREA: TwoClass = (roc_auc, auc_influence)
_PRECISION: TwoClass = (average_precision, ap_influence)


@dataclass(frozen=True)
class _Kind:
    """How a measure averages: over pairs of classes or classes against the rest, by their rows or evenly."""

    two_class: TwoClass
    pairs: bool
    by_rows: bool


MATRIX_MEASURES = {
    "roc_auc_hand_till": _Kind(_AREA, pairs=True, by_rows=False),
    "roc_auc_ovo": _Kind(_AREA, pairs=True, by_rows=False),
    "roc_auc_ovo_weighted": _Kind(_AREA, pairs=True, by_rows=True),
    "roc_auc_ovr": _Kind(_AREA, pairs=False, by_rows=False),
    "roc_auc_ovr_weighted": _Kind(_AREA, pairs=False, by_rows=True),
    "average_precision_macro": _Kind(_PRECISION, pairs=False, by_rows=False),
    "average_precision_weighted": _Kind(_PRECISION, pairs=False, by_rows=True),
}


def _two_class_parts(m: ScoreMatrix, kind: _Kind) -> Iterator[tuple[tuple[int, ...], float, Array]]:
    """For each area: the classes whose rows weigh it, its value, and the influence of every row on it."""
    measure, influence = kind.two_class
    for c in range(m.classes):
        for other in range(m.classes) if kind.pairs else (c,):
            if kind.pairs and other == c:
                continue
            kept = (m.truth == c) | (m.truth == other) if kind.pairs else np.ones(m.n, dtype=bool)
            scores, is_positive = m.scores[kept, c], m.truth[kept] == c
            t = ScoreGroups.of(scores, is_positive, None if m.weights is None else m.weights[kept])
            each = np.zeros(m.n)
            each[kept] = at_rows(t, scores, is_positive, influence(t))
            yield ((c, other) if kind.pairs else (c,)), measure(t), each


def matrix_influence(name: str, m: ScoreMatrix) -> tuple[float, Array]:
    """A measure of the matrix and what one more unit of weight on each row moves it by."""
    kind, rows = MATRIX_MEASURES[name], class_weights(m)
    total, value, influence, slope = 0.0, 0.0, np.zeros(m.n), np.zeros(m.classes)
    for classes, area, each in _two_class_parts(m, kind):
        weight = float(rows[list(classes)].sum()) if kind.by_rows else 1.0
        total += weight
        value += weight * area
        influence += weight * each
        if kind.by_rows:
            slope[list(classes)] += area
    value /= total
    if kind.by_rows:  # a row also moves the weights of the areas that its class is in
        times = 2 * (m.classes - 1) if kind.pairs else 1
        influence = influence + (slope - times * value)[m.truth]
    return value, influence / total


def _effective(m: ScoreMatrix) -> tuple[Array, Array]:
    """Effective rows of each class, and the weight of one."""
    rows = class_weights(m)
    squares = rows if m.weights is None else np.bincount(m.truth, weights=m.weights**2, minlength=m.classes)
    held = squares > 0
    return np.where(held, rows**2 / np.where(held, squares, 1.0), 0.0), np.where(
        held, squares / np.where(held, rows, 1.0), 0.0
    )


def enlarged_matrix(m: ScoreMatrix) -> tuple[ScoreMatrix, Array]:
    """The matrix with the row added (two parts a class, at the end), and the squared weight each row counts for."""
    effective, unit = _effective(m)
    share = (1 / effective) / (1 / effective).sum() / 2
    k = m.classes
    right = np.where(np.eye(k, dtype=bool), np.inf, -np.inf)
    weights = np.ones(m.n) if m.weights is None else m.weights
    bigger = ScoreMatrix(
        np.concatenate([m.scores, right, -right]),
        np.concatenate([m.truth, np.arange(k), np.arange(k)]),
        m.labels,
        np.concatenate([weights, share * unit, share * unit]),
    )
    return bigger, np.concatenate([weights**2, share * unit**2, share * unit**2])


def matrix_estimate(measure: Measure, m: ScoreMatrix, *, confidence: float = 0.95) -> Estimate:
    """A measure of the matrix with its interval; weights and groups are those of the matrix."""
    confidence = checked_confidence(confidence)
    if measure.name == top_k_accuracy.name:
        return _top_k(measure, m, confidence)
    if measure.name not in MATRIX_MEASURES:
        raise UnknownNameError("measure of many classes", measure.name, (*MATRIX_MEASURES, top_k_accuracy.name))
    rows = class_weights(m)
    if m.classes < 2 or not (rows > 0).all():
        absent = [repr(label) for label, n in zip(m.labels, rows, strict=True) if n == 0]
        reason = f"needs rows of every class, and {', '.join(absent[:3])} has none" if absent else "needs two classes"
        return undefined(measure.name, reason, confidence, float(rows.sum()))
    kind, weights = MATRIX_MEASURES[measure.name], np.ones(m.n) if m.weights is None else m.weights
    value, influence = matrix_influence(measure.name, m)
    variance = float(weights**2 @ influence**2)
    effective, _ = _effective(m)
    varies = m.weights is not None and bool(np.ptp(weights) > 1e-9 * weights.max())
    bigger, squares = enlarged_matrix(m)
    if kind.two_class is _AREA:
        centre, slopes = matrix_influence(measure.name, bigger)
        enlarged_variance = float(squares @ slopes**2)
    else:
        slopes = np.append(influence, np.zeros(2 * m.classes))
        centre, enlarged_variance = ap_one_row(value, variance, _positives_behind(m, kind, effective))
    known = (
        NOT_GROUPED if m.groups is None else grouping(slopes[: m.n], m.weights, m.groups, confidence, classes=m.truth)
    )
    n = effective_rows(centre, enlarged_variance, _UNIT) / known.design_effect

    def bounds(level: float, factor: float) -> tuple[float, float]:
        shape = 0.0 if kind.two_class is _AREA and m.groups is None and not varies else 0.5
        low, high = beta_interval(centre, n * factor, value, _UNIT, level, shape)
        return float(low), float(high)

    flags = ["degenerate"] if value <= 1e-12 or value >= 1 - 1e-12 else []
    if kind.two_class is _AREA and few_of_a_class(float(effective.min())):
        flags.append("few_of_a_class")
    if varies and any(few_weighted_errors(m.one_vs_rest(c)) for c in range(m.classes)):
        flags.append("few_weighted_errors")
    if kind.two_class is _PRECISION and effective.min() < FEW_POSITIVES - 1e-9:
        flags.append("few_positives")
    if known.groups < 10 - 1e-9:
        flags.append("few_clusters")
    low, high = bounds(confidence, known.group_factor)
    se = math.sqrt(variance * known.design_effect)
    facts = (se, confidence, "one_row", _rows(m) / known.design_effect, tuple(flags), measure.name)
    return Estimate(value, low, high, *facts, pessimistic=bounds(0.5, known.group_factor)[0])


def _positives_behind(m: ScoreMatrix, kind: _Kind, effective: Array) -> float:
    """How many positives a mean of average precisions rests on: the harmonic mean over classes, by their weights."""
    weight = class_weights(m) if kind.by_rows else np.ones(m.classes)
    return float(weight.sum() / (weight / effective).sum())


def _rows(m: ScoreMatrix) -> float:
    return float(m.n if m.weights is None else m.weights.sum() ** 2 / (m.weights @ m.weights))


def _top_k(measure: Measure, m: ScoreMatrix, confidence: float) -> Estimate:
    """A share of the rows: Wilson's interval, the exact one where few rows miss or weights vary, on effective rows."""
    value = float(measure.formula(m, **measure.settings))
    weights = np.ones(m.n) if m.weights is None else m.weights
    if math.isnan(value):
        return undefined(measure.name, measure.undefined, confidence, 0.0)
    right = in_top(m, measure.settings["k"])
    n, varies = _rows(m), bool(m.weights is not None and np.ptp(weights) > 0)
    influence = (right - value) / weights.sum()
    if varies:  # the plain rows of the same variance, a row added so that it does not vanish
        w = weights * n / weights.sum()
        q = (float(w @ right) + 0.5) / (n + 1)
        spread = float(w**2 @ (right - q) ** 2) + 0.5 * ((1 - q) ** 2 + q**2)
        n = max(q * (1 - q) * (n + 1) ** 2 / spread - 1, 0.0)
    known = NOT_GROUPED
    if m.groups is not None:
        known = grouping(influence, m.weights, m.groups, confidence)
    used = n / known.design_effect * known.group_factor
    exact = varies or bool(few(value * used, used))
    method = "clopper_pearson" if exact else "wilson"
    low, high = share_interval(method, value * used, used, confidence)
    cautious, _ = share_interval("wilson", value * used, used, 0.5)
    se = math.sqrt(float(weights**2 @ influence**2) * known.design_effect)
    flags = ["degenerate"] if value in (0.0, 1.0) else []
    if few(value * used, used):
        flags.append("few_errors")
    if known.groups < 10 - 1e-9:
        flags.append("few_clusters")
    facts = (se, confidence, method, n / known.design_effect, tuple(flags), measure.name)
    return Estimate(value, float(low), float(high), *facts, pessimistic=float(cautious))
