"""compare(): two or more models on the same rows, on any measure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any, Literal, Unpack, overload

import numpy as np

from surefold.comparison.differences import has_differences, score_pairs
from surefold.comparison.judging import PairResult, checked_margin, judged, pair_result
from surefold.comparison.models import Models, looks_like_scores, named_columns
from surefold.comparison.pair_moments import PairMoments, adds_a_row
from surefold.comparison.paired_draws import drawn_results, swapped
from surefold.comparison.paired_labels import label_pairs
from surefold.comparison.result import Comparison, Comparisons
from surefold.comparison.winner import winner_of
from surefold.errors import InputError, UnknownNameError
from surefold.estimates.estimate import Estimate
from surefold.estimates.of_scores import ScoreEstimates, refuse_two_classes
from surefold.estimates.of_table import measure_table, positive_index
from surefold.estimates.quantiles import checked_confidence, checked_draws, checked_seed
from surefold.inputs.labels import Label
from surefold.inputs.options import SeveralOptions
from surefold.inputs.predictions import Predictions
from surefold.inputs.streams import is_source
from surefold.measures import catalogue
from surefold.measures.catalogue import listed_names
from surefold.measures.measure import Measure
from surefold.measures.score_measure import ScoreMeasure
from surefold.significance.multiplicity import ADJUSTMENTS, checked_adjustment
from surefold.significance.paired_cases import FEW_APART, mid_p
from surefold.tallies.clusters import Clusters
from surefold.tallies.confusion import Confusion
from surefold.tallies.label_cells import LabelCells

__all__ = ["ADJUSTMENTS", "METHODS", "by_moments", "compare", "pair_results"]

METHODS = ("auto", "one_row", "delta", "delong", "swap", "bootstrap")
Method = Literal["auto", "one_row", "delta", "delong", "swap", "bootstrap"]


class CompareOptions(SeveralOptions, total=False):
    """What `compare` can be told beside the measure."""

    models: Sequence[str] | Mapping[str, str]
    kind: Literal["labels", "scores"] | None
    control: str | None
    margin: float | None
    labels: Sequence[Label] | None
    pos_label: Label | None
    sample_weight: Any
    groups: Any
    threshold: float | None
    confidence: float
    method: Method
    adjust: str
    draws: int
    random_state: int | np.random.Generator | None
    drop_missing: bool
    strip_labels: bool
    ignore_case: bool
    cast_labels: bool


@overload
def compare(
    y_true: Any, y_preds: Any = None, *, measure: str | None = None, **options: Unpack[CompareOptions]
) -> Comparison: ...
@overload
def compare(
    y_true: Any, y_preds: Any = None, *, measure: Sequence[str], **options: Unpack[CompareOptions]
) -> Comparisons: ...
def compare(
    y_true: Any,
    y_preds: Any = None,
    *,
    measure: str | Sequence[str] | None = None,
    control: str | None = None,
    margin: float | None = None,
    labels: Sequence[Label] | None = None,
    pos_label: Label | None = None,
    sample_weight: Any = None,
    groups: Any = None,
    threshold: float | None = None,
    confidence: float = 0.95,
    method: Method = "auto",
    adjust: str = "holm",
    draws: int = 2_000,
    random_state: int | np.random.Generator | None = None,
    drop_missing: bool = False,
    strip_labels: bool = False,
    ignore_case: bool = False,
    cast_labels: bool = False,
    **options: Any,
) -> Comparison | Comparisons:
    """Is one really better? Every pair of models, or each against a control: first minus second, interval and test.

    `y_preds` are {name: labels}, or {name: scores} for a measure of scores, or a data frame with one column a model;
    without `measure` labels are compared by accuracy and scores by the area under the ROC curve. In place of both
    arguments {name: Predictions} will do, whose rows must be the same. A list of measures gives one comparison each.

    Accuracy is tested by McNemar's mid-p, areas by DeLong's test with a quarter row, anything else by its paired
    influence difference; `groups` are allowed for in all of them. `margin` is the largest difference that does not
    matter: a pair that is surely inside it is practically equal. p is adjusted for the number of pairs (`adjust`).
    `method="swap"` and `"bootstrap"` draw instead; "delta" leaves added rows out, "delong" is that of areas by name.

    In place of `y_true` a path, a glob, a folder, or a Dask or Spark frame will do, with columns for `y_preds` (a list,
    or {name: column}), `truth=`, `weights=` and `groups=`; rows then need not fit in memory: see `compare_files`.

    >>> truth = [1] * 50 + [0] * 50
    >>> a, b = [1] * 48 + [0] * 50 + [1] * 2, [1] * 30 + [0] * 70
    >>> print(compare(truth, {"a": a, "b": b}).differences[0].status)
    better
    """
    draws, random_state = checked_draws(draws, least=1), checked_seed(random_state)
    if is_source(y_true):
        from surefold.comparison.at_scale import compare_files

        return compare_files(
            y_true, options.pop("models", y_preds), measure=measure, control=control, margin=margin, labels=labels,
            pos_label=pos_label, weights=options.pop("weights", sample_weight), groups=groups, threshold=threshold,
            confidence=confidence, method=method, adjust=adjust, drop_missing=drop_missing, strip_labels=strip_labels,
            ignore_case=ignore_case, cast_labels=cast_labels, **options,
        )  # fmt: skip
    confidence, margin = checked_confidence(confidence), checked_margin(margin)
    if method not in METHODS:
        raise UnknownNameError("method", method, METHODS)
    checked_adjustment(adjust)
    door = {
        "drop_missing": drop_missing,
        "strip_labels": strip_labels,
        "ignore_case": ignore_case,
        "cast_labels": cast_labels,
    }
    checked = _checked(y_true, y_preds)
    if checked is not None:
        given = (y_preds, labels, sample_weight, groups, threshold)
        if any(argument is not None for argument in given) or any(door.values()):
            problem = "checked Predictions were given together with labels, weights, groups or options of their own"
            raise InputError("bad_option", problem, cure="pass them to Predictions.of instead")
    asked = _measures(measure, y_preds if checked is None else checked, threshold, y_true)
    made: dict[str, Models] = {}

    def models_for(chosen: Measure) -> Models:
        kind: Literal["labels", "scores"] = "scores" if isinstance(chosen, ScoreMeasure) else "labels"
        if kind not in made:
            if checked is not None:
                made[kind] = Models(kind, checked, pos_label)
            else:
                made[kind] = Models.of(
                    y_true, y_preds, kind=kind, labels=labels, pos_label=pos_label, sample_weight=sample_weight,
                    groups=groups, threshold=threshold if kind == "labels" else None, **door,
                )  # fmt: skip
        return made[kind]

    each = {}
    for name in asked:
        chosen = catalogue.with_options(name, options)
        models = models_for(chosen)
        chosen = _fitting(chosen, models, margin, options)
        each[chosen.name] = _compared(
            name, chosen, models, control, margin, confidence, method, adjust, draws, random_state, options
        )
    if measure is None or isinstance(measure, str):
        return next(iter(each.values()))
    return Comparisons(each)


def _checked(y_true: Any, y_preds: Any) -> dict[str, Predictions] | None:
    """Predictions that were checked before, in place of truth and answers."""
    if isinstance(y_true, Mapping) and y_true and all(isinstance(p, Predictions) for p in y_true.values()):
        return {str(name): p for name, p in y_true.items()}
    if y_preds is None:
        cure = "give the truth and {'a': labels, 'b': labels}, or {'a': Predictions, 'b': Predictions}"
        raise InputError("bad_option", "there is nothing to compare", cure=cure)
    return None


def _measures(measure: str | Sequence[str] | None, given: Any, threshold: float | None, y_true: Any) -> list[str]:
    if measure is not None:
        names = listed_names(measure)
        if not names:
            raise InputError("bad_option", "no measure was given", cure="name at least one, such as accuracy")
        return names
    if isinstance(given, dict) and all(isinstance(p, Predictions) for p in given.values()):
        scored = all(p.scores is not None for p in given.values())
        return ["roc_auc" if scored and all(p.scores.ndim == 1 for p in given.values()) else "accuracy"]
    if threshold is not None or not looks_like_scores(given, y_true):
        return ["accuracy"]
    shapes = [np.shape(column) for column in named_columns(given).values()]
    many = any(len(shape) == 2 and shape[1] > 2 for shape in shapes)
    return ["roc_auc_hand_till" if many else "roc_auc"]


def _fitting(chosen: Measure, models: Models, margin: float | None, options: dict[str, Any]) -> Measure:
    """The measure as these models can have it, or why not."""
    if chosen.needs_options:
        missing = [option for option, value in chosen.settings.items() if value is None]
        raise InputError("bad_option", f"{chosen.name} needs {', '.join(missing)}=", cure=f"give {missing[0]}=")
    if isinstance(chosen, ScoreMeasure):
        for name, p in models.each.items():
            if p.scores is None:
                raise InputError("bad_option", f"{chosen.name} needs scores, and model {name!r} has none",
                                 cure="give scores, or compare by a measure of labels")  # fmt: skip
        if models.first.scores is not None and models.first.scores.ndim == 2 and models.first.positive is None:
            chosen = catalogue.with_options(catalogue.twin(chosen.name), options)
        elif chosen.reads == "matrix" and len(models.first.labels) == 2:
            refuse_two_classes(chosen)
    elif any(p.predicted is None for p in models):
        raise InputError("bad_option", f"{chosen.name} needs labels", cure="give labels, or threshold= for scores")
    span = chosen.range[1] - chosen.range[0]
    if margin is not None and margin >= span:
        cure = f"give a margin below {span:g}, the most that two models can differ by"
        raise InputError("bad_option", f"margin={margin:g} for {chosen.name}", cure=cure)
    if chosen.better == "neither":
        cure = "compare by a measure of which more or less is better"
        raise InputError("bad_option", f"of {chosen.name} neither more nor less is better", cure=cure)
    return chosen


def _compared(
    asked: str,
    chosen: Measure,
    models: Models,
    control: str | None,
    margin: float | None,
    confidence: float,
    method: Method,
    adjust: str,
    draws: int,
    random_state: int | np.random.Generator | None,
    options: dict[str, Any],
) -> Comparison:
    names = models.names
    if control is not None and control not in names:
        raise UnknownNameError("model", control, names)
    pairs = list(combinations(range(len(names)), 2))
    if control is not None:
        pairs = [(i, names.index(control)) for i in range(len(names)) if names[i] != control]
    positive = None if not chosen.is_per_class else _positive(chosen, models)
    against = models if positive is None else models.one_against_rest(positive)
    values = {name: _value(asked, p, positive, confidence, options, random_state) for name, p in models.each.items()}
    results = pair_results(chosen, against, pairs, values, confidence, method, draws, random_state)
    lower = chosen.better == "lower"

    differences = judged(
        chosen, results, margin=margin, confidence=confidence, rows=models.n, adjust=checked_adjustment(adjust)
    )

    def at(name: str, level: float) -> Estimate:
        return _value(asked, models.each[name], positive, level, options, random_state)

    return Comparison(
        chosen.name, values, differences, chosen.better, control, margin, confidence,
        winner_of(values, lower, confidence, at), adjust, models.findings, models,
    )  # fmt: skip


def _positive(chosen: Measure, models: Models) -> int:
    first = models.first
    if first.positive is not None and models.positive_asked is None:
        return first.positive
    return positive_index(Confusion.of(first), models.positive_asked, chosen.name)


def _value(
    asked: str,
    p: Predictions,
    positive: int | None,
    confidence: float,
    options: dict[str, Any],
    random_state: int | np.random.Generator | None,
) -> Estimate:
    if isinstance(catalogue[asked], ScoreMeasure):
        scored = ScoreEstimates.of(p, confidence)
        if scored is None:
            raise AssertionError("scores were checked to be there")
        return scored.measure(asked, options=options, random_state=random_state)
    said = None if positive is None else p.labels[positive]
    return measure_table(
        Confusion.of(p), asked, pos_label=said, confidence=confidence, options=options, clusters=Clusters.of(p)
    )


def pair_results(
    chosen: Measure,
    models: Models,
    pairs: list[tuple[int, int]],
    values: dict[str, Estimate],
    confidence: float,
    method: Method,
    draws: int,
    random_state: int | np.random.Generator | None,
    *,
    few: float = FEW_APART,
) -> list[PairResult]:
    """Every pair of models by the test that fits: what `compare` makes its verdicts from.

    Labels of models that differ in fewer than `few` rows are bounded by score.
    """
    names, added = models.names, adds_a_row(method, chosen)
    if isinstance(chosen, ScoreMeasure):
        moments = score_pairs(chosen, models.weighing, added=added)
    else:
        moments = label_pairs(chosen, models.cells, added=added)
    if method == "bootstrap" or moments is None:
        if method in ("one_row", "delta"):
            known = ", ".join(sorted(name for name, m in catalogue.of_scores.items() if has_differences(m)))
            cure = f"use method='bootstrap' or 'swap'; of scores {known} have one"
            raise InputError("bad_option", f"{chosen.name} has no influence values", cure=cure)
        return drawn_results(chosen, models, pairs, values, confidence, draws, random_state, swap=method == "swap")
    cells = None if isinstance(chosen, ScoreMeasure) else models.cells
    results = by_moments(chosen.name, moments, names, pairs, confidence, method, cells, few)
    if method == "swap":
        rng = np.random.default_rng(random_state)
        results = [swapped(chosen, models, r, draws, rng) for r in results]
    return results


def by_moments(
    measure: str,
    moments: PairMoments,
    names: Sequence[str],
    pairs: list[tuple[int, int]],
    confidence: float,
    method: str,
    cells: LabelCells | None = None,
    few: float = FEW_APART,
) -> list[PairResult]:
    """Every pair by its moments; of labels, whose `cells` are given, by score where few rows differ."""

    def result(pair: tuple[int, int]) -> PairResult:
        by_score = cells is not None and method != "swap" and bool(cells.apart[pair] < few)
        return pair_result(measure, moments, names, pair, confidence, by_score=by_score)

    results = [result(pair) for pair in pairs]
    if method in ("delta", "delong"):
        return [r.tested(flags=(*r.test.flags, "known_to_mislead")) for r in results]
    plain = cells is not None and not cells.weighted and cells.grouped is None
    if cells is not None and plain and method == "auto" and measure in ("accuracy", "error_rate"):
        both = cells.right
        only_first = np.array([both[i, i] - both[i, j] for i, j in pairs])
        only_second = np.array([both[j, j] - both[i, j] for i, j in pairs])
        p_values = mid_p(only_first, only_second).tolist()  # of all pairs at once
        return [r.tested(name="McNemar mid-p", p_value=p) for r, p in zip(results, p_values, strict=True)]
    return results
