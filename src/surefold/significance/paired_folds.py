"""Two learners over the same folds: t as the books print it, corrected for shared training rows, and 5 x 2.

Folds share training rows, so their differences are not independent. `paired_t` takes them as if they were and is
flagged for it; `corrected_t` makes up for it; the 5 x 2 tests read their variance from halves that share nothing.

Equal differences show no spread. A t would be infinite and p zero, which nobody should believe of a handful of folds:
p is then that of signs alone, 2 to the power 1 - J, with J the number of independent splits the correction allows; of
5 x 2 it is 1. There is no interval then, and the effect says why.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from surefold.errors import InputError
from surefold.estimates.cross_validated import FEW_FOLDS, split_sizes
from surefold.estimates.estimate import Estimate, TestResult
from surefold.estimates.mean import standard_error_from
from surefold.estimates.quantiles import checked_confidence, f_tail, normal_quantile, t_quantile, t_tail
from surefold.given import Features, Values
from surefold.significance.pairs import (
    Alternative,
    Array,
    Pairs,
    checked_alternative,
    checked_number,
    checked_numbers,
    checked_pairs,
    no_spread,
    p_of_tails,
)
from surefold.significance.plain_test import plain_test

__all__ = ["corrected_t", "five_by_two_f", "five_by_two_t", "paired_t", "paired_t_from"]

_NEAR_NORMAL = "differences are near normal"
_INDEPENDENT = "pairs are independent, which folds are not: they share training rows"


@plain_test(reads="pairs", null="the mean difference is zero", source="Student (1908), Biometrika 6:1-25")
def paired_t(a: Values, b: Values, *, alternative: Alternative = "two-sided", confidence: float = 0.95) -> TestResult:
    """The t-test of the textbooks for paired values, first minus second, with K - 1 degrees of freedom.

    Over folds it rejects too often (`naive_folds`): in more than half of all cases where nothing differs, over 10 x 10
    folds. Use `corrected_t` there.

    a:           the first of the two: one number a pair
    b:           the second, in the same order
    alternative: "two-sided", "greater" (the first is larger) or "less"
    confidence:  of the interval of the effect

    >>> d = [1 / 30, 2 / 30, -2 / 30, 2 / 30, 2 / 30]
    >>> r = paired_t(d, [0] * 5)
    >>> round(r.statistic, 3), round(r.p_value, 3), r.df
    (1.291, 0.266, 4)
    """
    pairs = checked_pairs(a, b)
    assumptions = (_INDEPENDENT, _NEAR_NORMAL)
    asked = _ByT("paired t", assumptions, ("naive_folds",), alternative, confidence)
    return asked.of(pairs, 0.0, len(pairs) - 1)


def paired_t_from(
    mean: float,
    k: int,
    *,
    sd: float | None = None,
    se: float | None = None,
    alternative: Alternative = "two-sided",
    confidence: float = 0.95,
) -> TestResult:
    """`paired_t` from what a paper prints of K differences: their mean, and `sd`, or `se`, that of their mean.

    >>> r = paired_t_from(0.05, 30, se=0.002)
    >>> print(r.effect)  # .05 ± 2.045 x .002
    0.0500 [0.0459, 0.0541]
    """
    asked = _ByT("paired t", (_INDEPENDENT, _NEAR_NORMAL), ("naive_folds",), alternative, confidence)
    mean = checked_number(mean, "mean", -math.inf, cure="give the mean of the differences")
    return asked.told(mean, standard_error_from(k, sd, se), k - 1, k)


@plain_test(
    reads="folds", null="the mean difference is zero", source="Nadeau & Bengio (2003), Machine Learning 52:239-281"
)
def corrected_t(
    a: Values,
    b: Values,
    n_train: ArrayLike,
    n_test: ArrayLike,
    df: float | None = None,
    *,
    alternative: Alternative = "two-sided",
    confidence: float = 0.95,
) -> TestResult:
    """Nadeau and Bengio's t: the variance of the mean of J splits is (1/J + test/train) s².

    Degrees of freedom are J - 1, as published; over repeated folds say `df=folds - 1`, which holds for all learners.
    `n_train` and `n_test` are the rows of a split, or one number a split.

    a:           the first of the two: a figure a split
    b:           the second, in the same order
    n_train:     rows that were learnt from, one number or one a split
    n_test:      rows that were tested, likewise
    df:          degrees of freedom; the splits less one unless said
    alternative: "two-sided", "greater" (the first is larger) or "less"
    confidence:  of the interval of the effect

    >>> r = corrected_t([0.9, 0.8, 0.8, 0.9], [0.8, 0.8, 0.7, 0.9], n_train=75, n_test=25)
    >>> round(r.statistic, 3)  # .05 / sqrt((1/4 + 1/3) .01/3)
    1.134
    """
    pairs = checked_pairs(a, b)
    ratio, _ = split_sizes(n_train, n_test, len(pairs))
    if df is not None and not df > 0:
        raise InputError("bad_option", f"df={df!r}", cure="give a number above 0, such as folds - 1")
    flags = ("repeated_folds",) if df is None and len(pairs) > FEW_FOLDS else ()
    assumptions = ("splits overlap as random splits of the same rows do", _NEAR_NORMAL)
    used = len(pairs) - 1 if df is None else df
    return _ByT("corrected t", assumptions, flags, alternative, confidence).of(pairs, ratio, used)


@dataclass(frozen=True)
class _ByT:
    """A test by t: what it is called, what it takes for granted, and what was asked of it."""

    name: str
    assumptions: tuple[str, ...]
    flags: tuple[str, ...]
    alternative: Alternative
    confidence: float

    def __post_init__(self) -> None:
        checked_alternative(self.alternative)
        object.__setattr__(self, "confidence", checked_confidence(self.confidence))

    def of(self, pairs: Pairs, ratio: float, df: float) -> TestResult:
        """t with the variance (1/J + ratio) s², where J is the number of pairs."""
        share = 1 / len(pairs) + ratio
        value, se = pairs.mean, math.sqrt(share) * pairs.spread
        if se == 0:
            return self._without_spread(pairs, 1 / share, df)
        return self.told(value, se, df, len(pairs))

    def told(self, value: float, se: float, df: float, n: int) -> TestResult:
        """From a mean difference and its standard error."""
        t, facts = value / se, (self.confidence, self.name.replace(" ", "_"), n, self.flags)
        p_value = p_of_tails(t_tail(t, df), t_tail(-t, df), self.alternative)
        effect = _around(Estimate(value, math.nan, math.nan, se, *facts, "difference"), df)
        return TestResult(self.name, effect, t, p_value, self.assumptions, self.flags, df)

    def _without_spread(self, pairs: Pairs, independent: float, df: float) -> TestResult:
        """All differences are equal: signs alone are left, of as many splits as count as independent."""
        value, flags = 0.0 if abs(pairs.mean) <= pairs.rounding else pairs.mean, (*self.flags, "no_spread")
        se, method = 0.0 if len(pairs) > 1 else math.nan, self.name.replace(" ", "_")
        facts = (se, self.confidence, method, len(pairs), flags, "difference", no_spread(value, len(pairs)))
        chance = min(1.0, 0.5**independent)
        upper, lower = (chance, 1.0) if value > 0 else (1.0, chance) if value < 0 else (1.0, 1.0)
        p_value, effect = p_of_tails(upper, lower, self.alternative), Estimate(value, math.nan, math.nan, *facts)
        return TestResult(self.name, effect, _infinite(value), p_value, self.assumptions, flags, df)


def _around(found: Estimate, df: float) -> Estimate:
    """An estimate with the interval of t."""
    tail = (1 + found.confidence) / 2
    reach = found.se * (normal_quantile(tail) if math.isinf(df) else t_quantile(tail, df))
    return replace(found, low=found.value - reach, high=found.value + reach, df=float(df))


def _infinite(value: float) -> float:
    return math.copysign(math.inf, value) if value else 0.0


@plain_test(
    reads="halves", null="the mean difference is zero", source="Dietterich (1998), Neural Computation 10:1895-1923"
)
def five_by_two_t(d: Features, *, alternative: Alternative = "two-sided", confidence: float = 0.95) -> TestResult:
    """Dietterich's t over five times two halves: d[i, j] is first minus second in half j of repeat i.

    t = d[0, 0] / √(mean of the five variances), 5 degrees of freedom. It reads the first difference alone;
    `five_by_two_f` reads all. The effect is the mean of the ten, ± t with 5 degrees of freedom times the same √.

    d:           five rows of two differences, first minus second
    alternative: "two-sided", "greater" (the first is larger) or "less"
    confidence:  of the interval of the effect

    >>> d = [[0.04, 0.02], [0.03, 0.05], [0.02, 0.02], [0.01, 0.03], [0.05, 0.05]]
    >>> round(five_by_two_t(d).statistic, 3)  # variances .0002 .0002 0 .0002 0; .04 / sqrt(.00012)
    3.651
    """
    checked_alternative(alternative)
    x, spread, effect = _halves(d, checked_confidence(confidence), "5x2 t")
    assumptions = ("halves of one repeat share no rows", _NEAR_NORMAL)
    if spread == 0:
        return TestResult("5x2 t", effect, _infinite(float(x[0, 0])), 1.0, assumptions, effect.flags, 5)
    t = float(x[0, 0]) / math.sqrt(spread)
    p_value = p_of_tails(t_tail(t, 5), t_tail(-t, 5), alternative)
    return TestResult("5x2 t", effect, t, p_value, assumptions, effect.flags, 5)


@plain_test(
    reads="halves", null="the mean difference is zero", source="Alpaydin (1999), Neural Computation 11:1885-1892"
)
def five_by_two_f(d: Features, *, confidence: float = 0.95) -> TestResult:
    """Alpaydin's F over five times two halves: the ten squares over twice the five variances, on (10, 5) d.f.

    d:          five rows of two differences, first minus second
    confidence: of the interval of the effect

    >>> d = [[0.04, 0.02], [0.03, 0.05], [0.02, 0.02], [0.01, 0.03], [0.05, 0.05]]
    >>> round(five_by_two_f(d).statistic, 3)  # (16 + 4 + 9 + 25 + 4 + 4 + 1 + 9 + 25 + 25) / (2 x 6)
    10.167
    """
    x, spread, effect = _halves(d, checked_confidence(confidence), "5x2 F")
    assumptions = ("halves of one repeat share no rows", _NEAR_NORMAL)
    if spread == 0:
        return TestResult("5x2 F", effect, _infinite(float((x**2).sum())), 1.0, assumptions, effect.flags, (10, 5))
    f = float((x**2).sum()) / (10 * spread)
    return TestResult("5x2 F", effect, f, f_tail(f, 10, 5), assumptions, effect.flags, (10, 5))


def _halves(d: Features, confidence: float, method: str) -> tuple[Array, float, Estimate]:
    """The differences, the mean over repeats of the variance of its two, and the effect."""
    x = checked_numbers(d, "d", dimensions=2)
    if x.shape != (5, 2):
        cure = "give one row a repeat, with the difference in each half"
        raise InputError("bad_shape", f"d has shape {x.shape}, not (5, 2)", cure=cure)
    gaps = x[:, 0] - x[:, 1]
    gaps[np.abs(gaps) <= 1e-13 * np.abs(x).max()] = 0.0
    spread = float((gaps**2).mean() / 2)
    flags: tuple[str, ...] = ("liberal_test",)
    if spread > 0:
        facts = (math.sqrt(spread), confidence, method, 10, flags, "difference")
        return x, spread, _around(Estimate(float(x.mean()), math.nan, math.nan, *facts), 5)
    alike = no_spread(0.0, 10) if not x.any() else "the halves of every repeat agree, so there is no spread"
    told = (0.0, confidence, method, 10, (*flags, "no_spread"), "difference", alike)
    return x, spread, Estimate(float(x.mean()), math.nan, math.nan, *told)
