"""Average ranks drawn: models from the best on, and bars that join those that cannot be told apart."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from surefold.benchmarking.comparison import POST_HOC_NAMES, ManyComparison
from surefold.benchmarking.result import Benchmark
from surefold.benchmarking.table import ValueTable
from surefold.estimates.estimate import Estimate
from surefold.numbers import number
from surefold.phrases import measure_title
from surefold.show.chart import Axis, range_of
from surefold.show.charts.cells import wins_chart
from surefold.show.names import label_text, shorter
from surefold.show.row_chart import AnyChart, Group, Kind, Legend, Row, RowChart, axis_of

__all__ = ["charts", "ranks_chart"]

#: Models that are drawn, and characters of their names.
MOST_DRAWN, LONGEST = 40, 34


def ranks_chart(c: ManyComparison, key: str = "ranks") -> RowChart:
    """The critical-difference diagram: models, best first, on an axis of ranks; bars join what is not told apart."""
    order, k = c.order[:MOST_DRAWN], len(c.models)
    rows = []
    for model, short in zip(order, shorter([label_text(m, 200) for m in order], LONGEST), strict=True):
        rank = c.average_ranks[model]
        name = short + (" (control)" if model == c.control else "")
        kind: Kind = "other" if model == c.control else "value"
        rows.append(Row(name, Estimate(rank, math.nan, math.nan), f"{rank:.2f}", kind))
    groups = tuple(Group(tuple(i for i, model in enumerate(order) if model in group)) for group in c.cliques)
    groups = tuple(group for group in groups if len(group.rows) > 1)
    labels = tuple(f"{1 + (k - 1) * i / 4:g}" for i in range(5))
    axis = Axis(f"Average rank over {len(c.datasets):,} data sets (1 is best)", 1.0, float(k), labels)
    scale = None
    words = "bars join models that cannot be told apart"
    if c.control is not None:
        words = f"the bar joins those that cannot be told from {label_text(c.control)}"
    if not c.cliques:
        words = "every two that were compared differ"
    sentence = (
        f"Average ranks of {measure_title(c.measure)}, from {label_text(order[0])} ({c.average_ranks[order[0]]:.2f}) "
    )
    sentence += f"to {label_text(order[-1])} ({c.average_ranks[order[-1]]:.2f}); {words}."
    if c.critical_difference is not None:
        level = f"{POST_HOC_NAMES[c.post_hoc]}, {c.confidence * 100:g}%"
        scale = (c.critical_difference, f"critical difference {c.critical_difference:.2f}")
        sentence += f" Ranks further apart than {c.critical_difference:.3f} differ ({level})."
    if not c.differs:
        sentence += " The test of all models finds no difference, so pairs are not read."
    if len(order) < k:
        sentence += f" The best {len(order)} of {k:,} are drawn."
    table = tuple((label_text(model), f"{c.average_ranks[model]:.3f}") for model in order)
    return RowChart(
        key,
        "Average ranks and critical difference",
        sentence,
        axis,
        tuple(rows),
        groups=groups,
        scale=scale,
        header=("Model", "Average rank"),
        rows=table,
    )


def charts(result: ManyComparison | Benchmark | ValueTable) -> dict[str, Callable[..., AnyChart | None]]:
    """Average ranks, who wins against whom, and the values by data set; of a table the values alone."""
    if isinstance(result, ValueTable):
        return {"values": lambda: table_chart(result)}
    if isinstance(result, ManyComparison):
        return {"ranks": lambda: ranks_chart(result), "wins": lambda: wins_chart(result)}
    return {
        "ranks": lambda: ranks_chart(result.compare()),
        "wins": lambda: wins_chart(result.compare()),
        "values": lambda: table_chart(result.table()),
    }


def table_chart(t: ValueTable) -> RowChart | None:
    """A row a model, a dot a data set."""
    if not np.isfinite(t.values).any():
        return None
    title = measure_title(t.measure)
    names = shorter([label_text(model, 200) for model in t.models], LONGEST)
    rows, table = [], []
    for name, column in zip(names, t.values.T, strict=True):
        there = column[np.isfinite(column)].tolist()
        middle = f"median {number(float(np.median(there)))}" if there else "missing"
        rows.append(Row(name, None, middle, dots=tuple(there)))
        table.append((name, f"{len(there)}", *(number(v) for v in ((min(there), max(there)) if there else ()))))
    sentence = f"{title} of each model, a dot a data set."
    axis = axis_of(title, rows, limits=range_of(t.measure))
    head = ("Model", "Data sets", "Least", "Greatest")
    legend: Legend = (("dots", "a data set"),)
    return RowChart(
        "values", f"{title} by data set", sentence, axis, tuple(rows), header=head, rows=tuple(table), legend=legend
    )
