"""The difference of two curves as a figure: `plot_difference_curve` is what `DifferenceCurve.plot()` calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from surefold.comparison.difference_curves import DifferenceCurve, Stretch
from surefold.show.write.style import Theme, legend, literal, named, new_axes, plain, write

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_difference_curve"]

SIZE = (6.4, 5.0)
#: Least height of the y axis to either side of zero, so that noise does not look like a cliff.
LEAST = 0.05


def plot_difference_curve(
    curve: DifferenceCurve,
    ax: Any = None,
    *,
    title: object = "",
    dark: bool = False,
    show_legend: bool = True,
    **style: Any,
) -> Any:
    """Draw first minus second: above the line at zero the first finds more, below it the second.

    The dark band holds at each x by itself, the light one at all x at once; where the light one leaves zero out, a bar
    on the zero line says so in the colour of the model that finds more. `style` goes to matplotlib's `plot`.
    """
    ax, theme = new_axes(ax, dark, SIZE, "plotting a difference of curves")
    above, below = theme.colours[0], theme.colours[1]
    pen = {"color": theme.ink, "linewidth": 1.6, **style}
    shade = {"color": theme.faint, "linewidth": 0}
    level = f"{curve.confidence * 100:g} %"
    wide = ax.fill_between(curve.x, curve.band_low, curve.band_high, **shade, alpha=0.2, zorder=1)
    near = ax.fill_between(curve.x, curve.low, curve.high, **shade, alpha=0.36, zorder=1.5)
    (drawn,) = ax.plot(curve.x, curve.difference, **pen, zorder=3)
    drawn.surefold_curve = True
    ax.axhline(0, color=theme.ink, linewidth=1.0, linestyle=(0, (4, 3)), zorder=2)
    named(ax, drawn, f"{literal(curve.first, 20)} less {literal(curve.second, 20)}")
    named(ax, near, f"{level}, each place by itself")
    named(ax, wide, f"{level}, all places at once")
    for stretches, colour, line in (
        (curve.crosses.above, above, curve.band_low),
        (curve.crosses.below, below, curve.band_high),
    ):
        _sure(ax, curve, stretches, colour, line)
    _limits(ax, curve)
    areas = f"areas differ by {curve.area}"
    write(ax, theme, curve.x_name, curve.y_name, title)
    if not title:
        plain(ax.set_title(areas, fontsize="medium"), theme)
    _sides(ax, theme, curve, (above, below))
    if show_legend:
        legend(ax, theme)
    return ax


def _sure(ax: Axes, curve: DifferenceCurve, stretches: tuple[Stretch, ...], colour: str, line: Any) -> None:
    """Shade from zero to the nearer end of the band where it leaves zero out, with a bar on the zero line."""
    for start, end in stretches:
        held = (curve.x >= start) & (curve.x <= end)
        area = ax.fill_between(curve.x[held], 0, line[held], color=colour, alpha=0.55, linewidth=0, zorder=2)
        area.set_gid("difference-sure")
        reach = max(end - start, 0.004)  # a single place can be seen too
        middle = (start + end) / 2
        ends = [middle - reach / 2, middle + reach / 2]
        (bar,) = ax.plot(ends, [0, 0], color=colour, linewidth=4.5, solid_capstyle="butt", zorder=4)
        bar.set_gid("difference-sure")


def _limits(ax: Axes, curve: DifferenceCurve) -> None:
    """Symmetric enough that both sides can be named, and no taller than the band."""
    low, high = (float(f(y)) for f, y in ((np.min, curve.band_low), (np.max, curve.band_high)))
    low, high = min(low, -LEAST), max(high, LEAST)
    room = 0.12 * (high - low)
    ax.set_xlim(-0.015, 1.015)
    ax.set_ylim(low - room, high + room)


def _sides(ax: Axes, theme: Theme, curve: DifferenceCurve, colours: tuple[str, str]) -> None:
    """Which model finds more on which side of zero, written there."""
    names = (curve.first, curve.second)
    for name, colour, y, align, arrow in zip(names, colours, (0.985, 0.015), ("top", "bottom"), "▲▼", strict=True):
        text = ax.text(
            0.985, y, f"{arrow} {literal(name)} finds more", transform=ax.transAxes, ha="right", va=align,
            fontweight="bold", fontsize="small", zorder=5,
            bbox={"facecolor": theme.paper, "edgecolor": "none", "alpha": 0.7, "pad": 1.0},
        )  # fmt: skip
        plain(text, theme)
        text.set_color(colour)
