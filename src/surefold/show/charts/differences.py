"""The difference of two curves drawn: above the line at zero the first finds more, below it the second."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from surefold.comparison.difference_curves import DifferenceCurve, Stretch
from surefold.show.chart import Axis, Chart, Line, Words, nice_axis
from surefold.show.names import cut, plain
from surefold.show.row_chart import AnyChart

__all__ = ["charts", "difference_chart"]

#: Least height of the y axis to either side of zero, so that noise does not look like a cliff.
LEAST = 0.05
LONGEST = 24


def charts(curve: DifferenceCurve) -> dict[str, Callable[..., AnyChart | None]]:
    """The curve."""
    return {"difference": lambda: difference_chart(curve)}


def difference_chart(curve: DifferenceCurve) -> Chart:
    """The difference with the band of each place, and that of all places at once; where the latter leaves zero out, it
    is filled in the colour of the model that finds more."""
    level = f"{curve.confidence * 100:g} %"
    first, second = (cut(plain(name), LONGEST) for name in (curve.first, curve.second))
    low, high = float(np.min(curve.band_low)), float(np.max(curve.band_high))
    y = nice_axis(curve.y_name, min(low, -LEAST), max(high, LEAST))
    marks = [
        _band("wide", curve.x, curve.band_low, curve.band_high, f"{level}, all places at once"),
        _band("near", curve.x, curve.low, curve.high, f"{level}, each place by itself"),
        *_sure(curve, curve.crosses.above, curve.band_low, "above"),
        *_sure(curve, curve.crosses.below, curve.band_high, "below"),
        Line("zero", "reference", np.array([0.0, 1.0]), np.zeros(2)),
        Line("line", "line", curve.x, curve.difference, f"{first} less {second}: areas differ by {curve.area}"),
    ]
    words = (
        Words("above", 0.985, 0.96, f"▲ {first} finds more", "end", in_frame=True, told=False),
        Words("below", 0.985, 0.02, f"▼ {second} finds more", "end", in_frame=True, told=False),
    )
    sentence = f"{first} less {second}; the areas differ by {curve.area}."
    return Chart("difference", "Difference of the curves", sentence, Axis(curve.x_name), y, tuple(marks), words)


def _band(name: str, x: NDArray[np.float64], low: NDArray[np.float64], high: NDArray[np.float64], label: str) -> Line:
    return Line(name, "shade", np.append(x, x[::-1]), np.append(high, low[::-1]), label)


def _sure(curve: DifferenceCurve, stretches: tuple[Stretch, ...], line: NDArray[np.float64], side: str) -> list[Line]:
    """From zero to the nearer end of the band; a single place is widened until it can be seen."""
    found = []
    for i, (start, end) in enumerate(stretches):
        held = (curve.x >= start) & (curve.x <= end)
        x, y = curve.x[held], line[held]
        if end - start < 0.004:
            x, y = np.array([start - 0.002, end + 0.002]), np.repeat(y[:1], 2)
        around = np.append(x, x[::-1]), np.append(y, np.zeros(len(x)))
        found.append(Line(f"{side}{i}", "sure s0" if side == "above" else "sure s1", *around))
    return found
