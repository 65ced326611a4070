"""Points to SVG path data: no more points than eyes can see, written short."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["outline", "polyline", "rectangles", "short", "simplified", "uprights"]

Array = NDArray[np.float64]
#: How far, in units of the drawing, a line may pass by a point that is left out.
TOLERANCE = 0.4
#: Characters of a line; one that takes more is drawn more coarsely, though never so that one would see it.
FINE = (560, 1.2)
#: So many points are looked at one by one; a longer line is thinned first.
MOST = 3000


def simplified(x: Array, y: Array, tolerance: float = TOLERANCE) -> NDArray[np.intp]:
    """Places of the points that keep the line within `tolerance` of every point (Douglas and Peucker).

    >>> simplified(np.array([0.0, 1.0, 2.0, 3.0]), np.array([0.0, 0.1, 0.0, 5.0])).tolist()
    [0, 2, 3]
    """
    keep = np.zeros(len(x), dtype=bool)
    keep[[0, -1]] = True
    waiting = [(0, len(x) - 1)]
    while waiting:
        first, last = waiting.pop()
        if last - first < 2:
            continue
        dx, dy = x[last] - x[first], y[last] - y[first]
        away_x, away_y = x[first + 1 : last] - x[first], y[first + 1 : last] - y[first]
        length = np.hypot(dx, dy)
        distance = np.abs(dx * away_y - dy * away_x) / length if length > 0 else np.hypot(away_x, away_y)
        far = int(np.argmax(distance))
        if distance[far] > tolerance:
            place = first + 1 + far
            keep[place] = True
            waiting += [(first, place), (place, last)]
    return np.flatnonzero(keep)


def polyline(x: ArrayLike, y: ArrayLike, fine: tuple[int, float] = FINE) -> str:
    """A line through points in drawing units; points that are not finite are left out.

    `fine` are the characters that it may take, and how coarse it may become for that.

    >>> polyline([0, 10, 10], [0, 0, 5.25])
    'M0 0l10 0 0 5.2'
    """
    px, py = _seen(np.asarray(x, dtype=float), np.asarray(y, dtype=float))
    if len(px) == 0:
        return ""
    tolerance, (longest, coarsest) = TOLERANCE, fine
    while True:
        kept = simplified(px, py, tolerance)
        line = _relative(_tenths(px[kept]), _tenths(py[kept]))
        if len(line) <= longest or tolerance > coarsest:
            return line
        px, py, tolerance = px[kept], py[kept], tolerance * 1.4


def _seen(x: Array, y: Array) -> tuple[Array, Array]:
    """The finite points, at most `MOST` of them, spread along the line."""
    finite = np.isfinite(x + y)
    x, y = x[finite], y[finite]
    if len(x) <= MOST:
        return x, y
    along = np.append(0.0, np.cumsum(np.hypot(np.diff(x), np.diff(y))))
    places = np.searchsorted(along, np.linspace(0, along[-1], MOST))
    places = np.unique(np.append(np.minimum(places, len(x) - 1), [0, len(x) - 1]))
    return x[places], y[places]


def outline(x: ArrayLike, y: ArrayLike, fine: tuple[int, float] = FINE) -> str:
    """A closed line."""
    line = polyline(x, y, fine)
    return f"{line}z" if line else ""


def rectangles(left: ArrayLike, right: ArrayLike, top: ArrayLike, bottom: ArrayLike) -> str:
    """Upright bars.

    >>> rectangles([0], [4], [1], [3])
    'M0 3v-2h4v2z'
    """
    parts = []
    sides = (_tenths(np.atleast_1d(np.asarray(v, float))) for v in (left, right, top, bottom))
    for start, end, high, low in zip(*sides, strict=True):
        if low > high:
            parts.append(f"M{short(start)} {short(low)}v{short(high - low)}h{short(end - start)}v{short(low - high)}z")
    return "".join(parts)


def uprights(x: ArrayLike, low: ArrayLike, high: ArrayLike) -> str:
    """Upright strokes from low to high."""
    columns = zip(*(_tenths(np.atleast_1d(np.asarray(v, float))) for v in (x, low, high)), strict=True)
    return "".join(f"M{short(at)} {short(a)}V{short(b)}" for at, a, b in columns)


def _tenths(values: Array) -> list[int]:
    whole: list[int] = np.rint(values * 10).astype(np.int64).tolist()
    return whole


def _relative(x: list[int], y: list[int]) -> str:
    steps = []
    for dx, dy in zip(np.diff(x).tolist(), np.diff(y).tolist(), strict=True):
        if dx or dy:
            steps.append(f"{short(dx)}{_joined(dy)}")
    start = f"M{short(x[0])} {short(y[0])}"
    if not steps:
        return start
    line = steps[0]
    for step in steps[1:]:
        line += step if step.startswith("-") else f" {step}"
    return f"{start}l{line}"


def _joined(tenths: int) -> str:
    text = short(tenths)
    return text if text.startswith("-") else f" {text}"


def short(tenths: int) -> str:
    """Tenths as a decimal without what SVG does not need."""
    whole, rest = divmod(abs(tenths), 10)
    text = f"{whole}.{rest}" if rest else f"{whole}"
    text = text[1:] if text.startswith("0.") else text
    return f"-{text}" if tenths < 0 else text
