"""Figures of a selection."""

import io

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.tree import DecisionTreeClassifier

import surefold as sf
from surefold.errors import UnknownNameError
from surefold.learners import NaiveBayes
from surefold.show.charts.catalogue import chart_of
from surefold.show.row_chart import RowChart
from surefold.show.write.style import DARK, LIGHT, theme_of

X, Y = load_wine(return_X_y=True)


@pytest.fixture(scope="module")
def found() -> sf.Selection:
    models = {"$bayes$": NaiveBayes(), "tree": (DecisionTreeClassifier(), {"max_depth": [1, 2, None]})}
    return sf.select(models, X, Y, strategy="nested", folds=6, outer_folds=3, race=True, random_state=0)


def texts(ax) -> list[str]:
    return [t.get_text() for t in ax.get_legend().get_texts()]


@pytest.mark.parametrize("dark", [False, True])
def test_candidates(found: sf.Selection, dark: bool) -> None:
    ax = found.plot(dark=dark, title="wine")
    ax.figure.canvas.draw()
    assert theme_of(ax) is (DARK if dark else LIGHT)
    names = [t.get_text() for t in ax.get_yticklabels()]
    assert len(set(names)) == len(names) == len(found.picked.entries)
    assert not any(t.get_parse_math() for t in ax.get_yticklabels())
    dots = [line.get_xdata()[0] for line in ax.lines if line.get_marker() in "osD" and len(line.get_xdata())]
    assert dots == [e.estimate.value for e in found.picked.entries]
    assert any(e.dropped_at is not None for e in found.picked.entries)
    there = {"value": "candidate", "other": "chosen", "hollow": "dropped by the race"}
    chart = chart_of(found)
    assert isinstance(chart, RowChart)
    assert set(texts(ax)) == {there[row.kind] for row in chart.rows_drawn}


def test_optimism(found: sf.Selection) -> None:
    ax = found.plot("optimism")
    ax.figure.canvas.draw()
    assert texts(ax) == ["claimed by the search", "free of the choice", "an outer fold"]
    labels = [t.get_text() for t in ax.get_yticklabels()]
    assert labels == [*(name for name, e in found.claims.items() if e.defined), "found in each outer fold"]
    dots = next(line for line in ax.lines if len(line.get_xdata()) == len(found.outer))
    assert dots.get_xdata().tolist() == [fold.found for fold in found.outer]
    drawn = {round(float(line.get_xdata()[0]), 9) for line in ax.lines if len(line.get_xdata()) == 1}
    assert round(found.estimate.value, 9) in drawn


def test_labels_do_not_lie_on_each_other(found: sf.Selection) -> None:
    for what in ("candidates", "optimism"):
        ax = found.plot(what)
        ax.figure.savefig(io.BytesIO())  # which lays it out
        legend, label = ax.get_legend().get_window_extent(), ax.xaxis.label.get_window_extent()
        assert legend.y1 <= label.y0 + 1


def test_only_the_best_of_many_are_drawn_and_the_rest_is_counted() -> None:
    rng = np.random.default_rng(0)
    grid = {"max_depth": list(range(1, 31))}
    s = sf.select((DecisionTreeClassifier(), grid), rng.normal(size=(60, 2)), rng.integers(2, size=60), random_state=0,
                  strategy="standard")  # fmt: skip
    ax = s.plot(show_legend=False)
    assert len(ax.get_yticklabels()) == 25
    assert "5 more are not drawn" in chart_of(s).sentence
    assert ax.get_legend() is None
    with pytest.raises(UnknownNameError):
        s.plot("pie")
