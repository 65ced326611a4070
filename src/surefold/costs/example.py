"""Simulated oil slicks: rare, dear to miss, and hard to tell from what looks like them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from surefold.resampling.options import whole

__all__ = ["SLICK_COSTS", "simulated_oil_slicks"]

#: A slick that nobody sees does the damage of twenty needless flights.
SLICK_COSTS = {"fp": 1, "fn": 20}


def simulated_oil_slicks(
    n: int = 4000, share: float = 0.02, random_state: int = 0
) -> tuple[NDArray[np.float64], NDArray[np.str_]]:
    """Dark regions of radar images as numbers, and whether each is a "slick" or a "look-alike". Nothing here is real.

    Columns: logarithm of the area, how elongated it is, how much darker than the sea around, how sharp its edge, and
    the wind. Look-alikes come in two kinds. Most are patches of calm water, unlike slicks in nearly everything; one in
    five is a wind shadow, elongated and dark, that its blurred edge and the stronger wind tell from a slick. Slicks
    resemble each other more than look-alikes do, which no straight line can use.

    >>> X, y = simulated_oil_slicks(1000)
    >>> X.shape, int((y == "slick").sum())
    ((1000, 5), 20)
    """
    n = whole("n", n, least=50)
    rng = np.random.default_rng(random_state)
    slicks = max(2, round(share * n))
    shadows = round((n - slicks) / 5)
    # area, elongation, darkness, sharpness, wind: mean and spread of each kind
    kinds = {
        "slick": (slicks, (2.2, 2.3, 2.7, 1.9, 5.6), (0.9, 0.8, 0.5, 0.6, 1.2)),
        "shadow": (shadows, (2.4, 2.2, 2.6, 1.0, 7.0), (1.0, 0.8, 0.9, 0.7, 1.8)),
        "calm": (n - slicks - shadows, (1.4, 0.9, 1.6, 1.3, 3.2), (0.9, 0.7, 0.9, 0.8, 1.5)),
    }
    X = np.concatenate([rng.normal(means, spreads, size=(rows, 5)) for rows, means, spreads in kinds.values()])
    y = np.repeat(["slick", "look-alike", "look-alike"], [rows for rows, _, _ in kinds.values()])
    order = rng.permutation(n)
    return X[order], y[order]
