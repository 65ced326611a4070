"""A gate drawn: the figure and its one-sided bounds around the limit, and each model by itself."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

from surefold.comparison.gate_result import Gate
from surefold.numbers import texts
from surefold.phrases import measure_title
from surefold.show.chart import range_of
from surefold.show.names import cut, label_text, plain
from surefold.show.row_chart import AnyChart, Row, RowChart, axis_of

__all__ = ["charts", "figure_of", "held_chart", "models_chart"]

LONGEST = 15


def figure_of(gate: Gate) -> str:
    """What was held against the limit."""
    return measure_title(gate.measure) if gate.difference is None else f"Difference of {measure_title(gate.measure)}"


def held_chart(gate: Gate) -> RowChart | None:
    """The figure on its interval and between its one-sided bounds, around the limit; where it would pass is shaded."""
    e = gate.effect
    if not e.defined:
        return None
    level = f"{gate.confidence * 100:g}%"
    low, high = gate.bounds
    value, least, most = texts(e.value, low, high)
    named = gate.candidate if gate.baseline is None else None
    pair = f"{cut(plain(gate.candidate), LONGEST)} − {cut(plain(gate.baseline or ''), LONGEST)}"
    rows = (
        Row(label_text(named, 30) if named is not None else pair, e, str(e)),
        Row(
            f"one-sided {level} bounds",
            replace(e, low=low, high=high),
            f"{least} and {most}",
            "other" if gate.status != "cannot_tell" else "hollow",
        ),
    )
    alone = gate.difference is None
    also, limits = ((gate.limit,), range_of(gate.measure)) if alone else ((gate.limit, 0.0), (-math.inf, math.inf))
    axis = axis_of(figure_of(gate), rows, also, limits)
    good = (gate.limit, axis.high) if gate.better == "higher" else (axis.low, gate.limit)
    sentence = (
        f"{figure_of(gate)}: {e}, with one-sided {level} bounds {least} and {most}. The limit is "
        f"{gate.limit:g}; the gate passes with both bounds on the shaded side of it."
    )
    return RowChart(
        "gate-held",
        "Held against the limit",
        sentence,
        axis,
        rows,
        ((gate.limit, f"limit {gate.limit:g}"),),
        good,
        header=("Figure", "Value", "low", "high"),
        rows=(
            (f"{level} interval", *e.texts),
            (f"one-sided {level} bounds", value, least, most),
        ),
        legend=(("shade", "passes with both bounds here"),),
    )


def models_chart(gate: Gate) -> RowChart | None:
    """Both models' own figures, where there are two."""
    there = [(name, e) for name, e in gate.values.items() if e.defined]
    if gate.baseline is None or not there:
        return None
    title = measure_title(gate.measure)
    rows = tuple(Row(label_text(name, 30), e, str(e)) for name, e in there)
    sentence = f"{title} of each model with an interval for that model alone; the gate goes by their difference."
    table = tuple((label_text(name), *e.texts) for name, e in there)
    axis = axis_of(f"{title} ({gate.better} is better)", rows, limits=range_of(gate.measure))
    return RowChart("gate-values", f"{title} of each model", sentence, axis, rows,
                    header=("Model", title, "low", "high"), rows=table)  # fmt: skip


def charts(gate: Gate) -> dict[str, Callable[..., AnyChart | None]]:
    """The figure held against its limit, and both models by themselves."""
    return {"held": lambda: held_chart(gate), "values": lambda: models_chart(gate)}
