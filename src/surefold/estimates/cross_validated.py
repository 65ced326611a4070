"""From the values of folds, or the losses of held-out rows, to an estimate of how a learner does on new rows.

Folds share training rows, so their values are not independent and s/√K is too small a standard error. What is here
instead, and what the books print:

- `corrected_interval`: Nadeau and Bengio's variance, (1/J + test/train) s², with t on folds - 1 degrees of freedom;
- `nested_interval`: Bates, Hastie and Tibshirani's nested cross-validation, which measures the error of the estimate;
- `leave_pair_out_auc`: the area of pairs that were each left out together;
- `naive_interval`, flagged, and `repeated`: the textbooks' figures.

Pure functions of numbers. NaN is refused: a figure over folds needs every fold.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefold.errors import InputError, refuse_unknown, show
from surefold.estimates.auc import AucMoments, few_of_a_class
from surefold.estimates.estimate import Estimate
from surefold.estimates.mean import Distribution, checked_values, mean_interval, scaled_variance
from surefold.estimates.one_row import beta_interval, effective_rows
from surefold.estimates.quantiles import checked_confidence, normal_quantile, t_quantile
from surefold.estimates.share_intervals import few, share_interval

__all__ = [
    "Repeats",
    "corrected_interval",
    "leave_pair_out_auc",
    "naive_interval",
    "nested_interval",
    "repeated",
    "split_sizes",
]

Array = NDArray[np.float64]
Limits = tuple[float, float]
Shape = Literal["t", "one_row"]
_UNIT = (0.0, 1.0)

#: One repeat of no more folds than this is told of; leave-one-out has no other shuffle.
FEW_FOLDS = 20


def naive_interval(
    values: ArrayLike, distribution: Distribution = "t", ddof: int = 1, confidence: float = 0.95
) -> Estimate:
    """The mean over folds as the books print it, taking folds as independent: too narrow, and flagged `naive_folds`.

    >>> e = naive_interval([8 / 30, 4 / 30, 7 / 30, 11 / 30, 5 / 30])
    >>> print(e, e.flags)
    0.23 [0.12, 0.35] ('naive_folds',)
    """
    found = mean_interval(values, distribution, ddof, confidence)
    return replace(found, flags=("naive_folds", *found.flags))


@dataclass(frozen=True, eq=False)
class Repeats:
    """Cross-validation done several times: mean and variance over the folds of each, and what those do over repeats."""

    means: Array
    variances: Array
    ddof: int = 1

    @property
    def mean(self) -> float:
        """Mean over repeats of the mean over folds."""
        return float(self.means.mean())

    @property
    def mean_variance(self) -> float:
        """Mean over repeats of the variance over folds."""
        return float(self.variances.mean())

    @property
    def variance_of_means(self) -> float:
        """How much the mean moves from one shuffle to the next; NaN of one repeat with ddof 1."""
        return scaled_variance(self.means, self.ddof)

    @property
    def variance_of_variances(self) -> float:
        """How much the variances of the repeats differ among themselves."""
        return scaled_variance(self.variances, self.ddof)


def repeated(values_by_repeat: Sequence[ArrayLike], *, ddof: int = 1) -> Repeats:
    """Mean and variance of every repeat; repeats may have different numbers of folds.

    >>> r = repeated([[0.1, 0.3], [0.2, 0.4]])
    >>> round(r.mean, 3), round(r.mean_variance, 3), round(r.variance_of_means, 3), r.variance_of_variances < 1e-12
    (0.25, 0.02, 0.005, True)
    """
    rows = [checked_values(values, f"values of repeat {i}") for i, values in enumerate(values_by_repeat, start=1)]
    if not rows:
        raise InputError("no_rows", "values_by_repeat is empty", cure="give the values of at least one repeat")
    return Repeats(np.array([x.mean() for x in rows]), np.array([scaled_variance(x, ddof) for x in rows]), ddof)


def corrected_interval(
    values: ArrayLike,
    n_train: ArrayLike,
    n_test: ArrayLike,
    *,
    folds: int | None = None,
    df: float | None = None,
    limits: Limits = _UNIT,
    shape: Shape = "t",
    hidden: float = 0.0,
    confidence: float = 0.95,
) -> Estimate:
    """Mean over J splits, ± t x √((1/J + test/train) s²): Nadeau and Bengio's correction for shared training rows.

    `values` of all repeats in one list, `folds` how many of them a repeat has (all, if not said). t has folds - 1
    degrees of freedom, not J - 1: repeats of the same rows add little (`df` overrides). `n_train` and `n_test` are the
    rows of a split, or arrays with one number a split, of which the mean ratio is used. Bounds stay within `limits`.

    With three or fewer errors or successes among the rows s² says little; each bound is then at least as far out as
    that of the one-row interval with the same standard error. Equal values say nothing: the bounds are those of the
    exact interval for a share on as many rows, or farther. `method` then is "corrected_widened". `n` is rows tested.

    `hidden` is what the folds' values would vary by besides, were they not stratified: it is added to s². Stratified
    folds all have the shares of classes of these rows, and new rows do not.

    `shape="one_row"` puts the same variance and degrees of freedom into the one-row interval instead: not symmetric
    near the limits, and some 6 % wider.

    >>> errors = [0.2, 0.1, 0.3, 0.2, 0.2]  # s² = .005; (1/5 + 1/4) .005 = .00225; t of 4 d.f. 2.776
    >>> e = corrected_interval(errors, n_train=80, n_test=20, folds=5)
    >>> print(e, round(e.se, 4))
    0.20 [0.07, 0.33] 0.0474
    >>> print(corrected_interval([0.0] * 10, 90, 10))  # no error in 100 rows
    0.000 [0.000, 0.036]
    """
    x, confidence = checked_values(values), checked_confidence(confidence)
    least, greatest = _checked_limits(x, limits)
    ratio, rows = split_sizes(n_train, n_test, len(x))
    folds = len(x) if folds is None else folds
    if df is None and not 2 <= folds <= len(x) and len(x) > 1:
        raise InputError("bad_option", f"folds={folds!r} of {len(x)} values", cure="say how many folds a repeat has")
    df = folds - 1 if df is None else df
    value = min(max(float(x.mean()), least), greatest)
    refuse_unknown("shape", shape, ("t", "one_row"))
    method = f"corrected_{shape}"
    if len(x) == 1:
        reason = "one value has no spread"
        return Estimate(value, math.nan, math.nan, confidence=confidence, method=method, n=rows, reason=reason)
    if not df > 0:
        raise InputError("bad_option", f"df={df!r}", cure="give a number above 0")
    variance = scaled_variance(x) + hidden
    se, tail = math.sqrt((1 / len(x) + ratio) * variance), (1 + confidence) / 2
    reach = normal_quantile(tail) if math.isinf(df) else t_quantile(tail, df)
    bounds = value - reach * se, value + reach * se
    if shape == "one_row" and math.isfinite(greatest - least):
        bounds = _Mean(value, se, rows, (least, greatest), confidence).one_row(reach)
    low, high, flags = _Mean(value, se, rows, (least, greatest), confidence).widened(bounds)
    if (low, high) != (max(bounds[0], least), min(bounds[1], greatest)):
        method = "corrected_widened"
    if folds == len(x) <= FEW_FOLDS:
        flags = ("few_folds", *flags)
    return Estimate(value, low, high, se, confidence, method, rows, flags, df=float(df))


def nested_interval(
    outer: Sequence[Sequence[ArrayLike]],
    inner: Sequence[Sequence[ArrayLike]],
    *,
    limits: Limits = _UNIT,
    confidence: float = 0.95,
) -> Estimate:
    """Bates, Hastie and Tibshirani's nested cross-validation, from the losses of held-out rows.

    `outer[r][k]` are the losses of the rows of fold k of repeat r by the model trained without them; `inner[r][k]` the
    losses of all other rows, each by a model trained without fold k and without the row's own fold. Over all r and k

        a = (mean inner - mean outer)²,  b = var(outer) / rows of the fold,  MSE = mean(a - b) (K - 1)/K

    and the standard error is √MSE, at least that of independent rows, sd(inner)/√n, and at most √K times it. Models
    of the inner folds have (K - 2)/K of the rows; the value is carried on to all of them:

        inner mean - (1 + (K - 2)/K) (inner mean - outer mean)

    The interval is value ± z x standard error, within `limits` and widened with few errors as in
    `corrected_interval`. Few repeats make the standard error itself uncertain; the authors use hundreds.
    """
    confidence = checked_confidence(confidence)
    held, rest, n, k = _nested_losses(outer, inner)
    all_held, all_rest = np.concatenate(held), np.concatenate(rest)
    least, greatest = _checked_limits(np.concatenate([all_held, all_rest]), limits)
    apart = np.array(
        [(b.mean() - a.mean()) ** 2 - scaled_variance(a) / len(a) for a, b in zip(held, rest, strict=True)]
    )
    independent = math.sqrt(scaled_variance(all_rest, 0) / n)
    found = math.sqrt(max(float(apart.mean()), 0.0) * (k - 1) / k)
    se = min(max(found, independent), math.sqrt(k) * independent)
    ahead = all_rest.mean() - (1 + (k - 2) / k) * (all_rest.mean() - all_held.mean())
    value = min(max(float(ahead), least), greatest)
    reach = normal_quantile((1 + confidence) / 2) * se
    low, high, flags = _Mean(value, se, n, (least, greatest), confidence).widened((value - reach, value + reach))
    return Estimate(value, low, high, se, confidence, "nested_cv", n, flags)


def leave_pair_out_auc(
    wins: ArrayLike,
    positive_index: ArrayLike,
    negative_index: ArrayLike,
    n_pos: int,
    n_neg: int,
    *,
    confidence: float = 0.95,
) -> Estimate:
    """The area from pairs of a positive and a negative row, each pair scored by a model trained without both.

    `wins` is 1 where the positive of the pair scored higher, 1/2 where they tied, else 0; the indices say which
    positive (0 to n_pos - 1) and negative a pair is of. The area is the mean of the wins. A row's placement is the mean
    over its pairs, and the interval is the one-row interval of an area with those placements, of the wider
    Clopper-Pearson shape because every pair has a model of its own. Not every pair need be there: rows then count by
    how many of their pairs are, and sampling pairs widens the interval.

    >>> print(leave_pair_out_auc([1, 1, 0.5, 1], [0, 0, 1, 1], [0, 1, 0, 1], 2, 2))
    0.88 [0.16, 0.9999]
    """
    confidence = checked_confidence(confidence)
    won = checked_values(wins, "wins")
    outside = (won < 0) | (won > 1)
    if outside.any():
        raise InputError("bad_option", f"wins holds {won[outside][0]:g}", cure="give 1, 1/2 or 0 a pair")
    auc = float(won.mean())
    m, *of_positives = _placements(won, _indices("positive_index", positive_index, n_pos, len(won)), auc)
    n, *of_negatives = _placements(won, _indices("negative_index", negative_index, n_neg, len(won)), auc)
    spreads, leans = zip(of_positives, of_negatives, strict=True)
    moments = AucMoments(auc, m, n, *spreads, *leans)
    variance = float(moments.delong_variance()) if min(m, n) > 1 else math.nan
    centre, enlarged = moments.one_row()
    low, high = beta_interval(centre, effective_rows(centre, enlarged, _UNIT), auc, _UNIT, confidence)
    flags: tuple[str, ...] = ("degenerate",) if auc in _UNIT else ()
    if few_of_a_class(min(m, n)):
        flags = (*flags, "few_of_a_class")
    rows, se = n_pos + n_neg, math.sqrt(variance)
    return Estimate(auc, float(low), float(high), se, confidence, "one_row", rows, flags, "roc_auc")


def _placements(won: Array, index: NDArray[np.intp], auc: float) -> tuple[float, float, float]:
    """Effective rows of a class, and the spread and lean of its placements as `AucMoments` has them."""
    pairs = np.bincount(index)
    weight = pairs[pairs > 0].astype(float)
    away = np.bincount(index, weights=won)[pairs > 0] / weight - auc
    weight *= weight.sum() / (weight @ weight)  # adds up to the effective rows
    return float(weight.sum()), float(weight**2 @ away**2), float(weight**2 @ away)


def _indices(name: str, index: ArrayLike, size: int, pairs: int) -> NDArray[np.intp]:
    found = np.asarray(index)
    if found.ndim != 1 or len(found) != pairs:
        raise InputError("length_mismatch", f"{name} and wins differ in length", cure="give one index a pair")
    if found.dtype.kind not in "iu" or found.min() < 0 or found.max() >= size:
        raise InputError("bad_option", f"{name} is not from 0 to {size - 1}", cure="count the rows of a class from 0")
    return found.astype(np.intp)


class _Mean(NamedTuple):
    """A mean over splits that tested so many rows, its standard error, and what bounds of it are asked for."""

    value: float
    se: float
    rows: float
    limits: Limits
    confidence: float

    def one_row(self, reach: float) -> Limits:
        """Half a row at either limit, the effective rows of that variance, and fewer of them as t reaches beyond z."""
        value, se, rows, (least, greatest), confidence = self
        centre = (rows * value + (least + greatest) / 2) / (rows + 1)
        added = ((greatest - centre) ** 2 + (centre - least) ** 2) / 2
        effective = effective_rows(centre, ((rows * se) ** 2 + added) / (rows + 1) ** 2, self.limits)
        fewer = (normal_quantile((1 + confidence) / 2) / reach) ** 2
        low, high = beta_interval(centre, effective * fewer, value, self.limits, confidence)
        return min(float(low), value), max(float(high), value)

    def widened(self, bounds: Limits) -> tuple[float, float, tuple[str, ...]]:
        """Bounds within the limits, no nearer than the rows allow where few are wrong or right, or nothing varied.

        Without limits on both sides there is no share; equal values then vary by at least half a row of loss 0.
        """
        value, se, rows, (least, greatest), confidence = self
        low, high = bounds
        flags: tuple[str, ...] = ()
        z = normal_quantile((1 + confidence) / 2)
        if math.isfinite(greatest - least):
            share = (value - least) / (greatest - least)
            is_few = bool(few(share * rows, rows))
            if is_few:
                a, b = self.one_row(z)
                low, high = min(low, a), max(high, b)
            if se == 0:
                ends = share_interval("clopper_pearson", share * rows, rows, confidence)
                a, b = (least + (greatest - least) * float(end) for end in ends)
                low, high = min(low, a), max(high, b)
            flags = ("degenerate",) if share in _UNIT else ("few_errors",) if is_few else ()
        elif se == 0:
            half = abs(value) * math.sqrt(0.5) / (rows + 0.5) * z
            low, high = (value - half, value + half) if half > 0 else (-math.inf, math.inf)
            flags = ("degenerate",)
        return max(low, least), min(high, greatest), flags


def _checked_limits(x: Array, limits: Limits) -> Limits:
    least, greatest = (float(end) for end in limits)
    if not least < greatest:
        raise InputError("bad_option", f"limits={limits!r}", cure="give the least and the greatest possible value")
    slack = 1e-9 * max(1.0, abs(x).max())
    if x.min() < least - slack or x.max() > greatest + slack:
        cure = "give the limits of the measure, such as limits=(-1, 1) or (0, math.inf)"
        raise InputError("bad_option", f"values from {x.min():g} to {x.max():g} pass limits={limits!r}", cure=cure)
    return least, greatest


def split_sizes(n_train: ArrayLike, n_test: ArrayLike, splits: int) -> tuple[float, float]:
    """Mean of test/train over the splits, and how many rows were tested: all, unless there are few splits."""
    train, test = _numbers_of_rows(n_train, "n_train"), _numbers_of_rows(n_test, "n_test")
    for name, sizes in (("n_train", train), ("n_test", test)):
        if sizes.shape not in ((), (splits,)):
            problem = f"{name} has shape {sizes.shape} for {splits} values"
            raise InputError("length_mismatch", problem, cure="give one number, or one a split")
        if not ((sizes >= 1) & (sizes < 2.0**63)).all():
            raise InputError("bad_option", f"{name} has a size below 1, or endless", cure="give the rows of a split")
    tested = float(np.broadcast_to(test, (splits,)).sum())
    return float((test / train).mean()), min(tested, float((train + test).mean()))


def _numbers_of_rows(given: ArrayLike, name: str) -> Array:
    try:
        found = np.asarray(given)
        if found.dtype.kind not in "biufO":
            raise TypeError
        return found.astype(float)
    except (OverflowError, TypeError, ValueError):
        raise InputError("bad_option", f"{name} is {show(given)}", cure="give the rows of a split") from None


def _nested_losses(
    outer: Sequence[Sequence[ArrayLike]], inner: Sequence[Sequence[ArrayLike]]
) -> tuple[list[Array], list[Array], int, int]:
    """Losses of every fold of every repeat, held out and rest; rows; folds of a repeat."""
    cure = "give for every repeat and fold the losses of its rows, and those of all other rows"
    folds = {len(of_repeat) for of_repeat in (*outer, *inner)}
    if len(outer) != len(inner) or len(folds) != 1 or min(folds) < 3:
        raise InputError("bad_shape", "outer and inner are not of the same repeats of 3 or more folds", cure=cure)
    held = [checked_values(x, "outer losses") for of_repeat in outer for x in of_repeat]
    rest = [checked_values(x, "inner losses") for of_repeat in inner for x in of_repeat]
    rows, k = {len(a) + len(b) for a, b in zip(held, rest, strict=True)}, folds.pop()
    wanted = {sum(len(x) for x in held[i : i + k]) for i in range(0, len(held), k)}
    if len(rows) != 1 or rows != wanted:
        raise InputError("bad_shape", "the losses of a fold and of its rest do not add up to the same rows", cure=cure)
    if min(len(x) for x in held) < 2:
        raise InputError("bad_option", "a fold has one row, so its losses have no variance", cure="use fewer folds")
    return held, rest, rows.pop(), k
