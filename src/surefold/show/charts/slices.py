"""Slices drawn: from the worst to the best, with both intervals, on the line and band of all rows."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

from surefold.comparison.slices.gate import SliceGate
from surefold.comparison.slices.result import Slice, Slices, SlicesOfMeasures, SliceStatus
from surefold.phrases import measure_title
from surefold.show.chart import range_of
from surefold.show.names import label_text
from surefold.show.row_chart import AnyChart, Kind, Legend, Row, RowChart, axis_of

__all__ = ["charts", "shown_slices", "slices_chart"]

#: More slices than this cannot be read.
MOST = 40
#: Characters of a name.
LONGEST = 46
LEGEND: Legend = (
    ("better", "better than the rest"),
    ("worse", "worse than the rest"),
    ("equal", "alike"),
    ("open", "cannot tell"),
    ("hollow", "too few rows"),
)
_KINDS: dict[SliceStatus, Kind] = {"alike": "equal", "too_few": "hollow", "no_rest": "hollow"}


def charts(found: Slices | SlicesOfMeasures | SliceGate) -> dict[str, Callable[..., AnyChart | None]]:
    """The forest of slices; of several measures one each, by their names."""
    if isinstance(found, SlicesOfMeasures):
        return {name: partial(slices_chart, s) for name, s in found.each.items()}
    one = found.slices if isinstance(found, SliceGate) else found
    return {"slices": lambda: slices_chart(one)}


def shown_slices(s: Slices, most: int = MOST) -> tuple[Slice, ...]:
    """From the worst to the best; of too many those that are told, then the ends."""
    every = s.ordered
    if len(every) <= most:
        return every
    order = sorted(range(len(every)), key=lambda i: (not every[i].told, min(i, len(every) - 1 - i)))
    return tuple(every[i] for i in sorted(order[:most]))


def slices_chart(s: Slices, key: str = "slices") -> RowChart | None:
    """A row a slice: pale and thick the interval that holds for all at once, thin and dark that for it alone."""
    shown = shown_slices(s)
    if not shown:
        return None
    title, worse = measure_title(s.measure), {one.name for one in s.worse}
    rows = [
        Row(
            f"{label_text(one.name, LONGEST)}  ({one.rows:,})",
            one.estimate,
            one.estimate.texts[0],
            "worse" if one.name in worse else "better" if one.told else _KINDS.get(one.status, "open"),
            wide=one.simultaneous,
        )
        for one in shown
    ]
    whole = s.whole if s.whole.defined else None
    ends = () if whole is None else (whole.low, whole.value, whole.high)
    axis = axis_of(f"{title} ({s.better} is better)", rows, ends, limits=range_of(s.measure))
    level = f"{s.confidence * 100:g}%"
    sentence = (
        f"From the worst to the best, rows in brackets. Thin line: {level} for the slice alone. Thick and pale: "
        f"{level} for all {len(s.counted):,} at once. Line and shade: all rows. Filled marks are told from the rest."
    )
    if len(shown) < len(s.ordered):
        sentence += f" {len(shown):,} of {len(s.ordered):,} slices are drawn: those that are told, the worst, the best."
    table = tuple((label_text(one.name), *one.estimate.texts) for one in shown)
    band = None if whole is None or not math.isfinite(whole.low) else (whole.low, whole.high)
    return RowChart(
        key,
        f"{title} by slice",
        sentence,
        axis,
        tuple(rows),
        () if whole is None else ((whole.value, "all rows"),),
        band,
        header=("Slice", title, "low", "high"),
        rows=table,
        legend=(("shade", "all rows"), *LEGEND),
    )
