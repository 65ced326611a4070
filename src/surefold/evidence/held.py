"""Evidence of rows that are held: checked predictions of one or more models, of the same rows throughout."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from surefold.counting import verb
from surefold.errors import InputError, show
from surefold.evidence.cuts import Cuts, Entries, first_cut
from surefold.evidence.evidence import Part, Tabled, Weights, removed_classes
from surefold.evidence.folds import GroupContents
from surefold.evidence.slicing import Sliceable
from surefold.findings import Finding
from surefold.inputs.columns import as_in_column
from surefold.inputs.door import ONLY, Columns, Door
from surefold.inputs.kinds import Label
from surefold.inputs.labels import encode_labels
from surefold.inputs.levels import by_series
from surefold.inputs.predictions import Predictions, same_index
from surefold.inputs.raw import raw_column
from surefold.inputs.scores import check_probabilities, read_scores
from surefold.measures.score_measure import Moved
from surefold.tallies.against_rest import AgainstRest
from surefold.tallies.clusters import Clusters
from surefold.tallies.confusion import Confusion
from surefold.tallies.label_cells import LabelCells
from surefold.tallies.moves import Family, Moves, moves_of
from surefold.tallies.ordering import places_of
from surefold.tallies.score_groups import ScoreGroups
from surefold.tallies.score_matrix import RowMove, ScoreMatrix

if TYPE_CHECKING:
    import polars

__all__ = ["Held", "row_hash"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Held:
    """Rows that are here. `by` are columns that they may be sliced by; `by_text`: numbers in them came as text."""

    each: Mapping[str, Predictions]
    by: Mapping[str, polars.Series] = field(default_factory=dict, repr=False)
    by_text: bool = False

    costs_a_pass = False
    has_rows = True

    def __post_init__(self) -> None:
        first, *others = self.each
        if not others:
            return
        known = row_hash(self.each[first])
        for name in others:
            if row_hash(self.each[name]) != known:
                problem = f"models {show(first)} and {show(name)} were not scored on the same rows"
                cure = "compare answers for the same rows, in the same order, with the same weights and groups"
                raise InputError("different_rows", f"{problem}: their truth differs", cure=cure)

    @classmethod
    def of(cls, columns: Columns[Any], door: Door, titles: Mapping[str, str] | None = None) -> Held:
        """From one truth and each model's labels or scores, as arrays; `titles` are what messages call them."""
        named, truth = columns.models, columns.truth
        facts: dict[str, Any] = {"sample_weight": columns.weights, "groups": columns.group, **door.matching}
        facts |= {"pos_label": door.pos_label, "threshold": door.threshold}
        if set(named) == {ONLY}:
            (one,) = named.values()
            score = one.scores[0] if one.scores else None
            p = Predictions.of(truth, one.pred, y_score=score, labels=door.labels, **facts)
            return cls({ONLY: p}, _sliced_by(columns.by, p))
        answers = {name: one.scores[0] if one.pred is None else one.pred for name, one in named.items()}
        titles = titles or {ONLY: "y_true"} | {name: f"model {name!r}" for name in named}
        same_index([(titles[ONLY], truth), *((titles[name], column) for name, column in answers.items())])
        labels = door.labels
        if labels is None and all(one.pred is not None for one in named.values()):
            labels = _shared_labels(truth, answers, door, titles)
        made = {}
        for name, one in named.items():
            score = one.scores[0] if one.scores else None
            called = (titles[ONLY], titles[name], titles[name])
            p = Predictions.of(truth, one.pred, y_score=score, labels=labels, **facts, names=called)
            made[name] = replace(p, declared=door.labels is not None)
        if len({None if p.rows is None else p.rows.tobytes() for p in made.values()}) > 1:
            made = _common_rows(made, _missing(columns, titles, door))
        return cls(made, _sliced_by(columns.by, next(iter(made.values()))))

    # what it is of

    @property
    def names(self) -> tuple[str, ...]:
        """The models."""
        return tuple(self.each)

    @cached_property
    def first(self) -> Predictions:
        """Whose truth, labels, weights and groups are those of all."""
        return next(iter(self.each.values()))

    @property
    def labels(self) -> tuple[Label, ...]:
        """Every label there is, in order."""
        return self.first.labels

    @property
    def positive(self) -> int | None:
        """Which of them is the positive one, if one is."""
        return self.first.positive

    @property
    def n(self) -> int:
        """Rows, whatever they weigh."""
        return self.first.n

    @property
    def factors(self) -> tuple[str, ...]:
        """What rows are grouped by."""
        return () if self.first.groups is None else ("groups",)

    @property
    def has_labels(self) -> bool:
        """Whether every model has labels."""
        return all(p.predicted is not None for p in self.each.values())

    @property
    def has_scores(self) -> bool:
        """Whether every model has scores."""
        return all(p.scores is not None for p in self.each.values())

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """What the door noticed, of several models each kind once."""
        if len(self.each) == 1:
            p = self.first
            odd = p.scores is not None and p.scores.ndim == 2 and _are_probabilities(p.scores)
            return (*p.findings, *(check_probabilities(p.scores, rows=p.rows) if odd and p.scores is not None else ()))
        found: dict[str, Finding] = {}
        for p in self.each.values():
            for finding in p.findings:
                found.setdefault(finding.code, finding)
        return tuple(found.values())

    @cached_property
    def weights(self) -> Weights:
        """What the weights of rows are worth."""
        w = self.first.weights
        return Weights(float(self.n)) if w is None else Weights.of(w)

    # what it says

    def table(self, model: str) -> Tabled:
        """The table of a model's labels."""
        p = self.each[model]
        removed = removed_classes(p.truth, p.weights)
        return Tabled(Confusion.of(p), Clusters.of(p), removed)

    def scores(self, model: str) -> ScoreGroups | None:
        """The tally of a model's scores, positive class against the rest."""
        p = self._weighing[model]
        return None if p.positive is None or p.scores is None else ScoreGroups.of_predictions(p)

    def ends(self, model: str) -> AgainstRest | None:
        """None: scores are as they were."""
        return None

    def matrix(self, model: str) -> ScoreMatrix | None:
        """A model's scores, one column a class."""
        p = self._weighing[model]
        return ScoreMatrix.of(p) if p.scores is not None and p.scores.ndim == 2 else None

    def cells(self) -> LabelCells:
        """The truth and every model's call."""
        return self._cells

    @cached_property
    def _cells(self) -> LabelCells:
        if not self.has_labels:
            cure = "give labels, or a threshold= that divides the scores"
            raise InputError("bad_option", "no labels could be made from the scores", cure=cure)
        return LabelCells.of(tuple(self._weighing.values()))

    def tallies(self) -> Iterator[ScoreGroups]:
        """Of one model's scores after the other, scaled to the effective rows."""
        for p, place in zip(self._weighing.values(), self.places, strict=True):
            yield ScoreGroups.at_places(_column(p), place, self._is_positive, self._scaled, p.clip)

    def matrices(self) -> Iterator[ScoreMatrix]:
        """The same where there is one column of scores a class."""
        return (replace(ScoreMatrix.of(p), weights=self._scaled) for p in self._weighing.values())

    def of_rows(self, model: int, move: RowMove) -> Array:
        """A number a row."""
        return move.of(ScoreMatrix.of(self._weighing[self.names[model]]))

    def lookup(self, model: int, moved: Moved) -> Array:
        """A number a row."""
        return moved.at(self.places[model], self._is_positive)

    def moves(self, families: Sequence[Family], classes: int) -> Moves:
        """What rows move measures by, added up."""
        first = next(iter(self._weighing.values()))
        return moves_of(families, self._is_positive if classes == 2 else None, classes, (), self._scaled, first.groups)

    def cut(self, model: str, thresholds: Array) -> Cuts:
        """The table at each threshold, and what groups put into it."""
        p = self._weighing[model]
        t = ScoreGroups.of_predictions(p)
        if p.groups is None:
            return Cuts.of(t, thresholds)
        weight = np.ones(p.n) if p.weights is None else p.weights
        entries = Entries(p.groups, self._is_positive.astype(np.intp), first_cut(_column(p), thresholds), weight)
        return Cuts.of(t, thresholds, lambda: iter((entries,)))

    def folds(self, model: str, k: int, seed: int | np.random.Generator | None) -> list[ScoreGroups]:
        """The scores dealt into k tallies, whole groups to each."""
        p = self._weighing[model]
        if p.groups is None:
            return ScoreGroups.of_predictions(p).dealt(k, seed)
        scores = _column(p)
        place = GroupContents.of(scores, self._is_positive, p.groups).dealt(k, seed)[p.groups]
        parts = []
        for held in (place == i for i in range(k)):
            if held.any():
                weights = None if p.weights is None else p.weights[held]
                parts.append(ScoreGroups.of(scores[held], self._is_positive[held], weights, p.clip))
        return parts

    def part(self, part: Part) -> Held:
        """The same of some rows alone."""
        column = self.by[part.column]
        same = column == as_in_column(part.level, column)
        return self.kept((~same if part.rest else same).fill_null(part.rest).to_numpy())

    def kept(self, rows: NDArray[np.bool_]) -> Held:
        """The same of some rows."""
        made = {name: p.kept(rows) for name, p in self.each.items()}
        return replace(self, each=made, by={name: column.filter(rows) for name, column in self.by.items()})

    def sliced_by(self, columns: Mapping[str, Any]) -> Held:
        """The same with more columns to slice by: a value for each row that came in."""
        return replace(self, by={**self.by, **_sliced_by(columns, self.first)})

    def at(self, threshold: float) -> Held:
        """The same with labels that scores of two classes have at a threshold."""
        made = {}
        for name, p in self.each.items():
            called = (_column(p) >= threshold) == (p.positive == 1)
            made[name] = replace(p, predicted=called.astype(p.truth.dtype))
        return replace(self, each=made)

    def sliceable(self) -> Sliceable:
        """The models' labels, with what they may be sliced by; rows of weight zero are no rows."""
        weights = self.first.weights
        by = self.by if weights is None else {name: column.filter(weights > 0) for name, column in self.by.items()}
        return Sliceable(by, self._cells if self.has_labels else None, parsed=self.by_text)

    def all_rows(self) -> Held:
        """They are held already."""
        return self

    def predictions(self, model: str) -> Predictions:
        """The rows themselves, for drawing."""
        return self.each[model]

    def close(self) -> None:
        """There is no engine."""

    def one_against_rest(self, c: int) -> Held:
        """The same with one class as the positive one and all others joined."""
        made = {}
        for name, p in self.each.items():
            predicted = None if p.predicted is None else (p.predicted == c).astype(np.uint8)
            truth = (p.truth == c).astype(np.uint8)
            made[name] = replace(p, truth=truth, predicted=predicted, labels=(0, 1), positive=1)
        return Held(made)

    # inside

    @cached_property
    def _weighing(self) -> dict[str, Predictions]:
        """Without rows of weight zero, which are no rows."""
        return {name: p.weighing for name, p in self.each.items()}

    @cached_property
    def _scaled(self) -> Array | None:
        """Weights that add up to the effective rows."""
        w = next(iter(self._weighing.values())).weights
        return None if w is None else np.asarray(w * self.weights.scale)

    @cached_property
    def _is_positive(self) -> NDArray[np.bool_]:
        p = next(iter(self._weighing.values()))
        return np.asarray(p.truth == p.positive)

    @cached_property
    def places(self) -> tuple[NDArray[np.int32], ...]:
        """Where each row that weighs something stands among the distinct scores of each model, the highest first."""
        return tuple(places_of(_column(p)) for p in self._weighing.values())


def _column(p: Predictions) -> Array:
    """The scores of the positive class."""
    if p.scores is None or p.positive is None:
        raise AssertionError("scores of a positive class were expected")
    return p.scores if p.scores.ndim == 1 else p.scores[:, p.positive]


def row_hash(p: Predictions) -> str:
    """A fingerprint of which rows these are: truth and its labels, kept rows, weights and groups."""
    digest = sha256(repr((p.n, p.labels)).encode())
    for array in (p.truth, p.rows, p.weights, p.groups):
        digest.update(b"-" if array is None else np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def _are_probabilities(scores: Array) -> bool:
    return scores.size > 0 and bool(scores.min() >= 0 and scores.max() <= 1)


def _sliced_by(columns: Mapping[str, Any], p: Predictions) -> dict[str, polars.Series]:
    """Each column that rows are sliced by, of the rows kept."""
    found = {}
    for name, values in columns.items():
        column = by_series(values, name)
        least = p.n if p.rows is None else int(p.rows.max())
        if len(column) < least or (p.rows is None and len(column) > least):
            problem = f"{show(name)}, which rows are sliced by, has {len(column):,} rows, and there are {p.n:,}"
            raise InputError("length_mismatch", problem, cure="give one value for each row, in the same order")
        found[name] = column if p.rows is None else column.gather(p.rows - 1)
    return found


def _missing(columns: Columns[Any], titles: Mapping[str, str], door: Door) -> dict[str, NDArray[np.bool_]]:
    """Which rows miss the truth, and which a model's answer, by what messages call it."""
    n = raw_column(columns.truth, titles[ONLY]).n
    found = {titles[ONLY]: encode_labels(columns.truth, titles[ONLY], cast=door.cast_labels).missing}
    for name, one in columns.models.items():
        labels = None if one.pred is None else encode_labels(one.pred, titles[name], cast=door.cast_labels)
        found[titles[name]] = (read_scores(one.scores[0], titles[name]) if labels is None else labels).missing
    return {title: np.zeros(n, dtype=bool) if gone is None else gone for title, gone in found.items()}


def _common_rows(made: dict[str, Predictions], missing: dict[str, NDArray[np.bool_]]) -> dict[str, Predictions]:
    """The rows that every model answered, where each of them misses others."""
    n = len(next(iter(missing.values())))
    kept = [np.arange(1, n + 1) if p.rows is None else p.rows for p in made.values()]
    common = kept[0]
    for rows in kept[1:]:
        common = np.intersect1d(common, rows)
    if not len(common):
        raise InputError("no_rows", "no row was answered by every model", cure="check the columns")
    left = n - len(common)
    parts = ", ".join(f"{gone.sum():,} without {title}" for title, gone in missing.items() if gone.any())
    text = f"{left:,} of {n:,} rows {verb(left, 'was', 'were')} left out: {parts}."
    left_out = Finding.of("dropped_missing", text, dropped=left)
    found = {}
    for (name, p), rows in zip(made.items(), kept, strict=True):
        others = tuple(f for f in p.findings if f.code != "dropped_missing")
        found[name] = replace(p.kept(np.isin(rows, common)), rows=common, findings=(left_out, *others))
    return found


def _shared_labels(y_true: Any, named: Mapping[str, Any], door: Door, titles: Mapping[str, str]) -> tuple[Label, ...]:
    """The labels of the truth and those that some model alone predicts."""
    found: dict[Label, None] = {}
    for name, column in named.items():
        names = (titles[ONLY], titles[name], "y_score")
        try:
            found |= dict.fromkeys(Predictions.of(y_true, column, **door.matching, names=names).labels)
        except InputError as error:
            if error.code != "looks_like_scores" or titles[ONLY] in error.problem:
                raise
            cure = "make labels of them with threshold=0.5, or compare by a measure of scores such as roc_auc"
            raise InputError("looks_like_scores", error.problem, cure=cure) from error
    return tuple(sorted(found, key=lambda label: (isinstance(label, str), label)))
