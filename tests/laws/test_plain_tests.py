"""Laws of every test of plain numbers that is given two columns of pairs; a new one is held to them by existing."""

from __future__ import annotations

import inspect
import math

import numpy as np
import pytest

from surefold.significance import plain_tests

PAIRED = [name for name, test in plain_tests().items() if test.reads == "pairs"]
SEEDS = range(4)


def columns(seed: int) -> tuple[list[float], list[float]]:
    """Twelve pairs, one of them tied, the first a little larger; no differences of the same size but that."""
    rng = np.random.default_rng(seed)
    second = rng.normal(0, 1, 12).round(6)
    first = second + rng.normal(0.4, 1, 12).round(6)
    first[3] = second[3]
    return first.tolist(), second.tolist()


def test_the_tests_of_pairs_are_there() -> None:
    assert {"paired_t", "permutation", "sign_test", "wilcoxon"} <= set(PAIRED)


@pytest.mark.parametrize("name", plain_tests())
def test_a_test_says_what_it_tests_and_where_it_is_from(name: str) -> None:
    test = plain_tests()[name]
    assert test.null
    assert any(character.isdigit() for character in test.source), "a source has its year"
    assert ">>> " in (test.function.__doc__ or ""), "an example that is run"


@pytest.mark.parametrize("name", plain_tests())
def test_a_test_says_what_comes_in(name: str) -> None:
    function = plain_tests()[name].function
    lines = [line.strip() for line in (function.__doc__ or "").splitlines()]
    told = [line.partition(": ")[0] for line in lines]
    assert [option for option in inspect.signature(function).parameters if option not in told] == []


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", PAIRED)
def test_swapped_columns_turn_the_effect_round_and_leave_p(name: str, seed: int) -> None:
    function, (first, second) = plain_tests()[name].function, columns(seed)
    one, other = function(first, second), function(second, first)
    assert one.p_value == pytest.approx(other.p_value, rel=1e-12)
    assert 0 < one.p_value <= 1
    assert one.effect.value == pytest.approx(-other.effect.value, rel=1e-12)
    assert one.effect.low == pytest.approx(-other.effect.high, rel=1e-9)
    assert one.effect.value != 0


@pytest.mark.parametrize("name", PAIRED)
def test_the_order_of_pairs_does_not_matter(name: str) -> None:
    function, (first, second) = plain_tests()[name].function, columns(0)
    one, other = function(first, second), function(first[::-1], second[::-1])
    assert one.p_value == pytest.approx(other.p_value, rel=1e-12)
    assert one.effect.value == pytest.approx(other.effect.value, rel=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", PAIRED)
def test_two_sides_are_twice_the_smaller_one(name: str, seed: int) -> None:
    function, (first, second) = plain_tests()[name].function, columns(seed)
    sides = [function(first, second, alternative=side).p_value for side in ("greater", "less")]
    assert function(first, second).p_value == pytest.approx(min(1.0, 2 * min(sides)), rel=1e-9)


@pytest.mark.parametrize("name", PAIRED)
def test_equal_columns_are_no_evidence(name: str) -> None:
    found = plain_tests()[name].function([1.0, 2.0, 3.0, 5.0], [1.0, 2.0, 3.0, 5.0])
    assert found.p_value == 1.0
    assert found.effect.value == 0.0
    assert not math.isnan(found.p_value)


@pytest.mark.parametrize("name", PAIRED)
def test_the_first_far_above_the_second_is_evidence(name: str) -> None:
    first, second = columns(1)
    assert plain_tests()[name].function([x + 5 for x in first], second).p_value < 0.01
