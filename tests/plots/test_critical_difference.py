"""The critical-difference diagram and the table of wins: everything drawn is a number of the comparison."""

from itertools import combinations

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from surefold.benchmarking.result import Benchmark
from surefold.errors import InputError, MissingExtraError
from surefold.show.charts.catalogue import chart_of
from surefold.show.row_chart import RowChart
from surefold.show.write.figure_ranks import bar_levels
from surefold.show.write.style import DARK, LIGHT, theme_of


def compared(n, k, gap, seed=0, names=None, **options):
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(n, k)) + gap * np.arange(k)[::-1]
    return Benchmark.of_table(values, models=names, measure="accuracy").compare(**options)


def elbows(ax):
    return [line for line in ax.lines if getattr(line, "surefold_curve", False)]


def marked(ax, gid):
    return [line for line in (*ax.lines, *ax.collections) if line.get_gid() == gid]


def drawn_names(ax):
    """The texts beside the elbows, with the boxes they take on the drawn figure."""
    canvas = FigureCanvasAgg(ax.figure)
    canvas.draw()
    renderer = canvas.get_renderer()
    return {text.get_text(): text.get_window_extent(renderer) for text in ax.texts if "  " in text.get_text()}


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("k", [3, 5, 12, 20])
def test_every_model_has_an_elbow_at_its_average_rank(k, dark):
    c = compared(25, k, 0.3, names=[f"learner {i} with a rather long name" for i in range(k)])
    ax = c.plot(dark=dark)
    assert sorted(line.get_xdata()[0] for line in elbows(ax)) == sorted(c.average_ranks.values())
    assert theme_of(ax) is (DARK if dark else LIGHT)
    assert ax.get_xlim()[0] < ax.get_xlim()[1]  # the best is on the left
    names = drawn_names(ax)
    assert len(names) == k
    for one, two in combinations(names.values(), 2):
        assert not one.overlaps(two)
    paper = ax.figure.bbox
    for box in names.values():
        assert box.x0 >= paper.x0
        assert box.x1 <= paper.x1


def test_elbows_do_not_cross():
    ax = compared(30, 12, 0.3).plot()
    corners = [(line.get_xdata(), line.get_ydata()) for line in elbows(ax)]
    for (x, y), (other, depth) in combinations(corners, 2):
        for (rank, edge, level), (drop, floor) in (
            ((x[0], x[2], y[2]), (other[0], depth[2])),
            ((other[0], other[2], depth[2]), (x[0], y[2])),
        ):
            beyond = min(rank, edge) < drop < max(rank, edge)
            assert not (beyond and floor < level)  # the drop of one would cut through the line of the other


def test_the_critical_difference_is_to_scale():
    c = compared(20, 5, 0.3)
    (bar,) = marked(c.plot(), "surefold-critical-difference")
    assert np.ptp(bar.get_xdata()) == pytest.approx(c.critical_difference)
    ax = c.plot()
    assert any(f"critical difference {c.critical_difference:.2f}" == t.get_text() for t in ax.texts)


def test_a_bar_joins_each_group():
    c = compared(25, 8, 0.35)
    bars = marked(c.plot(), "surefold-clique")
    assert len(bars) == len(c.cliques) > 1
    ranks = sorted((min(map(c.average_ranks.get, group)), max(map(c.average_ranks.get, group))) for group in c.cliques)
    over = 0.008 * 7
    found = sorted((float(min(bar.get_xdata())) + over, float(max(bar.get_xdata())) - over) for bar in bars)
    assert np.allclose(found, ranks)


def test_bars_on_one_level_stand_apart():
    levels = bar_levels([(1.0, 2.0), (1.5, 3.0), (2.05, 2.6), (3.2, 4.0)])
    for (low, high, level), (other, end, same) in combinations(levels, 2):
        assert level != same or other > high or low > end


def test_one_group_of_all_and_no_group():
    calm = compared(9, 5, 0.0)
    assert not calm.differs
    (bar,) = marked(calm.plot(), "surefold-clique")
    assert np.ptp(bar.get_xdata()) >= np.ptp(list(calm.average_ranks.values()))
    assert "finds no difference" in chart_of(calm).sentence
    apart = compared(40, 3, 5.0)
    assert marked(apart.plot(), "surefold-clique") == []
    assert "every two that were compared differ" in chart_of(apart).sentence


def test_ties_in_rank_have_names_of_their_own():
    c = Benchmark.of_table(np.tile([[3.0, 2, 2, 1, 1]], (10, 1))).compare()
    boxes = list(drawn_names(c.plot()).values())
    assert len(boxes) == 5
    assert not any(one.overlaps(two) for one, two in combinations(boxes, 2))


@pytest.mark.parametrize("post_hoc", ["bonferroni_dunn", "holm"])
def test_a_control_has_its_band_where_the_test_has_one(post_hoc):
    c = compared(20, 5, 0.4, control="model 3", post_hoc=post_hoc)
    ax = c.plot(dark=True)
    bands = marked(ax, "surefold-band")
    assert len(bands) == (post_hoc == "bonferroni_dunn")
    for band in bands:
        low, high = band.get_paths()[0].vertices[:, 0].min(), band.get_paths()[0].vertices[:, 0].max()
        middle = c.average_ranks["model 3"]
        assert (low, high) == pytest.approx(
            (max(1, middle - c.critical_difference), min(5, middle + c.critical_difference))
        )
        inside = {m for m, rank in c.average_ranks.items() if low <= rank <= high}
        assert inside == set(c.cliques[0])
    bold = [text.get_text() for text in ax.texts if text.get_fontweight() == "bold"]
    assert len(bold) == 1
    assert "model 3" in bold[0]
    assert len(marked(ax, "surefold-clique")) == len(c.cliques)


def test_two_models_and_a_difference_wider_than_the_axis():
    two = compared(12, 2, 1.0)
    assert len(elbows(two.plot())) == 2
    wide = compared(2, 3, 0.1)
    ax = wide.plot()
    assert wide.critical_difference > 2
    (bar,) = marked(ax, "surefold-critical-difference")
    low, high = sorted(ax.get_xlim())
    assert low <= min(bar.get_xdata())
    assert max(bar.get_xdata()) <= high


def test_names_are_shown_as_written_and_told_apart():
    names = ["$x$", "gradient boosting of deep trees, slow", "gradient boosting of deep trees, fast"]
    ax = compared(10, 3, 0.5, names=names).plot()
    ax.figure.canvas.draw()
    assert not any(text.get_parse_math() for text in ax.texts)
    chart = chart_of(compared(10, 3, 0.5, names=names))
    assert isinstance(chart, RowChart)
    shown = [row.name for row in chart.rows_drawn]
    assert len(set(shown)) == 3
    assert max(map(len, shown)) <= 34


def test_the_table_of_wins_has_every_pair():
    c = compared(15, 4, 0.3)
    ax = c.plot_wins()
    ax.figure.canvas.draw()
    texts = {tuple(map(round, text.get_position())): text.get_text() for text in ax.texts}
    assert len(texts) == 12
    for (j, i), text in texts.items():
        assert text == "-".join(map(str, c.win_tie_loss[c.order[i], c.order[j]]))
    lead = ax.images[0].get_array()
    assert np.allclose(lead, -lead.T)
    assert [t.get_text() for t in ax.get_yticklabels()] == list(c.order)
    many = compared(15, 14, 0.3).plot_wins(dark=True)
    assert len(many.texts) == 14 * 13
    assert all(text.get_text().isdigit() for text in many.texts)


def test_axes_of_ones_own_and_limits(monkeypatch):
    c = compared(10, 3, 0.5)
    ax = Figure(facecolor="black").add_subplot(facecolor="none")
    assert c.plot(ax, title="Fourteen data sets") is ax
    assert ax.get_title() == "Fourteen data sets"
    assert c.plot_wins(Figure().add_subplot()) is not None
    many = compared(5, 41, 0.1)
    with pytest.raises(InputError, match="41 models do not fit"):
        many.plot_wins()
    assert len(elbows(many.plot())) == 40
    assert "The best 40 of 41 are drawn" in chart_of(many).sentence
    monkeypatch.setitem(__import__("sys").modules, "matplotlib", None)
    for draw in (c.plot, c.plot_wins):
        with pytest.raises(MissingExtraError, match=r"pip install matplotlib$"):
            draw()
