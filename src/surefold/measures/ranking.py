"""Measures of order: how well scores put positives above negatives, for two classes and for many.

Those of two classes read a `ScoreGroups`, those of many a `ScoreMatrix`. Ties count half in every area. All are
undefined, never 0 or 0.5, where a class they need has no row.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from surefold.errors import InputError
from surefold.measures.score_measure import Average, Line, Moved, score_measure
from surefold.tallies.class_counts import CountedMatrix
from surefold.tallies.hull import Hull
from surefold.tallies.score_groups import ScoreGroups
from surefold.tallies.score_matrix import ScoreMatrix
from surefold.tallies.walks import Sum, Walk, has_both_classes, usual

__all__ = [
    "average_precision",
    "average_precision_macro",
    "average_precision_weighted",
    "gini",
    "in_top",
    "ks",
    "precision_sums",
    "roc_auc",
    "roc_auc_hand_till",
    "roc_auc_ovo",
    "roc_auc_ovo_weighted",
    "roc_auc_ovr",
    "roc_auc_ovr_weighted",
    "top_k_accuracy",
]

Array = NDArray[np.float64]

BOTH = "needs both classes"
EVERY = "needs rows of every class"
HAND_TILL = "Hand & Till (2001), Machine Learning 45:171-186"


# two classes


def _area_moves(t: ScoreGroups) -> Moved:
    """A positive's is (its placement - AUC) / positives, its placement being the share of negatives below, ties half.

    >>> t = ScoreGroups.of(np.array([3.0, 2.0, 1.0]), np.array([True, False, True]))  # AUC 1/2
    >>> [x.tolist() for x in _area_moves(t)]  # placements 1, 1/2, 0 of a positive; 1/4, 1/2, 3/4 of a negative
    [[0.25, 0.0, -0.25], [-0.25, 0.0, 0.25]]
    """
    of_positive = (t.negatives - t.fp + t.negative / 2) / t.negatives
    of_negative = (t.tp - t.positive / 2) / t.positives
    return Moved((of_positive - t.auc) / t.positives, (of_negative - t.auc) / t.negatives)


@score_measure(
    reads="ranking",
    range=(0.0, 1.0),
    better="higher",
    text="P(score of a positive > score of a negative) + P(equal) / 2",
    undefined=BOTH,
    source="Hanley & McNeil (1982), Radiology 143:29-36",
    aliases=("auc",),
    interval="area",
    moves=_area_moves,
    twin="roc_auc_hand_till",
    monotone=True,
)
def roc_auc(t: ScoreGroups) -> float:
    """Area under the ROC curve: the chance that a positive scores above a negative, ties counting half.

    >>> roc_auc(ScoreGroups.of(np.array([0.9, 0.8, 0.8, 0.1]), np.array([True, True, False, False])))  # (2 + 1.5) / 4
    0.875
    """
    return t.auc


@score_measure(
    reads="ranking",
    range=(-1.0, 1.0),
    better="higher",
    text="2 AUC - 1",
    undefined=BOTH,
    source="Somers (1962), American Sociological Review 27:799-811",
    line=Line(roc_auc, 2.0, -1.0),
    monotone=True,
)
def gini(t: ScoreGroups) -> float:
    """Gini coefficient, also Somers' D: 0 for chance, 1 for perfect order, below 0 for order the wrong way round.

    >>> gini(ScoreGroups.of(np.array([0.9, 0.8, 0.8, 0.1]), np.array([True, True, False, False])))
    0.75
    """
    return 2 * t.auc - 1


def _ks_moves(t: ScoreGroups) -> Moved:
    """The best threshold stays where it is."""
    best = int((t.tp / t.positives - t.fp / t.negatives).argmax())
    called = (np.arange(len(t.score)) <= best).astype(np.float64)
    tpr, fpr = float(t.tp[best] / t.positives), float(t.fp[best] / t.negatives)
    return Moved((called - tpr) / t.positives, (fpr - called) / t.negatives)


@score_measure(
    reads="ranking",
    range=(0.0, 1.0),
    better="higher",
    text="max over thresholds of TPR - FPR",
    undefined=BOTH,
    source="Smirnov (1939), one-sided; Youden (1950), Cancer 3:32-35",
    interval="smirnov",
    moves=_ks_moves,
    monotone=True,
)
def ks(t: ScoreGroups) -> float:
    """Kolmogorov-Smirnov distance: the greatest lead of the true positive rate over the false positive rate.

    One-sided, because the direction of scores is never flipped: scores the wrong way round have 0.

    >>> ks(ScoreGroups.of(np.array([0.9, 0.8, 0.8, 0.1]), np.array([True, True, False, False])))  # 1 - 1/2 at .8
    0.5
    """
    if t.positives == 0 or t.negatives == 0:
        return np.nan
    hull = Hull.of(t)  # the lead is greatest at a corner
    return max(0.0, float((hull.tp / t.positives - hull.fp / t.negatives).max()))


def _precision_moves(t: ScoreGroups) -> Moved:
    """A row changes the precision at its own score and at every lower one; a positive also adds its own precision."""
    called = np.where(t.tp + t.fp > 0, t.tp + t.fp, 1.0)
    precision = t.tp / called
    share = t.positive / t.positives
    of_negative = -_from_here(share * t.tp / called**2)
    of_positive = _from_here(share * t.fp / called**2) + (precision - share @ precision) / t.positives
    return Moved(of_positive, of_negative)


def precision_sums(t: ScoreGroups) -> tuple[float, float]:
    """Average precision and its variance: the squares of what `_precision_moves` has, summed in one walk from below.

    A row of weight 1 at a score adds, over the positives from there down, the sum A of tp/called^2, or C of fp/called^2
    and its own precision; both are running sums from below. Squares are taken about a guess of the average precision.
    """
    return PRECISION.of(t)


def _precision_walk(t: ScoreGroups) -> Walk[tuple[float, float]]:
    """Over the positives: between two of them the sums stay, and so do the squares that their negatives add."""
    sample, m = t.sample(), t.positives
    above = [side[::-1].cumsum()[::-1] for side in (sample.positive, sample.negative)]
    rows = above[0] + above[1]
    precise = above[0] / np.where(rows > 0, rows, 1.0)
    guess = float(sample.positive @ precise / max(sample.positive.sum(), 1e-300))
    left = [t.positives, t.negatives]  # from here up
    of_negative = of_positive = lead = first = second = others = squares = 0.0
    while (run := (yield)) is not None:
        at = run.places[0]
        others += of_negative**2 * float(run.negative2[: at[0] if len(at) else None].sum())
        if len(at):
            up, up2 = run.positive.take(at), run.positive2.take(at)
            tp, fp = (whole - below for whole, below in zip(left, run.below_positives(), strict=True))
            called = tp + fp
            if not run.counted and run.labels is None:  # beside a far heavier row a difference of sums may be 0
                called[called <= 0] = 1.0
            share = 1 / called
            precision = tp * share
            lead += float((up * (precision - guess)).sum())
            share *= up
            a, c = np.cumsum(share * precision), np.cumsum(share * (1 - precision))
            a += of_negative
            c += of_positive
            of_negative, of_positive = float(a[-1]), float(c[-1])
            c += precision
            c -= guess
            weighed = c * up2
            first += float(weighed.sum())
            weighed *= c
            second += float(weighed.sum())
            squares += float(up2.sum())
            a *= a
            a *= run.negatives_between
            others += float(a.sum())
        left = [whole - weight for whole, weight in zip(left, run.weight, strict=True)]
    value = guess + lead / m
    off = guess - value
    return value, (second + 2 * off * first + off * off * squares + others) / m**2


PRECISION = usual(Sum("precision", _precision_walk, has_both_classes), shown=True)


def _from_here(values: Array) -> Array:
    return np.asarray(np.cumsum(values[::-1])[::-1])


def _precision_ends(t: ScoreGroups) -> tuple[float, float]:
    """The least and the greatest average precision that scores in these groups can have.

    At least: every negative of a group is above its positives, which all differ: that is less than if they were tied. A
    positive counts with the precision at its own score; with a above it and b in all above it and at it, positives of
    weight p add at least the integral of (a + u) / (b + u) from 0 to p, however the weight is split into rows. At most:
    they are tied above its negatives.
    """
    if not t.positives * t.negatives > 0:
        return np.nan, np.nan
    everything = t.tp - t.positive + t.fp
    grown = np.log1p(t.positive / np.where(everything > 0, everything, 1.0))
    least = float((t.positive - np.where(everything > 0, t.fp * grown, 0.0)).sum() / t.positives)
    called = t.tp + t.fp - t.negative
    most = float((t.positive * t.tp / np.where(called > 0, called, 1.0)).sum() / t.positives)
    return least, most


@score_measure(
    reads="ranking",
    range=(0.0, 1.0),
    better="higher",
    text="sum over distinct scores of (R_k - R_(k-1)) P_k",
    undefined=BOTH,
    source="Buckley & Voorhees (2000), SIGIR; step-wise, no trapezoids",
    aliases=("ap",),
    interval="precision",
    moves=_precision_moves,
    monotone=True,
    ends=_precision_ends,
)
def average_precision(t: ScoreGroups) -> float:
    """Mean precision at the positives: the area under the precision-recall steps.

    >>> average_precision(ScoreGroups.of(np.array([3.0, 2.0, 1.0]), np.array([True, False, True])))  # (1 + 2/3) / 2
    0.8333333333333333
    """
    if t.positives == 0 or t.negatives == 0:
        return np.nan
    return precision_sums(t)[0]


# many classes


OVO = Average(roc_auc, pairs=True, by_rows=False)
OVO_WEIGHTED = Average(roc_auc, pairs=True, by_rows=True)
OVR = Average(roc_auc, pairs=False, by_rows=False)
OVR_WEIGHTED = Average(roc_auc, pairs=False, by_rows=True)
PRECISIONS = Average(average_precision, pairs=False, by_rows=False)
PRECISIONS_WEIGHTED = Average(average_precision, pairs=False, by_rows=True)


@score_measure(
    reads="matrix",
    range=(0.0, 1.0),
    better="higher",
    text="mean over pairs of classes (i, j) of (A(i|j) + A(j|i)) / 2",
    undefined=EVERY,
    source=HAND_TILL,
    aliases=("hand_till",),
    average=OVO,
)
def roc_auc_hand_till(m: ScoreMatrix) -> float:
    """Hand and Till's M: how well two classes are told apart, on average over the pairs; blind to class sizes."""
    return OVO.value(m)


@score_measure(
    reads="matrix",
    range=(0.0, 1.0),
    better="higher",
    text="mean over pairs of classes (i, j) of (A(i|j) + A(j|i)) / 2",
    undefined=EVERY,
    source=HAND_TILL + "; scikit-learn's name for it",
    average=OVO,
)
def roc_auc_ovo(m: ScoreMatrix) -> float:
    """Area under the ROC curve, one class against one, averaged over the pairs: Hand and Till's M."""
    return OVO.value(m)


@score_measure(
    reads="matrix",
    range=(0.0, 1.0),
    better="higher",
    text="mean over pairs of classes of (A(i|j) + A(j|i)) / 2, weighted by the rows of the pair",
    undefined=EVERY,
    source="Ferri, Hernandez-Orallo & Modroiu (2009), Pattern Recognition Letters 30:27-38",
    average=OVO_WEIGHTED,
)
def roc_auc_ovo_weighted(m: ScoreMatrix) -> float:
    """Area under the ROC curve, one class against one, averaged over the pairs by their rows."""
    return OVO_WEIGHTED.value(m)


@score_measure(
    reads="matrix",
    range=(0.0, 1.0),
    better="higher",
    text="mean over classes of the AUC of the class against the rest",
    undefined=EVERY,
    source="Fawcett (2006), Pattern Recognition Letters 27:861-874",
    average=OVR,
)
def roc_auc_ovr(m: ScoreMatrix) -> float:
    """Area under the ROC curve, each class against the rest, averaged over the classes."""
    return OVR.value(m)


@score_measure(
    reads="matrix",
    range=(0.0, 1.0),
    better="higher",
    text="mean over classes of the AUC of the class against the rest, weighted by its rows",
    undefined=EVERY,
    source="Provost & Domingos (2000), CeDER working paper IS-00-04",
    average=OVR_WEIGHTED,
)
def roc_auc_ovr_weighted(m: ScoreMatrix) -> float:
    """Area under the ROC curve, each class against the rest, averaged over the classes by their rows."""
    return OVR_WEIGHTED.value(m)


@score_measure(
    reads="matrix",
    range=(0.0, 1.0),
    better="higher",
    text="mean over classes of the average precision of the class against the rest",
    undefined=EVERY,
    source="scikit-learn, average_precision_score",
    average=PRECISIONS,
)
def average_precision_macro(m: ScoreMatrix) -> float:
    """Average precision of each class against the rest, averaged over the classes."""
    return PRECISIONS.value(m)


@score_measure(
    reads="matrix",
    range=(0.0, 1.0),
    better="higher",
    text="mean over classes of the average precision of the class against the rest, weighted by its rows",
    undefined=EVERY,
    source="scikit-learn, average_precision_score",
    average=PRECISIONS_WEIGHTED,
)
def average_precision_weighted(m: ScoreMatrix) -> float:
    """Average precision of each class against the rest, averaged over the classes by their rows."""
    return PRECISIONS_WEIGHTED.value(m)


def in_top(m: ScoreMatrix, k: int) -> NDArray[np.bool_]:
    """Whether the true class of each row is among the k with the highest scores; of equal ones the later come first."""
    _refuse_all(k, m.classes)
    own = m.scores[np.arange(m.n), m.truth][:, None]
    later = np.arange(m.classes) > np.asarray(m.truth)[:, None]
    before = (m.scores > own) | ((m.scores == own) & later)
    return np.asarray(before.sum(axis=1) < k)


def _refuse_all(k: int, classes: int) -> None:
    """InputError where so many classes are none, or all."""
    if not (isinstance(k, int | np.integer) and k >= 1):
        raise InputError("bad_option", f"k={k!r}", cure="give a whole number, 1 or more")
    if k >= classes > 1:
        problem = f"k={k} of {classes} classes, so every row is right"
        raise InputError("bad_option", problem, cure=f"give a k below {classes}")


@score_measure(
    reads="matrix",
    range=(0.0, 1.0),
    better="higher",
    text="share of rows whose true class is among the k highest scores",
    undefined="there are no rows",
    source="scikit-learn, top_k_accuracy_score; of equal scores the later class comes first, as there",
    options={"k": 2},
    interval="share",
    loss=in_top,
)
def top_k_accuracy(m: ScoreMatrix | CountedMatrix, k: int = 2) -> float:
    """Share of the rows whose true class is among the k classes with the highest scores.

    >>> scores = np.array([[0.5, 0.4, 0.1], [0.5, 0.1, 0.4], [0.2, 0.3, 0.5]])
    >>> top_k_accuracy(ScoreMatrix(scores, np.array([1, 1, 2]), ("a", "b", "c")))
    0.6666666666666666
    """
    if not m.total > 0:
        return np.nan
    if isinstance(m, CountedMatrix):
        _refuse_all(k, m.classes)
        return m.mean("top_k_accuracy", k=k)
    return float(np.average(in_top(m, k), weights=m.weights))
