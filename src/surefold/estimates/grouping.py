"""Rows in groups: by how much the variance grows, what few groups cost, and how many they are worth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefold.estimates.quantiles import normal_quantile, t_quantile
from surefold.tallies.clusters import effective_groups, leverage

__all__ = ["NOT_GROUPED", "Grouping", "group_factor", "grouping"]


@dataclass(frozen=True)
class Grouping:
    """Cluster-robust over plain variance (never below 1), (z/t)^2, and the groups of one size these are worth."""

    design_effect: float = 1.0
    group_factor: float = 1.0
    groups: float = np.inf


NOT_GROUPED = Grouping()


def group_factor(groups: float, confidence: float) -> float:
    """(z/t)^2 with groups - 1 degrees of freedom; 0 where one group tells nothing."""
    degrees, p = groups - 1, (1 + confidence) / 2
    return float((normal_quantile(p) / t_quantile(p, degrees)) ** 2) if degrees >= 0.05 else 0.0


def grouping(
    influence: NDArray[np.float64],
    weights: NDArray[np.float64] | None,
    groups: NDArray[Any],
    confidence: float,
    classes: NDArray[Any] | None = None,
) -> Grouping:
    """From the influence of each row. A class that only some groups hold rests on those, so the fewest decide."""
    w = np.ones(len(influence)) if weights is None else weights
    kept = w > 0
    w, influence = w[kept], influence[kept]
    codes = np.unique(groups[kept], return_inverse=True)[1]
    sizes = np.bincount(codes, weights=w)
    moved = w * influence
    plain = float(moved @ moved)
    sums = np.bincount(codes, weights=moved) * leverage(sizes)
    worth = effective_groups(sizes)
    if classes is not None:
        held = classes[kept]
        worth = min(effective_groups(np.bincount(codes, weights=w * (held == c))) for c in np.unique(held))
    effect = max(1.0, float(sums @ sums) / plain) if plain > 0 else 1.0
    return Grouping(effect, group_factor(worth, confidence), worth)
