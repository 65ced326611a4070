"""Roots against closed forms, and against scipy's Brent."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq

from surefold.estimates.roots import root_between


@pytest.mark.parametrize(
    ("f", "low", "high", "root"),
    [
        (lambda x: x * x - 2, 0.0, 2.0, math.sqrt(2)),
        (lambda x: math.exp(-x) - 0.25, 0.0, 9.0, math.log(4)),
        (lambda x: x - 0.5, 0.0, 1.0, 0.5),  # met at the first halving
        (lambda x: (x - 0.3) ** 3, 0.0, 1.0, 0.3),  # flat at the root
        (lambda x: 1.0 if x < 1 / 3 else -1.0, 0.0, 1.0, 1 / 3),  # a step
        (lambda x: x, 0.0, 1.0, 0.0),  # at an end
    ],
)
def test_roots_that_are_known(f, low, high, root):
    near = 1e-5 if f(root + 1e-6) and abs(f(root + 1e-6)) < 1e-17 else 4e-15  # where f is flat, no digit more is there
    assert root_between(f, low, high) == pytest.approx(root, abs=near)


@given(st.floats(0.01, 0.99), st.floats(0.1, 40))
def test_roots_are_those_of_brent(chance, power):
    def falls(x: float) -> float:
        return float((1 - x) ** power - chance)

    assert root_between(falls, 0.0, 1.0) == pytest.approx(brentq(falls, 0.0, 1.0, xtol=1e-16, rtol=1e-15), abs=1e-14)


def test_ends_of_one_sign_are_refused():
    with pytest.raises(AssertionError):
        root_between(lambda x: x * x + 1, 0.0, 1.0)
