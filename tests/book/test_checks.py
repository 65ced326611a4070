"""Figures beside printed ones: what agrees, what may differ, and that every check can fail."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.figure import Figure

from surefold.book.checks import Differs, beside, differs, drawn, holds, taken

WHY = differs("the source rounded", 0.02)


@pytest.mark.parametrize(
    ("printed", "ours", "note", "passed"),
    [
        ("0.267", 8 / 30, None, True),
        ("0.267", 0.2676, None, False),
        ("0.5", 0.5, None, True),
        ("0.5", 0.549, None, True),
        ("0.5", 0.551, None, False),
        ("30", 30, None, True),
        ("4.8e-4", 4.84e-4, None, True),
        ("4.8e-4", 4.86e-4, None, False),
        ("(0.153, 0.313)", (0.1533, 0.3133), None, True),
        ("(0.153, 0.313)", (0.1533, 0.3143), None, False),
        ("-0.067", -0.0667, None, True),
        ("-0.067", 0.0667, None, False),
        ("1.28", 1.291, WHY, True),
        ("1.29", 1.291, WHY, False),
        ("1.28", 1.31, WHY, False),
        ("0.232", 0.2310, 0.01, True),
        ("0.232", 0.2510, 0.01, False),
        ("0.232", float("nan"), 0.01, False),
        ("0.232", float("nan"), None, False),
    ],
)
def test_beside(printed: str, ours: object, note: Differs | float | None, passed: bool, capsys) -> None:
    taken()
    beside("id", ("name", printed, ours) if note is None else ("name", printed, ours, note))
    (check,) = taken()
    assert (check.id, check.what, check.passed) == ("id", "name", passed)
    assert capsys.readouterr().out.splitlines()[1].startswith(f"name  {printed}")


def test_beside_wants_as_many_numbers_as_are_printed() -> None:
    with pytest.raises(ValueError, match="has 2 numbers and ours has 1"):
        beside("id", ("name", "1 2", 1))
    with pytest.raises(TypeError, match="no number"):
        beside("id", ("name", "1", object()))


def test_a_tolerance_that_reaches_to_nothing_cannot_fail(capsys) -> None:
    taken()
    beside("id", ("errors", "10", 5.0, 5.2), ("errors", "10", 5.5, 5.0))
    assert [check.can_fail for check in taken()] == [False, True]


@pytest.mark.parametrize(
    ("test", "figures", "can_fail"),
    [
        (lambda a: a > 0, (3,), True),
        (lambda a: True, (3,), False),
        (lambda a: a == a, (3,), False),
        (lambda a, b: a < 2, (1, 5), False),  # the second figure is never looked at
        (lambda a, b: a < b, (1, 2), True),
        (lambda a: a.sum() > 2, ([1.0, 2.0],), True),
        (lambda a: (np.diff(a) > 0).all(), ([1, 2, 3],), True),
        (lambda a: len(a) > 0, ([1, 2, 3],), False),
        (lambda a: a.tolist() == ["x", "y"], (["x", "y"],), True),
        (lambda a: a == "x", ("x",), True),
        (lambda a: a, (True,), True),
        (lambda: True, (), False),
    ],
)
def test_some_change_of_every_figure_must_make_a_claim_fail(test, figures, can_fail, capsys) -> None:
    taken()
    holds("id", "claim", test, *figures)
    (check,) = taken()
    assert check.passed
    assert check.can_fail is can_fail


def test_what_is_drawn() -> None:
    figure = Figure()
    ax = figure.add_subplot()
    ax.plot([0, 1], [2, 3])
    ax.scatter([5], [6])
    ax.bar([1.0], [4.0], width=1.0)
    ax.pcolormesh([[0.0, 1.0], [1.0, 0.0]])  # shading is no outline
    assert drawn(figure) == [[[0, 2], [1, 3]], [[5, 6]], [[1, 4]]]
    assert drawn(ax) == drawn(figure)
    ax.contour([[0.0, 1.0], [0.0, 1.0]], levels=[0.5])
    assert sorted(drawn(ax)[-2]) == [[0.5, 0.0], [0.5, 1.0]]
