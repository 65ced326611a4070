"""The ROC curve: share of the positives found over share of the negatives called positive."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from surefold.curves.costs import TwoClassCosts
from surefold.curves.curve import Array, Curve, called_at, one_of, share_of_one, upper_hull
from surefold.errors import InputError, UnknownNameError
from surefold.tallies.ratio import ratio
from surefold.tallies.score_groups import ScoreGroups

if TYPE_CHECKING:
    from surefold.estimates.estimate import Estimate

__all__ = ["Roc", "RocHull", "RocPoint", "RunningRow", "running_table"]


@dataclass(frozen=True)
class Place:
    """A place of a ROC curve that was asked for by one of its rates, which is `given` under the name it went by."""

    tally: ScoreGroups = field(repr=False)
    given: str
    value: float

    @property
    def told(self) -> str:
        """The rate that was given, in words."""
        return f"{_RATES.get(self.given, self.given)} {self.value:g}"

    @property
    def asked(self) -> str:
        """What the rate is called that was not given."""
        return _OTHERS[self.given]


#: How rates are said, and what the other one is called beside it.
_RATES = {"fpr": "FPR", "tpr": "TPR"}
_OTHERS = {"fpr": "TPR", "tpr": "FPR", "specificity": "sensitivity", "sensitivity": "specificity"}


def _given(*rates: float | None) -> float:
    """The rate that is there."""
    return next(float(rate) for rate in rates if rate is not None)


@dataclass(frozen=True)
class RocPoint:
    """One place on a ROC curve and the counts there.

    `between` says that no threshold gives this very point: it lies on the line between two of them, where rows that tie
    are called positive with some chance. `threshold` is then the stricter neighbour for a given FPR (which keeps it)
    and the laxer one for a given TPR (which reaches it).
    """

    threshold: float
    tp: float
    fp: float
    tn: float
    fn: float
    between: bool = False
    place: Place | None = field(default=None, repr=False, compare=False)

    def __str__(self) -> str:
        if self.place is None:
            return f"TPR {self.tpr:.3f} and FPR {self.fpr:.3f} at threshold {self.threshold:g}"
        return f"{self.place.asked} {self.interval()} at {self.place.told}, threshold {self.threshold:g}"

    def interval(self, confidence: float = 0.95) -> Estimate:
        """The rate that was not given, with its interval, where a rate was asked for: `roc.at(specificity=0.9)`."""
        from surefold.estimates.operating import rate_there

        return rate_there(self.place, confidence)

    @property
    def tpr(self) -> float:
        """The share of positives that are called: recall."""
        return float(ratio(self.tp, self.tp + self.fn))

    @property
    def fpr(self) -> float:
        """The share of negatives that are called."""
        return float(ratio(self.fp, self.fp + self.tn))

    @property
    def precision(self) -> float:
        """NaN where nothing is called positive."""
        return float(ratio(self.tp, self.tp + self.fp))

    @property
    def youden(self) -> float:
        """TPR less FPR: 0 for chance, 1 for perfect calls."""
        return self.tpr - self.fpr


@dataclass(frozen=True, eq=False, repr=False)
class Roc(Curve):
    """False-positive rate (x) and true-positive rate (y), one point a distinct score; ties make a slanted line.

    A row is called positive when its score is at or above the threshold.

    >>> roc = Roc.of(ScoreGroups.of(np.array([0.9, 0.8, 0.8, 0.8, 0.1]), np.array([True, False, True, True, False])))
    >>> roc.x.tolist(), roc.y.round(3).tolist(), roc.threshold.tolist()
    ([0.0, 0.0, 0.5, 1.0], [0.0, 0.333, 1.0, 1.0], [inf, 0.9, 0.8, 0.1])
    >>> roc.running_area.round(4).tolist(), round(roc.area, 4)
    ([0.0, 0.0, 0.3333, 0.8333], 0.8333)
    >>> roc.at(threshold=0.8).tp, roc.at(fpr=0.25).tpr
    (3.0, 0.6666666666666666)
    """

    name: ClassVar[str] = "ROC curve"
    x_name: ClassVar[str] = "False-positive rate (share of the negatives)"
    y_name: ClassVar[str] = "True-positive rate (share of the positives)"
    columns: ClassVar[tuple[str, str]] = ("fpr", "tpr")

    @classmethod
    def of(cls, tally: ScoreGroups) -> Roc:
        """The curve of a tally; NaN on an axis whose class has no rows."""
        fp, tp = np.append(0.0, tally.fp), np.append(0.0, tally.tp)
        return cls(ratio(fp, tally.negatives), ratio(tp, tally.positives), np.append(np.inf, tally.score), tally)

    @property
    def fpr(self) -> Array:
        """The false positive rate at each threshold, from 0 to 1."""
        return self.x

    @property
    def tpr(self) -> Array:
        """The true positive rate at each threshold, from 0 to 1."""
        return self.y

    # numbers

    @cached_property
    def auc(self) -> Estimate:
        """The area with its interval."""
        from surefold.estimates.auc import auc_estimate

        return auc_estimate(self.tally)

    def partial_area(
        self,
        fpr: tuple[float, float] | None = None,
        tpr: tuple[float, float] | None = None,
        mcclish: bool = False,
        confidence: float = 0.95,
    ) -> Estimate:
        """The area over a range of FPR, or (of 1 - FPR) over a range of TPR, with its interval."""
        from surefold.estimates.partial_auc import partial_auc

        return partial_auc(self.tally, fpr=fpr, tpr=tpr, mcclish=mcclish, confidence=confidence)

    @property
    def ks(self) -> float:
        """Kolmogorov-Smirnov: the greatest distance between the two classes' shares called positive."""
        return float(np.abs(self.y - self.x).max())

    # places

    def at(
        self,
        *,
        threshold: float | None = None,
        fpr: float | None = None,
        tpr: float | None = None,
        specificity: float | None = None,
        sensitivity: float | None = None,
        strict: bool = False,
    ) -> RocPoint:
        """The point at a threshold, or where the curve has that FPR (or specificity) or TPR (or sensitivity).

        Where a rate is given, the point has the other one with an interval: `roc.at(specificity=0.9).interval()`.
        A row counts as called when its score is >= the threshold; `strict=True` wants it above. Where the curve is
        upright over an FPR the point is the highest there; where it is level, the leftmost.
        """
        asked = one_of(threshold=threshold, fpr=fpr, tpr=tpr, specificity=specificity, sensitivity=sensitivity)
        if threshold is not None:
            called = called_at(self.tally, threshold, strict)
            return self._point(*self._counts(called), float(threshold))
        if strict:
            raise InputError("bad_option", f"strict=True with {asked}=", cure="strict= goes with threshold= alone")
        place = Place(self.tally, asked, _given(fpr, tpr, specificity, sensitivity))
        fpr = fpr if specificity is None else 1 - share_of_one("specificity", specificity)
        tpr = tpr if sensitivity is None else share_of_one("sensitivity", sensitivity)
        if fpr is not None:
            places = _bracket(self.tally.fp, share_of_one("fpr", fpr) * self.tally.negatives, last=True)
            return replace(self._mixed(places, fpr * self.tally.negatives, self.tally.fp, keeps="low"), place=place)
        assert tpr is not None
        places = _bracket(self.tally.tp, share_of_one("tpr", tpr) * self.tally.positives, last=False)
        return replace(self._mixed(places, tpr * self.tally.positives, self.tally.tp, keeps="high"), place=place)

    def at_random(self, rate: float) -> RocPoint:
        """What calling rows positive at random with this chance gives on average: the point (rate, rate)."""
        rate = share_of_one("rate", rate)
        return self._point(rate * self.tally.positives, rate * self.tally.negatives, np.nan, between=True)

    def best(
        self,
        by: Literal["youden", "closest", "cost"] = "youden",
        costs: Any = None,
        prevalence: float | None = None,
    ) -> RocPoint:
        """The threshold with the greatest TPR - FPR, nearest to the corner (0, 1), or with the least expected cost.

        Of equally good ones the highest threshold. The figures there are optimistic: the same rows chose it.
        `costs` as in `TwoClassCosts.of`; `prevalence` replaces the share of positives in these rows.
        """
        if by == "youden":
            badness = self.x - self.y
        elif by == "closest":
            badness = self.x**2 + (1 - self.y) ** 2
        elif by == "cost":
            share = float(ratio(self.tally.positives, self.tally.total)) if prevalence is None else prevalence
            badness = TwoClassCosts.of(costs).expected(self.x, self.y, share)
        else:
            raise UnknownNameError("way to choose a threshold", by, ("youden", "closest", "cost"))
        if np.isnan(badness).all():
            problem = "the ROC curve is undefined: one of the classes has no rows"
            raise InputError("bad_option", problem, cure="choose a threshold on rows of both classes")
        tolerance = 1e-12 * max(1.0, float(np.abs(badness).max()))
        place = int(np.argmax(badness <= badness.min() + tolerance))
        threshold = float(self.threshold[place])
        return self._point(*self._counts(called_at(self.tally, threshold)), threshold)

    # other curves

    @cached_property
    def hull(self) -> RocHull:
        """The convex hull: what mixing thresholds at random can reach."""
        corners = upper_hull(self.x, self.y) if not np.isnan(self.x + self.y).any() else np.arange(len(self))
        return RocHull(self.x[corners], self.y[corners], self.threshold[corners], self.tally)

    @property
    def diagonal(self) -> Curve:
        """Random answers: TPR = FPR, area one half."""
        ends = np.array([0.0, 1.0])
        return Curve(ends, ends, np.array([np.inf, -np.inf]))

    # inside

    def _counts(self, called: int) -> tuple[float, float]:
        t = self.tally
        return (float(t.tp[called - 1]), float(t.fp[called - 1])) if called else (0.0, 0.0)

    def _point(self, tp: float, fp: float, threshold: float, between: bool = False) -> RocPoint:
        t = self.tally
        return RocPoint(threshold, tp, fp, t.negatives - fp, t.positives - tp, between)

    def _mixed(self, places: tuple[int, int], wanted: float, counts: Array, keeps: str) -> RocPoint:
        low, high = places
        thresholds = np.append(np.inf, self.tally.score)
        (tp0, fp0), (tp1, fp1) = self._counts(low), self._counts(high)
        if low == high:
            return self._point(tp0, fp0, float(thresholds[low]))
        start, end = (float(counts[i - 1]) if i else 0.0 for i in (low, high))
        share = (wanted - start) / (end - start)
        threshold = float(thresholds[low if keeps == "low" else high])
        return self._point(tp0 + share * (tp1 - tp0), fp0 + share * (fp1 - fp0), threshold, between=True)

    def _hull_places(self) -> NDArray[np.intp]:
        return upper_hull(self.x, self.y)


class RocHull(Roc):
    """The corners of the convex hull of a ROC curve."""

    name: ClassVar[str] = "ROC hull"


def _bracket(counts: Array, wanted: float, last: bool) -> tuple[int, int]:
    """Numbers of groups called, before and after the running count meets `wanted`; the same number if it is met."""
    if len(counts) == 0 or np.isnan(wanted) or counts[-1] == 0:
        problem = "the ROC curve is undefined: one of the classes has no rows"
        raise InputError("bad_option", problem, cure="ask by threshold=")
    running = np.append(0.0, counts)
    near = np.flatnonzero(np.abs(running - wanted) <= 1e-9 * max(1.0, counts[-1]))
    if len(near):
        place = int(near[-1] if last else near[0])
        return place, place
    high = int(np.searchsorted(running, wanted))
    return high - 1, high


class RunningRow(NamedTuple):
    """A line of the running table."""

    rank: int
    label: Any
    score: float
    share: float


def running_table(y: Sequence[Any], scores: Sequence[float], positive: Any = 1) -> list[RunningRow]:
    """Rows by falling score, ties in the order given, with the share of positives so far; for small tables.

    >>> for row in running_table([1, 0, 1], [0.9, 0.8, 0.3]):
    ...     print(row.rank, row.label, row.score, round(row.share, 3))
    1 1 0.9 1.0
    2 0 0.8 0.5
    3 1 0.3 0.667
    """
    if len(y) != len(scores):
        cure = "give one score for each label"
        raise InputError("length_mismatch", f"y has {len(y):,} rows and scores has {len(scores):,}", cure=cure)
    order = np.argsort(-np.asarray(scores, dtype=float), kind="stable")
    rows, found = [], 0
    for rank, i in enumerate(order.tolist(), start=1):
        found += bool(y[i] == positive)
        rows.append(RunningRow(rank, y[i], float(scores[i]), found / rank))
    return rows
