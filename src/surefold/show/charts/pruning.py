"""Pruning drawn: training and held-out error against each parameter that keeps a tree small, and ways of pruning."""

from __future__ import annotations

from collections.abc import Callable

from surefold.show.charts.lines import lines_chart
from surefold.show.names import label_text
from surefold.show.row_chart import AnyChart, Legend, Row, RowChart, axis_of
from surefold.studies.pruning.result import PruningCurves

__all__ = ["charts"]


def charts(found: PruningCurves) -> dict[str, Callable[..., AnyChart | None]]:
    """A chart a parameter, and one of the ways of pruning ("prune")."""
    each: dict[str, Callable[..., AnyChart | None]] = {
        name: lambda name=name: _parameter(found, name) for name in found.curves
    }
    return {**each, **({"prune": lambda: _ways(found)} if found.ways else {})}


def _best(found: PruningCurves, parameter: str) -> str:
    best = found.best_of(parameter)
    return f"least held out: {best.held_out.value:.3f} at {label_text(best.value, 20)}"


def _parameter(found: PruningCurves, parameter: str) -> AnyChart:
    points = found[parameter]
    lines = {"held out": [p.held_out for p in points], "training": [p.training for p in points]}
    names, best = (label_text(parameter), "Error rate"), _best(found, parameter)
    return lines_chart(parameter, best, names, [p.value for p in points], lines, f"{best}.", from_zero=True)


def _ways(found: PruningCurves) -> RowChart:
    """Two rows a way: held out, and training behind it."""
    rows = []
    for point in found["prune"]:
        name = label_text(point.value, 24).replace("_", " ")
        size = f" ({point.leaves:.0f} leaves)" if point.held_out.defined else ""
        rows.append(Row(f"{name}{size}", point.held_out, str(point.held_out)))
        rows.append(Row("training", point.training, str(point.training), "other"))
    best = _best(found, "prune")
    legend: Legend = (("value", "held out"), ("other", "training"))
    axis = axis_of("Error rate", rows, (0.0,), (0.0, 1.0))
    table = tuple((row.name, *row.estimate.texts) for row in rows if row.estimate is not None)
    head = ("Pruning", "Error rate", "low", "high")
    return RowChart("prune", best, f"{best}.", axis, tuple(rows), header=head, rows=table, legend=legend)
