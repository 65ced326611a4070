"""gate_files(): a gate on rows that need not fit in memory."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from typing import Any, Literal

from surefold.assessment import Assessment
from surefold.assessment.from_parts import assess_rows
from surefold.comparison.at_scale import count_models
from surefold.comparison.gate import _absolute_limit, _relative_limit, _rows_needed, _status
from surefold.comparison.gate_result import Gate, GateKind
from surefold.engines.rows import Rows, open_rows
from surefold.errors import InputError
from surefold.estimates.estimate import Estimate
from surefold.estimates.of_table import TableEstimates
from surefold.estimates.quantiles import checked_confidence
from surefold.measures import catalogue
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

    Options are those of `gate`, with `truth`, `groups` and `weights` naming columns. Bounds are those of the paired
    difference at 2c - 1, for labels too: where rows are many they agree with the bounds by score that `gate` gives.
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
    threshold: float | None = None,
    memory: str | float | None = None,
    **door: Any,
) -> Gate:
    """The same of rows that an engine has opened."""
    if checked_confidence(confidence) <= 0.5:
        cure = "give more than a half, such as confidence=0.95"
        raise InputError("bad_option", f"confidence={confidence!r} would pass by a coin", cure=cure)
    chosen = catalogue[measure]
    if chosen.better == "neither":
        cure = "choose a measure of which more or less is better"
        raise InputError("bad_option", f"of {chosen.name} neither more nor less is better", cure=cure)
    of_scores = isinstance(chosen, ScoreMeasure)
    threshold = None if of_scores else threshold
    facts: dict[str, Any] = {"threshold": threshold, "memory": memory, "confidence": confidence}
    if at_least is not None or at_most is not None or baseline is None:
        limit = _absolute_limit(chosen, baseline, margin, kind, at_least, at_most)
        column: dict[str, Any] = {"score" if of_scores or threshold is not None else "pred": candidate}
        return _alone(assess_rows(rows, **column, **facts, **door), chosen, candidate, limit, confidence)
    asked, limit = _relative_limit(chosen, margin, kind)
    as_scores = of_scores or threshold is not None
    found = count_models(rows, [candidate, baseline], as_scores=as_scores, **facts, **door)
    told = found.compared(chosen, baseline, None, confidence, "none")
    # A two-sided interval at 2c - 1 ends at the two one-sided bounds at c.
    bounds = found.compared(chosen, baseline, None, 2 * confidence - 1, "none").differences[0].effect.interval
    difference = told.differences[0]
    value = difference.effect.value
    status = _status(value, bounds, limit, chosen.better, strict=True)
    needed = _rows_needed(value, bounds, limit, found.n, confidence) if status == "cannot_tell" else None
    return Gate(
        status, asked, chosen.name, chosen.better, candidate, baseline, told.values, difference, bounds, limit,
        float(margin), confidence, found.n, needed, found.findings,
    )  # fmt: skip


def _alone(a: Assessment, chosen: Any, name: str, limit: float, confidence: float) -> Gate:
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
        return moved.measure(chosen.name, method="exact" if chosen.is_share else "auto")

    value, sided = at(confidence), at(2 * confidence - 1)
    bounds = (sided.low, sided.high)
    status = _status(value.value, bounds, limit, chosen.better, strict=False)
    needed = _rows_needed(value.value, bounds, limit, a.n, confidence) if status == "cannot_tell" else None
    kind: GateKind = "at_least" if chosen.better == "higher" else "at_most"
    return Gate(
        status, kind, chosen.name, chosen.better, name, None, {name: value}, None, bounds, limit, None, confidence,
        a.n, needed, a.findings,
    )  # fmt: skip
