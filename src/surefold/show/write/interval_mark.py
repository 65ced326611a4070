"""A value with its interval as a small mark, for tables and headlines."""

from __future__ import annotations

import math

from surefold.estimates.estimate import Estimate
from surefold.show.write.palette import look

__all__ = ["MARK", "interval_mark", "mark_shapes"]

#: Width and height of a mark.
MARK = (120, 14)


def mark_shapes(e: Estimate, low: float = 0.0, high: float = 1.0) -> tuple[str, str]:
    """Path data of the interval and of the value, on a scale from `low` to `high`; empty where there is none."""
    wide, tall = MARK
    middle = tall / 2

    def at(value: float) -> float:
        return 2 + (min(max(value, low), high) - low) / (high - low) * (wide - 4)

    if math.isnan(e.value):
        return "", ""
    line = "" if math.isnan(e.low) else f"M{at(e.low):.1f} {middle:g}H{at(e.high):.1f}"
    return line, f"M{at(e.value) - 1.5:.1f} 2h3v10h-3z"


def interval_mark(e: Estimate, low: float = 0.0, high: float = 1.0, page: bool = True) -> str:
    """The mark as an SVG that says nothing the numbers beside it do not."""
    wide, tall = MARK
    line, value = mark_shapes(e, low, high)
    opening = f'<svg viewBox="0 0 {wide} {tall}" aria-hidden="true"'
    opening += ' class="mark">' if page else f' xmlns="http://www.w3.org/2000/svg" width="{wide}" height="{tall}">'
    return (
        f'{opening}<path {look("grid", page)} d="M2 {tall / 2:g}H{wide - 2}"/>'
        f'<path {look("whisker", page)} d="{line}"/><path {look("point", page)} d="{value}"/></svg>'
    )
