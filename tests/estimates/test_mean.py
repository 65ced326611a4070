"""The mean of values with the textbooks' interval: the chapter's example by hand, the edges, the laws."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surefold.errors import InputError, UnknownNameError
from surefold.estimates import mean_interval, mean_interval_from, variance_interval

approx = pytest.approx
FOLDS = [8 / 30, 4 / 30, 7 / 30, 11 / 30, 5 / 30]  # sum 35/30, mean 7/30
#: squares of 1, -3, 0, 4, -2 thirtieths: 30/900, over K - 1 = 4
VARIANCE = (1 + 9 + 0 + 16 + 4) / 900 / 4
VALUES = st.lists(st.floats(-1e3, 1e3), min_size=2, max_size=30)


def test_example_22_7_mean_and_variance():
    e = mean_interval(FOLDS)
    assert float(e) == approx(7 / 30)
    assert e.se**2 * 5 == approx(VARIANCE) == approx(0.00833, abs=5e-6)
    assert mean_interval(FOLDS, ddof=0).se ** 2 * 5 == approx(30 / 900 / 5)  # eq. 22.4 as written divides by K


@pytest.mark.parametrize(
    ("distribution", "confidence", "quantile", "printed"),
    [
        ("normal", 0.95, 1.959964, (0.153, 0.313)),
        ("normal", 0.99, 2.575829, (0.128, 0.338)),
        ("t", 0.95, 2.776445, (0.120, 0.347)),
        ("t", 0.99, 4.604095, (0.045, 0.421)),
    ],
)
def test_examples_22_9_and_22_10(distribution, confidence, quantile, printed):
    e = mean_interval(FOLDS, distribution, confidence=confidence)
    reach = quantile * math.sqrt(VARIANCE / 5)
    assert e.interval == approx((7 / 30 - reach, 7 / 30 + reach), abs=1e-6)
    assert e.interval == approx(printed, abs=6e-4)
    assert e.df == (4 if distribution == "t" else None)
    assert (e.confidence, e.n, e.flags) == (confidence, 5, ())


def test_dividing_by_k_is_there_by_name():
    e = mean_interval(FOLDS, "t", 0)
    assert e.method == "t, ddof=0"
    assert e.width == approx(mean_interval(FOLDS).width * math.sqrt(4 / 5))


def test_equal_values_are_flagged():
    e = mean_interval([0.1] * 10)
    assert e.interval == approx((0.1, 0.1))
    assert e.se == 0
    assert e.flags == ("degenerate",)


def test_one_value_has_no_interval_and_says_why():
    e = mean_interval([0.2])
    assert float(e) == 0.2
    assert math.isnan(e.low)
    assert math.isnan(e.se)
    assert "spread" in e.reason


@pytest.mark.parametrize(
    ("values", "code"),
    [
        ([0.1, math.nan, 0.2], "undefined_folds"),
        ([0.1, math.inf], "undefined_folds"),
        ([], "no_rows"),
        ([[0.1, 0.2]], "bad_shape"),
        (["a", "b"], "not_an_array"),
    ],
)
def test_what_is_refused(values, code):
    with pytest.raises(InputError) as caught:
        mean_interval(values)
    assert caught.value.code == code


def test_the_place_of_a_missing_value_is_told():
    with pytest.raises(InputError, match="2 of 4 values are not finite, first at 2, 4"):
        mean_interval([0.1, math.nan, 0.2, math.nan])


def test_options_are_checked():
    with pytest.raises(UnknownNameError, match="did you mean 'normal'"):
        mean_interval(FOLDS, "norml")  # type: ignore[arg-type]
    with pytest.raises(InputError):
        mean_interval(FOLDS, ddof=2)
    with pytest.raises(InputError):
        mean_interval(FOLDS, confidence=95)


@settings(max_examples=80, deadline=None)
@given(VALUES, st.floats(-50, 50), st.randoms(use_true_random=False))
def test_shift_scale_and_order(values, shift, random):
    e = mean_interval(values)
    moved = mean_interval([v + shift for v in values])
    assert moved.interval == approx((e.low + shift, e.high + shift), abs=1e-7)
    turned = mean_interval([-v for v in values])
    assert turned.interval == approx((-e.high, -e.low), abs=1e-9)
    mixed = list(values)
    random.shuffle(mixed)
    assert mean_interval(mixed).interval == approx(e.interval, abs=1e-7)
    assert e.low <= float(e) <= e.high
    assert (e.width == 0) == ("degenerate" in e.flags)


def test_t_comes_to_normal_with_many_values():
    values = np.random.default_rng(0).normal(size=20_000)
    assert mean_interval(values).width == approx(mean_interval(values, "normal").width, rel=1e-3)


def test_a_known_sigma_takes_the_place_of_the_spread():
    e = mean_interval([0.2, 0.4], sigma=0.1)
    reach = 1.959964 * 0.1 / math.sqrt(2)
    assert e.interval == approx((0.3 - reach, 0.3 + reach), abs=1e-6)
    assert (e.method, e.df) == ("normal, sigma known", None)
    assert mean_interval([0.2], sigma=0.1).width == approx(2 * 1.959964 * 0.1, abs=1e-6)  # one value will do


def test_from_a_summary_is_from_the_values():
    whole = mean_interval(FOLDS)
    sd = math.sqrt(VARIANCE)
    for found in (mean_interval_from(7 / 30, 5, sd=sd), mean_interval_from(7 / 30, 5, se=sd / math.sqrt(5))):
        assert found.interval == approx(whole.interval)
        assert (found.n, found.df) == (5, 4)
    normal = mean_interval_from(0.233, 5, sd=0.0913, distribution="normal")
    assert normal.interval == approx((0.153, 0.313), abs=5e-4)  # Example 22.9 from what it prints


@pytest.mark.parametrize(
    "given", [{}, {"sd": 0.1, "se": 0.1}, {"sd": 0.0}, {"se": -1.0}, {"se": math.nan}, {"sd": 0.1, "k": 1}]
)
def test_a_summary_that_says_too_little_or_too_much(given):
    with pytest.raises(InputError, match="give"):
        mean_interval_from(0.2, given.pop("k", 5), **given)


@pytest.mark.parametrize("sigma", [0, -0.1, math.inf, "wide", True])
def test_sigma_is_a_positive_number(sigma):
    with pytest.raises(InputError, match="sigma"):
        mean_interval(FOLDS, sigma=sigma)


def test_the_interval_of_a_variance_by_hand():
    e = variance_interval(FOLDS)
    assert float(e) == approx(VARIANCE)
    # quantiles of chi-squared with 4 degrees of freedom: 11.1433 and 0.48442
    assert e.interval == approx((4 * VARIANCE / 11.1433, 4 * VARIANCE / 0.484419), rel=1e-5)
    assert variance_interval([3.0, 3.0]).flags == ("degenerate",)
    assert not variance_interval([3.0]).defined


def test_the_interval_of_a_variance_covers_as_it_says():
    rng = np.random.default_rng(1)
    held = np.mean([1.0 in variance_interval(rng.normal(size=5), confidence=0.9) for _ in range(2000)])
    assert held == approx(0.9, abs=3 * math.sqrt(0.09 / 2000))
