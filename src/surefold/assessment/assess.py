"""assess() and measure(): the whole flow on one screen."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from surefold.assessment.result import Assessment, Frame
from surefold.curves.thresholds import check_prices
from surefold.errors import InputError
from surefold.estimates.estimate import Estimate
from surefold.estimates.of_scores import ScoreEstimates
from surefold.estimates.of_table import TableEstimates, measure_table
from surefold.estimates.quantiles import checked_confidence
from surefold.findings import Finding
from surefold.inputs.labels import Label
from surefold.inputs.predictions import Predictions
from surefold.inputs.scores import check_probabilities
from surefold.inputs.streams import is_files, is_source
from surefold.measures import catalogue
from surefold.measures.catalogue import listed_names
from surefold.measures.cost import cost_matrix
from surefold.measures.score_measure import ScoreMeasure
from surefold.tallies.clusters import Clusters
from surefold.tallies.confusion import Confusion, named_square

__all__ = ["assess", "measure"]


def assess(
    y_true: Any,
    y_pred: Any = None,
    *,
    y_score: Any = None,
    labels: Sequence[Label] | None = None,
    pos_label: Label | None = None,
    sample_weight: Any = None,
    groups: Any = None,
    costs: Any = None,
    threshold: float | None = None,
    measures: Sequence[str] | str | None = None,
    confidence: float = 0.95,
    random_state: int | None = None,
    drop_missing: bool = False,
    strip_labels: bool = False,
    ignore_case: bool = False,
    cast_labels: bool = False,
    **of_files: Any,
) -> Assessment:
    """How good is this classifier, and how sure may one be?

    `y_true` and `y_pred` are labels, one a row (lists, arrays, columns of a data frame), or `y_true` is a `Predictions`
    made before. A path, a glob, a folder, a list of paths, or a Dask or Spark frame may stand there too; then columns
    are named with `truth=`, `pred=`, `score=`, `weights=` and `groups=`, and rows need not fit in memory: see
    `assess_files` for `engine=`, `cluster=` and `memory=`. `costs[true][predicted]` prices the errors, in the order of
    the labels; for two classes `{"fp": 1, "fn": 5}` will do. `measures` picks what tables and exports show.

    >>> a = assess(["cat", "dog", "dog", "cat", "dog", "cat"], ["cat", "dog", "cat", "cat", "dog", "cat"])
    >>> print(a["accuracy"])
    0.83 [0.36, 0.996]
    >>> print(a.per_class["dog"]["recall"])
    0.67 [0.09, 0.99]
    """
    if of_files or is_source(y_true):
        from surefold.assessment.from_parts import assess_files

        unknown = [name for name in of_files if name not in inspect.signature(assess_files).parameters]
        if unknown:
            raise TypeError(f"assess() got an unexpected keyword argument {unknown[0]!r}")
        if not (is_source(y_true) or is_files(y_true)):
            problem = f"{', '.join(of_files)}= is about rows of files or frames, and arrays were given"
            arrays = "weights of arrays are sample_weight=; or " if "weights" in of_files else ""
            cure = f"{arrays}give a path and name its columns: truth=, pred=, score="
            raise InputError("bad_option", problem, cure=cure)
        if y_pred is not None or y_score is not None:
            problem = "y_pred and y_score are arrays, and rows of files or frames were given"
            raise InputError("bad_option", problem, cure="name the columns: truth=, pred=, score=")
        of_files.setdefault("weights", sample_weight)
        return assess_files(
            y_true, labels=labels, pos_label=pos_label, groups=groups, threshold=threshold, costs=costs,
            measures=measures, confidence=confidence, random_state=random_state, drop_missing=drop_missing,
            strip_labels=strip_labels, ignore_case=ignore_case, cast_labels=cast_labels, **of_files,
        )  # fmt: skip
    if isinstance(y_true, Predictions):
        given = (y_pred, y_score, labels, pos_label, sample_weight, groups, threshold)
        if (
            any(argument is not None for argument in given)
            or drop_missing
            or strip_labels
            or ignore_case
            or cast_labels
        ):
            problem = "a Predictions was given together with labels, scores, weights, groups or options of its own"
            raise InputError("bad_option", problem, cure="pass them to Predictions.of instead")
        p = y_true
    else:
        p = Predictions.of(
            y_true,
            y_pred,
            y_score=y_score,
            labels=labels,
            pos_label=pos_label,
            sample_weight=sample_weight,
            groups=groups,
            threshold=threshold,
            drop_missing=drop_missing,
            strip_labels=strip_labels,
            ignore_case=ignore_case,
            cast_labels=cast_labels,
        )
    estimates = None
    if p.predicted is not None:
        estimates = TableEstimates(Confusion.of(p), Clusters.of(p), confidence, _removed(p))
    scores = ScoreEstimates.of(p, checked_confidence(confidence))
    noticed = p.findings
    if scores is not None and scores.matrix is not None and scores.are_probabilities:
        noticed += check_probabilities(scores.matrix.scores, rows=p.rows)
    facts: dict[str, Any] = {"costs": costs, "measures": measures, "random_state": random_state}
    return finished(estimates, scores, p.n, p, noticed, flavour=_flavour(y_true), **facts)


def finished(
    estimates: TableEstimates | None,
    scores: ScoreEstimates | None,
    n: int,
    p: Predictions,
    noticed: tuple[Finding, ...],
    *,
    costs: Any = None,
    measures: Sequence[str] | str | None = None,
    random_state: int | None = None,
    flavour: Frame = "polars",
) -> Assessment:
    """The assessment of what was estimated; `p` says the labels and which of them is positive."""
    if estimates is None and scores is None:
        raise AssertionError("predictions have labels or scores")
    prices = None if costs is None else _prices(costs, p.labels, p.positive)
    everything = isinstance(measures, str) and measures == "all"
    asked = listed_names(measures)
    if everything:  # of two classes, measures of many say once more what their own do
        two = scores is not None and scores.matrix is None
        again = [name for name, m in catalogue.of_scores.items() if two and m.of_two is not None]
        asked = [name for name in catalogue if name not in again]
    shown = None if measures is None else tuple(dict.fromkeys(catalogue[name].name for name in asked))
    if shown is not None and not everything:
        _refuse_absent(shown, scores)
    return Assessment(
        estimates, n, p.positive, noticed, shown, random_state, flavour, costs=prices, scores=scores, labels=p.labels
    )


def measure(
    name: str,
    y_true: Any,
    y_pred: Any = None,
    *,
    y_score: Any = None,
    pos_label: Label | None = None,
    labels: Sequence[Label] | None = None,
    sample_weight: Any = None,
    groups: Any = None,
    confidence: float = 0.95,
    method: str = "auto",
    draws: int = 10_000,
    random_state: int | np.random.Generator | None = None,
    drop_missing: bool = False,
    strip_labels: bool = False,
    ignore_case: bool = False,
    cast_labels: bool = False,
    **options: Any,
) -> Estimate:
    """One measure, one call.

    >>> print(measure("kappa", [1, 2, 3, 1, 2, 3], [1, 2, 3, 1, 2, 2], weights="quadratic"))
    0.86 [0.04, 0.9998]
    """
    p = Predictions.of(
        y_true,
        y_pred,
        y_score=y_score,
        labels=labels,
        pos_label=pos_label,
        sample_weight=sample_weight,
        groups=groups,
        drop_missing=drop_missing,
        strip_labels=strip_labels,
        ignore_case=ignore_case,
        cast_labels=cast_labels,
    )
    if isinstance(catalogue[name], ScoreMeasure):
        found = ScoreEstimates.of(p, checked_confidence(confidence))
        if found is None:
            raise InputError("bad_option", f"{name} needs scores", cure="pass them as y_score=")
        return found.measure(name, method=method, draws=draws, random_state=random_state, options=options)
    return measure_table(
        Confusion.of(p),
        name,
        pos_label=None if p.positive is None else p.labels[p.positive],
        confidence=confidence,
        method=method,
        draws=draws,
        random_state=random_state,
        options=options,
        clusters=Clusters.of(p),
        removed=_removed(p),
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


def _removed(p: Predictions) -> frozenset[int]:
    """Classes whose rows all have weight zero."""
    if p.weights is None:
        return frozenset()
    rows = np.bincount(p.truth, minlength=len(p.labels))
    weighed = np.bincount(p.truth, weights=p.weights, minlength=len(p.labels))
    return frozenset(np.flatnonzero((rows > 0) & (weighed == 0)).tolist())


def _flavour(values: Any) -> Frame:
    return "pandas" if type(values).__module__.startswith("pandas") else "polars"
