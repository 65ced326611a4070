"""`surefold demo`: the main job on bundled real predictions, offline."""

from __future__ import annotations

from importlib.resources import as_file, files
from pathlib import Path

import click

from surefold._version import heading
from surefold.assessment import assess
from surefold.cli.output import note, output_options, say
from surefold.cli.places import Checked
from surefold.cli.report_option import command_line, report_option
from surefold.comparison.compare import compare
from surefold.inputs.columns import find_columns, predictions_from_table
from surefold.inputs.tables import read_table
from surefold.report.as_json import to_json

__all__ = ["demo"]

MODELS = ("logistic", "naive_bayes")
TITLE = "285 held-out breast tumours, two classifiers"


@click.command(cls=Checked)
@click.option("--costs", is_flag=True, help="Instead: models of rare oil slicks (simulated) under a price for errors.")
@report_option(otherwise="surefold-demo.html")
@output_options(("table", "json"))
def demo(costs: bool, report: Path | None, shape: str, quiet: bool, debug: bool) -> None:
    """Assess and compare two classifiers on 285 real tumours that neither was trained on.

    \b
    Examples:
      surefold demo
      surefold demo --costs
      surefold demo --format json
      surefold demo --report
      surefold demo --report tumours.html
    """
    if costs:
        _costs(report, shape, quiet)
        return
    with as_file(files("surefold") / "data" / "breast_cancer.csv") as path:
        table = read_table(str(path))
    assessments = {}
    for model in MODELS:
        columns = find_columns(table, truth="diagnosis", pred=model, score=f"p_{model}")
        assessments[model] = assess(predictions_from_table(table, columns, pos_label="malignant"))
    labels = {model: table.column(model) for model in MODELS}
    comparison = compare(table.column("diagnosis"), labels, pos_label="malignant")
    if report is not None:
        from surefold.report.document import Source
        from surefold.report.html import report_of

        report_of(assessments, report, title=TITLE, source=Source("breast_cancer.csv", table.sha256, command_line()))
        note(f"Report: {report}\n", quiet)
    if shape == "json":
        shown = {name: a.to_dict() for name, a in assessments.items()}
        say(to_json({**heading("demo"), "assessments": shown, "comparison": comparison.to_dict()}))
        return
    note("Bundled data: Wisconsin diagnostic breast cancer, 285 held-out tumours, two classifiers.\n", quiet)
    for name, a in assessments.items():
        say(f"== {name} ==\n\n{a}\n")
    say(f"== {' against '.join(MODELS)} ==\n\n{comparison}")
    note("\nNext: surefold assess YOUR.csv", quiet)


def _costs(page: Path | None, shape: str, quiet: bool) -> None:
    """Two models, six ways to mind the costs: accuracy and cost choose another model and another threshold."""
    from sklearn.linear_model import LogisticRegression

    from surefold.learners import NaiveBayes
    from surefold.studies.cost_example import simulated_oil_slicks
    from surefold.studies.costs import cost_sensitive

    note("Simulated data: 4,000 dark regions on radar images, 80 of them slicks; a missed slick costs 20.\n", quiet)
    X, y = simulated_oil_slicks(4000, share=0.02, random_state=0)
    models = {"logistic": LogisticRegression(), "naive": NaiveBayes()}
    found = cost_sensitive(models, X, y, {"fp": 1, "fn": 20}, pos_label="slick", random_state=0)
    if page is not None:
        note(f"Report: {found.report(page, title='Rare oil slicks, simulated')}\n", quiet)
    say(to_json(found.to_dict()) if shape == "json" else str(found))
