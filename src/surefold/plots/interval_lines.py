"""Lines through estimates, with their intervals: bands for one or two lines, bars side by side for more."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from surefold.estimates.estimate import Estimate
from surefold.show.write.style import DASHES, Theme, named

__all__ = ["MARKERS", "interval_key", "interval_line", "is_even_in_logs"]

MARKERS = ("o", "s", "^", "D", "v", "P")
#: More bands than this on top of each other cannot be told apart.
MOST_BANDS = 2
#: How far apart bars of neighbouring lines stand, as a share of the smallest step.
APART = 0.09


def interval_line(
    ax: Any,
    theme: Theme,
    x: Sequence[float],
    estimates: Sequence[Estimate],
    label: str,
    *,
    place: int,
    lines: int,
    in_logs: bool = False,
    intervals: bool = True,
    floor: float | None = None,
) -> Any:
    """Draw line number `place` of `lines`; `floor` replaces low ends of zero, which a logarithmic axis cannot show."""
    at = np.asarray(x, dtype=float)
    y, low, high = (np.array([getattr(e, end) for e in estimates]) for end in ("value", "low", "high"))
    if floor is not None:
        low = np.where(low > 0, low, y * floor)
    style = {"color": theme.colours[place % len(theme.colours)], "linestyle": DASHES[place % len(DASHES)]}
    if intervals and lines > MOST_BANDS:
        at = _aside(at, place - (lines - 1) / 2, in_logs)
        ends = np.maximum([y - low, high - y], 0)
        ax.errorbar(at, y, yerr=ends, fmt="none", ecolor=style["color"], elinewidth=1.1, alpha=0.75, zorder=2)
    elif intervals:
        ax.fill_between(at, low, high, color=style["color"], alpha=0.15, linewidth=0, zorder=1)
    (drawn,) = ax.plot(at, y, **style, marker=MARKERS[place % len(MARKERS)], markersize=5, linewidth=1.9, zorder=3)
    drawn.surefold_curve = True
    return named(ax, drawn, label)


def interval_key(ax: Any, theme: Theme, confidence: float, lines: int) -> None:
    """The legend's entry for the intervals."""
    if lines > MOST_BANDS:
        (key,) = ax.plot([], [], color=theme.faint, linewidth=1.1, marker="|", linestyle="none", markersize=11)
    else:
        key = ax.fill_between([], [], color=theme.faint, alpha=0.25, linewidth=0)
    named(ax, key, f"{confidence:.0%} interval".replace("%", " %"))


def _aside(x: Any, steps: float, in_logs: bool) -> Any:
    if len(x) < 2:
        return x
    scale = np.log(x) if in_logs else x
    moved = scale + steps * APART * np.diff(np.unique(scale)).min()
    return np.exp(moved) if in_logs else moved


def is_even_in_logs(x: Any) -> bool:
    """Whether numbers span a factor of ten or nearly, and their ratios are nearer to equal than their differences.

    >>> is_even_in_logs([0.01, 0.1, 1, 10]), is_even_in_logs([1.0, 2, 3]), is_even_in_logs([0.0, 9])
    (True, False, False)
    """
    numbers = np.unique(np.asarray(x, dtype=float))
    if len(numbers) < 2 or numbers[0] <= 0 or numbers[-1] < 9 * numbers[0]:
        return False
    return len(numbers) == 2 or _uneven(np.diff(np.log(numbers))) < _uneven(np.diff(numbers))


def _uneven(steps: Any) -> float:
    return float(np.std(steps) / np.mean(steps)) if np.mean(steps) else math.inf
