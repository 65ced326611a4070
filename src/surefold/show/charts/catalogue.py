"""Which charts each kind of result has, by name: the first is drawn where none is asked for.

A new kind of result is one line here and its charts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from types import ModuleType
from typing import Any

from surefold.errors import InputError, UnknownNameError
from surefold.show.chart import Chart
from surefold.show.row_chart import AnyChart

__all__ = ["ANY_MEASURE", "HOMES", "chart_of", "charts_of", "curves_of", "models_of"]

#: Under this name a result has a chart of whatever measure is named.
ANY_MEASURE = "*"

#: By the name of a class, the module here whose `charts` has the charts of such a result.
HOMES = {
    "Assessment": "assessment",
    "PerClass": "assessment",
    "Confusion": "cells",
    "Comparison": "comparison",
    "Comparisons": "comparison",
    "Gate": "gate",
    "Slices": "slices",
    "SlicesOfMeasures": "slices",
    "SliceGate": "slices",
    "Resampled": "runs",
    "Study": "runs",
    "Bootstrapped": "bootstrap",
    "Selection": "selection",
    "Benchmark": "ranks",
    "ManyComparison": "ranks",
    "ValueTable": "ranks",
    "CostStudy": "costs",
    "StudyCurve": "studies",
    "PruningCurves": "pruning",
    "BiasVariance": "parts",
    "EnsembleCurve": "studies",
    "Planned": "plans",
    "Curve": "ranking",
    "Reliability": "probabilities",
    "DifferenceCurve": "differences",
}

Maker = Callable[..., AnyChart | None]


def chart_of(result: object, what: str | None = None, **asked: Any) -> AnyChart:
    """A chart of a result, by its name; InputError where what it would show is undefined."""
    charts = charts_of(result)
    if what is None:
        what = next(iter(charts))
    if what in charts:
        found = charts[what](**asked)
    elif ANY_MEASURE in charts:
        found = charts[ANY_MEASURE](what, **asked)
    else:
        raise UnknownNameError(f"figure of a {type(result).__name__}", what, list(charts))
    if found is None:
        problem = f"nothing of {what!r} is defined, so there is nothing to draw"
        raise InputError("bad_option", problem, cure="print the result: it says why")
    return found


def charts_of(result: object) -> Mapping[str, Maker]:
    """What makes each chart of a result, by its name."""
    charts: Mapping[str, Maker] = _home_of(result).charts(result)
    return charts


def _home_of(result: object) -> ModuleType:
    for kind in type(result).__mro__:
        if kind.__name__ in HOMES and kind.__module__.startswith("surefold."):
            return import_module(f"surefold.show.charts.{HOMES[kind.__name__]}")
    raise TypeError(f"{type(result).__name__} is no result that can be drawn")


def models_of(result: object) -> Mapping[str, Any]:
    """The assessments of the models of a result, where their rows are at hand; of one model there are none."""
    models: Callable[[Any], Mapping[str, Any]] | None = getattr(_home_of(result), "models", None)
    return {} if models is None else models(result)


def curves_of(models: Mapping[str, Any], what: str, **asked: Any) -> dict[str, Chart]:
    """The same curve of every model, by name: of assessments, or of curves that are there already."""
    found = {}
    for name, each in models.items():
        chart = chart_of(each, None if hasattr(each, "threshold") or hasattr(each, "bins") else what, **asked)
        if not isinstance(chart, Chart):
            raise InputError("bad_option", f"{what!r} of several models do not fit on one pair of axes",
                             cure="draw each by itself, or give a curve such as 'roc'")  # fmt: skip
        found[str(name)] = chart
    if not found:
        raise InputError("bad_option", "there is no model to draw", cure="give assessments by name: {'a': a}")
    return found
