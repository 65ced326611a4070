"""Which places each of several models may have: the verdicts of all pairs, read once more."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Rank", "ordinal", "ranks_of"]


@dataclass(frozen=True)
class Rank:
    """A model's place by its value, 1 being the best, and the places from `low` to `high` that it may have.

    Equal values share the mean of their places. The sets of all models hold at once, at the confidence of the
    comparison, because they say no more than the verdicts of its pairs do.

    >>> print(Rank(0.81, 3, 2, 7))
    3rd (2nd to 7th)
    """

    value: float
    rank: float
    low: int
    high: int

    def __str__(self) -> str:
        return f"{ordinal(self.rank)} ({self.reach})"

    @property
    def reach(self) -> str:
        """The places it may have, in words."""
        return ordinal(self.low) if self.low == self.high else f"{ordinal(self.low)} to {ordinal(self.high)}"

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        value = None if math.isnan(self.value) else self.value
        return {"value": value, "rank": self.rank, "low": self.low, "high": self.high}


def ranks_of(names: Sequence[str], values: Sequence[float], better: NDArray[np.bool_], higher: bool) -> dict[str, Rank]:
    """`better[i, j]`: model i is surely better than model j. A model without a value may have any place.

    >>> sure = np.zeros((3, 3), dtype=bool)
    >>> sure[0, 2] = True
    >>> [str(rank) for rank in ranks_of("abc", [0.9, 0.8, 0.7], sure, True).values()]
    ['1st (1st to 2nd)', '2nd (1st to 3rd)', '3rd (2nd to 3rd)']
    """
    m = len(names)
    keys = np.array([v if higher else -v for v in values], dtype=float)
    keys[np.isnan(keys)] = -math.inf
    above = (keys[None, :] > keys[:, None]).sum(axis=1)
    alike = (keys[None, :] == keys[:, None]).sum(axis=1)
    places = 1 + above + (alike - 1) / 2
    low, high = 1 + better.sum(axis=0), m - better.sum(axis=1)
    return {name: Rank(float(values[i]), float(places[i]), int(low[i]), int(high[i])) for i, name in enumerate(names)}


def ordinal(place: float) -> str:
    """1st, 2nd, 3rd; a place that is shared by two has a half.

    >>> [ordinal(place) for place in (1, 2, 11, 23, 2.5)]
    ['1st', '2nd', '11th', '23rd', '2.5th']
    """
    whole = int(place)
    if place != whole:
        return f"{place:g}th"
    ending = "th" if 10 <= whole % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(whole % 10, "th")
    return f"{whole:,}{ending}"


def sure_wins(names: Sequence[str], told: Mapping[tuple[str, str], int]) -> NDArray[np.bool_]:
    """From what was told of pairs (1: the first is surely better, -1: the second) to a table of who beats whom."""
    place = {name: i for i, name in enumerate(names)}
    better = np.zeros((len(names), len(names)), dtype=bool)
    for (first, second), sign in told.items():
        i, j = place[first], place[second]
        if sign > 0:
            better[i, j] = True
        elif sign < 0:
            better[j, i] = True
    return better
