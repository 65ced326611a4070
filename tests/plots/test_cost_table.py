"""Figures of cost studies."""

import pytest
from sklearn.neighbors import KNeighborsClassifier

from surefold.costs.cost_sensitive import cost_sensitive
from surefold.costs.example import SLICK_COSTS, simulated_oil_slicks
from surefold.costs.study import CostStudy
from surefold.learners import NaiveBayes
from surefold.show.write.style import DARK, LIGHT, theme_of

X, Y = simulated_oil_slicks(600, share=0.1)


@pytest.fixture(scope="module")
def study() -> CostStudy:
    models = {"$naive$": NaiveBayes(), "neighbours": KNeighborsClassifier()}
    return cost_sensitive(models, X, Y, SLICK_COSTS, pos_label="slick", folds=4, random_state=0)


@pytest.mark.parametrize("dark", [False, True])
def test_a_row_a_cell(study: CostStudy, dark: bool) -> None:
    ax = study.plot(dark=dark)
    ax.figure.canvas.draw()
    assert theme_of(ax) is (DARK if dark else LIGHT)
    assert [t.get_text() for t in ax.get_yticklabels()] == [c.name for c in study]
    drawn = {line.get_xdata()[0]: line.get_ydata()[0] for line in ax.lines if line.get_gid() == "surefold-value"}
    assert sorted(drawn) == sorted({cell.cost.value for cell in study if cell.cost.defined})
    assert ax.lines[0].get_xdata()[0] == study.constant_cost
    assert ax.get_xlim()[0] <= 0


def test_names_and_reasons_are_written_as_they_are(study: CostStudy) -> None:
    ax = study.plot()
    assert not any(t.get_parse_math() for t in (*ax.texts, *ax.get_yticklabels()))
    assert any("$naive$" in t.get_text() for t in ax.get_yticklabels())
    shown = [t.get_text() for t in ax.get_legend().get_texts()]
    assert shown == ["constant answer", "cheapest", "plain"]
    assert any(t.get_text().startswith("undefined: KNeighborsClassifier has no class_weight") for t in ax.texts)
    assert study.plot(show_legend=False).get_legend() is None


def test_one_model_is_the_title() -> None:
    one = cost_sensitive(NaiveBayes(), X, Y, {"fp": 1, "fn": 9, "tp": -5}, pos_label="slick", folds=3, random_state=0,
                         methods=("plain", "threshold"))  # fmt: skip
    ax = one.plot()
    assert [t.get_text() for t in ax.get_yticklabels()] == ["plain", "threshold"]
    assert ax.get_title() == "Expected cost of NaiveBayes"
    assert one.plot(title="slicks").get_title() == "slicks"
    low = min(cell.cost.low for cell in one)
    assert ax.get_xlim()[0] < low  # gains are below zero, and shown
