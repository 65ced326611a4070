"""The interval of any measure of a table, on arrays: the one path from a formula to its bounds.

A plain share gets Wilson's interval, or the exact one with three or fewer errors or successes, or above 99 %; F1 and
Jaccard the same, through the share they are a function of; everything else the one-row interval.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefold.errors import InputError
from surefold.estimates.grouping import group_factor
from surefold.estimates.one_row import (
    beta_interval,
    effective_rows,
    one_row_moments,
    one_row_per_class,
    ratio_interval,
    rows_added,
)
from surefold.estimates.quantiles import normal_quantile
from surefold.estimates.sample import Sample
from surefold.estimates.share_intervals import SHARE_METHODS, is_exact, share_interval
from surefold.measures.gradient import gradient, one_vs_rest_gradient
from surefold.measures.measure import Measure
from surefold.tallies.confusion import Table
from surefold.tallies.margins import Margins, OneVsRest
from surefold.tallies.ratio import ratio
from surefold.tallies.sparse import SparseCounts

__all__ = [
    "TABLE_METHODS",
    "Intervals",
    "bad_end",
    "cell_weights",
    "enlarged_moments",
    "standard_error",
    "table_intervals",
]

Array = NDArray[Any]

#: Methods that need no draws, besides those for a share.
TABLE_METHODS = ("one_row", "delta")


@dataclass(frozen=True, eq=False)
class Intervals:
    """Bounds of one measure: a number each for a table, an array over the classes for a per-class measure.

    `n` is the effective number of rows: fewer than the rows where weights vary or rows come in groups; `groups` how
    many groups of one size the measure rests on.
    """

    value: Array
    low: Array
    high: Array
    se: Array
    n: Array
    pessimistic: Array
    method: Array
    limits: tuple[float, float]
    groups: Array
    undefined_share: Array | None = None


def table_intervals(measure: Measure, sample: Sample, confidence: float, method: str = "auto") -> Intervals:
    """Value, interval and standard error of a measure, with effective rows for weights and groups."""
    margins = sample.margins(cell_weights(measure, sample))
    limits = measure.limits(margins)
    method = "clopper_pearson" if method == "exact" else method
    if method == "auto":
        method = "auto" if measure.is_share else "one_row"
    if method in SHARE_METHODS and not measure.is_share:
        cure = "use method='one_row', 'delta', 'percentile', 'basic' or 'bca'"
        raise InputError("bad_option", f"{method} is an interval for shares, and {measure.name} is none", cure=cure)
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        if method == "delta":
            return _delta(measure, sample, margins, limits, confidence)
        if method == "one_row":
            return _one_row(measure, sample, margins, limits, confidence)
        return _share(measure, sample, limits, confidence, method)


def cell_weights(measure: Measure, sample: Sample) -> NDArray[np.float64] | None:
    """The k x k weights a measure puts on kinds of error, if it does and the table is held whole."""
    if measure.weigh is None or measure.needs_options or not isinstance(sample.table.counts, np.ndarray):
        return None
    return measure.weigh(sample.classes, measure.settings)


def _share(measure: Measure, sample: Sample, limits: tuple[float, float], confidence: float, method: str) -> Intervals:
    top, bottom = measure.shares(sample.one_vs_rest if measure.is_per_class else sample.margins())
    share = ratio(top, bottom)
    n = np.asarray(bottom, dtype=float)
    variance = ratio(share * (1 - share), n)
    unequal = np.zeros(np.shape(share), dtype=bool)
    if sample.squares is not sample.table:
        # A share's parts are sums of cells, so the squared weights add up the same way.
        top2, bottom2 = measure.shares(sample.squared_one_vs_rest if measure.is_per_class else sample.squared_margins)
        variance = ratio(top2 * (1 - share) ** 2 + (bottom2 - top2) * share**2, bottom * bottom)
        n = np.where(bottom > 0, _weighted_rows(top, bottom, top2, bottom2), 0.0)
        unequal = (abs(top2 - top) > 1e-9 * bottom) | (abs(bottom2 - bottom) > 1e-9 * bottom)
    grouped = _grouping(measure, sample)
    effect = grouped.effect
    variance = variance * effect
    n_effective = n / effect * grouped.factor(confidence)
    unequal = unequal | (sample.clusters is not None)
    used = np.where(np.isnan(share), 0.0, share) * n_effective
    exact = is_exact(used, n_effective, confidence) | unequal  # weights that vary leave Wilson short
    low, high = share_interval(method, used, n_effective, confidence)
    if method == "auto" and unequal.any():
        exact_low, exact_high = share_interval("clopper_pearson", used, n_effective, confidence)
        low, high = np.where(unequal, exact_low, low), np.where(unequal, exact_high, high)
    pessimistic = bad_end(measure, *share_interval("wilson", used, n_effective, 0.5))
    se = np.sqrt(variance)
    value = share
    if measure.of_share is not None:
        se = se * np.imag(measure.of_share(share + 1e-20j)) / 1e-20
        value, low, high, pessimistic = (measure.of_share(x) for x in (share, low, high, pessimistic))
    names = np.full(np.shape(share), method, dtype=object)
    if method == "auto":
        names = np.where(exact, "clopper_pearson", "wilson").astype(object)
    return Intervals(
        value, low, high, se, n / effect, pessimistic, names, limits, np.broadcast_to(grouped.fewest, np.shape(value))
    )


def _weighted_rows(top: Array, bottom: Array, top2: Array, bottom2: Array) -> Array:
    """How many plain rows weighted ones are worth for a share: those of the same variance, with one row added.

    The added row, half a success, keeps the variance from vanishing where all rows agree. Equal weights give the
    rows themselves. Kish's (sum w)^2 / (sum w^2) would miss weights that go with the class or with being right.
    """
    q = (top + 0.5) / (bottom + 1)
    variance = ((top2 + 0.5) * (1 - q) ** 2 + (bottom2 - top2 + 0.5) * q**2) / (bottom + 1) ** 2
    return np.asarray(np.maximum(q * (1 - q) / variance - 1, 0.0))


def _one_row(
    measure: Measure, sample: Sample, margins: Margins, limits: tuple[float, float], confidence: float
) -> Intervals:
    value = measure(sample.one_vs_rest if measure.is_per_class else margins)
    grouped = _grouping(measure, sample)
    effect, levels = grouped.effect, np.array([confidence, 0.5]).reshape(2, *[1] * value.ndim)
    factor = grouped.factor(levels)

    def bounds(rows: float) -> tuple[Array, Array]:
        """At both levels."""
        centre, variance = _one_row_moments(measure, sample, effect, rows)
        if measure.is_ratio:
            return ratio_interval(centre, np.where(factor > 0, variance / factor, np.inf), value, levels)
        if limits[0] == limits[1]:
            return np.full((2, *centre.shape), limits[0]), np.full((2, *centre.shape), limits[1])
        return beta_interval(centre, effective_rows(centre, variance, limits) * factor, value, limits, levels)

    ends = [bounds(rows) for rows in dict.fromkeys((1.0, rows_added(confidence)))]
    low, high = np.min([low[0] for low, _ in ends], axis=0), np.max([high[0] for _, high in ends], axis=0)
    return Intervals(
        value,
        low,
        high,
        standard_error(measure, sample, margins),
        _rows(measure, margins, value) / effect,
        bad_end(measure, *(end[1] for end in ends[0])),
        np.full(value.shape, "one_row", dtype=object),
        limits,
        np.broadcast_to(grouped.fewest, value.shape),
    )


def enlarged_moments(measure: Measure, sample: Sample) -> tuple[Array, Array, Array]:
    """The measure with one row added, its variance there, allowing for groups, and how many groups decide it."""
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        grouped = _grouping(measure, sample)
        centre, variance = _one_row_moments(measure, sample, grouped.effect, 1.0)
        return centre, variance, np.broadcast_to(grouped.worth, centre.shape)


def _one_row_moments(measure: Measure, sample: Sample, effect: Array, rows: float) -> tuple[Array, Array]:
    """The measure and its variance with rows added to the table of the effective rows.

    Where rows come in groups these are fewer by the design effect, and what is added is one of them: a group where
    whole groups are right or wrong.
    """
    if measure.is_per_class:
        own, squared = sample.one_vs_rest, sample.squared_one_vs_rest
        if sample.clusters is not None:
            own, squared = (_shrunk(t, effect) for t in (own, squared))
        return one_row_per_class(measure, own, squared, rows)[:2]
    margins, every = sample.margins(cell_weights(measure, sample)), effect[..., None]
    if sample.clusters is None:
        return one_row_moments(measure, margins, sample.squares, rows)[:2]
    loss = None if margins.loss is None else margins.loss / effect
    smaller = replace(
        margins, tp=margins.tp / every, actual=margins.actual / every, called=margins.called / every, loss=loss
    )
    counts = sample.squares.counts
    squares = Table(counts * float(1 / effect) if isinstance(counts, SparseCounts) else counts / every[..., None])
    return one_row_moments(measure, smaller, squares, rows)[:2]


def _shrunk(table: OneVsRest, effect: Array) -> OneVsRest:
    return OneVsRest(*(x / effect for x in (table.tp, table.fp, table.fn, table.tn)))


def _delta(
    measure: Measure, sample: Sample, margins: Margins, limits: tuple[float, float], confidence: float
) -> Intervals:
    value = measure(sample.one_vs_rest if measure.is_per_class else margins)
    se, grouped = standard_error(measure, sample, margins), _grouping(measure, sample)
    bounds = []
    for level in (confidence, 0.5):
        factor = grouped.factor(level)
        reach = normal_quantile((1 + level) / 2) * se / np.sqrt(factor)
        if measure.is_ratio:
            bounds.append(_around_the_log(value, reach))
        else:
            bounds.append((np.clip(value - reach, *limits), np.clip(value + reach, *limits)))
    (low, high), cautious = bounds
    n = _rows(measure, margins, value) / _grouping(measure, sample).effect
    names = np.full(value.shape, "delta", dtype=object)
    return Intervals(
        value,
        low,
        high,
        se,
        n,
        bad_end(measure, *cautious),
        names,
        limits,
        np.broadcast_to(grouped.fewest, np.shape(value)),
    )


def _around_the_log(value: Array, reach: Array) -> tuple[Array, Array]:
    """The normal interval of log x, of which the reach is that of x over x; of 0 or infinity it says nothing."""
    known = (value > 0) & np.isfinite(value) & np.isfinite(reach)
    factor = np.where(known, np.exp(np.where(known, reach / value, 0.0)), np.inf)
    return np.where(known, value / factor, 0.0), np.where(known, value * factor, np.inf)


def _rows(measure: Measure, margins: Margins, value: Array) -> Array:
    total = margins.total[..., None] if measure.is_per_class else margins.total
    return np.broadcast_to(np.asarray(total, dtype=float), value.shape)


def standard_error(measure: Measure, sample: Sample, margins: Margins) -> Array:
    """The delta-method standard error on the data themselves."""
    if measure.is_per_class:
        slopes = one_vs_rest_gradient(measure, sample.one_vs_rest)
        variance = (_stacked(sample) * slopes**2).sum(axis=-2)
    else:
        variance = gradient(measure, margins).variance(sample.squares)
    return np.asarray(np.sqrt(variance * _grouping(measure, sample).effect))


def _stacked(sample: Sample) -> Array:
    squares = sample.squared_one_vs_rest
    return np.stack([squares.tp, squares.fp, squares.fn, squares.tn], axis=-2)


class _Grouping(NamedTuple):
    """By how much groups multiply the variance of a measure, and how many groups of one size decide it.

    `fewest`: those of the class that fewest groups hold, among the classes that the measure takes by themselves.
    """

    effect: Array
    worth: Array
    fewest: Array

    def factor(self, confidence: ArrayLike) -> Array:
        """(z/t)^2 with one degree of freedom less than groups: what few groups take off the effective rows."""
        if np.isinf(self.worth).all():
            return np.asarray(1.0)
        return np.asarray(np.vectorize(group_factor, otypes=[float])(self.worth, confidence))


_NO_GROUPS = _Grouping(np.asarray(1.0), np.asarray(np.inf), np.asarray(np.inf))


def _grouping(measure: Measure, sample: Sample) -> _Grouping:
    """Cluster-robust variance over plain variance, at the enlarged table (so that a perfect score has one), >= 1.

    A share rests on the groups in its denominator, by their weight there: where a group has rows of one class only,
    recall knows nothing of the others.
    """
    clusters = sample.clusters
    if clusters is None:
        return _NO_GROUPS
    if measure.is_per_class:
        _, _, slopes = one_row_per_class(measure, sample.one_vs_rest, sample.squared_one_vs_rest)
        plain, cells = (_stacked(sample) * slopes**2).sum(axis=-2), _denominator(measure)
        robust = clusters.one_vs_rest_variance(slopes, cells)
        sides = [clusters.groups_in(side) for side in _SIDES if cells is None or (side & cells).any()]
        fewest = np.min(sides, axis=0)
        worth = fewest if cells is None else clusters.groups_in(cells)
    else:
        margins = sample.margins(cell_weights(measure, sample))
        _, _, whole = one_row_moments(measure, margins, sample.squares)
        plain = whole.variance(sample.squares)
        robust, worth, fewest = clusters.of_table(whole.at(clusters.true, clusters.predicted), measure.is_share)
    effect = ratio(robust, plain)
    return _Grouping(np.asarray(np.where(np.isfinite(effect), np.maximum(effect, 1.0), 1.0)), worth, fewest)


#: Which of tp, fp, fn and tn are rows of the class, and which are not.
_SIDES = np.array([[True, False, True, False], [False, True, False, True]])


def _denominator(measure: Measure) -> NDArray[np.bool_] | None:
    """Which of the cells tp, fp, fn and tn the denominator of a share of each class is the sum of."""
    return np.asarray(measure.shares(OneVsRest(*np.eye(4)))[1] > 0) if measure.is_share else None


def bad_end(measure: Measure, low: Array, high: Array) -> Array:
    """The end of an interval that one would rather not be at."""
    if measure.better == "neither":
        return np.full(np.shape(low), np.nan)
    return low if measure.better == "higher" else high
