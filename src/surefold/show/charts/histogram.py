"""The values of many samples as bars, with marks at figures that follow from them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from surefold.show.chart import Anchor, Bars, Chart, Mark, Strokes, Words, nice_axis, rows_of

__all__ = ["histogram_chart"]

Array = NDArray[np.float64]
MOST_BINS = 30
#: The share of the frame that bars may fill: words stand above.
FULL = 0.84


def histogram_chart(
    key: str,
    title: str,
    x_name: str,
    values: Sequence[float],
    marks: Mapping[str, float],
    sentence: str,
    limits: tuple[float, float] = (-math.inf, math.inf),
) -> Chart:
    """Counts of finite values in bins of equal width; `marks` are upright lines with their names."""
    there = np.asarray(values, dtype=float)
    there = there[np.isfinite(there)]
    known = {name: at for name, at in marks.items() if np.isfinite(at)}
    low, high = float(min([*there, *known.values()])), float(max([*there, *known.values()]))
    room = 0.12 * (high - low) or 0.05
    x = nice_axis(x_name, max(low - room, limits[0]), min(high + room, limits[1]), limits)
    edges = _edges(there)
    counts = np.histogram(there, edges)[0]
    y = nice_axis("Samples", 0, max(counts.max() / FULL, 4))
    drawn: list[Mark] = [Bars("bars", "bar", edges[:-1], edges[1:], counts.astype(float))]
    words = []
    whole = np.array([np.inf])
    for i, (name, at) in enumerate(sorted(known.items(), key=lambda item: item[1])):
        drawn.append(Strokes(f"mark{i}", "cursor" if i % 2 else "whisker", np.array([at]), -whole, whole, name))
        # two marks have their words on their outsides
        before = i == 0 if len(known) == 2 else at > (x.low + x.high) / 2
        side: Anchor = "end" if before else "start"
        words.append(Words(f"mark{i}", at, y.high, name, side, (-5 if before else 5, 10 + 13 * i)))
    rows = rows_of([f"{v:.4g}" for v in edges[:-1]], [f"{v:.4g}" for v in edges[1:]], [f"{c:.0f}" for c in counts])
    return Chart(key, title, sentence, x, y, tuple(drawn), tuple(words), header=("From", "To", "Samples"), rows=rows)


def _edges(values: Array) -> Array:
    """Bins no narrower than the steps between values, because a share of few rows has few values."""
    different = np.unique(values)
    if len(different) == 1:
        return np.array([different[0] - 0.005, different[0] + 0.005])
    step = float(np.diff(different).min())
    bins = min(MOST_BINS, max(6, int(1.5 * np.sqrt(len(values)))))
    width = max(float(np.ptp(values)) / bins, step)
    first = float(different[0]) - step / 2
    edges: Array = first + np.float64(width) * np.arange(int(np.ceil((float(different[-1]) - first) / width)) + 1)
    return edges
