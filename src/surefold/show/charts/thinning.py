"""Which points of a long curve to keep: its ends, the corners of its hull, and others spread along it."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefold.curves.curve import upper_hull

__all__ = ["hull_places", "spread_places", "stepped"]

Array = NDArray[np.float64]
#: So few points go through the exact walk one by one.
FEW = 4000


def hull_places(x: Array, y: Array) -> NDArray[np.intp]:
    """Places of the corners of the least concave curve above the points, for curves of any length.

    A point under the line between two others is no corner, whichever others: so all points under the line between
    their neighbours go at once, again and again, until the rest is short enough to be walked.

    >>> hull_places(np.array([0, 0, 0.5, 0.5, 1.0]), np.array([0, 0.5, 0.5, 1.0, 1.0])).tolist()
    [0, 1, 3, 4]
    """
    kept = np.arange(len(x))
    while len(kept) > FEW:
        px, py = x[kept], y[kept]
        cross = (px[1:-1] - px[:-2]) * (py[2:] - py[:-2]) - (py[1:-1] - py[:-2]) * (px[2:] - px[:-2])
        stays = np.concatenate([[True], cross < 0, [True]])
        if stays.all():
            break
        kept = kept[stays]
    return kept[upper_hull(x[kept], y[kept])]


def spread_places(x: Array, y: Array, most: int, always: NDArray[np.intp]) -> NDArray[np.intp]:
    """At most `most` places: the ends, as many of `always` as there is room for, and others spread along the curve."""
    last = len(x) - 1
    if len(x) <= most:
        return np.arange(len(x))
    first = np.unique(np.append(always, [0, last]))
    if len(first) > most:
        first = first[np.unique(np.linspace(0, len(first) - 1, most).astype(np.intp))]
    along = np.append(0.0, np.cumsum(np.hypot(np.diff(x), np.diff(y))))
    wanted = np.searchsorted(along, np.linspace(0, along[-1], most - len(first) + 2)[1:-1])
    kept = np.unique(np.concatenate([first, np.minimum(wanted, last)]))
    left = np.setdiff1d(np.arange(len(x)), kept, assume_unique=True) if len(kept) < most else kept[:0]
    more = left[np.linspace(0, len(left) - 1, most - len(kept)).astype(np.intp)] if len(left) else left
    return np.unique(np.concatenate([kept, more])).astype(np.intp)


def stepped(x: ArrayLike, y: ArrayLike) -> tuple[Array, Array]:
    """Points of a staircase: each y holds from the x before it, as precision does over recall."""
    x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    return np.append(x[0], np.stack([x[:-1], x[1:]], axis=1).ravel()), np.append(y[0], np.repeat(y[1:], 2))
