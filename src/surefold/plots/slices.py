"""Slices as lines from the worst to the best: both intervals, the line of the whole, and marks where one is told."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from surefold.comparison.slices.result import Slice, Slices, SliceStatus
from surefold.phrases import measure_title
from surefold.show.write.style import Theme, legend, literal, named, new_axes, plain, write

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_slices", "shown_slices"]

#: More slices than this cannot be read.
MOST = 40
#: Inches a line takes.
LINE = 0.3
#: Colour (its place in the palette, or None for grey), marker and words of what is told.
TOLD: dict[SliceStatus, tuple[int | None, str, str]] = {
    "below": (1, "v", "below the rest"),
    "above": (0, "^", "above the rest"),
    "alike": (2, "s", "alike"),
    "cannot_tell": (None, "o", "cannot tell"),
    "too_few": (None, "o", "too few rows, not tested"),
}


def shown_slices(s: Slices, most: int = MOST) -> tuple[Slice, ...]:
    """From the worst to the best; of too many those that are told, then the ends."""
    every = s.ordered
    if len(every) <= most:
        return every
    order = sorted(range(len(every)), key=lambda i: (not every[i].told, min(i, len(every) - 1 - i)))
    return tuple(every[i] for i in sorted(order[:most]))


def plot_slices(s: Slices, ax: Axes | None = None, *, title: object = "", dark: bool = False, **style: object) -> Axes:
    """A line a slice: thick and pale the interval that holds for all at once, thin and dark that for it alone.

    Filled marks are told from the rest; the upright line and band are those of all rows. Of more than 40 slices those
    that are told and the worst and best are drawn. `style` goes to matplotlib's `plot` of the marks.
    """
    shown = shown_slices(s)
    longest = max([len(one.name) for one in shown], default=4)
    axes, theme = new_axes(ax, dark, (5.6 + min(0.07 * longest, 3.2), 1.9 + LINE * len(shown)), "plotting slices")
    drawn: Axes = axes
    if math.isfinite(s.whole.low):
        band = axes.axvspan(s.whole.low, s.whole.high, color=theme.colours[0], alpha=0.12, linewidth=0, zorder=0)
        named(axes, band, f"all rows, {s.whole}")
    axes.axvline(s.whole.value, color=theme.colours[0], linewidth=1.4, zorder=1)
    for place, one in enumerate(shown):
        _line(axes, theme, one, place, {"markersize": 7.5, **style})
    for status, (_, _, words) in TOLD.items():
        if any(one.status == status for one in shown):
            colour, marker = _look(theme, status)
            (key,) = axes.plot([], [], color=colour, marker=marker, linestyle="none", **_fill(theme, status, colour))
            named(axes, key, words)
    names = [f"{literal(one.name, 44)}  ({one.rows:,})" for one in shown]
    axes.set_yticks(range(len(shown)), names, fontsize="small")
    for text in axes.get_yticklabels():
        plain(text, theme)
    axes.tick_params(axis="y", length=0)
    axes.grid(False, axis="y")
    axes.set_ylim(len(shown) - 0.4, -0.6)
    level = f"{s.confidence * 100:g} %"
    write(axes, theme, f"{measure_title(s.measure)}\nthin: {level} for it alone; thick: {level} for all at once", "")
    count = len(s.slices)
    heading = f"{len(shown)} of {count:,} slices" if len(shown) < count else f"{count} slice{'s' if count != 1 else ''}"
    plain(axes.set_title(literal(title, 60) if title else heading, fontsize="medium"), theme)
    legend(axes, theme)
    box = axes.get_legend()
    if box is not None:
        tall = axes.figure.get_figheight() * axes.get_position().height
        box.set_bbox_to_anchor((0.0, -0.8 / max(tall, 0.5)), transform=axes.transAxes)
    return drawn


def _look(theme: Theme, status: SliceStatus) -> tuple[str, str]:
    place, marker, _ = TOLD.get(status, (None, "o", ""))
    return (theme.faint if place is None else theme.colours[place]), marker


def _fill(theme: Theme, status: SliceStatus, colour: str) -> dict[str, Any]:
    """Filled where something is told, else hollow."""
    told = TOLD.get(status, (None, "o", ""))[0] is not None
    return {"markerfacecolor": colour if told else theme.paper, "markeredgecolor": colour}


def _line(ax: Axes, theme: Theme, one: Slice, place: int, style: dict[str, Any]) -> None:
    colour, marker = _look(theme, one.status)
    wide, e = one.simultaneous, one.estimate
    if wide is not None and math.isfinite(wide.low):
        (bar,) = ax.plot(
            [wide.low, wide.high], [place] * 2, color=colour, linewidth=8, alpha=0.3, solid_capstyle="butt", zorder=2
        )
        bar.set_gid("slice-all-at-once")
    if math.isfinite(e.low):
        ax.plot([e.low, e.high], [place] * 2, color=colour, linewidth=1.8, solid_capstyle="butt", zorder=3)
    pen = {"color": colour, "marker": marker, **_fill(theme, one.status, colour), **style}
    (dot,) = ax.plot([e.value], [place], linestyle="none", **pen, zorder=4)
    vars(dot)["surefold_curve"] = True
