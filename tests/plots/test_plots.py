"""Figures: what they name, what they draw, and that they leave nothing behind."""

import io
import sys
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from matplotlib import pyplot
from matplotlib.figure import Figure

import surefold as sf
from surefold.curves.cost_curve import CostCurve, ExpectedCost
from surefold.curves.curve import Curve
from surefold.curves.decision import Decision
from surefold.curves.gains import Gains, Lift
from surefold.curves.precision_recall import PrecisionRecall
from surefold.curves.reliability import reliability
from surefold.curves.roc import Roc
from surefold.errors import InputError, MissingExtraError, UnknownNameError
from surefold.show.charts.probabilities import bins_chart
from surefold.show.plots import plot_curves, plot_roc
from surefold.show.write.figure import draw
from surefold.show.write.style import DARK, LIGHT, Looks, theme_of
from surefold.tallies.confusion import Confusion
from surefold.tallies.score_groups import ScoreGroups

RNG = np.random.default_rng(0)
Y = np.arange(80) < 30
TALLY = ScoreGroups.of(1 / (1 + np.exp(-RNG.standard_normal(80) - 1.5 * Y)), Y)
BINS: Any = SimpleNamespace(
    mean_score=np.array([0.1, 0.4, 0.8]),
    share=np.array([0.2, 0.4, 0.7]),
    low=np.array([0.1, 0.2, 0.5]),
    high=np.array([0.3, 0.6, 0.9]),
    n=np.array([30, 0, 20]),
)

# what is drawn: the curve and its guides
LINES = {Roc: 2, PrecisionRecall: 2, Gains: 3, Lift: 2, Decision: 3}


def texts(ax) -> list[str]:
    return [t.get_text() for t in ax.get_legend().get_texts()]


def rendered(ax) -> None:
    ax.figure.canvas.draw()


@pytest.mark.parametrize("kind", LINES)
@pytest.mark.parametrize("dark", [False, True])
def test_curves(kind, dark: bool) -> None:
    curve = kind.of(TALLY)
    ax = curve.plot(dark=dark)
    rendered(ax)
    assert (ax.get_xlabel(), ax.get_ylabel()) == (curve.x_name, curve.y_name)
    assert len(ax.lines) == LINES[kind]
    assert any("95 % band" in text for text in texts(ax))
    assert theme_of(ax) is (DARK if dark else LIGHT)
    without = curve.plot(band=False)
    assert not any("band" in text for text in texts(without))


def test_cost_curves() -> None:
    ax = CostCurve.of(TALLY).plot()
    rendered(ax)
    assert texts(ax)[:2] == ["one threshold each", "all or none, whichever is cheaper"]
    cost = ExpectedCost.of(TALLY, {"fp": 1, "fn": 5}).plot()
    rendered(cost)
    assert texts(cost)[1].startswith("least: ")


def test_the_area_stands_with_its_interval() -> None:
    roc = Roc.of(TALLY)
    assert f"AUC {roc.auc}" in texts(roc.plot())
    assert texts(roc.plot(confidence=0.8))[0] == "80 % band, whole curve"
    assert texts(roc.plot(band="pointwise"))[0] == "95 % band, each point"


@pytest.mark.parametrize("label", ["$x$", "_hidden", "a\nb", "50 % $", "x" * 200])
def test_labels_are_literal(label: str) -> None:
    ax = Roc.of(TALLY).plot(label=label, title=label)
    rendered(ax)
    box = ax.get_legend()
    assert not any(t.get_parse_math() for t in (*box.get_texts(), ax.title, ax.xaxis.label))
    shown = texts(ax)[2]
    assert shown.startswith(label.replace("\n", "\\n")[:31])
    assert "\n" not in shown
    assert len(shown) < 80


def test_two_models_share_axes() -> None:
    ax = Roc.of(TALLY).plot(label="a")
    Roc.of(TALLY).plot(ax, label="b")
    rendered(ax)
    _, first, second = ax.lines
    assert first.get_color() != second.get_color()
    assert first.get_linestyle() != second.get_linestyle()
    assert [t.split(":")[0] for t in texts(ax)] == ["95 % band, whole curve", "random", "a", "b"]


def test_style_goes_to_matplotlib() -> None:
    ax = Gains.of(TALLY).plot(color="red", linewidth=4, show_legend=False)
    assert (ax.lines[-1].get_color(), ax.lines[-1].get_linewidth()) == ("red", 4)
    assert ax.get_legend() is None


def test_axes_of_ones_own_keep_their_looks() -> None:
    figure = Figure(facecolor="black")
    ax = figure.add_subplot(facecolor="none")
    assert Roc.of(TALLY).plot(ax) is ax
    assert theme_of(ax) is DARK
    assert ax.spines["top"].get_visible()


def test_a_plot_shows_where_figures_show() -> None:
    """What pyplot knows of is drawn below a cell of a notebook, and by `plt.show()` in a script."""
    before = pyplot.get_fignums()
    ax = Roc.of(TALLY).plot()
    assert len(pyplot.get_fignums()) == len(before) + 1
    assert pyplot.gcf() is ax.figure
    Roc.of(TALLY).plot(Figure().add_subplot())  # given axes are drawn on, and nothing else is opened
    assert len(pyplot.get_fignums()) == len(before) + 1


def test_the_style_in_force_is_gone_with() -> None:
    with pyplot.style.context("dark_background"):
        ax = Roc.of(TALLY).plot()
        assert theme_of(ax) is DARK
        assert ax.xaxis.label.get_color() == DARK.ink


def test_undefined_is_said_in_the_figure() -> None:
    ax = Roc.of(ScoreGroups.of(np.array([0.1, 0.2]), np.array([True, True]))).plot()
    rendered(ax)
    assert "undefined" in ax.texts[0].get_text()
    with pytest.raises(UnknownNameError):
        Curve(np.zeros(2), np.zeros(2), np.zeros(2)).plot()


def test_reliability() -> None:
    ax = draw(bins_chart(BINS), None, Looks(label="$m$"))
    rendered(ax)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("Mean score of the bin", "Share of positives in the bin")
    assert len(ax.lines[-1].get_xdata()) == 2  # the empty bin is left out
    assert "$m$: share of positives, 95 % interval" in texts(ax)
    rendered(draw(bins_chart(BINS), ax, Looks(label="again")))


def test_reliability_of_a_tally() -> None:
    ax = reliability(TALLY, bins=5).plot()
    rendered(ax)
    assert any(text.startswith("spread of the scores") for text in texts(ax))
    nothing: Any = SimpleNamespace(**{name: np.zeros(0) for name in ("mean_score", "share", "low", "high", "n")})
    empty = draw(bins_chart(nothing))
    rendered(empty)
    assert empty.texts[0].get_text() == "undefined: there are no rows"


def test_confusion() -> None:
    table = Confusion([[8, 2], [1, 9]], labels=["$x$", "_y"])
    ax = table.plot(title="$t$")
    rendered(ax)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("Predicted class", "True class")
    assert [t.get_text() for t in ax.texts] == ["8\n80 %", "2\n20 %", "1\n10 %", "9\n90 %"]
    assert [t.get_text() for t in ax.get_xticklabels()] == ["$x$", "_y"]
    assert not any(t.get_parse_math() for t in ax.get_xticklabels())
    turned = table.plot(rows="predicted")
    assert (turned.get_xlabel(), turned.get_ylabel()) == ("True class", "Predicted class")
    assert turned.texts[1].get_text() == "1\n10 %"
    with pytest.raises(InputError):
        table.plot(rows="sideways")


@pytest.mark.parametrize("k", [8, 30, 60])
def test_confusion_of_many(k: int) -> None:
    table = Confusion(np.eye(k) * 5 + 1, labels=[f"class number {i}" for i in range(k)])
    ax = table.plot(dark=True)
    rendered(ax)
    assert bool(ax.texts) is (k <= 20)
    assert max(ax.figure.get_size_inches()) < 11


def test_too_many_classes_are_refused() -> None:
    with pytest.raises(InputError, match="do not fit"):
        Confusion(np.eye(201)).plot()


def test_without_matplotlib(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtraError, match=r"pip install matplotlib$"):
        Roc.of(TALLY).plot()


# several models on one pair of axes


def assessed(ahead: float) -> sf.Assessment:
    score = RNG.standard_normal(80) + ahead * Y
    return sf.assess(Y.astype(int), y_score=1 / (1 + np.exp(-score)), pos_label=1)


def test_several_models_by_one_call_each_with_its_name() -> None:
    models = {"$good$": assessed(2.0), "poor": assessed(0.3)}
    ax: Any = plot_roc(models)
    rendered(ax)
    named = [text for text in texts(ax) if ": AUC" in text]
    assert named == [f"{name}: AUC {a['roc_auc']}" for name, a in models.items()]
    curves = [line for line in ax.lines if getattr(line, "surefold_curve", False)]
    assert [line.get_ydata().tolist() for line in curves] == [a.roc.y.tolist() for a in models.values()]
    assert len({line.get_color() for line in curves}) == len({line.get_linestyle() for line in curves}) == 2
    scores = {name: RNG.random(80) for name in models}
    both = sf.compare(Y.astype(int), scores, measure="roc_auc")
    assert [text.split(":")[0] for text in texts(both.plot("roc"))][-2:] == list(models)


def test_curves_that_are_there_already_and_what_cannot_share_axes() -> None:
    one = Roc.of(TALLY)
    assert texts(plot_curves({"curve": one}))[-1] == f"curve: AUC {one.auc}"
    with pytest.raises(InputError, match="several models"):
        plot_curves({"a": assessed(1.0)}, "confusion")
    with pytest.raises(InputError, match="no model"):
        plot_curves({})


@pytest.mark.parametrize("what", ["precision_recall", "gains", "lift", "reliability", "cost", "decision"])
def test_bands_of_more_than_three_models_are_left_away(what: str) -> None:
    models = {f"m{i}": assessed(i / 2) for i in range(4)}
    few, many = plot_curves(dict(list(models.items())[:2]), what), plot_curves(models, what)
    rendered(many)
    assert not any("band" in text for text in texts(many))
    banded = what not in ("reliability", "cost")
    assert any("band" in text for text in texts(few)) is banded


# legends


def test_no_legend_leaves_the_figure() -> None:
    long = {f"{name}, a model with a name that goes on": assessed(1.0) for name in ("first", "second")}
    for what in ("roc", "precision_recall", "reliability"):
        ax: Any = plot_curves(long, what)
        ax.figure.savefig(io.BytesIO())  # which lays it out
        box, paper = ax.get_legend().get_window_extent(), ax.figure.bbox
        assert paper.x0 <= box.x0
        assert box.x1 <= paper.x1
        assert paper.y0 <= box.y0


def test_on_axes_without_a_layout_the_legend_is_inside() -> None:
    ax: Any = pyplot.subplots()[1]
    Lift.of(TALLY).plot(ax)
    rendered(ax)
    box, frame = ax.get_legend().get_window_extent(), ax.get_window_extent()
    assert frame.x0 <= box.x0 <= box.x1 <= frame.x1
    assert frame.y0 <= box.y0 <= box.y1 <= frame.y1
