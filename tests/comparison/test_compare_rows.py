"""compare() of rows in groups, with weights, in other orders, and of many models: the laws it keeps."""

import math

import numpy as np
import pytest

from surefold.comparison import compare
from surefold.errors import InputError


def _pair(seed=0, n=300, k=3):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, k, n)
    a = np.where(rng.random(n) < 0.85, truth, rng.integers(0, k, n))
    b = np.where(rng.random(n) < 0.75, truth, rng.integers(0, k, n))
    return truth, a, b


def test_weights_equal_to_one_change_nothing_and_weights_need_no_mcnemar():
    truth, a, b = _pair(5)
    plain = compare(truth, {"a": a, "b": b}, measure="f1_macro").differences[0]
    weighted = compare(truth, {"a": a, "b": b}, measure="f1_macro", sample_weight=np.ones(len(truth))).differences[0]
    assert (plain.effect.low, plain.effect.high) == pytest.approx((weighted.effect.low, weighted.effect.high))
    accuracy = compare(truth, {"a": a, "b": b}, sample_weight=np.linspace(0.5, 1.5, len(truth))).differences[0]
    assert accuracy.test.name == "paired influence"


def test_a_row_in_a_group_of_its_own_is_a_row():
    truth, a, b = _pair(14, n=4000)
    plain = compare(truth, {"a": a, "b": b}, measure="mcc").differences[0]
    single = compare(truth, {"a": a, "b": b}, measure="mcc", groups=np.arange(4000)).differences[0]
    assert single.effect.value == plain.effect.value
    assert (single.effect.low, single.effect.high) == pytest.approx((plain.effect.low, plain.effect.high), rel=2e-3)


@pytest.mark.parametrize("measure", ["accuracy", "f1_macro", "mcc"])
def test_rows_that_stand_four_times_in_a_group_count_once(measure):
    truth, a, b = _pair(15, n=400)
    once = compare(truth, {"a": a, "b": b}, measure=measure).differences[0].effect
    four = [np.repeat(x, 4) for x in (truth, a, b)]
    naive = compare(four[0], {"a": four[1], "b": four[2]}, measure=measure).differences[0].effect
    known = compare(
        four[0], {"a": four[1], "b": four[2]}, measure=measure, groups=np.repeat(np.arange(400), 4)
    ).differences[0].effect  # fmt: skip
    assert known.se == pytest.approx(once.se, rel=0.01)
    assert naive.se == pytest.approx(once.se / 2, rel=0.01)
    assert known.high - known.low == pytest.approx(once.high - once.low, rel=0.02)


def test_one_or_two_groups_do_not_tell_how_many_rows_would():
    truth, a, b = _pair(16)
    for groups in (1, 2):
        d = compare(truth, {"a": a, "b": b}, groups=np.arange(300) % groups).differences[0]
        assert d.rows_needed is None
        assert "more rows" not in str(d)


def test_few_groups_are_flagged():
    truth, a, b = _pair(16)
    d = compare(truth, {"a": a, "b": b}, groups=np.arange(300) % 5).differences[0]
    assert "few_clusters" in d.effect.flags
    assert d.test.df == pytest.approx(4)


@pytest.mark.parametrize("measure", ["accuracy", "f1_macro", "mcc", "kappa"])
def test_a_weight_of_two_is_two_rows(measure):
    truth, a, b = _pair(17)
    times = np.random.default_rng(0).integers(1, 4, 300)
    weighted = compare(truth, {"a": a, "b": b}, measure=measure, sample_weight=times).differences[0].effect
    repeated = compare(
        np.repeat(truth, times), {"a": np.repeat(a, times), "b": np.repeat(b, times)}, measure=measure
    ).differences[0].effect  # fmt: skip
    assert weighted.value == pytest.approx(repeated.value)
    assert weighted.high - weighted.low > repeated.high - repeated.low  # three equal rows are less sure than three rows


def test_order_of_rows_and_names_of_labels_change_nothing():
    truth, a, b = _pair(18)
    plain = compare(truth, {"a": a, "b": b}, measure="f1_macro")["a", "b"].effect
    order = np.random.default_rng(1).permutation(300)
    moved = compare(truth[order], {"a": a[order], "b": b[order]}, measure="f1_macro")["a", "b"].effect
    named = np.array(["z", "m", "a"])
    renamed = compare(named[truth], {"a": named[a], "b": named[b]}, measure="f1_macro")["a", "b"].effect
    for other in (moved, renamed):
        assert (other.value, other.low, other.high) == pytest.approx((plain.value, plain.low, plain.high))


def test_fifty_models_are_the_pairs_of_two():
    rng = np.random.default_rng(2)
    truth = rng.integers(0, 3, 500)
    models = {f"m{i}": np.where(rng.random(500) < 0.6 + i / 200, truth, rng.integers(0, 3, 500)) for i in range(50)}
    c = compare(truth, models, measure="mcc")
    assert len(c.differences) == 50 * 49 // 2
    for first, second in (("m0", "m1"), ("m3", "m49"), ("m20", "m21")):
        two = compare(truth, {first: models[first], second: models[second]}, measure="mcc").differences[0]
        there = c[first, second]
        assert there.single.interval == pytest.approx(two.effect.interval, rel=1e-9)
        assert there.test.p_value == pytest.approx(two.test.p_value, rel=1e-9)
    with pytest.raises(InputError, match="at most"):
        compare(truth, {str(i): truth for i in range(201)})


def test_one_row_and_one_class_are_answered():
    d = compare(["x"], {"a": ["x"], "b": ["y"]}).differences[0]
    assert d.effect.value == 1
    assert d.effect.low < d.effect.high
    one = compare(["x"] * 5, {"a": ["x"] * 5, "b": ["x", "y"] * 2 + ["x"]}, measure="mcc").differences[0]
    assert one.status == "cannot_tell"
    assert math.isnan(one.effect.value)
    assert "undefined" in one.effect.reason
    assert one.to_dict()["test"]["effect"]["value"] is None


def test_a_label_that_one_model_alone_says_is_no_class_of_the_average():
    truth, a = ["x", "y"] * 10, ["x", "y"] * 10
    b = ["z", *a[1:]]
    d = compare(truth, {"a": a, "b": b}, measure="recall_macro").differences[0]
    assert d.effect.value == pytest.approx(1 - (9 / 10 + 1) / 2)
