"""A chart with a row a name: a value on its interval, dots behind it, and groups of rows joined by a bar."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from surefold.estimates.estimate import Estimate
from surefold.report.figures.chart import DIVISIONS, WIDTH, Axis, look, nice_axis
from surefold.report.figures.paths import short
from surefold.show.names import xml_text

__all__ = ["Group", "Kind", "Row", "RowChart", "axis_of", "grouped_levels"]

LEFT, RIGHT, BOTTOM = 8, 8, 40
#: Heights: of a row with a value, of one with dots above it, and of words above the frame.
TALL, TALLER, HEADROOM = 31, 45, 17
#: Height of a row's words.
WORDS = 17
#: Room that a bar joining rows takes at the right.
BAR = 9
Kind = Literal["value", "other", "hollow"]


@dataclass(frozen=True)
class Row:
    """A name over a mark: `estimate` is drawn on its interval, `dots` above it, `words` stand at the right end."""

    name: str
    estimate: Estimate | None = None
    words: str = ""
    kind: Kind = "value"
    dots: tuple[float, ...] = ()

    @property
    def height(self) -> int:
        return TALLER if self.dots and self.estimate is not None else TALL


@dataclass(frozen=True)
class Group:
    """Rows, by number, that a bar joins."""

    rows: tuple[int, ...]


@dataclass(frozen=True)
class RowChart:
    """Rows from top to bottom over one axis; `lines` are upright, with a word each; `shade` is a stretch of the axis.

    `scale` is a length of the axis, drawn above it with its name.
    """

    key: str
    title: str
    sentence: str
    x: Axis
    rows_drawn: tuple[Row, ...]
    lines: tuple[tuple[float, str], ...] = ()
    shade: tuple[float, float] | None = None
    groups: tuple[Group, ...] = ()
    scale: tuple[float, str] | None = None
    header: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = field(default=(), repr=False)

    @property
    def top(self) -> int:
        below = self.scale is not None and not self._has_room_beside()
        return 4 + HEADROOM * (any(word for _, word in self.lines) + (self.scale is not None) + below)

    def _has_room_beside(self) -> bool:
        """Whether the name of the scale fits beside it."""
        return self.scale is not None and self.at(self.x.low + self.scale[0]) + 6 < WIDTH - 6.0 * len(self.scale[1])

    @property
    def height(self) -> int:
        return self.top + sum(row.height for row in self.rows_drawn) + BOTTOM

    @property
    def right(self) -> float:
        levels = grouped_levels(self.groups)
        return WIDTH - RIGHT - BAR * (1 + max(levels, default=-1)) - (4 if levels else 0)

    def at(self, value: float) -> float:
        """The place of a value; what lies off the axis stands at its end."""
        low, high = self.x.ends
        inside = min(max(value, low), high)
        return LEFT + (inside - low) / (high - low) * (self.right - LEFT)

    def svg(self, page: bool = True) -> str:
        """The drawing: with classes for the page's style sheet, or with its own colours."""
        size = f'viewBox="0 0 {WIDTH} {self.height}"'
        label = xml_text(f"{self.title}. {self.sentence}")
        opening = f'<svg class="chart" {size} role="img" aria-label="{label}" data-chart="{self.key}">'
        if not page:
            opening = (
                f'<svg xmlns="http://www.w3.org/2000/svg" {size} width="{WIDTH}" height="{self.height}" role="img" '
                f'aria-label="{label}" font-family="sans-serif" font-size="11" fill="currentColor">'
            )
        parts = [opening, *self._frame(page)]
        top = self.top
        for row in self.rows_drawn:
            parts += self._row(row, top, page)
            top += row.height
        return "".join([*parts, *self._bars(page), "</svg>"])

    def _frame(self, page: bool) -> list[str]:
        top, foot = self.top, self.height - BOTTOM
        parts = []
        if self.shade is not None:
            start, end = map(self.at, self.shade)
            parts.append(f'<path {look("shade", page)} d="M{start:.1f} {top}H{end:.1f}V{foot}H{start:.1f}z"/>')
        across = [LEFT + (self.right - LEFT) * i / DIVISIONS for i in range(DIVISIONS + 1)]
        grid = "".join(self._uprights(x) for x in across)
        parts.append(f'<path {look("grid", page)} d="{grid}"/>')
        for i, (x, label) in enumerate(zip(across, self.x.labels, strict=True)):
            anchor = "start" if i == 0 else "end" if i == DIVISIONS else "middle"
            edge = (
                x - LEFT + 2 if i == 0 else x + (RIGHT - 2 if self.right > WIDTH - 2 * RIGHT else 8) * (i == DIVISIONS)
            )
            parts.append(_text("tick", edge, foot + 14, label, anchor, page))
        parts.append(_text("axis", (LEFT + self.right) / 2, foot + 31, self.x.name, "middle", page))
        for value, word in self.lines:
            x = self.at(value)
            parts.append(f'<path {look("reference", page)} d="{self._uprights(x)}"/>')
            if word:
                anchor = "start" if x < WIDTH / 3 else "end" if x > WIDTH * 2 / 3 else "middle"
                parts.append(_text("tick", x, top - 7, word, anchor, page))
        if self.scale is not None:
            length, word = self.scale
            low = self.x.low
            end = self.at(low + length)
            parts.append(f'<path {look("ink", page)} d="M{LEFT} 9v6M{LEFT} 12H{end:.1f}M{end:.1f} 9v6"/>')
            room = self._has_room_beside()
            parts.append(_text("tick", end + 6 if room else LEFT + 4, 16 if room else 29, word, "start", page))
        return parts

    def _uprights(self, x: float) -> str:
        """An upright line, broken where the words of a row stand."""
        parts, top = [], self.top
        for row in self.rows_drawn:
            parts.append(f"M{x:.1f} {top + WORDS}V{top + row.height}")
            top += row.height
        return "".join(parts)

    def _row(self, row: Row, top: float, page: bool) -> list[str]:
        parts = [_text("words", LEFT, top + 13, row.name, "start", page)]
        if row.words:
            parts.append(_text("figure", self.right, top + 13, row.words, "end", page))
        if row.dots:
            parts.append(f'<path {look("splits", page)} d="{self._dots(row.dots, top + 23)}"/>')
        e = row.estimate
        if e is None or not math.isfinite(e.value):
            return parts
        middle = top + row.height - 9
        kinds = {"value": ("whisker", "point"), "other": ("whisker2", "point2"), "hollow": ("whisker3", "hollow")}
        whisker, point = kinds[row.kind]
        if not math.isnan(e.low):
            low, high = self.at(e.low), self.at(e.high)
            ends = "".join(
                f"M{x:.1f} {middle - 3:g}v6"
                for x, bound in ((low, e.low), (high, e.high))
                if self.x.low <= bound <= self.x.high
            )
            parts.append(f'<path {look(whisker, page)} d="M{low:.1f} {middle:g}H{high:.1f}{ends}"/>')
        shapes = {"value": "m0-4.5l4.5 4.5-4.5 4.5-4.5-4.5z", "other": "m-3.7-3.7h7.4v7.4h-7.4z",
                  "hollow": "m-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0-7 0z"}  # fmt: skip
        parts.append(f'<path {look(point, page)} d="M{self.at(e.value):.1f} {middle:g}{shapes[row.kind]}"/>')
        return parts

    def _dots(self, values: Sequence[float], middle: float) -> str:
        """A round stroke of no length a value; equal ones stand above and below each other."""
        seen: dict[int, int] = {}
        parts = []
        for value in values:
            if not math.isfinite(value):
                continue
            x = self.at(value)
            times = seen[round(x / 3)] = seen.get(round(x / 3), -1) + 1
            away = (times + 1) // 2 * (1 if times % 2 else -1) * 2.2
            parts.append(f"M{short(round(x * 10))} {middle + max(-6.6, min(away, 6.6)):.1f}h0")
        return "".join(parts)

    def _bars(self, page: bool) -> list[str]:
        """Upright bars at the right that join rows, with a stroke into each."""
        middles, top = [], self.top
        for row in self.rows_drawn:
            middles.append(top + row.height - 9)
            top += row.height
        parts = []
        for group, level in zip(self.groups, grouped_levels(self.groups), strict=True):
            x = self.right + 8 + BAR * level
            at = [middles[i] for i in group.rows if i < len(middles)]
            if len(at) > 1:
                ticks = "".join(f"M{x - 4:g} {y:g}h4" for y in at)
                parts.append(f'<path {look("joined", page)} d="M{x:g} {at[0]:g}V{at[-1]:g}{ticks}"/>')
        return parts


def _text(kind: str, x: float, y: float, words: str, anchor: str, page: bool) -> str:
    where = "" if anchor == "start" else f' text-anchor="{anchor}"'
    return f'<text {look(kind, page)} x="{x:.1f}" y="{y:g}"{where}>{xml_text(words)}</text>'


def axis_of(
    name: str,
    rows: Sequence[Row],
    also: Sequence[float] = (),
    limits: tuple[float, float] = (-math.inf, math.inf),
) -> Axis:
    """An axis that holds every finite value, bound and dot of the rows, and goes no further than `limits`."""
    seen = [v for v in also if math.isfinite(v)]
    for row in rows:
        e = row.estimate
        ends = () if e is None else (e.value, e.low, e.high)
        seen += [v for v in (*ends, *row.dots) if math.isfinite(v)]
    return nice_axis(name, min(seen, default=0.0), max(seen, default=1.0), limits)


def grouped_levels(groups: Sequence[Group]) -> list[int]:
    """Beside which others each bar stands, so that none covers another.

    >>> grouped_levels([Group((0, 1, 2)), Group((2, 3)), Group((4, 5))])
    [0, 1, 0]
    """
    ends: list[int] = []
    found = []
    for group in groups:
        first, last = min(group.rows), max(group.rows)
        level = next((i for i, end in enumerate(ends) if first > end), len(ends))
        ends[level : level + 1] = [last]
        found.append(level)
    return found
