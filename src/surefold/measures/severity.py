"""Hand's H: the expected loss of a classifier when the costs of its errors are only roughly known."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from surefold.errors import InputError
from surefold.measures.score_measure import score_measure
from surefold.tallies.hull import Hull, corners_of
from surefold.tallies.score_groups import ScoreGroups

__all__ = ["h_measure", "h_of_draws", "roc_hull"]

Array = NDArray[np.float64]
Prior = Literal["severity", "classes"]


def roc_hull(t: ScoreGroups) -> tuple[Array, Array]:
    """The corners of the upper convex hull of the ROC curve: (fpr, tpr) from (0, 0) to (1, 1)."""
    hull = Hull.of(t)
    return hull.fp / t.negatives, hull.tp / t.positives


@score_measure(
    reads="ranking",
    range=(0.0, 1.0),
    better="higher",
    text="1 - L / L_max, L the least loss averaged over a Beta distribution of the cost of a false positive",
    undefined="there is one class only",
    source="Hand (2009), Mach. Learn. 77:103; Hand & Anagnostopoulos (2014)",
    options={"severity_ratio": None, "prior": "severity"},
    of_draws=lambda *block, **settings: h_of_draws(*block, **settings),
)
def h_measure(t: ScoreGroups, severity_ratio: float | None, prior: Prior) -> float:
    """Loss avoided, averaged over how the two errors may be priced.

    By default the cost of a false positive has the distribution Beta(2, 1 + n0/n1), whose mode is the severity ratio
    n1/n0; prior="classes" takes Beta(1 + pi1, 1 + pi0).
    """
    if t.positives == 0 or t.negatives == 0:
        return float("nan")
    hull = Hull.of(t)
    chain = np.zeros(len(hull.fp), dtype=np.intp)
    return float(_avoided(hull.fp, hull.tp, chain, severity_ratio, prior)[0])


def h_of_draws(
    positive: Array, negative: Array, severity_ratio: float | None = None, prior: Prior = "severity"
) -> Array:
    """H of many draws at once, each a row of weights at the same scores, the highest first; NaN without a class.

    >>> h_of_draws(np.array([[1.0, 1.0], [1.0, 0.0]]), np.array([[1.0, 1.0], [0.0, 1.0]])).round(6).tolist()
    [0.0, 1.0]
    """
    both = (positive.sum(axis=1) > 0) & (negative.sum(axis=1) > 0)
    found = np.full(len(positive), np.nan)
    if not both.any():
        return found
    # Counted from below, as a hull of one tally is.
    below = [np.cumsum(side[both][:, ::-1], axis=1) for side in (negative, positive)]
    fp, tp = (np.concatenate([np.zeros((len(side), 1)), side], axis=1) for side in below)
    draws, points = fp.shape
    ends = np.zeros(fp.shape, dtype=bool)
    ends[:, [0, -1]] = True
    total = [np.repeat(side[:, -1], points) for side in (fp, tp)]
    fp, tp = fp.ravel(), tp.ravel()
    corner = corners_of(fp, tp, ends.ravel())[::-1]
    draw = draws - 1 - np.repeat(np.arange(draws), points)[corner]
    called = [side[corner] - x[corner] for side, x in zip(total, (fp, tp), strict=True)]
    found[both] = _avoided(called[0], called[1], draw, severity_ratio, prior)[::-1]
    return found


def _avoided(fp: Array, tp: Array, chain: NDArray[np.intp], severity_ratio: float | None, prior: Prior) -> Array:
    """H of each chain of corners, one chain after another, each from nothing called to everything called."""
    from scipy.special import betainc

    first = np.append(True, chain[1:] != chain[:-1])
    last = np.append(first[1:], True)
    negatives, positives = fp[last], tp[last]
    pi1, pi0 = positives / (positives + negatives), negatives / (positives + negatives)
    if prior == "classes":
        a, b = 1 + pi1, 1 + pi0
    elif prior == "severity":
        severity = positives / negatives if severity_ratio is None else np.full(len(pi1), severity_ratio)
        if not (severity > 0).all():
            raise InputError("bad_option", f"severity_ratio={severity_ratio!r}", cure="give a number above 0")
        a, b = np.full(len(pi1), 2.0), 1 + 1 / severity
    else:
        raise InputError("bad_option", f"prior={prior!r}", cure="use prior='severity' or prior='classes'")

    def below(c: Array, a: Array, b: Array) -> tuple[Array, Array]:
        """Integrals of the cost and of one less the cost, up to c."""
        if prior == "severity":  # the first parameter is 2: the tails are closed
            tail = (1 - c) ** b
            of_cost = 1 - tail * (1 + b * c + b * (b + 1) * c**2 / 2)
            of_rest = 1 - tail * (1 - c) * (1 + (b + 1) * c)
        else:
            of_cost, of_rest = betainc(a + 1, b, c), betainc(a, b + 1, c)
        return a / (a + b) * of_cost, b / (a + b) * of_rest

    # A corner is best for costs between those at which its two neighbours take over.
    gains, steps = np.diff(tp) / (positives + negatives)[chain[1:]], np.diff(fp) / (positives + negatives)[chain[1:]]
    with np.errstate(divide="ignore", invalid="ignore"):
        meet = gains / (gains + steps)
    high, low = np.where(first, 1.0, np.append(1.0, meet)), np.where(last, 0.0, np.append(meet, 0.0))
    wide = (a[chain], b[chain])
    (cost1, rest1), (cost0, rest0) = below(high, *wide), below(low, *wide)
    at, of_one = pi1[chain], 1 - tp / positives[chain]
    each = pi0[chain] * fp / negatives[chain] * (cost1 - cost0) + at * of_one * (rest1 - rest0)
    loss = np.bincount(chain, weights=each)
    (cost, rest), (_, whole) = below(pi1, a, b), below(np.ones_like(pi1), a, b)
    return np.asarray(1 - loss / (pi0 * cost + pi1 * (whole - rest)))
