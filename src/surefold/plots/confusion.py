"""The confusion matrix as a heat map: colour by share of the true class, counts and shares written in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from surefold.errors import InputError
from surefold.show.write.style import Theme, literal, new_axes, plain, write
from surefold.tallies.confusion import Confusion
from surefold.tallies.ratio import ratio

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_confusion"]

#: With more classes than this, cells are too small for numbers; with more than `NAMED`, for names.
WRITTEN, NAMED = 12, 40
MOST = 200


def plot_confusion(
    confusion: Confusion,
    ax: Any = None,
    *,
    rows: Literal["true", "predicted"] = "true",
    title: object = "",
    dark: bool = False,
) -> Any:
    """Draw the table with both axes named; `rows="predicted"` turns it. Colours are shares of the true class."""
    if rows not in ("true", "predicted"):
        raise InputError("bad_option", f"rows={rows!r}", cure="use rows='true' or rows='predicted'")
    if confusion.classes > MOST:
        cure = "plot the table of fewer classes, or read the largest errors in the text report"
        raise InputError("bad_option", f"{confusion.classes:,} classes do not fit a figure", cure=cure)
    k = confusion.classes
    side = min(max(3.6, 1.9 + (0.85 if k <= WRITTEN else 0.25) * k), 11.0)
    is_ours = ax is None
    ax, theme = new_axes(ax, dark, (side + 0.9, side), "plotting a confusion matrix")
    if is_ours:  # made for axes of a fixed shape with long names beside them
        ax.figure.set_layout_engine("compressed", w_pad=0.12, h_pad=0.12)
    from matplotlib.colors import LinearSegmentedColormap

    counts = confusion.counts
    shares = np.nan_to_num(ratio(counts, counts.sum(axis=1, keepdims=True)))
    if rows == "predicted":
        counts, shares = counts.T, shares.T
    heat = LinearSegmentedColormap.from_list("surefold", theme.heat)
    image = ax.imshow(shares, cmap=heat, vmin=0, vmax=1, interpolation="nearest", aspect="equal")
    ax.grid(False)
    edges = np.arange(k + 1) - 0.5
    ax.hlines(edges, -0.5, k - 0.5, color=theme.grid, linewidth=0.8)
    ax.vlines(edges, -0.5, k - 0.5, color=theme.grid, linewidth=0.8)
    ax.spines[:].set_visible(False)
    ax.tick_params(length=0)
    _names(ax, theme, [literal(label, 18) for label in confusion.labels])
    if k <= WRITTEN:
        small = 9.5 if k <= 6 else 7.5
        for i in range(k):
            for j in range(k):
                text = ax.text(
                    j, i, f"{counts[i, j]:,g}\n{shares[i, j]:.0%}".replace("%", " %"), ha="center", va="center"
                )
                plain(text, theme)
                text.set_fontsize(small)
                text.set_color("#ffffff" if shares[i, j] > 0.55 or theme.paper != "#ffffff" else theme.ink)
    bar = ax.figure.colorbar(image, ax=ax, fraction=0.046, pad=0.03, ticks=[0, 0.5, 1])
    bar.ax.set_yticklabels(["0", "½", "1"])
    bar.ax.tick_params(colors=theme.ink, length=0)
    bar.outline.set_visible(False)
    plain(bar.ax.set_ylabel("Share of the true class"), theme)
    first, second = ("Predicted class", "True class") if rows == "true" else ("True class", "Predicted class")
    write(ax, theme, first, second, title)
    return ax


def _names(ax: Axes, theme: Theme, labels: list[str]) -> None:
    k = len(labels)
    shown = range(k) if k <= NAMED else range(0, k, k // 20)
    slanted = k > 3 and max(map(len, labels)) > 6
    ax.set_xticks(
        list(shown), [labels[i] for i in shown], rotation=40 if slanted else 0, ha="right" if slanted else "center"
    )
    ax.set_yticks(list(shown), [labels[i] for i in shown])
    for text in (*ax.get_xticklabels(), *ax.get_yticklabels()):
        plain(text, theme)
        if k > WRITTEN:
            text.set_fontsize(7)
