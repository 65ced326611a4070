"""compare(): two or more models on the same rows, on any measure, however the rows come in."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import fields, replace
from typing import Any, Literal, TypeVar, Unpack, overload

import numpy as np

from surefold.comparison.compared import METHODS, Method, Models, Question, compared, fitted
from surefold.comparison.result import Comparison, Comparisons
from surefold.engines.rows import Rows
from surefold.errors import InputError, UnknownNameError, refuse_unknown, show
from surefold.evidence import Evidence, evidence
from surefold.evidence.held import Held
from surefold.evidence.opening import opened
from surefold.flavours import Flavour, flavour_of
from surefold.inputs.columns import find_columns
from surefold.inputs.detect import holds_scores, refuse_scores
from surefold.inputs.door import Answers, Columns, Door, OfClasses, Reading
from surefold.inputs.kinds import Label
from surefold.inputs.options import SeveralOptions
from surefold.inputs.predictions import Predictions
from surefold.inputs.raw import columns_of
from surefold.inputs.streams import is_source
from surefold.inputs.tables import Table
from surefold.measures import catalogue
from surefold.measures.catalogue import listed_names
from surefold.measures.measure import Measure
from surefold.measures.score_measure import ScoreMeasure
from surefold.significance.multiplicity import ADJUSTMENTS

__all__ = [
    "ADJUSTMENTS",
    "METHODS",
    "Kind",
    "answers_of",
    "asked_of",
    "compare",
    "compare_files",
    "compare_rows",
    "kind_of",
    "named_answers",
    "opening",
]

Kind = Literal["labels", "scores"]
T = TypeVar("T")

#: Pairs grow with the square of the models: past this many, a control or a shorter list says more.
MOST_MODELS = 200
#: What is asked of rows that are elsewhere, before they are there.
OF_READING = tuple(f.name for f in fields(Reading))


class SourceCompareOptions(SeveralOptions, total=False):
    """What `compare_files` can be told beside the measure."""

    kind: Kind | None
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


class CompareOptions(SourceCompareOptions, total=False):
    """What `compare` can be told: of a source, the models too."""

    models: Sequence[str] | Mapping[str, str | Sequence[str]]


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

    Accuracy is tested by McNemar's mid-p, other measures of labels by their paired influence difference, those of
    scores by the rows that were won and lost; `groups` are allowed for in all of them. `margin` is the largest
    difference that does not matter: a pair that is surely inside it is practically equal. p is adjusted for the number
    of pairs (`adjust`).
    `method="swap"` and `"bootstrap"` draw instead; "delta" leaves added rows out, "delong" is that of areas by name.

    In place of `y_true` a path, a glob, a folder, or a Dask or Spark frame will do, with columns for `y_preds` (a list,
    or {name: column}), `truth=`, `weights=` and `groups=`; rows then need not fit in memory: see `compare_files`.

    >>> truth = [1] * 50 + [0] * 50
    >>> a, b = [1] * 48 + [0] * 50 + [1] * 2, [1] * 30 + [0] * 70
    >>> print(compare(truth, {"a": a, "b": b}).differences[0].status)
    better
    """
    door: dict[str, Any] = {"labels": labels, "pos_label": pos_label, "threshold": threshold}
    door |= {"drop_missing": drop_missing, "strip_labels": strip_labels}
    door |= {"ignore_case": ignore_case, "cast_labels": cast_labels}
    q = Question(control, margin, confidence, method, adjust, draws, random_state)
    if is_source(y_true, options):
        models, weights = options.pop("models", y_preds), options.pop("weights", sample_weight)
        asked = vars(q) | door | {"measure": measure, "weights": weights, "groups": groups}
        found: Comparison | Comparisons = compare_files(y_true, models, **asked, **options)
        return found
    checked = _checked(y_true, y_preds)
    if checked is not None:
        given = (y_preds, labels, sample_weight, groups, threshold)
        if any(argument is not None for argument in given) or any(list(door.values())[3:]):
            problem = "checked Predictions were given together with labels, weights, groups or options of their own"
            raise InputError("bad_option", problem, cure="pass them to Predictions.of instead")
        e = Held(checked)
        return _answered(measure, lambda: _of_predictions(checked), lambda kind: e, q, options, pos_label)
    named = named_answers(y_preds)
    columns = Columns(y_true, answers_of(named, "labels"), sample_weight, {} if groups is None else {"groups": groups})
    of = opening(None, columns, Door.of(**door))
    found = _answered(measure, lambda: _guessed(columns, threshold), of, q, options)
    return _flavoured(found, flavour_of(y_true, y_preds, *named.values()))


#: Models of a source: columns, {name: column}, or {name: columns} with one column of scores a class.
Named = Sequence[str] | Mapping[str, str | Sequence[str]]


@overload
def compare_files(
    source: Any, models: Named, *, measure: str | None = None, **options: Unpack[SourceCompareOptions]
) -> Comparison: ...
@overload
def compare_files(
    source: Any, models: Named, *, measure: Sequence[str], **options: Unpack[SourceCompareOptions]
) -> Comparisons: ...
def compare_files(
    source: Any, models: Named, *, measure: str | Sequence[str] | None = None, **options: Any
) -> Comparison | Comparisons:
    """Compare models whose labels or scores are columns of files, or of a Dask or Spark frame, of any number of rows.

    `models` are columns, or {name: column}, or {name: columns} with one column of scores a class. `kind` says whether
    they hold labels or scores; where it is not said, the measure tells, and without one the first rows do. Labels need
    one pass over the rows, scores two, and in groups three. Other options are those of `compare` (control, margin,
    labels, pos_label, threshold, confidence, adjust, method "auto", "one_row", "delta" or "delong", those of the
    measure), with `groups` and `weights` naming columns, and those of reading (engine, cluster, memory, progress,
    delimiter, encoding, comment, decimal).
    """
    reading = Reading(**{name: options.pop(name) for name in OF_READING if name in options})
    with closing(opened(source, reading)) as rows:
        found = compare_rows(rows, models, measure=measure, memory=reading.memory, **options)
    return _flavoured(found, flavour_of(source))


def compare_rows(
    rows: Rows | Table,
    models: Named,
    *,
    truth: str | None = None,
    kind: Kind | None = None,
    measure: str | Sequence[str] | None = None,
    weights: str | None = None,
    groups: str | None = None,
    memory: str | float | None = None,
    **options: Any,
) -> Comparison | Comparisons:
    """The same of rows that an engine has opened, or of a table that was read."""
    q, door = Question(**asked_of(Question, options)), Door.of(**asked_of(Door, options))
    if kind not in (None, "labels", "scores"):
        raise UnknownNameError("kind", kind, ("labels", "scores"))
    named = named_columns(models, rows)
    columns = Columns(truth, answers_of(named, "labels"), weights, {} if groups is None else {"groups": groups})
    of = opening(rows, columns, door, Reading(memory=memory), kind)
    return _answered(measure, lambda: _guessed(columns, door.threshold, rows.head, kind), of, q, options)


def asked_of(what: Any, options: dict[str, Any]) -> dict[str, Any]:
    """Those options that a value is made of, taken out of the others."""
    return {f.name: options.pop(f.name) for f in fields(what) if f.name in options}


def opening(
    rows: Rows | Table | None,
    columns: Columns[Any],
    door: Door,
    reading: Reading | None = None,
    kind: Kind | None = None,
) -> Callable[[Kind], Evidence]:
    """What gives evidence of the models' labels, or of their scores, each read once.

    With a threshold, or where scores were said to be there, labels are made of the scores, and one reading has both.
    """
    made: dict[Kind, Evidence] = {}

    def of(asked: Kind) -> Evidence:
        read: Kind = "scores" if door.threshold is not None else kind or asked
        if read not in made:
            given = _given(columns)
            if rows is not None and read == "labels":
                truth = _truth(columns, rows.head)
                cure = "choose a measure of scores such as roc_auc, or say threshold=0.5 (--score, --threshold)"
                for name, column in given.items():
                    if isinstance(column, OfClasses):
                        problem = f"model {name!r} has columns of scores ({column}), not labels"
                        raise InputError("looks_like_scores", problem, source=rows.source, cure=cure)
                    refuse_scores(rows.head, truth, column, cure)
            answers = Columns(columns.truth, answers_of(given, read), columns.weights, columns.groups)
            made[read] = evidence(rows, answers, door, reading)
        return made[read]

    return of


def kind_of(measure: Measure) -> Kind:
    """What a measure reads."""
    return "scores" if isinstance(measure, ScoreMeasure) else "labels"


def answers_of(named: Mapping[str, Any], kind: Kind) -> dict[str, Answers[Any]]:
    """Each model's column as labels or as scores; columns of classes are scores whatever is asked."""
    found: dict[str, Answers[Any]] = {}
    for name, column in named.items():
        if column is None:
            raise InputError("not_an_array", f"model {show(name)} is None", cure="pass one answer a row")
        scores = tuple(column) if isinstance(column, OfClasses) else (column,) if kind == "scores" else ()
        found[name] = Answers(None, scores) if scores else Answers(column)
    return found


def _given(columns: Columns[Any]) -> dict[str, Any]:
    """Each model's column, or its columns of classes."""
    return {name: OfClasses(one.scores) if one.scores else one.pred for name, one in columns.models.items()}


def _truth(columns: Columns[str], head: Table) -> str:
    """The column of the truth, by a guess where it was not said."""
    answered = [name for one in columns.models.values() for name in one.scores or (one.pred,) if name is not None]
    return find_columns(head, truth=columns.truth, score=answered).truth


def _answered(
    measure: str | Sequence[str] | None,
    guessed: Callable[[], str],
    of: Callable[[Kind], Evidence],
    q: Question,
    options: dict[str, Any],
    pos_label: Label | None = None,
) -> Comparison | Comparisons:
    """One comparison, or one for each of several measures."""
    names = [guessed()] if measure is None else listed_names(measure)
    if not names:
        raise InputError("bad_option", "no measure was given", cure="name at least one, such as accuracy")
    kinds = {name: kind_of(catalogue.with_options(name, options)) for name in names}
    asked: dict[str, Any] = {}
    for name, kind in kinds.items():
        e = of(kind)
        if q.control is not None:
            refuse_unknown("model", q.control, e.names)
        asked[name] = fitted(catalogue.with_options(name, options), e, q.margin, options)
    made: dict[int, Models] = {}
    each = {}
    for name, chosen in asked.items():
        e = of(kinds[name])
        models = made.setdefault(id(e), Models(e, tuple(asked.values()), pos_label))
        each[chosen.name] = compared(models, name, chosen, q, options)
    return next(iter(each.values())) if measure is None or isinstance(measure, str) else Comparisons(each)


def _flavoured(found: Comparison | Comparisons, flavour: Flavour) -> Comparison | Comparisons:
    """The same, whose frames are of that library."""
    if isinstance(found, Comparison):
        return replace(found, flavour=flavour)
    return Comparisons({name: replace(one, flavour=flavour) for name, one in found.items()})


def _checked(y_true: Any, y_preds: Any) -> dict[str, Predictions] | None:
    """Predictions that were checked before, in place of truth and answers."""
    if isinstance(y_true, Mapping) and y_true and all(isinstance(p, Predictions) for p in y_true.values()):
        return _several({str(name): p for name, p in y_true.items()})
    if y_preds is None:
        cure = "give the truth and {'a': labels, 'b': labels}, or {'a': Predictions, 'b': Predictions}"
        raise InputError("bad_option", "there is nothing to compare", cure=cure)
    return None


def _of_predictions(checked: Mapping[str, Predictions]) -> str:
    scored = all(p.scores is not None and p.scores.ndim == 1 for p in checked.values())
    return "roc_auc" if scored else "accuracy"


def _guessed(
    columns: Columns[Any], threshold: float | None, head: Table | None = None, kind: Kind | None = None
) -> str:
    """The measure where none was said: of labels accuracy, of scores an area."""
    if threshold is not None or kind == "labels":
        return "accuracy"
    if head is not None:
        columns = Columns(_truth(columns, head), columns.models)
    if kind != "scores" and not holds_scores(columns, head):
        return "accuracy"
    given = _given(columns).values()
    shapes = [(0, len(c) if isinstance(c, OfClasses) else 1) if head is not None else np.shape(c) for c in given]
    many = any(len(shape) == 2 and shape[1] > 2 for shape in shapes)
    return "roc_auc_hand_till" if many else "roc_auc"


def named_answers(given: Any) -> dict[str, Any]:
    """Each model's answers by its name: a mapping, or a data frame with one column a model."""
    columns = list(given.items()) if isinstance(given, Mapping) else columns_of(given, "y_preds")
    if columns is None:
        cure = "give {'a': labels, 'b': labels} or a data frame with one column a model"
        raise InputError("not_an_array", f"the models' answers are a {type(given).__name__}, without names", cure=cure)
    named = {str(name): column for name, column in columns}
    if len(named) < len(columns):
        raise InputError("bad_option", "two models have the same name", cure="give each model a name of its own")
    return _several(named)


def named_columns(models: Named, rows: Rows | Table) -> dict[str, str | OfClasses]:
    """Each model's column by the model's name, or its columns of scores, one a class."""
    if isinstance(models, str) or not isinstance(models, Sequence | Mapping):
        problem = f"the models are {show(models)}"
        cure = "name two or more columns: ['a', 'b'], {'old': 'a', 'new': 'b'}, or {'old': ['a0', 'a1', 'a2'], …}"
        raise InputError("bad_option", problem, source=rows.source, cure=cure)
    pairs = models.items() if isinstance(models, Mapping) else zip(models, models, strict=True)
    named = {str(name): OfClasses.named(column) for name, column in pairs}
    if len(named) < 2:
        problem = f"models to compare: {len(named)}; the columns are {rows.head.listed()}"
        cure = "name two or more columns (with --pred for labels, --score for scores)"
        raise InputError("bad_option", problem, source=rows.source, cure=cure)
    return _several(named)


def _several(named: dict[str, T]) -> dict[str, T]:
    """Two or more models, and not too many."""
    if len(named) < 2:
        problem = f"models to compare: {len(named)}"
        raise InputError("bad_option", problem, cure="give two or more: {'a': …, 'b': …}")
    if len(named) > MOST_MODELS:
        problem = f"models to compare: {len(named)}, which is {len(named) * (len(named) - 1) // 2:,} pairs"
        raise InputError("bad_option", problem, cure=f"give at most {MOST_MODELS}")
    return named
