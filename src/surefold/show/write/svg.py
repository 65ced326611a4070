"""Charts as SVG: with classes for the page's style sheet, or with their own colours."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefold.show.chart import Bars, Chart, Dots, Line, Mark, Strokes, Words
from surefold.show.names import xml_text
from surefold.show.write.palette import look
from surefold.show.write.paths import outline, polyline, rectangles, uprights

__all__ = ["HEIGHT", "WIDTH", "Frame", "moving", "paths_of", "svg_chart"]

Array = NDArray[np.float64]
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 334, 262, 46, 12, 12, 40
#: Marks of as many lines as can be told apart.
SHAPES = ("m-3 0a3 3 0 1 0 6 0a3 3 0 1 0-6 0z", "m-2.8-2.8h5.6v5.6h-5.6z", "m0-3.6l3.6 6.4h-7.2z",
          "m0-3.8l3.8 3.8-3.8 3.8-3.8-3.8z", "m0 3.6l3.6-6.4h-7.2z", "m-1.2-3.5h2.4v7h-2.4z")  # fmt: skip
#: How far apart names at the ends of lines stand.
APART = 11.5


class Frame:
    """Where the values of a chart's axes lie on the drawing."""

    def __init__(self, chart: Chart) -> None:
        self.chart = chart
        self.box = (LEFT, TOP, WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM)

    def x(self, values: ArrayLike, aside: float = 0.0) -> Array:
        """Places across, in units of the drawing."""
        left, _, wide, _ = self.box
        return np.asarray(left + (self.chart.x.share(values) + aside) * wide)

    def y(self, values: ArrayLike) -> Array:
        """Places down."""
        _, top, _, high = self.box
        return np.asarray(top + high - self.chart.y.share(values) * high)

    def d(self, mark: Mark) -> str:
        """A mark as path data."""
        match mark:
            case Line():
                draw = outline if mark.closed else polyline
                return draw(self.x(mark.x, mark.aside), self.y(mark.y), self.chart.fine)
            case Strokes():
                _, top, _, high = self.box
                ends = (np.where(np.isinf(v), at, self.y(v)) for v, at in ((mark.low, top), (mark.high, top + high)))
                return uprights(self.x(mark.x, mark.aside), *ends)
            case Bars():
                return rectangles(self.x(mark.left), self.x(mark.right), self.y(mark.high), self.y(0 * mark.high))
            case Dots():
                x, y = self.x(mark.x, mark.aside), self.y(mark.y)
                each = zip(x.tolist(), y.tolist(), strict=True)
                return "".join(f"M{a:.1f} {b:.1f}{SHAPES[mark.shape % len(SHAPES)]}" for a, b in each)

    def places(self) -> list[tuple[Words, float, float]]:
        """The words and where they stand; names at the ends of lines are moved apart."""
        left, top, wide, high = self.box
        found = []
        for words in self.chart.words:
            x, y = float(left + words.x * wide), float(top + high - words.y * high)
            if not words.in_frame:
                x, y = float(self.x(words.x)), float(self.y(words.y))
            found.append((words, x + words.away[0], y + words.away[1]))
        names = [each for each in found if each[0].kind.startswith("name")]
        apart = _apart(sorted(names, key=lambda each: each[2]), top, top + high)
        return [each for each in found if each[0].kind == "words"] + apart


def _apart(names: list[tuple[Words, float, float]], top: float, foot: float) -> list[tuple[Words, float, float]]:
    at: list[float] = []
    for _, _, y in names:
        at.append(max(y, at[-1] + APART if at else top + 8.0))
    over = max(0.0, at[-1] - foot) if at else 0.0
    for k in range(len(at) - 1, -1, -1):
        at[k] = min(at[k], (foot - over if k == len(at) - 1 else at[k + 1] - APART) if over else at[k])
    return [(words, x, y) for (words, x, _), y in zip(names, at, strict=True)]


@lru_cache(maxsize=128)
def paths_of(chart: Chart) -> dict[str, str]:
    """The path data of every mark by its name; drawn once, because pages ask for it again and again."""
    frame = Frame(chart)
    return {mark.name: frame.d(mark) for mark in chart.marks}


def moving(chart: Chart) -> dict[str, Any]:
    """What changes with the model, for the page's script; short names, because there is one of these a class."""
    return {
        "p": paths_of(chart),
        "n": {words.name: [round(x, 1), round(y, 1), words.text] for words, x, y in Frame(chart).places()},
        "x": [*chart.x.ends, *chart.x.labels],
        "y": [*chart.y.ends, *chart.y.labels],
        "s": chart.sentence,
        "t": "|".join(" ".join(row) for row in chart.rows),
    }


def svg_chart(chart: Chart, page: bool = True) -> str:
    """The drawing."""
    frame, drawn = Frame(chart), paths_of(chart)
    parts = [_opening(frame, page), *_axes(frame, page)]
    for mark in chart.marks:
        bound = f' data-shape="{mark.name}"' if page else ""
        parts.append(f'<path {look(mark.kind, page)}{bound} d="{drawn[mark.name]}"/>')
    for words, x, y in frame.places():
        bound = f' data-note="{words.name}"' if page else ""
        where = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{words.anchor}"'
        parts.append(f"<text {look(words.kind, page)}{bound} {where}>{xml_text(words.text)}</text>")
    parts += _point(frame, page)
    return "".join([*parts, "</svg>"])


def _opening(frame: Frame, page: bool) -> str:
    chart = frame.chart
    size = f'viewBox="0 0 {WIDTH} {HEIGHT}"'
    label = xml_text(f"{chart.title}. {chart.sentence}")
    if not page:
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} width="{WIDTH}" height="{HEIGHT}" role="img" '
            f'aria-label="{label}" font-family="sans-serif" font-size="11" fill="currentColor">'
        )
    box = " ".join(map(str, frame.box))
    return f'<svg class="chart" {size} role="img" aria-label="{label}" data-chart="{chart.key}" data-box="{box}">'


def _axes(frame: Frame, page: bool) -> list[str]:
    chart = frame.chart
    left, top, wide, high = frame.box
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


def _point(frame: Frame, page: bool) -> list[str]:
    """The operating point: a dot on the curve, or an upright line at the threshold."""
    chart, parts = frame.chart, []
    _, top, _, high = frame.box
    if chart.dot is not None:
        x, y = chart.dot
        seen = math.isfinite(x + y)
        place = f'cx="{float(frame.x(x)):.1f}" cy="{float(frame.y(y)):.1f}"' if seen else 'cx="0" cy="0"'
        away = "" if seen else ' visibility="hidden"'
        parts.append(f'<circle {look("dot", page)} {place} r="5.5"{away}/>')
    if chart.cursor is not None:
        inside = chart.x.low <= chart.cursor <= chart.x.high
        x = float(frame.x(chart.cursor)) if inside else 0.0
        away = "" if inside else ' visibility="hidden"'
        parts.append(f'<path {look("cursor", page)} d="M{x:.1f} {top}v{high}"{away}/>')
    return parts
