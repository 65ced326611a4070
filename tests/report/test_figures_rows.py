"""Charts with rows, lines and bars: every mark where its number says, by hand."""

import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from surefold.estimates.estimate import Estimate
from surefold.show.chart import Axis, Chart, Dots
from surefold.show.charts.histogram import histogram_chart
from surefold.show.charts.lines import INSET, MOST_LINES, lines_chart
from surefold.show.row_chart import Group, Row, RowChart, axis_of, grouped_levels
from surefold.show.write.drawing import svg as svg_of
from surefold.show.write.svg import Frame, paths_of
from surefold.show.write.svg_rows import LEFT, Rows

UNIT = Axis("share")
REACH = 1 - sum(INSET)
NAN = float("nan")


def paths(svg: str, kind: str) -> list[str]:
    tree = ET.fromstring(svg)
    return [part.get("d", "") for part in tree.iter() if part.get("class") == kind]


def numbers(d: str) -> list[float]:
    return [float(v) for v in re.findall(r"-?\d+\.?\d*", d)]


def test_a_value_stands_on_its_interval() -> None:
    chart = RowChart("k", "T", "s", UNIT, (Row("a", Estimate(0.5, 0.25, 1.0), "0.500"),))
    wide = Rows(chart).right - LEFT
    svg = svg_of(chart)
    (whisker,) = paths(svg, "whisker")
    start, middle, end = numbers(whisker)[:3]
    assert (start, end) == pytest.approx((LEFT + 0.25 * wide, LEFT + wide), abs=0.06)
    (point,) = paths(svg, "point")
    assert numbers(point)[:2] == pytest.approx([LEFT + 0.5 * wide, middle], abs=0.06)


def test_what_lies_off_the_axis_stops_at_its_end_and_has_no_cap() -> None:
    chart = RowChart("k", "T", "s", UNIT, (Row("a", Estimate(0.5, -1.0, float("inf"))),))
    (whisker,) = paths(svg_of(chart), "whisker")
    assert "v6" not in whisker
    assert numbers(whisker)[::2][:2] == pytest.approx([LEFT, Rows(chart).right], abs=0.06)


def test_what_is_undefined_is_not_drawn() -> None:
    chart = RowChart("k", "T", "s", UNIT, (Row("a", Estimate(NAN, NAN, NAN, reason="no row")),))
    assert paths(svg_of(chart), "point") == []
    only_value = RowChart("k", "T", "s", UNIT, (Row("a", Estimate(0.5, NAN, NAN)),))
    assert (len(paths(svg_of(only_value), "whisker")), len(paths(svg_of(only_value), "point"))) == (0, 1)


def test_every_split_has_a_dot_and_equal_ones_stand_apart() -> None:
    chart = RowChart("k", "T", "s", UNIT, (Row("a", None, dots=(0.5, 0.5, 0.5, 0.1, NAN)),))
    (dots,) = paths(svg_of(chart), "splits")
    places = [tuple(numbers(part)[:2]) for part in dots.split("M")[1:]]
    assert len(places) == len(set(places)) == 4
    assert len({x for x, _ in places}) == 2


def test_bars_join_the_rows_they_name() -> None:
    rows = tuple(Row(name, Estimate(0.5, NAN, NAN)) for name in "abcd")
    chart = RowChart("k", "T", "s", UNIT, rows, groups=(Group((0, 1, 2)), Group((2, 3))))
    middles = [numbers(d)[1] for d in paths(svg_of(chart), "point")]
    first, second = (numbers(d) for d in paths(svg_of(chart), "joined"))
    assert (first[1], first[2]) == (middles[0], middles[2])
    assert (second[1], second[2]) == (middles[2], middles[3])
    assert first[0] != second[0]  # they share a row, so they stand beside each other
    assert grouped_levels([Group((0, 5)), Group((1, 2)), Group((3, 4))]) == [0, 1, 1]


def test_a_shade_and_a_line_where_they_were_asked_for() -> None:
    chart = RowChart("k", "T", "s", Axis("d", -1.0, 1.0), (Row("a"),), ((0.0, "none"),), (-0.5, 0.5))
    middle = LEFT + (Rows(chart).right - LEFT) / 2
    (line,) = paths(svg_of(chart), "reference")
    assert numbers(line)[0] == pytest.approx(middle, abs=0.06)
    (shade,) = paths(svg_of(chart), "shade")
    quarter = (Rows(chart).right - LEFT) / 4
    start, _, end = numbers(shade)[:3]
    assert (start, end) == pytest.approx((middle - quarter, middle + quarter), abs=0.06)


def test_an_axis_holds_values_bounds_dots_and_lines() -> None:
    axis = axis_of("x", [Row("a", Estimate(0.4, 0.3, 0.5), dots=(0.9,)), Row("b", Estimate(NAN, NAN, NAN))], (-0.2,))
    assert axis.low <= -0.2
    assert axis.high >= 0.9


@pytest.mark.parametrize("page", [True, False])
def test_drawings_are_xml_that_shows_text_as_text(page: bool) -> None:
    evil = '<b>"&\x1b'
    e = Estimate(0.5, 0.4, 0.6)
    charts: list[Chart | RowChart] = [
        RowChart("k", evil, "s" * 40, UNIT, (Row(evil, e, evil),), ((0.5, evil),), scale=(0.5, evil)),
        lines_chart("k", evil, (evil, evil), [evil, "b"], {evil: [e, e]}, evil),
        histogram_chart("k", evil, evil, [0.1, 0.2], {evil: 0.15}, evil),
    ]
    for chart in charts:
        tree = ET.fromstring(svg_of(chart, page))
        assert tree.get("role") == "img"
        assert evil.replace("\x1b", "\\x1b") in (tree.get("aria-label") or "")
        assert all("style" not in part.attrib for part in tree.iter())
        assert {part.tag.split("}")[-1] for part in tree.iter()} <= {"svg", "path", "text"}


# lines


def falling(n: int) -> list[Estimate]:
    return [Estimate(0.4 - 0.1 * i, 0.3 - 0.1 * i, 0.5 - 0.1 * i) for i in range(n)]


def test_numbers_are_to_scale_or_in_logarithms_and_words_are_even() -> None:
    def places(x: list[object]) -> list[float]:
        chart = lines_chart("k", "T", ("x", "y"), x, {"a": falling(3)}, "s")
        return [round((place - INSET[0]) / REACH, 3) for place in chart.x.places]

    assert places([0, 1, 4]) == [0, 0.25, 1]
    assert places([1, 10, 100]) == [0, 0.5, 1]
    assert places([1, 2, None]) == [0, 0.5, 1]


def test_a_line_goes_through_its_values() -> None:
    chart = lines_chart("k", "T", ("x", "y"), [0, 1], {"a": falling(2)}, "s", from_zero=True)
    line, frame = paths_of(chart)["line0"], Frame(chart)
    start_x, start_y, dx, dy = numbers(line.replace("l", " "))
    assert (start_x, start_y) == pytest.approx((float(frame.x(0)), float(frame.y(0.4))), abs=0.06)
    assert (start_x + dx, start_y + dy) == pytest.approx((float(frame.x(1)), float(frame.y(0.3))), abs=0.15)
    assert chart.y.low <= 0 <= chart.y.high


def test_two_lines_have_bands_and_three_have_bars() -> None:
    charts = (lines_chart("k", "T", ("x", "y"), [0, 1], {n: falling(2) for n in names}) for names in ("ab", "abc"))
    kinds = [{mark.kind.split()[0] for mark in chart.marks} for chart in charts]
    assert kinds == [{"area", "series", "marks"}, {"ends-of", "series", "marks"}]


def test_names_at_the_ends_keep_apart_and_inside() -> None:
    chart = lines_chart("k", "T", ("x", "y"), [0, 1], {n: falling(2) for n in "abcdefgh"}, "s")
    names = Frame(chart).places()
    assert len(names) == MOST_LINES
    assert {row[0] for row in chart.rows} == set("abcdefgh")  # the table has them all
    y = sorted(y for _, _, y in names)
    assert min(np.diff(y)) >= 10
    _, top, _, tall = Frame(chart).box
    assert top <= y[0]
    assert y[-1] <= top + tall + 1


def test_an_undefined_point_is_left_out() -> None:
    e = [Estimate(0.4, 0.3, 0.5), Estimate(NAN, NAN, NAN, reason="no"), Estimate(0.2, 0.1, 0.3)]
    chart = lines_chart("k", "T", ("x", "y"), [0, 1, 2], {"a": e}, "s")
    (marks,) = (mark for mark in chart.marks if isinstance(mark, Dots))
    assert len(marks.x) == 2
    assert chart.rows[1][2:] == ("undefined", "–", "–")


# bars


def test_every_value_is_in_a_bar() -> None:
    rng = np.random.default_rng(0)
    for values in (rng.random(200), np.repeat([0.1, 0.2, 0.4], 5), np.array([0.3])):
        chart = histogram_chart("k", "T", "x", values.tolist(), {"mean": float(values.mean())}, "s")
        assert sum(int(row[2]) for row in chart.rows) == len(values)
        assert chart.x.low <= values.min() <= values.max() <= chart.x.high
    place = numbers(paths_of(chart)["mark0"])[0]
    assert place == pytest.approx(float(Frame(chart).x(0.3)), abs=0.06)
