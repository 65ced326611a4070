"""Charts with a row a name as SVG: names over their marks, so that long ones have room on a phone."""

from __future__ import annotations

import math
from collections.abc import Sequence

from surefold.show.chart import DIVISIONS
from surefold.show.names import xml_text
from surefold.show.row_chart import Row, RowChart, grouped_levels
from surefold.show.write.palette import look
from surefold.show.write.paths import short
from surefold.show.write.svg import WIDTH

__all__ = ["Rows", "svg_rows"]

LEFT, RIGHT, BOTTOM = 8, 8, 40
#: Heights: of a row with a value, of one with dots above it, and of words above the frame.
TALL, TALLER, HEADROOM = 31, 45, 17
#: Height of a row's words.
WORDS = 17
#: Room that a bar joining rows takes at the right.
BAR = 9
DIAMOND, SQUARE = "m0-4.5l4.5 4.5-4.5 4.5-4.5-4.5z", "m-3.7-3.7h7.4v7.4h-7.4z"
CIRCLE = "m-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0-7 0z"
#: Of each kind of row how its interval looks, how its mark looks, and the mark.
KINDS = {
    "value": ("whisker", "point", DIAMOND),
    "better": ("whisker", "point", DIAMOND),
    "worse": ("whisker", "point", DIAMOND),
    "other": ("whisker2", "point2", SQUARE),
    "hollow": ("whisker3", "hollow", CIRCLE),
    "equal": ("whisker3", "hollow", CIRCLE),
    "open": ("whisker3", "hollow", CIRCLE),
}


def svg_rows(chart: RowChart, page: bool = True) -> str:
    """The drawing: with classes for the page's style sheet, or with its own colours."""
    return Rows(chart).svg(page)


class Rows:
    """Where the rows and values of a chart lie on the drawing."""

    def __init__(self, chart: RowChart) -> None:
        self.chart = chart
        self.right = self._right()
        self.top = self._top()
        self.height = self.top + sum(map(height_of, chart.rows_drawn)) + BOTTOM

    def _top(self) -> int:
        scale = self.chart.scale is not None
        below = scale and not self._has_room_beside()
        return 4 + HEADROOM * (any(word for _, word in self.chart.lines) + scale + below)

    def _right(self) -> float:
        levels = grouped_levels(self.chart.groups)
        return WIDTH - RIGHT - BAR * (1 + max(levels, default=-1)) - (4 if levels else 0)

    def _has_room_beside(self) -> bool:
        """Whether the name of the scale fits beside it."""
        return self.chart.scale is not None and self.at(self.chart.x.low + self.chart.scale[0]) + 6 < WIDTH - 6.0 * len(
            self.chart.scale[1]
        )

    def at(self, value: float) -> float:
        """The place of a value; what lies off the axis stands at its end."""
        low, high = self.chart.x.ends
        inside = min(max(value, low), high)
        return LEFT + (inside - low) / (high - low) * (self.right - LEFT)

    def svg(self, page: bool) -> str:
        """The drawing."""
        size = f'viewBox="0 0 {WIDTH} {self.height}"'
        label = xml_text(f"{self.chart.title}. {self.chart.sentence}")
        opening = f'<svg class="chart" {size} role="img" aria-label="{label}" data-chart="{self.chart.key}">'
        if not page:
            opening = (
                f'<svg xmlns="http://www.w3.org/2000/svg" {size} width="{WIDTH}" height="{self.height}" role="img" '
                f'aria-label="{label}" font-family="sans-serif" font-size="11" fill="currentColor">'
            )
        parts = [opening, *self._frame(page)]
        top = self.top
        for row in self.chart.rows_drawn:
            parts += self._row(row, top, page)
            top += height_of(row)
        return "".join([*parts, *self._bars(page), "</svg>"])

    def _frame(self, page: bool) -> list[str]:
        top, foot = self.top, self.height - BOTTOM
        parts = []
        if self.chart.shade is not None:
            start, end = map(self.at, self.chart.shade)
            parts.append(f'<path {look("shade", page)} d="M{start:.1f} {top}H{end:.1f}V{foot}H{start:.1f}z"/>')
        across = [LEFT + (self.right - LEFT) * i / DIVISIONS for i in range(DIVISIONS + 1)]
        grid = "".join(self._uprights(x) for x in across)
        parts.append(f'<path {look("grid", page)} d="{grid}"/>')
        for i, (x, label) in enumerate(zip(across, self.chart.x.labels, strict=True)):
            anchor = "start" if i == 0 else "end" if i == DIVISIONS else "middle"
            edge = (
                x - LEFT + 2 if i == 0 else x + (RIGHT - 2 if self.right > WIDTH - 2 * RIGHT else 8) * (i == DIVISIONS)
            )
            parts.append(_text("tick", edge, foot + 14, label, anchor, page))
        parts.append(_text("axis", (LEFT + self.right) / 2, foot + 31, self.chart.x.name, "middle", page))
        for value, word in self.chart.lines:
            x = self.at(value)
            parts.append(f'<path {look("reference", page)} d="{self._uprights(x)}"/>')
            if word:
                anchor = "start" if x < WIDTH / 3 else "end" if x > WIDTH * 2 / 3 else "middle"
                parts.append(_text("tick", x, top - 7, word, anchor, page))
        if self.chart.scale is not None:
            length, word = self.chart.scale
            low = self.chart.x.low
            end = self.at(low + length)
            parts.append(f'<path {look("ink", page)} d="M{LEFT} 9v6M{LEFT} 12H{end:.1f}M{end:.1f} 9v6"/>')
            room = self._has_room_beside()
            parts.append(_text("tick", end + 6 if room else LEFT + 4, 16 if room else 29, word, "start", page))
        return parts

    def _uprights(self, x: float) -> str:
        """An upright line, broken where the words of a row stand."""
        parts, top = [], self.top
        for row in self.chart.rows_drawn:
            parts.append(f"M{x:.1f} {top + WORDS}V{top + height_of(row)}")
            top += height_of(row)
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
        middle = top + height_of(row) - 9
        whisker, point, shape = KINDS[row.kind]
        if row.wide is not None and not math.isnan(row.wide.low):
            low, high = self.at(row.wide.low), self.at(row.wide.high)
            parts.append(f'<path {look(f"{whisker} wide", page)} d="M{low:.1f} {middle:g}H{high:.1f}"/>')
        if not math.isnan(e.low):
            low, high = self.at(e.low), self.at(e.high)
            ends = "".join(
                f"M{x:.1f} {middle - 3:g}v6"
                for x, bound in ((low, e.low), (high, e.high))
                if self.chart.x.low <= bound <= self.chart.x.high
            )
            parts.append(f'<path {look(whisker, page)} d="M{low:.1f} {middle:g}H{high:.1f}{ends}"/>')
        parts.append(f'<path {look(point, page)} d="M{self.at(e.value):.1f} {middle:g}{shape}"/>')
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
        for row in self.chart.rows_drawn:
            middles.append(top + height_of(row) - 9)
            top += height_of(row)
        parts = []
        for group, level in zip(self.chart.groups, grouped_levels(self.chart.groups), strict=True):
            x = self.right + 8 + BAR * level
            at = [middles[i] for i in group.rows if i < len(middles)]
            if len(at) > 1:
                ticks = "".join(f"M{x - 4:g} {y:g}h4" for y in at)
                parts.append(f'<path {look("joined", page)} d="M{x:g} {at[0]:g}V{at[-1]:g}{ticks}"/>')
        return parts


def height_of(row: Row) -> int:
    """How much room a row takes."""
    return TALLER if row.dots and row.estimate is not None else TALL


def _text(kind: str, x: float, y: float, words: str, anchor: str, page: bool) -> str:
    where = "" if anchor == "start" else f' text-anchor="{anchor}"'
    return f'<text {look(kind, page)} x="{x:.1f}" y="{y:g}"{where}>{xml_text(words)}</text>'
