"""The figure of a plan."""

import pytest

from surefold.planning.power import expected_width, power, sample_size, smallest_difference
from surefold.show.write.style import DARK, LIGHT, theme_of


def in_legend(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


@pytest.mark.parametrize("dark", [False, True])
def test_power_against_rows(dark):
    planned = sample_size("mcnemar", difference=0.02, disagreement=0.1)
    ax = planned.plot(dark=dark, title="$plan$")
    ax.figure.canvas.draw()
    assert theme_of(ax) is (DARK if dark else LIGHT)
    assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_xscale(), ax.get_title()) == ("Rows", "Power", "log", "$plan$")
    curve = next(line for line in ax.lines if getattr(line, "surefold_curve", False))
    rows, values = curve.get_data()
    assert planned.n in rows
    assert values[list(rows).index(planned.n)] == planned.reached
    for n in (rows[0], rows[-1]):
        assert values[list(rows).index(n)] == power("mcnemar", n=int(n), difference=0.02, disagreement=0.1).value
    assert in_legend(ax) == ["power", "1,949 rows: 80 %"]


def test_width_against_rows():
    planned = sample_size("proportion", value=0.9, width=0.05)
    ax = planned.plot()
    ax.figure.canvas.draw()
    assert ax.get_ylabel() == "Mean width of the interval"
    rows, values = next(line for line in ax.lines if getattr(line, "surefold_curve", False)).get_data()
    assert (values[:-1] > values[1:]).all()
    assert rows[0] < planned.n < rows[-1]
    assert "0.05 wide" in in_legend(ax)[1]


def test_on_axes_that_are_there():
    ax = power("two_proportions", n=30, first=0.5, second=0.9, design_effect=2).plot()
    again = smallest_difference("two_proportions", n=30, first=0.5).plot(ax)
    assert again is ax
    assert ax.get_xlabel() == "Rows of the first set"
    assert sum(getattr(line, "surefold_curve", False) for line in ax.lines) == 2


@pytest.mark.parametrize("n", [4, 10])
def test_few_rows(n):
    ax = expected_width("auc", n=n, value=0.8, positives_share=0.5).plot()
    ax.figure.canvas.draw()
    assert f"{n} rows" in in_legend(ax)[1]
