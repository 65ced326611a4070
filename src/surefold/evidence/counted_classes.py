"""Evidence of models with one column of scores a class whose rows memory does not hold.

Labels, losses and the likeliest class are as from arrays; areas are those of one class against the rest. What reads all
columns of a row together and is no mean over the rows is refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from surefold.engines.rows import Rows, most_groups
from surefold.errors import InputError
from surefold.evidence.class_rows import Asked, ClassCounts, ClassPlan, ClassRows, MatrixMovesJob, SumsJob, is_of_rows
from surefold.evidence.counted import Counted, Engine
from surefold.evidence.evidence import Part
from surefold.evidence.first_pass import first_of, roles_of
from surefold.evidence.sliced import Sliced
from surefold.findings import Finding
from surefold.inputs.columns import class_names
from surefold.inputs.door import Columns, Door
from surefold.inputs.kinds import Label
from surefold.inputs.parts import Roles, as_said
from surefold.inputs.predictions import Predictions
from surefold.inputs.scores import SUM_REFUSED
from surefold.tallies.against_rest import AgainstRest
from surefold.tallies.class_counts import CountedMatrix
from surefold.tallies.moves import Family, Moves
from surefold.tallies.partial import ROWS, SQUARES, WEIGHT, plain_label
from surefold.tallies.row_sums import RowSums
from surefold.tallies.score_matrix import RowMove

if TYPE_CHECKING:
    import polars

__all__ = ["CountedClasses"]

#: The labels in the column of the truth, and in each of answers.
Labelled = tuple["polars.Series", ...]

#: What a pass over the rows is asked for beside what it was made for.
ALSO: tuple[Asked, ...] = (
    ("brier_multiclass", (("scaled", False),), False),
    ("log_loss_multiclass", (), False),
    ("top_k_accuracy", (("k", 2),), False),
)


@dataclass(frozen=True, eq=False)
class CountedClasses(Counted):
    """Rows that were counted, with one column of scores a class; `labelled` are the labels that they were read with."""

    rows: ClassRows = field(repr=False)
    classes: ClassCounts = field(repr=False)
    labelled: Labelled = field(repr=False)
    known: dict[Asked, tuple[RowSums, ...]] = field(default_factory=dict, repr=False)

    @classmethod
    def of_labels(
        cls, rows: Rows, columns: Columns[str], door: Door, memory: str | float | None, labels: Labelled
    ) -> CountedClasses:
        """The first pass over the rows, whose labels are known."""
        read = _rows_of(rows, columns, door, labels)
        most = most_groups(memory, len(read.roles.scores) + read.models, columns.weights is not None)
        counts: ClassCounts = rows.reduce(ClassPlan(read, most))
        first = first_of(rows, columns, door, counts.partial)
        k, found = read.classes, next(iter(first.doors.values()))
        if len(found.labels) != k:
            problem = f"there are {k} columns of scores a model, and {len(found.labels)} labels"
            cure = "give one column a label, or declare the classes with labels= (--label)"
            raise InputError("bad_shape", problem, source=rows.source, cure=cure)
        first = replace(first, findings=(*first.findings, *_findings(columns, counts, rows.source)))
        made = cls(first, (columns, door, memory), Engine(rows), read, counts, labels)
        clip = max(c.clip for c in counts.columns)
        clipped = made.matrix(made.names[0]).a_hair_outside
        return replace(made, rows=replace(read, clip=clip, scale=made.weights.scale, clipped=clipped))

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "engine": None}

    @property
    def has_scores(self) -> bool:
        """There are."""
        return True

    def ends(self, model: str) -> AgainstRest | None:
        """Between which tallies the scores of the positive class lie; None where none is positive."""
        c = self.positive
        return None if c is None else self.matrix(model).against_rest(c)

    def matrix(self, model: str) -> CountedMatrix:
        """What is known of the matrix of a model."""
        m, k = self.names.index(model), self.rows.classes
        truth = self.first.truth
        cells = self.counts.partial.cells
        names = (WEIGHT, SQUARES) if WEIGHT in cells.columns else (ROWS, ROWS)
        rows, squares = (
            np.bincount(truth, weights=cells.get_column(name).to_numpy(), minlength=k).astype(float) for name in names
        )
        columns, top = self.classes.columns[m * k : (m + 1) * k], self.classes.tops[m]
        asked = {"sums": partial(self._sums, m), "moves": partial(self._moves, m)}
        facts: dict[str, Any] = {"total": self.weights.effective, "vary": self.weights.vary, **asked}
        return CountedMatrix(self.labels, self.n, rows, squares, columns, top, **facts)

    def matrices(self) -> Iterator[CountedMatrix]:
        """The same where there is one column of scores a class."""
        return (self.matrix(name) for name in self.names)

    def moves(self, families: Sequence[Family], classes: int) -> Moves:
        """What rows move measures by, added up."""
        if not is_of_rows(families):
            return super().moves(families, classes)
        found: Moves = self._again(MatrixMovesJob(self.rows, tuple(families)), "moves")
        return found

    def part(self, part: Part) -> CountedClasses:
        """The same of some rows alone."""
        columns, door, memory = self.asked
        sliced = Sliced(self._engine.rows, columns.by[part.column], part)
        return CountedClasses.of_labels(sliced, columns, door, memory, self.labelled)

    # inside

    def _moves(self, model: int, moves: tuple[RowMove, ...]) -> Moves:
        """What rows move measures of one model by, by class."""
        families = tuple(Family((move,), models=(model,)) for move in moves)
        found: Moves = self._again(MatrixMovesJob(self.rows, families, self.rows.classes), "moves")
        return found

    def _sums(self, model: int, name: str, settings: tuple[tuple[str, Any], ...], turned: bool) -> RowSums:
        """What rows lose by a measure; for what is likely to be asked next the rows are not gone over again."""
        asked: Asked = (name, settings, turned)
        if asked not in self.known:
            low, high = self.matrix(self.names[model]).ends
            also = [a for a in (*ALSO, *self.known) if low >= 0 and high <= 1 and a not in self.known]
            if turned:  # of as many measures as were asked for before, which are compared together
                also = [(a, how, True) for a, how, _ in self.known if a in (ALSO[0][0], ALSO[1][0])]
            each = tuple(dict.fromkeys((asked, *also)))
            found = self._again(SumsJob(self.rows, each, self.weights.vary), "losses")
            for i, one in enumerate(each):
                self.known[one] = tuple(sums[i] for sums in found.each)
        return self.known[asked][model]

    @cached_property
    def _roles(self) -> Roles:
        """What is read again of the positive class: one column of scores a model."""
        k, c = self.rows.classes, self.positive or 0
        scores = tuple(self.rows.roles.scores[m * k + c] for m in range(self.rows.models))
        return replace(self.rows.roles, predicted=(), scores=scores)


def _rows_of(rows: Rows, columns: Columns[str], door: Door, labels: Labelled) -> ClassRows:
    """Where the labels are known, which column is of which: the door is asked about each label once."""
    import polars

    head, models = rows.head, columns.models
    if any(len(one.scores) < 3 for one in models.values()) or len({one.pred is None for one in models.values()}) > 1:
        problem = "one column of scores a class takes more than memory= holds, and not every model has three or more"
        cure = "give more memory= (--memory), or one score column with pos_label= (--pos-label), a class at a time"
        raise InputError("bad_option", problem, source=rows.source, cure=cure)
    roles = roles_of(head, columns, door.drop_missing)
    held = dict(zip(dict.fromkeys((roles.truth, *roles.predicted)), labels, strict=True))
    n, column = max(map(len, labels)), head.column(columns.truth or "")
    said = None if door.labels is None else [as_said(label, column) for label in door.labels]

    def filled(values: polars.Series) -> polars.Series:
        return values.gather(np.arange(n) % len(values))

    scores, codes = [], dict[Label, int]()
    for one in models.values():
        places = {c: np.full(n, float(j)) for j, c in enumerate(class_names(one.scores))}
        truth, pred = filled(held[roles.truth]), None if one.pred is None else filled(held[head.name_of(one.pred)])
        title = ", ".join(map(repr, one.scores))
        names = (f"column {columns.truth!r}", f"column {one.pred!r}", f"column {title}")
        try:
            p = Predictions.of(
                truth,
                pred,
                y_score=polars.DataFrame(places),
                labels=said,
                names=names,
                pos_label=as_said(door.pos_label, column),
                threshold=door.threshold,
                **door.matching,
            )
        except InputError as error:
            raise InputError(error.code, error.problem, cure=error.cure, source=rows.source) from None
        if p.scores is None:
            raise AssertionError("there are scores")
        scores += [head.name_of(one.scores[int(j)]) for j in p.scores[0]]
        plain = [plain_label(value) for value in truth.to_list()]
        codes = dict(zip(plain, p.truth.tolist(), strict=True))
        for place, label in enumerate(p.labels):
            if place not in codes.values():
                codes[label] = place
    return ClassRows(replace(roles, scores=tuple(scores)), codes, len(models))


def _findings(columns: Columns[str], counts: ClassCounts, source: str) -> list[Finding]:
    """What is odd about the scores; InputError where probabilities do not add up."""
    found, k = [], len(counts.columns) // len(counts.tops)
    if all(one.pred is None for one in columns.models.values()):
        text = "No labels were given; each row got the class with the largest score."
        found.append(Finding.of("labels_from_scores", text))
    for m, (one, infinite) in enumerate(zip(columns.models.values(), counts.infinite, strict=True)):
        title = f"column {', '.join(map(repr, one.scores))}"
        if infinite:
            text = f"{title} is infinite in {infinite:,} rows: ranks are fine, probabilities are not."
            found.append(Finding.of("infinite_scores", text))
        each = counts.columns[m * k : (m + 1) * k]
        noted, refused, worst = counts.off[m]
        if min(c.low for c in each) < 0 or max(c.high for c in each) > 1 or not noted:
            continue
        if refused:
            problem = f"{refused:,} rows of {title} do not add up to 1; the worst adds up to {worst:.6g}"
            cure = f"divide each row by its sum if the columns are shares (off by {SUM_REFUSED:g} at most)"
            raise InputError("score_sums", problem, source=source, cure=cure)
        text = f"{noted:,} rows of {title} add up to 1 only roughly; the worst to {worst:.6f}. "
        text += "They were used as given, not rescaled."
        found.append(Finding.of("probability_sums", text, rows=noted, worst_sum=worst))
    return found
