"""Charts with matplotlib: on a figure of their own that shows, or on axes that are given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from surefold.show.chart import Axis, Bars, Chart, Dots, Line, Strokes, Words
from surefold.show.heat_chart import HeatChart
from surefold.show.row_chart import AnyChart, RowChart
from surefold.show.write.figure_heat import draw_heat
from surefold.show.write.figure_ranks import draw_ranks
from surefold.show.write.figure_rows import draw_rows
from surefold.show.write.style import (
    DASHES,
    MARKERS,
    Looks,
    Theme,
    count,
    framed,
    legend,
    literal,
    named,
    new_axes,
    new_figure,
    plain,
    write,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["draw", "drawn_apart", "drawn_together"]

Array = NDArray[np.float64]
#: Below the diagonal there is room for a legend when a curve stays above it.
ROOMY = 0.65
SQUARE, TALL, WIDE = (5.2, 5.2), (5.2, 5.8), (6.4, 4.7)
#: More points than this have no marks: they would be a blot.
MARKED = 40
#: How strongly what is filled is filled.
SIDES = {"start": "left", "middle": "center", "end": "right"}
FILLED = {"shade": 0.2, "sure": 0.5, "band": 0.18, "area": 0.15, "bar": 0.25, "line": 0.12, "other": 0.1}


def draw(chart: AnyChart, ax: Axes | None = None, looks: Looks | None = None) -> Any:
    """The chart on these axes, or on a new figure; the axes come back."""
    looks = looks or Looks()
    if isinstance(chart, RowChart):
        return draw_ranks(chart, ax, looks) if chart.key == "ranks" else draw_rows(chart, ax, looks)
    if isinstance(chart, HeatChart):
        return draw_heat(chart, ax, looks)
    ax, theme = new_axes(ax, looks.dark, _size_of(chart), f"plotting {chart.title or chart.key}")
    drawing = _Drawing(chart, ax, theme, looks)
    for mark in chart.marks:
        drawing.mark(mark)
    for words in chart.words:
        drawing.say(words)
    drawing.frame()
    write(ax, theme, chart.x.name, chart.y.name, looks.title)
    if looks.show_legend:
        legend(ax, theme, "lower right" if drawing.has_room else None)
    return ax


def _size_of(chart: Chart) -> tuple[float, float]:
    return WIDE if not chart.square else SQUARE if chart.key in ("roc", "gains") else TALL


def drawn_together(charts: Mapping[str, Chart], ax: Axes | None = None, looks: Looks | None = None) -> Axes:
    """Several charts of one kind on one pair of axes, each under its name."""
    looks = looks or Looks()
    for name, chart in charts.items():
        ax = draw(chart, ax, looks.labelled(name))
    if ax is None:
        raise AssertionError("nothing to draw")
    return ax


def drawn_apart(charts: Sequence[AnyChart], looks: Looks) -> list[Any]:
    """Each chart on axes of its own, two in a row of one figure; those with a y axis share its range."""
    across = min(len(charts), 2)
    down = -(-len(charts) // across)
    figure, theme = new_figure(looks.dark, (5.4 * across + 0.6, 4.4 * down + 0.6), "plotting several charts")
    each = [framed(figure.add_subplot(down, across, i + 1), theme) for i in range(len(charts))]
    for ax, chart in zip(each, charts, strict=True):
        draw(chart, ax, replace(looks, title=looks.title or chart.title))
    alike = [ax for ax, chart in zip(each, charts, strict=True) if isinstance(chart, Chart)]
    ends = [end for ax in alike for end in ax.get_ylim()]
    for ax in alike:
        ax.set_ylim(min(ends), max(ends))
    return each


@dataclass
class _Drawing:
    """A chart on its way onto the axes."""

    chart: Chart
    ax: Any
    theme: Theme
    looks: Looks
    before: int = field(init=False)
    guides: int = 0

    def __post_init__(self) -> None:
        self.before = count(self.ax)
        self.style = dict(self.looks.style)

    def mark(self, mark: Line | Strokes | Bars | Dots) -> None:
        """One mark in its pen."""
        match mark:
            case Line():
                self._line(mark)
            case Strokes():
                self._strokes(mark)
            case Bars():
                self._bars(mark)
            case Dots() if not mark.kind.startswith("marks"):  # lines of a series carry their own
                pen = {
                    "marker": MARKERS[mark.shape],
                    "color": self._colour(mark.kind),
                    "markersize": 6,
                    "linestyle": "none",
                }
                (drawn,) = self.ax.plot(mark.x, mark.y, **pen, zorder=4)
                self._label(drawn, mark.label, of_model=True)

    def _tone(self, kind: str) -> int:
        """Which colour and dash of the palette: that of the series, after what is on the axes already."""
        word = kind.split()[-1]
        own = (
            int(word[1:]) if word[0] == "s" and word[1:].isdigit() else kind.split()[0] in ("other", "cursor", "point2")
        )
        return self.before + own

    def _colour(self, kind: str) -> Any:
        given = self.style.get("color") if kind.split()[0] in ("line", "band", "whisker", "point") else None
        return given or self.theme.colours[self._tone(kind) % len(self.theme.colours)]

    def _label(self, artist: Any, label: str, of_model: bool) -> None:
        """Its place in the legend; what is the same for every model has one."""
        if label and of_model:
            named(self.ax, artist, f"{literal(self.looks.label)}: {label}" if self.looks.label else label)
        elif label and self.before == 0:
            named(self.ax, artist, label)

    def _line(self, mark: Line) -> None:
        kind = mark.kind.split()[0]
        if kind in ("reference", "faint") or mark.closed:
            self._around(mark, kind)
            return
        tone = self._tone(mark.kind)
        pen = {"color": self._colour(mark.kind), "linestyle": DASHES[tone % len(DASHES)], "linewidth": 1.9}
        if kind == "series" and len(mark.x) <= MARKED:
            pen |= {"marker": MARKERS[tone % len(MARKERS)], "markersize": 5}
        x = self._beside(mark.x, mark.aside)
        (drawn,) = self.ax.plot(x, mark.y, **{**pen, **self.style}, zorder=3)
        drawn.surefold_curve = True
        if "filled" in mark.kind or self.looks.shade:
            self.ax.fill_between(x, mark.y, color=pen["color"], alpha=FILLED.get(kind, 0.15), linewidth=0, zorder=0)
        self._label(drawn, mark.label, of_model=True)

    def _around(self, mark: Line, kind: str) -> None:
        """What a curve is held against, drawn once however many curves there are; and its band."""
        if mark.closed:
            if not self.looks.intervals and kind != "bar":
                return
            colour = self.theme.faint if kind == "shade" else self._colour(mark.kind)
            (drawn,) = self.ax.fill(mark.x, mark.y, color=colour, alpha=FILLED[kind], linewidth=0, zorder=1)
        elif self.before:
            return
        elif kind == "faint":
            (drawn,) = self.ax.plot(mark.x, mark.y, color=self.theme.grid, linewidth=0.7, zorder=1)
        else:
            dash = ((0, (4, 3)), (0, (1, 1.5)))[self.guides % 2]
            self.guides += 1
            (drawn,) = self.ax.plot(mark.x, mark.y, color=self.theme.faint, linewidth=1.2, linestyle=dash, zorder=2)
        self._label(drawn, mark.label, of_model=False)

    def _strokes(self, mark: Strokes) -> None:
        kind = mark.kind.split()[0]
        if not self.looks.intervals and kind != "cursor":
            return
        low, high = (
            np.where(np.isinf(v), end, v) for v, end in zip((mark.low, mark.high), self.chart.y.ends, strict=True)
        )
        pen = {
            "color": self._colour(mark.kind),
            "linewidth": {"ends-of": 1.1, "cursor": 1.8}.get(kind, 1.4),
            "zorder": 2,
        }
        drawn = self.ax.vlines(self._beside(mark.x, mark.aside), low, high, **pen)
        self._label(drawn, mark.label, of_model=True)

    def _bars(self, mark: Bars) -> None:
        pen = {"color": self._colour(mark.kind), "alpha": 0.5, "zorder": 1}
        bars = self.ax.bar(mark.left, mark.high, width=0.94 * (mark.right - mark.left), align="edge", **pen)
        bars[0].surefold_curve = True
        self._label(bars[0], mark.label, of_model=True)

    def _beside(self, x: Array, aside: float) -> Array:
        axis = self.chart.x
        return x * (axis.high / axis.low) ** aside if axis.log else x + aside * (axis.high - axis.low)

    def say(self, words: Words) -> None:
        """What stands in no legend."""
        if words.told:
            return
        gone = words.kind == "gone"
        where = {"rotation": 90, "ha": "center"} if gone else {"ha": SIDES[words.anchor]}
        across = self.ax.get_xaxis_transform() if gone else self.ax.transAxes
        text = self.ax.text(words.x, words.y + 0.02 * gone, literal(words.text, 70), transform=across, **where)
        plain(text, self.theme, faint=True)

    def frame(self) -> None:
        """Ranges that hold this chart and what was there before, with their labels."""
        for letter, axis in (("x", self.chart.x), ("y", self.chart.y)):
            if axis.log:
                getattr(self.ax, f"set_{letter}scale")("log")
            if axis.at:
                getattr(self.ax, f"set_{letter}ticks")(axis.at, [literal(label, 16) for label in axis.labels])
                self.ax.minorticks_off()
                _plain_labels(self.ax, self.theme, letter)
            low, high = _with_room(axis)
            if self.before:
                seen = getattr(self.ax, f"get_{letter}lim")()
                low, high = min(low, *seen), max(high, *seen)
            getattr(self.ax, f"set_{letter}lim")(low, high)
        if self.chart.cursor is not None:
            self.ax.axvline(self.chart.cursor, color=self.theme.faint, linewidth=1.2, zorder=2)
        if self.chart.square:
            self.ax.set_aspect("equal")

    @property
    def has_room(self) -> bool:
        """Whether the lower right corner is free."""
        lines = [line for line in self.ax.lines if getattr(line, "surefold_curve", False)]
        areas = [float(np.trapezoid(line.get_ydata(), line.get_xdata())) for line in lines]
        return self.chart.key in ("roc", "gains") and bool(areas) and min(areas) > ROOMY


def _with_room(axis: Axis) -> tuple[float, float]:
    """The range, with a little room before and after."""
    low, high = axis.ends
    if axis.log:
        room = (high / low) ** 0.03
        return low / room, high * room
    room = (0.03 if sum(axis.inset) else 0.015) * (high - low)
    return low - room, high + room


def _plain_labels(ax: Any, theme: Theme, letter: str) -> None:
    for text in ax.get_xticklabels() if letter == "x" else ax.get_yticklabels():
        plain(text, theme)
