"""Wins, ties and losses of every model against every other, as a coloured table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from surefold.benchmarking.comparison import ManyComparison
from surefold.errors import InputError
from surefold.plots.critical_difference import short_names
from surefold.show.write.style import Theme, new_axes, plain, write

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_win_tie_loss"]

#: With more models than `WRITTEN` cells hold only wins, and above `MOST` there is no figure.
WRITTEN, MOST = 10, 40


def plot_win_tie_loss(c: ManyComparison, ax: Any = None, *, dark: bool = False, title: object = "") -> Any:
    """The model of the row against that of the column, best average rank first; colours are wins less losses.

    Where data sets have folds, a second line counts the clear wins and losses, by the corrected t over the folds.
    """
    k = len(c.models)
    if k > MOST:
        raise InputError("bad_option", f"{k} models do not fit a table", cure="compare fewer; to_frame() has them all")
    side = min(max(3.4, 1.5 + (0.98 if k <= 6 else 0.8 if k <= WRITTEN else 0.36) * k), 12.0)
    is_ours = ax is None
    ax, theme = new_axes(ax, dark, (side + 1.4, side), "plotting wins, ties and losses")
    if is_ours:  # made for axes of a fixed shape with long names beside them
        ax.figure.set_layout_engine("compressed", w_pad=0.12, h_pad=0.12)
    from matplotlib.colors import LinearSegmentedColormap

    counts, place = c.win_tie_loss, [c.models.index(m) for m in c.order]
    wins = counts.wins[np.ix_(place, place)]
    lead = (wins - wins.T) / counts.n
    colours = LinearSegmentedColormap.from_list("surefold", [theme.colours[1], theme.paper, theme.colours[0]])
    image = ax.imshow(lead, cmap=colours, vmin=-1, vmax=1, interpolation="nearest", aspect="equal")
    ax.grid(False)
    edges = np.arange(k + 1) - 0.5
    ax.hlines(edges, -0.5, k - 0.5, color=theme.grid, linewidth=0.8)
    ax.vlines(edges, -0.5, k - 0.5, color=theme.grid, linewidth=0.8)
    ax.spines[:].set_visible(False)
    ax.tick_params(length=0)
    names = short_names(c.order, 24)
    _names(ax, theme, [names[m] for m in c.order])
    _cells(ax, theme, c, place, lead)
    bar = ax.figure.colorbar(image, ax=ax, fraction=0.046, pad=0.03, ticks=[-1, 0, 1])
    bar.ax.set_yticklabels(["loses\nall", "even", "wins\nall"])
    bar.ax.tick_params(colors=theme.ink, length=0, labelsize="small")
    bar.outline.set_visible(False)
    what = "wins-ties-losses" if k <= WRITTEN else "wins"
    clear = f"\nbelow: clear wins-losses over {counts.tested} data sets" if _has_clear(c) else ""
    write(ax, theme, f"Row against column: {what} over {counts.n} data sets, {c.measure}{clear}", "", title)
    return ax


def _has_clear(c: ManyComparison) -> bool:
    return c.win_tie_loss.clear is not None and len(c.models) <= WRITTEN


def _cells(ax: Axes, theme: Theme, c: ManyComparison, place: list[int], lead: Any) -> None:
    counts, k = c.win_tie_loss, len(place)
    size = 9.5 if k <= 6 else 8.0 if k <= WRITTEN else 6.5
    for i in range(k):
        for j in range(k):
            if i == j:
                continue
            a, b = place[i], place[j]
            shown = f"{counts.wins[a, b]}"
            if k <= WRITTEN:
                shown += f"-{counts.ties[a, b]}-{counts.wins[b, a]}"
            if counts.clear is not None and k <= WRITTEN:
                shown += f"\n{counts.clear[a, b]}-{counts.clear[b, a]}"
            text = plain(ax.text(j, i, shown, ha="center", va="center", fontsize=size), theme)
            if abs(lead[i, j]) > (0.6 if theme.paper == "#ffffff" else 0.75):
                text.set_color("#ffffff" if theme.paper == "#ffffff" else "#101010")


def _names(ax: Axes, theme: Theme, names: list[str]) -> None:
    k = len(names)
    slanted = max(map(len, names)) > (12 if k <= 6 else 9 if k <= WRITTEN else 4)
    ax.set_xticks(range(k), names, rotation=40 if slanted else 0, ha="right" if slanted else "center")
    ax.set_yticks(range(k), names)
    for text in (*ax.get_xticklabels(), *ax.get_yticklabels()):
        plain(text, theme)
        if k > WRITTEN:
            text.set_fontsize(8)
