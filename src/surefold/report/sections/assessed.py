"""The sections of assessments: verdict, models, operating point, ranking, probabilities, measures."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from surefold.estimates.estimate import Estimate
from surefold.numbers import amount, count, number
from surefold.phrases import measure_title
from surefold.report.sections.cut_codes import SHARES
from surefold.report.sections.section import Section, Table
from surefold.report.sections.tables import estimate_cells
from surefold.report.sections.told import Told
from surefold.report.sections.views import Model, View
from surefold.show.chart import Chart, nice_axis, range_of
from surefold.show.of.assessment import counted

__all__ = [
    "measures_section",
    "models_section",
    "operating_point_section",
    "probabilities_section",
    "ranking_section",
    "verdict_section",
]

UNDEFINED_WHEN = {"precision": "nothing called", "lift": "nothing called", "mcc": "all or none called"}


def verdict_section(
    told: Told, *, follows: bool = True, id: str = "verdict", title: str = "Verdict", name: str = ""
) -> Section:
    """What is said first; `follows` where it changes with the model that is chosen, whose name may be said."""
    data = {"told": told, "follows": follows, "name": name}
    return Section(id, title, "verdict.html.j2", "top", data)


def models_section(models: Sequence[Model], own: Sequence[Section] = ()) -> Section | None:
    """The headline figures of all models side by side; differences need a comparison, and it says so.

    `own` are the sections of the result, one of which may have the differences.
    """
    if len(models) < 2:
        return None
    names = list(dict.fromkeys(name for model in models for name, _ in model.told.headlines))
    rows: list[dict[str, Any]] = [
        {
            "name": model.name,
            "status": model.told.badge,
            "estimates": [model.told.figures.get(name) for name in names],
        }
        for model in models
    ]
    scales = [_scale(name, [row["estimates"][i] for row in rows]) for i, name in enumerate(names)]
    titles = [measure_title(name) for name in names]
    pairs = next((section for section in own if section.id in ("comparison", "gate")), None)
    data = {"titles": titles, "rows": rows, "cells": estimate_cells, "scales": scales, "pairs": pairs}
    return Section("models", "Models", "models.html.j2", "top", data)


def _scale(name: str, estimates: Sequence[Estimate | None]) -> tuple[float, float]:
    """As far as the intervals reach, in round numbers, within the range of the measure."""
    seen = [v for e in estimates if e is not None for v in (e.value, e.low, e.high) if math.isfinite(v)] or [0.0, 1.0]
    return nice_axis(name, min(seen), max(seen), range_of(name)).ends


def _first(models: Sequence[Model]) -> tuple[Model, View] | None:
    """The model and view that the page opens with: the first model's, or the first there is."""
    return next(((model, model.views[0]) for model in models if model.views), None)


def operating_point_section(models: Sequence[Model]) -> Section | None:
    found = _first(models)
    if found is None:
        return None
    _, view = found
    return Section("operating-point", "Operating point", "operating_point.html.j2", "panel", at_start(view) | {
        "confidence": view.a.confidence, "view": view, "shown": bool(models[0].views),
    })  # fmt: skip


def at_start(view: View) -> dict[str, object]:
    """What the panel says before anything is moved."""
    cuts, i, is_weighted = view.cuts, view.cuts.start, view.is_weighted
    values = cuts.values(i)
    bounds = {name: tuple(float(bound[i]) for bound in cuts.bounds[name]) for name in (*SHARES, "lift")}
    cost = cuts.cost(i, view.costs)
    tp, fp = float(cuts.tp[i]), float(cuts.fp[i])
    fn, tn = cuts.positives - tp, cuts.negatives - fp
    rows = [("cost", "Cost of a row", amount(cost[0]), f"{amount(cost[1])} to {amount(cost[2])}")]
    for name in (*SHARES, "lift"):
        low, high = (number(bound, ".3f") for bound in bounds[name])
        said = UNDEFINED_WHEN.get(name, "") if math.isnan(values[name]) else f"{low} to {high}"
        rows.append((name, measure_title(name), number(values[name], ".3f"), said))
    cells = {"tp": (tp, tp + fn, tp + fp), "fn": (fn, tp + fn, fn + tn),
             "fp": (fp, fp + tn, tp + fp), "tn": (tn, fp + tn, fn + tn)}  # fmt: skip
    return {
        "matrix": {name: (count(v), _percent(v, row), _percent(v, column)) for name, (v, row, column) in cells.items()},
        "measures": rows,
        "costs": {name: f"{price:.15g}" for name, price in view.costs.items()},
        "costs_said": costs_said(view.costs),
        "threshold": cuts.standing or cuts.shown[i].replace("Infinity", "∞"),
        "called": f"rows of weight {count(tp + fp)}" if is_weighted else counted(tp + fp, "row"),
        "counts": "Weight" if is_weighted else "Rows",
        "share": _percent(tp + fp, tp + fp + fn + tn),
    }


def costs_said(costs: Mapping[str, float]) -> str:
    """What outcomes cost, those of right answers where they cost anything; the script says the same.

    >>> costs_said({"fp": 1, "fn": 5, "tp": 0, "tn": 0}), costs_said({"fp": 1.0, "fn": 5, "tp": -2, "tn": 0})
    ('1 a false positive, 5 a false negative', '1 a false positive, 5 a false negative, -2 a true positive')
    """
    names = {"fp": "a false positive", "fn": "a false negative", "tp": "a true positive", "tn": "a true negative"}
    said = (f"{costs[key]:.15g} {name}" for key, name in names.items() if key in ("fp", "fn") or costs.get(key))
    return ", ".join(said)


def _percent(part: float, whole: float) -> str:
    return "–" if whole == 0 else f"{100 * part / whole:.1f}%"


def ranking_section(models: Sequence[Model]) -> Section | None:
    found = _first(models)
    if found is None:
        return None
    charts = [_at_start(found[1], key) for key in ("roc", "pr", "gains", "lift")]
    data = {"charts": charts, "shown": bool(models[0].views), "said": found[0].curves}
    return Section("ranking", "Ranking", "charts.html.j2", "beside", data)


def probabilities_section(models: Sequence[Model]) -> Section | None:
    """Reliability and Brier parts where scores are probabilities, and the scores by class anyhow."""
    found = _first(models)
    if found is None:
        return None
    views = [view for model in models for view in model.views]
    with_table = next((view for view in views if view.probabilities is not None), None)
    charts = [] if with_table is None else [with_table.charts["reliability"]]
    charts.append(_at_start(found[1], "scores"))
    table: Table | None = None if with_table is None else with_table.probabilities
    data = {"charts": charts, "table": table, "shown": bool(models[0].views), "view": found[1]}
    title = "Scores" if with_table is None else "Scores as probabilities"
    return Section("probabilities", title, "charts.html.j2", "beside", data)


def _at_start(view: View, key: str) -> Chart:
    """A chart with its dot where the panel stands at first."""
    chart, cuts, i = view.charts[key], view.cuts, view.cuts.start
    values = cuts.values(i)
    share = float(cuts.tp[i] + cuts.fp[i]) / (cuts.positives + cuts.negatives)
    dots = {
        "roc": (1 - values["specificity"], values["recall"]),
        "pr": (values["recall"], values["precision"]),
        "gains": (share, values["recall"]),
        "lift": (share, values["lift"]),
    }
    return replace(chart, dot=dots.get(key))


def measures_section(models: Sequence[Model]) -> Section | None:
    if not any(model.tables or model.no_views for model in models):
        return None
    keys = [("measures", models[0].rows), ("classes", "Each class against the rest"), ("confusion", "Labels as given")]
    tables = []
    for key, caption in keys:
        having = next((model for model in models if key in model.tables), None)
        if having is not None:
            tables.append((key, caption, having.tables[key], key in models[0].tables))
    return Section("measures", "Measures", "measures.html.j2", "below", {"tables": tables, "why": models[0].no_views})
