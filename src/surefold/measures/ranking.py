"""Measures of order: how well scores put positives above negatives, for two classes and for many.

Those of two classes read a `ScoreGroups`, those of many a `ScoreMatrix`. Ties count half in every area. All are
undefined, never 0 or 0.5, where a class they need has no row.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from surefold.errors import InputError
from surefold.measures.score_measure import score_measure
from surefold.tallies.score_groups import ScoreGroups
from surefold.tallies.score_matrix import ScoreMatrix

__all__ = [
    "average_precision",
    "average_precision_macro",
    "average_precision_weighted",
    "class_weights",
    "gini",
    "in_top",
    "ks",
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


@score_measure(
    reads="ranking",
    range=(0.0, 1.0),
    better="higher",
    text="P(score of a positive > score of a negative) + P(equal) / 2",
    undefined=BOTH,
    source="Hanley & McNeil (1982), Radiology 143:29-36",
    aliases=("auc",),
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
)
def gini(t: ScoreGroups) -> float:
    """Gini coefficient, also Somers' D: 0 for chance, 1 for perfect order, below 0 for order the wrong way round.

    >>> gini(ScoreGroups.of(np.array([0.9, 0.8, 0.8, 0.1]), np.array([True, True, False, False])))
    0.75
    """
    return 2 * t.auc - 1


@score_measure(
    reads="ranking",
    range=(0.0, 1.0),
    better="higher",
    text="max over thresholds of TPR - FPR",
    undefined=BOTH,
    source="Smirnov (1939), one-sided; Youden (1950), Cancer 3:32-35",
)
def ks(t: ScoreGroups) -> float:
    """Kolmogorov-Smirnov distance: the greatest lead of the true positive rate over the false positive rate.

    One-sided, because the direction of scores is never flipped: scores the wrong way round have 0.

    >>> ks(ScoreGroups.of(np.array([0.9, 0.8, 0.8, 0.1]), np.array([True, True, False, False])))  # 1 - 1/2 at .8
    0.5
    """
    if t.positives == 0 or t.negatives == 0:
        return np.nan
    return max(0.0, float((t.tp / t.positives - t.fp / t.negatives).max()))


@score_measure(
    reads="ranking",
    range=(0.0, 1.0),
    better="higher",
    text="sum over distinct scores of (R_k - R_(k-1)) P_k",
    undefined=BOTH,
    source="Buckley & Voorhees (2000), SIGIR; step-wise, no trapezoids",
    aliases=("ap",),
)
def average_precision(t: ScoreGroups) -> float:
    """Mean precision at the positives: the area under the precision-recall steps.

    >>> average_precision(ScoreGroups.of(np.array([3.0, 2.0, 1.0]), np.array([True, False, True])))  # (1 + 2/3) / 2
    0.8333333333333333
    """
    if t.positives == 0 or t.negatives == 0:
        return np.nan
    called = t.tp + t.fp
    return float(t.positive @ (t.tp / np.where(called > 0, called, 1.0))) / t.positives


# many classes


def class_weights(m: ScoreMatrix) -> Array:
    """The weight of the rows of each class."""
    return np.bincount(m.truth, weights=m.weights, minlength=m.classes).astype(float)


def _one_vs_rest(m: ScoreMatrix, measure: Callable[[ScoreGroups], float], weighted: bool) -> float:
    """The mean over classes of a two-class measure of each against the rest, by weight of the class or evenly."""
    rows = class_weights(m)
    if not (rows > 0).all() or m.classes < 2:
        return np.nan
    values = [measure(m.one_vs_rest(c)) for c in range(m.classes)]
    return float(np.average(values, weights=rows if weighted else None))


def _one_vs_one(m: ScoreMatrix, weighted: bool) -> float:
    """The mean over pairs of classes of the mean of their two areas, by weight of the pair or evenly."""
    rows = class_weights(m)
    if not (rows > 0).all() or m.classes < 2:
        return np.nan
    values, weights = [], []
    for a in range(m.classes):
        for b in range(a + 1, m.classes):
            kept = (m.truth == a) | (m.truth == b)
            truth, w = m.truth[kept], None if m.weights is None else m.weights[kept]
            values.append(np.mean([ScoreGroups.of(m.scores[kept, c], truth == c, w).auc for c in (a, b)]))
            weights.append(rows[a] + rows[b])
    return float(np.average(values, weights=weights if weighted else None))


@score_measure(
    reads="matrix",
    range=(0.0, 1.0),
    better="higher",
    text="mean over pairs of classes (i, j) of (A(i|j) + A(j|i)) / 2",
    undefined=EVERY,
    source=HAND_TILL,
    aliases=("hand_till",),
)
def roc_auc_hand_till(m: ScoreMatrix) -> float:
    """Hand and Till's M: how well two classes are told apart, on average over the pairs; blind to class sizes."""
    return _one_vs_one(m, weighted=False)


@score_measure(
    reads="matrix",
    range=(0.0, 1.0),
    better="higher",
    text="mean over pairs of classes (i, j) of (A(i|j) + A(j|i)) / 2",
    undefined=EVERY,
    source=HAND_TILL + "; scikit-learn's name for it",
)
def roc_auc_ovo(m: ScoreMatrix) -> float:
    """Area under the ROC curve, one class against one, averaged over the pairs: Hand and Till's M."""
    return _one_vs_one(m, weighted=False)


@score_measure(
    reads="matrix",
    range=(0.0, 1.0),
    better="higher",
    text="mean over pairs of classes of (A(i|j) + A(j|i)) / 2, weighted by the rows of the pair",
    undefined=EVERY,
    source="Ferri, Hernandez-Orallo & Modroiu (2009), Pattern Recognition Letters 30:27-38",
)
def roc_auc_ovo_weighted(m: ScoreMatrix) -> float:
    """Area under the ROC curve, one class against one, averaged over the pairs by their rows."""
    return _one_vs_one(m, weighted=True)


@score_measure(
    reads="matrix",
    range=(0.0, 1.0),
    better="higher",
    text="mean over classes of the AUC of the class against the rest",
    undefined=EVERY,
    source="Fawcett (2006), Pattern Recognition Letters 27:861-874",
)
def roc_auc_ovr(m: ScoreMatrix) -> float:
    """Area under the ROC curve, each class against the rest, averaged over the classes."""
    return _one_vs_rest(m, roc_auc, weighted=False)


@score_measure(
    reads="matrix",
    range=(0.0, 1.0),
    better="higher",
    text="mean over classes of the AUC of the class against the rest, weighted by its rows",
    undefined=EVERY,
    source="Provost & Domingos (2000), CeDER working paper IS-00-04",
)
def roc_auc_ovr_weighted(m: ScoreMatrix) -> float:
    """Area under the ROC curve, each class against the rest, averaged over the classes by their rows."""
    return _one_vs_rest(m, roc_auc, weighted=True)


@score_measure(
    reads="matrix",
    range=(0.0, 1.0),
    better="higher",
    text="mean over classes of the average precision of the class against the rest",
    undefined=EVERY,
    source="scikit-learn, average_precision_score",
)
def average_precision_macro(m: ScoreMatrix) -> float:
    """Average precision of each class against the rest, averaged over the classes."""
    return _one_vs_rest(m, average_precision, weighted=False)


@score_measure(
    reads="matrix",
    range=(0.0, 1.0),
    better="higher",
    text="mean over classes of the average precision of the class against the rest, weighted by its rows",
    undefined=EVERY,
    source="scikit-learn, average_precision_score",
)
def average_precision_weighted(m: ScoreMatrix) -> float:
    """Average precision of each class against the rest, averaged over the classes by their rows."""
    return _one_vs_rest(m, average_precision, weighted=True)


def in_top(m: ScoreMatrix, k: int) -> NDArray[np.bool_]:
    """Whether the true class of each row is among the k with the highest scores; of equal ones the later come first."""
    if not (isinstance(k, int | np.integer) and k >= 1):
        raise InputError("bad_option", f"k={k!r}", cure="give a whole number, 1 or more")
    if k >= m.classes > 1:
        problem = f"k={k} of {m.classes} classes, so every row is right"
        raise InputError("bad_option", problem, cure=f"give a k below {m.classes}")
    own = m.scores[np.arange(m.n), m.truth][:, None]
    later = np.arange(m.classes) > np.asarray(m.truth)[:, None]
    before = (m.scores > own) | ((m.scores == own) & later)
    return np.asarray(before.sum(axis=1) < k)


@score_measure(
    reads="matrix",
    range=(0.0, 1.0),
    better="higher",
    text="share of rows whose true class is among the k highest scores",
    undefined="there are no rows",
    source="scikit-learn, top_k_accuracy_score; of equal scores the later class comes first, as there",
    options={"k": 2},
)
def top_k_accuracy(m: ScoreMatrix, k: int = 2) -> float:
    """Share of the rows whose true class is among the k classes with the highest scores.

    >>> scores = np.array([[0.5, 0.4, 0.1], [0.5, 0.1, 0.4], [0.2, 0.3, 0.5]])
    >>> top_k_accuracy(ScoreMatrix(scores, np.array([1, 1, 2]), ("a", "b", "c")))
    0.6666666666666666
    """
    if m.n == 0 or (m.weights is not None and m.weights.sum() == 0):
        return np.nan
    return float(np.average(in_top(m, k), weights=m.weights))
