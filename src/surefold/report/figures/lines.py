"""Lines through estimates, each with a band or with bars, named at its end."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from surefold.estimates.estimate import Estimate
from surefold.plots.interval_lines import is_even_in_logs
from surefold.report.figures.chart import Axis, Chart, Note, Shape, nice_axis
from surefold.report.figures.palette import SERIES
from surefold.report.figures.paths import outline, polyline, uprights
from surefold.show.names import cut, plain

__all__ = ["MOST_LINES", "lines_chart"]

#: Lines that one chart can tell apart; more are in its table.
MOST_LINES = len(SERIES)
#: More bands than this on top of each other cannot be told apart: bars are drawn instead.
MOST_BANDS = 2
#: Share of the frame's width that the lines take, and where they start; their names take the rest.
REACH, INSET = 0.72, 0.03
LONGEST_NAME, LONGEST_VALUE = 13, 8
APART = 11.5
MARKS = ("m-3 0a3 3 0 1 0 6 0a3 3 0 1 0-6 0z", "m-2.8-2.8h5.6v5.6h-5.6z", "m0-3.6l3.6 6.4h-7.2z",
         "m0-3.8l3.8 3.8-3.8 3.8-3.8-3.8z", "m0 3.6l3.6-6.4h-7.2z", "m-1.2-3.5h2.4v7h-2.4z")  # fmt: skip


def lines_chart(
    key: str,
    title: str,
    x_name: str,
    y_name: str,
    x: Sequence[object],
    lines: Mapping[str, Sequence[Estimate]],
    sentence: str,
    *,
    from_zero: bool = False,
    limits: tuple[float, float] = (-math.inf, math.inf),
) -> Chart:
    """One line a name over shared x: numbers to scale (in logarithms where they are even there), others set out evenly.

    >>> e = [Estimate(0.3, 0.2, 0.4), Estimate(0.2, 0.1, 0.3)]
    >>> chart = lines_chart("k", "Error", "rows", "error", [10, 90], {"a": e}, "It falls.")
    >>> chart.x.labels, chart.rows[0]
    (('10', '90'), ('a', '10', '0.30', '0.20', '0.40'))
    """
    places, labels = _places(x)
    shown = dict(list(lines.items())[:MOST_LINES])
    ends = [v for each in shown.values() for e in each for v in (e.value, e.low, e.high) if math.isfinite(v)]
    least = min([*ends, 0.0] if from_zero else ends, default=0.0)
    y = nice_axis(y_name, least, max(ends, default=1.0), limits)
    some = _thinned(places)
    axis = Axis(x_name, 0.0, 1.0, tuple(labels[i] for i in some), tuple(places[i] for i in some))
    frame = Chart(key, title, sentence, axis, y)
    shapes: list[Shape] = []
    for i, each in enumerate(shown.values()):
        shapes += _intervals(frame, places, each, i, len(shown))
    for i, each in enumerate(shown.values()):
        shapes += _line(frame, places, each, i, _aside(i, len(shown)))
    rows = tuple(
        (plain(name), str(label), *e.texts)
        for name, each in lines.items()
        for label, e in zip(labels, each, strict=True)
    )
    header = ("Line", _capital(x_name), _capital(y_name), "low", "high")
    return replace(frame, shapes=tuple(shapes), notes=tuple(_names(frame, shown)), header=header, rows=rows)


def _places(x: Sequence[object]) -> tuple[list[float], list[str]]:
    """Shares of the frame's width, and what is written there."""
    numbers = [float(v) for v in x if isinstance(v, (int, float)) and not isinstance(v, bool) and math.isfinite(v)]
    if len(numbers) == len(x) and len(set(numbers)) > 1:
        scale = np.log(numbers) if is_even_in_logs(numbers) else np.array(numbers)
        at = INSET + (scale - scale.min()) / np.ptp(scale) * REACH
        return at.tolist(), [f"{v:,.10g}" if v >= 1 else f"{v:.4g}" for v in numbers]
    steps = max(len(x) - 1, 1)
    return [INSET + REACH * i / steps for i in range(len(x))], [cut(plain(v), LONGEST_VALUE) for v in x]


def _thinned(places: Sequence[float]) -> list[int]:
    """Places whose words do not run into each other."""
    kept: list[int] = []
    for i in sorted(range(len(places)), key=places.__getitem__):
        if not kept or places[i] - places[kept[-1]] > 0.09:
            kept.append(i)
    return kept


def _intervals(chart: Chart, places: Sequence[float], each: Sequence[Estimate], i: int, lines: int) -> list[Shape]:
    there = [k for k, e in enumerate(each) if math.isfinite(e.low) and math.isfinite(e.high)]
    order = sorted(there, key=places.__getitem__)
    if not order:
        return []
    x = chart.at_x([places[k] for k in order])
    low, high = (chart.at_y([getattr(each[k], end) for k in order]) for end in ("low", "high"))
    if lines > MOST_BANDS or len(order) == 1:
        return [Shape(f"ends{i}", f"ends-of s{i}", uprights(x + _aside(i, lines), low, high))]
    return [Shape(f"area{i}", f"area s{i}", outline(np.append(x, x[::-1]), np.append(high, low[::-1])))]


def _aside(i: int, lines: int) -> float:
    """How far a line stands beside its place, so that bars of several do not cover each other."""
    return 3.2 * (i - (lines - 1) / 2) if lines > MOST_BANDS else 0.0


def _line(chart: Chart, places: Sequence[float], each: Sequence[Estimate], i: int, aside: float) -> list[Shape]:
    order = sorted((k for k, e in enumerate(each) if math.isfinite(e.value)), key=places.__getitem__)
    x, y = chart.at_x([places[k] for k in order]) + aside, chart.at_y([each[k].value for k in order])
    marks = "".join(f"M{a:.1f} {b:.1f}{MARKS[i % len(MARKS)]}" for a, b in zip(x.tolist(), y.tolist(), strict=True))
    return [Shape(f"line{i}", f"series s{i}", polyline(x, y)), Shape(f"marks{i}", f"marks s{i}", marks)]


def _names(chart: Chart, lines: Mapping[str, Sequence[Estimate]]) -> list[Note]:
    """Names where the lines end, moved apart where they would cover each other."""
    left, top, wide, high = chart.box
    wanted = []
    for i, (name, each) in enumerate(lines.items()):
        last = next((e.value for e in reversed(each) if math.isfinite(e.value)), math.nan)
        if math.isfinite(last):
            wanted.append((float(chart.at_y(last)) + 3.5, i, cut(plain(name), LONGEST_NAME)))
    wanted.sort()
    at: list[float] = []
    for y, _, _ in wanted:
        at.append(max(y, at[-1] + APART if at else top + 8.0))
    over = max(0.0, at[-1] - (top + high)) if at else 0.0
    for k in range(len(at) - 1, -1, -1):
        at[k] = min(at[k], (top + high - over if k == len(at) - 1 else at[k + 1] - APART) if over else at[k])
    x = left + wide * (INSET + REACH) + 9
    return [Note(f"name{i}", x, y, name, kind=f"name s{i}") for y, (_, i, name) in zip(at, wanted, strict=True)]


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
