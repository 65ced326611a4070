"""Bands around curves: where the population's curve lies, at one place or all of it at once.

The simultaneous ROC band takes at every threshold the Clopper-Pearson intervals of FPR and of TPR, at a local level
that makes all intervals of one class hold together, and is the union of their rectangles, joined along ties. Class
levels at confidence .95: .65 for the larger class, .95 - .3 sqrt(r) for the smaller, r being smaller over larger.
They may lie below .95 because a curve that leaves one rectangle mostly passes through the next. At another
confidence C the larger class gets q = .65 ^ sqrt(log C / log .95) (.65 at .95, .83 at .99, .54 at .90) and the
smaller one C - (C - q) sqrt(r).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefold.curves.curve import Curve, Kind
from surefold.curves.decision import Decision, counts_at
from surefold.curves.gains import Gains, Lift
from surefold.curves.precision_recall import PrecisionRecall
from surefold.curves.roc import Roc
from surefold.errors import InputError, refuse_unknown
from surefold.estimates.local_levels import local_tail
from surefold.estimates.quantiles import checked_confidence, normal_quantile
from surefold.estimates.share_intervals import share_interval
from surefold.tallies.ratio import ratio
from surefold.tallies.score_groups import ScoreGroups

__all__ = ["Band", "band_of", "class_levels", "effective_rows", "tpr_bounds"]

Array = NDArray[np.float64]

#: A band has at most so many points; a longer curve is thinned.
MOST = 2048
#: FPRs at which a pointwise band is made besides those of the curve: with few negatives much happens between these.
BETWEEN = np.linspace(0, 1, 513)
#: Up to so many rows, the intervals of all counts are made once and kept.
TABLE = 5000


@dataclass(frozen=True, eq=False)
class Band:
    """A lower and an upper line, each with its own x.

    >>> band = Roc.of(ScoreGroups.of(np.arange(8.0), np.arange(8) % 4 > 1)).band(kind="simultaneous")
    >>> band
    Band(95% simultaneous, clopper_pearson rectangles)
    >>> bool(band.holds(0.5, 0.75)), [round(float(v), 3) for v in band.at(0.0)]
    (True, [0.0, 0.888])
    """

    low_x: Array = field(repr=False)
    low_y: Array = field(repr=False)
    high_x: Array = field(repr=False)
    high_y: Array = field(repr=False)
    confidence: float
    kind: Kind
    method: str
    flags: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"Band({self.confidence:.0%} {self.kind}, {self.method})"

    def at(self, x: ArrayLike) -> tuple[Array, Array]:
        """Low and high at x; where a line is upright, its lowest and its highest."""
        place = np.asarray(x, dtype=float)
        return _line(self.low_x, self.low_y, place, np.minimum), _line(self.high_x, self.high_y, place, np.maximum)

    def holds(self, x: ArrayLike, y: ArrayLike) -> NDArray[np.bool_]:
        """Whether points lie within the band."""
        low, high = self.at(x)
        y = np.asarray(y, dtype=float)
        return np.asarray((low <= y + 1e-12) & (y <= high + 1e-12))

    @property
    def area(self) -> float:
        """The area of the band; over an x from 0 to 1, its mean width."""
        return float(np.trapezoid(self.high_y, self.high_x) - np.trapezoid(self.low_y, self.low_x))

    @property
    def polygon(self) -> tuple[Array, Array]:
        """Its outline: the upper line forth, the lower line back."""
        return np.concatenate([self.high_x, self.low_x[::-1]]), np.concatenate([self.high_y, self.low_y[::-1]])


def _line(xs: Array, ys: Array, at: Array, choose: np.ufunc) -> Array:
    distinct, first = np.unique(xs, return_index=True)
    at_corner = choose.reduceat(ys, first)
    place = np.minimum(np.searchsorted(distinct, at), len(distinct) - 1)
    return np.where(distinct[place] == at, at_corner[place], np.interp(at, xs, ys))


def band_of(curve: Curve, *, confidence: float = 0.95, kind: Kind = "pointwise") -> Band:
    """The band of a curve; simultaneous for ROC curves only."""
    confidence = checked_confidence(confidence)
    refuse_unknown("kind of band", kind, ("pointwise", "simultaneous"))
    if isinstance(curve, Roc):
        _needs_both_classes(curve.tally)
        return (_simultaneous if kind == "simultaneous" else _at_each_fpr)(curve, confidence)
    if kind == "simultaneous":
        cure = "use kind='pointwise', or the band of the ROC curve of the same scores"
        raise InputError("bad_option", f"there is no simultaneous band of a {curve.name}", cure=cure)
    if isinstance(curve, PrecisionRecall):
        return _of_precision(curve, confidence)
    if isinstance(curve, Gains | Lift):
        return _of_gains(curve, confidence)
    if isinstance(curve, Decision):
        return _of_net_benefit(curve, confidence)
    raise InputError("bad_option", f"there is no band of a {curve.name}", cure="ask for that of the ROC curve")


# ROC


def class_levels(smaller: float, larger: float, confidence: float = 0.95) -> tuple[float, float]:
    """The level at which all intervals of the smaller and of the larger class hold at once.

    >>> class_levels(100, 100)
    (0.65, 0.65)
    >>> [round(level, 3) for level in class_levels(25, 100)]  # .95 - .3 x 1/2
    [0.8, 0.65]
    """
    even = 0.65 ** math.sqrt(math.log(confidence) / math.log(0.95))
    return confidence - (confidence - even) * math.sqrt(smaller / larger), even


def _simultaneous(roc: Roc, confidence: float) -> Band:
    m, n = effective_rows(roc.tally)
    small, large = class_levels(min(m, n), max(m, n), confidence)
    curve = roc.thinned(MOST)
    (f_low, f_high), (t_low, t_high) = (
        _exact(share, rows, local_tail(max(int(rows + 1e-9), 1), level))
        for share, rows, level in ((curve.x, n, small if n < m else large), (curve.y, m, large if n < m else small))
    )
    if curve.dropped:  # steps that were cut are taken outwards, so that the band holds their rectangles too
        cut = np.diff(np.searchsorted(-roc.threshold, -curve.threshold)) > 1
        f_low, t_high = _stepped(f_low, t_high, cut)
        t_low, f_high = _stepped(t_low, f_high, cut)
    return Band(
        np.concatenate([[0.0], f_high]),
        np.concatenate([[0.0], t_low]),
        np.concatenate([f_low, [1.0]]),
        np.concatenate([t_high, [1.0]]),
        confidence,
        "simultaneous",
        "clopper_pearson rectangles",
        _flags(roc.tally),
    )


def _stepped(first: Array, second: Array, cut: NDArray[np.bool_]) -> tuple[Array, Array]:
    """Lines with a corner added between points where some were cut: `second` moves on before `first` does."""
    before = np.where(cut, first[:-1], first[1:])
    return (
        np.append(first[0], np.stack([before, first[1:]], axis=1).ravel()),
        np.append(second[0], np.repeat(second[1:], 2)),
    )


def _at_each_fpr(roc: Roc, confidence: float) -> Band:
    """TPR at a fixed FPR: its own interval and what the curve does over the likely FPRs, margins added in squares.

    The thresholds that may have FPR f in the population are those with k false positives for which k of n is not in
    either tail of binomial(n, f).
    """
    f = np.unique(np.concatenate([roc.thinned(MOST).x, BETWEEN]))
    low, high = tpr_bounds(roc, f, effective_rows(roc.tally), confidence)
    # A ROC curve does not fall, so no bound need either; where one would, the wider side is taken.
    low, high = np.minimum.accumulate(low[::-1])[::-1], np.maximum.accumulate(high)
    return Band(f, low, f, high, confidence, "pointwise", "share intervals along the curve", _flags(roc.tally))


def tpr_bounds(roc: Roc, f: Array, rows: tuple[float, float], confidence: float) -> tuple[Array, Array]:
    """Bounds of TPR at each of these FPRs, where positives and negatives are worth so many rows."""
    m, n = rows
    top, bottom = (_line(roc.x, roc.y, f, choose) for choose in (np.maximum, np.minimum))
    fewest, most = _likely_counts(f, n, (1 - confidence) / 2)
    # Rows that are worth fewer fall between the steps of the curve: then the step beyond is taken.
    steps = effective_rows(roc.tally)[1]
    below = _line(roc.x, roc.y, np.floor(fewest / n * steps + 1e-9) / steps, np.minimum)
    above = _line(roc.x, roc.y, np.minimum(np.ceil(most / n * steps - 1e-9) / steps, 1.0), np.maximum)
    t_low = share_interval("auto", bottom * m, m, confidence)[0]
    t_high = share_interval("auto", top * m, m, confidence)[1]
    low = np.clip(bottom - np.hypot(bottom - below, bottom - t_low), 0, 1)
    return low, np.clip(top + np.hypot(above - top, t_high - top), 0, 1)


def _likely_counts(f: Array, n: float, tail: float) -> tuple[Array, Array]:
    """The fewest and the most of n rows that are in neither tail when each counts with chance f."""
    if n > TABLE:
        spread = -normal_quantile(tail) * np.sqrt(n * f * (1 - f))
        return np.maximum(np.floor(n * f - spread - 1), 0), np.minimum(np.ceil(n * f + spread + 1), n)
    counts = np.arange(int(n + 1e-9) + 1.0)
    low, high = share_interval("clopper_pearson", counts, max(n, counts[-1]), 1 - 2 * tail)
    fewest = np.minimum(np.searchsorted(high, f, side="right"), len(counts) - 1)
    most = np.maximum(np.searchsorted(low, f, side="left") - 1, 0)
    return counts[fewest], np.where(f >= 1, n, counts[most])


def _exact(share: Array, rows: float, tail: float) -> tuple[Array, Array]:
    """Clopper-Pearson intervals of shares of `rows` rows."""
    whole = round(rows)
    counts = share * rows
    if whole <= TABLE and abs(rows - whole) < 1e-9 and np.allclose(counts, np.rint(counts), atol=1e-6):
        low, high = _exact_table(whole, tail)
        places = np.rint(counts).astype(np.intp)
        return low[places], high[places]
    return share_interval("clopper_pearson", counts, rows, 1 - 2 * tail)


@lru_cache(maxsize=16)
def _exact_table(n: int, tail: float) -> tuple[Array, Array]:
    return share_interval("clopper_pearson", np.arange(n + 1), n, 1 - 2 * tail)


# the other curves


def _of_precision(curve: PrecisionRecall, confidence: float) -> Band:
    """The share interval of the precision at each threshold."""
    t, fewer = curve.tally, curve.thinned(MOST)
    positive2, negative2 = t.squares
    called, squares = np.append(0.0, t.tp + t.fp), np.append(0.0, np.cumsum(positive2 + negative2))
    places = len(t.score) - np.searchsorted(t.score[::-1], fewer.threshold, side="left")
    rows = np.where(squares > 0, ratio(called**2, squares), 0.0)[places]
    low, high = share_interval("auto", fewer.y * rows, rows, confidence)
    return Band(fewer.x, low, fewer.x, high, confidence, "pointwise", "share interval at each threshold", _flags(t))


def _of_gains(curve: Gains | Lift, confidence: float) -> Band:
    """The share interval of the positives found at each threshold, the rows called being taken as known."""
    fewer = curve.thinned(MOST)
    rows = effective_rows(curve.tally)[0]
    if isinstance(fewer, Gains):
        x, (low, high) = fewer.x, share_interval("auto", fewer.y * rows, rows, confidence)
    else:
        x, y = fewer.x[1:], fewer.y[1:]  # the first lift is undefined
        low, high = (ratio(bound, x) for bound in share_interval("auto", x * y * rows, rows, confidence))
    method = "share interval at each threshold"
    return Band(x, low, x, high, confidence, "pointwise", method, _flags(curve.tally))


def _of_net_benefit(curve: Decision, confidence: float) -> Band:
    """The shares of true and of false positives among all rows, margins added with their correlation."""
    t = curve.tally
    n = ratio(t.total**2, sum(float(s.sum()) for s in t.squares))
    right, wrong = (ratio(c, t.total) for c in counts_at(t, curve.x))
    price = curve.x / (1 - curve.x)
    (r_low, r_high), (w_low, w_high) = (share_interval("auto", s * n, n, confidence) for s in (right, wrong))
    together = 2 * price * np.sqrt(ratio(right * wrong, np.maximum((1 - right) * (1 - wrong), 1e-300)))
    down, up = right - r_low, price * (w_high - wrong)
    low = curve.y - np.sqrt(down**2 + up**2 + together * down * (w_high - wrong))
    rise, fall = r_high - right, price * (wrong - w_low)
    high = curve.y + np.sqrt(rise**2 + fall**2 + together * rise * (wrong - w_low))
    return Band(curve.x, low, curve.x, high, confidence, "pointwise", "share intervals, margins combined", _flags(t))


def effective_rows(t: ScoreGroups) -> tuple[float, float]:
    """Rows that the positives and the negatives are worth: (sum of weights)^2 / (sum of squared weights)."""
    positive2, negative2 = (float(s.sum()) for s in t.squares)
    return float(ratio(t.positives**2, positive2)), float(ratio(t.negatives**2, negative2))


def _needs_both_classes(t: ScoreGroups) -> None:
    if t.positives == 0 or t.negatives == 0:
        problem = "the ROC curve is undefined: one of the classes has no rows"
        raise InputError("bad_option", problem, cure="ask for a band on rows of both classes")


def _flags(t: ScoreGroups) -> tuple[str, ...]:
    return ("weighted",) if t.is_weighted else ()
