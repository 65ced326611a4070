"""`surefold compare`: two or more columns of predictions of the same rows."""

from __future__ import annotations

import click

from surefold.cli.output import output_options
from surefold.comparison.compare import compare as compare_models
from surefold.inputs.columns import Columns, predictions_from_table
from surefold.inputs.tables import read_table
from surefold.report.as_json import to_json

__all__ = ["compare"]


@click.command()
@click.argument("file")
@click.option("--truth", metavar="COL", required=True, help="Column with the true labels.")
@click.option("--pred", "preds", metavar="COL", multiple=True, required=True, help="A model's column; twice or more.")
@click.option("--measure", "-m", default="accuracy", show_default=True, metavar="NAME")
@click.option("--pos-label", metavar="V", help="The positive class.")
@click.option("--confidence", type=float, default=0.95, show_default=True, metavar="C")
@output_options(("table", "json"))
def compare(
    file: str,
    truth: str,
    preds: tuple[str, ...],
    measure: str,
    pos_label: str | None,
    confidence: float,
    shape: str,
    quiet: bool,
    debug: bool,
) -> None:
    """Is one model really better than another on the rows of FILE?

    \b
    Examples:
      surefold compare predictions.csv --truth y --pred logistic --pred forest
      surefold compare predictions.csv --truth y --pred a --pred b --pred c -m mcc
    """
    table = read_table(file)
    for name in preds:  # the door checks each column, and complaints name file and line
        predictions_from_table(table, Columns(truth, name), pos_label=pos_label)
    columns = {name: table.column(name) for name in preds}
    found = compare_models(table.column(truth), columns, measure=measure, pos_label=pos_label, confidence=confidence)
    click.echo(to_json(found.to_dict()) if shape == "json" else str(found))
