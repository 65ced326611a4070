"""Two classifiers on the same rows: where they disagree, and what that says."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from surefold.comparison.pairs import checked_number, checked_numbers, no_effect
from surefold.errors import InputError, UnknownNameError
from surefold.estimates.estimate import Estimate, TestResult
from surefold.estimates.influence import gradient
from surefold.estimates.one_row import enlarged
from surefold.estimates.proportion import proportion_test
from surefold.estimates.quantiles import checked_confidence, chi2_tail, normal_quantile, normal_tail
from surefold.inputs.predictions import Predictions
from surefold.measures.measure import Measure
from surefold.tallies.confusion import Confusion
from surefold.tallies.margins import Margins
from surefold.tallies.ratio import ratio

__all__ = ["bowker", "cochran_q", "disagreements", "mcnemar", "paired_difference", "share_difference"]

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


def mcnemar(
    b: float, c: float, *, method: McNemar = "mid_p", n: float | None = None, confidence: float = 0.95
) -> TestResult:
    """Are the rows that only one of two classifiers got right split evenly? b: only the first, c: only the second.

    No disagreement at all means p = 1. With n, the number of rows, the effect is the difference of the accuracies.

    >>> round(mcnemar(1, 5).p_value, 4)  # 2 (P(0) + P(1)/2) of 6 fair coins = 2 (1 + 6/2) / 64
    0.125
    """
    confidence = checked_confidence(confidence)
    b, c = checked_number(b, "b", 0), checked_number(c, "c", 0)
    if n is not None and not n >= b + c:
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
        effect = share_difference(b, c, n, confidence, "accuracy difference")
    flags = () if total else ("no_disagreement",)
    return TestResult(f"McNemar ({method})", effect, statistic, p_value, ("rows are independent",), flags)


def share_difference(b: float, c: float, n: float, confidence: float, name: str) -> Estimate:
    """(b - c)/n for n matched rows of which b speak for the first and c for the second, with the one-row interval."""
    # One added row, half won by each: the difference keeps its sum, its variance gains that row.
    d, bigger = (b - c) / n, n + 1
    centre = (b - c) / bigger
    variance = ((b + c + 1) / bigger - centre**2) / bigger
    reach = normal_quantile((1 + confidence) / 2) * math.sqrt(variance)
    se = math.sqrt(max((b + c) / n - d * d, 0.0) / n)
    low, high = max(centre - reach, -1.0), min(centre + reach, 1.0)
    return Estimate(d, low, high, se, confidence, "one_row", n, name=name)


def cochran_q(correct: Any, *, confidence: float = 0.95) -> TestResult:
    """Do three or more classifiers have the same accuracy on the same rows? `correct`: rows x models of 0 and 1.

    Q = (k - 1) (k Σ C² - T²) / (k T - Σ R²) with C the right answers of a model, R of a row, T in all; chi-squared
    with k - 1 degrees of freedom. Of two models it is McNemar's chi-squared. Rows on which all agree do not count.

    >>> r = cochran_q([[1, 1, 0], [1, 0, 0], [1, 1, 0], [1, 1, 1], [0, 1, 0]])
    >>> round(r.statistic, 3), r.df  # 2 (3 (16 + 16 + 1) - 81) / (27 - (4 + 1 + 4 + 9 + 1))
    (4.5, 2)
    """
    confidence = checked_confidence(confidence)
    x = checked_numbers(correct, "correct", dimensions=2)
    rows, k = x.shape
    if k < 2:
        raise InputError("bad_shape", f"correct has shape {x.shape}", cure="give one column a model, two or more")
    if not np.isin(x, (0.0, 1.0)).all():
        odd = np.flatnonzero(~np.isin(x, (0.0, 1.0)).all(axis=1)) + 1
        cure = "give 1 where the model was right, 0 where it was wrong"
        raise InputError("bad_option", "correct holds more than 0 and 1", rows=odd.tolist(), count=len(odd), cure=cure)
    by_model, by_row, total = x.sum(axis=0), x.sum(axis=1), float(x.sum())
    mixed = float(k * total - by_row @ by_row)
    statistic = (k - 1) * float(k * (by_model @ by_model) - total**2) / mixed if mixed else 0.0
    effect = no_effect("a test of all models at once has no single difference", confidence=confidence, n=rows)
    if k == 2:
        b, c = float((x[:, 0] > x[:, 1]).sum()), float((x[:, 0] < x[:, 1]).sum())
        effect = share_difference(b, c, rows, confidence, "accuracy difference")
    flags = () if mixed else ("no_disagreement",)
    p_value = chi2_tail(statistic, k - 1) if statistic > 0 else 1.0
    return TestResult("Cochran's Q", effect, statistic, p_value, ("rows are independent",), flags, k - 1)


def bowker(table: Any, *, confidence: float = 0.95) -> TestResult:
    """Is a square table symmetric: does the first say i and the second j as often as the other way round?

    The sum over pairs of (n_ij - n_ji)² / (n_ij + n_ji), chi-squared with one degree of freedom a pair that occurs.
    Of two classes it is McNemar's chi-squared.

    >>> r = bowker([[10, 5, 2], [1, 8, 0], [4, 0, 7]])
    >>> round(r.statistic, 4), r.df  # 16/6 + 4/6, and no row of the third pair
    (3.3333, 2)
    """
    confidence = checked_confidence(confidence)
    counts = checked_numbers(getattr(table, "counts", table), "table", dimensions=2)
    k = len(counts)
    if counts.shape != (k, k) or k < 2 or (counts < 0).any():
        cure = "give counts, one row and one column a class"
        raise InputError("bad_table", f"table has shape {counts.shape} and least count {counts.min():g}", cure=cure)
    i, j = np.triu_indices(k, 1)
    apart, both = counts[i, j] - counts[j, i], counts[i, j] + counts[j, i]
    statistic = float((apart[both > 0] ** 2 / both[both > 0]).sum())
    df = int((both > 0).sum())
    rows = float(counts.sum())
    effect = no_effect("a test of all classes at once has no single difference", confidence=confidence, n=rows)
    if k == 2 and rows:
        name = "difference of the shares of the second class"
        effect = share_difference(counts[1, 0], counts[0, 1], rows, confidence, name)
    flags = () if df else ("no_disagreement",)
    p_value = chi2_tail(statistic, df) if statistic > 0 else 1.0
    return TestResult("Bowker's symmetry", effect, statistic, p_value, ("rows are independent",), flags, df)


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
