"""Boundaries of several classifiers of two features: side by side, or as lines over the same points."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from surefold.errors import InputError
from surefold.inputs.predictions import Predictions
from surefold.plots.boundary import Plane, draw_edges, draw_points, plot_boundary
from surefold.resampling.classifier import Classifier
from surefold.show.write.style import DASHES, LIGHT, legend, literal, named, new_axes, write

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["plot_boundaries"]

#: More models than this are no longer told apart.
MOST = 6
#: Panels in a row.
ACROSS = 3


def plot_boundaries(
    models: Mapping[str, Classifier],
    X: ArrayLike,
    y: ArrayLike,
    *,
    together: bool = False,
    members: bool = False,
    resolution: int = 150,
    title: object = "",
) -> Figure:
    """Draw fitted classifiers, by name, each on axes of its own, or `together` as lines over the same points.

    The figure comes back. `members` draws the members of each ensemble thin, as `plot_boundary` does.
    """
    if not 0 < len(models) <= MOST:
        raise InputError("bad_option", f"{len(models)} models to draw", cure=f"give 1 to {MOST} models by name")
    if together:
        return _together(models, X, y, resolution, title)
    across, down = min(len(models), ACROSS), -(-len(models) // ACROSS)
    first, theme = new_axes(None, False, (3.5 * across, 3.6 * down), "plotting boundaries")
    figure: Figure = first.figure
    first.remove()
    for place, (name, model) in enumerate(models.items(), start=1):
        ax = figure.add_subplot(down, across, place, facecolor=theme.paper)
        plot_boundary(model, X, y, ax, members=members, title=name, resolution=resolution, show_legend=False)
    if title:
        figure.suptitle(literal(title, 60)).set_parse_math(False)
    return figure


def _together(models: Mapping[str, Classifier], X: ArrayLike, y: ArrayLike, resolution: int, title: object) -> Figure:
    ax, theme = new_axes(None, False, (6.4, 5.2), "plotting boundaries")
    points, frame = np.asarray(X, dtype=float), X if hasattr(X, "columns") else None
    plane = Plane.around(points, resolution)
    truth = Predictions.of(y, y, names=("y", "y", "scores"))
    draw_points(ax, theme, points, truth, list(truth.labels))
    for place, (name, model) in enumerate(models.items()):
        colour, dash = LIGHT.colours[-1 - place], DASHES[place % len(DASHES)]
        fields = plane.values(model, frame, plane.answers(model, frame))
        draw_edges(ax, plane, fields, colour, linestyles=[dash], linewidths=1.8, zorder=6)
        (line,) = ax.plot([], [], color=colour, linestyle=dash, linewidth=1.8)
        named(ax, line, literal(name))
    ax.grid(False)
    write(ax, theme, "x1", "x2", title)
    legend(ax, theme)
    figure: Figure = ax.figure
    return figure
