"""Classes as normal densities: the rows, and for each class its mean and the ellipses of one and two deviations."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefold.errors import InputError
from surefold.inputs.predictions import Predictions
from surefold.learners import FullBayes, NaiveBayes
from surefold.plots.boundary import MARKERS
from surefold.show.write.style import legend, literal, named, new_axes, write

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_densities"]

#: How many standard deviations the ellipses go round.
SPREADS = (1, 2)
PALE = 0.25


def plot_densities(
    model: FullBayes | NaiveBayes,
    X: ArrayLike,
    y: ArrayLike,
    ax: Axes | None = None,
    *,
    test: ArrayLike | None = None,
    title: object = "",
    names: tuple[object, object] | None = None,
    dark: bool = False,
) -> Axes:
    """Draw what a fitted `FullBayes` or `NaiveBayes` of two features believes: a normal density for each class.

    Rows X of classes y are points; `test` are the numbers of those that were held out, and all others are pale. Each
    class has its mean, white, and its ellipses of one and two standard deviations.
    """
    means, covariances = _normals(model)
    columns = [str(name) for name in X.columns] if hasattr(X, "columns") else ["x1", "x2"]
    points = np.asarray(X, dtype=float)
    if points.ndim != 2 or points.shape[1] != 2 or means.shape[1] != 2:
        cure = "fit to two columns, such as two principal components"
        raise InputError("bad_features", f"X has shape {points.shape}: only two features can be drawn", cure=cure)
    truth = Predictions.of(y, y, names=("y", "y", "scores"))
    if truth.n != len(points):
        problem = f"X has {len(points):,} rows and y has {truth.n:,}"
        raise InputError("length_mismatch", problem, cure="pass the same rows")
    held_out = np.ones(truth.n, dtype=bool)
    if test is not None:
        held_out[:] = False
        held_out[np.asarray(test)] = True
    ax, theme = new_axes(ax, dark, (6.4, 5.2), "plotting densities")
    turn = np.linspace(0, 2 * np.pi, 121)
    circle = np.stack([np.cos(turn), np.sin(turn)])
    for code, label in enumerate(model.classes_.tolist()):
        colour, marker = theme.colours[code % len(theme.colours)], MARKERS[code % len(MARKERS)]
        of_class = truth.truth == truth.labels.index(label)
        for part, strength in ((of_class & ~held_out, PALE), (of_class & held_out, 1.0)):
            drawn = ax.scatter(
                points[part, 0], points[part, 1], s=26, marker=marker, color=colour, alpha=strength, linewidth=0
            )
        named(ax, drawn, literal(label))
        root = np.linalg.cholesky(covariances[code])
        for spread in SPREADS:
            around = means[code][:, None] + spread * root @ circle
            (line,) = ax.plot(*around, color=colour, linewidth=1.1)
            line.set_gid(f"{spread} sd|{code}")
        ax.plot(*means[code], marker, color="#ffffff", markeredgecolor="#000000", markersize=9, zorder=5)
    if test is not None:
        pale = ax.scatter([], [], s=26, color=theme.faint, alpha=PALE)
        named(ax, pale, "pale: trained on")
    first, second = names if names is not None else (columns[0], columns[1])
    write(ax, theme, literal(first), literal(second), title)
    legend(ax, theme)
    return ax


def _normals(model: FullBayes | NaiveBayes) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Means, and covariances; those of a naive model lie along the axes."""
    means, covariances = getattr(model, "means_", None), getattr(model, "covariances_", None)
    variances = getattr(model, "variances_", None)
    if covariances is None and variances is not None:
        covariances = np.asarray(variances)[:, :, None] * np.eye(np.shape(variances)[1])
    if means is None or covariances is None:
        cure = "pass a fitted FullBayes or NaiveBayes of numeric features"
        raise InputError("bad_model", f"{type(model).__name__} has no means and covariances of classes", cure=cure)
    return np.asarray(means), np.asarray(covariances)
