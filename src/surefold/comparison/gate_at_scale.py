"""gate_files(): a gate on rows that need not fit in memory."""

from __future__ import annotations

import math
from contextlib import closing
from dataclasses import replace
from typing import Any, Literal

from surefold.assessment import Assessment
from surefold.assessment.from_parts import assess_rows
from surefold.comparison.counted_models import DOOR, count_models
from surefold.comparison.file_models import METHODS
from surefold.comparison.gate import absolute_limit, alone_against, held_against, relative_limit
from surefold.comparison.gate_result import Gate, GateKind
from surefold.comparison.judging import judged
from surefold.engines.rows import Rows, open_rows
from surefold.errors import InputError, UnknownNameError, show
from surefold.estimates.estimate import Estimate
from surefold.estimates.of_table import TableEstimates
from surefold.estimates.quantiles import checked_confidence
from surefold.measures import catalogue
from surefold.measures.measure import Measure
from surefold.measures.score_measure import ScoreMeasure

__all__ = ["gate_files", "gate_rows"]


def gate_files(
    source: Any,
    baseline: str | None,
    candidate: str,
    *,
    engine: str | None = None,
    cluster: Any = None,
    memory: str | float | None = None,
    progress: bool | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    comment: str | None = None,
    decimal: str = ".",
    **options: Any,
) -> Gate:
    """May the candidate replace the baseline? Both are columns of files, or of a Dask or Spark frame.

    Options are those of `gate`, with `truth`, `groups` and `weights` naming columns; `method` is "auto", "one_row" or
    "delta" (of areas also by its name, "delong").
    """
    form = {"delimiter": delimiter, "encoding": encoding, "comment": comment, "decimal": decimal}
    with closing(open_rows(source, engine=engine, cluster=cluster, memory=memory, progress=progress, **form)) as rows:
        return gate_rows(rows, baseline, candidate, memory=memory, **options)


def gate_rows(
    rows: Rows,
    baseline: str | None,
    candidate: str,
    *,
    measure: str = "accuracy",
    margin: float = 0.0,
    kind: Literal["noninferiority", "superiority"] | None = None,
    at_least: float | None = None,
    at_most: float | None = None,
    confidence: float = 0.95,
    method: str = "auto",
    threshold: float | None = None,
    memory: str | float | None = None,
    **options: Any,
) -> Gate:
    """The same of rows that an engine has opened."""
    if checked_confidence(confidence) <= 0.5:
        cure = "give more than a half, such as confidence=0.95"
        raise InputError("bad_option", f"confidence={confidence!r} would pass by a coin", cure=cure)
    if method not in METHODS:
        raise UnknownNameError("method for rows that are not held", method, METHODS)
    door = {name: options.pop(name) for name in ("truth", *DOOR) if name in options}
    chosen = catalogue.with_options(measure, options)
    if chosen.better == "neither":
        cure = "choose a measure of which more or less is better"
        raise InputError("bad_option", f"of {chosen.name} neither more nor less is better", cure=cure)
    of_scores = isinstance(chosen, ScoreMeasure)
    threshold = None if of_scores else threshold
    facts: dict[str, Any] = {"threshold": threshold, "memory": memory, "confidence": confidence}
    if at_least is not None or at_most is not None or baseline is None:
        limit = absolute_limit(chosen, baseline, margin, kind, at_least, at_most)
        column: dict[str, Any] = {"score" if of_scores or threshold is not None else "pred": candidate}
        a = assess_rows(rows, **column, **facts, **door)
        return _alone(a, measure, chosen, candidate, limit, confidence, method, options)
    asked, limit = relative_limit(chosen, margin, kind)
    if baseline == candidate:
        problem = f"baseline and candidate are both {show(baseline)}"
        raise InputError("bad_option", problem, source=rows.source, cure="name two columns")
    found = count_models(rows, [candidate, baseline], as_scores=of_scores or threshold is not None,
                         needs_labels=not of_scores, **facts, **door)  # fmt: skip
    told = found.compared(measure, control=baseline, method=method, options=options, confidence=confidence)
    (result,) = found.results(chosen, [(0, 1)], confidence, method, few=math.inf)
    (difference,) = judged(chosen, [result], confidence=confidence, rows=found.n)
    status, bounds, needed = held_against(result.bounds, limit, chosen.better, confidence, found.n)
    return Gate(
        status, asked, chosen.name, chosen.better, candidate, baseline, told.values, difference, bounds, limit,
        float(margin), confidence, found.n, needed, told.findings,
    )  # fmt: skip


def _alone(
    a: Assessment,
    asked: str,
    chosen: Measure,
    name: str,
    limit: float,
    confidence: float,
    method: str,
    options: dict[str, Any],
) -> Gate:
    """The candidate's own value against a limit."""

    def at(level: float) -> Estimate:
        table, scores = a.estimates, a.scores
        moved = replace(
            a,
            estimates=None if table is None else TableEstimates(table.confusion, table.clusters, level, table.removed),
            scores=None if scores is None else replace(scores, confidence=level),
            _cache={},
        )
        # One-sided, Wilson's bound passes up to .08 of what it should not; the exact one holds what it says.
        how = "exact" if method == "auto" and chosen.is_share else method
        return moved.measure(asked, method=how, **options)

    value, sided = at(confidence), at(2 * confidence - 1)
    status, bounds, needed = alone_against(value, sided, limit, chosen.better, a.n)
    kind: GateKind = "at_least" if chosen.better == "higher" else "at_most"
    return Gate(
        status, kind, chosen.name, chosen.better, name, None, {name: value}, None, bounds, limit, None, confidence,
        a.n, needed, a.noticed,
    )  # fmt: skip
