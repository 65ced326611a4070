"""The critical-difference diagram with matplotlib: models on an axis of average ranks, the best on the left."""

from __future__ import annotations

import math
import textwrap
from typing import TYPE_CHECKING, Any

from surefold.show.row_chart import Row, RowChart
from surefold.show.write.style import Looks, Theme, literal, new_axes, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["bar_levels", "draw_ranks"]

#: Heights in rows of names: of the critical difference above the axis, between bars, and before the first name.
ABOVE, STEP, BEFORE = 1.75, 0.42, 0.75
INCHES_A_ROW = 0.27
LONGEST = 40


def draw_ranks(chart: RowChart, ax: Any, looks: Looks) -> Any:
    """Average ranks with a line to each name; bars join what cannot be told apart.

    With a control a band reaches as far as the critical difference, if there is one, to either side of it.
    """
    rows, k = chart.rows_drawn, len(chart.rows_drawn)
    ranks = [rank_of(row) for row in rows]
    bars = bar_levels([tuple(ranks[i] for i in group.rows) for group in chart.groups])
    first = -(BEFORE + STEP * (1 + max((level for _, _, level in bars), default=-1)))
    caption = textwrap.wrap(chart.sentence, 96)
    floor = first - (math.ceil(k / 2) - 1) - 1.1 - 0.62 * len(caption)
    ceiling = ABOVE + 0.9 if chart.scale is not None else 1.1
    longest = max((len(literal(row.name, LONGEST)) for row in rows), default=0)
    width = (7.6 if k <= 12 else 8.6) + 0.06 * max(0, 2 * longest - 24)
    is_ours = ax is None
    size = (width, 0.5 + INCHES_A_ROW * (ceiling - floor))
    ax, theme = new_axes(ax, looks.dark, size, "plotting a critical difference")
    ax.set_axis_off()
    _axis(ax, theme, chart)
    _names(ax, theme, rows, first, chart.x.ends)
    for low, high, level in bars:
        over = 0.008 * (chart.x.high - chart.x.low)
        y = -(0.42 + STEP * level)
        (bar,) = ax.plot(
            [low - over, high + over], [y, y], color=theme.colours[1], linewidth=4.6, solid_capstyle="butt", zorder=5
        )
        bar.set_gid("surefold-clique")
    ends = chart.x.ends if chart.scale is None else _difference(ax, theme, chart, first)
    room = 0.02 * (ends[1] - ends[0])
    ax.set_xlim(ends[0] - room, ends[1] + room)
    ax.set_ylim(floor, ceiling)
    text = ax.text(sum(chart.x.ends) / 2, floor + 0.1, "\n".join(caption), ha="center", va="bottom", fontsize="small")
    plain(text, theme, faint=True)
    if looks.title:
        plain(ax.set_title(literal(looks.title, 60)), theme)
    if is_ours:  # names stand outside the axis, and the figure makes room for them
        ax.figure.set_layout_engine("constrained", w_pad=0.1, h_pad=0.08)
    return ax


def rank_of(row: Row) -> float:
    """Where the row stands."""
    return math.nan if row.estimate is None else row.estimate.value


def bar_levels(groups: list[tuple[float, ...]]) -> list[tuple[float, float, int]]:
    """Ends of each bar and the level it is drawn on, so that bars on one level stand apart.

    >>> bar_levels([(1.0, 2.0), (1.5, 3.0), (2.5, 4.0)])
    [(1.0, 2.0, 0), (1.5, 3.0, 1), (2.5, 4.0, 0)]
    """
    used: list[float] = []  # where the last bar of each level ends
    found = []
    for low, high in sorted((min(group), max(group)) for group in groups):
        level = next((i for i, end in enumerate(used) if low > end + 0.12), len(used))
        used[level : level + 1] = [high]
        found.append((low, high, level))
    return found


def _axis(ax: Axes, theme: Theme, chart: RowChart) -> None:
    """Ranks from 1 to the number of models, by whole numbers."""
    low, high = chart.x.ends
    ax.plot([low, high], [0, 0], color=theme.ink, linewidth=1.4, solid_capstyle="butt", zorder=3)
    for rank in range(int(low), int(high) + 1):
        ax.plot([rank, rank], [0, 0.22], color=theme.ink, linewidth=1.2, zorder=3)
        if rank < high:
            ax.plot([rank + 0.5] * 2, [0, 0.12], color=theme.faint, linewidth=0.9, zorder=3)
        plain(ax.text(rank, 0.32, str(rank), ha="center", va="bottom", fontsize="small"), theme)


def _names(ax: Any, theme: Theme, rows: tuple[Row, ...], first: float, ends: tuple[float, float]) -> None:
    """The better half on the left, the rest on the right; the outermost highest, so that no lines cross."""
    left = math.ceil(len(rows) / 2)
    for side, edge, align in ((rows[:left], ends[0], "right"), (rows[left:][::-1], ends[1], "left")):
        for place, row in enumerate(side):
            rank, y, control = rank_of(row), first - place, row.kind == "other"
            colour = theme.colours[0] if control else theme.faint
            pen = {"color": colour, "linewidth": 1.6 if control else 1.1, "solid_joinstyle": "miter", "zorder": 2}
            (line,) = ax.plot([rank, rank, edge], [0, y, y], **pen)
            line.surefold_curve = True
            ax.plot([rank], [0], "o", color=colour if control else theme.ink, markersize=3.6, zorder=4)
            name = literal(row.name, LONGEST)
            shown = f"{row.words}  {name}" if align == "left" else f"{name}  {row.words}"
            where = {"xytext": (5 if align == "left" else -5, 0), "textcoords": "offset points", "ha": align}
            text = ax.annotate(shown, (edge, y), va="center", fontsize="small", annotation_clip=False, **where)
            plain(text, theme)
            if control:
                text.set_fontweight("bold")


def _difference(ax: Axes, theme: Theme, chart: RowChart, floor: float) -> tuple[float, float]:
    """The critical difference to scale above the axis: from its left end, or to either side of the control."""
    reach, name = chart.scale or (0.0, "")
    best, worst = chart.x.ends
    control = next((rank_of(row) for row in chart.rows_drawn if row.kind == "other"), None)
    low, high = best, best + reach
    if control is not None:
        low, high, name = control - reach, control + reach, f"control ± {name}"
        near, far = max(low, best), min(high, worst)
        shade = ax.fill_between([near, far], floor, ABOVE, color=theme.colours[0], alpha=0.12, linewidth=0, zorder=1)
        shade.set_gid("surefold-band")
    (bar,) = ax.plot([low, high], [ABOVE, ABOVE], color=theme.ink, linewidth=1.6, solid_capstyle="butt", zorder=3)
    bar.set_gid("surefold-critical-difference")
    for end in (low, high):
        ax.plot([end, end], [ABOVE - 0.16, ABOVE + 0.16], color=theme.ink, linewidth=1.6, zorder=3)
    at = low if control is None else (max(low, best) + min(high, worst)) / 2
    side = "left" if control is None else "center"
    plain(ax.text(at, ABOVE + 0.24, name, ha=side, va="bottom", fontsize="small"), theme)
    return min(best, low), max(worst, high)
