"""Average ranks drawn: models from the best on, and bars that join those that cannot be told apart."""

from __future__ import annotations

import math

from surefold.benchmarking.comparison import POST_HOC_NAMES, ManyComparison
from surefold.estimates.estimate import Estimate
from surefold.phrases import measure_title
from surefold.show.chart import Axis
from surefold.show.names import cut, label_text, plain
from surefold.show.row_chart import Group, Kind, Row, RowChart

__all__ = ["ranks_chart"]

#: Models that are drawn.
MOST_DRAWN = 40


def ranks_chart(c: ManyComparison, key: str = "ranks") -> RowChart:
    """The critical-difference diagram: models, best first, on an axis of ranks; bars join what is not told apart."""
    order, k = c.order[:MOST_DRAWN], len(c.models)
    rows = []
    for model in order:
        rank = c.average_ranks[model]
        name = cut(plain(model), 34) + (" (control)" if model == c.control else "")
        kind: Kind = "other" if model == c.control else "value"
        rows.append(Row(name, Estimate(rank, math.nan, math.nan), f"{rank:.2f}", kind))
    groups = tuple(Group(tuple(i for i, model in enumerate(order) if model in group)) for group in c.cliques)
    groups = tuple(group for group in groups if len(group.rows) > 1)
    labels = tuple(f"{1 + (k - 1) * i / 4:g}" for i in range(5))
    axis = Axis(f"Average rank over {len(c.datasets):,} data sets (1 is best)", 1.0, float(k), labels)
    scale = None
    words = "bars at the right join models that cannot be told apart"
    if c.control is not None:
        words = f"the bar at the right joins those that cannot be told from {label_text(c.control)}"
    if not c.cliques:
        words = "every two that were compared differ"
    sentence = (
        f"Average ranks of {measure_title(c.measure)}, from {label_text(order[0])} ({c.average_ranks[order[0]]:.2f}) "
    )
    sentence += f"to {label_text(order[-1])} ({c.average_ranks[order[-1]]:.2f}); {words}."
    if c.critical_difference is not None:
        level = f"{POST_HOC_NAMES[c.post_hoc]}, {c.confidence * 100:g}%"
        scale = (min(c.critical_difference, k - 1.0), f"critical difference {c.critical_difference:.2f}")
        sentence += f" Ranks further apart than {c.critical_difference:.3f} differ ({level})."
    if not c.differs:
        sentence += " The test of all models finds no difference, so pairs are not read."
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
