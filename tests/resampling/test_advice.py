"""Advice on holdout: each rule of thumb moves the share its way, and the numbers are ours."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefold import InputError
from surefold.estimates import wilson
from surefold.resampling.advice import advise_holdout
from surefold.resampling.folds import k_fold_plan, leave_one_out_plan
from surefold.resampling.holdout import holdout_plan


@pytest.mark.parametrize(
    ("n", "model", "share"),
    [
        (50_000, "simple", 0.30),  # many rows: 70/30 or 80/20
        (50_000, "high_variance", 0.20),
        (50_000, "complex", 0.15),  # complex models: 85/15 or 90/10
        (500, "simple", 0.20),  # few rows: 80/20 or 90/10
        (500, "high_variance", 0.10),
        (500, "complex", 0.10),
    ],
)
def test_shares_agree_with_the_usual_rules(n, model, share):
    assert advise_holdout(n, model=model).test == share


def test_stakes_and_budget_pull_both_ways():
    usual = advise_holdout(5000)
    assert advise_holdout(5000, stakes="high").test == pytest.approx(usual.test + 0.1)
    assert advise_holdout(5000, budget="tight").test == pytest.approx(usual.test - 0.05)
    assert any("regulation" in reason for reason in advise_holdout(5000, stakes="high").reasons)


def test_the_width_is_wilsons():
    advice = advise_holdout(2000, classes=[1500, 500])
    assert (advice.test_rows, advice.train_rows) == (600, 1400)
    low, high = wilson(540, 600).interval
    assert advice.width == pytest.approx(high - low)
    low, high = wilson(1800, 2000).interval
    assert advice.width_all == pytest.approx(high - low)
    assert advice.rarest_in_test == pytest.approx(500 * 600 / 2000)


def test_few_rows_are_cross_validated():
    advice = advise_holdout(150, classes={"setosa": 50, "versicolor": 50, "virginica": 50})
    assert (advice.scheme, advice.folds, advice.repeats) == ("k_fold", 10, 10)
    assert advice.call == "cross_validate(model, X, y, folds=10, repeats=10)"
    assert str(advice).startswith("Cross-validate with 10 folds, 10 times: cross_validate(")
    tight = advise_holdout(150, classes=[75, 75], budget="tight")
    assert (tight.scheme, tight.folds, tight.repeats) == ("k_fold", 10, 1)
    assert "with 10 folds, once" in str(tight)


def test_very_few_rows_are_left_out_one_at_a_time():
    advice = advise_holdout(30)
    assert (advice.scheme, advice.folds, advice.call) == ("leave_one_out", 30, "leave_one_out(model, X, y)")
    assert "Leave one row out at a time" in str(advice)
    assert advise_holdout(400, classes=[397, 3]).scheme == "leave_one_out"
    few = advise_holdout(400, classes=[397, 3], budget="tight")
    assert (few.scheme, few.folds) == ("k_fold", 3)


def test_many_rows_are_held_out_once_and_folds_wait_for_time():
    assert advise_holdout(20_000).scheme == "holdout"
    assert advise_holdout(20_000, model="high_variance").scheme == "k_fold"
    tight = advise_holdout(20_000, model="high_variance", budget="tight")
    assert tight.scheme == "holdout"
    assert any("the budget is tight: keep to one split" in reason for reason in tight.reasons)
    assert any("100,000 tested rows" in reason for reason in advise_holdout(10**6).reasons)


def test_a_rare_class_is_noticed_or_said():
    noticed = advise_holdout(5000, classes={"no": 4975, "yes": 25})
    assert noticed.scheme == "k_fold"
    assert any("'yes', has 25 rows: stratify" in reason for reason in noticed.reasons)
    assert any("fewer than 10" in reason for reason in noticed.reasons)
    assert advise_holdout(5000, rare=True).scheme == "k_fold"
    assert advise_holdout(5000, classes={"no": 4975, "yes": 25}, rare=False).scheme == "holdout"
    one = advise_holdout(700, classes=[699, 1])
    assert one.scheme == "holdout"
    assert any("not both" in reason for reason in one.reasons)


def test_the_share_stays_within_reason():
    assert advise_holdout(50, model="complex", budget="tight").test == 0.1
    assert any("10% is as little as makes sense" in r for r in advise_holdout(500, model="complex").reasons)
    assert advise_holdout(5000, stakes="high").test == 0.4


@given(
    rows=st.lists(st.integers(1, 300), min_size=2, max_size=4),
    model=st.sampled_from(["simple", "complex", "high_variance"]),
    budget=st.sampled_from(["ample", "tight"]),
)
def test_advice_can_be_followed(rows, model, budget):
    advice = advise_holdout(sum(rows), classes=rows, model=model, budget=budget)
    codes = np.repeat(np.arange(len(rows)), rows)
    if min(rows) > 1 or (len(rows) > 2 and advice.scheme != "k_fold"):
        if advice.scheme == "holdout":
            holdout_plan(codes, test=advice.test, random_state=0)
        elif advice.scheme == "k_fold":
            k_fold_plan(codes, folds=advice.folds, random_state=0)
        else:
            leave_one_out_plan(codes)
    assert 0.1 <= advice.test <= 0.4
    assert all(reason.endswith(".") for reason in advice.reasons)
    assert str(advice)


@pytest.mark.parametrize(
    ("options", "part"),
    [
        ({"n": 1}, "n is 1"),
        ({"n": 100.0}, "n is 100.0"),
        ({"n": 100, "model": "linear"}, "model is 'linear'"),
        ({"n": 100, "budget": 5}, "budget is 5"),
        ({"n": 100, "stakes": "low"}, "stakes is 'low'"),
        ({"n": 100, "rare": 1}, "rare is 1"),
        ({"n": 100, "classes": 3}, "classes is 3"),
        ({"n": 100, "classes": [50, 40]}, "2 classes of 90 rows in all, and n is 100"),
        ({"n": 100, "classes": [100]}, "1 class of 100 rows"),
        ({"n": 100, "classes": [100, 0]}, "classes[1] is 0"),
    ],
)
def test_what_makes_no_sense_is_refused(options, part):
    with pytest.raises(InputError) as caught:
        advise_holdout(**options)
    assert caught.value.code == "bad_option"
    assert part in str(caught.value)
