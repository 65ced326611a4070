"""A table as a chart, described once: cells shaded by a value, with texts in them where there is room."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

__all__ = ["HeatChart"]


@dataclass(frozen=True, eq=False)
class HeatChart:
    """Cells of `values` under the same names down and across; `texts` has a text a cell, or is empty.

    `low` is the value that is not shaded, or the middle of both shades where that is 0 and the values run from -1.
    `scale` names that end, the middle and the other end.
    """

    key: str
    title: str
    sentence: str
    down: str
    across: str
    names: tuple[str, ...]
    values: NDArray[np.float64] = field(repr=False)
    texts: tuple[tuple[str, ...], ...] = field(default=(), repr=False)
    low: float = 0.0
    shade: str = ""
    scale: tuple[str, str, str] = ("0", "½", "1")
    header: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = field(default=(), repr=False)
