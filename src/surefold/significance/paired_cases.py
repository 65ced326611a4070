"""Two classifiers on the same rows: where they disagree, and what that says."""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefold.errors import InputError, refuse_unknown
from surefold.estimates.estimate import Estimate, TestResult
from surefold.estimates.proportion import proportion_test
from surefold.estimates.quantiles import (
    binomial_upper_tail,
    checked_confidence,
    chi2_tail,
    normal_tail,
)
from surefold.given import Features, Values
from surefold.inputs.predictions import Predictions
from surefold.significance.bounds import Bounds, NormalBounds
from surefold.significance.pairs import checked_number, checked_numbers, no_effect
from surefold.significance.plain_test import plain_test
from surefold.significance.score_bounds import RowDifferences, ScoreBounds
from surefold.tallies.confusion import Confusion

__all__ = ["FEW_APART", "bowker", "cochran_q", "disagreements", "mcnemar", "mid_p", "share_difference"]

Array = NDArray[Any]
#: With fewer matched rows that differ than this, the interval goes by score.
FEW_APART = 30
McNemar = Literal["mid_p", "exact", "chi2", "chi2_corrected"]


def disagreements(y_true: Values, a: Values, b: Values) -> tuple[int, int, int, int]:
    """How many rows (both right, only a right, only b right, both wrong).

    y_true: the true labels
    a:      the first classifier's labels, in the same order
    b:      the second one's

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


@plain_test(
    reads="counts",
    null="rows that one of two classifiers got right are split evenly",
    source="McNemar (1947), Psychometrika 12:153-157",
)
def mcnemar(
    b: float, c: float, *, method: McNemar = "mid_p", n: float | None = None, confidence: float = 0.95
) -> TestResult:
    """Are the rows that only one of two classifiers got right split evenly? b: only the first, c: only the second.

    No disagreement at all means p = 1. With n, the number of rows, the effect is the difference of the accuracies.

    b:          rows that only the first got right
    c:          rows that only the second got right
    method:     "mid_p", "exact", "chi2" or "chi2_corrected"
    n:          all rows; with it the effect has a value
    confidence: of the interval of the effect

    >>> round(mcnemar(1, 5).p_value, 4)  # 2 (P(0) + P(1)/2) of 6 fair coins = 2 (1 + 6/2) / 64
    0.125
    """
    confidence = checked_confidence(confidence)
    b, c = checked_number(b, "b", 0), checked_number(c, "c", 0)
    n = None if n is None else checked_number(n, "n", 0, 2.0**53, cure="give the rows, agreed on or not")
    if n is not None and n < b + c:
        raise InputError("bad_option", f"b={b!r}, c={c!r}, n={n!r}", cure="give counts >= 0 with b + c <= n")
    refuse_unknown("method", method, ("mid_p", "exact", "chi2", "chi2_corrected"))
    total, statistic = b + c, float(b - c)
    if total == 0:
        p_value = 1.0
    elif method in ("mid_p", "exact"):
        if method == "mid_p":
            p_value = float(mid_p(b, c))
        else:
            p_value = min(1.0, 2 * proportion_test(min(b, c), total, 0.5, alternative="less").p_value)
    else:
        gap = max(abs(b - c) - (1 if method == "chi2_corrected" else 0), 0)
        statistic = gap * gap / total
        p_value = float(2 * normal_tail(math.sqrt(statistic)))
    effect = Estimate(math.nan, math.nan, math.nan, reason="pass n= for the difference with its interval")
    if n is not None:
        effect = share_difference(b, c, n, confidence, "accuracy difference")
    flags = () if total else ("no_disagreement",)
    return TestResult(f"McNemar ({method})", effect, statistic, p_value, ("rows are independent",), flags)


def mid_p(b: ArrayLike, c: ArrayLike) -> Array:
    """McNemar's mid-p of one pair or many: twice P(fewer than the smaller) and P(just as many) once.

    >>> mid_p([1, 0], [5, 0]).tolist()
    [0.125, 1.0]
    """
    few, total = np.minimum(b, c), np.add(b, c, dtype=float)
    most = total - few  # as likely as `few` on the other side of a fair coin, and a tail that keeps its digits
    found = binomial_upper_tail(most, total, 0.5) + binomial_upper_tail(most + 1, total, 0.5)
    return np.where(total > 0, np.minimum(found, 1.0), 1.0)


def share_difference(b: float, c: float, n: float, confidence: float, name: str) -> Estimate:
    """(b - c)/n for n matched rows of which b speak for the first and c for the second, with the one-row interval."""
    # One added row, half won by each: the difference keeps its sum, its variance gains that row.
    rows = RowDifferences(np.array([0.0, 1.0, -1.0]), np.array([n - b - c, b + 0.5, c + 0.5]))
    d, spread, ends = (b - c) / n, math.sqrt(rows.variance), (-1.0, 1.0)
    bounds: Bounds = NormalBounds(d, rows.centre, spread, limits=ends, method="one_row")
    if b + c < FEW_APART:
        bounds = ScoreBounds(rows, d, ends)
    se = math.sqrt(max((b + c) / n - d * d, 0.0) / n)
    return Estimate(d, *bounds.at((1 + confidence) / 2), se, confidence, bounds.method, n, name=name)


@plain_test(
    reads="columns", null="all classifiers are right equally often", source="Cochran (1950), Biometrika 37:256-266"
)
def cochran_q(correct: Features, *, confidence: float = 0.95) -> TestResult:
    """Do three or more classifiers have the same accuracy on the same rows? `correct`: rows x models of 0 and 1.

    Q = (k - 1) (k Σ C² - T²) / (k T - Σ R²) with C the right answers of a model, R of a row, T in all; chi-squared
    with k - 1 degrees of freedom. Of two models it is McNemar's chi-squared. Rows on which all agree do not count.

    correct:    a row a case, a column a classifier, 1 where it was right
    confidence: of the interval of the effect

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


@plain_test(reads="counts", null="the table of two raters is symmetric", source="Bowker (1948), JASA 43:572-574")
def bowker(table: Features | Confusion, *, confidence: float = 0.95) -> TestResult:
    """Is a square table symmetric: does the first say i and the second j as often as the other way round?

    The sum over pairs of (n_ij - n_ji)² / (n_ij + n_ji), chi-squared with one degree of freedom a pair that occurs.
    Of two classes it is McNemar's chi-squared.

    table:      counts, the first rater's class by the second's, or a `Confusion`
    confidence: of the interval of the effect

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
