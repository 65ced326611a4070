"""The mean over rows of something that was found once or several times for each row."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from surefold.estimates.estimate import Estimate
from surefold.estimates.losses import bounded_mean_bounds
from surefold.estimates.mean import scaled_variance
from surefold.estimates.quantiles import t_quantile

__all__ = ["mean_over_rows"]


def mean_over_rows(
    name: str,
    each: NDArray[np.float64],
    limits: tuple[float, float] | None,
    level: float,
    flags: tuple[str, ...] = (),
) -> Estimate:
    """The mean of repeats x rows, NaN where a repeat has nothing of a row; variances over rows and repeats are added.

    Rows with `limits` get the one-row interval, which is never of zero width; differences of rows, which have none, t.

    >>> print(mean_over_rows("loss", np.array([[0.0, 0.0, 1.0, 0.0]]), (0.0, 1.0), 0.95))
    0.25 [0.03, 0.72]
    >>> print(mean_over_rows("change", np.array([[0.0, 0.0, 1.0, 0.0]]), None, 0.95))  # s/√4 = 1/4, t 3.182
    0.25 [−0.55, 1.05]
    """
    rows = np.nanmean(each[:, ~np.isnan(each).all(axis=0)], axis=0)
    n, value = len(rows), float(rows.mean())
    over_rows = scaled_variance(rows) / n if n > 1 else 0.0
    means = np.nanmean(each, axis=1)
    over_repeats = scaled_variance(means) / len(means) if len(means) > 1 else 0.0
    total = over_rows + over_repeats
    told = (*flags, "degenerate") if total == 0 else flags
    what = "over rows" if len(means) == 1 else "over rows and repeats"
    if limits is None:
        reach = math.sqrt(total) * t_quantile((1 + level) / 2, max(n - 1, 1))
        low, high, method = value - reach, value + reach, f"t {what}"
    else:
        ones, factor = np.ones(n), over_rows / total if total > 0 else 1.0
        ends = bounded_mean_bounds(rows, ones, ones, limits=limits, confidence=level, factor=factor)
        low, high, method = float(ends[0]), float(ends[1]), f"one_row {what}"
    return Estimate(value, low, high, math.sqrt(total), level, method, n, told, name)
