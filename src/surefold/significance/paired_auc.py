"""Two areas under the ROC curve: of the same rows (DeLong, with a quarter row), or of separate ones.

DeLong's variance of a difference is the spread, in each class, of the differences of the two placements of a row. Near
an area of one, or with few rows, there is little spread to see and the test rejects too often. So a quarter of a row is
added to each class in the variance alone: half of it only the first model ranks above everything, half only the second.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from surefold.errors import InputError, refuse_unknown
from surefold.estimates.auc import AucMoments, few_of_a_class, missing_class
from surefold.estimates.estimate import Estimate, TestResult
from surefold.estimates.one_row import beta_interval, effective_rows
from surefold.estimates.quantiles import checked_confidence, normal_quantile, normal_tail, t_quantile, t_tail
from surefold.given import Values
from surefold.inputs.kinds import Label
from surefold.inputs.predictions import Predictions
from surefold.significance.pairs import Alternative, checked_alternative, no_effect, p_of_tails
from surefold.significance.plain_test import plain_test
from surefold.tallies.placements import doubled_placements
from surefold.tallies.score_groups import ScoreGroups

__all__ = ["PairedAreas", "delong_test", "delong_test_unpaired"]

Number = Any  # a float, or an array over many samples
ADDED = 0.25
_BLOCK = 1 << 16
#: What the test is called: as published, or with the quarter row.
DELONG, QUARTER_ROW = "DeLong, paired", "DeLong + 1/4 row, paired"


@dataclass(frozen=True, eq=False)
class PairedAreas:
    """What the comparison of two areas needs; fields may be arrays over many samples.

    `spread` is the sum over the rows of a class of (difference of the placements - difference of the areas)^2.
    """

    difference: Number
    positives: Number
    negatives: Number
    positive_spread: Number
    negative_spread: Number

    @classmethod
    def of(cls, is_positive: NDArray[np.bool_], first: NDArray[np.float64], second: NDArray[np.float64]) -> PairedAreas:
        """From two scores of every row."""
        ahead, behind = doubled_placements(first, is_positive)
        for mine, its in zip((ahead, behind), doubled_placements(second, is_positive), strict=True):
            mine -= its
        m, n = len(ahead), len(behind)
        total = int(ahead.sum(dtype=np.int64))
        spreads = [_spread(x, other, total / (m * n)) for x, other in ((ahead, n), (behind, m))]
        return cls(total / (2 * m * n), m, n, *spreads)

    def delong_variance(self) -> Number:
        """As published: the spread of each class over rows times one row less."""
        m, n = self.positives, self.negatives
        with np.errstate(invalid="ignore", divide="ignore"):
            return self.positive_spread / np.float64(m * (m - 1)) + self.negative_spread / np.float64(n * (n - 1))

    def variance(self, added: Number = ADDED) -> Number:
        """The same with a quarter row more in each class, which half of the time wins all and half loses all.

        `added` is how much of a row that is.
        """
        found = 0.0
        for rows, spread in ((self.positives, self.positive_spread), (self.negatives, self.negative_spread)):
            more = rows + added
            found = found + (spread + added * (1 + self.difference**2)) / (more * (more - 1))
        return found


def no_variance(least: float, alike: str = "the placements of all rows differ by the same") -> str:
    """Why DeLong's test as published is undefined, with so many rows of the smaller class."""
    return f"DeLong's variance is 0: {alike}" if least > 1 else "DeLong's variance needs two rows of each class"


def _spread(doubled: NDArray[Any], others: int, centre: float) -> float:
    """Sum of (x / (2 others) - difference)^2, `centre` being twice the difference."""
    found = 0.0
    for start in range(0, len(doubled), _BLOCK):
        away = doubled[start : start + _BLOCK] / others - centre
        away *= away
        found += float(away.sum())
    return found / 4


@plain_test(
    reads="scores",
    null="two scores of the same rows have the same area under the ROC curve",
    source="DeLong, DeLong & Clarke-Pearson (1988), Biometrics 44:837-845",
)
def delong_test(
    y_true: Values,
    s1: Values,
    s2: Values,
    *,
    pos_label: Label | None = None,
    method: Literal["quarter_row", "delong"] = "quarter_row",
    alternative: Alternative = "two-sided",
    confidence: float = 0.95,
) -> TestResult:
    """Do two sets of scores for the same rows have the same area under the ROC curve? z, first minus second.

    `effect.se` is DeLong's standard error; z, p and the interval are of the variance with a quarter row in each class.
    `method="delong"` leaves that out, as published, and is flagged; without a variance it has neither z nor interval.

    y_true:      the true labels, of two classes
    s1:          the first scores, in the same order
    s2:          the second scores
    pos_label:   the class that high scores speak for
    method:      "quarter_row" or "delong", as above
    alternative: "two-sided", "greater" (the first is larger) or "less"
    confidence:  of the interval of the effect

    >>> y = [0, 0, 0, 0, 1, 1, 1, 1]  # areas 15/16 and 11/16; placements differ by 1/4 3/4 0 0 and by 0 1/2 1/4 1/4
    >>> r = delong_test(y, [1, 2, 3, 5, 4, 6, 7, 8], [1, 5, 3, 6, 4, 2, 7, 8])  # se² = .375 / 12 + .125 / 12
    >>> round(r.effect.value, 4), round(r.effect.se, 4), round(r.p_value, 3)
    (0.25, 0.2041, 0.36)
    """
    checked_alternative(alternative)
    confidence = checked_confidence(confidence)
    refuse_unknown("method", method, ("quarter_row", "delong"))
    first, second = (_scored(y_true, s, ("y_true", name), pos_label) for s, name in ((s1, "s1"), (s2, "s2")))
    is_positive, a, b = first[0], first[1], second[1]
    rows, name = len(is_positive), DELONG if method == "delong" else QUARTER_ROW
    assumptions = ("rows are independent", "the difference of the areas is near normal")
    reason = _one_class(is_positive)
    if reason:
        effect = no_effect(reason, "roc_auc difference", confidence, rows)
        return TestResult(name, effect, math.nan, 1.0, assumptions, ("single_class",))
    areas = PairedAreas.of(is_positive, a, b)
    plain = float(areas.delong_variance()) if min(areas.positives, areas.negatives) > 1 else math.nan
    least, d = min(areas.positives, areas.negatives), areas.difference
    flags = ("few_of_a_class",) if few_of_a_class(least) else ()
    if method == "delong":
        flags = (*flags, "known_to_mislead")
        if not plain > 0:
            effect = _undefined(d, no_variance(least), confidence, rows, flags)
            return TestResult(name, effect, math.nan, 1.0, assumptions, effect.flags)
    spread = math.sqrt(float(areas.variance()) if method == "quarter_row" else plain)
    reach, z = normal_quantile((1 + confidence) / 2) * spread, d / spread
    facts = (math.sqrt(plain), confidence, method, rows, flags, "roc_auc difference")
    effect = Estimate(d, max(-1.0, d - reach), min(1.0, d + reach), *facts)
    p_value = p_of_tails(float(normal_tail(z)), float(normal_tail(-z)), alternative)
    return TestResult(name, effect, z, p_value, assumptions, flags)


@plain_test(
    reads="scores",
    null="scores of separate rows have the same area under the ROC curve",
    source="DeLong, DeLong & Clarke-Pearson (1988), Biometrics 44:837-845; Welch (1947)",
)
def delong_test_unpaired(
    y1: Values,
    s1: Values,
    y2: Values,
    s2: Values,
    *,
    pos_label: Label | None = None,
    method: Literal["one_row", "delong"] = "one_row",
    alternative: Alternative = "two-sided",
    confidence: float = 0.95,
) -> TestResult:
    """Do two separate sets of rows have the same area under the ROC curve? Welch's t, first minus second.

    The variances are those of the one-row interval, and degrees of freedom Satterthwaite's, where an area counts for
    the rows of its smaller class less one. The interval squares and adds the two one-row intervals, which are not
    symmetric near an area of one. `method="delong"` has DeLong's variances with degrees of freedom over the two sets,
    as published: with 10 and 10 rows and an area of .99 it finds a difference more often than not where there is none,
    and it is flagged.

    y1:          the true labels of the first rows
    s1:          their scores
    y2:          the true labels of the second rows
    s2:          their scores
    pos_label:   the class that high scores speak for
    method:      "one_row" or "delong"
    alternative: "two-sided", "greater" (the first is larger) or "less"
    confidence:  of the interval of the effect

    >>> r = delong_test_unpaired([0, 0, 1, 1], [1, 2, 3, 4], [0, 0, 0, 1, 1, 1], [1, 4, 3, 2, 5, 6])
    >>> round(r.effect.value, 3), r.flags
    (0.222, ('few_of_a_class',))
    """
    checked_alternative(alternative)
    confidence = checked_confidence(confidence)
    refuse_unknown("method", method, ("one_row", "delong"))
    tallies = []
    for y, s, names in ((y1, s1, ("y1", "s1")), (y2, s2, ("y2", "s2"))):
        is_positive, scores = _scored(y, s, names, pos_label)
        tallies.append(ScoreGroups.of(scores, is_positive))
    rows, name = sum(t.total for t in tallies), "DeLong, unpaired"
    assumptions = ("the two sets of rows are separate and independent", "the difference of the areas is near normal")
    reason = " and ".join(missing_class(t) for t in tallies if missing_class(t))
    if reason:
        effect = no_effect(reason, "roc_auc difference", confidence, rows)
        return TestResult(name, effect, math.nan, 1.0, assumptions, ("single_class",))
    first, second = (AucMoments.of(t) for t in tallies)
    d = first.auc - second.auc
    least = min(x for t in tallies for x in (t.positives, t.negatives))
    flags = ("few_of_a_class",) if few_of_a_class(least) else ()
    plain = float(first.delong_variance() + second.delong_variance()) if least > 1 else math.nan
    parts = [welch_part(first), welch_part(second)]
    if method == "delong":
        flags = (*flags, "known_to_mislead")
        if not plain > 0:
            effect = _undefined(d, no_variance(least, "both areas are 0 or 1"), confidence, rows, flags)
            return TestResult(name, effect, math.nan, 1.0, assumptions, effect.flags)
        parts = [(float(x.delong_variance()), x.positives + x.negatives - 1) for x in (first, second)]
    spread, df = math.sqrt(sum(v for v, _ in parts)), float(welch_df(parts))
    t = d / spread
    low, high = square_and_add(first, second, confidence)
    if method == "delong":
        reach = t_quantile((1 + confidence) / 2, df) * spread
        low, high = max(-1.0, d - reach), min(1.0, d + reach)
    facts = (math.sqrt(plain), confidence, method, rows, flags, "roc_auc difference")
    effect = Estimate(d, float(low), float(high), *facts)
    return TestResult(name, effect, t, p_of_tails(t_tail(t, df), t_tail(-t, df), alternative), assumptions, flags, df)


def _undefined(d: float, why: str, confidence: float, rows: float, flags: tuple[str, ...]) -> Estimate:
    """A difference of which nothing tells how much it varies."""
    facts = (math.nan, confidence, "delong", rows, (*flags, "no_spread"), "roc_auc difference")
    return Estimate(d, math.nan, math.nan, *facts, why)


def welch_part(x: AucMoments) -> tuple[Number, Number]:
    """The one-row variance of an area, with the rows of its smaller class less one as degrees of freedom."""
    return x.one_row()[1], np.maximum(np.minimum(x.positives, x.negatives) - 1, 1)


def welch_df(parts: list[tuple[Number, Number]]) -> Number:
    """Satterthwaite's degrees of freedom of a sum of variances."""
    return sum(v for v, _ in parts) ** 2 / sum(v**2 / df for v, df in parts)


def square_and_add(first: AucMoments, second: AucMoments, confidence: float) -> tuple[Number, Number]:
    """The interval of a difference from the one-row intervals of both areas."""
    (l1, u1), (l2, u2) = (_one_row_interval(x, confidence) for x in (first, second))
    a, b = first.auc, second.auc
    return a - b - np.hypot(a - l1, u2 - b), a - b + np.hypot(u1 - a, b - l2)


def _one_row_interval(x: AucMoments, confidence: float) -> tuple[Number, Number]:
    centre, variance = x.one_row()
    return beta_interval(centre, effective_rows(centre, variance, (0.0, 1.0)), x.auc, (0.0, 1.0), confidence, 0.0)


def _scored(
    y_true: Values, scores: Values, names: tuple[str, str], pos_label: Label | None
) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """Which rows are positive, and their scores."""
    p = Predictions.of(y_true, y_score=scores, pos_label=pos_label, names=(names[0], "y_pred", names[1]))
    if p.scores is None or p.positive is None or p.scores.ndim != 1:
        cure = "give one score a row and say pos_label="
        raise InputError("positive_class_unknown", "an area needs a positive class and its scores", cure=cure)
    return np.asarray(p.truth == p.positive), p.scores


def _one_class(is_positive: NDArray[np.bool_]) -> str:
    return "" if is_positive.any() and not is_positive.all() else "needs both classes, and there is one"
