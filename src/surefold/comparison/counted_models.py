"""The first pass over the rows of several models: which columns, what is in them, and the door's word on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from surefold.assessment.from_parts import Counted, first_pass, noticed_in_headers, through_the_door
from surefold.comparison.file_models import FileModels, TwoPasses
from surefold.comparison.models import holds_scores
from surefold.engines.rows import Rows, most_groups
from surefold.errors import InputError, show
from surefold.estimates.of_tallies import TalliedScores, grouped
from surefold.findings import Finding
from surefold.inputs.columns import find_columns
from surefold.inputs.kinds import matched_text
from surefold.inputs.labels import Label
from surefold.inputs.parts import Roles, as_said
from surefold.inputs.tables import Table
from surefold.tallies.label_cells import GroupedCells, LabelCells
from surefold.tallies.partial import GROUP, ROWS, SQUARES, TRUTH, WEIGHT, Plan

if TYPE_CHECKING:
    import polars

__all__ = ["DOOR", "count_models", "named_columns", "scores_in_head"]

#: Options about the rows; what else is given belongs to the measure.
DOOR = ("weights", "groups", "labels", "pos_label", "drop_missing", "strip_labels", "ignore_case", "cast_labels")


def count_models(
    rows: Rows,
    models: Sequence[str] | Mapping[str, str],
    *,
    truth: str | None = None,
    as_scores: bool = False,
    needs_labels: bool = True,
    threshold: float | None = None,
    memory: str | float | None = None,
    confidence: float = 0.95,
    weights: str | None = None,
    groups: str | None = None,
    labels: Sequence[Label] | None = None,
    pos_label: Label | None = None,
    drop_missing: bool = False,
    strip_labels: bool = False,
    ignore_case: bool = False,
    cast_labels: bool = False,
) -> FileModels:
    """The first pass over the rows of several models, checked by the door."""
    named = named_columns(models, rows)
    head = rows.head
    columns = find_columns(head, truth=truth, score=list(named.values()))
    if not as_scores:
        _refuse_scores(head, named, columns.truth)
    of = head.name_of
    answers = tuple(of(column) for column in named.values())
    roles = Roles(
        of(columns.truth),
        () if as_scores else answers,
        answers if as_scores else (),
        None if weights is None else of(weights),
        None if groups is None else of(groups),
        drop_missing,
    )
    said = as_said(pos_label, head.column(columns.truth))
    text = None if said is None else matched_text(said, strip_labels, ignore_case)
    most = most_groups(memory, len(answers), weights is not None)
    partial = first_pass(rows, Plan(roles, text, threshold, most, strip_labels, ignore_case))
    declared = None if labels is None else [as_said(v, head.column(columns.truth)) for v in labels]
    door: dict[str, Any] = {
        "pos_label": said,
        "strip_labels": strip_labels,
        "ignore_case": ignore_case,
        "cast_labels": cast_labels,
    }

    def each(known: Sequence[Label] | None) -> tuple[Counted, ...]:
        return tuple(
            through_the_door(
                partial, rows.source, (f"column {columns.truth!r}", f"model {name!r}", f"model {name!r}"),
                has_labels=not as_scores, threshold=threshold, column=m, labels=known, **door,
            )
            for m, name in enumerate(named)
        )  # fmt: skip

    counted = each(declared)
    noticed = noticed_in_headers(rows, (columns.truth, *named.values(), weights, groups))
    findings: dict[Any, Finding] = {(f.code, f.sentence): f for f in noticed}
    if columns.guessed:
        findings["guessed_columns"] = Finding.of("guessed_columns", f"truth={columns.truth}; override with --truth")
    findings |= {f.code: f for c in reversed(counted) for f in c.findings}
    if len({c.door.labels for c in counted}) > 1:  # a label that some model alone predicts
        union = sorted({v for c in counted for v in c.door.labels}, key=lambda v: (isinstance(v, str), v))
        counted = tuple(replace(c, door=replace(c.door, declared=labels is not None)) for c in each(union))
    names = tuple(named)
    passes = None
    if as_scores:
        scored = tuple(_scored(c, m, confidence) for m, c in enumerate(counted))
        passes = TwoPasses(names, scored, roles, counted[0].truly(), lambda job: rows.reduce(job, "products"))
        if groups is not None:
            passes = replace(passes, models=tuple(_grouped(m, i, passes, rows)
                                                  for i, m in enumerate(scored)))  # fmt: skip
        for name, m in zip(names, passes.models, strict=True):
            told = m.finding()
            if told is not None:
                findings[told.code, name] = replace(told, sentence=f"Model {show(name)}: {told.sentence}")
    cells = _joint(counted) if needs_labels else None
    return FileModels(names, partial.n, counted, cells, passes, said, tuple(findings.values()))


def named_columns(models: Sequence[str] | Mapping[str, str], rows: Rows) -> dict[str, str]:
    """Each model's column by the model's name."""
    if isinstance(models, str) or not isinstance(models, Sequence | Mapping):
        problem = f"the models are {show(models)}"
        cure = "name two or more columns: ['a', 'b'], or {'old': 'a', 'new': 'b'}"
        raise InputError("bad_option", problem, source=rows.source, cure=cure)
    named = {str(name): str(column) for name, column in models.items()} if isinstance(models, Mapping) else {}
    named = named or {str(name): str(name) for name in models}
    if len(named) < 2:
        raise InputError("bad_option", f"models to compare: {len(named)}; the columns are {rows.head.listed()}",
                         source=rows.source, cure="name two or more columns")  # fmt: skip
    return named


def scores_in_head(head: Table, named: Mapping[str, str], truth: str | None = None) -> bool:
    """Whether the first rows of some model hold scores, by what tells them of arrays."""
    known = find_columns(head, truth=truth, score=list(named.values())).truth
    labels = head.column(known).to_numpy()
    return any(holds_scores(_numbers(head, known, column), lambda: labels) for column in named.values())


def _refuse_scores(head: Table, named: Mapping[str, str], truth: str) -> None:
    """Numbers such as 0.731 where labels belong: each would be a class of its own."""
    for column in named.values():
        odd = _fractions(head, truth, column)
        if len(odd):
            cure = "choose a measure of scores such as roc_auc, or say threshold=0.5 (--score, --threshold)"
            problem = f"column {column!r} holds fractional numbers, not labels"
            rows = (odd[:3] + 1).tolist()
            raise head.locate(InputError("looks_like_scores", problem, rows=rows, count=len(odd), cure=cure))


def _fractions(head: Table, truth: str, name: str) -> NDArray[np.intp]:
    """Which of the first rows hold a fractional number that is no label of the truth."""
    numbers = _numbers(head, truth, name)
    with np.errstate(invalid="ignore"):
        return np.flatnonzero(np.isfinite(numbers) & (np.rint(numbers) != numbers))


def _numbers(head: Table, truth: str, name: str) -> NDArray[np.float64]:
    """The first rows of a column as numbers; NaN where they are none, and all of them where a label looks like one."""
    import polars

    text, labels = (head.column(column).cast(polars.String, strict=False) for column in (name, truth))
    numbers = text.cast(polars.Float64, strict=False).to_numpy()
    with np.errstate(invalid="ignore"):
        odd = np.flatnonzero(np.isfinite(numbers) & (np.rint(numbers) != numbers))
    return np.full(len(numbers), np.nan) if len(odd) and text[int(odd[0])] in set(labels.to_list()) else numbers


def _scored(c: Counted, m: int, confidence: float) -> TalliedScores:
    found = c.scores(confidence, m)
    if found is None:
        raise AssertionError("scores were counted")
    return found


def _grouped(m: TalliedScores, column: int, passes: TwoPasses, rows: Rows) -> TalliedScores:
    """What groups do to one model's own measures."""
    roles = replace(passes.roles, scores=(passes.roles.scores[column],))
    return grouped(m, roles, passes.positive, lambda job: rows.reduce(job, "groups"))


def _joint(counted: tuple[Counted, ...]) -> LabelCells:
    """The cells of all models together, in the codes of the door."""
    first, cells = counted[0], counted[0].partial.cells
    calls: list[NDArray[np.intp]] = []
    for c in counted:
        if c.door.predicted is None:
            cure = "give labels, or a threshold= that divides the scores"
            raise InputError("bad_option", "no labels could be made from the scores", cure=cure)
        calls.append(c.door.predicted.astype(np.intp))

    def coded(held: polars.DataFrame) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """The truth and every model's answer in rows of another frame."""
        each = [
            c.codes(held.get_column(f"call{m}"), calls[m], cells.get_column(f"call{m}")) for m, c in enumerate(counted)
        ]
        return first.codes(held.get_column(TRUTH), first.door.truth, cells.get_column(TRUTH)), np.stack(each)

    weighted, grouped = WEIGHT in cells.columns, None
    clusters = first.partial.clusters
    if clusters is not None:
        group = (clusters.get_column(GROUP).rank("dense") - 1).to_numpy().astype(np.intp)
        each = clusters.get_column(WEIGHT if weighted else ROWS).to_numpy().astype(float)
        group_truth, group_calls = coded(clusters)
        grouped = GroupedCells(group, group_truth, list(group_calls), each)
    truth, answers, entries = first.door.truth.astype(np.intp), np.stack(calls), cells
    weighed = first.partial.weighed
    if weighed is not None:
        entries = weighed.sort([c for c in weighed.columns if c not in (ROWS, WEIGHT, SQUARES)])
        truth, answers = coded(entries)
    rows = entries.get_column(ROWS).to_numpy().astype(np.int64)
    weight, squares = (entries.get_column(c).to_numpy() if weighted else None for c in (WEIGHT, SQUARES))
    return LabelCells(first.door.labels, truth, list(answers), rows, weight, squares, first.door.declared, grouped)
