"""Losses, answer by answer."""

import numpy as np
import pytest

from surefold.errors import InputError
from surefold.studies.loss import cost_loss, squared_loss, zero_one_loss


def test_zero_one_is_the_error_rate() -> None:
    truth, answers = ["a", "b", "b", "c"], [["a", "a", "b", "c"], ["b", "b", "b", "a"]]
    assert zero_one_loss(truth, answers).tolist() == [[0, 1, 0, 0], [1, 0, 0, 1]]
    assert zero_one_loss(truth, answers).mean() == 3 / 8


def test_squared() -> None:
    assert squared_loss([1, -1, -1], [-1, -1, 0]).tolist() == [(1 + 1) ** 2, 0, (-1 - 0) ** 2]
    assert squared_loss([0, 1], [0.25, 0.25]).tolist() == [0.25**2, 0.75**2]


def test_squared_is_four_times_zero_one_on_minus_and_plus_one() -> None:
    rng = np.random.default_rng(0)
    truth, answers = rng.choice([-1, 1], 40), rng.choice([-1, 1], (5, 40))
    assert np.array_equal(squared_loss(truth, answers), 4 * zero_one_loss(truth, answers))


def test_costs_are_looked_up() -> None:
    costs = [[0, 2, 5], [1, 0, 3], [4, 6, 0]]
    found = cost_loss(["b", "a", "c"], ["c", "a", "a"], costs, labels=["a", "b", "c"])
    assert found.tolist() == [3, 0, 4]


def test_zero_one_is_the_cost_of_ones_off_the_diagonal() -> None:
    rng = np.random.default_rng(1)
    truth, answers = rng.choice(list("xyz"), 30), rng.choice(list("xyz"), (4, 30))
    assert np.array_equal(cost_loss(truth, answers, 1 - np.eye(3), list("xyz")), zero_one_loss(truth, answers))


@pytest.mark.parametrize(
    ("call", "code"),
    [
        (lambda: zero_one_loss(["a"], ["a", "b"]), "length_mismatch"),
        (lambda: zero_one_loss([], []), "no_rows"),
        (lambda: zero_one_loss([["a"]], ["a"]), "bad_shape"),
        (lambda: zero_one_loss([1.0, float("nan")], [1.0, 1.0]), "missing_label"),
        (lambda: zero_one_loss(["a", "b"], [0, 1]), "label_types_differ"),
        (lambda: squared_loss(["a"], ["a"]), "bad_option"),
        (lambda: cost_loss(["a"], ["b"], [[0, 1]], ["a", "b"]), "cost_matrix"),
        (lambda: cost_loss(["a"], ["b"], np.array([[0, np.inf], [0, 0]]), ["a", "b"]), "cost_matrix"),
        (lambda: cost_loss(["a"], ["c"], [[0, 1], [1, 0]], ["a", "b"]), "unknown_label"),
    ],
)
def test_refusals(call, code: str) -> None:
    with pytest.raises(InputError) as error:
        call()
    assert error.value.code == code
