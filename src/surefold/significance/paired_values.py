"""Paired values without a shape: how often the first is larger, and what flipping signs or swapping labels would give.

The sign test counts wins. The permutation test asks how often the mean difference would be as large if the labels
"first" and "second" had been dealt at random: over all deals up to 100,000 of them, else over seeded draws, where the
seen one counts as one of them. Its interval holds every shift that the same deals would not reject; each deal rejects
the shifts beyond one value, so the ends are two of those values in order (Hartigan's typical values, for pairs).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from surefold.errors import InputError, refuse_unknown
from surefold.estimates.estimate import Estimate, TestResult
from surefold.estimates.quantiles import binomial_upper_tail, checked_confidence
from surefold.given import Seed, Values
from surefold.significance.paired_cases import share_difference
from surefold.significance.pairs import (
    Alternative,
    Array,
    checked_alternative,
    checked_numbers,
    checked_pairs,
    drawing,
    oriented,
    p_of_tails,
)
from surefold.significance.plain_test import plain_test

__all__ = ["SignTest", "permutation", "sign_test"]

MOST_DEALS = 100_000
_BLOCK = 1 << 21


@dataclass(frozen=True, eq=False)
class SignTest(TestResult):
    """With how often the first was larger, the second was, and neither."""

    wins: int = 0
    losses: int = 0
    ties: int = 0


@plain_test(
    reads="pairs", null="the first is larger as often as the second", source="Dixon & Mood (1946), JASA 41:557-566"
)
def sign_test(a: Values, b: Values, *, alternative: Alternative = "two-sided", confidence: float = 0.95) -> SignTest:
    """Is the first larger as often as the second? Exact binomial; ties say nothing about that and are left out of p.

    The statistic is the number of wins. The effect is the share of wins less that of losses, over all pairs, with the
    interval of a paired difference.

    a:           the first of the two: one number a pair
    b:           the second, in the same order
    alternative: "two-sided", "greater" (the first is larger) or "less"
    confidence:  of the interval of the effect

    >>> r = sign_test([3, 5, 4, 6, 7, 8], [2, 4, 3, 5, 6, 9])
    >>> r.wins, r.losses, round(r.p_value, 4)  # 2 (1 + 6) / 64
    (5, 1, 0.2188)
    """
    checked_alternative(alternative)
    confidence = checked_confidence(confidence)
    d = checked_pairs(a, b).difference
    wins, losses = int((d > 0).sum()), int((d < 0).sum())
    upper, lower = (float(binomial_upper_tail(x, wins + losses, 0.5)) for x in (wins, losses))
    effect = share_difference(wins, losses, len(d), confidence, "wins minus losses")
    flags = [] if wins + losses else ["no_spread"]
    if 2 * 0.5 ** (wins + losses) > 1 - confidence:
        flags.append("too_few_to_tell")
    p_value = p_of_tails(upper, lower, alternative)
    facts = (float(wins), p_value, ("pairs are independent",), tuple(flags), None)
    return SignTest("sign test", effect, *facts, wins, losses, len(d) - wins - losses)


@plain_test(
    reads="pairs",
    null="the labels of the two could have been dealt at random",
    source="Fisher (1935), The Design of Experiments",
)
def permutation(
    a: Values,
    b: Values,
    statistic: Literal["mean", "median"] = "mean",
    paired: bool = True,
    *,
    alternative: Alternative = "two-sided",
    draws: int = 9_999,
    random_state: Seed = None,
    confidence: float = 0.95,
) -> TestResult:
    """Could dealing the labels at random give such a difference? Exact up to 100,000 deals, else (b + 1)/(m + 1).

    Paired: the sign of each difference is flipped, and the statistic is the mean (or median) of the differences.
    Not paired: rows are dealt to two groups of the same sizes, and it is the difference of the means (medians).

    a:            the first of the two: one number a pair, or a row of one group
    b:            the second, in the same order where they are paired
    statistic:    "mean" or "median"
    paired:       whether a and b belong together, number by number
    alternative:  "two-sided", "greater" (the first is larger) or "less"
    draws:        deals at random, where there are too many to go through
    random_state: what these start from; 0 unless said
    confidence:   of the interval of the effect

    >>> r = permutation([3, 5, 4, 6, 7, 9], [2, 4, 3, 5, 6, 8])
    >>> r.p_value == 2 / 64, r.name
    (True, 'permutation, exact')
    """
    checked_alternative(alternative)
    confidence = checked_confidence(confidence)
    refuse_unknown("statistic", statistic, ("mean", "median"))
    if not (isinstance(draws, int | np.integer) and draws >= 1):
        raise InputError("bad_option", f"draws={draws!r}", cure="give a whole number of at least 1")
    if paired:
        pairs = checked_pairs(a, b)
        d, turned = oriented(pairs.difference)
        varies, rounding, n, total = bool(np.ptp(d) > pairs.rounding), pairs.rounding, len(d), 2 ** len(d)
        seen = _middle(d, statistic)
    else:
        x, y = checked_numbers(a, "a"), checked_numbers(b, "b")
        rounding = 1e-13 * float(max(np.abs(x).max(), np.abs(y).max()))
        x, y, turned = _groups(x, y, statistic)
        varies, n = bool(max(np.ptp(x), np.ptp(y)) > rounding), len(x) + len(y)
        seen, total = _middle(x, statistic) - _middle(y, statistic), math.comb(n, len(x))
    exact, rng = total <= MOST_DEALS, drawing(random_state)
    count = None if exact else int(draws)
    dealt, shifts = _flipped(d, statistic, count, rng) if paired else _dealt(x, y, statistic, count, rng)
    if not exact:
        dealt = np.append(dealt, seen)
    slack = max(rounding, 1e-12 * abs(seen))
    upper, lower = float((dealt >= seen - slack).mean()), float((dealt <= seen + slack).mean())
    seen = 0.0 if abs(seen) <= rounding else seen
    if turned:
        seen, upper, lower, shifts = -seen + 0.0, lower, upper, None if shifts is None else -shifts
    facts = (math.nan, confidence, "permutation", n, (), f"{statistic} difference")
    effect = _effect(Estimate(seen, math.nan, math.nan, *facts), shifts, varies, len(dealt))
    flags = effect.flags
    if 2 / total > 1 - confidence:
        flags = (*flags, "too_few_to_tell")
    under = "differences are symmetric about zero" if paired else "any row could have been in either group"
    assumptions = ("rows are independent", f"where nothing differs, {under}")
    name = f"permutation, {'exact' if exact else f'{draws:,} draws'}"
    return TestResult(name, effect, seen, p_of_tails(upper, lower, alternative), assumptions, flags)


def _middle(x: Array, statistic: str) -> float:
    return float(x.mean() if statistic == "mean" else np.median(x))


def _middles(x: Array, statistic: str) -> Array:
    return np.asarray(x.mean(axis=1) if statistic == "mean" else np.median(x, axis=1))


def _groups(x: Array, y: Array, statistic: str) -> tuple[Array, Array, bool]:
    """The smaller group first; of two as large the one with the larger middle, or the larger values."""
    x, y = np.sort(x), np.sort(y)
    turned = len(x) > len(y)
    if len(x) == len(y):
        apart = (x - y)[x != y]
        turned = (_middle(x, statistic) - _middle(y, statistic) or (float(apart[0]) if len(apart) else 0.0)) < 0
    return (y, x, True) if turned else (x, y, False)


def _flipped(d: Array, statistic: str, draws: int | None, rng: np.random.Generator) -> tuple[Array, Array | None]:
    """The statistic of every deal of signs, and the shift above which that deal outdoes the seen one (of the mean).

    A deal that flips some differences outdoes the seen one once the shift passes their mean.
    """
    n, values, shifts = len(d), [], []
    count, room = 2**n if draws is None else draws, max(1, _BLOCK // n)
    for start in range(0, count, room):
        size = min(room, count - start)
        if draws is None:
            flipped = (np.arange(start, start + size)[:, None] >> np.arange(n)) & 1 == 1
        else:
            flipped = rng.random((size, n), dtype=np.float32) < 0.5
        values.append(_middles(np.where(flipped, -d, d), statistic))
        many = flipped.sum(axis=1)
        shifts.append((flipped @ d)[many > 0] / many[many > 0])
    return np.concatenate(values), np.concatenate(shifts) if statistic == "mean" else None


def _dealt(
    x: Array, y: Array, statistic: str, draws: int | None, rng: np.random.Generator
) -> tuple[Array, Array | None]:
    """The same for two groups, the first of which is dealt from all rows in rising order."""
    m, n = len(x), len(y)
    order = np.argsort(np.concatenate([x, y]), kind="stable")
    everything, is_first = np.concatenate([x, y])[order], order < m
    seen, values, shifts = float(x.mean() - y.mean()), [], []
    for rows in _subsets(m, m + n, draws, rng):
        inside = np.zeros((len(rows), m + n), dtype=bool)
        np.put_along_axis(inside, rows, True, axis=1)
        rest = np.broadcast_to(everything, inside.shape)[~inside].reshape(len(rows), n)
        values.append(_middles(everything[rows], statistic) - _middles(rest, statistic))
        # A shift of the first group moves this deal's difference by `moved` of it, the seen one by all of it.
        mine = is_first[rows].sum(axis=1)
        moved = mine / m - (m - mine) / n
        other = mine < m
        shifts.append((seen - values[-1][other]) / (1 - moved[other]))
    return np.concatenate(values), np.concatenate(shifts) if statistic == "mean" else None


def _subsets(m: int, total: int, draws: int | None, rng: np.random.Generator) -> Iterator[NDArray[np.intp]]:
    if draws is None:
        yield np.array(list(combinations(range(total), m)), dtype=np.intp).reshape(-1, m)
        return
    room = max(1, _BLOCK // total)
    for start in range(0, draws, room):
        keys = rng.random((min(room, draws - start), total), dtype=np.float32)
        yield np.argpartition(keys, m - 1, axis=1)[:, :m]


def _effect(seen: Estimate, shifts: Array | None, varies: bool, deals: int) -> Estimate:
    """The difference, and the shifts that are not rejected."""
    if shifts is None:
        return replace(seen, reason="only a mean moves with a shift in every deal")
    if not varies:
        return replace(seen, flags=("no_spread",), reason="nothing varies, so there is no interval")
    out = math.floor((1 - seen.confidence) / 2 * deals + 1e-9)  # deals that a rejected shift may have on its side
    shifts = np.sort(shifts)
    if out < 1 or out > len(shifts):
        why = f"{int(seen.n)} values cannot reject any shift"
        return replace(seen, low=-math.inf, high=math.inf, reason=why)
    return replace(seen, low=float(shifts[out - 1]), high=float(shifts[-out]))
