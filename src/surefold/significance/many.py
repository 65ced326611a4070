"""Several models over several data sets, by ranks: do any differ, and which.

In every data set the best model has rank 1, ties share their mean rank. `friedman` asks whether the average ranks are
further apart than chance would put them; `nemenyi` holds every pair, `bonferroni_dunn` every model and a control,
against one critical difference; `rank_differences` gives raw p-values for `holm` and others to adjust.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from itertools import combinations
from typing import Literal

import numpy as np

from surefold.errors import InputError, refuse_unknown, show
from surefold.estimates.estimate import Estimate, TestResult
from surefold.estimates.quantiles import checked_confidence, chi2_tail, f_tail, normal_quantile, normal_tail
from surefold.given import Features
from surefold.significance.paired_cases import share_difference
from surefold.significance.pairs import Array, checked_numbers, no_effect, tied_ranks
from surefold.significance.plain_test import plain_test
from surefold.significance.studentised_range import range_quantile, range_tail

__all__ = ["Friedman", "RankDifferences", "RankTest", "bonferroni_dunn", "friedman", "nemenyi", "rank_differences"]

Better = Literal["higher", "lower"]
#: With fewer data sets the F rejects up to .068 of true nulls at .05; from here on at most .055.
FEW_DATA_SETS = 8
_INDEPENDENT = "data sets are independent"
_SAME_SPREAD = "ranks of any two models differ with the same spread"


@dataclass(frozen=True, eq=False)
class Friedman(TestResult):
    """Friedman's chi-squared, with the average ranks and Iman and Davenport's F, which is less conservative."""

    average_ranks: Array = field(default_factory=lambda: np.zeros(0))
    f_statistic: float = math.nan
    f_df: tuple[float, float] = (math.nan, math.nan)
    f_p_value: float = math.nan


@dataclass(frozen=True, eq=False)
class RankTest(TestResult):
    """Average ranks further apart than `critical_difference` differ; `p_values` are adjusted for all comparisons.

    The statistic is the largest difference in standard errors, and p the one that belongs to it.
    """

    average_ranks: Array = field(default_factory=lambda: np.zeros(0))
    critical_difference: float = math.nan
    p_values: Array = field(default_factory=lambda: np.zeros(0))


@dataclass(frozen=True, eq=False)
class RankDifferences:
    """Average rank of the first less that of the second, for each pair: z and p, not adjusted for their number."""

    pairs: tuple[tuple[int, int], ...]
    average_ranks: Array
    z: Array
    p_values: Array


@plain_test(
    reads="columns",
    null="the models rank alike over the data sets",
    source="Friedman (1937), JASA 32:675-701; Iman & Davenport (1980)",
)
def friedman(
    table: Features,
    better: Better = "higher",
    ties: Literal["corrected", "none"] = "corrected",
    *,
    confidence: float = 0.95,
) -> Friedman:
    """Do the models (columns) rank alike over the data sets (rows)?

    Chi-squared = 12 N / (k (k + 1)) (Σ R² - k (k + 1)² / 4) with k - 1 degrees of freedom, divided by the share of
    rank variance that ties leave ("corrected"); F = (N - 1) chi² / (N (k - 1) - chi²) with k - 1 and (k - 1)(N - 1).

    table:      a row a data set, a column a model
    better:     "higher" or "lower": which figures get the rank 1
    ties:       "corrected", or "none" as some books print it
    confidence: of the interval of the effect

    >>> r = friedman([[0.9, 0.8, 0.7], [0.8, 0.7, 0.6], [0.7, 0.8, 0.6], [0.9, 0.8, 0.5]])
    >>> r.average_ranks.tolist(), round(r.statistic, 2), round(r.f_statistic, 2)
    ([1.25, 1.75, 3.0], 6.5, 13.0)
    """
    refuse_unknown("treatment of ties", ties, ("corrected", "none"))
    confidence = checked_confidence(confidence)
    ranks = _ranks(table, better)
    n, k = ranks.shape
    means = ranks.mean(axis=0)
    spread = float(((ranks - (k + 1) / 2) ** 2).sum()) / (n * (k - 1))  # k (k + 1) / 12 without ties
    plain = k * (k + 1) / 12
    divisor = spread if ties == "corrected" else plain
    chi2 = n * float(((means - (k + 1) / 2) ** 2).sum()) / divisor if spread > 0 else 0.0
    p_value = chi2_tail(chi2, k - 1) if spread > 0 else 1.0
    f, f_p = _iman_davenport(chi2, n, k, spread > 0)
    effect = _effect(ranks, confidence)
    flags = _flags(n) if spread > 0 else ("no_spread", *_flags(n))
    f_df = (float(k - 1), float((k - 1) * (n - 1)))
    return Friedman("Friedman", effect, chi2, p_value, (_INDEPENDENT,), flags, k - 1, means, f, f_df, f_p)


def _iman_davenport(chi2: float, n: int, k: int, varies: bool) -> tuple[float, float]:
    """F and its p; where every data set has the same order F is infinite, and p the chance of that."""
    if n == 1 or not varies:
        return 0.0, 1.0
    rest = n * (k - 1) - chi2
    if rest <= 1e-9 * n * k:
        return math.inf, math.exp(-(n - 1) * math.lgamma(k + 1))
    f = (n - 1) * chi2 / rest
    return f, f_tail(f, k - 1, (k - 1) * (n - 1))


@plain_test(
    reads="columns",
    null="two models have the same average rank",
    source="Nemenyi (1963), Distribution-free Multiple Comparisons, Princeton",
)
def nemenyi(table: Features, df: float = math.inf, *, better: Better = "higher", confidence: float = 0.95) -> RankTest:
    """Every pair of models against one critical difference of average ranks, q/√2 √(k (k + 1) / (6 N)).

    q is the quantile of the studentised range of k means, computed. `p_values` is k x k with 1 on the diagonal.

    table:      a row a data set, a column a model
    df:         degrees of freedom of the studentised range; infinite unless said
    better:     "higher" or "lower": which figures get the rank 1
    confidence: of all pairs together

    >>> r = nemenyi([[0.9, 0.8, 0.7], [0.8, 0.7, 0.6], [0.7, 0.8, 0.6], [0.9, 0.8, 0.5]])
    >>> round(r.critical_difference, 3)  # 3.3145 / sqrt(2) x sqrt(12 / 24)
    1.657
    """
    confidence = checked_confidence(confidence)
    try:
        freedom = float(df)
    except (OverflowError, TypeError, ValueError):
        freedom = math.nan
    if not freedom > 0:
        raise InputError("bad_option", f"df={show(df)}", cure="give a number above 0; math.inf is usual")
    ranks = _ranks(table, better)
    n, k = ranks.shape
    means, error = ranks.mean(axis=0), _error(n, k)
    z = np.abs(means[:, None] - means[None, :]) / error
    distinct, where = np.unique(z.round(12), return_inverse=True)
    p_values = np.array([range_tail(q * math.sqrt(2), k, freedom) for q in distinct])[where].reshape(k, k)
    critical = range_quantile(confidence, k, freedom) / math.sqrt(2) * error
    facts = (float(z.max()), float(p_values.min()), (_INDEPENDENT, _SAME_SPREAD), _flags(n), None)
    return RankTest("Nemenyi", _effect(ranks, confidence), *facts, means, critical, p_values)


@plain_test(reads="columns", null="a model has the average rank of the control", source="Dunn (1961), JASA 56:52-64")
def bonferroni_dunn(
    table: Features, control: int = 0, *, better: Better = "higher", confidence: float = 0.95
) -> RankTest:
    """Every model against a control: the normal quantile at 1 - (1 - confidence) / (2 (k - 1)), times the error.

    `p_values` has one number a model, 1 for the control itself.

    table:      a row a data set, a column a model
    control:    the column that the others are held against
    better:     "higher" or "lower": which figures get the rank 1
    confidence: of all comparisons together

    >>> r = bonferroni_dunn([[0.9, 0.8, 0.7], [0.8, 0.7, 0.6], [0.7, 0.8, 0.6], [0.9, 0.8, 0.5]])
    >>> round(r.critical_difference, 3)  # 2.2414 x sqrt(12 / 24)
    1.585
    """
    confidence = checked_confidence(confidence)
    ranks = _ranks(table, better)
    n, k = ranks.shape
    place, means, error = _column(control, k), ranks.mean(axis=0), _error(n, k)
    z = np.abs(means - means[place]) / error
    p_values = np.minimum(1.0, 2 * (k - 1) * normal_tail(z))
    p_values[place] = 1.0
    critical = normal_quantile(1 - (1 - confidence) / (2 * (k - 1))) * error
    facts = (float(z.max()), float(p_values.min()), (_INDEPENDENT, _SAME_SPREAD), _flags(n), None)
    return RankTest("Bonferroni-Dunn", _effect(ranks, confidence), *facts, means, critical, p_values)


def rank_differences(table: Features, control: int | None = None, *, better: Better = "higher") -> RankDifferences:
    """z and raw p of every pair of models, or of every other model less the control, for `holm` and the like.

    table:   a row a data set, a column a model
    control: the column that the others are held against; all pairs unless said
    better:  "higher" or "lower": which figures get the rank 1

    >>> r = rank_differences([[0.9, 0.8, 0.7], [0.8, 0.7, 0.6], [0.7, 0.8, 0.6], [0.9, 0.8, 0.5]], control=0)
    >>> r.pairs, r.z.round(3).tolist()  # .5 and 1.75 over sqrt(12 / 24)
    (((1, 0), (2, 0)), [0.707, 2.475])
    """
    ranks = _ranks(table, better)
    n, k = ranks.shape
    if control is None:
        pairs = tuple(combinations(range(k), 2))
    else:
        place = _column(control, k)
        pairs = tuple((i, place) for i in range(k) if i != place)
    means = ranks.mean(axis=0)
    z = np.array([means[i] - means[j] for i, j in pairs]) / _error(n, k)
    return RankDifferences(pairs, means, z, np.minimum(1.0, 2 * normal_tail(np.abs(z))))


def _ranks(table: Features, better: str) -> Array:
    """Ranks within each data set, 1 for the best."""
    refuse_unknown("direction", better, ("higher", "lower"))
    x = checked_numbers(table, "table", dimensions=2)
    if x.shape[1] < 2:
        raise InputError("bad_shape", f"table has shape {x.shape}", cure="give one column a model, two or more")
    x = -x if better == "higher" else x
    return np.stack([tied_ranks(row, 1e-13 * float(np.abs(row).max())) for row in x])


def _error(n: int, k: int) -> float:
    """The standard error of a difference of two average ranks."""
    return math.sqrt(k * (k + 1) / (6 * n))


def _column(control: int, k: int) -> int:
    if not (isinstance(control, int | np.integer) and -k <= control < k):
        raise InputError("bad_option", f"control={control!r}", cure=f"give the column of a model, from 0 to {k - 1}")
    return int(control) % k


def _flags(n: int) -> tuple[str, ...]:
    return ("few_data_sets",) if n < FEW_DATA_SETS else ()


def _effect(ranks: Array, confidence: float) -> Estimate:
    n, k = ranks.shape
    if k > 2:
        return no_effect("a test of all models at once has no single difference", confidence=confidence, n=n)
    behind, ahead = float((ranks[:, 0] > ranks[:, 1]).sum()), float((ranks[:, 0] < ranks[:, 1]).sum())
    return share_difference(behind, ahead, n, confidence, "difference of average ranks")
