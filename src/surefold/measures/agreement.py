"""Agreement beyond chance, and balance over classes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefold.measures.measure import measure
from surefold.tallies.margins import Margins
from surefold.tallies.ratio import ratio

Array = NDArray[Any]


def _steps(classes: int) -> NDArray[np.float64]:
    places = np.arange(classes)
    return np.asarray(abs(places[:, None] - places) / max(classes - 1, 1))


def _linear(classes: int, _: Mapping[str, Any]) -> NDArray[np.float64]:
    return _steps(classes)


def _quadratic(classes: int, _: Mapping[str, Any]) -> NDArray[np.float64]:
    return _steps(classes) ** 2


def _weighted_kappa(c: Margins) -> Array:
    if c.loss is None or c.cell_weights is None:  # more classes than a whole table is held for
        return np.full(c.total.shape, np.nan)
    by_chance = (c.actual * (c.called @ c.cell_weights)).sum(axis=-1)  # the weights are symmetric
    return 1 - ratio(c.loss * c.total, by_chance)


COHEN = "Cohen (1960), Educ. Psychol. Meas. 20:37; (1968), Psychol. Bull. 70:213"


@measure(
    reads="margins",
    range=(-1.0, 1.0),
    better="higher",
    text="(observed - chance) / (1 - chance) agreement, chance = sum of products of margins / n^2",
    undefined="truth and prediction hold one and the same class only, so chance already agrees fully",
    source=COHEN,
    aliases=("cohen_kappa", "cohen_kappa_score"),
    variants={("weights", None): "kappa", ("weights", "linear"): "kappa_linear",
              ("weights", "quadratic"): "kappa_quadratic"},
)  # fmt: skip
def kappa(c: Margins) -> Array:
    """Agreement beyond what random answers with the same margins would reach."""
    by_chance = (c.actual * c.called).sum(axis=-1)
    return ratio(c.total * c.correct - by_chance, c.total * c.total - by_chance)


@measure(
    reads="margins",
    range=(-1.0, 1.0),
    better="higher",
    text="1 - (sum of |i - j| n_ij) / (the same by chance)",
    undefined="truth and prediction hold one and the same class only, or there are too many classes",
    source=COHEN,
    weigh=_linear,
)
def kappa_linear(c: Margins) -> Array:
    """Kappa for ordered labels: an error counts by how many steps it is off."""
    return _weighted_kappa(c)


@measure(
    reads="margins",
    range=(-1.0, 1.0),
    better="higher",
    text="1 - (sum of (i - j)^2 n_ij) / (the same by chance)",
    undefined="truth and prediction hold one and the same class only, or there are too many classes",
    source=COHEN,
    weigh=_quadratic,
)
def kappa_quadratic(c: Margins) -> Array:
    """Kappa for ordered labels: an error counts by the square of the steps it is off."""
    return _weighted_kappa(c)


@measure(
    reads="margins",
    range=(-1.0, 1.0),
    better="higher",
    text="(c s - sum p_k t_k) / sqrt((s^2 - sum p_k^2)(s^2 - sum t_k^2)); two classes: (TP TN - FP FN) / "
    "sqrt((TP+FP)(TP+FN)(TN+FP)(TN+FN))",
    undefined="the truth, or the predictions, hold one class only",
    source="Matthews (1975), BBA 405:442; Gorodkin (2004), Comput. Biol. Chem. 28:367",
    aliases=("matthews_corrcoef", "phi"),
)
def mcc(c: Margins) -> Array:
    """Correlation between truth and prediction (Matthews)."""
    n = c.total
    both = n * c.correct - (c.actual * c.called).sum(axis=-1)
    true_spread = n * n - (c.actual * c.actual).sum(axis=-1)
    called_spread = n * n - (c.called * c.called).sum(axis=-1)
    return ratio(both, np.sqrt(true_spread * called_spread))


def _recalls(c: Margins) -> Array:
    return ratio(c.tp, c.actual)[..., c.averaged]


def _present(c: Margins) -> Array:
    """Which classes occur in the truth; those that do not are left out of balanced accuracy."""
    return np.asarray((c.actual.real > 0) & c.averaged)


def _mean_recall(c: Margins) -> Array:
    present = _present(c)
    recalls = np.where(present, ratio(c.tp, np.where(present, c.actual, 1.0)), 0.0)
    return ratio(recalls.sum(axis=-1), present.sum(axis=-1))


def _adjusted_range(c: Margins, _: Mapping[str, Any]) -> tuple[float, float]:
    classes = int(_present(c).reshape(-1, c.classes).any(axis=0).sum())
    return (-1.0 / (classes - 1) if classes > 1 else -1.0, 1.0)


BALANCED = "Brodersen et al. (2010), ICPR; Mosley (2013)"


@measure(
    reads="margins",
    range=(0.0, 1.0),
    better="higher",
    text="mean of the recalls of the classes that occur in the truth",
    undefined="there are no rows",
    source=BALANCED,
    variants={("adjusted", False): "balanced_accuracy", ("adjusted", True): "balanced_accuracy_adjusted"},
)
def balanced_accuracy(c: Margins) -> Array:
    """Mean recall over the classes that occur in the truth."""
    return _mean_recall(c)


@measure(
    reads="margins",
    range=(-1.0, 1.0),
    better="higher",
    text="(balanced accuracy - 1/k) / (1 - 1/k)",
    undefined="the truth holds one class only",
    source=BALANCED,
    range_of=_adjusted_range,
)
def balanced_accuracy_adjusted(c: Margins) -> Array:
    """Balanced accuracy moved so that guessing scores 0 and a perfect classifier 1."""
    present = _present(c).sum(axis=-1)
    return ratio(present * _mean_recall(c) - 1, np.where(present > 1, present - 1.0, np.nan))


@measure(
    reads="margins",
    range=(0.0, 1.0),
    better="higher",
    text="k-th root of the product of the recalls",
    undefined="a class has no rows",
    source="Kubat & Matwin (1997), ICML",
    aliases=("g_mean",),
)
def geometric_mean(c: Margins) -> Array:
    """Geometric mean of the recalls: zero as soon as one class is never found."""
    recalls = _recalls(c)
    nothing_found = (recalls.real == 0).any(axis=-1)
    log_mean = np.log(np.where(recalls.real == 0, 1.0, recalls)).mean(axis=-1)
    return np.where(nothing_found, np.where(np.isnan(log_mean), np.nan, 0.0), np.exp(log_mean))
