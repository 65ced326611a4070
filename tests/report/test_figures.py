"""Charts: every point where the curve has it, and nothing drawn that cannot be seen."""

import re
import xml.etree.ElementTree as ET
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import surefold as sf
from surefold.curves.curve import upper_hull
from surefold.show.chart import UNIT, Chart, nice_axis
from surefold.show.charts.probabilities import reliability_chart, scores_chart
from surefold.show.charts.ranking import gains_chart, lift_chart, precision_recall_chart, roc_chart
from surefold.show.charts.thinning import hull_places, spread_places, stepped
from surefold.show.write.drawing import svg
from surefold.show.write.interval_mark import interval_mark
from surefold.show.write.paths import outline, polyline, rectangles, simplified, uprights
from surefold.show.write.svg import Frame, paths_of

# The chapter's five rows (ex. 22.5): points (0, 0) (0, 1/3) (.5, 1) (1, 1), area 5/6.
CHAPTER = sf.assess([1, 0, 1, 1, 0], y_score=[0.9, 0.8, 0.8, 0.8, 0.1])


def points_of(d: str) -> list[tuple[float, float]]:
    """The corners of path data made of M and l."""
    start, _, rest = d.rstrip("z").partition("l")
    x, y = map(float, start[1:].split())
    found = [(x, y)]
    steps = [float(v) for v in re.findall(r"-?(?:\d+\.?\d*|\.\d+)", rest)]
    for dx, dy in zip(steps[::2], steps[1::2], strict=True):
        x, y = x + dx, y + dy
        found.append((round(x, 1), round(y, 1)))
    return found


def test_the_roc_curve_is_where_the_chapter_has_it() -> None:
    chart = roc_chart(CHAPTER, CHAPTER["roc_auc"])
    left, top, wide, high = Frame(chart).box
    wanted = [(left + x * wide, top + (1 - y) * high) for x, y in ((0, 0), (0, 1 / 3), (0.5, 1), (1, 1))]
    assert points_of(paths_of(chart)["line"]) == pytest.approx(np.array(wanted), abs=0.06)
    assert "0.83 [" in chart.sentence
    assert chart.rows[5][:2] == ("0.500", "1.000")


def test_tables_of_charts_are_the_librarys() -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 200)
    a = sf.assess(truth, y_score=np.clip(rng.normal(0.4 + 0.2 * truth, 0.2), 0, 1))
    low, high = a.gains.band().at([0.3])
    row = gains_chart(a).rows[3]
    assert row == ("0.300", f"{a.gains.at(0.3):.3f}", f"{low[0]:.3f}", f"{high[0]:.3f}")
    assert lift_chart(a).rows[1][1] == f"{a.lift.at(0.2):.2f}"
    point = a.precision_recall.at(recall=0.5)
    assert precision_recall_chart(a, a["average_precision"]).rows[4][1] == f"{point.precision:.3f}"
    reliability = reliability_chart(a)
    assert [row[4] for row in reliability.rows] == [f"{n:.0f}" for n in a.calibration.n]
    counts = np.array([[float(v) for v in row[2:]] for row in scores_chart(a, 0.5).rows])
    assert counts.sum(axis=0).tolist() == [truth.sum(), 200 - truth.sum()]


@pytest.mark.parametrize("page", [True, False])
def test_drawings_are_xml_with_a_sentence(page: bool) -> None:
    for chart in (roc_chart(CHAPTER, CHAPTER["roc_auc"]), reliability_chart(CHAPTER), scores_chart(CHAPTER, 0.5)):
        tree = ET.fromstring(svg(chart, page))
        assert tree.get("role") == "img"
        assert chart.sentence in (tree.get("aria-label") or "")
        assert page == ("class" in tree.attrib)
        assert all("style" not in part.attrib for part in tree.iter())


def test_the_dot_and_the_line_at_the_threshold() -> None:
    chart = Chart("k", "T", "s", UNIT, UNIT, dot=(0.5, 0.25), cursor=2.0)
    tree = ET.fromstring(svg(chart, False))
    left, top, wide, high = Frame(chart).box
    dot = next(part for part in tree.iter() if part.tag.endswith("circle"))
    assert float(dot.get("cx", 0)) == left + wide / 2
    assert float(dot.get("cy", 0)) == pytest.approx(top + 0.75 * high, abs=0.06)
    assert 'visibility="hidden"' in svg(chart)  # a threshold of 2 is off the axis


def test_a_mark_runs_from_low_to_high() -> None:
    e = sf.Estimate(0.5, 0.25, 1.0)
    assert 'd="M31.0 7H118.0"' in interval_mark(e)  # 2 + .25 x 116, 2 + 116
    nothing = sf.Estimate(np.nan, np.nan, np.nan, reason="none")
    assert 'class="point" d=""' in interval_mark(nothing)


@pytest.mark.parametrize(
    ("low", "high", "labels"),
    [
        (0, 1, ("0", "0.25", "0.5", "0.75", "1")),
        (0, 37, ("0", "10", "20", "30", "40")),
        (-3.2, 4.1, ("-4", "-2", "0", "2", "4")),
        (0, 0, None),
    ],
)
def test_axes_have_round_steps_and_hold_the_data(low: float, high: float, labels: Any) -> None:
    axis = nice_axis("x", low, high)
    assert axis.low <= low + 1e-9
    assert axis.high >= high - 1e-9
    assert len(axis.labels) == 5
    if labels and axis.high == float(labels[-1]):
        assert axis.labels == labels


def test_path_data_by_hand() -> None:
    assert polyline([0, 5, 10], [0, 0, 0]) == "M0 0l10 0"
    assert polyline([1.04, 1.04], [2, -0.5]) == "M1 2l0-2.5"
    assert polyline([np.nan], [1]) == ""
    assert outline([0, 4, 4], [0, 0, 3]) == "M0 0l4 0 0 3z"
    assert rectangles([0, 1], [1, 2], [3, 5], [5, 5]) == "M0 5v-2h1v2z"  # the second has no height
    assert uprights([2], [1], [4]) == "M2 1V4"
    x, y = stepped([0, 1, 2], [5, 6, 7])
    assert list(zip(x, y, strict=True)) == [(0, 5), (0, 6), (1, 6), (1, 7), (2, 7)]


@given(st.lists(st.floats(-50, 50), min_size=2, max_size=60), st.floats(0.1, 5))
def test_no_point_is_further_from_the_line_than_allowed(ys: list[float], tolerance: float) -> None:
    x, y = np.arange(len(ys), dtype=float), np.array(ys)
    kept = simplified(x, y, tolerance)
    assert np.abs(np.interp(x, x[kept], y[kept]) - y).max() <= tolerance * np.hypot(1, 100) + 1e-9
    for a, b in pairwise(kept.tolist()):
        along = np.array([x[b] - x[a], y[b] - y[a]])
        away = np.abs(along[0] * (y[a:b] - y[a]) - along[1] * (x[a:b] - x[a])) / np.hypot(*along)
        assert away.max() <= tolerance + 1e-9


@pytest.mark.parametrize("n", [50, 3000, 30_000])
def test_the_fast_hull_is_the_hull(n: int) -> None:
    rng = np.random.default_rng(n)
    up = rng.random(n) < np.linspace(0.9, 0.1, n)
    x, y = np.append(0, np.cumsum(~up)) / (~up).sum(), np.append(0, np.cumsum(up)) / up.sum()
    assert hull_places(x, y).tolist() == upper_hull(x, y).tolist()


def test_thinning_keeps_the_ends_and_what_must_stay() -> None:
    x = np.linspace(0, 1, 5000)
    kept = spread_places(x, np.sqrt(x), 100, np.array([7, 4321]))
    assert len(kept) <= 100
    assert {0, 7, 4321, 4999} <= set(kept.tolist())
    assert len(spread_places(x[:80], x[:80], 100, np.array([3]))) == 80
    steep = np.where(x < 0.001, 0.0, 1.0)  # nearly all of the curve's length is in one step
    assert len(spread_places(x, steep, 100, np.array([3]))) >= 95
