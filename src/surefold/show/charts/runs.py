"""Runs over splits drawn: a dot a split, and the mean on its interval; a row a model, or a row a repeat."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from surefold.assessment import Assessment
from surefold.measures import catalogue
from surefold.numbers import number
from surefold.phrases import measure_title
from surefold.resampling.resampled import Resampled
from surefold.resampling.study import Study
from surefold.show.chart import range_of
from surefold.show.charts.catalogue import ANY_MEASURE
from surefold.show.names import label_text
from surefold.show.of.splits import estimates_of, fold_values_of
from surefold.show.row_chart import AnyChart, Row, RowChart, axis_of

__all__ = ["charts", "folds_chart", "study_chart"]

#: Rows of dots that are drawn, and dots a row.
MOST_ROWS, MOST_DOTS = 30, 400


def study_chart(models: Mapping[str, Resampled], measure: str, key: str = "folds") -> RowChart | None:
    """A row a model: a dot a split, and the mean on its interval."""
    rows = []
    for name, r in list(models.items())[:MOST_ROWS]:
        values = _dots(r, measure)
        e = estimates_of(r, [measure])[measure]
        shown = label_text(name, 26) + ("" if r.complete else " (incomplete)")
        rows.append(Row(shown, e, str(e) if e.defined else "undefined", dots=tuple(values)))
    what = f"a row a model over the same {_splits(next(iter(models.values())))}"
    return _chart(key, rows, measure, what, all(r.complete for r in models.values()))


def folds_chart(r: Resampled, measure: str) -> RowChart | None:
    """A row a repeat, and the mean of all at the foot; splits that are no folds share one row."""
    values, e = _dots(r, measure), estimates_of(r, [measure])[measure]
    repeats = r.plan.repeat[r.outer]
    rows = []
    if 1 < r.plan.repeats <= MOST_ROWS and r.plan.folds > 1 and len(values) == len(repeats):
        for repeat in np.unique(repeats).tolist():
            dots = [v for v, at in zip(values, repeats.tolist(), strict=True) if at == repeat]
            there = [v for v in dots if math.isfinite(v)]
            mean = f"mean {number(float(np.mean(there)))}" if there else "missing"
            rows.append(Row(f"repeat {repeat + 1}", None, mean, dots=tuple(dots)))
        rows.append(Row("mean of all", e, str(e) if e.defined else "undefined"))
    else:
        rows.append(
            Row(
                f"{len(values):,} splits" if len(values) > 1 else "held-out rows",
                e,
                str(e) if e.defined else "undefined",
                dots=tuple(values) if len(values) > 1 else (),
            )
        )
    return _chart("folds", rows, measure, f"{_splits(r)} of {label_text(r.name)}", r.complete)


def _splits(r: Resampled) -> str:
    folds = r.plan.folds > 1 and r.plan.kind != "bootstrap"
    return f"{r.plan.repeats} x {r.folds} folds" if folds and r.plan.repeats > 1 else f"{int(r.outer.sum()):,} splits"


def _dots(r: Resampled, measure: str) -> list[float]:
    values: list[float] = fold_values_of(r, measure).values[r.outer].tolist()
    step = max(1, len(values) // MOST_DOTS)
    return values[::step]


def _chart(key: str, rows: Sequence[Row], measure: str, what: str, complete: bool) -> RowChart | None:
    if not any(row.dots or (row.estimate is not None and row.estimate.defined) for row in rows):
        return None
    title = measure_title(measure)
    sentence = f"{title} on held-out rows: {what}. Dots are splits; diamonds are means on their intervals."
    last = rows[-1].estimate
    if len(rows) > 1 and rows[-1].name == "mean of all" and last is not None and last.defined:
        sentence += f" The mean of all is {last}."
    table = []
    for row in rows:
        there = [v for v in row.dots if math.isfinite(v)]
        spread = [number(v) for v in (min(there), max(there))] if there else ["–", "–"]
        e = row.estimate
        value = e.value if e is not None else float(np.mean(there)) if there else math.nan
        bounds = [number(v) for v in e.interval] if e is not None else ["–", "–"]
        table.append((row.name, f"{len(there)}", *spread, number(value), *bounds))
    return RowChart(
        key,
        f"{title} by split{'' if complete else ' (incomplete)'}",
        sentence,
        axis_of(title, rows, limits=range_of(measure)),
        tuple(rows),
        header=("Row", "Splits", "Least", "Greatest", "Mean", "low", "high"),
        rows=tuple(table),
        legend=(("dots", "a split"), ("value", "mean, with its interval")),
    )


def charts(result: Resampled | Study) -> dict[str, Callable[..., AnyChart | None]]:
    """The values of the splits by any measure: accuracy where none is named."""

    def by(measure: str = "accuracy") -> RowChart | None:
        name = catalogue[measure].name
        return study_chart(result.models, name) if isinstance(result, Study) else folds_chart(result, name)

    return {"accuracy": by, ANY_MEASURE: by}


def models(result: Resampled | Study) -> dict[str, Assessment]:
    """What was held out of each model of a study, as assessments; of one model its own."""
    each = result.models if isinstance(result, Study) else {result.name: result}
    return {name: r.assess() for name, r in each.items()}
