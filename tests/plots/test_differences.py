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
from surefold.plots.differences import STATUSES, plot_differences, shown_pairs
from surefold.show.write.style import DARK, LIGHT, entries, theme_of

Y = (np.arange(400) % 5 < 2).astype(int)


def scores(*ahead):
    rng = np.random.default_rng(9)
    shared = rng.normal(size=400)
    return {f"m{i}": 0.8 * shared + 0.6 * rng.normal(size=400) + a * Y for i, a in enumerate(ahead)}


def marks(ax):
    return [line for line in ax.lines if getattr(line, "surefold_curve", False)]


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
    assert {d.status for d in four.differences} == set(STATUSES)
    assert [m.get_xdata()[0] for m in marks(ax)] == [d.effect.value for d in four.differences]
    bars = [tuple(b.get_xdata()) for b in with_gid(ax.lines, "difference-interval")]
    assert bars == [d.effect.interval for d in four.differences]
    bars = [tuple(b.get_xdata()) for b in with_gid(ax.lines, "difference-alone")]
    assert bars == [d.single.interval for d in four.differences]
    for mark, d in zip(marks(ax), four.differences, strict=True):
        place, shape, _ = STATUSES[d.status]
        assert mark.get_marker() == shape
        assert mark.get_color() == (theme.faint if place is None else theme.colours[place])
    names = [t.get_text() for t in ax.get_yticklabels()]
    assert names == ["m0 − m1", "m0 − m2", "m0 − m3", "m1 − m2", "m1 − m3", "m2 − m3"]
    written = [t.get_text() for t in ax.texts]
    for d in four.differences:
        assert ("< 0.001" if d.adjusted_p < 0.001 else f"{d.adjusted_p:.3f}") in written
    assert "margin of 0.02" in in_legend(ax)
    assert {STATUSES[d.status][2] for d in four.differences} <= set(in_legend(ax))
    assert "better to the right" in ax.get_xlabel()
    low, high = ax.get_xlim()
    assert low < min(d.effect.low for d in four.differences)
    assert high > max(d.effect.high for d in four.differences)


def test_statuses_differ_in_colour_and_in_shape():
    shapes, places = {s[1] for s in STATUSES.values()}, {s[0] for s in STATUSES.values()}
    assert len(shapes) == len(places) == len(STATUSES) == 4


def test_lower_is_better_for_losses_and_without_a_margin_there_is_none():
    p = {name: 1 / (1 + np.exp(-s)) for name, s in scores(1.0, 0.5).items()}
    ax = compare(Y, p, measure="brier").plot()
    assert "better to the left" in ax.get_xlabel()
    assert not any("margin" in entry for entry in in_legend(ax))
    assert ax.get_title() == "2 models: 1 difference"


def test_of_many_pairs_the_clearest_are_shown_in_their_order():
    c = compare(Y, scores(*np.linspace(0.5, 1.5, 11)), measure="roc_auc")
    assert len(c.differences) == 55
    ax = c.plot()
    ax.figure.canvas.draw()
    assert ax.get_title() == "11 models: the 45 clearest of 55 differences"
    assert len(marks(ax)) == 45
    ratio = [abs(d.effect.value) / d.effect.width for d in c.differences]
    limit = sorted(ratio)[-45]
    kept = [d for d, r in zip(c.differences, ratio, strict=True) if r >= limit]
    assert [d.effect.value for d in kept] == [m.get_xdata()[0] for m in marks(ax)]
    assert shown_pairs(c.differences, 60) == c.differences


def test_long_and_odd_names_and_a_control(four):
    first, second, third = scores(1.0, 0.5, 0.2).values()
    names = ("a model of $x$\nwith a name that goes on, seed 1", "a model of $x$ with a name that goes on, seed 2", "")
    c = compare(Y, dict(zip(names, (first, second, third), strict=True)), measure="roc_auc", control="")
    ax = c.plot()
    ax.figure.canvas.draw()
    shown = [t.get_text() for t in ax.get_yticklabels()]
    assert shown[0].endswith("− (empty)")
    assert "seed 1" in shown[0]
    assert "seed 2" in shown[1]
    assert not any(t.get_parse_math() for t in (*ax.get_yticklabels(), *ax.texts, ax.title, ax.xaxis.label))
    assert "against (empty)" in ax.get_title()
    assert four.plot(title="Mine").get_title() == "Mine"


def test_undefined_differences_say_why(four):
    nan = float("nan")
    gone = Estimate(nan, nan, nan, name="x", reason="no row is positive for m0")
    bad = replace(four.differences[0], test=replace(four.differences[0].test, effect=gone), status="cannot_tell")
    bad = replace(bad, together=None)
    ax = plot_differences(replace(four, differences=(bad, *four.differences[1:])))
    ax.figure.canvas.draw()
    assert len(marks(ax)) == 5
    assert "undefined: no row is positive for m0" in [t.get_text() for t in ax.texts]


def test_on_axes_of_ones_own(four):
    ax = Figure(facecolor="black").add_subplot(facecolor="none")
    assert plot_differences(four, ax, show_legend=False, markersize=3) is ax
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
    theme = DARK if dark else LIGHT
    (line,) = marks(ax)
    np.testing.assert_array_equal(line.get_ydata(), crossing.difference)
    bars = with_gid(ax.lines, "difference-sure")
    above, below = crossing.crosses.above, crossing.crosses.below
    assert len(bars) == len(above) + len(below) >= 2
    assert [b.get_color() for b in bars] == [theme.colours[0]] * len(above) + [theme.colours[1]] * len(below)
    assert [t.get_text() for t in ax.texts] == ["▲ sharp $x$ finds more", "▼ wide finds more"]
    assert [t.get_color() for t in ax.texts] == [theme.colours[0], theme.colours[1]]
    assert in_legend(ax) == ["sharp $x$ less wide", "95 %, each place by itself", "95 %, all places at once"]
    low, high = ax.get_ylim()
    assert low < crossing.band_low.min()
    assert high > crossing.band_high.max()
    assert str(crossing.area) in ax.get_title()
    assert ax.get_xlabel().startswith("False-positive rate")
    assert not any(t.get_parse_math() for t in (*ax.texts, ax.title))


def test_nothing_sure_and_identical_scores():
    s = scores(1.0)["m0"]
    d = gains_difference(Y, s, s, names=("a", "b"), draws=100)
    ax = d.plot(title="Twins", color="red", show_legend=False)
    ax.figure.canvas.draw()
    assert not with_gid((*ax.lines, *ax.collections), "difference-sure")
    assert ax.get_title() == "Twins"
    assert marks(ax)[0].get_color() == "red"
    assert ax.get_xlabel().startswith("Share of the rows")
    assert ax.get_ylim()[0] <= -0.05


def test_without_matplotlib_the_extra_is_named(four, crossing, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    for draw in (four.plot, crossing.plot):
        with pytest.raises(MissingExtraError, match=r"pip install matplotlib$"):
            draw()
