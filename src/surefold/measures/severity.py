"""Hand's H: the expected loss of a classifier when the costs of its errors are only roughly known."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from surefold.errors import InputError
from surefold.measures.score_measure import score_measure
from surefold.tallies.score_groups import ScoreGroups

__all__ = ["h_measure", "roc_hull"]

Array = NDArray[np.float64]


def roc_hull(t: ScoreGroups) -> tuple[Array, Array]:
    """The corners of the upper convex hull of the ROC curve: (fpr, tpr) from (0, 0) to (1, 1)."""
    fpr = np.append(0.0, t.fp / t.negatives)
    tpr = np.append(0.0, t.tp / t.positives)
    fpr, tpr = _without_dents(fpr, tpr)
    corners: list[int] = []
    for i in range(len(fpr)):
        while len(corners) > 1:
            a, b = corners[-2], corners[-1]
            if (tpr[b] - tpr[a]) * (fpr[i] - fpr[b]) > (tpr[i] - tpr[b]) * (fpr[b] - fpr[a]):
                break
            corners.pop()
        corners.append(i)
    return fpr[corners], tpr[corners]


def _without_dents(x: Array, y: Array) -> tuple[Array, Array]:
    """Drop points on or below the line between their neighbours, again and again: none of them is a corner.

    Of equal points one stays: each is on the line between its neighbours, but not all of them can go.
    """
    if len(x) > 1000:
        moved = np.append(True, (np.diff(x) != 0) | (np.diff(y) != 0))
        x, y = x[moved], y[moved]
    while len(x) > 1000:
        rise, run = np.diff(y), np.diff(x)
        bulges = rise[:-1] * run[1:] > rise[1:] * run[:-1]
        kept = np.concatenate([[True], bulges, [True]])
        if kept.mean() > 0.9:
            break
        x, y = x[kept], y[kept]
    return x, y


@score_measure(
    reads="ranking",
    range=(0.0, 1.0),
    better="higher",
    text="1 - L / L_max, L the least loss averaged over a Beta distribution of the cost of a false positive",
    undefined="there is one class only",
    source="Hand (2009), Mach. Learn. 77:103; Hand & Anagnostopoulos (2014)",
    options={"severity_ratio": None, "prior": "severity"},
)
def h_measure(t: ScoreGroups, severity_ratio: float | None, prior: Literal["severity", "classes"]) -> float:
    """Loss avoided, averaged over how the two errors may be priced.

    By default the cost of a false positive has the distribution Beta(2, 1 + n0/n1), whose mode is the severity ratio
    n1/n0; prior="classes" takes Beta(1 + pi1, 1 + pi0).
    """
    from scipy.special import betainc

    if t.positives == 0 or t.negatives == 0:
        return float("nan")
    pi1, pi0 = t.positives / t.total, t.negatives / t.total
    if prior == "classes":
        a, b = 1 + pi1, 1 + pi0
    elif prior == "severity":
        severity = t.positives / t.negatives if severity_ratio is None else severity_ratio
        if not severity > 0:
            raise InputError("bad_option", f"severity_ratio={severity_ratio!r}", cure="give a number above 0")
        a, b = 2.0, 1 + 1 / severity
    else:
        raise InputError("bad_option", f"prior={prior!r}", cure="use prior='severity' or prior='classes'")

    def first(c: Array) -> Array:  # integral of c up to c
        return np.asarray(a / (a + b) * betainc(a + 1, b, c))

    def second(c: Array) -> Array:  # integral of 1 - c up to c
        return np.asarray(b / (a + b) * betainc(a, b + 1, c))

    fpr, tpr = roc_hull(t)
    gains, steps = pi1 * np.diff(tpr), pi0 * np.diff(fpr)
    # A corner is best for costs between those at which its two neighbours take over.
    edges = np.concatenate([[1.0], gains / (gains + steps), [0.0]])
    low, high = edges[1:], edges[:-1]
    loss = (pi0 * fpr * (first(high) - first(low)) + pi1 * (1 - tpr) * (second(high) - second(low))).sum()
    meet = np.array([pi1])
    worst = pi0 * first(meet) + pi1 * (second(np.ones(1)) - second(meet))
    return float(1 - loss / worst[0])
