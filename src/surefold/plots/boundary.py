"""Decision regions of a classifier of two features, and the boundaries of the members of an ensemble."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from surefold.errors import InputError, UnknownNameError
from surefold.inputs.predictions import Predictions
from surefold.show.write.style import Theme, legend, literal, named, new_axes, write

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["MARKERS", "Plane", "draw_edges", "draw_points", "plot_boundary"]

MARKERS = ("o", "^", "s", "D", "v", "P", "X", "*")
#: With more members than this only the first ones are drawn: more lines are a blot.
MOST_MEMBERS = 30
#: Around the points, as a share of their spread.
MARGIN = 0.08
#: Steps of the grid over which a line between two answers is smoothed, so that slanted ones show no stairs.
STAIRS = 1.5
#: Corners a step of an edge, below which they are no stairs.
CORNERS = 0.12
#: Decision values that are fewer than this are votes: they jump, and their zero line has stairs.
MANY_VALUES = 1000
#: Decision values are drawn only where they decide, but for rounding at the line itself.
AGREE = 0.999


def plot_boundary(
    model: Any,
    X: Any,
    y: Any,
    ax: Any = None,
    *,
    members: bool = False,
    title: object = "",
    names: tuple[object, object] | None = None,
    resolution: int = 300,
    dark: bool = False,
    show_legend: bool = True,
) -> Any:
    """Shade the plane by what a fitted classifier of two features answers, with the points X of classes y on it.

    `members` draws the boundary of each member of an ensemble (`estimators_`) thin and the combined one bold, and
    leaves the shading faint. `names` are those of the features, by default the columns of a data frame.
    """
    if not callable(getattr(model, "predict", None)):
        raise InputError("bad_model", f"{type(model).__name__} has no predict", cure="pass a fitted classifier")
    columns = [str(name) for name in X.columns] if hasattr(X, "columns") else ["x1", "x2"]
    points = np.asarray(X, dtype=float)
    if points.ndim != 2 or points.shape[1] != 2 or len(points) == 0:
        raise InputError("bad_features", f"X has shape {points.shape}: only two features can be drawn",
                         cure="fit to two columns, such as two principal components")  # fmt: skip
    truth = Predictions.of(y, y, names=("y", "y", "scores"))
    if truth.n != len(points):
        raise InputError("length_mismatch", f"X has {len(points):,} rows and y has {truth.n:,}",
                         cure="pass the same rows")  # fmt: skip
    if resolution < 10:
        raise InputError("bad_option", f"resolution is {resolution}", cure="give a number of steps, 10 or more")
    ax, theme = new_axes(ax, dark, (6.4, 5.2), "plotting a decision boundary")
    plane = Plane.around(points, resolution)
    frame = X if hasattr(X, "columns") else None
    answers = plane.answers(model, frame)
    labels = list(truth.labels)
    unknown = [label for label in np.unique(answers).tolist() if label not in labels]
    labels += unknown
    _regions(ax, theme, plane, answers, labels, faint=members)
    if members:
        _members(ax, theme, plane, model)
    width = 2.2 if members else 1.5
    draw_edges(ax, plane, plane.values(model, frame, answers), theme.ink, linewidths=width, zorder=4)
    draw_points(ax, theme, points, truth, labels)
    if members or len(labels) > 1:
        (line,) = ax.plot([], [], color=theme.ink, linewidth=width)
        named(ax, line, "combined" if members else "boundary")
    ax.grid(False)
    ax.set_xlim(plane.x[0], plane.x[-1])
    ax.set_ylim(plane.y[0], plane.y[-1])
    first, second = names if names is not None else (columns[0], columns[1])
    write(ax, theme, literal(first), literal(second), title)
    if show_legend:
        legend(ax, theme)
    return ax


class Plane:
    """A grid of points, and what a classifier says at each of them."""

    def __init__(self, x: NDArray[np.float64], y: NDArray[np.float64]) -> None:
        self.x, self.y = x, y
        across, up = np.meshgrid(x, y)
        self.points = np.column_stack([across.ravel(), up.ravel()])

    @classmethod
    def around(cls, points: NDArray[np.float64], resolution: int) -> Plane:
        """The grid that holds the points, with a margin."""
        low, high = points.min(axis=0), points.max(axis=0)
        room = MARGIN * np.where(high > low, high - low, 1.0)
        x, y = (np.linspace(low[i] - room[i], high[i] + room[i], resolution) for i in range(2))
        return cls(x, y)

    @property
    def shape(self) -> tuple[int, int]:
        """Points of the grid up and across."""
        return (len(self.y), len(self.x))

    def _asked(self, frame: Any, features: Any = None) -> Any:
        points = self.points if features is None else self.points[:, features]
        return points if frame is None else type(frame)(points, columns=list(frame.columns))

    def answers(self, model: Any, frame: Any = None, features: Any = None) -> NDArray[Any]:
        """The label at each point of the grid."""
        return np.asarray(model.predict(self._asked(frame, features))).reshape(self.shape)

    def values(self, model: Any, frame: Any, answers: NDArray[Any], features: Any = None) -> list[NDArray[np.float64]]:
        """Fields whose zero lines are the boundary: decision values of two classes, which make smooth lines; or, for
        each class but one, whether it is answered."""
        present = np.unique(answers)
        if len(present) < 2:
            return []
        if len(present) == 2 and callable(getattr(model, "decision_function", None)):
            smooth = np.asarray(model.decision_function(self._asked(frame, features)), dtype=float)
            if smooth.ndim == 1 and len(np.unique(smooth)) > MANY_VALUES:
                smooth = smooth.reshape(self.shape)
                if ((smooth > 0) == (answers == present[1])).mean() > AGREE:  # not where members vote by label
                    return [smooth]
        from scipy.ndimage import gaussian_filter

        which = present[:1] if len(present) == 2 else present
        inside = [1.0 * (answers == label) for label in which]
        return [(each if _has_corners(each) else gaussian_filter(each, STAIRS)) - 0.5 for each in inside]


def _has_corners(inside: NDArray[np.float64]) -> bool:
    """Whether a region is made of long straight sides along the axes, as trees make them: its corners are its own.

    Of a slanted edge every few steps of the grid make a corner, and these are stairs.
    """
    across, up = np.diff(inside, axis=1) != 0, np.diff(inside, axis=0) != 0
    corners = (across[:-1] | across[1:]) & (up[:, :-1] | up[:, 1:])
    return bool(corners.sum() < CORNERS * (across.sum() + up.sum()))


def _regions(ax: Axes, theme: Theme, plane: Plane, answers: NDArray[Any], labels: list[Any], faint: bool) -> None:
    from matplotlib.colors import ListedColormap, to_rgba

    codes = np.zeros(plane.shape, dtype=int)
    for code, label in enumerate(labels):
        codes[answers == label] = code
    strength = (0.10 if faint else 0.2) if theme.paper == "#ffffff" else (0.14 if faint else 0.27)
    colours = [to_rgba(_colour(theme, code), strength) for code in range(len(labels))]
    ax.pcolormesh(
        plane.x, plane.y, codes, cmap=ListedColormap(colours), vmin=-0.5, vmax=len(labels) - 0.5, shading="nearest",
        rasterized=True, zorder=0,
    )  # fmt: skip


def draw_edges(ax: Axes, plane: Plane, fields: list[NDArray[np.float64]], colour: str, **style: Any) -> None:
    """The zero lines of fields over the plane."""
    for values in fields:
        ax.contour(plane.x, plane.y, values, levels=[0.0], colors=[colour], **style)


def _members(ax: Axes, theme: Theme, plane: Plane, model: Any) -> None:
    found = getattr(model, "estimators_", None)
    if found is None or len(found) == 0:
        raise UnknownNameError("attribute of the model", "estimators_", [], "members=True is for fitted ensembles")
    each = list(np.ravel(np.array(found, dtype=object)))
    subsets = getattr(model, "estimators_features_", None)
    for i, member in enumerate(each[:MOST_MEMBERS]):
        features = None if subsets is None else subsets[i]
        answers = plane.answers(member, None, features)
        fields = plane.values(member, None, answers, features)
        draw_edges(ax, plane, fields, theme.faint, alpha=0.75, linewidths=0.8, zorder=3)
    (line,) = ax.plot([], [], color=theme.faint, linewidth=0.8, alpha=0.75)
    more = f" (the first {MOST_MEMBERS} of {len(each)})" if len(each) > MOST_MEMBERS else ""
    named(ax, line, f"members{more}")


def draw_points(ax: Axes, theme: Theme, points: NDArray[np.float64], truth: Predictions, labels: list[Any]) -> None:
    """A mark a row, with the shape and colour of its class."""
    for code, label in enumerate(labels):
        mine = points[truth.truth == code]
        size = 26 if len(points) <= 400 else 10
        drawn = ax.scatter(
            mine[:, 0], mine[:, 1], s=size, marker=MARKERS[code % len(MARKERS)], facecolor=_colour(theme, code),
            edgecolor=theme.paper, linewidth=0.5, zorder=5,
        )  # fmt: skip
        named(ax, drawn, literal(label))


def _colour(theme: Theme, code: int) -> str:
    return theme.colours[code % len(theme.colours)]
