"""Figures of differences: every line and mark is a number of the result."""

import sys
from dataclasses import replace

import numpy as np
import pytest
from matplotlib.figure import Figure

from surefold.comparison.compare import compare
from surefold.comparison.difference_curves import gains_difference, roc_difference
from surefold.errors import MissingExtraError
from surefold.estimates.estimate import Estimate
from surefold.show.charts.catalogue import chart_of
from surefold.show.charts.comparison import KINDS, MOST_DRAWN
from surefold.show.plots import plot
from surefold.show.write.figure import FILLED
from surefold.show.write.figure_rows import KINDS as MARKS
from surefold.show.write.style import DARK, LIGHT, entries, theme_of

Y = (np.arange(400) % 5 < 2).astype(int)


def scores(*ahead):
    rng = np.random.default_rng(9)
    shared = rng.normal(size=400)
    return {f"m{i}": 0.8 * shared + 0.6 * rng.normal(size=400) + a * Y for i, a in enumerate(ahead)}


def marks(ax):
    return [line for line in ax.lines if line.get_gid() == "surefold-value" or getattr(line, "surefold_curve", False)]


def with_gid(artists, gid):
    return [a for a in artists if a.get_gid() == gid]


def in_legend(ax):
    return [str(a.get_gid()).split("|", 2)[2] for a in entries(ax)]


# the forest


@pytest.fixture(scope="module")
def four():
    """Pairs of every status: m2 is m0 and a little noise, m3 a little worse, m1 much."""
    found = scores(1.2, 0.5, 0.0, 1.12)
    found["m2"] = found["m0"] + 0.05 * np.random.default_rng(1).normal(size=400)
    return compare(Y, found, measure="roc_auc", margin=0.02)


@pytest.mark.parametrize("dark", [False, True])
def test_a_line_a_pair_with_its_interval_and_status(four, dark):
    ax = four.plot(dark=dark)
    ax.figure.canvas.draw()
    theme = DARK if dark else LIGHT
    assert theme_of(ax) is theme
    assert {d.status for d in four.differences} == set(KINDS)
    assert [m.get_xdata()[0] for m in marks(ax)] == [d.effect.value for d in four.differences]
    for gid, each in (("surefold-wide", [d.effect for d in four.differences]),
                      ("surefold-interval", [d.single for d in four.differences])):  # fmt: skip
        assert [tuple(b.get_xdata()) for b in with_gid(ax.lines, gid)] == [e.interval for e in each]
    for mark, d in zip(marks(ax), four.differences, strict=True):
        place, shape, _ = MARKS[KINDS[d.status]]
        assert mark.get_marker() == shape
        assert mark.get_color() == (theme.faint if place is None else theme.colours[place])
    names = [t.get_text() for t in ax.get_yticklabels()]
    assert names == ["m0 − m1", "m0 − m2", "m0 − m3", "m1 − m2", "m1 − m3", "m2 − m3"]
    written = [t.get_text() for t in ax.texts]
    assert [str(d.effect) for d in four.differences] == written
    told = ["the first is better", "the first is worse", "practically equal", "cannot tell"]
    assert in_legend(ax) == ["margin of 0.02", "no difference", *told]
    low, high = ax.get_xlim()
    assert low < min(d.effect.low for d in four.differences)
    assert high > max(d.effect.high for d in four.differences)


def test_statuses_differ_in_colour_and_in_shape():
    looks = [MARKS[kind] for kind in KINDS.values()]
    assert len({colour for colour, _, _ in looks}) == len({shape for _, shape, _ in looks}) == 4


def test_what_is_better_is_said_and_without_a_margin_there_is_none():
    p = {name: 1 / (1 + np.exp(-s)) for name, s in scores(1.0, 0.5).items()}
    c = compare(Y, p, measure="brier")
    assert "lower is better" in c.plot("values").get_xlabel()
    assert not any("margin" in entry for entry in in_legend(c.plot()))


def test_of_many_pairs_some_are_drawn_and_the_sentence_says_so():
    c = compare(Y, scores(*np.linspace(0.5, 1.5, 11)), measure="roc_auc")
    assert len(c.differences) == 55
    ax = c.plot()
    ax.figure.canvas.draw()
    assert len(marks(ax)) <= MOST_DRAWN
    assert f"{len(marks(ax))} pairs are drawn" in chart_of(c).sentence
    values = {d.effect.value for d in c.differences}
    assert {m.get_xdata()[0] for m in marks(ax)} <= values


def test_long_and_odd_names_and_a_control(four):
    first, second, third = scores(1.0, 0.5, 0.2).values()
    names = ("a model of $x$\nwith a name that goes on, seed 1", "a model of $x$ with a name that goes on, seed 2", "")
    c = compare(Y, dict(zip(names, (first, second, third), strict=True)), measure="roc_auc", control="")
    ax = c.plot()
    ax.figure.canvas.draw()
    shown = [t.get_text() for t in ax.get_yticklabels()]
    assert shown[0].endswith("− (empty)")
    assert len(set(shown)) == len(shown)
    assert not any(t.get_parse_math() for t in (*ax.get_yticklabels(), *ax.texts, ax.title, ax.xaxis.label))
    assert four.plot(title="Mine").get_title() == "Mine"


def test_undefined_differences_say_why(four):
    nan = float("nan")
    gone = Estimate(nan, nan, nan, name="x", reason="no row is positive for m0")
    bad = replace(four.differences[0], test=replace(four.differences[0].test, effect=gone), status="cannot_tell")
    bad = replace(bad, together=None)
    ax = replace(four, differences=(bad, *four.differences[1:])).plot()
    ax.figure.canvas.draw()
    assert len(marks(ax)) == 5


def test_on_axes_of_ones_own(four):
    ax = Figure(facecolor="black").add_subplot(facecolor="none")
    assert plot(four, ax, show_legend=False, markersize=3) is ax
    assert ax.get_legend() is None
    assert {m.get_markersize() for m in marks(ax)} == {3}


# the curve


@pytest.fixture(scope="module")
def crossing():
    rng = np.random.default_rng(0)
    y = np.arange(1500) < 600
    z = np.sqrt(0.5) * (rng.normal(size=1500) + rng.normal(size=(2, 1500)))
    first, second = np.where(y, z[0] * 0.4 + 1.3, z[0]), np.where(y, z[1] * 2 + 1.5, z[1])
    return roc_difference(y.astype(int), first, second, names=("sharp $x$", "wide"))


@pytest.mark.parametrize("dark", [False, True])
def test_the_difference_its_bands_and_what_is_sure(crossing, dark):
    ax = crossing.plot(dark=dark)
    ax.figure.canvas.draw()
    (line,) = marks(ax)
    np.testing.assert_array_equal(line.get_ydata(), crossing.difference)
    above, below = crossing.crosses.above, crossing.crosses.below
    sure = [patch for patch in ax.patches if patch.get_alpha() == FILLED["sure"]]
    assert len(sure) == len(above) + len(below) >= 2
    assert len({patch.get_facecolor() for patch in sure}) == 2
    assert [t.get_text() for t in ax.texts] == ["▲ sharp $x$ finds more", "▼ wide finds more"]
    assert in_legend(ax) == ["95 %, all places at once", "95 %, each place by itself",
                             f"sharp $x$ less wide: areas differ by {crossing.area}"]  # fmt: skip
    low, high = ax.get_ylim()
    assert low < crossing.band_low.min()
    assert high > crossing.band_high.max()
    assert ax.get_xlabel().startswith("False-positive rate")
    assert not any(t.get_parse_math() for t in ax.texts)


def test_nothing_sure_and_identical_scores():
    s = scores(1.0)["m0"]
    d = gains_difference(Y, s, s, names=("a", "b"), draws=100)
    ax = d.plot(title="Twins", color="red", show_legend=False)
    ax.figure.canvas.draw()
    assert not [patch for patch in ax.patches if patch.get_alpha() == FILLED["sure"]]
    assert ax.get_title() == "Twins"
    assert marks(ax)[0].get_color() == "red"
    assert ax.get_xlabel().startswith("Share of the rows")
    assert ax.get_ylim()[0] <= -0.05


def test_without_matplotlib_the_extra_is_named(four, crossing, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    for draw in (four.plot, crossing.plot):
        with pytest.raises(MissingExtraError, match=r"pip install matplotlib$"):
            draw()
