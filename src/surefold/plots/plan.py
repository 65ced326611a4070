"""The splits of a plan: a row a split, with the rows that it trains on, tests, and leaves out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from surefold.errors import InputError
from surefold.resampling.plan import Plan
from surefold.show.write.style import legend, literal, named, new_axes, plain, write

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_plan", "uses_of"]

#: More splits than this cannot be told apart; rows beyond this share a column of the picture.
MOST_SPLITS, MOST_COLUMNS = 100, 600
#: More splits than this get no name each.
MOST_NAMED = 25
LEFT_OUT, TRAINED, TESTED = 0, 1, 2


def plot_plan(plan: Plan, ax: Axes | None = None, *, in_order: bool = False, dark: bool = False) -> Axes:
    """Rows of the data across, splits down. Rows tested together stand together, unless `in_order`."""
    if len(plan) > MOST_SPLITS:
        cure = f"draw a plan of {MOST_SPLITS} splits or fewer"
        raise InputError("bad_option", f"{len(plan):,} splits do not fit a figure", cure=cure)
    uses = uses_of(plan, in_order=in_order)
    if uses.shape[1] > MOST_COLUMNS:
        uses = uses[:, np.linspace(0, uses.shape[1] - 1, MOST_COLUMNS).astype(int)]
    splits = len(uses)
    ax, theme = new_axes(ax, dark, (6.4, 1.6 + 0.28 * min(splits, MOST_NAMED)), "plotting a plan")
    from matplotlib.colors import ListedColormap
    from matplotlib.patches import Rectangle

    colours = [theme.paper, theme.grid, theme.colours[0]]
    heat, place = ListedColormap(colours), (0, plan.n, splits - 0.5, -0.5)
    ax.imshow(uses, cmap=heat, vmin=0, vmax=2, aspect="auto", interpolation="nearest", extent=place)
    ax.hlines(np.arange(splits - 1) + 0.5, 0, plan.n, color=theme.paper, linewidth=1.5)
    ax.grid(False)
    shown = range(splits) if splits <= MOST_NAMED else range(0, splits, 10)
    ax.set_yticks(list(shown), [literal(plan.name_of(i)) for i in shown])
    for text in ax.get_yticklabels():
        plain(text, theme)
    ax.tick_params(axis="y", length=0)
    for label, kind in (("trained on", TRAINED), ("tested", TESTED), ("not used", LEFT_OUT)):
        if (uses == kind).any():
            named(
                ax,
                ax.add_patch(Rectangle((0, 0), 0, 0, facecolor=colours[kind], edgecolor=theme.faint, linewidth=0.5)),
                label,
            )
    how = "in their order" if in_order else "those tested together side by side"
    write(ax, theme, f"{plan.n:,} rows, {how}", "", f"{plan.kind}, {splits:,} splits")
    legend(ax, theme)
    return ax


def uses_of(plan: Plan, *, in_order: bool = False) -> NDArray[np.int8]:
    """Splits x rows: 2 where a split tests the row, else 1 where it trains on it, else 0.

    >>> uses_of(Plan.of("k_fold", 4, tests=[[3, 0], [1, 2]])).tolist()
    [[2, 2, 1, 1], [1, 1, 2, 2]]
    """
    uses = np.full((len(plan), plan.n), LEFT_OUT, dtype=np.int8)
    for i in range(len(plan)):
        uses[i, plan.train(i)] = TRAINED
        uses[i, plan.test(i)] = TESTED
    if in_order:
        return uses
    first = np.where((uses == TESTED).any(axis=0), (uses == TESTED).argmax(axis=0), len(plan))
    return uses[:, np.argsort(first, kind="stable")]
