"""A chart: a frame with two axes, shapes and notes in it, a sentence that says what it shows, and its table."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefold.report.figures.palette import standalone
from surefold.show.names import xml_text

__all__ = ["DIVISIONS", "UNIT", "WIDTH", "Axis", "Chart", "Note", "Shape", "look", "nice_axis"]

WIDTH, LEFT, RIGHT, TOP, BOTTOM = 334, 46, 12, 12, 40
#: Divisions of an axis: always so many, so that one frame serves every model.
DIVISIONS = 4


@dataclass(frozen=True)
class Axis:
    """A name, a range, and what stands at the ends of its four divisions, or at `places` (shares of its length)."""

    name: str
    low: float = 0.0
    high: float = 1.0
    labels: tuple[str, ...] = ("0", "0.25", "0.5", "0.75", "1")
    places: tuple[float, ...] = (0.0, 0.25, 0.5, 0.75, 1.0)

    @property
    def ends(self) -> tuple[float, float]:
        return self.low, self.high


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


@dataclass(frozen=True)
class Shape:
    """Path data. `kind` says what it is, and so how it looks: line, other, band, reference, bar, whisker, point."""

    name: str
    kind: str
    d: str


@dataclass(frozen=True)
class Note:
    """A few words at a place."""

    name: str
    x: float
    y: float
    text: str
    anchor: str = "start"
    kind: str = "words"


@dataclass(frozen=True)
class Chart:
    """What a chart shows, in drawing units; `dot` is the place of the operating point, in units of the axes."""

    key: str
    title: str
    sentence: str
    x: Axis
    y: Axis
    shapes: tuple[Shape, ...] = ()
    notes: tuple[Note, ...] = ()
    dot: tuple[float, float] | None = None
    cursor: float | None = None
    header: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = field(default=(), repr=False)
    height: int = 262

    @property
    def box(self) -> tuple[int, int, int, int]:
        """Left, top, width and height of the frame."""
        return LEFT, TOP, WIDTH - LEFT - RIGHT, self.height - TOP - BOTTOM

    def at_x(self, values: ArrayLike) -> NDArray[np.float64]:
        left, _, wide, _ = self.box
        low, high = self.x.ends
        return np.asarray(left + (np.asarray(values, dtype=float) - low) / (high - low) * wide)

    def at_y(self, values: ArrayLike) -> NDArray[np.float64]:
        _, top, _, high = self.box
        least, most = self.y.ends
        return np.asarray(top + high - (np.asarray(values, dtype=float) - least) / (most - least) * high)

    def to_dict(self) -> dict[str, Any]:
        """What changes with the model, for the script; short names, because there is one of these a class."""
        return {
            "p": {shape.name: shape.d for shape in self.shapes},
            "n": {note.name: [round(note.x, 1), round(note.y, 1), note.text] for note in self.notes},
            "x": [*self.x.ends, *self.x.labels],
            "y": [*self.y.ends, *self.y.labels],
            "s": self.sentence,
            "t": "|".join(" ".join(row) for row in self.rows),
        }

    def svg(self, page: bool = True) -> str:
        """The drawing: with classes for the page's style sheet, or with its own colours."""
        parts = [_opening(self, page), *_frame(self, page)]
        for shape in self.shapes:
            bound = f' data-shape="{shape.name}"' if page else ""
            parts.append(f'<path {look(shape.kind, page)}{bound} d="{shape.d}"/>')
        for note in self.notes:
            bound = f' data-note="{note.name}"' if page else ""
            where = f'x="{note.x:.1f}" y="{note.y:.1f}" text-anchor="{note.anchor}"'
            parts.append(f"<text {look(note.kind, page)}{bound} {where}>{xml_text(note.text)}</text>")
        parts += _marks(self, page)
        return "".join([*parts, "</svg>"])


def look(kind: str, page: bool) -> str:
    """How a kind of shape looks: by the page's style sheet, or by itself."""
    return f'class="{kind}"' if page else standalone(kind)


def _opening(chart: Chart, page: bool) -> str:
    size = f'viewBox="0 0 {WIDTH} {chart.height}"'
    label = xml_text(f"{chart.title}. {chart.sentence}")
    if not page:
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} width="{WIDTH}" height="{chart.height}" role="img" '
            f'aria-label="{label}" font-family="sans-serif" font-size="11" fill="currentColor">'
        )
    box = " ".join(map(str, chart.box))
    return f'<svg class="chart" {size} role="img" aria-label="{label}" data-chart="{chart.key}" data-box="{box}">'


def _frame(chart: Chart, page: bool) -> list[str]:
    left, top, wide, high = chart.box
    parts = []
    across = [left + wide * place for place in chart.x.places]
    up = [top + high - high * place for place in chart.y.places]
    grid = "".join(f"M{x:g} {top}v{high}" for x in across) + "".join(f"M{left} {y:g}h{wide}" for y in up)
    parts.append(f'<path {look("grid", page)} d="{grid}"/>')
    for i, (x, label) in enumerate(zip(across, chart.x.labels, strict=True)):
        bound = f' data-x-tick="{i}"' if page else ""
        where = f'x="{x:g}" y="{top + high + 14}" text-anchor="middle"'
        parts.append(f"<text {look('tick', page)}{bound} {where}>{xml_text(label)}</text>")
    for i, (y, label) in enumerate(zip(up, chart.y.labels, strict=True)):
        bound = f' data-y-tick="{i}"' if page else ""
        where = f'x="{left - 6}" y="{y + 4:g}" text-anchor="end"'
        parts.append(f"<text {look('tick', page)}{bound} {where}>{xml_text(label)}</text>")
    below = f'x="{left + wide / 2:g}" y="{top + high + 31}" text-anchor="middle"'
    parts.append(f"<text {look('axis', page)} {below}>{xml_text(chart.x.name)}</text>")
    middle = top + high / 2
    beside = f'transform="rotate(-90 10 {middle:g})" x="10" y="{middle:g}" text-anchor="middle"'
    parts.append(f"<text {look('axis', page)} {beside}>{xml_text(chart.y.name)}</text>")
    return parts


def _marks(chart: Chart, page: bool) -> list[str]:
    """The operating point: a dot on the curve, or an upright line at the threshold."""
    parts = []
    _, top, _, high = chart.box
    if chart.dot is not None:
        x, y = chart.dot
        seen = bool(np.isfinite(x + y))
        place = f'cx="{float(chart.at_x(x)):.1f}" cy="{float(chart.at_y(y)):.1f}"' if seen else 'cx="0" cy="0"'
        away = "" if seen else ' visibility="hidden"'
        parts.append(f'<circle {look("dot", page)} {place} r="5.5"{away}/>')
    if chart.cursor is not None:
        inside = chart.x.low <= chart.cursor <= chart.x.high
        x = float(chart.at_x(chart.cursor)) if inside else 0.0
        away = "" if inside else ' visibility="hidden"'
        parts.append(f'<path {look("cursor", page)} d="M{x:.1f} {top}v{high}"{away}/>')
    return parts


def rows_of(*columns: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """Columns of texts as rows."""
    return tuple(zip(*columns, strict=True))
