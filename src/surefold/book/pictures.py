"""Pictures of the sources that show a formula and no data: bell curves, F1, kappa, intervals, Student's t, sums."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefold.estimates import wilson
from surefold.estimates.quantiles import normal_tail
from surefold.show.write.style import DASHES, Theme, legend, named, new_axes, plain, write
from surefold.tallies.confusion import Confusion

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "plot_central_limit",
    "plot_f1",
    "plot_interval_widths",
    "plot_kappa_range",
    "plot_t",
    "plot_two_normals",
]

Floats = NDArray[np.float64]


def plot_two_normals(apart: float = 1.5, threshold: float = 1.0) -> Figure:
    """Two normal densities, negatives around 0 and positives `apart` from them, with a threshold; and the ROC curve."""
    ax, theme = new_axes(None, False, (9.0, 4.4), "plotting two densities")
    figure: Figure = ax.figure
    ax.remove()
    left, right = figure.add_subplot(1, 2, 1), figure.add_subplot(1, 2, 2)
    x = np.linspace(-3.5, apart + 3.5, 400)
    parts = ((0.0, "negatives", ("TN", "FP")), (apart, "positives", ("FN", "TP")))
    for place, (mean, label, names) in enumerate(parts):
        height = np.exp(-((x - mean) ** 2) / 2) / np.sqrt(2 * np.pi)
        (line,) = left.plot(x, height, color=theme.colours[place], linestyle=DASHES[place])
        named(left, line, label)
        for side, name, strength in ((x <= threshold, names[0], 0.12), (x >= threshold, names[1], 0.35)):
            left.fill_between(x[side], height[side], color=theme.colours[place], alpha=strength, linewidth=0)
            share = float(normal_tail(threshold - mean))
            share = 1 - share if name == names[0] else share
            at = mean - 1.2 if name == names[0] else max(mean, threshold) + 0.6
            plain(left.text(at, 0.05 + 0.12 * place, f"{name} {share:.2f}", ha="center", fontsize="small"), theme)
    left.axvline(threshold, color=theme.ink, linewidth=1.2)
    write(left, theme, "Level", "Density", f"Threshold {threshold:g}")
    legend(left, theme)
    cuts = np.linspace(-4, apart + 4, 200)
    right.plot(normal_tail(cuts), normal_tail(cuts - apart), color=theme.colours[0])
    right.plot([0, 1], [0, 1], color=theme.faint, linestyle=DASHES[1], linewidth=1.0)
    right.plot([normal_tail(threshold)], [normal_tail(threshold - apart)], "o", color=theme.colours[1])
    right.set_aspect("equal")
    write(right, theme, "False positive rate", "True positive rate", f"{apart:g} apart")
    return figure


def plot_f1(steps: int = 100) -> Axes:
    """F1 over precision and recall, with lines where it is equal."""
    ax, theme = _axes((5.2, 4.6), "plotting F1")
    grid = np.linspace(1 / steps, 1, steps)
    precision, recall = np.meshgrid(grid, grid)
    f1 = 2 * precision * recall / (precision + recall)
    ax.contourf(precision, recall, f1, levels=np.arange(0, 1.01, 0.1), cmap="Blues", alpha=0.6)
    lines = ax.contour(precision, recall, f1, levels=np.arange(0.1, 1, 0.1), colors=theme.ink, linewidths=0.8)
    ax.clabel(lines, fmt="%.1f")
    ax.set_aspect("equal")
    ax.grid(False)
    write(ax, theme, "Precision", "Recall", "F1")
    return ax


def plot_kappa_range(shares: ArrayLike = (0.5, 0.75, 0.9)) -> Axes:
    """Kappa of two classes against accuracy, for shares of the larger class, errors falling on both classes alike."""
    ax, theme = _axes((6.4, 4.4), "plotting kappa")
    accuracy = np.linspace(0, 1, 101)
    for place, share in enumerate(np.asarray(shares, dtype=float).tolist()):
        rows = np.array([share, 1 - share])
        tables = np.einsum("a,i,ij->aij", accuracy, rows, np.eye(2))
        tables += np.einsum("a,i,ij->aij", 1 - accuracy, rows, 1 - np.eye(2))
        kappa = [Confusion(table).measure("kappa").value for table in tables]
        (line,) = ax.plot(accuracy, kappa, color=theme.colours[place], linestyle=DASHES[place])
        named(ax, line, f"larger class {share:g}")
    ax.axhline(0, color=theme.faint, linewidth=1.0)
    write(ax, theme, "Accuracy", "Kappa", "")
    legend(ax, theme)
    return ax


def plot_interval_widths(share: float = 0.8, confidences: Sequence[float] = (0.8, 0.95, 0.99)) -> Axes:
    """Wilson's interval of a share against the rows it is of, for several confidences."""
    ax, theme = _axes((6.4, 4.2), "plotting intervals")
    sizes = np.unique(np.geomspace(10, 10_000, 60).astype(int))
    for place, confidence in enumerate(confidences):
        ends = np.array([wilson(share * n, n, confidence=confidence).interval for n in sizes.tolist()])
        lines = ax.plot(sizes, ends, color=theme.colours[place], linestyle=DASHES[place])
        named(ax, lines[0], f"{confidence:.0%}".replace("%", " %"))
    ax.axhline(share, color=theme.ink, linewidth=1.0)
    ax.set_xscale("log")
    write(ax, theme, "Rows", "Share", f"{share:g} found, and the interval of the true share")
    legend(ax, theme)
    return ax


def plot_t(degrees: Sequence[float] = (10, 4, 1)) -> Axes:
    """Student's t densities beside the normal one, which is bold."""
    from scipy.special import gammaln

    ax, theme = _axes((6.4, 4.2), "plotting densities")
    x = np.linspace(-5, 5, 401)
    (line,) = ax.plot(x, np.exp(-(x**2) / 2) / np.sqrt(2 * np.pi), color=theme.ink, linewidth=2.5)
    named(ax, line, "normal")
    for place, k in enumerate(degrees):
        constant = np.exp(gammaln((k + 1) / 2) - gammaln(k / 2)) / np.sqrt(k * np.pi)
        y = constant * (1 + x**2 / k) ** (-(k + 1) / 2)
        (line,) = ax.plot(x, y, color=theme.colours[place], linestyle=DASHES[place + 1])
        named(ax, line, f"t({k:g})")
    write(ax, theme, "x", "Density", "Student's t")
    legend(ax, theme)
    return ax


def plot_central_limit(values: Floats, sizes: Sequence[int] = (1, 5, 30), draws: int = 4000, seed: int = 0) -> Axes:
    """How the z-scores of means of K draws from the values are distributed, and the normal they tend to."""
    ax, theme = _axes((6.4, 4.2), "plotting z-scores")
    rng = np.random.default_rng(seed)
    x = np.linspace(-3, 3, 61)
    for place, k in enumerate(sizes):
        means = rng.choice(values, size=(draws, k)).mean(axis=1)
        z = np.sqrt(k) * (means - values.mean()) / values.std()
        below = (z[:, None] <= x).mean(axis=0)
        (line,) = ax.plot(x, below, color=theme.colours[place], linestyle=DASHES[place], drawstyle="steps-post")
        named(ax, line, f"K = {k}")
    (line,) = ax.plot(x, 1 - normal_tail(x), color=theme.ink, linewidth=2.2)
    named(ax, line, "normal")
    write(ax, theme, "x", "P(Z ≤ x)", "Z-scores of means")
    legend(ax, theme)
    return ax


def _axes(size: tuple[float, float], purpose: str) -> tuple[Axes, Theme]:
    return new_axes(None, False, size, purpose)
