"""From sums of moves to every pair's rows won and lost, and to the bounds made of them."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from surefold.comparison.pair_moments import PairMoments
from surefold.estimates.grouping import Design
from surefold.significance.bounds import Bounds
from surefold.significance.wins_and_losses import Counts, Powers, WinsAndLosses
from surefold.tallies.clusters import leverage
from surefold.tallies.moves import Moves, pair_powers

__all__ = ["largest_group", "powers_of", "won_and_lost"]

Array = NDArray[np.float64]

#: The level at which groups that are few widen normal bounds.
_LEVEL = 0.95


def powers_of(moves: Moves) -> Powers:
    """Of every pair of models; of groups, each as if it were left out, where rows come in groups.

    Where groups vary less than independent rows would, the rows are taken.
    """
    rows = moves.products[0][:, 1:].sum(axis=0)
    if not moves.units:
        return Powers(*rows)
    (units,) = moves.units
    groups = pair_powers(units.sums * leverage(units.size.sum(axis=0)))
    return Powers(*np.where(groups[0] > rows[0], groups, rows))


def largest_group(moves: Moves) -> float:
    """The mean square of how many rows go together: 1 where they do not come in groups."""
    if not moves.units:
        return 1.0
    sizes = moves.units[0].size.sum(axis=0)
    return float((sizes**2).mean())


def won_and_lost(moments: PairMoments, counts: Counts, beside: Array, design: Design) -> PairMoments:
    """The same pairs with bounds from their rows won and lost, and no nearer than normal ones of variance `beside`.

    Where rows come in groups these are at least t's with the groups' degrees of freedom.
    """
    factor = design.factor(_LEVEL)
    if moments.groups < math.inf:
        beside = np.maximum(beside, moments.plain)
    reach = np.sqrt(beside / factor) if factor > 0 else np.full_like(beside, math.inf)

    def bounds(i: int, j: int) -> Bounds:
        value = float(moments.values[i] - moments.values[j])
        return WinsAndLosses(value, Counts(*(x[i, j] for x in counts)), moments.limits, float(reach[i, j]))

    return replace(moments, rule=bounds, method=WinsAndLosses.method, name="wins and losses", no_spread="")
