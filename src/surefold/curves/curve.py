"""Curve: points made from a score tally, one a distinct score, with the threshold that gives each."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from surefold.errors import InputError
from surefold.tallies.score_groups import ScoreGroups

if TYPE_CHECKING:
    from surefold.estimates.bands import Band

__all__ = ["Curve", "Kind", "called_at", "one_of", "share_of_one", "upper_hull"]

Array = NDArray[np.float64]
Kind = Literal["pointwise", "simultaneous"]
Self = TypeVar("Self", bound="Curve")

NOTHING = ScoreGroups(np.zeros(0), np.zeros(0), np.zeros(0))


@dataclass(frozen=True, eq=False)
class Curve:
    """Points (x, y) with the threshold of each; the first has threshold infinity: nothing is called positive.

    There is one point a distinct score and none is dropped, unless `decimated` was asked for; then `dropped` says how
    many points are gone and `dropped_corners` how many of them were not on a straight line.

    >>> line = Curve(np.array([0.0, 0.5, 1.0]), np.array([0.0, 0.5, 1.0]), np.array([np.inf, 0.6, 0.2]))
    >>> line.area, len(line), len(line.decimated()), line.decimated().dropped
    (0.5, 3, 2, 1)
    """

    name: ClassVar[str] = "curve"
    x_name: ClassVar[str] = "x"
    y_name: ClassVar[str] = "y"
    columns: ClassVar[tuple[str, str]] = ("x", "y")

    x: Array
    y: Array
    threshold: Array
    tally: ScoreGroups = field(default=NOTHING, repr=False)
    dropped: int = 0
    dropped_corners: int = 0

    def __post_init__(self) -> None:
        if not len(self.x) == len(self.y) == len(self.threshold):
            raise AssertionError("x, y and threshold of a curve have one length")

    def __len__(self) -> int:
        return len(self.x)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self):,} points)"

    @cached_property
    def area(self) -> float:
        """Area under the straight lines between the points."""
        return float(self.running_area[-1])

    @property
    def running_area(self) -> Array:
        """Area up to each point, by trapezoids."""
        return np.append(0.0, np.cumsum(np.diff(self.x) * (self.y[1:] + self.y[:-1]) / 2))

    # later rooms

    def band(self, confidence: float = 0.95, kind: Kind = "pointwise") -> Band:
        """Where the population's curve lies: at any one point, or ("simultaneous", ROC only) all of it at once."""
        from surefold.estimates.bands import band_of

        return band_of(self, confidence=confidence, kind=kind)

    def _repr_html_(self) -> str:
        from surefold.report.notebook import figure_html

        return figure_html(self)

    def plot(self, ax: Any = None, **options: Any) -> Any:
        """Draw on `ax`, or on a new figure that shows; the axes come back. Needs the extra `plot`.

        `label` names the model; several curves may share one `ax`. `band` is "pointwise", "simultaneous", True for what
        suits the curve (simultaneous for ROC) or False, at this `confidence`. `shade` fills the area under the curve.
        `title`, `dark` and `show_legend` are options too; every other one goes to matplotlib's `plot` of the line. On
        axes of your own the colours follow their background; `dark` is for a new figure.
        """
        from surefold.show.plots import plot

        return plot(self, None, ax, **options)

    def to_frame(self) -> Any:
        """A polars frame with one row a point."""
        import polars as pl

        return pl.DataFrame({**dict(zip(self.columns, (self.x, self.y), strict=True)), "threshold": self.threshold})

    # fewer points

    def decimated(self: Self, most: int = 1024) -> Self:
        """At most `most` points, for drawing.

        Points on a straight line between their neighbours go first, which changes nothing. If that is not enough the
        corners of the convex hull stay and the rest are `thinned` evenly along the curve.
        """
        corners = np.flatnonzero(self._is_corner()) if len(self) > 2 else np.arange(len(self))
        return self._only(corners, straight=len(self) - len(corners)).thinned(most)

    def thinned(self: Self, most: int) -> Self:
        """At most `most` points: the corners of the convex hull and others spread evenly along the curve."""
        if len(self) <= most:
            return self
        return self._only(_evenly(self.x, self.y, self._hull_places(), most))

    def _only(self: Self, kept: NDArray[np.intp], straight: int = 0) -> Self:
        dropped = len(self) - len(kept)
        if dropped == 0:
            return self
        return replace(
            self,
            x=self.x[kept],
            y=self.y[kept],
            threshold=self.threshold[kept],
            dropped=self.dropped + dropped,
            dropped_corners=self.dropped_corners + dropped - straight,
        )

    def _is_corner(self) -> NDArray[np.bool_]:
        """Whether a point bends the line; the ends do."""
        dx, dy = np.diff(self.x), np.diff(self.y)
        cross = dx[:-1] * dy[1:] - dx[1:] * dy[:-1]
        reach = np.hypot(dx[:-1], dy[:-1]) * np.hypot(dx[1:], dy[1:])
        bends = np.abs(cross) > 1e-9 * reach
        turns_back = dx[:-1] * dx[1:] + dy[:-1] * dy[1:] < 0
        return np.concatenate([[True], bends | turns_back | np.isnan(cross), [True]])

    def _hull_places(self) -> NDArray[np.intp]:
        """The points that thinning must leave."""
        return np.zeros(0, dtype=np.intp)


def _evenly(x: Array, y: Array, always: NDArray[np.intp], most: int) -> NDArray[np.intp]:
    """Places of at most `most` points: the ends, those in `always`, and others spread over the length of the curve."""
    wide, high = max(float(np.ptp(x)), 1e-300), max(float(np.nanmax(y) - np.nanmin(y)), 1e-300)
    steps = np.hypot(np.diff(x) / wide, np.diff(np.nan_to_num(y)) / high)
    along = np.append(0.0, np.cumsum(steps))
    room = max(most - len(always) - 2, 0)
    wanted = np.searchsorted(along, np.linspace(0, along[-1], room + 2))
    return np.unique(np.concatenate([[0, len(x) - 1], always, np.minimum(wanted, len(x) - 1)]).astype(np.intp))


def upper_hull(x: Array, y: Array) -> NDArray[np.intp]:
    """Places of the corners of the least concave curve above the points; x does not fall.

    >>> upper_hull(np.array([0, 0, 0.5, 0.5, 1.0]), np.array([0, 0.5, 0.5, 1.0, 1.0])).tolist()
    [0, 1, 3, 4]
    """
    found: list[int] = []
    xs, ys = x.tolist(), y.tolist()
    for i in range(len(xs)):
        while len(found) >= 2:
            a, b = found[-2], found[-1]
            if (xs[b] - xs[a]) * (ys[i] - ys[a]) - (ys[b] - ys[a]) * (xs[i] - xs[a]) < 0:
                break
            found.pop()
        found.append(i)
    return np.array(found, dtype=np.intp)


def called_at(tally: ScoreGroups, threshold: float, strict: bool = False) -> int:
    """How many distinct scores are called positive: those at or above the threshold, or strictly above it."""
    if np.isnan(threshold):
        raise InputError("bad_option", "threshold is NaN", cure="give a number, or infinity to call nothing positive")
    return int(np.searchsorted(-tally.score, -threshold, side="left" if strict else "right"))


def one_of(**given: float | None) -> str:
    """The name of the only argument that is not None."""
    said = [name for name, value in given.items() if value is not None]
    if len(said) != 1:
        names = ", ".join(f"{name}=" for name in given)
        problem = f"{len(said)} of {names} were given" if said else f"none of {names} was given"
        raise InputError("bad_option", problem, cure="give exactly one")
    return said[0]


def share_of_one(name: str, value: float) -> float:
    """A share from 0 to 1."""
    if not 0 <= value <= 1:
        raise InputError("bad_option", f"{name}={value!r}", cure="give a share between 0 and 1")
    return float(value)
