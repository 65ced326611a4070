"""A chart described once: two axes, marks in their units, and its table; no pixels, no colours, no markup.

Writers draw it: `show.write.svg` for pages and notebooks, `show.write.figure` with matplotlib.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefold.measures import catalogue

__all__ = ["DIVISIONS", "UNIT", "Axis", "Bars", "Chart", "Dots", "Line", "Mark", "Strokes", "Words", "nice_axis",
           "range_of", "rows_of"]  # fmt: skip

Array = NDArray[np.float64]
#: Divisions of an axis: always so many, so that one frame serves every model.
DIVISIONS = 4
QUARTERS = (0.0, 0.25, 0.5, 0.75, 1.0)
Anchor = Literal["start", "middle", "end"]


@dataclass(frozen=True)
class Axis:
    """A name, a range, and labels: at the ends of four divisions, or `at` these values.

    `inset` are the shares of the frame's length that stay free before and after the range, for names of lines.
    """

    name: str
    low: float = 0.0
    high: float = 1.0
    labels: tuple[str, ...] = ("0", "0.25", "0.5", "0.75", "1")
    at: tuple[float, ...] = ()
    log: bool = False
    inset: tuple[float, float] = (0.0, 0.0)

    @property
    def ends(self) -> tuple[float, float]:
        """The range."""
        return self.low, self.high

    @property
    def places(self) -> tuple[float, ...]:
        """Where the labels stand, as shares of the frame's length."""
        return tuple(self.share(self.at).tolist()) if self.at else QUARTERS

    def share(self, values: ArrayLike) -> Array:
        """Values as shares of the frame's length.

        >>> Axis("rows", 1.0, 100.0, log=True).share([1, 10]).tolist(), Axis("x", 0, 4).share(3).tolist()
        ([0.0, 0.5], 0.75)
        """
        there = np.asarray(values, dtype=float)
        low, high = self.ends
        if self.log:
            there, low, high = np.log(there), math.log(low), math.log(high)
        before, after = self.inset
        return np.asarray(before + (there - low) / (high - low) * (1 - before - after))


UNIT = Axis("")


def nice_axis(name: str, low: float, high: float, limits: tuple[float, float] = (-math.inf, math.inf)) -> Axis:
    """An axis from or below `low` to or above `high`, in four steps of a round number, within `limits`.

    >>> nice_axis("lift", 0, 2.6).labels, nice_axis("AUC", 0.955, 0.997, (0, 1)).labels
    (('0', '0.75', '1.5', '2.25', '3'), ('0.94', '0.955', '0.97', '0.985', '1'))
    """
    span = max(high - low, 1e-12 * max(1.0, abs(low), abs(high)))
    power = 10.0 ** np.floor(np.log10(span / DIVISIONS))
    for multiple in (1, 1.5, 2, 2.5, 3, 4, 5, 6, 7.5, 10, 15, 20, 25):
        step = multiple * power
        start = float(np.floor(low / step + 1e-9) * step)
        if start + DIVISIONS * step > limits[1] >= high:
            start = limits[1] - DIVISIONS * step
        if start < limits[0] <= low:
            start = limits[0]
        if start <= low + 1e-9 * span and start + DIVISIONS * step >= high - 1e-9 * span:
            break
    if start + DIVISIONS * step > limits[1] >= high:  # no round step fits: the axis is the range
        start, step = limits[0], (limits[1] - limits[0]) / DIVISIONS
    values = [start + i * step for i in range(DIVISIONS + 1)]
    return Axis(name, float(values[0]), float(values[-1]), tuple(f"{round(v / step, 6) * step:.6g}" for v in values))


def range_of(name: str) -> tuple[float, float]:
    """How far a measure runs; of what is no measure of ours nothing is known.

    >>> range_of("roc_auc"), range_of("seconds")
    ((0.0, 1.0), (-inf, inf))
    """
    return catalogue[name].range if name in catalogue else (-math.inf, math.inf)


@dataclass(frozen=True, eq=False)
class Line:
    """A line through points in the units of the axes; points that are not finite are left out.

    `kind` says what it is, and so how it looks: "line", "other", "reference", "series s2"; with "band" or "area s2" it
    is closed and filled. `label` names it where a writer has a legend. `aside` is how far it stands beside its points,
    as a share of the frame, so that several do not cover each other.
    """

    name: str
    kind: str
    x: Array = field(repr=False)
    y: Array = field(repr=False)
    label: str = ""
    aside: float = 0.0

    @property
    def closed(self) -> bool:
        """Whether it goes round something that is filled."""
        return self.kind.split()[0] in ("band", "area", "bar", "shade", "sure")


@dataclass(frozen=True, eq=False)
class Strokes:
    """Upright strokes from low to high, such as intervals; where those are infinite, over the whole frame."""

    name: str
    kind: str
    x: Array = field(repr=False)
    low: Array = field(repr=False)
    high: Array = field(repr=False)
    label: str = ""
    aside: float = 0.0


@dataclass(frozen=True, eq=False)
class Bars:
    """Upright bars from zero, each from left to right."""

    name: str
    kind: str
    left: Array = field(repr=False)
    right: Array = field(repr=False)
    high: Array = field(repr=False)
    label: str = ""


@dataclass(frozen=True, eq=False)
class Dots:
    """A mark at every point; `shape` is its number among the shapes that can be told apart."""

    name: str
    kind: str
    x: Array = field(repr=False)
    y: Array = field(repr=False)
    label: str = ""
    aside: float = 0.0
    shape: int = 0


@dataclass(frozen=True)
class Words:
    """A few words at a place: in the units of the axes, or in shares of the frame; `away` is in points from there.

    What stands in a legend too has `told`, and a writer with a legend leaves it out.
    """

    name: str
    x: float
    y: float
    text: str
    anchor: Anchor = "start"
    away: tuple[float, float] = (0.0, 0.0)
    in_frame: bool = False
    kind: str = "words"
    told: bool = True


Mark = Line | Strokes | Bars | Dots


@dataclass(frozen=True, eq=False)
class Chart:
    """What a chart shows; `dot` is the place of the operating point, `cursor` that of the threshold on the x axis.

    `fine` are the characters that a line may take where it is written as text, and how coarse it may be then.
    """

    key: str
    title: str
    sentence: str
    x: Axis
    y: Axis
    marks: tuple[Mark, ...] = ()
    words: tuple[Words, ...] = ()
    dot: tuple[float, float] | None = None
    cursor: float | None = None
    square: bool = False
    header: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = field(default=(), repr=False)
    fine: tuple[int, float] = (560, 1.2)

    def named(self, x: str, y: str) -> Chart:
        """The same with other names of its axes."""
        return replace(self, x=replace(self.x, name=x), y=replace(self.y, name=y))


def rows_of(*columns: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """Columns of texts as rows."""
    return tuple(zip(*columns, strict=True))
