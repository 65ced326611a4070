"""`surefold compare`: two or more columns of predictions of the same rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace
from functools import reduce
from pathlib import Path
from typing import Any

import click
import numpy as np

from surefold.cli.at_scale import scale_options, wants_parts
from surefold.cli.data_options import reading_options, refuse_truth
from surefold.cli.output import emit, note, output_options
from surefold.cli.places import Checked, Reads
from surefold.cli.report_option import report_option, write_report
from surefold.comparison.compare import ADJUSTMENTS, METHODS, compare_rows
from surefold.comparison.compare import compare as compare_models
from surefold.comparison.result import Comparison, Comparisons
from surefold.counting import verb
from surefold.engines.rows import open_rows
from surefold.errors import InputError, UnknownNameError
from surefold.findings import Finding
from surefold.inputs.columns import Columns, find_columns, predictions_from_table
from surefold.inputs.detect import refuse_scores
from surefold.inputs.predictions import Predictions
from surefold.inputs.tables import Table, read_table
from surefold.measures import catalogue
from surefold.measures.score_measure import ScoreMeasure
from surefold.report.comparison_export import comparison_csv, comparison_junit

__all__ = ["compare", "file_facts", "models_in_table", "table_options"]

Command = Callable[..., Any]
NEXT = "Next: add --report page.html; or ask `surefold gate`, which answers by its exit code."


def table_options(command: Command) -> Command:
    """What the rows are, and how the file is read."""
    options = (
        click.option("--truth", metavar="COL", help="Column with the true labels."),
        click.option("--pos-label", metavar="V", help="The positive class."),
        click.option("--label", "labels", metavar="V", multiple=True, help="Declare a label, in order; once a label."),
        click.option("--weights", "--weight", "weight", metavar="COL", help="Column with row weights."),
        click.option("--groups", metavar="COL", help="Column that says which rows belong together."),
        click.option("--threshold", type=float, metavar="T", help="Labels from scores: positive when at least T."),
        click.option("--drop-missing", is_flag=True, help="Leave out rows that any model misses, and say how many."),
        click.option("--strip-labels", is_flag=True, help="Strip spaces around labels."),
        click.option("--ignore-case", is_flag=True, help="Read labels that differ by case alone as one."),
        click.option("--cast-labels", is_flag=True, help="Match labels of different kinds by their text."),
    )
    return reduce(lambda made, option: option(made), reversed(options), reading_options(scale_options(command)))


@click.command(cls=Checked)
@click.argument("file", type=Reads("the data"))
@click.option("--pred", "preds", metavar="COL", multiple=True, help="A model's labels; say it twice or more.")
@click.option("--score", "scores", metavar="COL", multiple=True, help="A model's scores; say it twice or more.")
@click.option("--measure", "-m", "measures", metavar="NAME", multiple=True,
              help="Compare by this; may be said again.  [default: accuracy, or roc_auc of scores]")  # fmt: skip
@click.option("--control", metavar="COL", help="Compare each model with this one alone.")
@click.option("--margin", type=float, metavar="D", help="The largest difference that does not matter.")
@click.option("--adjust", default="holm", show_default=True, metavar="A", help=f"Of p: {', '.join(ADJUSTMENTS)}.")
@click.option("--method", default="auto", show_default=True, metavar="M", help=f"{', '.join(METHODS)}.")
@click.option("--confidence", type=float, default=0.95, show_default=True, metavar="C")
@table_options
@report_option()
@output_options()
def compare(
    file: str,
    preds: tuple[str, ...],
    scores: tuple[str, ...],
    measures: tuple[str, ...],
    control: str | None,
    margin: float | None,
    adjust: str,
    method: Any,
    confidence: float,
    report: Path | None,
    shape: str,
    quiet: bool,
    debug: bool,
    delimiter: str | None,
    encoding: str | None,
    comment: str | None,
    decimal: str,
    **rows: Any,
) -> None:
    """Is one model really better than another on the rows of FILE?

    FILE is CSV or Parquet, a folder or a quoted glob of such files, or - for CSV from stdin.

    \b
    Examples:
      surefold compare predictions.csv --truth y --pred logistic --pred forest
      surefold compare predictions.csv --score p_lr --score p_rf --margin 0.01
      surefold compare predictions.csv --pred a --pred b --pred c -m accuracy -m mcc --control a
      surefold compare predictions.csv --pred a --pred b --groups patient --format json
      surefold compare predictions.csv --score p_lr --score p_rf --report report.html
      surefold compare 'days/*.parquet' --truth y --score p_lr --score p_rf --memory 1GB
    """
    if preds and scores:
        raise click.UsageError("Give the models' labels with --pred or their scores with --score, not both.")
    form: dict[str, Any] = {"delimiter": delimiter, "encoding": encoding, "comment": comment, "decimal": decimal}
    scale: dict[str, Any] = {name: rows.pop(name) for name in ("engine", "cluster", "memory")}
    if wants_parts(file, **scale):
        refuse_truth(rows["truth"], preds or scores, file)
        asked = (measures[0] if len(measures) == 1 else list(measures)) if measures else None
        rows |= {"weights": rows.pop("weight"), "labels": rows.pop("labels") or None}
        with closing(open_rows(file, progress=False if quiet else None, **scale, **form)) as parts:
            whole = compare_rows(
                parts, preds or scores, kind="scores" if scores else "labels", measure=asked, control=control,
                margin=margin, adjust=adjust, method=method, confidence=confidence, memory=scale["memory"], **rows,
            )  # fmt: skip
            first = whole if isinstance(whole, Comparison) else next(iter(whole.values()))
            facts = parts.facts(first.counted or 0)
        _emit(whole, shape, file, facts)
        write_report(whole, report, file, "", file, quiet)
        if shape == "table" and report is None:
            note(NEXT, quiet)
        return
    table = read_table(file, **form)
    names = preds or scores
    if len(set(names)) < 2:
        said = f"models to compare: {len(set(names))}; the columns are {table.listed()}"
        cure = "name two or more columns with --pred (labels) or --score (scores)"
        raise InputError("bad_option", said, source=table.path, cure=cure)
    from_scores = bool(scores) or rows["threshold"] is not None
    asked = list(measures) or ["accuracy" if preds or rows["threshold"] is not None else "roc_auc"]
    needs_labels = not all(isinstance(catalogue[name], ScoreMeasure) for name in asked)
    models = models_in_table(table, names, as_scores=from_scores, needs_labels=needs_labels, **rows)
    if control is not None and control not in models:
        raise UnknownNameError("model", control, models)
    found: Comparison | Comparisons = compare_models(
        models,
        measure=asked if len(asked) > 1 else asked[0],
        control=control,
        margin=margin,
        adjust=adjust,
        method=method,
        confidence=confidence,
    )
    _emit(found, shape, file, file_facts(table))
    write_report(found, report, file, table.sha256, str(table.path), quiet)
    if shape == "table" and report is None:
        note(NEXT, quiet)


def models_in_table(
    table: Table,
    names: Sequence[str],
    *,
    as_scores: bool,
    needs_labels: bool = True,
    truth: str | None = None,
    pos_label: str | None = None,
    labels: Sequence[str] = (),
    weight: str | None = None,
    groups: str | None = None,
    threshold: float | None = None,
    drop_missing: bool = False,
    strip_labels: bool = False,
    ignore_case: bool = False,
    cast_labels: bool = False,
) -> dict[str, Predictions]:
    """Each model's column checked by the door, on the same rows and labels; complaints name file and line."""
    columns = find_columns(table, truth=truth, score=list(names))
    truth_column = columns.truth
    refuse_truth(truth_column, [table.name_of(name) for name in names], table.path)
    if not as_scores:
        for name in names:
            refuse_scores(table, truth_column, name, "give scores with --score, or check the column")

    def read(table: Table, declared: Sequence[Any] | None) -> dict[str, Predictions]:
        return {
            name: predictions_from_table(
                table,
                Columns(truth_column, None, (name,)) if as_scores else Columns(truth_column, name),
                pos_label=pos_label,
                labels=declared,
                weight=weight,
                group=groups,
                threshold=threshold,
                drop_missing=drop_missing,
                strip_labels=strip_labels,
                ignore_case=ignore_case,
                cast_labels=cast_labels,
            )
            for name in names
        }

    found: list[Finding] = []
    if columns.guessed:
        said = f"truth={truth_column}; override with --truth"
        found.append(Finding.of("guessed_columns", said))
    each = read(table, labels or None)
    if len({None if p.rows is None else p.rows.tobytes() for p in each.values()}) > 1:
        table, dropped = _without_missing(table, each)
        found.append(dropped)
        each = read(table, labels or None)
    if len({p.labels for p in each.values()}) > 1:  # a label that some model alone predicts
        union = sorted({label for p in each.values() for label in p.labels}, key=lambda x: (isinstance(x, str), x))
        again = read(table, union)
        each = {name: replace(p, declared=bool(labels), findings=each[name].findings) for name, p in again.items()}
    idle = () if needs_labels else ("labels_from_scores", "no_labels")
    return {
        name: replace(p, findings=(*found, *(f for f in p.findings if f.code not in idle))) for name, p in each.items()
    }


def _without_missing(table: Table, each: dict[str, Predictions]) -> tuple[Table, Finding]:
    """The table without the rows that any model misses."""
    kept = np.arange(1, table.n + 1)
    for p in each.values():
        kept = kept if p.rows is None else np.intersect1d(kept, p.rows)
    if len(kept) == 0:
        cure = "check the columns"
        raise InputError("no_rows", "every row misses the answer of some model", source=table.path, cure=cure)
    left = table.n - len(kept)
    text = f"{left:,} of {table.n:,} rows {verb(left, 'was', 'were')} left out: some model misses an answer there."
    return replace(table, frame=table.frame[kept - 1], text=None), Finding.of("dropped_missing", text, dropped=left)


def _emit(found: Comparison | Comparisons, shape: str, file: str, facts: dict[str, Any]) -> None:
    suite = f"surefold compare {file}"
    emit(found, shape, facts, records=lambda: comparison_csv(found), junit=lambda: comparison_junit(found, suite))


def file_facts(table: Table) -> dict[str, Any]:
    """What file the figures are of."""
    return {"file": {"path": str(table.path), "sha256": table.sha256, "rows": table.n}}
