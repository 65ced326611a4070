"""Power, or the width of an interval, against rows, with a mark where the plan stands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from surefold.planning.design import percent
from surefold.show.write.style import count, new_axes, plain, write

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from surefold.planning.results import Planned

__all__ = ["plot_power_curve"]

#: Points of the curve: teeth need many, and where rows are so many that there are none each costs more.
POINTS, FEWER, MANY = 240, 100, 20_000


def plot_power_curve(planned: Planned, ax: Any = None, *, title: object = "", dark: bool = False) -> Any:
    """Draw the curve around the plan's rows on a logarithmic axis, with a mark at them and a line at what was asked."""
    ax, theme = new_axes(ax, dark, (6.4, 4.2), "plotting a plan")
    by_width = planned.design.width is not None
    rows, values = _curve(planned)
    here = float(values[rows == planned.n][0])
    asked = here if by_width else getattr(planned, "power", None) or here
    ax.set_xscale("log")
    faint = {"color": theme.faint, "linewidth": 1, "linestyle": (0, (4, 3)), "zorder": 1}
    ax.axvline(planned.n, **faint)
    ax.axhline(asked, **faint)
    (drawn,) = ax.plot(rows, values, color=theme.colours[count(ax) % len(theme.colours)], linewidth=1.9, zorder=3)
    drawn.surefold_curve = True
    ax.plot([planned.n], [here], marker="o", markersize=8, color=theme.colours[1], linestyle="none", zorder=4)
    told = f"{planned.n:,} rows: {f'{here:.3g} wide' if by_width else percent(here)}"
    # where the curve is not: above it on the left where it rises, on the right where it falls or nothing lies before
    left = not by_width and planned.n > 3 * rows[0]
    place = {"xytext": (-10, 12), "ha": "right"} if left else {"xytext": (10, 12), "ha": "left"}
    text = ax.annotate(told, (planned.n, here), textcoords="offset points", va="center", **place)
    plain(text, theme)
    ax.set_ylim(0, None if by_width else 1.02)
    _rows_axis(ax, planned.n)
    unit = "Rows of the first set" if "second" in planned.parts else "Rows"
    write(ax, theme, unit, "Mean width of the interval" if by_width else "Power", title)
    return ax


def _curve(planned: Planned) -> tuple[Any, Any]:
    """Rows from a tenth of the plan's to four times as many, the plan's among them, and the figure at each."""
    design = planned.design
    figure = design.power_at if design.width is None else design.width_at
    least = design.collected(design.least)
    ends = max(least, planned.n // 10), max(planned.n * 4, least + 10)
    points = np.geomspace(*ends, POINTS if planned.n < MANY else FEWER)
    rows = np.unique(np.append(points.astype(np.int64), planned.n))
    return rows, np.array([figure(design.worth(int(n))) for n in rows])


def _rows_axis(ax: Axes, n: int) -> None:
    """Whole numbers as they are written; long ones at powers of ten only, where they do not touch."""
    from matplotlib.ticker import LogLocator, NullFormatter

    ax.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if n < 10**6 else (1,)))
    ax.xaxis.set_major_formatter(lambda x, _: f"{x:,.0f}")
    ax.xaxis.set_minor_formatter(NullFormatter())
