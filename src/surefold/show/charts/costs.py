"""What each way of learning with costs costs: a row a cell, with its interval."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from surefold.costs.study import PLAIN, CostStudy
from surefold.show.names import cut, label_text, plain
from surefold.show.row_chart import AnyChart, Row, RowChart, axis_of

__all__ = ["charts", "costs_chart"]

MOST_DRAWN = 40


def costs_chart(found: CostStudy) -> RowChart:
    """Diamonds on their intervals, plain models hollow, the cheapest a square; a line at the best constant answer."""
    there = found.table[:MOST_DRAWN]
    spec, best = found.digits, found.best
    many = len(found.models) > 1
    rows = [
        Row(
            cut(plain(c.name if many else c.method), 34),
            c.cost if c.cost.defined else replace(c.cost, reason=c.reason or c.cost.reason),
            format(c.cost, spec) if c.cost.defined else "not run" if c.reason else "undefined",
            "other" if c is best else "hollow" if c.method == PLAIN else "value",
        )
        for c in there
    ]
    sentence = (
        f"Expected cost of a row, with {found.confidence * 100:g}% intervals each for its row alone; "
        f"{plain(best.name)} is cheapest (square), plain models are hollow. The line is the cheapest constant answer, "
        f"{label_text(found.constant, 30)}."
    )
    axis = axis_of("Expected cost of a row", rows, (found.constant_cost, min(0.0, float(found.matrix.min()))))
    table = tuple(
        (plain(c.name), *(format(v, spec) for v in (c.cost.value, c.cost.low, c.cost.high)))
        for c in there
        if c.cost.defined
    )
    return RowChart(
        "costs",
        "Expected cost" if many else f"Expected cost of {label_text(found.models[0], 30)}",
        sentence,
        axis,
        tuple(rows),
        ((found.constant_cost, "constant answer"),),
        header=("Model and method", "Cost", "low", "high"),
        rows=table,
        legend=(("other", "cheapest"), ("hollow", "plain")),
    )


def charts(found: CostStudy) -> dict[str, Callable[..., AnyChart | None]]:
    """The expected cost of every cell."""
    return {"costs": lambda: costs_chart(found)}
