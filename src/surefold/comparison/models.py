"""Several models' answers for the same rows: read once, checked to be of the same rows, ready for every measure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from surefold.counting import verb
from surefold.errors import InputError, show
from surefold.findings import Finding
from surefold.inputs.labels import Label
from surefold.inputs.predictions import Predictions, same_index
from surefold.inputs.raw import columns_of, raw_column
from surefold.measures.score_measure import Moved
from surefold.tallies.label_cells import LabelCells
from surefold.tallies.moves import Family, Moves, moves_of
from surefold.tallies.ordering import places_of
from surefold.tallies.score_groups import ScoreGroups
from surefold.tallies.score_matrix import ScoreMatrix

__all__ = ["MOST_MODELS", "Kind", "Models", "holds_scores", "looks_like_scores", "row_hash", "two_valued_findings"]

Array = NDArray[np.float64]
Kind = Literal["labels", "scores"]

#: Pairs grow with the square of the models: past this many, a control or a shorter list says more.
MOST_MODELS = 200
#: From this many distinct whole numbers on, most of them no label of the truth, answers are taken for scores.
MANY_VALUES = 20
#: What the door says of labels made from scores, which nobody asks for where scores are compared.
_OF_LABELS = ("labels_from_scores", "no_labels")


@dataclass(frozen=True, eq=False)
class Models:
    """Checked predictions of two or more models. One that exists speaks of the same rows throughout."""

    kind: Kind
    each: dict[str, Predictions]
    positive_asked: Label | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if len(self.each) < 2:
            problem = f"models to compare: {len(self.each)}"
            raise InputError("bad_option", problem, cure="give two or more: {'a': …, 'b': …}")
        if len(self.each) > MOST_MODELS:
            problem = (
                f"models to compare: {len(self.each)}, which is {len(self.each) * (len(self.each) - 1) // 2:,} pairs"
            )
            raise InputError("bad_option", problem, cure=f"give at most {MOST_MODELS}")
        hashes = {name: row_hash(p) for name, p in self.each.items()}
        first, *others = hashes
        for name in others:
            if hashes[name] != hashes[first]:
                problem = f"models {show(first)} and {show(name)} were not scored on the same rows"
                cure = "compare answers for the same rows, in the same order, with the same weights and groups"
                raise InputError("different_rows", f"{problem}: their truth differs", cure=cure)

    @classmethod
    def of(
        cls,
        y_true: Any,
        given: Any,
        *,
        kind: Kind,
        labels: Sequence[Label] | None = None,
        pos_label: Label | None = None,
        sample_weight: Any = None,
        groups: Any = None,
        threshold: float | None = None,
        drop_missing: bool = False,
        strip_labels: bool = False,
        ignore_case: bool = False,
        cast_labels: bool = False,
    ) -> Models:
        """From one truth and each model's labels or scores; with `threshold`, labels are made from scores."""
        named = named_columns(given)
        same_index([("y_true", y_true), *((f"model {name!r}", column) for name, column in named.items())])
        door: dict[str, Any] = {
            "drop_missing": drop_missing,
            "strip_labels": strip_labels,
            "ignore_case": ignore_case,
            "cast_labels": cast_labels,
        }
        as_scores = kind == "scores" or threshold is not None
        declared = labels is not None
        if labels is None and not as_scores:
            labels = _shared_labels(y_true, named, door)
        made = {}
        for name, column in named.items():
            where = f"model {name!r}"
            y_pred, y_score = (None, column) if as_scores else (column, None)
            p = Predictions.of(
                y_true, y_pred, y_score=y_score, labels=labels, pos_label=pos_label, sample_weight=sample_weight,
                groups=groups, threshold=threshold, **door, names=("y_true", where, where),
            )  # fmt: skip
            made[name] = replace(p, declared=declared)
        if len({None if p.rows is None else p.rows.tobytes() for p in made.values()}) > 1:
            made = _common_rows(made, len(y_true))
        return cls("scores" if kind == "scores" else "labels", made, pos_label)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.each)

    def __len__(self) -> int:
        return len(self.each)

    def __iter__(self) -> Iterator[Predictions]:
        return iter(self.each.values())

    @property
    def first(self) -> Predictions:
        """Whose truth, labels, weights and groups are those of all."""
        return next(iter(self.each.values()))

    @property
    def n(self) -> int:
        return self.first.n

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What the door noticed, each kind once."""
        found: dict[str, Finding] = {}
        if self.kind == "scores":
            few = [name for name, p in self.each.items() if p.scores is not None and _two_valued(p.scores)]
            found |= {finding.code: finding for finding in two_valued_findings(few, len(self))}
        for p in self:
            for finding in p.findings:
                if self.kind == "labels" or finding.code not in _OF_LABELS:
                    found.setdefault(finding.code, finding)
        return tuple(found.values())

    @cached_property
    def weights(self) -> Array:
        """Weights that add up to the effective number of rows, (sum w)^2 / sum w^2; ones where there are none."""
        w = self.first.weights
        return np.ones(self.n) if w is None else np.asarray(w * (w.sum() / (w @ w)))

    @property
    def weights_vary(self) -> bool:
        w = self.first.weights
        return w is not None and bool(np.ptp(w) > 1e-9 * w.max())

    @property
    def effective_n(self) -> float:
        return float(self.weights.sum())

    @cached_property
    def cells(self) -> LabelCells:
        """The truth and every model's call."""
        return LabelCells.of(tuple(self))

    @cached_property
    def weighing(self) -> Models:
        """The same without rows of weight zero."""
        if self.first.weights is None or self.first.weights.all():
            return self
        return Models(self.kind, {name: p.weighing for name, p in self.each.items()}, self.positive_asked)

    @cached_property
    def places(self) -> tuple[NDArray[np.int32], ...]:
        """Where each row stands among the distinct scores of each model, the highest first."""
        return tuple(places_of(p.scores) for p in self if p.scores is not None)

    def tallies(self) -> Iterator[ScoreGroups]:
        """Of each model's scores, weights adding up to the effective rows."""
        weights = None if self.first.weights is None else self.weights
        is_positive = np.asarray(self.first.truth == self.first.positive)
        for p, place in zip(self, self.places, strict=True):
            if p.scores is None:
                raise AssertionError("differences of scores need scores")
            yield ScoreGroups.at_places(p.scores, place, is_positive, weights, p.clip)

    def matrices(self) -> Iterator[ScoreMatrix]:
        """Of each model's columns of scores, likewise."""
        weights = None if self.first.weights is None else self.weights
        return (replace(ScoreMatrix.of(p), weights=weights) for p in self)

    def lookup(self, model: int, moved: Moved) -> Array:
        """A number a row."""
        return moved.at(self.places[model], np.asarray(self.first.truth == self.first.positive))

    def moves(self, families: Sequence[Family], classes: int) -> Moves:
        """Sums of what rows move measures by."""
        truth = self.first.truth == self.first.positive if classes == 2 else None
        weights = None if self.first.weights is None else self.weights
        return moves_of(families, truth, classes, (), weights, self.first.groups)

    def one_against_rest(self, c: int) -> Models:
        """The same with one class as the positive one and all others joined."""
        made = {}
        for name, p in self.each.items():
            predicted = None if p.predicted is None else (p.predicted == c).astype(np.uint8)
            made[name] = replace(
                p, truth=(p.truth == c).astype(np.uint8), predicted=predicted, labels=(0, 1), positive=1
            )
        return Models(self.kind, made)


def named_columns(given: Any) -> dict[str, Any]:
    """Each model's answers by its name: a mapping, or a data frame with one column a model."""
    columns = list(given.items()) if isinstance(given, Mapping) else columns_of(given, "y_preds")
    if columns is None:
        cure = "give {'a': labels, 'b': labels} or a data frame with one column a model"
        raise InputError("not_an_array", f"the models' answers are a {type(given).__name__}, without names", cure=cure)
    named = {str(name): column for name, column in columns}
    if len(named) < len(columns):
        raise InputError("bad_option", "two models have the same name", cure="give each model a name of its own")
    return named


def looks_like_scores(given: Any, y_true: Any = ()) -> bool:
    """Whether answers are numbers between labels, mostly numbers that are no label, or one column a class."""
    for name, column in named_columns(given).items():
        try:
            values = _numbers(column, f"model {name!r}")
        except InputError as error:
            if error.code in ("multilabel", "bad_shape"):
                return True
            raise
        if holds_scores(values, lambda: _values(y_true, "y_true")):
            return True
    return False


def holds_scores(numbers: NDArray[Any], truth: Callable[[], NDArray[Any]]) -> bool:
    """Whether numbers lie between whole ones, or are many of which most are no label of the truth."""
    finite = numbers[np.isfinite(numbers)]
    if finite.dtype.kind == "f" and (finite != np.floor(finite)).any():
        return True
    distinct = np.unique(finite)
    if len(distinct) < MANY_VALUES:
        return False
    labels = truth()
    return bool(np.isin(distinct, labels if labels.dtype.kind in "biuf" else _as_numbers(labels)).mean() < 0.5)


def _as_numbers(labels: NDArray[Any]) -> Array:
    """Those labels that are numbers, however they are written."""
    found = []
    for label in (np.unique(labels) if labels.dtype.kind == "U" else labels.ravel()).tolist():
        try:
            found.append(float(label))
        except (TypeError, ValueError):
            continue
    return np.array(found)


def _values(column: Any, name: str) -> NDArray[Any]:
    """The values of a column; of categories, each once."""
    raw = raw_column(column, name)
    return np.asarray(raw.data if raw.categories is None else raw.categories)


def _numbers(column: Any, name: str) -> NDArray[Any]:
    """The values of a column of numbers; nothing of any other."""
    values = _values(column, name)
    return values if values.dtype.kind in "iuf" else np.zeros(0)


def two_valued_findings(few: list[str], models: int) -> tuple[Finding, ...]:
    """Of so many models these few gave two values only."""
    if not few or len(few) == models:
        return ()
    text = f"{', '.join(map(show, few[:5]))} gave two values only, as labels do, and others gave scores."
    return (Finding.of("two_valued_scores", text, models=few),)


def _two_valued(scores: Array) -> bool:
    low, high = scores.min(), scores.max()
    return scores.ndim == 1 and bool(((scores == low) | (scores == high)).all())


def row_hash(p: Predictions) -> str:
    """A fingerprint of which rows these are: truth and its labels, kept rows, weights and groups."""
    digest = sha256(repr((p.n, p.labels)).encode())
    for array in (p.truth, p.rows, p.weights, p.groups):
        digest.update(b"-" if array is None else np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def _common_rows(made: dict[str, Predictions], n: int) -> dict[str, Predictions]:
    """The rows that every model answered, where each of them misses others."""
    kept = [np.arange(1, n + 1) if p.rows is None else p.rows for p in made.values()]
    common = kept[0]
    for rows in kept[1:]:
        common = np.intersect1d(common, rows)
    if not len(common):
        raise InputError("no_rows", "no row was answered by every model", cure="check the columns")
    left = n - len(common)
    text = f"{left:,} of {n:,} rows {verb(left, 'was', 'were')} left out: not every model answered them."
    left_out = Finding.of("dropped_missing", text, dropped=left)
    found = {}
    for (name, p), rows in zip(made.items(), kept, strict=True):
        where = np.isin(rows, common)
        columns: tuple[Any, ...] = (p.predicted, p.scores, p.weights)
        predicted, scores, weights = (None if x is None else x[where] for x in columns)
        groups = None if p.groups is None else np.unique(p.groups[where], return_inverse=True)[1]
        others = tuple(f for f in p.findings if f.code != "dropped_missing")
        found[name] = replace(
            p, truth=p.truth[where], predicted=predicted, scores=scores, weights=weights, groups=groups, rows=common,
            findings=(left_out, *others),
        )  # fmt: skip
    return found


def _shared_labels(y_true: Any, named: Mapping[str, Any], door: dict[str, Any]) -> tuple[Label, ...]:
    """The labels of the truth and those that some model alone predicts."""
    found: dict[Label, None] = {}
    for name, column in named.items():
        names = ("y_true", f"model {name!r}", "y_score")
        try:
            found |= dict.fromkeys(Predictions.of(y_true, column, **door, names=names).labels)
        except InputError as error:
            if error.code != "looks_like_scores" or "y_true" in error.problem:
                raise
            cure = "make labels of them with threshold=0.5, or compare by a measure of scores such as roc_auc"
            raise InputError("looks_like_scores", error.problem, cure=cure) from error
    return tuple(sorted(found, key=lambda label: (isinstance(label, str), label)))
