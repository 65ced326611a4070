"""Training and held-out error against each parameter that keeps a tree small, and ways of pruning side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from surefold.plots.interval_lines import interval_key, interval_line, is_even_in_logs
from surefold.show.write.style import Theme, framed, legend, literal, new_axes, new_figure, plain, write
from surefold.studies.pruning.result import PruningCurves, PruningPoint

__all__ = ["plot_pruning_curves"]

LINES = (("held_out", "held out"), ("training", "training"))
PURPOSE = "plotting pruning curves"


def plot_pruning_curves(
    found: PruningCurves, parameter: str | None = None, ax: Any = None, *, dark: bool = False, show_legend: bool = True
) -> Any:
    """One panel, returned as its axes; or without `parameter` a figure of all panels, returned as a list of axes.

    The value with the least held-out error is marked. All panels have the same scale of errors.
    """
    if parameter is not None:
        one, theme = new_axes(ax, dark, (6.4, 4.7), PURPOSE)
        _panel(one, theme, found, parameter)
        one.set_ylim(*_errors(found[parameter]))
        if show_legend:
            legend(one, theme)
        return one
    names = [*found.curves, *(["prune"] if found.ways else [])]
    panels, theme = _panels(len(names), dark)
    for one, name in zip(panels, names, strict=True):
        _panel(one, theme, found, name)
    for i, one in enumerate(panels):
        one.set_ylim(*_errors(found.points))
        if i % 2:
            one.set_ylabel("")
    if show_legend:
        legend(panels[2 * ((len(panels) - 1) // 2)], theme)
    return panels


def _errors(points: Sequence[PruningPoint]) -> tuple[float, float]:
    """From a little below zero, so that no marker is cut, to a little above the highest interval."""
    top = max((e.high for p in points for e in (p.held_out, p.training) if e.defined), default=1.0)
    return -0.025 * top, 1.08 * top


def _panels(count: int, dark: bool) -> tuple[list[Any], Theme]:
    """Axes two in a row, on a figure of their own."""
    columns = min(count, 2)
    rows = -(-count // columns)
    figure, theme = new_figure(dark, (5.0 * columns + 0.6, 3.6 * rows + 0.6), PURPOSE)
    panels = [framed(figure.add_subplot(rows, columns, i + 1), theme) for i in range(count)]
    return panels, theme


def _panel(ax: Any, theme: Theme, found: PruningCurves, parameter: str) -> None:
    points = found[parameter]
    if parameter == "prune":
        _side_by_side(ax, theme, points)
    else:
        _lines(ax, theme, points)
    best = found.best_of(parameter)
    name = "Pruning" if parameter == "prune" else parameter
    write(
        ax,
        theme,
        literal(name),
        "Error rate",
        f"least held out: {best.held_out.value:.3f} at {literal(best.value, 20)}",
    )
    interval_key(ax, theme, found.confidence, 2)


def _lines(ax: Any, theme: Theme, points: Sequence[PruningPoint]) -> None:
    values = [point.value for point in points]
    numbers = all(isinstance(value, (int, float, np.number)) and not isinstance(value, bool) for value in values)
    order = np.argsort(np.asarray(values)).tolist() if numbers else list(range(len(values)))
    x = [float(values[i]) for i in order] if numbers else [float(i) for i in range(len(values))]
    in_logs = numbers and is_even_in_logs(x)
    if in_logs:
        ax.set_xscale("log")
    for place, (which, label) in enumerate(LINES):
        estimates = [getattr(points[i], which) for i in order]
        interval_line(ax, theme, x, estimates, label, place=place, lines=2, in_logs=in_logs)
    shown = [points[i] for i in order]
    if in_logs or not numbers:
        ax.set_xticks(x, [f"{v:g}" if numbers else literal(p.value, 14) for v, p in zip(x, shown, strict=True)])
        ax.minorticks_off()
    there = [i for i, point in enumerate(shown) if point.held_out.defined]
    if there:
        best = min(there, key=lambda i: shown[i].held_out.value)
        ax.plot([x[best]], [shown[best].held_out.value], "o", markersize=12, markerfacecolor="none",
                markeredgecolor=theme.ink, markeredgewidth=1.3, zorder=4)  # fmt: skip
    for value, point in zip(x, shown, strict=True):
        if not point.held_out.defined:
            ax.axvline(value, color=theme.grid, linewidth=0.8)  # the axis reaches as far as the word does
            text = ax.text(value, 0.02, "undefined", rotation=90, ha="center", transform=ax.get_xaxis_transform())
            plain(text, theme, faint=True)


def _side_by_side(ax: Any, theme: Theme, points: Sequence[PruningPoint]) -> None:
    """Held-out and training error of each way as dots on their intervals, with the number of leaves."""
    for i, point in enumerate(points):
        for place, (which, _) in enumerate(LINES):
            e, colour = getattr(point, which), theme.colours[place]
            at = i + (-0.12, 0.12)[place]
            if e.defined:
                ax.plot(
                    [at, at], [e.low, e.high], color=colour, linewidth=5, alpha=0.3, solid_capstyle="butt", zorder=2
                )
                ax.plot([at], [e.value], "os"[place], color=colour, markersize=6, zorder=3)
        size = "undefined" if not point.held_out.defined else f"{point.leaves:.0f} leaves"
        text = ax.annotate(size, (i, point.held_out.high if point.held_out.defined else 0), xytext=(0, 6),
                           textcoords="offset points", ha="center", fontsize="small")  # fmt: skip
        plain(text, theme)
    ax.set_xticks(range(len(points)), [literal(point.value, 16).replace("_", " ") for point in points])
    ax.set_xlim(-0.5, len(points) - 0.5)
    ax.grid(False, axis="x")
