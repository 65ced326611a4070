"""What the page says in words: names, nouns, reasons, and numbers of any size."""

import html
import re
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin

import surefold as sf
from surefold.errors import InputError
from surefold.estimates.estimate import Estimate
from surefold.learners import DecisionTree, NaiveBayes
from surefold.report.document import Source, document_of
from surefold.report.html import page_of
from surefold.report.sections.copied import again
from surefold.report.sections.gated import GateOfModels
from surefold.report.sections.views import model_of
from surefold.report.writing import check_writable
from surefold.show.charts.probabilities import scores_chart
from surefold.show.charts.ranking import lift_chart
from surefold.show.row_chart import Row, RowChart, axis_of
from surefold.show.write.drawing import svg
from surefold.show.write.svg import Frame
from surefold.show.write.svg_rows import WORDS, Rows, height_of
from surefold.verdict.selected import verdict_of_selection


def scored(n: int = 200, **options: Any) -> sf.Assessment:
    rng = np.random.default_rng(0)
    truth = np.where(rng.random(n) < 0.3, "ill", "well")
    return sf.assess(truth, y_score=rng.beta(2 + (truth == "ill"), 3), pos_label="ill", **options)


def words(page: str) -> str:
    """What is shown, as text."""
    seen = page.split("<body>")[1].split('<script type="application/json"')[0]
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", seen)).split())


# the panel


def test_both_classes_are_named() -> None:
    assert "truly ill" in words(page_of(document_of(scored())))
    assert "truly well" in words(page_of(document_of(scored())))


def test_one_row_is_one_row() -> None:
    a = sf.assess([0, 0, 1, 1], y_score=[0.1, 0.2, 0.3, 0.9])
    assert "Threshold 0.5 calls 1 row (25.0%)." in words(page_of(document_of(a))).replace(" )", ")").replace("( ", "(")


@pytest.mark.parametrize(("scale", "called"), [(0.5, "9.50"), (1e-9, "1.9e-08")])
def test_weights_are_said_to_be_weights_with_digits_that_say_something(scale: float, called: str) -> None:
    # nineteen of forty rows are called
    a = sf.assess([0, 1] * 20, y_score=np.linspace(0, 0.97, 40), sample_weight=np.full(40, scale))
    shown = words(page_of(document_of(a)))
    assert f"calls rows of weight {called} " in shown
    assert "Weight at this threshold" in shown
    assert " 0.00 " not in shown.split("Weight at this threshold")[1].split("Here")[0]


def test_all_costs_are_named() -> None:
    a = scored(costs={"fp": 1, "fn": 5, "tp": -2, "tn": 0})
    shown = words(page_of(document_of(a)))
    assert "Costs: 1 a false positive, 5 a false negative, -2 a true positive" in shown


def test_costs_that_were_given_have_their_say_at_the_top() -> None:
    a = sf.assess([1] * 30 + [0] * 70, y_score=[0.6] * 100, costs={"fp": 1, "fn": 5}, pos_label=1)
    told = model_of("m", a).told
    # all are called: seventy errors at 1 on a hundred rows; calling none would cost thirty at 5
    assert told.sentence.startswith("A row costs 0.70 [")
    assert "always answering 1" in told.sentence
    assert (
        told.more[0] == "Act: No number of rows is likely to tell."
    )  # calling all costs what always answering 1 costs


# names


def test_the_verdict_of_the_first_of_several_names_it() -> None:
    page = page_of(document_of({"first one": scored(), "second": scored()}))
    assert '<bdi id="model-name">first one</bdi>' in page
    assert 'id="model-name"' not in page_of(document_of(scored()))


def test_a_badge_says_against_what() -> None:
    a = sf.assess([0, 1] * 40, [0, 1] * 39 + [1, 0])
    shown = words(page_of(document_of({"a": a, "b": a})))
    assert "better than always answering 0 Right on" in shown


def test_cannot_tell_is_said_once() -> None:
    a = sf.assess([0, 1] * 9, [0, 1, 1, 0, 1, 1] * 3)
    shown = words(page_of(document_of(a)))
    assert shown.count("cannot be told from always answering") == 1


def test_names_that_differ_by_spaces_are_told_apart() -> None:
    names = [model.name for model in document_of({"m": scored(), " m": scored(), "m  m": scored()}).models]
    assert names == ["m", "␣m", "m ␣m"]


def test_rows_from_standard_input_have_a_title() -> None:
    assert document_of(scored(), title="-").title == "Standard input"


def test_differences_are_where_the_page_says() -> None:
    rng = np.random.default_rng(1)
    truth = np.arange(80) % 2
    old, new = rng.random(80), truth + rng.random(80)
    gate = sf.gate(truth, old, new, measure="roc_auc", pos_label=1)
    models = {name: sf.Predictions.of(truth, y_score=s, pos_label=1) for name, s in (("old", old), ("new", new))}
    shown = words(page_of(document_of(GateOfModels(gate, models))))
    assert "differences are under Gate" in shown
    assert "roc_auc" not in shown
    compared = sf.compare(truth, {"old": old, "new": new}, measure="roc_auc", pos_label=1)
    assert "differences are under Comparison" in words(page_of(document_of(compared)))


def test_classes_that_cannot_be_chosen_are_counted_and_no_error_is_no_error() -> None:
    truth = np.arange(300) % 30
    scores = np.full((300, 30), 0.01)
    scores[np.arange(300), truth] = 0.71
    model = model_of("m", sf.assess(truth, y_score=scores))
    assert model.left_out == "12 commonest of 30 classes"
    assert model.tables["confusion"].note == "30 classes: no error."
    assert model_of("m", scored()).left_out == ""


# results


def blobs() -> tuple[Any, Any]:
    rng = np.random.default_rng(4)
    truth = (rng.random(90) < 0.4).astype(int)
    return rng.normal(size=(90, 2)) + 1.2 * truth[:, None], truth


@pytest.fixture(name="nested", scope="module")
def _nested() -> sf.Selection:
    searched = {"bayes": NaiveBayes(), "tree": (DecisionTree(), {"max_depth": [1, 4]})}
    options: dict[str, Any] = {"strategy": "nested", "outer_folds": 3, "folds": 3, "random_state": 0, "pos_label": 1}
    return sf.select(searched, *blobs(), **options)


def test_outer_folds_have_their_numbers(nested: sf.Selection) -> None:
    section = next(s for s in document_of(nested).sections if s.id == "selection")
    table = next(t for _, caption, t in section.data["tables"] if caption == "Outer folds")
    assert [row[0] for row in table.rows] == ["1, 1", "1, 2", "1, 3"]
    card = next(t for _, caption, t in section.data["tables"] if caption.startswith("Card"))
    assert not any(odd in cell for row in card.rows for cell in row for odd in ("null", "[]", "None"))


def test_a_nested_figure_is_of_the_search_and_says_whether_the_folds_chose_that_model(nested: sf.Selection) -> None:
    often = {name: replace(fold, chosen=name) for name in ("bayes", "tree: max_depth=1") for fold in nested.outer[:1]}
    other = "bayes" if nested.best.name != "bayes" else "tree: max_depth=1"
    own = replace(nested.outer[0], chosen=nested.best.name)
    never, seldom, always = (
        str(verdict_of_selection(replace(nested, outer=outer)).act)
        for outer in ((often[other],) * 3, (often[other], often[other], own), (own,) * 3)
    )
    for sentence in (never, seldom, always):
        assert sentence.startswith(f"Ship {nested.best.name}")
    end = "the figure is of the search, not of that model."
    assert never.endswith(f"but none of 3 outer folds chose it, and 3 chose {other}: {end}")
    assert seldom.endswith(f"but 1 of 3 outer folds chose it, and 2 chose {other}: {end}")
    assert always.endswith("which 3 of 3 outer folds chose too.")


def test_curves_of_pooled_rows_say_so_beside_them() -> None:
    r = sf.cross_validate(NaiveBayes(), *blobs(), folds=3, random_state=0, pos_label=1)
    ranking = words(page_of(document_of(r))).split(" What is copied Ranking ")[1]
    assert ranking.startswith("Curves and thresholds are of the held-out rows of the first repeat")
    assert "r.assess()" in document_of(r).data["models"][0]["python"]


class Rude(ClassifierMixin, BaseEstimator):
    """Fails with a message that a terminal would obey."""

    def fit(self, X: Any, y: Any) -> Self:
        raise ValueError("\x1b[31mred")

    def predict(self, X: Any) -> Any:
        raise AssertionError("it was never fitted")


@pytest.mark.filterwarnings("ignore")
def test_messages_reach_the_page_as_text() -> None:
    X, y = blobs()
    study = sf.cross_validate({"rude": Rude(), "bayes": NaiveBayes()}, X, y, folds=3, random_state=0, retries=0)
    page = page_of(document_of(study))
    assert "\x1b" not in page
    assert "\\x1b[31m" in page


# numbers of any size


@pytest.mark.parametrize(
    ("scores", "positives", "others"),
    [
        ([1e300, 2e300, 3e300, 4e300], "4e+300", "2e+300"),
        ([1e-6, 2.00019e-6, 3e-6, 3.33369e-6], "3.333e-06", "2e-06"),
        ([0.1, 0.51239, 0.9, 0.99987], "0.9998", "0.5123"),
    ],
)
def test_scores_of_any_size_are_told_in_four_digits(scores: list[float], positives: str, others: str) -> None:
    # of two scores the greater is the one that half of them reach
    a = sf.assess([0, 0, 1, 1], y_score=scores, threshold=scores[2])
    wanted = f"Half of the positives score {positives} or more, half of the others {others} or more."
    assert scores_chart(a, scores[2]).sentence.startswith(wanted)


# charts


def test_no_line_of_a_chart_runs_through_its_words() -> None:
    rows = tuple(Row(name, Estimate(0.5, 0.4, 0.6), "0.5 [0.4, 0.6]") for name in "ab")
    chart = RowChart("k", "t", "s", axis_of("x", rows), rows, ((0.5, "half"),))
    lines = re.findall(r'class="(?:grid|reference)" d="([^"]+)"', svg(chart))
    assert len(lines) == 2
    for start, end in re.findall(r"M[\d.]+ ([\d.]+)V([\d.]+)", " ".join(lines)):
        top = Rows(chart).top + height_of(rows[0]) * (float(start) >= Rows(chart).top + height_of(rows[0]))
        assert float(start) >= top + WORDS > top + 13  # words stand on top + 13
        assert float(end) == top + height_of(rows[0])


@pytest.mark.parametrize("length", [0.2, 0.9])
def test_the_name_of_a_scale_keeps_clear_of_the_first_row(length: float) -> None:
    rows = (Row("a", Estimate(0.5, 0.4, 0.6)),)
    chart = RowChart("k", "t", "s", axis_of("x", rows, (0.0, 1.0)), rows, scale=(length, "critical difference 1.66"))
    at = re.search(r'y="(\d+)"[^>]*>critical difference', svg(chart))
    assert at is not None
    assert int(at[1]) + 10 < Rows(chart).top + 13  # the first row's words


def test_the_words_at_lift_one_stay_in_the_frame() -> None:
    rng = np.random.default_rng(0)
    truth = np.arange(1000) % 20 == 0
    a = sf.assess(truth.astype(int), y_score=truth + rng.random(1000) * 0.01, threshold=0.5)
    chart = lift_chart(a)
    _, top, _, tall = Frame(chart).box
    assert chart.y.high >= 20
    assert all(y < top + tall for _, _, y in Frame(chart).places())


# paths and commands


@pytest.mark.parametrize("path", [None, 3, "-", "a\0b.html"])
def test_what_is_no_path_is_refused_with_a_cure(path: Any) -> None:
    with pytest.raises(InputError, match=r"report\.html"):
        scored().report(path)


def test_a_path_is_asked_for_before_the_work(tmp_path: Path) -> None:
    assert check_writable(tmp_path / "r.html") == tmp_path / "r.html"


def test_a_command_is_offered_where_a_threshold_can_be_added() -> None:
    made = scored()  # labels were made from the scores
    assert again("surefold assess 'my file.csv' --report r.html", made) == "surefold assess 'my file.csv'"
    given = sf.assess([0, 1, 1], [0, 1, 0], y_score=[0.1, 0.8, 0.3])
    assert again("surefold assess f.csv", given) == ""  # labels in the file, which forbid a threshold
    assert again("surefold compare f.csv --score p", made) == ""
    assert (
        document_of(made, source=Source("f.csv", "", "surefold assess f.csv --score p"))
        .data["source"]["again"]
        .endswith("p")
    )
    assert document_of(made).data["source"]["again"] == ""
