"""Proper scores of probabilities: the loss that only the true probabilities make least."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from surefold.counting import verb
from surefold.findings import Finding
from surefold.inputs.scores import CLIP, check_probabilities, clip_of, not_probabilities
from surefold.measures.score_bins import bin_scores, distinct_scores
from surefold.measures.score_measure import Line, Moved, score_measure
from surefold.tallies.class_counts import CountedMatrix
from surefold.tallies.ratio import ratio
from surefold.tallies.runs import Run
from surefold.tallies.score_groups import ScoreGroups
from surefold.tallies.score_matrix import ScoreMatrix

__all__ = [
    "BrierParts",
    "brier",
    "brier_multiclass",
    "brier_parts",
    "brier_skill",
    "clipped_rows",
    "clipping_finding",
    "flipped_log_losses",
    "has_probabilities",
    "log_loss",
    "log_loss_multiclass",
    "row_losses",
]

Array = NDArray[np.float64]
Loss = Literal["brier", "log_loss"]

_FLOATS = {clip_of(kind): kind for kind in ("float16", "float32", "float64")}

BRIER = "Brier (1950), Monthly Weather Review 78:1"
GOOD = "Good (1952), J. Royal Statistical Society B 14:107"
MURPHY = "Murphy (1973), J. Applied Meteorology 12:595"
INFINITE = "there are no rows, or a score is infinite and so no probability"


def has_probabilities(t: ScoreGroups | ScoreMatrix | CountedMatrix) -> bool:
    """Whether there are rows and no score is infinite; scores outside 0 to 1 are refused."""
    if isinstance(t, CountedMatrix):
        ends = np.array(t.ends)
        check_probabilities(ends)
        return t.total > 0 and bool(np.isfinite(ends).all())
    if isinstance(t, ScoreMatrix):
        check_probabilities(t.scores)
        return t.n > 0 and bool(np.isfinite(t.scores).all())
    if not t.total > 0:
        return False
    low, high = t.ends
    if low >= 0 and high <= 1:
        return True
    finite = t.score[np.isfinite(t.score)]
    if len(finite) and (finite[0] > 1 or finite[-1] < 0):
        raise not_probabilities(finite)
    return False


# two classes


def _squared(t: ScoreGroups | Run | ScoreMatrix, scaled: bool = False) -> Moved | Array:
    if isinstance(t, ScoreMatrix):
        return row_losses("brier", t.scores, t.truth) / (2 if scaled else 1)
    return Moved((1 - t.score) ** 2, t.score**2)


def _logarithmic(t: ScoreGroups | Run | ScoreMatrix) -> Moved | Array:
    if isinstance(t, ScoreMatrix):
        return row_losses("log_loss", t.scores, t.truth, t.clip)
    if isinstance(t, Run):  # no score is above 1, and so no logarithm above 0
        up, down = map(np.abs, t.logarithms)
        return Moved(up, down)
    return Moved(*_log_losses(t.score, t.clip))


def _skill_moves(t: ScoreGroups) -> Moved:
    """Of 1 - b/u, b the Brier score and u = q (1 - q) that of the base rate q, which a row moves as well."""
    q, up, down = t.positives / t.total, *brier.losses(t)
    u = q * (1 - q)
    b = float(t.positive @ up + t.negative @ down) / t.total
    drift = (1 - 2 * q) * b / u
    return Moved(-(up - b - (1 - q) * drift) / (u * t.total), -(down - b + q * drift) / (u * t.total))


@score_measure(
    reads="probabilities",
    range=(0.0, 1.0),
    better="lower",
    text="mean of (p - y)^2, y = 1 for the positive class and 0 for the other",
    undefined=INFINITE,
    source=BRIER,
    aliases=("brier_score", "neg_brier_score"),
    options={"scaled": False},
    interval="bounded",
    loss=_squared,
    twin="brier_multiclass",
    monotone=True,
)
def brier(t: ScoreGroups, scaled: bool = False) -> float:
    """Mean squared distance between the probability of the positive class and what happened.

    `scaled` halves the sum over many classes, and changes nothing here, where one class is looked at.
    """
    if not has_probabilities(t):
        return np.nan
    return brier.loss_sums(t).mean


@score_measure(
    reads="probabilities",
    range=(0.0, np.inf),
    better="lower",
    text="mean of -log p(true class), natural logarithm",
    undefined=INFINITE,
    source=GOOD,
    aliases=("neg_log_loss", "cross_entropy"),
    interval="log",
    loss=_logarithmic,
    twin="log_loss_multiclass",
    monotone=True,
)
def log_loss(t: ScoreGroups) -> float:
    """Mean of the negative logarithm of the probability given to what happened."""
    if not has_probabilities(t):
        return np.nan
    return log_loss.loss_sums(t).mean


@score_measure(
    reads="probabilities",
    range=(-np.inf, 1.0),
    better="higher",
    text="1 - Brier / (q (1 - q)), q the share of positives",
    undefined="the truth has one class only, or a score is infinite",
    source=MURPHY,
    aliases=("brier_skill_score", "bss"),
    interval="skill",
    moves=_skill_moves,
    monotone=True,
)
def brier_skill(t: ScoreGroups) -> float:
    """Share of the Brier score of always saying the base rate that the scores take away."""
    if not has_probabilities(t):
        return np.nan
    q = t.positives / t.total
    if q in (0.0, 1.0):
        return np.nan
    return 1 - float(brier(t)) / (q * (1 - q))


@dataclass(frozen=True)
class BrierParts:
    """The Brier score taken apart; `total` is the sum, and is the score itself.

    reliability: distance of the bins' scores from their shares of positives (lower is better); resolution: how far
    these shares are from the base rate (higher is better); uncertainty: that of the base rate. With bins wider than one
    score, `within_variance` and `within_covariance` are what varies inside them; over distinct scores both are 0.
    """

    reliability: float
    resolution: float
    uncertainty: float
    within_variance: float = 0.0
    within_covariance: float = 0.0

    @property
    def total(self) -> float:
        """What the parts add up to: the Brier score."""
        return self.reliability - self.resolution + self.uncertainty + self.within_variance - self.within_covariance


def brier_parts(t: ScoreGroups, bins: int | None = None, strategy: str = "width") -> BrierParts:
    """Reliability - resolution + uncertainty: exact over the distinct scores, or over bins with the terms within them.

    >>> t = ScoreGroups.of(np.array([0.8, 0.8, 0.2, 0.2]), np.array([True, False, False, False]))
    >>> parts = brier_parts(t)  # shares 1/2 and 0, base rate 1/4
    >>> round(parts.reliability, 4), round(parts.resolution, 4), round(parts.uncertainty, 4), round(parts.total, 4)
    (0.065, 0.0625, 0.1875, 0.19)

    Source: Murphy (1973); Stephenson, Coelho & Jolliffe (2008), Weather and Forecasting 23:752, for the bins.
    """
    if not has_probabilities(t):
        return BrierParts(*[np.nan] * 5)
    b = distinct_scores(t) if bins is None else bin_scores(t, bins, strategy)
    n, q = b.total, t.positives / t.total
    rest = b.tally.score - b.mean_score[b.place]
    up, down = 1 - b.share[b.place], -b.share[b.place]
    varies = float((b.tally.positive + b.tally.negative) @ rest**2) / n
    goes_along = 2 * float(b.tally.positive @ (rest * up) + b.tally.negative @ (rest * down)) / n
    return BrierParts(
        float(b.weight @ b.gap**2) / n, float(b.weight @ (b.share - q) ** 2) / n, q * (1 - q), varies, goes_along
    )


# many classes


@score_measure(
    reads="matrix",
    range=(0.0, 2.0),
    better="lower",
    text="mean over rows of the sum over classes of (p - y)^2; halved with scaled=True",
    undefined=INFINITE,
    source=BRIER,
    options={"scaled": False},
    interval="bounded",
    loss=_squared,
    two=Line(brier, 2.0),
    span_of=lambda options: (0.0, 1.0 if options["scaled"] else 2.0),
)
def brier_multiclass(m: ScoreMatrix | CountedMatrix, scaled: bool = False) -> float:
    """Mean squared distance between a row of probabilities and what happened, summed over the classes."""
    if not has_probabilities(m):
        return np.nan
    if isinstance(m, CountedMatrix):
        return m.mean("brier_multiclass", scaled=scaled)
    return float(_mean(row_losses("brier", m.scores, m.truth), m.weights)) / (2 if scaled else 1)


@score_measure(
    reads="matrix",
    range=(0.0, np.inf),
    better="lower",
    text="mean of -log p(true class), natural logarithm",
    undefined=INFINITE,
    source=GOOD,
    interval="log",
    loss=_logarithmic,
    two=Line(log_loss),
)
def log_loss_multiclass(m: ScoreMatrix | CountedMatrix) -> float:
    """Mean of the negative logarithm of the probability given to the true class."""
    if not has_probabilities(m):
        return np.nan
    if isinstance(m, CountedMatrix):
        return m.mean("log_loss_multiclass")
    return float(_mean(row_losses("log_loss", m.scores, m.truth, m.clip), m.weights))


# losses of rows


def row_losses(loss: Loss, scores: Array, truth: NDArray[Any], clip: float = CLIP) -> Array:
    """The loss of each row: scores are P(positive) and truth is bool, or one column a class and truth their codes.

    >>> row_losses("brier", np.array([0.8, 0.4]), np.array([True, True])).round(2).tolist()
    [0.04, 0.36]
    >>> row_losses("brier", np.array([[0.2, 0.3, 0.5]]), np.array([2])).round(2).tolist()  # .2^2 + .3^2 + .5^2
    [0.38]
    """
    if scores.ndim == 1:
        if loss == "brier":
            return np.where(truth, 1 - scores, scores) ** 2
        return np.where(truth, *_log_losses(scores, clip))
    rows = np.arange(len(truth))
    if loss == "brier":
        off = scores.copy()
        off[rows, truth] -= 1
        return np.asarray((off * off).sum(axis=1))
    return np.asarray(-np.log(np.maximum(scores[rows, truth], clip)) + 0.0)


def flipped_log_losses(m: ScoreMatrix) -> Array:
    """The log loss of each row had another class been true, all others being equally likely."""
    rest = 1 - m.scores[np.arange(m.n), m.truth]
    return np.asarray(-np.log(np.clip(rest / max(m.classes - 1, 1), m.clip, 1.0)) + 0.0)


def _log_losses(score: Array, clip: float) -> tuple[Array, Array]:
    """-log p where the row is positive, and where it is negative; 0 where the score is right beyond doubt."""
    up = -np.log(np.maximum(score, clip))
    return up + 0.0, -np.log1p(-np.minimum(score, 1 - clip)) + 0.0


def _mean(values: Array, weights: Array | None) -> Array:
    return np.asarray(values.mean()) if weights is None else ratio(weights @ values, weights.sum())


def clipped_rows(t: ScoreGroups | ScoreMatrix | CountedMatrix) -> float:
    """Rows (their weight, where weighted) whose true class got a probability below the clip.

    >>> clipped_rows(ScoreGroups.of(np.array([0.0, 0.0, 1.0]), np.array([True, False, True])))
    1.0
    """
    if isinstance(t, CountedMatrix):
        return t.sums("log_loss_multiclass", (), False).clipped
    if isinstance(t, ScoreMatrix):
        low = t.scores[np.arange(t.n), t.truth] < t.clip
        return float(low.sum() if t.weights is None else t.weights[low].sum())
    (positives, _), (_, negatives) = t.outside(t.clip, 1 - t.clip)
    return positives + negatives


def clipping_finding(t: ScoreGroups | ScoreMatrix | CountedMatrix) -> Finding | None:
    """What clipping did to the log loss, if anything."""
    rows = clipped_rows(t)
    if not rows:
        return None
    text = (
        f"{rows:,.6g} {verb(rows, 'row gives its', 'rows give their')} true class probability 0; "
        f"it was clipped to {t.clip:.3g}, the eps of {_FLOATS.get(t.clip, 'their floats')}, so each counts "
        f"{-np.log(t.clip):.2f} in the log loss."
    )
    return Finding.of("clipped_probabilities", text, rows=rows, clip=t.clip)
