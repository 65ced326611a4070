"""Training and test error of an ensemble against the number of its members."""

from __future__ import annotations

from typing import TYPE_CHECKING

from surefold.show.write.style import DASHES, legend, named, new_axes, write
from surefold.studies.ensemble_curve import EnsembleCurve

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_ensemble_curve"]


def plot_ensemble_curve(
    curve: EnsembleCurve, ax: Axes | None = None, *, title: object = "", dark: bool = False
) -> Axes:
    """Means over the folds as lines; the held-out folds thin behind."""
    ax, theme = new_axes(ax, dark, (6.4, 4.4), "plotting an ensemble's errors")
    for fold in curve.test:
        ax.plot(curve.members, fold, color=theme.colours[0], linewidth=0.6, alpha=0.3)
    for place, (label, errors) in enumerate((("test", curve.test), ("training", curve.train))):
        looks = {"color": theme.colours[place], "linestyle": DASHES[place], "linewidth": 1.9}
        (line,) = ax.plot(curve.members, errors.mean(axis=0), **looks)
        named(ax, line, f"{label}, mean of {len(errors)} folds")
    ax.set_ylim(bottom=0)
    write(ax, theme, "Members", "Error rate", title)
    legend(ax, theme)
    return ax
