"""A bootstrap drawn: the sampling distribution, and the estimates that follow from it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from surefold.measures import catalogue
from surefold.numbers import number
from surefold.phrases import BOOTSTRAP_NAMES, measure_title
from surefold.resampling.bootstrapped import Bootstrapped
from surefold.show.chart import Chart, range_of
from surefold.show.charts.catalogue import ANY_MEASURE
from surefold.show.charts.histogram import histogram_chart
from surefold.show.of.splits import bootstrap_estimates
from surefold.show.row_chart import AnyChart, Kind, Row, RowChart, axis_of

__all__ = ["FIRST", "charts", "distribution_chart", "estimates_chart"]

#: The figures at the top: the one to quote, then what it lies between.
FIRST = ("point632plus", "point632", "out_of_bag", "apparent")


def distribution_chart(b: Bootstrapped, measure: str | None = None) -> Chart | None:
    measure = measure or b.measure
    values = b.distribution(measure)
    there = values[np.isfinite(values)]
    if not there.size:
        return None
    found, title = bootstrap_estimates(b, measure), measure_title(measure)
    quoted = next((kind for kind in FIRST if found[kind].defined), None)
    marks = {f"mean {number(float(there.mean()))}": float(there.mean())}
    if quoted is not None:
        e = found[quoted]
        marks[f"{BOOTSTRAP_NAMES[quoted]} {number(e.value)}"] = e.value
    sentence = (
        f"{title} of {len(there):,} samples' models on all rows, from {number(float(there.min()))} to "
        f"{number(float(there.max()))}, mean {number(float(there.mean()))}. The bars flatter the model, which was "
        f"trained on most of these rows; the other mark is the figure for new ones."
    )
    chart = histogram_chart(
        "distribution",
        "Sampling distribution",
        f"{title} on all rows",
        there.tolist(),
        marks,
        sentence,
        range_of(measure),
    )
    lost = b.samples - len(there)
    return chart.named(chart.x.name, f"Samples ({lost} missing)") if lost else chart


def estimates_chart(b: Bootstrapped) -> RowChart | None:
    there = {kind: e for kind, e in bootstrap_estimates(b).items() if e.defined}
    if not there:
        return None
    kinds: dict[str, Kind] = {"on_all": "other", "apparent": "other", "out_of_bag": "hollow"}
    rows = [Row(BOOTSTRAP_NAMES[kind], e, str(e), kinds.get(kind, "value")) for kind, e in there.items()]
    title = measure_title(b.measure)
    sentence = (
        f"Five estimates of {title} with their intervals: squares flatter, the hollow one is too hard, diamonds allow "
        f"for both."
    )
    table = tuple((row.name, *e.texts) for row, e in zip(rows, there.values(), strict=True))
    return RowChart(
        "estimates",
        "What follows for new rows",
        sentence,
        axis_of(title, rows, limits=range_of(b.measure)),
        tuple(rows),
        header=("Estimate", title, "low", "high"),
        rows=table,
        legend=(("other", "flatters"), ("hollow", "is too hard"), ("value", "allows for both")),
    )


def charts(b: Bootstrapped) -> dict[str, Callable[..., AnyChart | None]]:
    """The sampling distribution of the measure, or of any other, and the five estimates."""
    return {
        "distribution": lambda: distribution_chart(b),
        "estimates": lambda: estimates_chart(b),
        ANY_MEASURE: lambda measure: distribution_chart(b, catalogue[measure].name),
    }
