"""`surefold demo`: the main job on bundled real predictions, offline."""

from __future__ import annotations

from importlib.resources import as_file, files
from itertools import count
from pathlib import Path
from typing import Any

import click

from surefold._version import heading
from surefold.assessment import assess
from surefold.cli.output import emit, note, output_options, say
from surefold.cli.places import Checked
from surefold.cli.report_option import command_line, report_option
from surefold.comparison.compare import compare
from surefold.errors import InputError
from surefold.inputs.columns import find_columns, predictions_from_table
from surefold.inputs.tables import read_table
from surefold.report.as_json import to_json

__all__ = ["demo"]

MODELS = ("logistic", "naive_bayes")
TITLE = "285 held-out breast tumours, two classifiers"
#: The page's own name; where a file has it, the next that is free: surefold-demo-2.html, surefold-demo-3.html, ...
PAGE = "surefold-demo.html"


@click.command(cls=Checked)
@click.option("--costs", is_flag=True, help="Instead: models of rare oil slicks (simulated) under a price for errors.")
@report_option(otherwise=PAGE, words="Name of the page (HTML) about it. Left out: the first free name.")
@output_options(("table", "json"))
def demo(costs: bool, report: str | None, shape: str, quiet: bool, debug: bool) -> None:
    """Assess and compare two classifiers on 285 real tumours that neither was trained on.

    Also writes a page, never over another file: surefold-demo.html, or surefold-demo-2.html and so on. With --format
    json it does so only if --report is given.

    \b
    Examples:
      surefold demo
      surefold demo --costs
      surefold demo --report tumours.html
      surefold demo --format json
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
    if shape == "json":
        shown = {name: a.to_dict() for name, a in assessments.items()}
        say(to_json({**heading("demo"), "assessments": shown, "comparison": comparison.to_dict()}))
    else:
        note("Bundled data: Wisconsin diagnostic breast cancer, 285 held-out tumours, two classifiers.\n", quiet)
        for name, a in assessments.items():
            say(f"== {name} ==\n")
            emit(a, shape)
            say("")
        say(f"== {' against '.join(MODELS)} ==\n")
        emit(comparison, shape)
    _write(assessments, report, shape, quiet, title=TITLE, data=("breast_cancer.csv", table.sha256))
    if shape != "json":
        note("Next: surefold assess YOUR.csv", quiet)


def _costs(page: str | None, shape: str, quiet: bool) -> None:
    """Two models, six ways to mind the costs: accuracy and cost choose another model and another threshold."""
    from sklearn.linear_model import LogisticRegression

    from surefold.costs.cost_sensitive import cost_sensitive
    from surefold.costs.example import simulated_oil_slicks
    from surefold.learners import NaiveBayes

    note("Simulated data: 4,000 dark regions on radar images, 80 of them slicks; a missed slick costs 20.\n", quiet)
    X, y = simulated_oil_slicks(4000, share=0.02, random_state=0)
    models = {"logistic": LogisticRegression(), "naive": NaiveBayes()}
    found = cost_sensitive(models, X, y, {"fp": 1, "fn": 20}, pos_label="slick", random_state=0)
    emit(found, shape)
    _write(found, page, shape, quiet, title="Rare oil slicks, simulated")


def _write(
    result: Any, asked: str | None, shape: str, quiet: bool, *, title: str, data: tuple[str, str] | None = None
) -> None:
    """The page, and where it is: what was asked for or, without a word about it, what can be had."""
    if asked is None and shape == "json":
        return
    from surefold.report.document import Source, document_of
    from surefold.report.html import page_of, write_page

    text = page_of(document_of(result, title=title, source=data and Source(*data, command_line())))
    place = None if asked is None else Path(asked)
    try:
        if place is None or place == Path(PAGE):
            place = _own_page(text)
        else:
            write_page(text, place)
    except InputError as error:
        if asked is not None:
            raise
        note(f"\nNo page was written: {error}", quiet)
    else:
        note(f"\nReport: {place}", quiet)


def _own_page(text: str) -> Path:
    """Written under the first name that no file has, unless one of them holds this very page already."""
    from surefold.report.html import write_page

    for number in count(1):
        place = Path(PAGE if number == 1 else PAGE.replace(".", f"-{number}."))
        try:
            place.touch(exist_ok=False)
        except FileExistsError:
            if _holds(place, text):
                break
            continue
        except OSError as error:
            problem = f"nothing can be written in the current folder ({error.strerror or error})"
            raise InputError("cannot_write", problem, cure="say a path elsewhere with --report") from None
        try:
            write_page(text, place)
            break
        except BaseException:
            place.unlink(missing_ok=True)
            raise
    return place


def _holds(place: Path, text: str) -> bool:
    try:
        return place.is_file() and place.read_bytes() == text.encode()
    except OSError:
        return False
