"""The area under the ROC curve with its interval.

The standard error is DeLong's. The interval is the one-row interval: a positive of weight n/(m + n) and a negative of
weight m/(m + n) are added, each half above and half below everything; on the enlarged data the area c and its variance
v are taken, and the bounds are Beta quantiles with n_e = c(1 - c)/v rows: of the Jeffreys shape, or of the wider
Clopper-Pearson shape where rows come in groups or their weights vary. DeLong's own interval, its logit form,
Newcombe's and the bootstrap are there by name; all of them cover less than they say on skewed or few scores.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from surefold.errors import InputError, refuse_unknown
from surefold.estimates.estimate import Estimate
from surefold.estimates.one_row import beta_interval, effective_rows
from surefold.estimates.quantiles import checked_confidence, normal_quantile
from surefold.estimates.score_draws import auc_replicates, drawn_bounds
from surefold.inputs.predictions import Predictions
from surefold.measures.ranking import gini, roc_auc
from surefold.measures.score_measure import Line, Moved
from surefold.tallies.score_groups import ScoreGroups

__all__ = [
    "AUC_METHODS",
    "AucMoments",
    "auc_estimate",
    "auc_replicates",
    "delong",
    "enlarged_groups",
    "few_of_a_class",
    "few_weighted_errors",
    "gini_estimate",
    "half_rows",
    "missing_class",
    "moves_of_rows",
    "newcombe_interval",
    "on_line",
    "undefined",
    "weights_vary",
]

Array = NDArray[np.float64]
Number = Any  # a float, or an array over many samples

AUC_METHODS = ("auto", "one_row", "delong", "logit_delong", "newcombe", "percentile", "bca")
FEW_OF_A_CLASS = 10
FEW_WEIGHTED = 10
_UNIT = (0.0, 1.0)
_BLOCK = 1 << 15


@dataclass(frozen=True, eq=False)
class AucMoments:
    """All that intervals for an area need, in effective rows of each class; fields may be arrays over many samples.

    `spread` is the sum over rows of squared weight times (placement - AUC)^2, `lean` the same with the first power:
    zero unless weights vary.
    """

    auc: Number
    positives: Number
    negatives: Number
    positive_spread: Number
    negative_spread: Number
    positive_lean: Number = 0.0
    negative_lean: Number = 0.0

    @classmethod
    def of(cls, t: ScoreGroups) -> AucMoments:
        """In blocks that stay in the cache: each array is read once."""
        if t.placements is not None:
            return cls(t.auc, t.positives, t.negatives, *np.array(t.placements.spreads))
        squares, auc, sums = t.squares, t.auc, np.zeros((2, 2))
        for start in range(0, len(t.score), _BLOCK):
            block = slice(start, start + _BLOCK)
            places = t.negative[block] * 0.5
            places -= t.fp[block]
            places /= t.negatives
            places += 1 - auc
            sums[0] += _first_and_second(squares[0][block], places)
            places = t.positive[block] * -0.5
            places += t.tp[block]
            places /= t.positives
            places -= auc
            sums[1] += _first_and_second(squares[1][block], places)
        (lean1, spread1), (lean0, spread0) = sums
        if not t.is_weighted:
            return cls(auc, t.positives, t.negatives, spread1, spread0)
        scale1, scale0 = t.positives / squares[0].sum(), t.negatives / squares[1].sum()  # weights become effective rows
        rows = t.positives * scale1, t.negatives * scale0
        return cls(auc, *rows, spread1 * scale1**2, spread0 * scale0**2, lean1 * scale1**2, lean0 * scale0**2)

    def delong_variance(self) -> Number:
        """DeLong's variance: the spread of the placements of each class, with one less row as divisor."""
        m, n = self.positives, self.negatives
        with np.errstate(invalid="ignore", divide="ignore"):
            return self.positive_spread / (m * (m - 1.0)) + self.negative_spread / (n * (n - 1.0))

    def plain_variance(self) -> Number:
        """The sum of squared influence, as for every other measure."""
        return self.positive_spread / self.positives**2 + self.negative_spread / self.negatives**2

    def one_row(self) -> tuple[Number, Number]:
        """The area and its variance with the row added."""
        c, of_positives, of_negatives = self.one_row_parts()
        return c, of_positives + of_negatives

    def one_row_parts(self) -> tuple[Number, Number, Number]:
        """The area with the row added, and what each class puts into its variance."""
        m, n = self.positives, self.negatives
        w1, w0 = n / (m + n), m / (m + n)
        c = (m * n * self.auc + (m * w0 + n * w1 + w0 * w1) / 2) / ((m + w1) * (n + w0))
        first = _class_variance(self.auc, c, (m, n, w1, w0), self.positive_spread, self.positive_lean)
        return c, first, _class_variance(self.auc, c, (n, m, w0, w1), self.negative_spread, self.negative_lean)


def _class_variance(auc: Number, c: Number, sizes: tuple[Number, ...], spread: Number, lean: Number) -> Number:
    """One class's part of the variance; `sizes`: its rows, the other's, the weight added to it, to the other."""
    m, n, w1, w0 = sizes
    shrink, everyone = n / (n + w0), n + w0
    shift = (n * auc + w0 / 2) / everyone - c
    rows = shrink**2 * spread + 2 * shrink * shift * lean + m * shift**2
    added = ((n + 0.75 * w0) / everyone - c) ** 2 + (0.25 * w0 / everyone - c) ** 2
    return (rows + w1 / 2 * added) / (m + w1) ** 2


def _first_and_second(weights: Array, places: Array) -> tuple[float, float]:
    weighted = weights * places
    return float(weighted.sum()), float(weighted @ places)


def enlarged_groups(t: ScoreGroups) -> ScoreGroups:
    """The tally with the added row in it: two more scores, above and below everything.

    `squares` of the added parts equal their weight, as if they were parts of one row. `AucMoments.one_row` is the same
    in closed form; other measures of the tally read it from here.
    """
    (positive2, negative2), ((half1, square1), (half0, square0)) = t.squares, half_rows(t)

    def around(middle: Array, end: float) -> Array:
        return np.concatenate([[end], middle, [end]])

    return ScoreGroups(
        np.concatenate([[np.inf], t.score, [-np.inf]]),
        around(t.positive, half1),
        around(t.negative, half0),
        around(positive2, square1),
        around(negative2, square0),
        t.quantised,
    )


def half_rows(t: ScoreGroups) -> tuple[tuple[float, float], tuple[float, float]]:
    """What the added row puts at either end of the scores: weight and squared weight of positives, then negatives."""
    per_row = [q / w for w, q in zip((t.positives, t.negatives), t.squared_weights, strict=True)]  # of an effective row
    m, n = t.positives / per_row[0], t.negatives / per_row[1]
    first, second = n / (m + n) / 2, m / (m + n) / 2
    return (first * per_row[0], first * per_row[0] ** 2), (second * per_row[1], second * per_row[1] ** 2)


def newcombe_interval(auc: Number, m: Number, n: Number, confidence: float) -> tuple[Array, Array]:
    """Newcombe's method 5: the areas whose own standard error puts the one seen z of them away.

    The variance at an area A is A(1 - A)/(mn) (1 + ((m + n)/2 - 1) ((1 - A)/(2 - A) + A/(1 + A))).
    """
    z2 = normal_quantile((1 + confidence) / 2) ** 2
    auc, m, n = np.broadcast_arrays(*(np.asarray(x, dtype=float) for x in (auc, m, n)))
    middle = np.maximum((m + n) / 2 - 1, 0.0)

    def too_far(a: Array) -> NDArray[np.bool_]:
        variance = a * (1 - a) / (m * n) * (1 + middle * ((1 - a) / (2 - a) + a / (1 + a)))
        return np.asarray((auc - a) ** 2 > z2 * variance)

    bounds = []
    for end in (0.0, 1.0):
        outside, inside = np.full(auc.shape, end), auc.copy()
        for _ in range(60):
            half = (outside + inside) / 2
            far = too_far(half)
            outside, inside = np.where(far, half, outside), np.where(far, inside, half)
        bounds.append(np.where(auc == end, end, inside))
    return bounds[0], bounds[1]


def missing_class(t: ScoreGroups) -> str:
    """Why nothing about order can be said, or nothing."""
    if t.positives > 0 and t.negatives > 0:
        return ""
    if t.total == 0:
        return "there are no rows"
    return f"needs both classes, and no row is {'positive' if t.positives == 0 else 'negative'}"


def undefined(name: str, reason: str, confidence: float, n: float) -> Estimate:
    """No value and no interval, and why."""
    return Estimate(np.nan, np.nan, np.nan, confidence=confidence, method="one_row", n=n, name=name, reason=reason)


def few_of_a_class(rows: float) -> bool:
    """Whether a class with so many (effective) rows is too small to trust its interval."""
    return rows < FEW_OF_A_CLASS - 1e-9


def weights_vary(t: ScoreGroups) -> bool:
    """Whether rows of one class weigh differently."""
    if not t.is_weighted:
        return False
    pairs = ((x[x > 0], x2[x > 0]) for x, x2 in zip((t.positive, t.negative), t.squares, strict=True))
    return any(np.ptp(x2 / x) > 1e-9 * x2.max() / x.max() for x, x2 in pairs if len(x))


def few_weighted_errors(t: ScoreGroups) -> bool:
    """Whether, where weights vary, what is won or lost in either class rests on fewer than ten rows' worth of weight.

    A row of either class wins a share of its pairs, its placement, and loses the rest. Heavy rows that lose, and were
    not drawn, cannot be seen; few of them is what says so.
    """
    if not weights_vary(t):
        return False
    worth = []
    for sums, squares, slopes in zip((t.positive, t.negative), t.squares, roc_auc.moved(t), strict=True):
        place = np.clip(slopes * sums.sum() + t.auc, 0.0, 1.0)
        for share in (place, 1 - place):
            spread = float(squares @ share**2)
            worth.append(float(sums @ share) ** 2 / spread if spread > 0 else 0.0)
    return min(worth) < FEW_WEIGHTED - 1e-9


def auc_estimate(
    t: ScoreGroups,
    *,
    confidence: float = 0.95,
    method: str = "auto",
    design_effect: float = 1.0,
    group_factor: float = 1.0,
    draws: int = 10_000,
    random_state: int | np.random.Generator | None = None,
) -> Estimate:
    """The area under the ROC curve with its interval.

    `design_effect` (cluster-robust over plain variance) and `group_factor` ((z/t)^2) allow for rows in groups; see
    `row_influence.grouping`. DeLong's interval has no width where classes do not overlap; then Newcombe's is given,
    and `method` says so.

    >>> t = ScoreGroups.of(np.array([0.9, 0.8, 0.8, 0.8, 0.1]), np.array([True, False, True, True, False]))
    >>> e = auc_estimate(t)
    >>> print(e, e.flags)
    0.83 [0.30, 0.98] ('few_of_a_class',)
    """
    confidence = checked_confidence(confidence)
    refuse_unknown("interval for an area", method, AUC_METHODS)
    method = "one_row" if method == "auto" else method
    reason = missing_class(t)
    if reason:
        return undefined("roc_auc", reason, confidence, t.total)
    moments = AucMoments.of(t)
    variance = float(moments.delong_variance()) * design_effect
    se = math.sqrt(variance) if variance >= 0 else math.nan  # one row of a class has no spread
    if method in ("delong", "logit_delong") and not (se > 0 and 0 < t.auc < 1):
        method = "newcombe"
    drawn = auc_replicates(t, draws, random_state) if method in ("percentile", "bca") else None
    low, high = _bounds(t, moments, se, confidence, method, design_effect, group_factor, drawn)
    cautious, _ = _bounds(t, moments, se, 0.5, method, design_effect, group_factor, drawn)
    flags = ["degenerate"] if t.auc in (0.0, 1.0) else []
    if few_of_a_class(min(moments.positives, moments.negatives)):
        flags.append("few_of_a_class")
    if few_weighted_errors(t):
        flags.append("few_weighted_errors")
    if method != "one_row":
        flags.append("known_to_mislead")
    if drawn is not None and np.isnan(drawn).any():
        flags.append("undefined_replicates")
    n = t.total if not t.is_weighted else t.total**2 / sum(t.squared_weights)
    facts = (se, confidence, method, n / design_effect, tuple(flags), "roc_auc")
    return Estimate(t.auc, low, high, *facts, pessimistic=cautious)


def _bounds(
    t: ScoreGroups,
    moments: AucMoments,
    se: float,
    confidence: float,
    method: str,
    design_effect: float,
    group_factor: float,
    drawn: Array | None,
) -> tuple[float, float]:
    """The ends of one interval."""
    z = normal_quantile((1 + confidence) / 2) / math.sqrt(group_factor) if group_factor > 0 else math.inf
    if drawn is not None:
        return drawn_bounds(drawn, t.auc, confidence, method, lambda: moves_of_rows(t, roc_auc.moved(t)))
    if method == "delong":
        return max(0.0, t.auc - z * se), min(1.0, t.auc + z * se)
    if method == "logit_delong":
        centre, reach = math.log(t.auc / (1 - t.auc)), z * se / (t.auc * (1 - t.auc))
        return _expit(centre - reach), _expit(centre + reach)
    if method == "newcombe":
        rows = max(group_factor / design_effect, 1e-9)
        low, high = newcombe_interval(t.auc, moments.positives * rows, moments.negatives * rows, confidence)
        return float(low), float(high)
    centre, variance = moments.one_row()
    n = effective_rows(centre, variance, _UNIT) / design_effect * group_factor
    plain = design_effect == group_factor == 1.0 and not weights_vary(t)
    low, high = beta_interval(centre, n, t.auc, _UNIT, confidence, 0.0 if plain else 0.5)
    return float(low), float(high)


def _expit(x: float) -> float:
    return 1 / (1 + math.exp(-x)) if x >= 0 else math.exp(x) / (1 + math.exp(x))


def moves_of_rows(t: ScoreGroups, moved: Moved) -> tuple[Array, Array]:
    """What a row moves a value by, its weight included, and how many such rows there are."""
    each, times = [], []
    for sums, squares, slopes in zip((t.positive, t.negative), t.squares, moved, strict=True):
        held = sums > 0
        each.append(slopes[held] * squares[held] / sums[held])
        times.append(sums[held] ** 2 / squares[held])
    return np.concatenate(each), np.concatenate(times)


def gini_estimate(t: ScoreGroups, **options: Any) -> Estimate:
    """2 AUC - 1 with its interval; options as for `auc_estimate`.

    >>> t = ScoreGroups.of(np.array([0.9, 0.8, 0.8, 0.8, 0.1]), np.array([True, False, True, True, False]))
    >>> print(gini_estimate(t))
    0.67 [−0.41, 0.96]
    """
    return on_line(auc_estimate(t, **options), gini.name, gini.line)


def on_line(e: Estimate, name: str, line: Line | None) -> Estimate:
    """The estimate of a measure that is a line of the one that was estimated, or another name of it."""
    if line is None:
        return replace(e, name=name)
    times, plus = line.times, line.plus
    ends = {end: times * getattr(e, end) + plus for end in ("value", "low", "high", "pessimistic")}
    return replace(e, se=times * e.se, name=name, **ends)


def delong(
    y_true: Any,
    y_score: Any,
    *,
    pos_label: Any = None,
    method: Literal["one_row", "logit", "none"] = "one_row",
    confidence: float = 0.95,
) -> Estimate:
    """The area under the ROC curve with DeLong's standard error.

    The interval is the one-row interval, DeLong's on the logit scale ("logit") or DeLong's as published ("none").

    >>> e = delong([0, 0, 0, 1, 1, 1], [1, 2, 4, 3, 5, 6])
    >>> round(float(e), 4), round(e.se, 4)  # placements 2/3 1 1 and 1 1 2/3: variance 2 (1/27) / 3
    (0.8889, 0.1571)
    """
    known = {"one_row": "one_row", "logit": "logit_delong", "none": "delong"}
    refuse_unknown("method", method, known)
    p = Predictions.of(y_true, y_score=y_score, pos_label=pos_label)
    if p.scores is None or p.positive is None or p.scores.ndim != 1:
        cure = "give one score a row and say pos_label="
        raise InputError("positive_class_unknown", "an area needs a positive class and its scores", cure=cure)
    return auc_estimate(ScoreGroups.of_predictions(p), confidence=confidence, method=known[method])
