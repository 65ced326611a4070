"""Two classifiers on the same rows: where they disagree, and what that says."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from surefold.errors import InputError, UnknownNameError
from surefold.estimates.estimate import Estimate, TestResult
from surefold.estimates.influence import gradient
from surefold.estimates.one_row import enlarged
from surefold.estimates.proportion import proportion_test
from surefold.estimates.quantiles import normal_quantile, normal_tail
from surefold.inputs.predictions import Predictions
from surefold.measures.measure import Measure
from surefold.tallies.confusion import Confusion
from surefold.tallies.margins import Margins
from surefold.tallies.ratio import ratio

__all__ = ["disagreements", "mcnemar", "paired_difference"]

Array = NDArray[Any]
McNemar = Literal["mid_p", "exact", "chi2", "chi2_corrected"]


def disagreements(y_true: Any, a: Any, b: Any) -> tuple[int, int, int, int]:
    """How many rows (both right, only a right, only b right, both wrong).

    >>> disagreements([1, 1, 0, 0], [1, 0, 0, 1], [1, 1, 0, 1])
    (2, 0, 1, 1)
    """
    first, second = Predictions.of(y_true, a), Predictions.of(y_true, b)
    right_a, right_b = _right(first), _right(second)
    pairs = ((right_a & right_b), (right_a & ~right_b), (~right_a & right_b), (~right_a & ~right_b))
    both, only_a, only_b, neither = (int(pair.sum()) for pair in pairs)
    return both, only_a, only_b, neither


def _right(p: Predictions) -> NDArray[np.bool_]:
    return np.asarray(p.truth == p.predicted)


def mcnemar(b: float, c: float, *, method: McNemar = "mid_p", n: float | None = None) -> TestResult:
    """Are the rows that only one of two classifiers got right split evenly? b: only the first, c: only the second.

    No disagreement at all means p = 1. With n, the number of rows, the effect is the difference of the accuracies.

    >>> round(mcnemar(1, 5).p_value, 4)  # 2 (P(0) + P(1)/2) of 6 fair coins = 2 (1 + 6/2) / 64
    0.125
    """
    if min(b, c) < 0 or (n is not None and n < b + c):
        raise InputError("bad_option", f"b={b!r}, c={c!r}, n={n!r}", cure="give counts >= 0 with b + c <= n")
    total, statistic = b + c, float(b - c)
    if total == 0:
        p_value = 1.0
    elif method in ("mid_p", "exact"):
        few = min(b, c)
        tail = proportion_test(few, total, 0.5, alternative="less").p_value
        own = tail - (proportion_test(few - 1, total, 0.5, alternative="less").p_value if few >= 1 else 0.0)
        p_value = min(1.0, 2 * tail - (own if method == "mid_p" else 0.0))
    elif method in ("chi2", "chi2_corrected"):
        gap = max(abs(b - c) - (1 if method == "chi2_corrected" else 0), 0)
        statistic = gap * gap / total
        p_value = float(2 * normal_tail(math.sqrt(statistic)))
    else:
        raise UnknownNameError("method", method, ("mid_p", "exact", "chi2", "chi2_corrected"))
    effect = Estimate(math.nan, math.nan, math.nan, reason="the number of rows was not given")
    if n is not None:
        effect = _accuracy_difference(b, c, n)
    flags = () if total else ("no_disagreement",)
    return TestResult(f"McNemar ({method})", effect, statistic, p_value, ("rows are independent",), flags)


def _accuracy_difference(b: float, c: float, n: float, confidence: float = 0.95) -> Estimate:
    # One added row, half won by each: the difference keeps its sum, its variance gains that row.
    d, bigger = (b - c) / n, n + 1
    centre = (b - c) / bigger
    variance = ((b + c + 1) / bigger - centre**2) / bigger
    reach = normal_quantile((1 + confidence) / 2) * math.sqrt(variance)
    se = math.sqrt(max((b + c) / n - d * d, 0.0) / n)
    low, high = max(centre - reach, -1.0), min(centre + reach, 1.0)
    return Estimate(d, low, high, se, confidence, "one_row", n, name="accuracy difference")


def paired_difference(
    measure: Measure, a: Predictions, b: Predictions, positive: int | None, confidence: float
) -> tuple[Estimate, float]:
    """First minus second, with the one-row interval of a paired difference, and the p of no difference.

    Both tables get the same added row: half of it only the first gets right, half only the second, shared over the
    classes by 1/rows. The variance is that of the difference of the two influence values of each row.
    """
    if a.predicted is None or b.predicted is None:
        raise AssertionError("paired differences of labels need labels")
    k = len(a.labels)
    joint, weight, squares = _joint(a, b, k)
    true, called_a, called_b = joint
    first, second = Confusion.of(a), Confusion.of(b)
    values = [_value(measure, table.margins(), positive) for table in (first, second)]
    value = values[0] - values[1]
    if not math.isfinite(value):
        which = " and ".join(
            name for name, v in zip(("the first", "the second"), values, strict=True) if not abs(v) < math.inf
        )
        reason = f"{measure.name} of {which} is {'undefined' if math.isnan(value) else 'infinite'}"
        unknown = Estimate(math.nan, math.nan, math.nan, math.nan, confidence, "one_row", float(weight.sum()))
        return replace(unknown, name=f"{measure.name} difference", reason=reason), 1.0
    scale = float(weight.sum() / squares.sum())
    slopes, centres, shares = [], [], None
    for table in (first, second):
        m = table.margins()
        bigger, shares = enlarged(Margins(m.tp * scale, m.actual * scale, m.called * scale, m.averaged))
        slopes.append(_dense_gradient(measure, bigger, positive))
        centres.append(_value(measure, bigger, positive))
    influence = slopes[0][true, called_a] - slopes[1][true, called_b]
    variance = float((squares * scale**2 * influence**2).sum()) + _added(slopes[0], slopes[1], shares)
    plain = [_dense_gradient(measure, t.margins(), positive) for t in (first, second)]
    se = math.sqrt(float((squares * (plain[0][true, called_a] - plain[1][true, called_b]) ** 2).sum()))
    centre, spread = centres[0] - centres[1], math.sqrt(variance)
    reach = normal_quantile((1 + confidence) / 2) * spread
    p_value = 1.0 if value == 0 else float(2 * normal_tail(abs(centre) / spread))
    n = float(weight.sum() * scale)
    name = f"{measure.name} difference"
    least, greatest = measure.limits(first.margins())
    low, high = np.clip((centre - reach, centre + reach), least - greatest, greatest - least).tolist()
    return Estimate(value, low, high, se, confidence, "one_row", n, name=name), p_value


def _joint(a: Predictions, b: Predictions, k: int) -> tuple[tuple[Array, Array, Array], Array, Array]:
    """The (true, first, second) cells that occur, with their summed weights and squared weights."""
    if a.predicted is None or b.predicted is None:
        raise AssertionError("joint tables need labels")
    cell = (a.truth.astype(np.int64) * k + a.predicted) * k + b.predicted
    distinct, where = np.unique(cell, return_inverse=True)
    weight = np.bincount(where, weights=a.weights, minlength=len(distinct)).astype(float)
    squares = weight if a.weights is None else np.bincount(where, weights=a.weights**2, minlength=len(distinct))
    return (distinct // (k * k), distinct // k % k, distinct % k), weight, squares


def _value(measure: Measure, margins: Margins, positive: int | None) -> float:
    return float(measure(margins.one_vs_rest)[positive] if measure.is_per_class else measure(margins))


def _dense_gradient(measure: Measure, margins: Margins, positive: int | None) -> Array:
    """k x k derivatives; a per-class measure is read through the margins of its class."""
    if not measure.is_per_class:
        return gradient(measure, margins).dense()

    def of_table(m: Margins) -> Array:
        return np.asarray(measure(m.one_vs_rest)[..., positive])

    return gradient(_as_table_measure(measure, of_table), margins).dense()


def _as_table_measure(measure: Measure, formula: Any) -> Measure:
    return replace(measure, formula=formula, reads="margins", settings={}, parts=None)


def _added(first: Array, second: Array, shares: Array | None) -> float:
    """What the added row puts into the variance of the difference."""
    if shares is None:
        raise AssertionError("no table was enlarged")
    k = len(shares)
    off = ~np.eye(k, dtype=bool)
    others = max(k - 1, 1)
    only_first = (np.diagonal(first)[:, None] - second) ** 2
    only_second = (first - np.diagonal(second)[:, None]) ** 2
    each = ratio(np.where(off, only_first + only_second, 0.0).sum(axis=1), others)
    return float((shares / 2 * each).sum())
