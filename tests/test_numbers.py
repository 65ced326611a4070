"""Numbers for people: what they show is within half a unit of what they are, and says no more than is known."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefold.estimates.estimate import Estimate
from surefold.numbers import MINUS, decimals, number, p_said, p_text, percent, texts


def read(text: str) -> float:
    return float(text.replace(MINUS, "-").replace(",", ""))


def places(text: str) -> int:
    return len(text.partition(".")[2])


@pytest.mark.parametrize(
    ("value", "low", "high", "shown"),
    [
        (0.602, 0.60206, 0.60292, "0.60200 [0.60206, 0.60292]"),  # half of .00086 is .00043: two digits are five places
        (0.83, 0.36, 0.99, "0.83 [0.36, 0.99]"),  # half of .63 is .315
        (0.9684, 0.9411, 0.9832, "0.968 [0.941, 0.983]"),  # half of .042 is .021
        (869.565, 102.3, 7391.2, "870 [102, 7,390]"),  # ends a factor of ten apart: three digits each
        (-0.006, -0.048, 0.036, "−0.006 [−0.048, 0.036]"),
        (1234.5, 1200.0, 1270.0, "1,234 [1,200, 1,270]"),
        (0.9999, 0.98, 0.999997, "0.9999 [0.9800, 0.999997]"),  # no bound is written as the end that it does not reach
        (1.0, 0.4, 1.0, "1.00 [0.40, 1.00]"),
        (0.5, 0.5, 0.5, "0.500 [0.500, 0.500]"),
        (0.7, 0.6, math.inf, "0.700 [0.600, ∞]"),
        (0.7, math.nan, math.nan, "0.700"),
    ],
)
def test_digits_follow_the_interval(value: float, low: float, high: float, shown: str) -> None:
    assert str(Estimate(value, low, high)) == shown


def test_a_format_that_is_asked_for_is_obeyed() -> None:
    e = Estimate(0.83, 0.36, 0.99)
    assert f"{e:.4f}" == "0.8300 [0.3600, 0.9900]"
    assert (float(e), round(e, 1), e > 0.5) == (0.83, 0.8, True)


shares = st.floats(0, 1)


@given(shares, shares, shares)
def test_what_is_shown_lies_within_half_a_unit(one: float, two: float, three: float) -> None:
    low, value, high = sorted((one, two, three))
    for text, exact in zip(texts(value, low, high), (value, low, high), strict=True):
        unit = abs(exact) * 0.01 if "e" in text else 10.0 ** -places(text)
        assert abs(read(text) - exact) <= unit / 2 * (1 + 1e-6) + 1e-15


@given(shares, shares)
def test_no_bound_is_written_as_an_end_that_it_does_not_reach(one: float, two: float) -> None:
    low, high = sorted((one, two))
    for text, exact in zip(texts((low + high) / 2, low, high)[1:], (low, high), strict=True):
        if 1e-7 < exact < 1 - 1e-7:
            assert 0 < read(text) < 1


@given(st.floats(1e-6, 1))
def test_half_a_width_has_two_digits(half: float) -> None:
    d = decimals(0.0, 2 * half)
    assert half * 10.0**d >= 10 or d == 7
    assert d == 0 or half * 10.0 ** (d - 1) < 10


@given(st.floats(allow_nan=False, allow_infinity=False, min_value=-1e9, max_value=1e9))
def test_a_number_alone_has_three_digits(value: float) -> None:
    assert read(number(value)) == pytest.approx(value, rel=0.0051, abs=1e-12)


def test_p_values_and_shares() -> None:
    assert [p_text(p) for p in (0.5, 0.0496, 0.00123, 0.00023, 0.00009)] == [
        "0.500", "0.0496", "0.0012", "0.0002", "< 0.0001",
    ]  # fmt: skip
    assert (p_said(0.0496), p_said(0.0)) == ("p = 0.0496", "p < 0.0001")
    assert [percent(x) for x in (0.5412, 0.0028, 0.995, 0.0, 1.0)] == ["54%", "0.28%", "99.50%", "0%", "100%"]
    assert percent(0.96842, 0.941, 0.983) == "96.8%"
