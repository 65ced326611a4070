"""Charts with a row a name with matplotlib: names at the left, figures at the right."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from surefold.estimates.estimate import Estimate
from surefold.show.names import width
from surefold.show.row_chart import Row, RowChart
from surefold.show.write.style import Looks, Theme, legend, literal, named, new_axes, plain, write

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["draw_rows"]

#: Inches that a row takes: much with few of them, little with many.
ROOMY, TIGHT, FEW = 0.42, 0.24, 12
#: Characters of a name.
LONGEST = 44
#: Of each kind of row: its colour (the place in the palette, or None for grey), its marker, whether that is hollow.
KINDS: dict[str, tuple[int | None, str, bool]] = {
    "value": (0, "D", False),
    "other": (1, "s", False),
    "hollow": (None, "o", True),
    "better": (0, "^", False),
    "worse": (1, "v", False),
    "equal": (2, "s", False),
    "open": (None, "o", False),
}
#: How far dots with equal values stand apart at most, in rows.
STEP, REACH = 0.13, 0.4


def draw_rows(chart: RowChart, ax: Axes | None, looks: Looks) -> Axes:
    """A row a name: dots above, the value on its interval, and its figures at the right."""
    rows = chart.rows_drawn
    few = len(rows) <= FEW
    names = [literal(row.name, LONGEST) for row in rows]
    sides = [max((width(text) for text in each), default=0) for each in (names, [row.words for row in rows])]
    tall = any(row.dots and row.estimate is not None for row in rows)
    height = 1.9 + (ROOMY * (1.45 if tall else 1.0) if few else TIGHT * (1.6 if tall else 1.0)) * len(rows)
    size = (4.4 + min(0.075 * sum(sides), 6.2), min(height, 16.0))
    ax, theme = new_axes(ax, looks.dark, size, f"plotting {chart.title or chart.key}")
    text = "medium" if few else "small"
    room = 0.02 * (chart.x.high - chart.x.low)
    ax.set_xlim(chart.x.low - room, chart.x.high + room)
    _behind(chart, ax, theme)
    for place, row in enumerate(rows):
        _row(ax, theme, row, place, {"markersize": 8.0 if few else 6.0, **looks.style})
        if row.words:
            said = ax.text(
                1.015, place, literal(row.words, 60), transform=ax.get_yaxis_transform(), va="center", fontsize="small"
            )
            plain(said, theme, faint=True)
    _key(chart, ax, theme)
    ax.set_yticks(range(len(rows)), names, fontsize=text)
    for label in ax.get_yticklabels():
        plain(label, theme)
    ax.tick_params(axis="y", length=0)
    ax.grid(False, axis="y")
    ax.set_ylim(len(rows) - 0.4, -0.6)
    write(ax, theme, chart.x.name, "", looks.title or chart.title)
    if looks.show_legend:
        legend(ax, theme)
    return ax


def _behind(chart: RowChart, ax: Axes, theme: Theme) -> None:
    """The shade and the upright lines, with their words above the frame."""
    if chart.shade is not None:
        strip = ax.axvspan(*chart.shade, color=theme.colours[2], alpha=0.14, linewidth=0, zorder=0)
        for kind, words in chart.legend:
            if kind == "shade":
                named(ax, strip, words)
    for value, words in chart.lines:
        line = ax.axvline(value, color=theme.ink, linewidth=1.0, linestyle=(0, (4, 3)), zorder=1)
        if words:
            named(ax, line, words)


def _row(ax: Any, theme: Theme, row: Row, place: int, style: dict[str, Any]) -> None:
    tone, marker, hollow = KINDS[row.kind]
    colour = theme.faint if tone is None else theme.colours[tone]
    both = bool(row.dots) and row.estimate is not None
    if row.dots:
        _dots(ax, theme, np.array(row.dots), place - 0.2 * both, 0.2 if both else REACH)
    e, at = row.estimate, place + 0.22 * both
    if e is None:
        return
    if not e.defined:
        why = f"undefined: {literal(e.reason, 70)}"
        text = ax.text(0.02, at, why, transform=ax.get_yaxis_transform(), va="center", fontsize="small")
        plain(text, theme, faint=True)
        return
    for interval, line in ((row.wide, {"linewidth": 7.0, "alpha": 0.28}), (e, {"linewidth": 2.0})):
        if interval is not None and not math.isnan(interval.low):
            _interval(ax, interval, at, {"color": colour, "solid_capstyle": "butt", "zorder": 3, **line})
    face, edge = (theme.paper, colour) if hollow else (colour, theme.paper)
    pen = {"color": colour, "marker": marker, "markerfacecolor": face, "markeredgecolor": edge, "linestyle": "none"}
    (drawn,) = ax.plot([e.value], [at], **{**pen, **style}, zorder=4)
    drawn.set_gid("surefold-value")


def _interval(ax: Axes, e: Estimate, at: float, pen: dict[str, Any]) -> None:
    """A bar from end to end, or to the end of the axis."""
    least, most = ax.get_xlim()
    (bar,) = ax.plot([max(e.low, least), min(e.high, most)], [at, at], **pen)
    bar.set_gid("surefold-wide" if "alpha" in pen else "surefold-interval")


def _dots(ax: Any, theme: Theme, values: NDArray[np.float64], place: float, reach: float) -> None:
    """One dot a value; equal ones stand above and below each other, so that none hides another."""
    there = values[~np.isnan(values)]
    if not there.size:
        return
    bins = np.round(there / (float(np.ptp(there)) or 1.0) * 60).astype(int)
    offset, step = np.zeros(len(there)), STEP
    for each in np.unique(bins):
        where = np.flatnonzero(bins == each)
        own = min(STEP, 2 * reach / max(len(where) - 1, 1))
        offset[where] = (np.arange(len(where)) - (len(where) - 1) / 2) * own
        step = min(step, own)
    size = 5.0 if len(there) <= 10 and step == STEP else 3.6
    alpha = 0.6 if theme.is_light else 0.8
    pen = {"color": theme.colours[0], "markersize": size, "alpha": alpha, "markeredgewidth": 0, "zorder": 3}
    (drawn,) = ax.plot(there, place + offset, "o", **pen)
    drawn.surefold_curve = True


def _key(chart: RowChart, ax: Axes, theme: Theme) -> None:
    """What the kinds of marks mean, of those that are there."""
    there = {row.kind for row in chart.rows_drawn if row.estimate is not None and row.estimate.defined}
    for kind, words in chart.legend:
        if kind == "dots" and any(row.dots for row in chart.rows_drawn):
            (key,) = ax.plot([], [], "o", color=theme.colours[0], markersize=4, alpha=0.7)
            named(ax, key, words)
        elif kind in there:
            tone, marker, hollow = KINDS[kind]
            colour = theme.faint if tone is None else theme.colours[tone]
            face = theme.paper if hollow else colour
            (key,) = ax.plot([], [], color=colour, marker=marker, linewidth=1.7, markersize=7, markerfacecolor=face)
            named(ax, key, words)
