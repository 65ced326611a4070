"""Rows from a pilot: arithmetic with its standard error, and what it is read from."""

import math
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm

import surefold as sf
from surefold.comparison import corrected_t, delong_test, mcnemar, paired_t, two_proportions
from surefold.errors import InputError, UnknownNameError
from surefold.estimates import wilson
from surefold.estimates.estimate import Estimate
from surefold.planning.power import expected_width, power, sample_size, smallest_difference

Z975, Z95, Z90, Z80 = 1.959964, 1.644854, 1.281552, 0.841621
PILOT: dict[str, Any] = {"se": 0.02, "rows": 400}


@pytest.mark.parametrize(
    ("facts", "wanted"),
    [
        # rows (z se / what is to be seen)²
        ({"difference": 0.02}, 400 * ((Z975 + Z80) * 0.02 / 0.02) ** 2),
        ({"difference": -0.02}, 400 * ((Z975 + Z80) * 0.02 / 0.02) ** 2),
        ({"width": 0.02}, 400 * (2 * Z975 * 0.02 / 0.02) ** 2),
        ({"design": "superiority", "difference": 0.02}, 400 * ((Z95 + Z80) * 0.02 / 0.02) ** 2),
        ({"design": "superiority", "difference": 0.05, "margin": 0.03}, 400 * ((Z95 + Z80) * 0.02 / 0.02) ** 2),
        ({"design": "noninferiority", "margin": 0.02}, 400 * ((Z95 + Z80) * 0.02 / 0.02) ** 2),
        ({"design": "noninferiority", "margin": 0.03, "difference": -0.01}, 400 * ((Z95 + Z80) * 0.02 / 0.02) ** 2),
        # both one-sided tests have to succeed, each with chance .9
        ({"design": "equivalence", "margin": 0.02}, 400 * ((Z95 + Z90) * 0.02 / 0.02) ** 2),
    ],
)
def test_rows_by_hand(facts, wanted):
    assert sample_size("pilot", **PILOT, **facts).n == math.ceil(wanted)


def test_power_by_hand():
    # 1,600 rows have half the standard error of 400: a difference of .02 is 2 of them
    wanted = norm.sf(Z975 - 2) + norm.sf(Z975 + 2)
    assert float(power("pilot", n=1600, difference=0.02, **PILOT)) == pytest.approx(wanted, abs=1e-6)
    wanted = norm.sf(Z95 - 2)
    assert float(power("pilot", n=1600, design="noninferiority", margin=0.02, **PILOT)) == pytest.approx(
        wanted, abs=1e-6
    )
    # margin .03 and difference .01: the ends are 2 and 4 standard errors away
    facts: dict[str, Any] = {"design": "equivalence", "margin": 0.03, "difference": 0.01}
    wanted = 1 - norm.sf(2 - Z95) - norm.sf(4 - Z95)
    assert float(power("pilot", n=1600, **facts, **PILOT)) == pytest.approx(wanted, abs=1e-6)
    assert float(power("pilot", n=2, design="equivalence", margin=0.001, **PILOT)) == 0
    assert float(expected_width("pilot", n=1600, **PILOT)) == pytest.approx(2 * Z975 * 0.01)


def test_the_smallest_difference_by_hand():
    assert float(smallest_difference("pilot", n=1600, **PILOT)) == pytest.approx((Z975 + Z80) * 0.01, abs=1e-6)
    found = smallest_difference("pilot", n=1600, design="superiority", margin=0.03, **PILOT)
    assert float(found) == pytest.approx(0.03 + (Z95 + Z80) * 0.01, abs=1e-6)
    found = smallest_difference("pilot", n=1600, design="noninferiority", difference=-0.01, **PILOT)
    assert float(found) == pytest.approx(0.01 + (Z95 + Z80) * 0.01, abs=1e-6)
    assert str(found).startswith("The smallest margin that can be shown is ")
    found = smallest_difference("pilot", n=1600, design="equivalence", **PILOT)
    assert float(found) == pytest.approx((Z95 + Z90) * 0.01, abs=1e-6)


Y = np.arange(300) % 3 == 0
A = np.where(np.arange(300) % 7 == 0, ~Y, Y)
B = np.where(np.arange(300) % 4 == 0, ~Y, Y)
RNG = np.random.default_rng(0)
S, T = RNG.normal(size=300) + Y, RNG.normal(size=300) + 2 * Y


@pytest.mark.parametrize(
    "pilot",
    [
        wilson(260, 300),
        sf.assess(Y, A)["kappa"],
        sf.assess(Y, A, y_score=S).roc.auc,
        delong_test(Y, S, T),
        mcnemar(30, 50, n=300),
        two_proportions(0.1, 100, 0.2, 200),
    ],
    ids=["share", "kappa", "auc", "delong", "mcnemar", "two proportions"],
)
def test_a_pilot_is_read_from_what_has_an_error(pilot):
    effect = getattr(pilot, "effect", pilot)
    n = sample_size("pilot", estimate=pilot, difference=0.05).n
    assert n == math.ceil(effect.n * ((Z975 + Z80) * effect.se / 0.05) ** 2)
    by_hand = sample_size("pilot", se=effect.se, rows=effect.n, difference=0.05)
    assert by_hand.n == n


def test_a_difference_between_models_is_a_pilot():
    found = sf.compare(Y, {"a": A, "b": B}, measure="f1_macro").differences[0]
    planned = sample_size("pilot", estimate=found, difference=0.05)
    assert planned.n == math.ceil(found.effect.n * ((Z975 + Z80) * found.effect.se / 0.05) ** 2)
    assert planned.facts["se"] == found.effect.se


def test_a_share_from_a_pilot_meets_the_plan_for_a_share():
    # se² n = p q, so both are 4 z² p q / width², but for the Wilson interval's own middle
    pilot = sample_size("pilot", estimate=wilson(450, 500), width=0.02).n
    assert pilot == pytest.approx(sample_size("proportion", value=0.9, width=0.02).n, rel=0.005)


@pytest.mark.parametrize(
    "pilot",
    [
        corrected_t([0.9, 0.8, 0.8, 0.9], [0.8, 0.8, 0.7, 0.9], n_train=75, n_test=25),
        paired_t([0.9, 0.8, 0.8, 0.9], [0.8, 0.8, 0.7, 0.9]),
    ],
    ids=["corrected t", "paired t"],
)
def test_folds_are_not_rows(pilot):
    with pytest.raises(InputError, match="over folds"):
        sample_size("pilot", estimate=pilot, difference=0.05)


def test_what_is_no_pilot_is_refused():
    for pilot, told in (
        (0.8, "estimate=0.8"),
        (Estimate(0.8, 0.7, 0.9), "se of the pilot"),
        (Estimate(0.8, 0.7, 0.9, se=0.02), "rows of the pilot"),
        (Estimate(1.0, 0.9, 1.0, se=0.0, n=30), "a standard error of 0"),
        (mcnemar(3, 5), "se of the pilot"),  # without n its effect is unknown
    ):
        with pytest.raises(InputError) as error:
            sample_size("pilot", estimate=pilot, difference=0.05)
        assert told in error.value.problem
        assert error.value.cure


@pytest.mark.parametrize(
    ("facts", "told"),
    [
        ({}, "needs difference="),
        ({"difference": 0}, "the difference is 0"),
        ({"difference": 0.1, "width": 0.1}, "two goals"),
        ({"difference": 0.1, "margin": 0.1}, "has no margin"),
        ({"design": "noninferiority"}, "needs margin="),
        ({"design": "noninferiority", "margin": 0}, "margin=0"),
        ({"design": "noninferiority", "margin": 0.01, "difference": -0.02}, "for noninferiority"),
        ({"design": "equivalence", "margin": 0.01, "difference": 0.02}, "for equivalence"),
        ({"design": "superiority", "margin": 0.01, "difference": 0.01}, "for superiority"),
        ({"design": "superiority"}, "needs difference="),
        ({"estimate": wilson(3, 5), "difference": 0.1}, "said twice"),
    ],
)
def test_what_cannot_be_shown_is_refused(facts, told):
    with pytest.raises(InputError) as error:
        sample_size("pilot", **PILOT, **facts)
    assert told in error.value.problem
    assert error.value.cure


def test_a_design_has_a_name():
    hyphened: dict[str, Any] = {"design": "non-inferiority"}
    with pytest.raises(UnknownNameError, match="did you mean 'noninferiority'"):
        sample_size("pilot", **PILOT, margin=0.1, **hyphened)
    with pytest.raises(InputError, match="needs se="):
        sample_size("pilot", difference=0.1)


def test_the_sentence_names_the_measure():
    text = str(sample_size("pilot", estimate=sf.assess(Y, A)["kappa"], width=0.1))
    assert "an interval 0.1 wide on average around kappa" in text
    assert "a pilot with 300 rows" in text
