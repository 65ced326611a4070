"""The bootstrap of a score tally: resampling rows redraws how many there are at each score; nothing is sorted again.

Weighted rows are redrawn as units with the right sum and the right sum of squares at each score, as for tables.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from surefold.estimates.quantiles import checked_draws, checked_seed, normal_quantile
from surefold.tallies.score_groups import KeyedScores, ScoreGroups

__all__ = ["auc_replicates", "drawn_bounds", "poisson_replicates", "score_replicates", "seed_of"]

Array = NDArray[np.float64]

#: Numbers held at once while drawing.
_BLOCK = 1 << 18
#: From this many redrawn rows on, the compiled loop wins back the time it takes to load.
COMPILED_FROM = 20_000_000


def seed_of(random_state: int | np.random.Generator | None) -> int:
    """One whole number that fixes all draws."""
    return int(np.random.default_rng(checked_seed(random_state)).integers(2**63))


def _units(sums: Array, squares: Array) -> tuple[Array, Array]:
    """How many equal rows each cell is worth, and the weight of one."""
    held = sums > 0
    multiplicity = np.where(held, sums**2 / np.where(held, squares, 1.0), 0.0)
    return multiplicity, np.where(held, squares / np.where(held, sums, 1.0), 0.0)


def score_replicates(
    t: ScoreGroups, draws: int, random_state: int | np.random.Generator | None
) -> Iterator[tuple[Array, Array]]:
    """Blocks of (positive, negative) weight at each score, draws x scores: a multinomial over the cells."""
    sums, squares = np.concatenate([t.positive, t.negative]), np.concatenate(t.squares)
    multiplicity, weight = _units(sums, squares)
    cells = np.flatnonzero(multiplicity)
    chance = multiplicity[cells] / multiplicity.sum()
    n, rng, groups = (
        max(1, round(float(multiplicity.sum()))),
        np.random.default_rng(seed_of(random_state)),
        len(t.score),
    )
    room = max(1, _BLOCK // (2 * groups))
    for start in range(0, checked_draws(draws), room):
        block = np.zeros((min(room, draws - start), 2 * groups))
        block[:, cells] = rng.multinomial(n, chance, size=len(block)) * weight[cells]
        yield block[:, :groups], block[:, groups:]


def poisson_replicates(
    t: ScoreGroups, draws: int, random_state: int | np.random.Generator | None
) -> tuple[Array, Array]:
    """The same at once and several times as fast, for what does not ask how many rows were drawn: Poisson counts.

    Every cell is drawn by itself, so a sample has about, not exactly, as many rows as there were.
    """
    multiplicity, weight = _units(np.concatenate([t.positive, t.negative]), np.concatenate(t.squares))
    rng, groups = np.random.default_rng(seed_of(random_state)), len(t.score)
    cells = np.flatnonzero(multiplicity)
    drawn = np.zeros((checked_draws(draws), 2 * groups))
    drawn[:, cells] = rng.poisson(multiplicity[cells], size=(len(drawn), len(cells))) * weight[cells]
    return drawn[:, :groups], drawn[:, groups:]


def auc_replicates(t: ScoreGroups, draws: int, random_state: int | np.random.Generator | None = None) -> Array:
    """Areas of bootstrap samples of the rows; NaN where a sample lacks a class."""
    rows = _rows(t)
    if rows is not None and len(rows[0]) * checked_draws(draws) >= COMPILED_FROM and len(rows[0]) < 8 * t.distinct:
        from surefold.estimates.compiled_draws import poisson_areas

        return poisson_areas(*rows, int(draws), seed_of(random_state))
    return np.concatenate([_areas(*block) for block in score_replicates(t, draws, random_state)])


def _areas(positive: Array, negative: Array) -> Array:
    tp = np.cumsum(positive, axis=1)
    pairs = tp[:, -1] * negative.sum(axis=1)
    ordered = np.einsum("dg,dg->d", negative, tp - positive / 2)
    return np.where(pairs > 0, ordered / np.where(pairs > 0, pairs, 1.0), np.nan)


def _rows(t: ScoreGroups) -> tuple[Array, Array, NDArray[np.bool_]] | None:
    """Every row by itself in falling order of score, if the tally still has them: weights by class, and tie ends."""
    if isinstance(t, KeyedScores):
        labels, ends = t.keys.falling()
        return labels, 1.0 - labels, ends
    counts, weights = zip(
        *(_units(*pair) for pair in zip((t.positive, t.negative), t.squares, strict=True)), strict=True
    )
    whole = [np.rint(c).astype(np.int64) for c in counts]
    if any((abs(c - w) > 1e-9).any() for c, w in zip(counts, whole, strict=True)):
        return None  # rows of different weight have met at one score
    both = np.stack(whole, axis=1)  # positives of a score, then its negatives
    of_cell = np.repeat(np.arange(both.size), both.ravel())
    is_positive, group = of_cell % 2 == 0, of_cell // 2
    last = np.append(group[1:] != group[:-1], True)
    weight = np.stack(weights, axis=1).ravel()[of_cell]
    return np.where(is_positive, weight, 0.0), np.where(is_positive, 0.0, weight), last


def drawn_bounds(
    values: Array, value: float, confidence: float, method: str, influence: Callable[[], tuple[Array, Array]]
) -> tuple[float, float]:
    """Percentile or BCa bounds; `influence` gives what rows move the value by, and how many such rows there are."""
    drawn = values[~np.isnan(values)]
    tail = (1 - confidence) / 2
    if len(drawn) == 0:
        return np.nan, np.nan
    tails = (tail, 1 - tail)
    if method == "bca":
        tails = _bca_tails(drawn, value, tail, *influence())
    low, high = np.quantile(drawn, tails)
    return float(low), float(high)


def _bca_tails(drawn: Array, value: float, tail: float, each: Array, times: Array) -> tuple[float, float]:
    from scipy.special import ndtr

    below = (np.sum(drawn < value) + np.sum(drawn == value) / 2) / len(drawn)
    second, third = float(times @ each**2), float(times @ each**3)
    if below in (0.0, 1.0) or second == 0:
        return tail, 1 - tail
    bias, skew = normal_quantile(float(below)), third / (6 * second**1.5)
    ends = (bias + normal_quantile(p) for p in (tail, 1 - tail))
    low, high = (float(ndtr(bias + z / (1 - skew * z))) for z in ends)
    return low, high
