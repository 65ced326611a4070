"""The bootstrap's sampling distribution as a histogram, with the estimates that follow from it marked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from surefold.errors import InputError, RunError
from surefold.measures import catalogue
from surefold.numbers import number
from surefold.resampling.bootstrapped import Bootstrapped
from surefold.show.write.style import Theme, literal, new_axes, plain, write

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_distribution"]


def plot_distribution(b: Bootstrapped, measure: str | None = None, ax: Any = None, *, dark: bool = False) -> Any:
    """Values of the samples' models on all rows, their mean, and the estimate for new rows (.632+, or .632).

    The bars flatter the model: most rows that a sample's model is tested on, it was trained on.
    """
    name = catalogue[b.measure if measure is None else measure].name
    ax, theme = new_axes(ax, dark, (6.4, 4.2), "plotting a sampling distribution")
    every = b.distribution(name)
    values = every[~np.isnan(every)]
    if not values.size:
        text = ax.text(0.5, 0.5, "undefined in every sample", ha="center", transform=ax.transAxes)
        plain(text, theme)
    else:
        marks = [(float(values.mean()), "mean on all rows", theme.ink), *_for_new_rows(b, name, theme)]
        counts = _bars(ax, theme, values)
        ax.set_ylim(0, counts * 1.28)
        marks.sort()
        sides = ["left", "right"] if len(marks) > 1 else ["right"]  # labels stand away from each other
        low, high = ax.get_xlim()
        room = 0.32 * (max(high, marks[-1][0]) - min(low, marks[0][0]))
        first, last = marks[0][0] - room if "left" in sides else low, marks[-1][0] + room
        ax.set_xlim(min(low, first), max(high, last))
        for (at, label, colour), side in zip(marks, sides, strict=True):
            _mark(ax, theme, at, label, colour, counts * 1.14, side)
    lost = "" if len(values) == b.samples else f", {b.samples - len(values)} missing"
    title = f"{literal(b.name)}: {len(values):,} bootstrap samples{lost}"
    write(ax, theme, f"{name}, each sample's model on all rows", "Samples", title)
    return ax


def _for_new_rows(b: Bootstrapped, name: str, theme: Theme) -> list[tuple[float, str, str]]:
    for kind, label in (("point632plus", ".632+"), ("point632", ".632")):
        try:
            e = b.estimate(kind, name)  # type: ignore[arg-type]
        except (InputError, RunError):
            continue
        if e.defined:
            return [(e.value, f"{label} for new rows", theme.colours[1])]
    return []


def _bars(ax: Axes, theme: Theme, values: Any) -> float:
    """Bars no narrower than the steps between values, because a share of few rows has few values."""
    different = np.unique(values)
    if len(different) == 1:
        at = float(different[0])
        ends = np.array([at - 0.005, at + 0.005])
    else:
        step = float(np.diff(different).min())
        wanted = max(float(np.ptp(values)) / min(30, max(6, int(np.sqrt(len(values)) * 1.5))), step)
        width = step * max(1, round(wanted / step)) if wanted / step < 50 else wanted
        first = float(different[0]) - min(step, width) / 2
        ends = first + width * np.arange(int(np.ceil((float(different[-1]) - first) / width)) + 1)
    counts, ends = np.histogram(values, bins=ends)
    bars = ax.bar(ends[:-1], counts, width=np.diff(ends) * 0.94, align="edge", color=theme.colours[0], alpha=0.55,
                  zorder=2)  # fmt: skip
    bars[0].surefold_curve = True
    return float(counts.max())


def _mark(ax: Axes, theme: Theme, at: float, label: str, colour: str, height: float, side: str) -> None:
    ax.plot([at, at], [0, height], color=colour, linewidth=1.8, zorder=3)
    left = side == "left"
    text = ax.annotate(
        f"{label}\n{number(at)}", (at, height), xytext=(-5 if left else 5, 0), textcoords="offset points",
        ha="right" if left else "left", va="center", fontsize="small", zorder=5,
        bbox={"facecolor": theme.paper, "edgecolor": "none", "alpha": 0.75, "pad": 0.8},
    )  # fmt: skip
    plain(text, theme)
