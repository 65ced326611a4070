"""What the search would have claimed of rows it had not chosen by: the bootstrap bias-corrected estimate.

Every candidate's held-out predictions are at hand, so choosing can be done again without a fit: draw rows with
replacement, choose the candidate that is best on the rows drawn, and judge it on the rows that were not. The mean over
many draws is free of the optimism of choosing; training sets are those of the folds, so it stays slightly too bad.

Source: Tsamardinos, Greasidou and Borboudakis (2018), Machine Learning 107:1895.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from surefold.estimates.estimate import Estimate
from surefold.estimates.quantiles import checked_confidence
from surefold.estimates.share_intervals import share_interval
from surefold.measures import catalogue
from surefold.resampling.fold_values import HeldOut, fold_values
from surefold.resampling.resampled import Resampled
from surefold.resampling.row_losses import row_losses
from surefold.selection.score import Floats, Score
from surefold.tallies.confusion import Table

__all__ = ["DRAWS", "BiasCorrected", "bias_corrected", "chosen_again", "estimate_of_draws"]

#: Draws of rows; of measures that have to sort scores anew each time, fewer.
DRAWS, DRAWS_OF_SCORES = 1000, 200
_STREAM = 0x62626376
#: Cells of tables held at once.
_CELLS = 4_000_000
#: Weights of the rows in each draw -> the value of each draw.
Judge = Callable[[Floats], Floats]


@dataclass(frozen=True, eq=False)
class BiasCorrected:
    """The estimate; what each draw claimed on its own rows and found on the others; who was chosen how often."""

    estimate: Estimate
    claimed: Floats = field(repr=False)
    found: Floats = field(repr=False)
    times_chosen: Mapping[str, int] = field(default_factory=dict)


def bias_corrected(
    results: Mapping[str, Resampled], score: Score, *, confidence: float = 0.95, seed: int = 0, draws: int | None = None
) -> BiasCorrected:
    """From the held-out predictions of all candidates over the same plan.

    The interval is from quantiles of the draws. Predictions of the folds of a repeat are pooled; over repeats the
    values are averaged. With groups, whole groups are drawn.
    """
    level = checked_confidence(confidence)
    first = next(iter(results.values()))
    rows = np.unique(first.plan.test_rows)
    wanted = draws or (DRAWS_OF_SCORES if score.needs_scores and _mean_losses(first, score) is None else DRAWS)
    counts = _drawn(first, rows, wanted, np.random.SeedSequence(seed, spawn_key=(_STREAM,)))
    inside, outside = np.empty((2, len(results), len(counts)))
    for c, r in enumerate(results.values()):
        judges = _judges(r, rows, score)
        inside[c] = np.mean([judge(counts) for judge in judges], axis=0)
        outside[c] = np.mean([judge((counts == 0).astype(float)) for judge in judges], axis=0)
    chosen, claimed, found = chosen_again(inside, outside, score.sign)
    times = np.bincount(chosen, minlength=len(results)).tolist()
    flags = ("pooled_folds",) if score.needs_scores and len(first.plan) > 1 else ()
    estimate = estimate_of_draws(found, len(rows), score.limits, level, score.measure)
    estimate = replace(estimate, flags=(*flags, *estimate.flags))
    return BiasCorrected(estimate, claimed, found, dict(zip(results, times, strict=True)))


def chosen_again(inside: Floats, outside: Floats, sign: int) -> tuple[NDArray[np.intp], Floats, Floats]:
    """Who is best on the rows of each draw, what that claims, and what the other rows say; candidates x draws in.

    >>> inside, outside = np.array([[0.9, 0.7], [0.8, 0.8]]), np.array([[0.6, 0.7], [0.8, 0.7]])
    >>> [part.tolist() for part in chosen_again(inside, outside, 1)]
    [[0, 1], [0.9, 0.8], [0.6, 0.7]]
    """
    goodness = np.where(np.isnan(inside), -np.inf, sign * inside)
    chosen, draw = goodness.argmax(axis=0), np.arange(inside.shape[1])
    return chosen, inside[chosen, draw], outside[chosen, draw]


def _drawn(r: Resampled, rows: NDArray[np.int64], draws: int, seed: np.random.SeedSequence) -> Floats:
    """How often each row is in each draw; whole groups where there are some."""
    rng = np.random.default_rng(seed)
    if r.groups is None:
        units, of_row = len(rows), np.arange(len(rows))
    else:
        found, of_row = np.unique(r.groups[rows], return_inverse=True)
        units = len(found)
    counts = rng.multinomial(units, np.full(units, 1 / units), size=draws)
    return np.asarray(counts[:, of_row], dtype=float)


def _judges(r: Resampled, rows: NDArray[np.int64], score: Score) -> list[Judge]:
    """One a repeat, or one for all of them where the measure is a mean over rows."""
    losses = _mean_losses(r, score)
    if losses is not None:
        return [_of_means(losses[rows], None if r.held.weights is None else _row_weights(r)[rows])]
    judges = []
    for repeat in np.unique(r.plan.repeat):
        places = r.places(np.flatnonzero(r.plan.repeat == repeat))
        ordered = places[np.argsort(r.plan.test_rows[places], kind="stable")]
        held = r.held.part(ordered)
        judges.append(_of_scores(held, r, score) if score.needs_scores else _of_labels(held, r, score))
    return judges


def _mean_losses(r: Resampled, score: Score) -> Floats | None:
    """Of every row of the data the mean over its tests, for measures that are means over rows."""
    each = row_losses(r.held, score.measure, r.positive)
    if each is None:
        return None
    times = np.maximum(r.plan.times_tested, 1)
    return np.asarray(np.bincount(r.plan.test_rows, each, minlength=r.plan.n) / times)


def _row_weights(r: Resampled) -> Floats:
    weights = np.zeros(r.plan.n)
    if r.held.weights is not None:
        weights[r.plan.test_rows] = r.held.weights
    return weights


def _of_means(losses: Floats, weights: Floats | None) -> Judge:
    weighted = losses if weights is None else losses * weights
    whole = np.ones_like(losses) if weights is None else weights

    def judge(counts: Floats) -> Floats:
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray((counts @ weighted) / (counts @ whole))

    return judge


def _of_labels(held: HeldOut, r: Resampled, score: Score) -> Judge:
    k = len(held.labels)
    measure = catalogue.with_options(score.measure, score.options)
    cells = None if measure.weigh is None else measure.weigh(k, measure.settings)
    averaged = np.bincount(held.truth, minlength=k) > 0
    where = np.zeros((len(held.truth), k * k))
    where[np.arange(len(held.truth)), held.truth * k + held.predicted] = 1.0 if held.weights is None else held.weights

    def judge(counts: Floats) -> Floats:
        values = np.empty(len(counts))
        at_once = max(1, _CELLS // (k * k))
        for start in range(0, len(counts), at_once):
            tables = (counts[start : start + at_once] @ where).reshape(-1, k, k)
            margins = Table(tables).margins(averaged, cells)
            found = measure(margins.one_vs_rest)[..., r.positive] if measure.is_per_class else measure(margins)
            values[start : start + at_once] = found
        return values

    return judge


def _of_scores(held: HeldOut, r: Resampled, score: Score) -> Judge:
    def judge(counts: Floats) -> Floats:
        values = np.empty(len(counts))
        for b, each in enumerate(counts):
            there = np.flatnonzero(each)
            part = held.part(there)
            weights = each[there] if part.weights is None else each[there] * part.weights
            values[b] = fold_values(replace(part, weights=weights), score.measure, r.positive, score.options).values[0]
        return values

    return judge


def estimate_of_draws(
    found: Floats, rows: int, limits: tuple[float, float], confidence: float = 0.95, name: str = ""
) -> Estimate:
    """Mean and quantiles of what draws found; where nothing varied, the exact interval of a share of as many rows."""
    there, method = found[~np.isnan(found)], "bias_corrected"
    if not there.size:
        nan = math.nan
        return Estimate(nan, nan, nan, nan, confidence, method, rows, (), name, "undefined in every draw")
    tail = (1 - confidence) / 2
    low, high = (float(end) for end in np.quantile(there, (tail, 1 - tail)))
    value, reason = float(there.mean()), ""
    flags: tuple[str, ...] = ()
    if high - low < 1e-12:
        flags, (least, greatest) = ("degenerate",), limits
        reach = greatest - least
        if math.isfinite(reach):
            ends = share_interval("clopper_pearson", (value - least) / reach * rows, rows, confidence)
            low, high = (least + reach * float(end) for end in ends)
        else:
            low, high, reason = -math.inf, math.inf, "every draw gave the same value"
    se = float(there.std(ddof=1)) if there.size > 1 else math.nan
    return Estimate(value, low, high, se, confidence, method, rows, flags, name, reason)
