"""The .632 family: by hand, its published corner, the accuracy form of the lecture, and its laws."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surefold.errors import InputError
from surefold.estimates import no_information_rate, point632, point632plus
from surefold.estimates.optimism import overfitting_rate, weight632plus

approx = pytest.approx
RATE = st.floats(0, 1)


def test_no_information_rate_by_hand():
    # truth 3/5 a, 2/5 b; predictions 4/5 a, 1/5 b: 3/5 x 1/5 + 2/5 x 4/5
    assert no_information_rate(list("aaabb"), list("aaaab")) == approx(3 / 25 + 8 / 25)


def test_no_information_rate_is_the_error_over_all_pairs():
    rng = np.random.default_rng(3)
    truth, predicted = rng.integers(4, size=60), rng.integers(1, 6, size=60)
    assert no_information_rate(truth, predicted) == approx((truth[:, None] != predicted[None, :]).mean())


def test_no_information_rate_of_mixed_objects():
    assert no_information_rate(
        np.array(["a", None, 1], dtype=object), np.array([None, None, 1], dtype=object)
    ) == approx((1 / 3) * 1 + (1 / 3) * (1 / 3) + (1 / 3) * (2 / 3))


@pytest.mark.parametrize(
    ("truth", "predicted", "code"),
    [([1, 2], [1], "length_mismatch"), ([], [], "no_rows"), ([[1, 2]], [1, 2], "bad_shape")],
)
def test_no_information_rate_refuses(truth, predicted, code):
    with pytest.raises(InputError) as caught:
        no_information_rate(truth, predicted)
    assert caught.value.code == code


def test_point632_by_hand():
    assert point632(0.1, 0.3) == approx(0.368 * 0.1 + 0.632 * 0.3)
    assert isinstance(point632(0.1, 0.3), float)


def test_point632_in_accuracies_as_the_lecture_has_it():
    # mean over samples of .632 x accuracy out of sample + .368 x accuracy of resubstitution
    out_of_sample, resubstitution = np.array([0.70, 0.80, 0.75]), 0.95
    accuracy = np.mean(0.632 * out_of_sample + 0.368 * resubstitution)
    assert 1 - point632(1 - resubstitution, float(np.mean(1 - out_of_sample))) == approx(accuracy)
    assert point632(resubstitution, float(out_of_sample.mean())) == approx(accuracy)  # it is linear


def test_point632plus_by_hand():
    # R = (.3 - .1)/(.5 - .1) = 1/2; w = .632 / (1 - .368/2)
    w = 0.632 / 0.816
    assert point632plus(0.1, 0.3, 0.5) == approx((1 - w) * 0.1 + w * 0.3)
    # Efron and Tibshirani's other form: Err(.632) + (left out - apparent) .368 x .632 R / (1 - .368 R)
    assert point632plus(0.1, 0.3, 0.5) == approx(point632(0.1, 0.3) + 0.2 * 0.368 * 0.632 * 0.5 / 0.816)


def test_the_nearest_neighbour_on_noise():
    # fits its training rows perfectly, is right half the time elsewhere: .632 is far off, .632+ is not
    assert point632(0.0, 0.5) == approx(0.316)
    assert point632plus(0.0, 0.5, 0.5) == approx(0.5)


@pytest.mark.parametrize(
    ("apparent", "left_out", "gamma", "rate"),
    [
        (0.1, 0.1, 0.5, 0),
        (0.2, 0.1, 0.5, 0),
        (0.1, 0.6, 0.5, 1),
        (0.3, 0.4, 0.3, 0),
        (0.3, 0.4, 0.2, 0),
        (0, 0.2, 0.4, 0.5),
    ],
)
def test_the_overfitting_rate_stays_within_0_and_1(apparent, left_out, gamma, rate):
    assert overfitting_rate(apparent, left_out, gamma) == approx(rate)
    assert weight632plus(apparent, left_out, gamma) == approx(0.632 / (1 - 0.368 * rate))


def test_left_out_above_gamma_counts_as_gamma():
    assert point632plus(0.0, 0.55, 0.5) == approx(0.5)
    # but not where even the apparent error is above it: then R = 0 and it is .632
    assert point632plus(0.3, 0.4, 0.2) == approx(point632(0.3, 0.4))


def test_arrays_in_arrays_out():
    apparent, left_out = np.array([0.0, 0.1]), np.array([0.5, 0.3])
    found = point632plus(apparent, left_out, 0.5)
    assert isinstance(found, np.ndarray)
    assert found == approx([point632plus(0.0, 0.5, 0.5), point632plus(0.1, 0.3, 0.5)])
    assert np.asarray(point632(apparent, left_out)).shape == (2,)


@pytest.mark.parametrize("wrong", [-0.1, float("nan"), float("inf")])
def test_errors_are_checked(wrong):
    with pytest.raises(InputError) as caught:
        point632(0.1, wrong)
    assert caught.value.code == "bad_option"


@settings(max_examples=200, deadline=None)
@given(RATE, RATE, RATE)
def test_between_apparent_and_left_out(apparent, left_out, gamma):
    plain, plus = point632(apparent, left_out), point632plus(apparent, left_out, gamma)
    for value in (plain, plus):
        assert min(apparent, left_out, gamma) - 1e-12 <= value <= max(apparent, left_out) + 1e-12
    if left_out <= gamma and left_out >= apparent:
        assert plus >= plain - 1e-12
