"""Power, or the width of an interval, against rows, with a mark where the plan stands."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from surefold.planning.design import percent
from surefold.planning.results import Planned
from surefold.show.chart import Axis, Chart, Dots, Line, Words, nice_axis
from surefold.show.row_chart import AnyChart

__all__ = ["charts", "plan_chart"]

Array = NDArray[np.float64]
#: Points of the curve: teeth need many, and where rows are so many that there are none each costs more.
POINTS, FEWER, MANY = 240, 100, 20_000


def charts(planned: Planned) -> dict[str, Callable[..., AnyChart | None]]:
    """The curve around the plan."""
    return {"rows": lambda: plan_chart(planned)}


def plan_chart(planned: Planned) -> Chart:
    """From a tenth of the plan's rows to four times as many."""
    by_width = planned.design.width is not None
    rows, values = _curve(planned)
    here = float(values[rows == planned.n][0])
    asked = here if by_width else getattr(planned, "power", None) or here
    told = f"{planned.n:,} rows: {f'{here:.3g} wide' if by_width else percent(here)}"
    name = "Mean width of the interval" if by_width else "Power"
    x = _axis("Rows of the first set" if "second" in planned.parts else "Rows", rows)
    y = nice_axis(name, 0, float(values.max())) if by_width else Axis(name)
    ends = np.array(x.ends)
    marks = (
        Line("asked", "reference", ends, np.array([asked, asked])),
        Line("here", "reference", np.array([planned.n, planned.n], dtype=float), np.array(y.ends)),
        Line("line", "line", rows, values, name.lower()),
        Dots("plan", "point2", np.array([float(planned.n)]), np.array([here]), told),
    )
    words = (Words("plan", float(planned.n), here, told, "start", (8, -8)),)
    sentence = f"{name} against rows; the plan stands at {told}."
    table = tuple(
        (f"{n:,.0f}", f"{value:.3f}") for n, value in zip(rows[::20].tolist(), values[::20].tolist(), strict=True)
    )
    return Chart("plan", name, sentence, x, y, marks, words, header=(x.name, name), rows=table)


def _curve(planned: Planned) -> tuple[Array, Array]:
    """Rows, the plan's among them, and the figure at each."""
    design = planned.design
    figure = design.power_at if design.width is None else design.width_at
    least = design.collected(design.least)
    ends = max(least, planned.n // 10), max(planned.n * 4, least + 10)
    points = np.geomspace(*ends, POINTS if planned.n < MANY else FEWER)
    rows = np.unique(np.append(points.astype(np.int64), planned.n))
    return rows.astype(float), np.array([figure(design.worth(int(n))) for n in rows])


def _axis(name: str, rows: Array) -> Axis:
    """Logarithms, labelled at 1, 2 and 5 of each power of ten, or where these are long at the powers alone."""
    low, high = float(rows[0]), float(rows[-1])
    steps = (1, 2, 5) if high < 10**6 else (1,)
    powers = range(int(np.floor(np.log10(low))), int(np.ceil(np.log10(high))) + 1)
    at = tuple(float(step * 10**power) for power in powers for step in steps if low <= step * 10**power <= high)
    return Axis(name, low, high, tuple(f"{v:,.0f}" for v in at), at, log=True)
