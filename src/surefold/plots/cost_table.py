"""What each way of learning with costs costs: a row a cell, with its interval."""

from __future__ import annotations

from typing import Any

from surefold.costs.study import PLAIN, CostCell, CostStudy
from surefold.show.write.style import Theme, legend, literal, named, new_axes, plain, write

__all__ = ["plot_cost_table"]

#: Room between models, in rows.
GAP = 0.4


def plot_cost_table(
    found: CostStudy, ax: Any = None, *, title: object = "", dark: bool = False, show_legend: bool = True
) -> Any:
    """Diamonds on their intervals, a colour a model, plain models hollow; a line at the cheapest constant answer.

    Intervals are each for its cell alone. Whether two cells differ is told by the paired differences in the table.
    """
    many = len(found.models) > 1
    height = min(1.9 + 0.34 * (len(found) + (GAP + 1) * len(found.models) * many), 16.0)
    ax, theme = new_axes(ax, dark, (7.2, height), "plotting a cost table")
    line = ax.axvline(found.constant_cost, color=theme.faint, linewidth=1.4, linestyle=(0, (4, 2)), zorder=1)
    places, names, place = [], [], 0.0
    for number, model in enumerate(found.models):
        colour = theme.colours[number % len(theme.colours)]
        if many:
            text = ax.text(0.01, place, literal(model), transform=ax.get_yaxis_transform(), va="center", weight="bold",
                           zorder=4)  # fmt: skip
            plain(text, theme).set_color(colour)
            place += 1
        for cell in (cell for cell in found.table if cell.model == model):
            _row(ax, theme, found, cell, place, colour)
            places.append(place)
            names.append(cell.method.replace("_", " "))
            place += 1
        place += GAP
    named(ax, line, f"always answering {literal(found.constant, 20)}")
    ax.set_yticks(places, names)
    for text in ax.get_yticklabels():
        plain(text, theme)
    ax.tick_params(axis="y", length=0)
    ax.grid(False, axis="y")
    ax.set_ylim(places[-1] + 0.7, -0.7)
    if found.matrix.min() >= 0:
        ax.set_xlim(left=0)
    left, right = ax.get_xlim()
    ax.set_xlim(left, right + 0.03 * (right - left))
    level = f"{found.confidence * 100:g} %"
    shown = title or ("" if many else literal(found.models[0]))
    write(ax, theme, f"Expected cost of a row, with its {level} interval", "", shown)
    if show_legend:
        legend(ax, theme)
        # a share of the height would leave a gap below a tall table
        ax.get_legend().set_bbox_to_anchor((0.0, -0.62 / max(height - 1.2, 1.0)), transform=ax.transAxes)
    return ax


def _row(ax: Any, theme: Theme, found: CostStudy, cell: CostCell, place: float, colour: str) -> None:
    e = cell.cost
    if not e.defined:
        why = ax.text(0.01, place, f"not run: {literal(cell.reason, 70)}" if cell.reason else
                      f"undefined: {literal(e.reason, 70)}", transform=ax.get_yaxis_transform(), va="center",
                      fontsize="small")  # fmt: skip
        plain(why, theme, faint=True)
        return
    ax.plot([e.low, e.high], [place, place], color=colour, linewidth=2.2, solid_capstyle="butt", zorder=2)
    face = theme.paper if cell.method == PLAIN else colour
    best = cell is found.best
    (drawn,) = ax.plot([e.value], [place], "D", color=colour, markerfacecolor=face, markersize=8 if best else 6,
                       markeredgewidth=1.4, linestyle="none", zorder=3)  # fmt: skip
    drawn.surefold_curve = True
    if best:
        text = ax.annotate("cheapest", (e.high, place), xytext=(6, 0), textcoords="offset points", va="center",
                           fontsize="small")  # fmt: skip
        plain(text, theme)
