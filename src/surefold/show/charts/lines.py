"""Lines through estimates, each with a band or with bars, named at its end."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefold.estimates.estimate import Estimate
from surefold.show.chart import Axis, Chart, Dots, Line, Mark, Strokes, Words, nice_axis
from surefold.show.names import cut, plain

__all__ = ["MOST_LINES", "is_even_in_logs", "lines_chart"]

Array = NDArray[np.float64]
#: Lines that one chart can tell apart; more are in its table.
MOST_LINES = 6
#: More bands than this on top of each other cannot be told apart: bars are drawn instead.
MOST_BANDS = 2
#: Shares of the frame's width that stay free before the lines, and after them for their names.
INSET = (0.03, 0.25)
LONGEST_NAME, LONGEST_VALUE = 13, 8
#: How far bars of neighbouring lines stand apart, as a share of the frame's width.
ASIDE = 0.0116


def lines_chart(
    key: str,
    title: str,
    names: tuple[str, str],
    x: Sequence[object],
    lines: Mapping[str, Sequence[Estimate]],
    sentence: str = "",
    *,
    from_zero: bool = False,
    limits: tuple[float, float] = (-math.inf, math.inf),
    log: bool = False,
) -> Chart:
    """One line a name over shared x: numbers to scale (in logarithms where they are even there), others set out evenly.

    `names` are those of the axes; `log` asks for logarithms of y too.

    >>> e = [Estimate(0.3, 0.2, 0.4), Estimate(0.2, 0.1, 0.3)]
    >>> chart = lines_chart("k", "Error", ("rows", "error"), [10, 90], {"a": e}, "It falls.")
    >>> chart.x.labels, chart.rows[0]
    (('10', '90'), ('a', '10', '0.30', '0.20', '0.40'))
    """
    axis, places, labels = _across(names[0], x)
    shown = dict(list(lines.items())[:MOST_LINES])
    ends = [v for each in shown.values() for e in each for v in (e.value, e.low, e.high) if math.isfinite(v)]
    least = min([*ends, 0.0] if from_zero else ends, default=0.0)
    y = _log_axis(names[1], ends) if log else nice_axis(names[1], least, max(ends, default=1.0), limits)
    marks: list[Mark] = []
    for i, each in enumerate(shown.values()):
        marks += _intervals(places, each, i, len(shown), y)
    for i, (name, each) in enumerate(shown.items()):
        marks += _line(places, each, i, _aside(i, len(shown)), plain(name))
    rows = tuple(
        (plain(name), str(label), *e.texts)
        for name, each in lines.items()
        for label, e in zip(labels, each, strict=True)
    )
    words = (*_names(places, shown), *_gone(places, shown))
    header = ("Line", _capital(names[0]), _capital(names[1]), "low", "high")
    return Chart(key, title, sentence, axis, y, tuple(marks), words, header=header, rows=rows)


def _across(name: str, x: Sequence[object]) -> tuple[Axis, list[float], list[str]]:
    """The axis, the places of the points on it, and what is written there."""
    numbers = [float(v) for v in x if isinstance(v, (int, float)) and not isinstance(v, bool) and math.isfinite(v)]
    if len(numbers) == len(x) and len(set(numbers)) > 1:
        places, log = numbers, is_even_in_logs(numbers)
        labels = [f"{v:,.10g}" if v >= 1 else f"{v:.4g}" for v in numbers]
    else:
        places, log = [float(i) for i in range(len(x))], False
        labels = [cut(plain(v), LONGEST_VALUE) for v in x]
    axis = Axis(name, min(places), max(*places, min(places) + (len(places) == 1)), log=log, inset=INSET)
    some = _thinned(axis.share(places).tolist())
    return replace(axis, labels=tuple(labels[i] for i in some), at=tuple(places[i] for i in some)), places, labels


def _thinned(places: Sequence[float]) -> list[int]:
    """Places whose words do not run into each other."""
    kept: list[int] = []
    for i in sorted(range(len(places)), key=places.__getitem__):
        if not kept or places[i] - places[kept[-1]] > 0.09:
            kept.append(i)
    return kept


def _log_axis(name: str, ends: Sequence[float]) -> Axis:
    """Powers of ten around what is above zero."""
    above = [v for v in ends if v > 0] or [1.0]
    low, high = math.floor(math.log10(min(above))), math.ceil(math.log10(max(above)))
    powers = range(low, max(high, low + 1) + 1)
    at = tuple(10.0**power for power in powers)
    return Axis(name, at[0], at[-1], tuple(f"{v:g}" for v in at), at, log=True)


def _intervals(places: Sequence[float], each: Sequence[Estimate], i: int, lines: int, y: Axis) -> list[Mark]:
    there = [k for k, e in enumerate(each) if math.isfinite(e.low) and math.isfinite(e.high)]
    order = sorted(there, key=places.__getitem__)
    if not order:
        return []
    x = np.array([places[k] for k in order])
    label = f"{each[order[0]].confidence * 100:g} % interval" if i == 0 else ""
    low, high = (np.array([getattr(each[k], end) for k in order]) for end in ("low", "high"))
    if y.log:  # which cannot show zero
        low = np.maximum(low, y.low)
    if lines > MOST_BANDS or len(order) == 1:
        return [Strokes(f"ends{i}", f"ends-of s{i}", x, low, high, label, _aside(i, lines))]
    return [Line(f"area{i}", f"area s{i}", np.append(x, x[::-1]), np.append(high, low[::-1]), label)]


def _aside(i: int, lines: int) -> float:
    """How far a line stands beside its place, so that bars of several do not cover each other."""
    return ASIDE * (i - (lines - 1) / 2) if lines > MOST_BANDS else 0.0


def _line(places: Sequence[float], each: Sequence[Estimate], i: int, aside: float, name: str) -> list[Mark]:
    order = sorted((k for k, e in enumerate(each) if math.isfinite(e.value)), key=places.__getitem__)
    x, y = np.array([places[k] for k in order]), np.array([each[k].value for k in order])
    return [
        Line(f"line{i}", f"series s{i}", x, y, name, aside),
        Dots(f"marks{i}", f"marks s{i}", x, y, aside=aside, shape=i),
    ]


def _names(places: Sequence[float], lines: Mapping[str, Sequence[Estimate]]) -> list[Words]:
    """Names where the lines end."""
    found = []
    for i, (name, each) in enumerate(lines.items()):
        last = next((e.value for e in reversed(each) if math.isfinite(e.value)), math.nan)
        if math.isfinite(last):
            shown = cut(plain(name), LONGEST_NAME)
            found.append(Words(f"name{i}", max(places), last, shown, away=(9, 3.5), kind=f"name s{i}"))
    return found


def _gone(places: Sequence[float], lines: Mapping[str, Sequence[Estimate]]) -> list[Words]:
    """Places where some line is undefined."""
    gone = [place for k, place in enumerate(places) if any(not each[k].defined for each in lines.values())]
    return [Words(f"gone{i}", place, 0, "undefined", kind="gone", told=False) for i, place in enumerate(gone)]


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def is_even_in_logs(x: ArrayLike) -> bool:
    """Whether numbers span a factor of ten or nearly, and their ratios are nearer to equal than their differences.

    >>> is_even_in_logs([0.01, 0.1, 1, 10]), is_even_in_logs([1.0, 2, 3]), is_even_in_logs([0.0, 9])
    (True, False, False)
    """
    numbers = np.unique(np.asarray(x, dtype=float))
    if len(numbers) < 2 or numbers[0] <= 0 or numbers[-1] < 9 * numbers[0]:
        return False
    return len(numbers) == 2 or _uneven(np.diff(np.log(numbers))) < _uneven(np.diff(numbers))


def _uneven(steps: Array) -> float:
    return float(np.std(steps) / np.mean(steps)) if np.mean(steps) else math.inf
