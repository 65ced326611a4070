"""Loss, bias and variance against the parameter that was varied, each with its interval."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from surefold.plots.interval_lines import MARKERS, interval_key, interval_line, is_even_in_logs
from surefold.show.write.style import Theme, legend, literal, new_axes, write
from surefold.studies.bias_variance import BiasVariance

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_bias_variance"]

#: Parts that are drawn, in this order; the others are in the table.
SHOWN = ("loss", "bias", "variance")
SHOWN_DOMINGOS = ("loss", "bias", "net_variance")
NAMES = {"squared": "Squared loss", "kohavi_wolpert": "Zero-one loss", "domingos": "Zero-one loss"}


def plot_bias_variance(
    found: BiasVariance,
    ax: Any = None,
    *,
    title: object = "",
    intervals: bool = True,
    dark: bool = False,
    show_legend: bool = True,
) -> Any:
    """Draw the parts as lines with bars of their intervals, or as columns where nothing was varied.

    Values that are evenly spaced in logarithms get a logarithmic axis; values that are no numbers are set out evenly.
    """
    ax, theme = new_axes(ax, dark, (6.4, 4.7), "plotting a bias-variance decomposition")
    shown = [*(SHOWN_DOMINGOS if found.kind == "domingos" else SHOWN)]
    if any(point.noise.value for point in found.points):
        shown.append("noise")
    if len(found) == 1:
        _columns(ax, theme, found, shown)
    else:
        _lines(ax, theme, found, shown, intervals)
        if show_legend:
            legend(ax, theme)
    ax.set_ylim(bottom=min(0.0, *(point[part].low for point in found.points for part in shown)))
    write(ax, theme, literal(found.param) if found.param else "", NAMES[found.kind], title)
    return ax


def _lines(ax: Axes, theme: Theme, found: BiasVariance, shown: list[str], intervals: bool) -> None:
    values = [point.value for point in found.points]
    numbers = all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in values)
    order = np.argsort(values).tolist() if numbers else list(range(len(values)))
    x = [float(values[i]) for i in order] if numbers else [float(i) for i in order]
    in_logs = numbers and is_even_in_logs(x)
    if in_logs:
        ax.set_xscale("log")
    for place, part in enumerate(shown):
        estimates = [found.points[i][part] for i in order]
        label = part.replace("_", " ")
        interval_line(
            ax, theme, x, estimates, label, place=place, lines=len(shown), in_logs=in_logs, intervals=intervals
        )
    if in_logs:
        ax.set_xticks(x, [f"{value:g}" for value in x])
        ax.minorticks_off()
    elif not numbers:
        ax.set_xticks(x, [literal(value, 14) for value in values])
    if intervals:
        interval_key(ax, theme, found.confidence, len(shown))


def _columns(ax: Axes, theme: Theme, found: BiasVariance, shown: list[str]) -> None:
    for i, part in enumerate(shown):
        e, colour = found.only[part], theme.colours[i]
        ax.bar([i], [e.value], width=0.55, color=colour, alpha=0.35, zorder=2)
        ends = np.maximum([[e.value - e.low], [e.high - e.value]], 0)
        ax.errorbar([i], [e.value], yerr=ends, fmt=MARKERS[i], color=colour, capsize=4, elinewidth=1.6, zorder=3)
    ax.set_xticks(range(len(shown)), [part.replace("_", " ") for part in shown])
    ax.grid(False, axis="x")
    ax.set_xlim(-0.6, len(shown) - 0.4)
