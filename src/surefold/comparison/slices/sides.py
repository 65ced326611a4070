"""One measure of many sets of rows: of the slices, or of all rows but those of each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from surefold.estimates.estimate import Estimate
from surefold.estimates.grouping import group_factor
from surefold.estimates.losses import t_reach
from surefold.estimates.one_row import beta_interval, effective_rows, ratio_interval

__all__ = ["Scale", "Sides", "unit_scale"]

Array = NDArray[np.float64]
#: On which scale bounds of a measure are made: Beta quantiles between its limits, the same of s = x^.8 / (1 + x^.8), t
#: on that of its logarithm, t on that of the logarithm of one less it; "none": nothing was measured.
Scale = Literal["unit", "ratio", "log", "skill", "none"]
_POWER = 0.8


@dataclass(frozen=True, eq=False)
class Sides:
    """Arrays with an entry a set of rows.

    centre, variance: with one row added, allowing for groups. rows: how many they are worth; groups: how many groups of
    one size, infinite where rows are independent. shape: what Beta quantiles add to either end. share: successes and
    rows of a share, where rows are independent and weigh alike. estimates: at a confidence, with reasons and flags;
    ends: intervals alone, where they do not follow from the above.
    """

    value: Array
    centre: Array
    variance: Array
    rows: Array
    groups: Array
    limits: tuple[float, float]
    shape: Array
    scale: Scale = "unit"
    share: tuple[Array, Array] | None = None
    estimates: Callable[[float], list[Estimate]] | None = field(default=None, repr=False)
    ends: Callable[[float], tuple[Array, Array]] | None = field(default=None, repr=False)

    @cached_property
    def tested(self) -> NDArray[np.bool_]:
        """Which have a value, and a variance that says how sure it is."""
        known = np.isfinite(self.value) & np.isfinite(self.centre) & np.isfinite(self.variance) & (self.variance > 0)
        return np.asarray(known & (self.scale != "none"))

    def bounds(self, confidence: float) -> tuple[Array, Array]:
        """The two-sided interval of each."""
        if self.ends is not None:
            return self.ends(confidence)
        factor = np.array([1.0 if np.isinf(g) else group_factor(float(g), confidence) for g in self.groups])
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            if self.scale == "unit":
                n = effective_rows(self.centre, self.variance, self.limits) * factor
                return beta_interval(self.centre, n, self.value, self.limits, confidence, self.shape)  # type: ignore[arg-type]
            if self.scale == "ratio":
                return ratio_interval(self.centre, self.variance / factor, self.value, confidence)
            x = self.centre if self.scale == "log" else 1 - self.centre
            raw = self.value if self.scale == "log" else 1 - self.value
            reach = t_reach(self.rows - 1, confidence) * np.sqrt(self.variance / factor)
            times = np.exp(np.where(x > 0, reach / x, np.inf))
            low, high = np.where(raw <= 0, 0.0, np.minimum(x / times, raw)), np.maximum(x * times, raw)
            return (low, high) if self.scale == "log" else (1 - high, 1 - low)


def unit_scale(sides: Sides) -> tuple[Callable[[Array], Array], Array]:
    """What takes a value to the scale from 0 to 1, and the variance of each there."""
    least, greatest = sides.limits
    if sides.scale == "ratio":

        def share(x: Array) -> Array:
            power = np.maximum(x, 0.0) ** _POWER
            return np.where(np.isinf(power), 1.0, power / (1 + np.where(np.isinf(power), 0.0, power)))

        s = share(sides.centre)
        return share, sides.variance * (_POWER * s * (1 - s) / sides.centre) ** 2
    return lambda x: (x - least) / (greatest - least), sides.variance / (greatest - least) ** 2
