"""One model as the page shows it: its verdict and tables, and a view of each class against the rest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from surefold.assessment import Assessment, assess
from surefold.errors import show
from surefold.evidence.counted import NO_ROWS
from surefold.inputs.labels import Label
from surefold.inputs.predictions import Predictions
from surefold.measures.proper import brier_parts
from surefold.numbers import count
from surefold.phrases import measure_title
from surefold.report.sections.contents import Part
from surefold.report.sections.copied import held, literal
from surefold.report.sections.cuts import MOST, Cuts, cuts_of
from surefold.report.sections.packed import deflated
from surefold.report.sections.section import Table
from surefold.report.sections.tables import class_table, confusion_matrix, estimate_cells, measure_table
from surefold.report.sections.told import Told
from surefold.show.chart import Chart
from surefold.show.charts.probabilities import reliability_chart, scores_chart
from surefold.show.charts.ranking import gains_chart, lift_chart, precision_recall_chart, roc_chart
from surefold.show.names import label_text, plain, spaced
from surefold.show.of.assessment import counted
from surefold.show.write.svg import moving
from surefold.tallies.score_matrix import ScoreMatrix

__all__ = ["Model", "View", "model_of", "model_of_part", "probability_names", "told_of_assessment"]

#: Classes that get a view of their own; of more, the commonest.
MOST_VIEWS = 12
#: Characters that a model's data may take. What does not fit has fewer thresholds, though so many in every view.
ROOM, FEWEST_CUTS = 20 * 1024, 16
#: Where there are more views than so many: the characters of a line, and how coarse it may be then.
FEW_VIEWS, SHORT = 3, (120, 2.2)
OF_PROBABILITIES = ("brier", "brier_skill", "log_loss", "ece", "calibration_slope", "calibration_intercept",
                    "calibration_error_in_the_large")  # fmt: skip
#: What is fitted many times over for its interval is left out above so many distinct scores.
SLOW, SLOW_FROM = ("calibration_slope", "calibration_intercept"), 100_000
BINS = 10
LABELS_OF_THEIR_OWN = (
    "No one threshold of these scores gives the labels as they were given, so what stands here differs from them."
)


@dataclass(frozen=True, eq=False)
class View:
    """One class against the rest."""

    label: str
    a: Assessment = field(repr=False)
    cuts: Cuts = field(repr=False)
    charts: Mapping[str, Chart] = field(repr=False)
    probabilities: Table | None = field(repr=False)
    costs: Mapping[str, float] = field(repr=False)
    other: str = ""
    python: str = ""
    column: int | None = None

    @property
    def is_weighted(self) -> bool:
        """Whether its counts are sums of weights."""
        t = self.a.scores.tally if self.a.scores is not None else None
        return t is not None and (t.is_weighted or not float(t.total).is_integer())

    @property
    def note(self) -> str:
        """Why the panel does not start with the labels as they were given."""
        return "" if self.cuts.fits else LABELS_OF_THEIR_OWN

    def to_dict(self) -> dict[str, Any]:
        tables = {} if self.probabilities is None else {"probabilities": self.probabilities.to_dict()}
        return {
            "label": self.label,
            "cuts": self.cuts.to_dict(),
            "costs": dict(self.costs),
            "first": self.a.positive == 0,
            "other": self.other,
            "python": self.python,
            "column": self.column,
            "weighted": self.is_weighted,
            "note": self.note,
            "probabilities": self.probabilities is not None,
            "charts": {key: moving(chart) for key, chart in self.charts.items()},
            "tables": tables,
        }


@dataclass(frozen=True, eq=False)
class Model:
    """One set of predictions: what is said of it whatever class is looked at, its views, or why it has none."""

    name: str
    told: Told = field(repr=False)
    tables: Mapping[str, Table] = field(repr=False)
    views: tuple[View, ...] = field(repr=False)
    no_views: str = ""
    a: Assessment | None = field(default=None, repr=False)
    rows: str = "All rows"
    curves: str = ""
    python: str = "a"

    @property
    def left_out(self) -> str:
        """That not every class can be chosen."""
        classes = 0 if self.a is None else len(self.a.labels)
        return f"{len(self.views)} commonest of {classes:,} classes" if 1 < len(self.views) < classes else ""

    @cached_property
    def said(self) -> dict[str, Any]:
        """Texts ready to be shown, and the figures behind them."""
        labels = () if self.a is None else self.a.labels
        cut = [plain(label) for label in labels if label_text(label) != plain(label) and label != ""][:50]
        return {
            "name": self.name,
            **self.told.said,
            "tables": {key: table.to_dict() for key, table in self.tables.items()},
            "views": [view.to_dict() for view in self.views],
            "no_views": self.no_views,
            "python": self.python,
            "left_out": self.left_out,
            **({"labels_in_full": cut} if cut else {}),
        }


def model_of(name: str, a: Assessment, python: str = "a") -> Model:
    """Everything the page shows of an assessment."""
    return model_of_part(name, Part(None, a, python=python))


def model_of_part(name: str, part: Part) -> Model:
    """The same of a model of another result, which may have its own words for the top and no assessment."""
    a, shown = part.a, spaced(label_text(name))
    if a is None:
        return Model(shown, part.told or Told(part.why), {}, (), plain(part.why))
    views, why = _views(a)
    tables = {"measures": measure_table(a), "classes": class_table(a), "confusion": confusion_matrix(a)}
    return _fitted(Model(
        shown,
        part.told or told_of_assessment(a),
        {key: table for key, table in tables.items() if table is not None},
        views,
        why,
        a,
        part.rows,
        part.curves,
        held(part.python, a.confidence),
    ))  # fmt: skip


def _fitted(model: Model) -> Model:
    """The model with as many thresholds as its room allows."""
    most = max((len(view.cuts) for view in model.views), default=0)
    while most > FEWEST_CUTS and (size := len(deflated(model.said))) > ROOM:
        most = max(int(most * min(0.92, ROOM / size)), FEWEST_CUTS)
        model = replace(model, views=tuple(replace(view, cuts=cuts_of(view.a, most)) for view in model.views))
    return model


def told_of_assessment(a: Assessment) -> Told:
    verdict = a.verdict
    figures = {measure: a[measure] for measure in a.headlines}
    return Told.of(verdict, figures, _facts(a), a.findings, a.confidence)


def _facts(a: Assessment) -> tuple[tuple[str, str], ...]:
    facts = [("Rows", count(a.n)), ("Classes", count(len(a.labels)))]
    if a.pos_label is not None and a.positive is not None:
        positives = a.tally.positives if a.estimates is None else a.confusion.margins().actual[a.positive]
        many = counted(float(positives), "row") if float(positives).is_integer() else f"weight {count(positives)}"
        facts.append(("Positive class", f"{label_text(a.pos_label)} ({many})"))
    dropped = next((f.evidence.get("dropped", 0) for f in a.noticed if f.code == "dropped_missing"), 0)
    facts.append(("Left out for a missing value", count(dropped)))
    if a.scores is not None:
        facts.append(("Scores", "probabilities" if a.scores.are_probabilities else "any numbers, higher is likelier"))
    return tuple(facts)


def _views(a: Assessment) -> tuple[tuple[View, ...], str]:
    """A view of the positive class, or of every class that has a column of scores; and why there is none."""
    if a.scores is None:
        return (), "There are no scores, so no threshold can be moved. Pass them as y_score= (--score)."
    matrix = a.scores.matrix
    if matrix is None:
        e = a.scores.evidence
        if e is not None and e.factors and not e.has_rows:
            return (), f"No threshold can be moved: {NO_ROWS}, and bounds that forget the groups would be too narrow."
        if not _both(a):
            return (), "The truth holds one class only, so there is nothing to tell apart by a threshold."
        c = a.positive or 0
        other = spaced(label_text(a.labels[1 - c])) if len(a.labels) == 2 else ""
        return (replace(_view(a.labels[c], a, MOST, _prices(a)), other=other),), ""
    if not isinstance(matrix, ScoreMatrix):
        return (), "No threshold can be moved: rows were counted in parts. Ask of one class at a time, by its column"
    rows = matrix.class_weights
    chosen = sorted(np.argsort(-rows, kind="stable")[:MOST_VIEWS].tolist())
    chosen = [c for c in chosen if 0 < rows[c] < rows.sum()]
    most = MOST // max(len(chosen), 1)
    prices = {"fp": 1.0, "fn": 1.0}
    fine = None if len(chosen) <= FEW_VIEWS else SHORT
    views = tuple(
        replace(_view(a.labels[c], _against_rest(a, c), most, prices, fine), python=literal(a.labels[c]), column=c)
        for c in chosen
    )
    return views, "" if chosen else "The truth holds one class only."


def _both(a: Assessment) -> bool:
    t = a.tally
    return t.positives > 0 and t.negatives > 0


def _prices(a: Assessment) -> dict[str, float]:
    return {"fp": 1.0, "fn": 1.0} if a.costs is None else {k: float(v) for k, v in a._two_costs(a.costs).items()}


def _against_rest(a: Assessment, c: int) -> Assessment:
    """The assessment of one class against the rest, by its own column of scores."""
    matrix = a.scores.matrix if a.scores is not None else None
    if not isinstance(matrix, ScoreMatrix):
        raise AssertionError("one class against the rest needs a column of scores a class")
    p = Predictions(
        (matrix.truth == c).astype(np.int8),
        None,
        np.ascontiguousarray(matrix.scores[:, c]),
        (f"not {show(a.labels[c])}", a.labels[c]),
        matrix.weights,
        matrix.groups,
        positive=1,
        declared=True,
        clip=matrix.clip,
    )
    return assess(p, confidence=a.confidence, random_state=a.random_state)


def _view(
    label: Label, a: Assessment, most: int, costs: dict[str, float], fine: tuple[int, float] | None = None
) -> View:
    cuts = cuts_of(a, most)
    charts = [
        roc_chart(a, a["roc_auc"]),
        precision_recall_chart(a, a["average_precision"]),
        gains_chart(a),
        lift_chart(a),
        scores_chart(a, float(cuts.threshold[cuts.start])),
    ]
    probabilities = None
    if a.scores is not None and a.scores.are_probabilities:
        charts.append(reliability_chart(a))
        probabilities = _probabilities(a)
    if fine is not None:
        charts = [replace(chart, fine=fine) for chart in charts]
    return View(spaced(label_text(label)), a, cuts, {chart.key: chart for chart in charts}, probabilities, costs)


def probability_names(a: Assessment) -> list[str]:
    """The measures of probabilities that are shown."""
    return [name for name in OF_PROBABILITIES if name not in SLOW or len(a.tally.score) <= SLOW_FROM]


def _probabilities(a: Assessment) -> Table:
    head = ("Measure", "Value", f"{a.confidence * 100:g}% interval", "Method", "To know")
    rows = [(measure_title(name), *estimate_cells(a[name])) for name in probability_names(a)]
    parts = brier_parts(a.tally, BINS, "mass")
    within = parts.within_variance - parts.within_covariance
    named = (
        ("Brier: reliability", parts.reliability),
        ("Brier: resolution (subtracted)", parts.resolution),
        ("Brier: uncertainty", parts.uncertainty),
        ("Brier: within the bins", within),
    )
    rows += [(name, f"{value:.4f}", "", "", "") for name, value in named]
    return Table.of(head, rows, f"The parts of the Brier score are over {BINS} bins of equal mass, without intervals.")
