"""A chart with a row a name, described once: a value on its interval, dots behind it, groups of rows joined."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from surefold.estimates.estimate import Estimate
from surefold.show.chart import Axis, Chart, nice_axis
from surefold.show.heat_chart import HeatChart

__all__ = ["AnyChart", "Group", "Kind", "Legend", "Row", "RowChart", "axis_of", "grouped_levels"]

#: What a row's mark says: a value, another sort of value, one that is set back; or what was told of a difference.
Kind = Literal["value", "other", "hollow", "better", "worse", "equal", "open"]
#: What marks mean, in words.
Legend = tuple[tuple[Kind | Literal["dots", "shade"], str], ...]


@dataclass(frozen=True)
class Row:
    """A name over a mark: `estimate` is drawn on its interval, `dots` above it, `words` stand at the right end.

    `wide` is an interval that holds together with those of other rows: it is drawn thick and pale behind.
    """

    name: str
    estimate: Estimate | None = None
    words: str = ""
    kind: Kind = "value"
    dots: tuple[float, ...] = ()
    wide: Estimate | None = None


@dataclass(frozen=True)
class Group:
    """Rows, by number, that a bar joins."""

    rows: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class RowChart:
    """Rows from top to bottom over one axis; `lines` are upright, with a word each; `shade` is a stretch of the axis.

    `scale` is a length of the axis, drawn above it with its name. `legend` says what the kinds of marks mean, where a
    writer has room for that.
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
    legend: Legend = ()


AnyChart = Chart | RowChart | HeatChart


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
        ends = tuple(v for each in (e, row.wide) if each is not None for v in (each.value, each.low, each.high))
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
