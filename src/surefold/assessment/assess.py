"""assess() and measure(): from columns to evidence to every measure with its interval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any, Unpack

import numpy as np

from surefold.assessment.result import Assessment
from surefold.curves.thresholds import check_prices
from surefold.errors import InputError
from surefold.estimates.estimate import Estimate
from surefold.estimates.of_scores import ScoreEstimates
from surefold.estimates.of_table import TableEstimates, measure_table
from surefold.estimates.quantiles import checked_confidence
from surefold.evidence import Evidence, evidence
from surefold.evidence.held import Held
from surefold.flavours import Flavour, flavour_of
from surefold.inputs.door import ONLY, Columns, Door, Reading
from surefold.inputs.labels import Label
from surefold.inputs.levels import By, named_columns
from surefold.inputs.options import Given, MeasureOptions, SourceOptions, refuse_unknown
from surefold.inputs.predictions import Predictions
from surefold.inputs.streams import Source, is_files, is_source
from surefold.measures import catalogue
from surefold.measures.catalogue import listed_names
from surefold.measures.cost import cost_matrix
from surefold.measures.ranking import roc_auc
from surefold.measures.score_measure import ScoreMeasure
from surefold.tallies.confusion import named_square

__all__ = ["assess", "assess_files", "measure"]


def assess(
    y_true: Given | Source | Predictions,
    y_pred: Given | None = None,
    *,
    y_score: Given | None = None,
    labels: Sequence[Label] | None = None,
    pos_label: Label | None = None,
    sample_weight: Given | None = None,
    groups: Given | None = None,
    costs: Any = None,
    threshold: float | None = None,
    measures: Sequence[str] | str | None = None,
    confidence: float = 0.95,
    random_state: int | None = None,
    by: By | None = None,
    drop_missing: bool = False,
    strip_labels: bool = False,
    ignore_case: bool = False,
    cast_labels: bool = False,
    **of_source: Unpack[SourceOptions],
) -> Assessment:
    """How good is this classifier, and how sure may one be?

    `y_true` and `y_pred` are labels, one a row (lists, arrays, columns of a data frame), or `y_true` is a `Predictions`
    made before. A path, a glob, a folder, a list of paths, or a Dask or Spark frame may stand there too; then columns
    are named with `truth=`, `pred=`, `score=`, `weights=` and `groups=`, and rows need not fit in memory: see
    `assess_files` for `engine=`, `cluster=` and `memory=`. `costs[true][predicted]` prices the errors, in the order of
    the labels; for two classes `{"fp": 1, "fn": 5}` will do. `measures` picks what tables and exports show. `by` are
    columns that `.by` may slice by: {name: column}, a frame, or names of columns of a source.

    >>> a = assess(["cat", "dog", "dog", "cat", "dog", "cat"], ["cat", "dog", "cat", "cat", "dog", "cat"])
    >>> print(a["accuracy"])
    0.83 [0.36, 0.996]
    >>> print(a.per_class["dog"]["recall"])
    0.67 [0.09, 0.99]
    """
    door = Door.of(
        labels,
        pos_label=pos_label,
        threshold=threshold,
        drop_missing=drop_missing,
        strip_labels=strip_labels,
        ignore_case=ignore_case,
        cast_labels=cast_labels,
    )
    asked = _Asked(costs, measures, checked_confidence(confidence), random_state)
    if of_source or is_source(y_true):
        refuse_unknown("assess", of_source, SourceOptions)
        _refuse_arrays(y_true, of_source, (y_pred, y_score))
        weights = of_source.get("weights", sample_weight)
        columns = replace(_named(of_source, weights, groups), by=_by_names(by))
        return _of_source(y_true, columns, of_source, door, asked)
    if isinstance(y_true, Predictions):
        given = (y_pred, y_score, sample_weight, groups)
        if any(argument is not None for argument in given) or door != Door():
            problem = "a Predictions was given together with labels, scores, weights, groups or options of its own"
            raise InputError("bad_option", problem, cure="pass them to Predictions.of instead")
        held = Held({ONLY: y_true})
        return _assessed(held if by is None else held.sliced_by(named_columns(by)), asked, "polars")
    scores = () if y_score is None else (y_score,)
    named = None if by is None else named_columns(by)
    arrays = Columns.of_one(y_true, y_pred, scores, weights=sample_weight, groups=groups, by=named)
    return _assessed(evidence(None, arrays, door), asked, flavour_of(y_true, y_pred, y_score))


def assess_files(
    source: Any,
    *,
    truth: str | None = None,
    pred: str | None = None,
    score: str | Sequence[str] | None = None,
    groups: str | None = None,
    weights: str | None = None,
    labels: Sequence[Label] | None = None,
    pos_label: Label | None = None,
    threshold: float | None = None,
    engine: str | None = None,
    cluster: Any = None,
    memory: str | float | None = None,
    progress: bool | None = None,
    measures: Sequence[str] | str | None = None,
    costs: Any = None,
    confidence: float = 0.95,
    random_state: int | None = None,
    by: str | Sequence[str] | None = None,
    drop_missing: bool = False,
    strip_labels: bool = False,
    ignore_case: bool = False,
    cast_labels: bool = False,
    delimiter: str | None = None,
    encoding: str | None = None,
    comment: str | None = None,
    decimal: str = ".",
) -> Assessment:
    """Assess rows of files, or of a Dask or Spark frame, of any number: parts are counted, and the counts added up.

    `source` is a path, a glob, a folder or a list of CSV or Parquet files with the same columns, or such a frame; the
    other names are columns. `engine` is "local", "dask" or "spark", `cluster` where it runs. As long as the distinct
    scores fit `memory` (a quarter of the machine's if nothing is said) everything is exactly as if all rows were held;
    beyond it scores are cut to their leading bits, and a finding says between which values the exact figures lie.

    Rows in groups are gone over again for intervals, and once more for another threshold: the files have to stay.
    """
    of_source: SourceOptions = {
        "truth": truth,
        "pred": pred,
        "score": score,
        "weights": weights,
        "engine": engine,
        "cluster": cluster,
        "memory": memory,
        "progress": progress,
        "delimiter": delimiter,
        "encoding": encoding,
        "comment": comment,
        "decimal": decimal,
    }
    door = Door.of(
        labels,
        pos_label=pos_label,
        threshold=threshold,
        drop_missing=drop_missing,
        strip_labels=strip_labels,
        ignore_case=ignore_case,
        cast_labels=cast_labels,
    )
    asked = _Asked(costs, measures, checked_confidence(confidence), random_state)
    columns = replace(_named(of_source, weights, groups), by=_by_names(by))
    return _of_source(source, columns, of_source, door, asked)


def _refuse_arrays(source: object, of_source: SourceOptions, arrays: tuple[object, ...]) -> None:
    """InputError where columns are named and arrays were given, or the other way."""
    if not (is_source(source, of_source) or is_files(source)):
        problem = f"{', '.join(of_source)}= is about rows of files or frames, and arrays were given"
        own = "weights of arrays are sample_weight=; or " if "weights" in of_source else ""
        cure = f"{own}give a path and name its columns: truth=, pred=, score="
        raise InputError("bad_option", problem, cure=cure)
    if any(array is not None for array in arrays):
        problem = "y_pred and y_score are arrays, and rows of files or frames were given"
        raise InputError("bad_option", problem, cure="name the columns: truth=, pred=, score=")


def _named(said: SourceOptions, weights: Any, groups: Any) -> Columns[str]:
    """The columns of a source by their names."""
    score = said.get("score")
    scores = () if score is None else tuple(score) if isinstance(score, list | tuple) else (score,)
    return Columns.of_one(said.get("truth"), said.get("pred"), scores, weights=weights, groups=groups)


def _by_names(by: object) -> dict[str, str]:
    """Columns of a source to slice by, under their names."""
    names = () if by is None else (by,) if isinstance(by, str) else by
    if isinstance(names, Mapping):
        return {str(name): str(column) for name, column in names.items()}
    if not isinstance(names, Sequence) or not all(isinstance(name, str) for name in names):
        problem = "by= holds values, and rows of files or frames were given"
        raise InputError("bad_option", problem, cure="name columns of theirs: by=['region', 'age']")
    return {name: name for name in names}


def _of_source(source: object, columns: Columns[str], said: SourceOptions, door: Door, asked: _Asked) -> Assessment:
    """The assessment of rows of files or frames."""
    with closing(evidence(source, columns, door, Reading.of(said))) as found:
        return _assessed(found, asked, flavour_of(source))


@dataclass(frozen=True)
class _Asked:
    """What is asked of the evidence, and how."""

    costs: Any = None
    measures: Sequence[str] | str | None = None
    confidence: float = 0.95
    random_state: int | None = None


def _assessed(e: Evidence, asked: _Asked, flavour: Flavour) -> Assessment:
    """The assessment of one model. What groups do is found here, while the engine runs."""
    confidence, estimates = checked_confidence(asked.confidence), None
    if e.has_labels:
        known = e.table(ONLY)
        estimates = TableEstimates(known.confusion, known.clusters, confidence, known.removed)
    scores, noticed = ScoreEstimates.of_evidence(e, confidence), e.findings
    if scores is not None:
        told = scores.finding()
        noticed = noticed if told is None else (*noticed, told)
        if e.costs_a_pass and scores.tally is not None:
            scores.design(roc_auc)
    prices = None if asked.costs is None else _prices(asked.costs, e.labels, e.positive)
    facts = (e.n, e.positive, noticed, _shown(asked.measures, scores), asked.random_state, flavour)
    return Assessment(estimates, *facts, costs=prices, scores=scores, labels=e.labels, evidence=e)


def _shown(measures: Sequence[str] | str | None, scores: ScoreEstimates | None) -> tuple[str, ...] | None:
    """The measures that tables show; one that was asked for by name and cannot be given is an error."""
    if measures is None:
        return None
    everything, asked = isinstance(measures, str) and measures == "all", listed_names(measures)
    if everything:  # of two classes, measures of many say once more what their own do
        two = scores is not None and scores.matrix is None
        again = [name for name, m in catalogue.of_scores.items() if two and m.of_two is not None]
        asked = [name for name in catalogue if name not in again]
    shown = tuple(dict.fromkeys(catalogue[name].name for name in asked))
    if not everything:
        _refuse_absent(shown, scores)
    return shown


def measure(
    name: str,
    y_true: Given,
    y_pred: Given | None = None,
    *,
    y_score: Given | None = None,
    pos_label: Label | None = None,
    labels: Sequence[Label] | None = None,
    sample_weight: Given | None = None,
    groups: Given | None = None,
    confidence: float = 0.95,
    method: str = "auto",
    draws: int = 10_000,
    random_state: int | np.random.Generator | None = None,
    drop_missing: bool = False,
    strip_labels: bool = False,
    ignore_case: bool = False,
    cast_labels: bool = False,
    **options: Unpack[MeasureOptions],
) -> Estimate:
    """One measure, one call.

    >>> print(measure("kappa", [1, 2, 3, 1, 2, 3], [1, 2, 3, 1, 2, 2], weights="quadratic"))
    0.86 [0.04, 0.9998]
    """
    scores = () if y_score is None else (y_score,)
    columns = Columns.of_one(y_true, y_pred, scores, weights=sample_weight, groups=groups)
    door = Door.of(
        labels,
        pos_label=pos_label,
        drop_missing=drop_missing,
        strip_labels=strip_labels,
        ignore_case=ignore_case,
        cast_labels=cast_labels,
    )
    e = evidence(None, columns, door)
    if isinstance(catalogue[name], ScoreMeasure):
        found = ScoreEstimates.of_evidence(e, checked_confidence(confidence))
        if found is None:
            raise InputError("bad_option", f"{name} needs scores", cure="pass them as y_score=")
        return found.measure(name, method=method, draws=draws, random_state=random_state, options=options)
    known = e.table(ONLY)
    return measure_table(
        known.confusion,
        name,
        pos_label=None if e.positive is None else e.labels[e.positive],
        confidence=confidence,
        method=method,
        draws=draws,
        random_state=random_state,
        options=options,
        clusters=known.clusters,
        removed=known.removed,
    )


def _refuse_absent(names: tuple[str, ...], scores: ScoreEstimates | None) -> None:
    """A measure of scores that was asked for by name and cannot be given is an error, not a missing row."""
    for name in names:
        if isinstance(catalogue[name], ScoreMeasure) and (scores is None or name not in scores.available([name])):
            if scores is None:
                raise InputError("bad_option", f"{name} needs scores", cure="pass them as y_score= (--score)")
            scores.measure(name)


def _prices(costs: Any, labels: tuple[Label, ...], positive: int | None) -> Any:
    if hasattr(costs, "index") and hasattr(costs, "columns"):
        costs = named_square(costs, labels, "cost_matrix")
    if not isinstance(costs, Mapping):
        return cost_matrix(costs, len(labels))
    if len(labels) != 2 or positive is None or not costs.keys() <= {"fp", "fn", "tp", "tn"}:
        cure = (
            "with two classes and a positive one give any of fp, fn, tp, tn; otherwise a matrix costs[true][predicted]"
        )
        raise InputError("cost_matrix", f"costs={dict(costs)!r} does not price these classes", cure=cure)
    check_prices(costs)
    matrix = np.zeros((2, 2))
    negative = 1 - positive
    for name, (true, predicted) in {
        "tp": (positive, positive),
        "fn": (positive, negative),
        "fp": (negative, positive),
        "tn": (negative, negative),
    }.items():
        matrix[true, predicted] = costs.get(name, 0.0)
    return cost_matrix(matrix, 2)
