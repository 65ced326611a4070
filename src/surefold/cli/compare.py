"""`surefold compare`: two or more columns of predictions of the same rows."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from pathlib import Path
from typing import Any

import click

from surefold.cli.at_scale import opened_rows, room, scale_options
from surefold.cli.data_options import reading_options, refuse_truth
from surefold.cli.output import emit, note, output_options
from surefold.cli.places import Checked, Reads
from surefold.cli.report_option import report_option, write_report
from surefold.comparison.compare import ADJUSTMENTS, METHODS, compare_rows
from surefold.comparison.result import Comparison, Comparisons
from surefold.errors import InputError
from surefold.report.comparison_export import comparison_junit, ranks_csv
from surefold.report.records import csv_of

__all__ = ["compare", "table_options"]

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
@click.option("--ranks", is_flag=True, help="Print the places that each model may have, and nothing of the pairs.")
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
    ranks: bool,
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

    FILE is CSV, JSON or Parquet, a folder or a quoted glob of such files, or - for CSV from stdin.

    \b
    Examples:
      surefold compare predictions.csv --truth y --pred logistic --pred forest
      surefold compare predictions.csv --score p_lr --score p_rf --margin 0.01
      surefold compare predictions.csv --pred a --pred b --pred c -m accuracy -m mcc --control a
      surefold compare predictions.csv --pred a --pred b --groups patient --format json
      surefold compare predictions.csv --score p_lr --score p_rf --report report.html
      surefold compare predictions.csv --pred a --pred b --pred c --ranks
      surefold compare 'days/*.parquet' --truth y --score p_lr --score p_rf --memory 1GB
    """
    if preds and scores:
        raise click.UsageError("Give the models' labels with --pred or their scores with --score, not both.")
    form: dict[str, Any] = {"delimiter": delimiter, "encoding": encoding, "comment": comment, "decimal": decimal}
    scale: dict[str, Any] = {name: rows.pop(name) for name in ("engine", "cluster", "memory")}
    rows |= {"weights": rows.pop("weight"), "labels": rows.pop("labels") or None}
    with opened_rows(file, scale, form, quiet) as opened:
        refuse_truth(rows["truth"], preds or scores, file)
        found = compare_rows(
            opened,
            list(dict.fromkeys(preds or scores)),
            kind="scores" if scores else "labels",
            measure=(measures[0] if len(measures) == 1 else list(measures)) if measures else None,
            control=control,
            margin=margin,
            adjust=adjust,
            method=method,
            confidence=confidence,
            memory=room(file, scale["memory"]),
            **rows,
        )
        first = found if isinstance(found, Comparison) else next(iter(found.values()))
        facts = opened.facts(first.counted or 0)
    if ranks and first.no_ranks is not None:
        raise InputError(
            "bad_option", f"--ranks: {first.no_ranks}", cure="name three models or more, without --control"
        )
    _emit(found, shape, file, facts, ranks)
    told = facts["file"]
    write_report(found, report, file, told.get("sha256", ""), told["path"], quiet)
    if shape == "table" and report is None:
        note(NEXT, quiet)


def _emit(found: Comparison | Comparisons, shape: str, file: str, facts: dict[str, Any], ranks: bool) -> None:
    suite = f"surefold compare {file}"
    emit(
        found,
        shape,
        facts,
        records=lambda: ranks_csv(found) if ranks else csv_of(found),
        junit=lambda: comparison_junit(found, suite),
        ranks=ranks,
    )
