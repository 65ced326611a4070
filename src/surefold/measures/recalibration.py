"""Logistic recalibration: log odds of the truth as a line in the log odds of the score, fitted by Newton's steps.

Works on the tally, and on arrays with leading batch axes. `added=True` adds to every row half a positive and half a
negative row of weight h, its leverage: one row for each parameter in all, half of either kind. This is Firth's (1993)
penalty; it keeps the fit finite where the classes are separated.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefold.inputs.scores import CLIP
from surefold.tallies.score_groups import ScoreGroups

__all__ = ["Fit", "both_probabilities", "fit_line", "fit_shift", "log_odds", "profile", "separation", "slope_deviance"]

Array = NDArray[np.float64]

_STEPS = 100


@dataclass(frozen=True, eq=False)
class Fit:
    """Intercept and slope with the inverse information, and the sandwich that allows for weights and wrong models.

    `information[..., i, j]`: the covariance from the information; `sandwich` likewise. Order: intercept, slope.
    """

    intercept: Array
    slope: Array
    information: Array
    sandwich: Array


def log_odds(score: Array, clip: float = CLIP) -> Array:
    """log(p / (1 - p)), with p kept off 0 and 1 by the clip of the log loss."""
    p = np.clip(score, clip, 1 - clip)
    return np.asarray(np.log(p) - np.log1p(-p))


def fit_line(
    x: Array, positive: Array, negative: Array, squares: tuple[Array, Array] | None = None, *, added: bool = False
) -> Fit:
    """Intercept and slope of the log odds; rows of `positive` and `negative` weight at each x, along the last axis."""
    n = positive + negative
    centre = (n * x).sum(-1, keepdims=True) / n.sum(-1, keepdims=True)
    z = x - centre  # Newton's steps are better behaved about the centre
    shape = np.broadcast_shapes(x.shape, positive.shape)[:-1]
    a, b = np.zeros(shape), np.zeros(shape)
    up, down = positive, negative
    for _ in range(_STEPS):
        p, q = both_probabilities(a[..., None] + b[..., None] * z)
        v = n * p * q
        i00, i01, i11 = v.sum(-1), (v * z).sum(-1), (v * z * z).sum(-1)
        det = np.maximum(i00 * i11 - i01 * i01, 1e-300)
        if added:
            h = v * (i11[..., None] - 2 * z * i01[..., None] + z * z * i00[..., None]) / det[..., None]
            up, down = positive + h / 2, negative + h / 2
        residual = up * q - down * p
        g0, g1 = residual.sum(-1), (residual * z).sum(-1)
        step_a, step_b = (i11 * g0 - i01 * g1) / det, (i00 * g1 - i01 * g0) / det
        # no row's log odds may move by more than 3 at a time
        longest = np.abs(step_a[..., None] + step_b[..., None] * z).max(-1)
        cut = np.minimum(1.0, 3.0 / np.maximum(longest, 1e-300))
        a, b = a + cut * step_a, b + cut * step_b
        if not (longest > 1e-10).any():
            break
    p, q = both_probabilities(a[..., None] + b[..., None] * z)
    v = n * p * q
    bread = _inverse(v.sum(-1), (v * z).sum(-1), (v * z * z).sum(-1))
    up2, down2 = (positive, negative) if squares is None else squares
    u = up2 * q**2 + down2 * p**2
    meat = _matrix(u.sum(-1), (u * z).sum(-1), (u * z * z).sum(-1))
    # back from the centre: intercept = a - b centre
    turn = np.zeros((*shape, 2, 2))
    turn[..., 0, 0] = turn[..., 1, 1] = 1.0
    turn[..., 0, 1] = -centre[..., 0]
    back = np.swapaxes(turn, -1, -2)
    return Fit(a - b * centre[..., 0], b, turn @ bread @ back, turn @ bread @ meat @ bread @ back)


def fit_shift(
    x: Array, positive: Array, negative: Array, squares: tuple[Array, Array] | None = None, *, added: bool = False
) -> Fit:
    """The intercept with the slope fixed at 1."""
    n = positive + negative
    a = np.zeros(np.broadcast_shapes(x.shape, positive.shape)[:-1])
    up, down = positive, negative
    for _ in range(_STEPS):
        p, q = both_probabilities(a[..., None] + x)
        v = n * p * q
        information = np.maximum(v.sum(-1), 1e-300)
        if added:
            h = v / information[..., None]
            up, down = positive + h / 2, negative + h / 2
        step = np.clip((up * q - down * p).sum(-1) / information, -3.0, 3.0)
        a = a + step
        if not (np.abs(step) > 1e-10).any():
            break
    p, q = both_probabilities(a[..., None] + x)
    bread = 1 / np.maximum((n * p * q).sum(-1), 1e-300)
    up2, down2 = (positive, negative) if squares is None else squares
    meat = (up2 * q**2 + down2 * p**2).sum(-1)
    return Fit(a, np.ones_like(a), bread[..., None, None], (bread * meat * bread)[..., None, None])


def slope_deviance(x: Array, positive: Array, negative: Array, slope: Array, fit: Fit) -> Array:
    """Twice what the penalised log likelihood loses when the slope is held at a value: fit is that with added rows."""
    return profile(x, positive, negative, slope, fit)[0]


def profile(
    x: Array, positive: Array, negative: Array, slope: Array, fit: Fit, start: Array | None = None
) -> tuple[Array, Array]:
    """Twice what the penalised log likelihood loses when the slope is held at a value, and the intercept there.

    `fit` is that with added rows. The intercept is about the mean of x; `start` is where its search begins.
    """
    n = positive + negative
    centre = (n * x).sum(-1, keepdims=True) / n.sum(-1, keepdims=True)
    z = x - centre
    best = fit.intercept + fit.slope * centre[..., 0]
    slope, best, of_fit = np.broadcast_arrays(np.asarray(slope, dtype=float), best, fit.slope)
    if start is None:  # where the same share of rows is positive, with half a row of either kind added
        up, down = positive.sum(-1) + 0.5, negative.sum(-1) + 0.5
        start = np.where(np.abs(slope - of_fit) < 1e-12, best, np.log(up / down))
    a = start
    for _ in range(_STEPS):
        p, q = both_probabilities(a[..., None] + slope[..., None] * z)
        v = n * p * q
        h, i00, _ = _leverage(v, z)
        g = ((positive + h / 2) * q - (negative + h / 2) * p).sum(-1)
        step = np.clip(g / np.maximum(i00, 1e-300), -2.0, 2.0)
        a = a + step
        if not (np.abs(step) > 1e-8).any():
            break
    top, held = (_penalised(u, b, z, positive, negative) for u, b in ((best, of_fit), (a, slope)))
    return np.maximum(2 * (top - held), 0.0), a


def _leverage(v: Array, z: Array) -> tuple[Array, Array, Array]:
    """Leverage of each row, the information of the intercept, and the determinant of the information."""
    i00, i01, i11 = v.sum(-1), (v * z).sum(-1), (v * z * z).sum(-1)
    det = np.maximum(i00 * i11 - i01 * i01, 1e-300)
    h = v * (i11[..., None] - 2 * z * i01[..., None] + z * z * i00[..., None]) / det[..., None]
    return h, i00, det


def _penalised(a: Array, b: Array, z: Array, positive: Array, negative: Array) -> Array:
    line = a[..., None] + b[..., None] * z
    p, q = both_probabilities(line)
    likelihood = -(positive * np.logaddexp(0, -line) + negative * np.logaddexp(0, line)).sum(-1)
    det = _leverage((positive + negative) * p * q, z)[2]
    return np.asarray(likelihood + np.log(det) / 2)


def separation(t: ScoreGroups) -> str:
    """Why the tally has no finite line, or "" if it has one: one class, one score, or classes apart."""
    if not (t.positives > 0 and t.negatives > 0):
        return "the truth has one class only"
    up, down = t.spans
    low, high = min(up[0], down[0]), max(up[1], down[1])
    if low == high:
        return "all scores are equal"
    seen = np.clip([low, high], t.clip, 1 - t.clip)
    if seen[0] == seen[1]:
        end = 0 if seen[0] < 0.5 else 1
        return f"all scores are within {t.clip:.3g} of {end}, where they are clipped to one value"
    if up[0] >= down[1] or down[0] >= up[1]:
        return "the scores separate the classes"
    return ""


def both_probabilities(x: Array) -> tuple[Array, Array]:
    """The probabilities of the two classes, neither of them as one less the other."""
    from scipy.special import expit

    return expit(x), expit(-x)


def _matrix(a: Array, b: Array, d: Array) -> Array:
    return np.stack([np.stack([a, b], -1), np.stack([b, d], -1)], -2)


def _inverse(a: Array, b: Array, d: Array) -> Array:
    det = np.maximum(a * d - b * b, 1e-300)
    return _matrix(d / det, -b / det, a / det)
