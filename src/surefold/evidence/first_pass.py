"""The first pass over rows in parts: which columns, what is in them, and the door's word on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefold.engines.rows import Rows, memory_bytes, most_groups
from surefold.errors import InputError
from surefold.findings import Finding
from surefold.inputs.columns import find_columns
from surefold.inputs.door import ONLY, Answers, Columns, Door, OfClasses
from surefold.inputs.kinds import Label, matched_text
from surefold.inputs.parts import Roles, as_said
from surefold.inputs.predictions import Predictions
from surefold.inputs.scores import single_precision_findings
from surefold.inputs.tables import Table
from surefold.tallies.partial import ROWS, SQUARES, TRUTH, WEIGHT, Partial, Plan
from surefold.tallies.score_counts import ScoreCounts

__all__ = ["FirstPass", "first_of", "first_pass", "found_columns", "roles_of"]

#: What the door says of labels that it made of scores, or could not make.
FROM_SCORES = ("labels_from_scores", "no_labels")
#: Bytes that a column of a cell of slices takes while cells are added up.
SLICED_BYTES = 24


@dataclass(frozen=True, eq=False)
class FirstPass:
    """Counts of all rows, and the door's word on each model: predictions of the distinct cells, each of many rows.

    `said`: the positive class was said, so scores were counted by it.
    """

    partial: Partial
    roles: Roles
    doors: Mapping[str, Predictions]
    findings: tuple[Finding, ...]
    said: bool


def first_pass(rows: Rows, columns: Columns[str], door: Door, memory: str | float | None = None) -> FirstPass:
    """Count every part, and ask the door about what was found in these columns."""
    if ONLY not in columns.models:
        return _read(rows, columns, door, memory)
    one = columns.only
    if door.threshold is not None and (one.pred is not None or not one.scores):
        problem = "threshold= (--threshold) was given beside predicted labels"
        cure = "leave one of them out: a threshold makes labels from scores"
        raise InputError("bad_option", problem, cure=cure)
    try:
        return _read(rows, columns, door, memory)
    except InputError as error:
        if not (columns.guessed and one.pred is not None and one.scores):
            raise
        # The score column was our guess, and labels are there: go on without it, and say so.
        without = _read(rows, replace(columns, models={ONLY: Answers(one.pred)}), door, memory)
        text = f"Column {one.scores[0]!r} looks like scores and was not used: {error.problem}."
        return replace(without, findings=(*without.findings, Finding.of("scores_not_used", text)))


def found_columns(head: Table, columns: Columns[str]) -> Columns[str]:
    """The columns with those that were not said, by a guess."""
    if set(columns.models) == {ONLY}:
        one = columns.only
        known = find_columns(head, truth=columns.truth, pred=one.pred, score=one.scores or None)
        answers = {ONLY: Answers(known.predicted, known.scores)}
        return replace(columns, truth=known.truth, models=answers, guessed=known.guessed)
    answered = [name for one in columns.models.values() for name in _names(one)]
    known = find_columns(head, truth=columns.truth, score=answered)
    return replace(columns, truth=known.truth, guessed=known.guessed)


def _names(one: Answers[str]) -> tuple[str, ...]:
    return ((one.pred,) if one.pred is not None else ()) + one.scores


def roles_of(head: Table, columns: Columns[str], drop_missing: bool) -> Roles:
    """The columns as the header spells them."""
    if columns.truth is None:
        raise AssertionError("the truth was found")
    of, each = head.name_of, columns.models.values()
    truth, weights, group = columns.truth, columns.weights, columns.group
    return Roles(
        of(truth),
        tuple(of(one.pred) for one in each if one.pred is not None),
        tuple(of(name) for one in each for name in one.scores),
        None if weights is None else of(weights),
        None if group is None else of(group),
        drop_missing,
        tuple(of(name) for name in columns.by.values()),
    )


def _read(rows: Rows, columns: Columns[str], door: Door, memory: str | float | None) -> FirstPass:
    roles = roles_of(rows.head, columns, door.drop_missing)
    said = as_said(door.pos_label, rows.head.column(roles.truth))
    text = None if said is None else matched_text(said, door.strip_labels, door.ignore_case)
    most = most_groups(memory, len(roles.scores), roles.weight is not None)
    sliced = int(memory_bytes(memory) // (SLICED_BYTES * (4 + len(columns.by)))) if columns.by else 1 << 62
    plan = Plan(roles, text, door.threshold, most, door.strip_labels, door.ignore_case, sliced)
    return first_of(rows, columns, door, _counted(rows, plan))


def first_of(rows: Rows, columns: Columns[str], door: Door, partial: Partial) -> FirstPass:
    """What the door says of counts that were made of these columns."""
    partial, roles = _checked(partial, rows.source), roles_of(rows.head, columns, door.drop_missing)
    column, truth = rows.head.column(roles.truth), columns.truth or ""
    weights, group, each = columns.weights, columns.group, columns.models.values()
    said = as_said(door.pos_label, column)
    labels = None if door.labels is None else [as_said(v, column) for v in door.labels]
    asked = _Asked(partial, rows.source, truth, door, said)
    told = {name: asked.model(m, one, labels) for m, (name, one) in enumerate(columns.models.items())}
    named = [truth, *(n for one in each for n in _names(one)), weights, group, *columns.by.values()]
    noticed = _in_headers(rows, named)
    if columns.guessed:
        what = str(columns) if ONLY in columns.models else f"truth={truth}"
        flags = "--truth/--pred/--score" if ONLY in columns.models else "--truth"
        noticed.append(Finding.of("guessed_columns", f"{what}; override with {flags}"))
    found: dict[Any, Finding] = {(f.code, f.sentence): f for f in noticed}
    if len(told) == 1:
        found |= {(f.code, f.sentence): f for _, findings in told.values() for f in findings}
    else:
        found |= {f.code: f for _, findings in reversed(told.values()) for f in findings}
    if len({p.labels for p, _ in told.values()}) > 1:  # a label that some model alone predicts
        union = sorted({v for p, _ in told.values() for v in p.labels}, key=lambda v: (isinstance(v, str), v))
        told = {name: asked.model(m, one, union) for m, (name, one) in enumerate(columns.models.items())}
    doors = {name: replace(p, declared=door.labels is not None) for name, (p, _) in told.items()}
    return FirstPass(partial, roles, doors, tuple(found.values()), said is not None)


def _in_headers(rows: Rows, names: Sequence[str | None]) -> list[Finding]:
    """What reading the beginnings of all files told, and which columns were matched but for spaces."""
    asked = [name for name in names if name is not None]
    for name in asked:
        rows.head.column(name)  # it takes note of a header that is spelled differently
    return [*rows.head.findings, *([] if rows.stream is None else rows.stream.header_findings(asked))]


def _counted(rows: Rows, plan: Plan) -> Partial:
    """Count every part; where parts hold labels of different kinds, say which files they are in."""
    try:
        found: Partial = rows.reduce(plan)
    except InputError as error:
        stream = rows.stream
        if error.code != "mixed_label_types" or stream is None:
            raise
        told = [stream.kinds_of(name) for name in (plan.roles.truth, *plan.roles.predicted)]
        problem = next((text for text in told if text), error.problem)
        cure = "write all files with one type of labels, and not some as CSV, which has text alone"
        raise InputError(error.code, problem, source=rows.source, cure=cure) from None
    return found


def _checked(partial: Partial, source: str) -> Partial:
    """With its cells in order; InputError where no row is left, or none weighs anything."""
    if partial.n == 0:
        dropped = partial.dropped.get("", 0)
        problem = f"every one of the {dropped:,} rows misses a value" if dropped else "there are 0 data rows"
        raise InputError("no_rows", problem, source=source, cure="check the columns")
    keys = [c for c in partial.cells.columns if c not in (ROWS, WEIGHT, SQUARES)]
    cells = partial.cells.sort(keys)
    if WEIGHT in cells.columns and float(cells.get_column(WEIGHT).sum()) == 0:
        raise InputError(
            "zero_weights",
            f"the weight is zero in all {partial.n:,} rows",
            source=source,
            cure="give some row a weight",
        )
    return replace(partial, cells=cells)


@dataclass(frozen=True, eq=False)
class _Asked:
    """What the door is asked with, of one model after the other."""

    partial: Partial
    source: str
    truth: str
    door: Door
    said: Any

    def model(self, m: int, one: Answers[str], labels: Sequence[Label] | None) -> tuple[Predictions, list[Finding]]:
        """The distinct cells as predictions: labels, kinds, the positive class and findings come from the door."""
        partial, door, cells = self.partial, self.door, self.partial.cells
        times = cells.get_column(ROWS).to_numpy().astype(np.int64)
        counts = partial.scores[m] if partial.scores else None
        if len(one.scores) > 1:  # labels were made of them, row by row
            one = Answers(one.pred or str(OfClasses(one.scores)))
        call = cells.get_column(f"call{m}")
        score: Any = None if not partial.scores else np.full(len(times), 0.5)
        if one.pred is None:
            ends = (counts.low, counts.high) if counts else (0.0, 1.0)
            score = _standing_for(call.to_numpy(), *ends, door.threshold)
        columns = [f"column {column!r}" for column in (one.pred, *one.scores)]
        names = (f"column {self.truth!r}", columns[0], columns[-1] if one.scores else "y_score")
        try:
            p = Predictions.of(
                cells.get_column(TRUTH),
                None if one.pred is None else call,
                y_score=score,
                labels=labels,
                pos_label=self.said,
                threshold=door.threshold if one.pred is None else None,
                names=names,
                times=times,
                strip_labels=door.strip_labels,
                ignore_case=door.ignore_case,
                cast_labels=door.cast_labels,
            )
        except InputError as error:
            cure = error.cure.removesuffix(", or pass one column of scores a class")  # which needs all rows
            raise InputError(error.code, error.problem, cure=cure, source=self.source) from None
        findings = _dropped(partial)
        findings += [f for f in p.findings if f.code != "single_row" or partial.n == 1]
        for key, told in ((TRUTH, names[0]), (f"call{m}", names[1])):
            if key in partial.bools_as_ints:
                text = f"{told} mixes bools and numbers; True was read as 1 and False as 0."
                findings.append(Finding.of("bool_as_int", text))
        if counts is not None:  # before what was made of the scores, as of arrays
            at = next((i for i, f in enumerate(findings) if f.code in FROM_SCORES), len(findings))
            findings[at:at] = self._of_scores(m, counts, columns[-1])
        return p, findings

    def _of_scores(self, m: int, counts: ScoreCounts, told: str) -> list[Finding]:
        """What is odd about the scores of a model."""
        partial, found = self.partial, list[Finding]()
        if not counts.weighted and not counts.quantised:
            found += single_precision_findings(told, counts.clip, partial.n, partial.n - counts.distinct)
        if partial.infinite[m]:
            text = f"{told} is infinite in {partial.infinite[m]:,} rows: ranks are fine, probabilities are not."
            found.append(Finding.of("infinite_scores", text))
        if counts.a_hair_outside:
            text = f"{partial.outside[m]:,} values of {told} were a hair outside 0 to 1 and were set to 0 or 1."
            found.append(Finding.of("rounded_probabilities", text))
        return found


def _standing_for(called: NDArray[np.bool_], low: float, high: float, threshold: float | None) -> NDArray[np.float64]:
    """Scores that are called what the rows of each cell were called."""
    if threshold is not None:
        return np.where(called, threshold, np.nextafter(threshold, -np.inf))
    if low > -1e-6 and high < 1 + 1e-6:
        return np.where(called, 0.5, 0.0)
    farthest = low if low < 0 else high  # no probabilities: by this one the door says what they may be
    return np.full(len(called), farthest)


def _dropped(partial: Partial) -> list[Finding]:
    """That rows were left out, because that was asked for."""
    dropped = partial.dropped.get("", 0)
    if not dropped:
        return []
    parts = ", ".join(f"{count:,} without column {name!r}" for name, count in partial.dropped.items() if name)
    sentence = f"{dropped:,} of {partial.n + dropped:,} rows were left out: {parts}."
    return [Finding.of("dropped_missing", sentence, dropped=dropped)]
