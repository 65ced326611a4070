"""compare_files(): models compared on rows that need not fit in memory, from tallies of their parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from typing import Any, Literal, overload

from surefold.comparison.compare import ADJUSTMENTS
from surefold.comparison.counted_models import DOOR, count_models, named_columns, scores_in_head
from surefold.comparison.file_models import METHODS
from surefold.comparison.judging import checked_margin
from surefold.comparison.result import Comparison, Comparisons
from surefold.engines.rows import Rows, open_rows
from surefold.errors import InputError, UnknownNameError
from surefold.estimates.quantiles import checked_confidence
from surefold.measures import catalogue
from surefold.measures.catalogue import listed_names
from surefold.measures.score_measure import ScoreMeasure

__all__ = ["compare_files", "compare_rows"]

Kind = Literal["labels", "scores"]


@overload
def compare_files(
    source: Any, models: Sequence[str] | Mapping[str, str], *, measure: str | None = None, **options: Any
) -> Comparison: ...
@overload
def compare_files(
    source: Any, models: Sequence[str] | Mapping[str, str], *, measure: Sequence[str], **options: Any
) -> Comparisons: ...
def compare_files(
    source: Any,
    models: Sequence[str] | Mapping[str, str],
    *,
    truth: str | None = None,
    kind: Kind | None = None,
    measure: str | Sequence[str] | None = None,
    engine: str | None = None,
    cluster: Any = None,
    memory: str | float | None = None,
    progress: bool | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    comment: str | None = None,
    decimal: str = ".",
    **options: Any,
) -> Comparison | Comparisons:
    """Compare models whose labels or scores are columns of files, or of a Dask or Spark frame, of any number of rows.

    `models` are columns, or {name: column}. `kind` says whether they hold labels or scores; where it is not said, the
    measure tells, and without one the first rows do. Labels need one pass over the rows, scores two. Other options are
    those of `compare` (control, margin, labels, pos_label, threshold, confidence, adjust, method "auto", "one_row",
    "delta" or "delong", those of the measure), with `groups` and `weights` naming columns.
    """
    form = {"delimiter": delimiter, "encoding": encoding, "comment": comment, "decimal": decimal}
    with closing(open_rows(source, engine=engine, cluster=cluster, memory=memory, progress=progress, **form)) as rows:
        return compare_rows(rows, models, truth=truth, kind=kind, measure=measure, memory=memory, **options)


def compare_rows(
    rows: Rows,
    models: Sequence[str] | Mapping[str, str],
    *,
    truth: str | None = None,
    kind: Kind | None = None,
    measure: str | Sequence[str] | None = None,
    control: str | None = None,
    margin: float | None = None,
    confidence: float = 0.95,
    adjust: str = "holm",
    method: str = "auto",
    threshold: float | None = None,
    memory: str | float | None = None,
    **options: Any,
) -> Comparison | Comparisons:
    """The same of rows that an engine has opened."""
    confidence, margin = checked_confidence(confidence), checked_margin(margin)
    if method not in METHODS:
        raise UnknownNameError("method for rows that are not held", method, METHODS)
    if adjust not in ADJUSTMENTS:
        raise UnknownNameError("adjustment", adjust, ADJUSTMENTS)
    if kind not in (None, "labels", "scores"):
        raise UnknownNameError("kind", kind, ("labels", "scores"))
    named = named_columns(models, rows)
    if control is not None and control not in named:
        raise UnknownNameError("model", control, named)
    door = {name: options.pop(name) for name in DOOR if name in options}
    asked = None if measure is None else listed_names(measure)
    if asked is None:
        of_scores = kind == "scores" or (kind is None and scores_in_head(rows.head, named, truth))
        asked = ["roc_auc" if of_scores and threshold is None else "accuracy"]
    if not asked:
        raise InputError("bad_option", "no measure was given", cure="name at least one, such as accuracy")
    reads = {isinstance(catalogue.with_options(name, options), ScoreMeasure) for name in asked}
    if len(reads) > 1 and threshold is None and kind != "scores":
        problem = "some measures are of labels and some of scores"
        raise InputError("bad_option", problem, cure="say threshold=0.5, which makes labels of the scores")
    as_scores = kind == "scores" or threshold is not None or True in reads
    found = count_models(
        rows, named, truth=truth, as_scores=as_scores, needs_labels=False in reads, threshold=threshold, memory=memory,
        confidence=confidence, **door,
    )  # fmt: skip
    asked_how: dict[str, Any] = {"confidence": confidence, "adjust": adjust, "method": method, "options": options}
    each = [found.compared(name, control, margin, **asked_how) for name in asked]
    return each[0] if measure is None or isinstance(measure, str) else Comparisons({c.measure: c for c in each})
