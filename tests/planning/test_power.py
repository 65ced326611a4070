"""Rows, power and the smallest difference: what they say, how they fit together, what they refuse."""

import json
import math
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surefold.comparison import two_proportions
from surefold.errors import InputError, UnknownNameError
from surefold.planning.power import KINDS, expected_width, power, sample_size, smallest_difference
from surefold.planning.results import ExpectedWidth, Power, SampleSize, SmallestDifference

#: One plan of every kind.
PLANS: dict[str, dict[str, Any]] = {
    "proportion": {"value": 0.9, "null": 0.8},
    "two_proportions": {"first": 0.7, "second": 0.85},
    "mcnemar": {"difference": 0.06, "disagreement": 0.15},
    "auc": {"value": 0.85, "null": 0.75, "positives_share": 0.3},
    "paired_auc": {"first": 0.8, "second": 0.9, "correlation": 0.4, "positives_share": 0.3},
    "pilot": {"se": 0.02, "rows": 300, "difference": 0.05},
}
OPEN: dict[str, dict[str, Any]] = {
    "proportion": {"null": 0.8},
    "two_proportions": {"first": 0.7},
    "mcnemar": {"disagreement": 0.15},
    "auc": {"null": 0.75, "positives_share": 0.3},
    "paired_auc": {"first": 0.8, "correlation": 0.4, "positives_share": 0.3},
    "pilot": {"se": 0.02, "rows": 300},
}
WIDTHS: dict[str, dict[str, Any]] = {
    "proportion": {"value": 0.9},
    "auc": {"value": 0.85, "positives_share": 0.3},
    "pilot": {"se": 0.02, "rows": 300},
}
SMOOTH = ("auc", "paired_auc", "pilot")


def test_no_kind_is_forgotten():
    assert set(PLANS) == set(OPEN) == set(KINDS)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("asked", [0.5, 0.8, 0.95])
def test_rows_and_power_are_inverse(kind, asked):
    planned = sample_size(kind, power=asked, **PLANS[kind])
    assert power(kind, n=planned.n, **PLANS[kind]).value == planned.reached >= asked
    assert power(kind, n=planned.n - 1, **PLANS[kind]).value < asked


@pytest.mark.parametrize("kind", ["proportion", "two_proportions", "mcnemar"])
def test_power_that_goes_up_in_teeth_is_kept_from_there_on(kind):
    n = sample_size(kind, **PLANS[kind]).n
    later = [power(kind, n=n + more, **PLANS[kind]).value for more in range(60)]
    assert min(later) >= 0.8


def test_there_are_teeth():
    """Else the test above would test nothing: some rows before the last tooth have the power already."""
    n = sample_size("proportion", **PLANS["proportion"]).n
    earlier = [power("proportion", n=n - less, **PLANS["proportion"]).value >= 0.8 for less in range(1, 30)]
    assert not earlier[0]
    assert any(earlier)


@pytest.mark.parametrize("kind", KINDS)
def test_the_smallest_difference_has_the_power_and_no_less(kind):
    found = smallest_difference(kind, n=400, **OPEN[kind])
    assert found.design.power_at(400) == pytest.approx(0.8, abs=1e-6)
    make, _ = KINDS[kind].around(_facts(kind), 0.95)
    assert make(found.value * 0.99).power_at(400) < 0.8


def _facts(kind):
    from surefold.planning.design import Facts

    return Facts(kind, OPEN[kind], KINDS[kind].known)


@pytest.mark.parametrize("kind", SMOOTH)
def test_smooth_power_rises_with_the_rows(kind):
    found = [power(kind, n=n, **PLANS[kind]).value for n in range(20, 1500, 23)]
    assert (np.diff(found) > 0).all()
    assert found[-1] > 0.95


@pytest.mark.parametrize("kind", ["proportion", "two_proportions", "mcnemar"])
def test_power_of_counts_rises_but_for_teeth(kind):
    found = [power(kind, n=n, **PLANS[kind]).value for n in (20, 60, 120, 240, 480, 960)]
    assert (np.diff(found) > 0).all()
    assert found[-1] > 0.95


@pytest.mark.parametrize("kind", KINDS)
def test_more_power_more_confidence_and_smaller_differences_take_more_rows(kind):
    plan = PLANS[kind]
    n = sample_size(kind, **plan).n
    assert sample_size(kind, power=0.9, **plan).n > n
    assert sample_size(kind, confidence=0.99, **plan).n > n
    half = smallest_difference(kind, n=4 * n, **OPEN[kind])
    full = smallest_difference(kind, n=n, **OPEN[kind])
    assert half.value == pytest.approx(full.value / 2, rel=0.12)  # a quarter of the variance


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("effect", [1.0, 1.7, 3.0])
def test_a_design_effect_multiplies_the_rows(kind, effect):
    plain = sample_size(kind, **PLANS[kind])
    grouped = sample_size(kind, design_effect=effect, **PLANS[kind])
    assert grouped.n == math.ceil(plain.n * effect - 1e-9)
    assert grouped.reached == plain.reached
    assert power(kind, n=grouped.n, design_effect=effect, **PLANS[kind]).value == plain.reached
    assert power(kind, n=grouped.n - 1, design_effect=effect, **PLANS[kind]).value < 0.8


@pytest.mark.parametrize("kind", WIDTHS)
def test_width_rows_and_back(kind):
    planned = sample_size(kind, width=0.07, **WIDTHS[kind])
    assert planned.power is None
    assert expected_width(kind, n=planned.n, **WIDTHS[kind]).value == planned.reached <= 0.07
    assert expected_width(kind, n=planned.n - 1, **WIDTHS[kind]).value > 0.07
    quarter = sample_size(kind, width=0.035, **WIDTHS[kind]).n
    assert quarter == pytest.approx(4 * planned.n, rel=0.05)


@given(
    value=st.floats(0.02, 0.98), null=st.floats(0.02, 0.98), n=st.integers(1, 3000), confidence=st.floats(0.5, 0.999)
)
@settings(max_examples=60, deadline=None)
def test_errors_and_successes_are_the_same_to_a_plan(value, null, n, confidence):
    if value == null or 1 - value == 1 - null:
        return
    one = power("proportion", n=n, value=value, null=null, confidence=confidence).value
    other = power("proportion", n=n, value=1 - value, null=1 - null, confidence=confidence).value
    assert 0 <= one <= 1
    assert one == pytest.approx(other, abs=1e-9)


@given(a=st.floats(0.0, 0.45), b=st.floats(0.0, 0.45), n=st.integers(2, 3000))
@settings(max_examples=60, deadline=None)
def test_which_comes_first_does_not_matter(a, b, n):
    if a == b:
        return
    one = power("mcnemar", n=n, only_first=a, only_second=b).value
    assert 0 <= one <= 1 + 1e-12
    assert power("mcnemar", n=n, only_first=b, only_second=a).value == pytest.approx(one, abs=1e-9)
    one = power("two_proportions", n=n, first=a, second=b).value
    assert 0 <= one <= 1 + 1e-12
    assert power("two_proportions", n=n, first=b, second=a).value == pytest.approx(one, abs=1e-9)


def test_areas_are_symmetric():
    one = power("auc", n=200, value=0.8, null=0.7, positives_share=0.3).value
    assert power("auc", n=200, value=0.2, null=0.3, positives_share=0.3).value == pytest.approx(one)
    assert power("auc", n=200, value=0.8, null=0.7, positives_share=0.7).value == pytest.approx(one)
    pair: dict[str, Any] = {"correlation": 0.5, "positives_share": 0.3}
    one = power("paired_auc", n=200, first=0.8, second=0.7, **pair).value
    assert power("paired_auc", n=200, first=0.7, second=0.8, **pair).value == pytest.approx(one)
    assert power("paired_auc", n=200, first=0.2, second=0.3, **pair).value == pytest.approx(one)


def test_more_correlated_scores_take_fewer_rows():
    rows = [
        sample_size("paired_auc", first=0.8, second=0.85, correlation=r, positives_share=0.3).n
        for r in (-0.3, 0.0, 0.4, 0.8, 0.95)
    ]
    assert rows == sorted(rows, reverse=True)
    assert rows[0] > 3 * rows[-1]


@pytest.mark.parametrize("kind", KINDS)
def test_results_are_plain_and_say_it_in_words(kind):
    n = sample_size(kind, **PLANS[kind])
    answers: list[Any] = [n, power(kind, n=500, **PLANS[kind]), smallest_difference(kind, n=500, **OPEN[kind])]
    assert [type(each) for each in answers] == [SampleSize, Power, SmallestDifference]
    for each in answers:
        shown = each.to_dict()
        json.dumps(shown, allow_nan=False)
        assert shown["design"] == each.kind == kind
        assert shown["sentence"] == str(each)
        assert str(each).endswith(").")
        assert f"{each.n:,}" in str(each)
        assert each.method in str(each)
        assert each.facts["design_effect"] == 1.0
    assert int(n) == float(n) == n.value == n.n
    for other in answers[1:]:
        assert float(other) == other.value


@pytest.mark.parametrize("kind", WIDTHS)
def test_widths_are_plain_and_say_it_in_words(kind):
    for each in (sample_size(kind, width=0.1, **WIDTHS[kind]), expected_width(kind, n=500, **WIDTHS[kind])):
        json.dumps(each.to_dict(), allow_nan=False)
        assert " wide on average around " in str(each)
    assert isinstance(each, ExpectedWidth)


def test_the_sentences():
    # by the normal formula (1.96 + 0.8416)² (.6 x .4 + .8 x .2 / 2) / .2² = 62.8 rows in the first set
    assert str(sample_size("two_proportions", first=0.6, second=0.8, ratio=2)) == (
        "63 rows in the first set and 126 in the second give a chance of 80 % to tell a share of 0.6 from one of 0.8 "
        "on separate rows (two proportions, unpooled, 95 % confidence)."
    )
    assert str(power("auc", n=10, value=0.99, null=0.5, positives_share=0.5)).startswith("10 rows, 5 of them positive,")
    assert "a chance above 99.9 %" in str(power("pilot", n=10**6, se=0.02, rows=300, difference=0.05))
    assert "a chance below 0.1 %" in str(power("proportion", n=5, value=0.6, null=0.5))
    assert "0.8 from 0.80001" in str(power("proportion", n=5, value=0.8, null=0.80001))
    assert "1.5 rows for one" in str(power("proportion", n=50, value=0.8, null=0.9, design_effect=1.5))


def test_parts_add_up():
    found = power("auc", n=101, value=0.9, null=0.8, positives_share=0.25)
    assert found.parts == {"positives": 25, "negatives": 76}
    assert sample_size("two_proportions", first=0.6, second=0.8, ratio=2).parts == {"first": 63, "second": 126}
    assert power("mcnemar", n=100, difference=0.1, disagreement=0.2).parts == {}


def test_what_is_weak_is_flagged():
    pair: dict[str, Any] = {"first": 0.8, "second": 0.9, "correlation": 0.4, "positives_share": 0.1}
    assert power("paired_auc", n=99, **pair).flags == ("few_of_a_class",)  # 9.9 positives
    assert power("paired_auc", n=100, **pair).flags == ()
    assert power("paired_auc", n=150, design_effect=2, **pair).to_dict()["flags"] == ["few_of_a_class"]
    # of 80 rows with a share of .9, 8 are errors; the test itself flags fewer
    assert power("two_proportions", n=79, first=0.9, second=0.5).flags == ("few_errors", "liberal_test")
    assert two_proportions(73 / 80, 80, 0.5, 80).flags == ("few_errors", "liberal_test")
    assert power("two_proportions", n=80, first=0.9, second=0.5).flags == ()
    assert two_proportions(72 / 80, 80, 0.5, 80).flags == ()
    assert power("mcnemar", n=5, difference=0.1, disagreement=0.2).flags == ()


def test_unknown_names():
    misspelt: dict[str, Any] = {"disagrement": 0.2}  # a type checker would tell
    unknown: dict[str, Any] = {"form": "binomal"}
    with pytest.raises(UnknownNameError, match="did you mean 'mcnemar'"):
        sample_size("mcnemer", difference=0.1, disagreement=0.2)
    with pytest.raises(UnknownNameError, match="did you mean 'disagreement'"):
        sample_size("mcnemar", difference=0.1, **misspelt)
    with pytest.raises(UnknownNameError, match="did you mean 'binormal'"):
        sample_size("auc", value=0.8, null=0.7, positives_share=0.3, **unknown)
    with pytest.raises(UnknownNameError, match="proportion, auc, pilot"):
        expected_width("mcnemar", n=100)
    with pytest.raises(UnknownNameError, match="null"):
        expected_width("auc", n=100, value=0.8, positives_share=0.3, null=0.7)


@pytest.mark.parametrize(
    ("kind", "facts", "told"),
    [
        ("proportion", {"value": 0.9, "null": 0.9}, "the difference is 0 (value = null = 0.9)"),
        ("proportion", {"value": 1.2, "null": 0.9}, "value=1.2"),
        ("proportion", {"value": 0.8, "null": 1}, "null=1"),
        ("proportion", {"value": 0.8, "width": 0}, "width=0"),
        ("proportion", {"value": 0.8, "width": -0.1}, "width=-0.1"),
        ("proportion", {"value": 0.8, "width": 0.1, "null": 0.7}, "width= and null="),
        ("proportion", {"value": 0.8}, "without a goal"),
        ("proportion", {"null": 0.8}, "needs value="),
        ("proportion", {"value": "a lot", "null": 0.8}, "value='a lot'"),
        ("proportion", {"value": float("nan"), "null": 0.8}, "value=nan"),
        ("proportion", {"value": 0.9, "null": 0.8, "design_effect": 0.5}, "design_effect=0.5"),
        ("two_proportions", {"first": 0.9, "second": 0.9}, "first = second"),
        ("two_proportions", {"first": 0.9, "second": 0.8, "ratio": 0}, "ratio=0"),
        ("mcnemar", {"only_first": 0.6, "only_second": 0.5}, "only_first + only_second = 1.1"),
        ("mcnemar", {"only_first": 0.1, "only_second": 0.1}, "the difference is 0"),
        ("mcnemar", {"difference": 0.0, "disagreement": 0.2}, "the difference is 0"),
        ("mcnemar", {"difference": 0.3, "disagreement": 0.2}, "difference=0.3 with disagreement=0.2"),
        ("mcnemar", {"difference": 0.1, "disagreement": 0.2, "only_first": 0.1}, "in two ways"),
        ("mcnemar", {}, "only_first="),
        ("auc", {"value": 1.0, "null": 0.8, "positives_share": 0.3}, "value=1"),
        ("auc", {"value": 0.9, "null": 0.8}, "positives_share="),
        ("auc", {"value": 0.9, "null": 0.8, "positives_share": 0}, "positives_share=0"),
        ("paired_auc", {"first": 0.9, "second": 0.8, "correlation": 1, "positives_share": 0.5}, "correlation=1"),
        ("paired_auc", {"first": 0.9, "second": 0.9, "correlation": 0, "positives_share": 0.5}, "first = second"),
    ],
)
def test_senseless_facts_are_refused_with_a_cure(kind, facts, told):
    with pytest.raises(InputError) as error:
        sample_size(kind, **facts)
    assert told in error.value.problem
    assert error.value.cure


@pytest.mark.parametrize("asked", [0.05, 0.01, 1.0, 0.0, -1, float("nan"), "high"])
def test_a_power_that_luck_gives_or_nothing_can_is_refused(asked):
    with pytest.raises(InputError, match="power="):
        sample_size("mcnemar", power=asked, **PLANS["mcnemar"])
    with pytest.raises(InputError, match="power="):
        smallest_difference("mcnemar", n=100, power=asked, **OPEN["mcnemar"])


@pytest.mark.parametrize("n", [0, -3, 2.5, 1e13, float("nan"), "many", None])
def test_rows_are_a_whole_number(n):
    with pytest.raises(InputError, match="n="):
        power("mcnemar", n=n, **PLANS["mcnemar"])


@pytest.mark.parametrize("confidence", [0, 1, 95])
def test_confidence_is_a_share(confidence):
    with pytest.raises(InputError, match="confidence"):
        power("mcnemar", n=100, confidence=confidence, **PLANS["mcnemar"])


@pytest.mark.parametrize(
    ("kind", "facts"),
    [
        ("proportion", {"value": 0.5, "width": 1e-9}),
        ("proportion", {"value": 0.5, "null": 0.5 + 1e-9}),
        ("two_proportions", {"first": 0.5, "second": 0.5 + 1e-9}),
        ("mcnemar", {"difference": 1e-9, "disagreement": 0.1}),
        ("auc", {"value": 0.8, "null": 0.8 + 1e-9, "positives_share": 0.3}),
        ("paired_auc", {"first": 0.8, "second": 0.8 + 1e-9, "correlation": 0.3, "positives_share": 0.3}),
        ("pilot", {"se": 0.1, "rows": 100, "difference": 1e-9}),
    ],
)
def test_more_rows_than_anybody_has_is_said_in_words(kind, facts):
    with pytest.raises(InputError, match="more than 1,000,000,000,000 rows would be needed"):
        sample_size(kind, **facts)


@pytest.mark.parametrize(
    ("kind", "facts"),
    [
        ("proportion", {"value": 0.5, "null": 0.500003}),
        ("two_proportions", {"first": 0.5, "second": 0.50001}),
        ("mcnemar", {"difference": 1e-6, "disagreement": 0.1}),
        ("auc", {"value": 0.8, "null": 0.80001, "positives_share": 0.3}),
        ("pilot", {"se": 0.1, "rows": 100, "difference": 1e-5}),
    ],
)
def test_very_many_rows_are_still_found(kind, facts):
    planned = sample_size(kind, **facts)
    assert 10**9 < planned.n < 10**12
    assert planned.reached == pytest.approx(0.8, abs=1e-4)


def test_too_few_rows_to_show_anything():
    with pytest.raises(InputError, match=r"30 rows give no difference up to 0\.1 a power of 0\.8"):
        smallest_difference("proportion", n=30, null=0.9)
    assert smallest_difference("proportion", n=30, null=0.9, direction="below").value > 0.1
    with pytest.raises(InputError, match="disagreement=0"):
        smallest_difference("mcnemar", n=100, disagreement=0)


def test_a_width_has_no_power():
    with pytest.raises(InputError, match="a width has no power"):
        power("proportion", n=100, value=0.8, width=0.1)


def test_the_smallest_area_needed_is_on_the_side_asked_for():
    above = smallest_difference("auc", n=300, null=0.8, positives_share=0.3)
    below = smallest_difference("auc", n=300, null=0.8, positives_share=0.3, direction="below")
    assert above.facts["value"] == pytest.approx(0.8 + above.value)
    assert below.facts["value"] == pytest.approx(0.8 - below.value)
    assert below.value > above.value  # areas vary less near one


def test_planning_stays_light():
    code = (
        "import sys; from surefold.planning.power import power, sample_size; light = 'scipy' not in sys.modules; "
        "sample_size('mcnemar', difference=.1, disagreement=.2); "
        "power('paired_auc', n=99, first=.8, second=.9, correlation=.2, positives_share=.5); "
        "power('auc', n=99, value=.8, null=.9, positives_share=.5); "
        "print(light, *[m for m in ('scipy.stats', 'matplotlib', 'sklearn', 'numba') if m in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.split() == ["True"]
