"""Evidence of a table that is held: a file that was read whole, or rows that were gathered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from surefold.errors import InputError
from surefold.evidence.held import Held
from surefold.findings import Finding
from surefold.inputs.columns import Columns as OfOne
from surefold.inputs.columns import as_in_column, number_column, predictions_from_table, score_table
from surefold.inputs.detect import refuse_scores
from surefold.inputs.door import ONLY, Answers, Columns, Door, OfClasses
from surefold.inputs.levels import plain_series
from surefold.inputs.predictions import Predictions
from surefold.inputs.tables import Table

if TYPE_CHECKING:
    import polars

__all__ = ["of_table"]


def of_table(table: Table, columns: Columns[str], door: Door) -> Held:
    """The rows of a table; `columns` are those that were found, and complaints name the file, the column and lines."""
    for one in columns.models.values():
        if one.pred is not None:
            refuse_scores(table, columns.truth or "", one.pred, "give scores with --score, or check the column")
    return _one(table, columns, door) if set(columns.models) == {ONLY} else _several(table, columns, door)


def _one(table: Table, columns: Columns[str], door: Door) -> Held:
    one, truth = columns.only, columns.truth or ""
    p = predictions_from_table(
        table,
        OfOne(truth, one.pred, one.scores, columns.guessed),
        weight=columns.weights,
        group=columns.group,
        labels=door.labels,
        pos_label=door.pos_label,
        threshold=door.threshold,
        **door.matching,
    )
    by = {name: _sliced_by(table, column, p) for name, column in columns.by.items()}
    return Held({ONLY: p}, by, table.text is not None)


def _sliced_by(table: Table, name: str, p: Predictions) -> polars.Series:
    """A column that rows are sliced by, of the rows kept."""
    column = plain_series(table.column(name))
    return column if p.rows is None else column.gather(p.rows - 1)


def _several(table: Table, columns: Columns[str], door: Door) -> Held:
    """The columns of a table as arrays."""
    truth = table.column(columns.truth or "")

    def answers(one: Answers[str]) -> Answers[Any]:
        pred = None if one.pred is None else table.column(one.pred)
        return Answers(pred, (score_table(table, one.scores),) if one.scores else ())

    def arrays(named: Mapping[str, str]) -> dict[str, Any]:
        return {name: table.column(column) for name, column in named.items()}

    weights = None if columns.weights is None else number_column(table, columns.weights)
    titles = {ONLY: f"column {columns.truth!r}"}
    titles |= {name: f"column {str(OfClasses(_named(one)))!r}" for name, one in columns.models.items()}
    models = {name: answers(one) for name, one in columns.models.items()}
    labels = None if door.labels is None else tuple(as_in_column(label, truth) for label in door.labels)
    said = replace(door, labels=labels, pos_label=as_in_column(door.pos_label, truth))
    try:
        held = Held.of(Columns(truth, models, weights, arrays(columns.groups), arrays(columns.by)), said, titles)
    except InputError as error:
        raise table.locate(error) from None
    noticed = table.findings
    if columns.guessed:
        noticed += (Finding.of("guessed_columns", f"truth={columns.truth}; override with --truth"),)
    each = {n: replace(p, findings=(*noticed, *p.findings)) for n, p in held.each.items()}
    return replace(held, each=each, by_text=table.text is not None)


def _named(one: Answers[str]) -> tuple[str, ...]:
    """The columns of a model's answers."""
    return one.scores or ((one.pred,) if one.pred is not None else ())
