"""Tables of shaded cells with matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from surefold.show.heat_chart import HeatChart
from surefold.show.write.style import Looks, Theme, ink_on, literal, new_axes, plain, write

if TYPE_CHECKING:
    pass

__all__ = ["draw_heat"]

#: With more names than this not every one is written.
NAMED = 40


def draw_heat(chart: HeatChart, ax: Any, looks: Looks) -> Any:
    """Cells of one size; their texts in the colour that can be read on them."""
    k = len(chart.names)
    longest = max((len(line) for row in chart.texts for text in row for line in text.split("\n")), default=0)
    cell = 0.22 if not chart.texts else max(0.42, 0.2 + 0.085 * longest) if k > 6 else max(0.8, 0.25 + 0.09 * longest)
    side = min(max(3.2, 1.3 + cell * k), 9.5)
    is_ours = ax is None
    ax, theme = new_axes(ax, looks.dark, (side + 1.1, side), f"plotting {chart.title}")
    if is_ours:  # made for axes of a fixed shape with long names beside them
        ax.figure.set_layout_engine("compressed", w_pad=0.12, h_pad=0.12)
    from matplotlib.colors import LinearSegmentedColormap

    paper, full = theme.heat
    ends = [theme.colours[1], paper, full] if chart.low < 0 else [paper, full]
    heat = LinearSegmentedColormap.from_list("surefold", ends)
    image = ax.imshow(chart.values, cmap=heat, vmin=chart.low, vmax=1, interpolation="nearest", aspect="equal")
    ax.grid(False)
    edges = np.arange(k + 1) - 0.5
    ax.hlines(edges, -0.5, k - 0.5, color=theme.grid, linewidth=0.8)
    ax.vlines(edges, -0.5, k - 0.5, color=theme.grid, linewidth=0.8)
    ax.spines[:].set_visible(False)
    ax.tick_params(length=0)
    _names(ax, theme, chart)
    size = max(5.0, min(9.5, (side - 1.3) / k * 72 / (0.62 * max(longest, 4))))
    for i, row in enumerate(chart.texts):
        for j, text in enumerate(row):
            if text:
                said = plain(ax.text(j, i, text, ha="center", va="center", fontsize=size), theme)
                said.set_color(ink_on(heat((chart.values[i, j] - chart.low) / (1 - chart.low))))
    bar = ax.figure.colorbar(image, ax=ax, fraction=0.046, pad=0.03, ticks=[chart.low, (chart.low + 1) / 2, 1])
    bar.ax.set_yticklabels(chart.scale)
    bar.ax.tick_params(colors=theme.ink, length=0, labelsize="small")
    bar.outline.set_visible(False)
    plain(bar.ax.set_ylabel(chart.shade), theme)
    write(ax, theme, chart.across, chart.down, looks.title)
    return ax


def _names(ax: Any, theme: Theme, chart: HeatChart) -> None:
    k = len(chart.names)
    shown = range(k) if k <= NAMED else range(0, k, k // 20)
    names = [literal(chart.names[i], 24) for i in shown]
    slanted = k > 3 and max(map(len, names)) > (6 if k <= 12 else 3)
    ax.set_xticks(
        list(shown),
        names,
        rotation=40 if slanted else 0,
        ha="right" if slanted else "center",
        rotation_mode="anchor" if slanted else "default",
    )
    ax.set_yticks(list(shown), names)
    for text in (*ax.get_xticklabels(), *ax.get_yticklabels()):
        plain(text, theme)
        if k > 12:
            text.set_fontsize(7)
