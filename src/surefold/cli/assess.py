"""`surefold assess`: a file of predictions in, every measure with its interval out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from surefold.assessment import Assessment
from surefold.assessment.assess import assess_files
from surefold.cli.at_scale import opened_rows, room, scale_options
from surefold.cli.data_options import reading_options, refuse_truth
from surefold.cli.output import emit, note, output_options
from surefold.cli.places import Checked, Reads
from surefold.cli.report_option import report_option, write_report
from surefold.cli.slice_options import SliceChoice, slice_options
from surefold.errors import InputError
from surefold.measures import catalogue

if TYPE_CHECKING:
    from surefold.comparison.slices.result import Slices, SlicesOfMeasures

__all__ = ["assess"]


@click.command(cls=Checked)
@click.argument("file", type=Reads("the data"))
@click.option("--truth", metavar="COL", help="Column with the true labels.")
@click.option("--pred", metavar="COL", help="Column with the predicted labels.")
@click.option("--score", "scores", metavar="COL", multiple=True, help="Column with scores; once a class for many.")
@click.option("--pos-label", metavar="V", help="The positive class.")
@click.option("--label", "labels", metavar="V", multiple=True, help="Declare a label, in order; say it once a label.")
@click.option("--weight", metavar="COL", help="Column with row weights.")
@click.option("--groups", metavar="COL", help="Column that says which rows belong together.")
@click.option("--measure", "-m", "measures", metavar="NAME", multiple=True, help="Show this measure; 'all' shows all.")
@click.option("--threshold", type=float, metavar="T", help="Positive when the score is at least T.")
@click.option("--costs", metavar="fp=1,fn=5", help="What the errors cost; adds the expected cost and best threshold.")
@click.option("--confidence", type=float, default=0.95, show_default=True, metavar="C")
@click.option("--rows", type=click.Choice(["true", "predicted"]), default="true", help="What the table has in rows.")
@click.option("--chance", is_flag=True, help="Also show the table that random answers would give.")
@click.option("--drop-missing", is_flag=True, help="Leave out rows with a missing label, and say how many.")
@click.option("--strip-labels", is_flag=True, help="Strip spaces around labels.")
@click.option("--ignore-case", is_flag=True, help="Read labels that differ by case alone as one.")
@click.option("--cast-labels", is_flag=True, help="Match labels of different kinds by their text.")
@slice_options()
@reading_options
@report_option(words="Also write a page (HTML) that a threshold can be moved on.")
@scale_options
@output_options()
def assess(
    file: str,
    truth: str | None,
    pred: str | None,
    scores: tuple[str, ...],
    pos_label: str | None,
    labels: tuple[str, ...],
    weight: str | None,
    groups: str | None,
    measures: tuple[str, ...],
    threshold: float | None,
    costs: str | None,
    confidence: float,
    rows: Literal["true", "predicted"],
    chance: bool,
    drop_missing: bool,
    strip_labels: bool,
    ignore_case: bool,
    cast_labels: bool,
    delimiter: str | None,
    encoding: str | None,
    comment: str | None,
    decimal: str,
    report: Path | None,
    engine: str | None,
    cluster: str | None,
    memory: str | None,
    shape: str,
    quiet: bool,
    debug: bool,
    **sliced: Any,
) -> None:
    """How good are the predictions in FILE (CSV, JSON or Parquet, a glob or a folder of them; - reads CSV from stdin)?

    Files of some million rows are counted in parts: --memory says how much tallies may take. With --by the answer is
    one measure in every slice of the rows, each against the rest.

    \b
    Examples:
      surefold assess predictions.csv
      surefold assess predictions.csv --truth churned --pred model --pos-label yes
      surefold assess predictions.parquet --groups patient --format json > out.json
      surefold assess predictions.csv -m f1_macro -m kappa --chance
      surefold assess predictions.csv --report report.html
      surefold assess predictions.csv --by region --by age --bins age=30,60 -m recall --pos-label yes
      surefold assess 'days/*.parquet' --truth y --pred label --score p --memory 1GB
      surefold assess days/ --truth y --score p --engine dask --cluster tcp://host:8786
    """
    names = _chosen(measures)
    form: dict[str, Any] = {"delimiter": delimiter, "encoding": encoding, "comment": comment, "decimal": decimal}
    door: dict[str, Any] = {"pos_label": pos_label, "labels": labels or None, "threshold": threshold}
    door |= {"drop_missing": drop_missing, "strip_labels": strip_labels}
    door |= {"ignore_case": ignore_case, "cast_labels": cast_labels}
    choice = SliceChoice(**sliced)
    asked: dict[str, Any] = {"costs": _costs(costs), "confidence": confidence, "by": choice.by or None}
    asked |= {} if choice.by else {"measures": names}
    refuse_truth(truth, (pred, *scores), file)
    scale = {"engine": engine, "cluster": cluster, "memory": memory}
    with opened_rows(file, scale, form, quiet) as rows_of:
        columns: dict[str, Any] = {"truth": truth, "pred": pred, "score": scores or None}
        a = assess_files(rows_of, **columns, weights=weight, groups=groups, memory=room(file, memory), **door, **asked)
        facts = rows_of.facts(a.n)
        found = a.by(measure=_measures(names), **_of_slices(choice)) if choice.by else None
    told = facts["file"]
    if found is not None:
        _emit_slices(found, shape, facts, f"surefold assess {file}")
        write_report(found, report, file, told.get("sha256", ""), told["path"], quiet)
        return
    more = {"by_chance": a.by_chance.to_dict()} if chance else {}
    emit(
        a,
        shape,
        facts | more,
        records=lambda: _as_csv(a),
        rows=rows,
        chance=chance,
        chart=shape == "table",
        junit=lambda: _as_junit(a, f"surefold assess {file}"),
    )
    write_report(a, report, file, told.get("sha256", ""), told["path"], quiet)
    if shape == "table" and report is None:
        note("Next: add --report report.html, or -m all for every measure.", quiet)


def _as_csv(a: Assessment) -> str:
    """Loaded where it is asked for, as below: it knows every kind of result."""
    from surefold.report.records import csv_of

    return csv_of(a)


def _as_junit(a: Assessment, title: str) -> str:
    from surefold.report.junit import assessment_junit

    return assessment_junit(a, title)


def _emit_slices(found: Slices | SlicesOfMeasures, shape: str, facts: dict[str, Any], title: str) -> None:
    from surefold.report.slice_export import slices_csv, slices_junit

    emit(found, shape, facts, records=lambda: slices_csv(found), junit=lambda: slices_junit(found, title))


def _of_slices(choice: SliceChoice) -> dict[str, Any]:
    facts: dict[str, Any] = {"pairs": choice.pairs, "bins": choice.cuts, "margin": choice.margin}
    return facts | {"adjust": choice.adjust, "min_rows": choice.min_rows}


def _measures(names: list[str] | str | None) -> str | list[str] | None:
    """One measure, or several; a slice of all of them is not asked for."""
    if names == "all":
        cure = "name the measures of slices, as -m recall -m precision"
        raise InputError("bad_option", "-m all beside --by", cure=cure)
    return names[0] if isinstance(names, list) and len(names) == 1 else names


def _costs(text: str | None) -> dict[str, float] | None:
    """{"fp": 1, "fn": 5} from fp=1,fn=5."""
    if text is None:
        return None
    try:
        pairs = (part.split("=") for part in text.split(","))
        return {name.strip(): float(value) for name, value in pairs}
    except ValueError:
        raise InputError("cost_matrix", f"--costs {text}", cure="write --costs fp=1,fn=5") from None


def _chosen(measures: tuple[str, ...]) -> list[str] | str | None:
    if not measures:
        return None
    if "all" in measures:
        return "all"
    return [catalogue[name].name for name in measures]
