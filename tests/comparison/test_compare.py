"""Two models on the same rows."""

import math

import numpy as np
import pytest
from scipy.stats import binom

import surefold as sf
from surefold.comparison import compare, disagreements, mcnemar
from surefold.errors import InputError, UnknownNameError


def test_mcnemar_mid_p_by_hand():
    # 1 against 5 of 6 disagreements: 2 (P(0) + P(1)/2) = 2 (1/64 + 3/64) = 1/8; exact: 2 (1 + 6)/64
    assert mcnemar(1, 5).p_value == pytest.approx(8 / 64)
    assert mcnemar(1, 5, method="exact").p_value == pytest.approx(14 / 64)
    assert mcnemar(1, 5, method="chi2").statistic == pytest.approx(16 / 6)
    assert mcnemar(1, 5, method="chi2_corrected").statistic == pytest.approx(9 / 6)


@pytest.mark.parametrize(("b", "c"), [(0, 3), (4, 9), (10, 10), (30, 12), (0, 1)])
def test_mcnemar_against_the_binomial(b, c):
    few, n = min(b, c), b + c
    exact = min(1.0, 2 * binom.cdf(few, n, 0.5))
    assert mcnemar(b, c, method="exact").p_value == pytest.approx(exact)
    mid = 2 * binom.cdf(few, n, 0.5) - binom.pmf(few, n, 0.5)
    assert mcnemar(b, c).p_value == pytest.approx(min(1.0, mid))


def test_no_disagreement_means_p_is_one():
    result = mcnemar(0, 0, n=40)
    assert result.p_value == 1
    assert result.flags == ("no_disagreement",)
    assert result.effect.low < 0 < result.effect.high


def test_the_effect_needs_the_number_of_rows():
    assert math.isnan(mcnemar(1, 5).effect.value)
    assert mcnemar(1, 5, n=40).effect.value == pytest.approx(-4 / 40)
    with pytest.raises(InputError):
        mcnemar(3, 5, n=7)
    with pytest.raises(UnknownNameError):
        mcnemar(3, 5, method="midp")  # type: ignore[arg-type]


def _pair(seed=0, n=300, k=3):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, k, n)
    a = np.where(rng.random(n) < 0.85, truth, rng.integers(0, k, n))
    b = np.where(rng.random(n) < 0.75, truth, rng.integers(0, k, n))
    return truth, a, b


@pytest.mark.parametrize("measure", ["accuracy", "f1_macro", "mcc", "kappa", "balanced_accuracy", "error_rate"])
def test_the_difference_is_first_minus_second_and_swapping_flips_it(measure):
    truth, a, b = _pair()
    there = compare(truth, {"a": a, "b": b}, measure=measure).differences[0]
    back = compare(truth, {"b": b, "a": a}, measure=measure).differences[0]
    values = [float(sf.measure(measure, truth, y)) for y in (a, b)]
    assert there.effect.value == pytest.approx(values[0] - values[1])
    assert there.effect.value == pytest.approx(-back.effect.value)
    assert (there.effect.low, there.effect.high) == pytest.approx((-back.effect.high, -back.effect.low))
    assert there.adjusted_p == pytest.approx(back.adjusted_p)
    assert {there.status, back.status} in ({"better", "worse"}, {"cannot_tell"})


def test_accuracy_difference_by_two_routes():
    truth, a, b = _pair(1)
    both, only_a, only_b, neither = disagreements(truth, a, b)
    assert both + only_a + only_b + neither == len(truth)
    by_rows = compare(truth, {"a": a, "b": b})["a", "b"].effect
    by_counts = mcnemar(only_a, only_b, n=len(truth)).effect
    assert by_rows.value == pytest.approx(by_counts.value)
    assert (by_rows.low, by_rows.high) == pytest.approx((by_counts.low, by_counts.high))
    assert by_rows.se == pytest.approx(by_counts.se)


def test_a_measure_of_one_class():
    truth, a, b = _pair(2, k=2)
    d = compare(truth, {"a": a, "b": b}, measure="recall").differences[0]
    positive = truth == 1
    x = (a == 1)[positive].astype(float) - (b == 1)[positive].astype(float)
    assert d.effect.value == pytest.approx(x.mean())
    assert d.effect.se == pytest.approx(x.std() / math.sqrt(len(x)))
    names = np.array(["no", "yes"])
    with pytest.raises(InputError, match="positive"):
        compare(names[truth], {"a": names[a], "b": names[b]}, measure="recall")


def test_identical_models_cannot_be_told_apart():
    truth, a, _ = _pair(3)
    for measure in ("accuracy", "f1_macro"):
        d = compare(truth, {"a": a, "copy": a}, measure=measure).differences[0]
        assert d.adjusted_p == 1
        assert d.status == "cannot_tell"
        assert d.effect.low < 0 < d.effect.high


def test_holm_over_three_pairs():
    truth, a, b = _pair(4)
    c = compare(truth, {"a": a, "b": b, "copy of a": a})
    raw = [d.test.p_value for d in c.differences]  # ab, a copy, b copy
    assert raw[0] == pytest.approx(raw[2])
    assert raw[1] == 1
    assert c.differences[0].adjusted_p == pytest.approx(min(1, 3 * raw[0]))
    assert c.differences[1].adjusted_p == 1


def test_weights_equal_to_one_change_nothing_and_weights_need_no_mcnemar():
    truth, a, b = _pair(5)
    plain = compare(truth, {"a": a, "b": b}, measure="f1_macro").differences[0]
    weighted = compare(truth, {"a": a, "b": b}, measure="f1_macro", sample_weight=np.ones(len(truth))).differences[0]
    assert (plain.effect.low, plain.effect.high) == pytest.approx((weighted.effect.low, weighted.effect.high))
    accuracy = compare(truth, {"a": a, "b": b}, sample_weight=np.linspace(0.5, 1.5, len(truth))).differences[0]
    assert accuracy.test.name == "paired influence"


def test_what_cannot_be_compared_is_refused():
    truth, a, b = _pair(6)
    with pytest.raises(InputError, match="two or more"):
        compare(truth, {"a": a})
    with pytest.raises(InputError, match="measure of scores"):
        compare(truth, {"a": a, "b": b}, measure="roc_auc")
    with pytest.raises(InputError, match="kappa_linear"):
        compare(truth, {"a": a, "b": b}, measure="kappa_linear")
    with pytest.raises(InputError, match="length"):
        compare(truth, {"a": a, "b": b[:-1]})
    with pytest.raises(KeyError):
        compare(truth, {"a": a, "b": b})["b", "a"]


def test_the_comparison_tells_itself():
    truth, a, b = _pair(7)
    c = compare(truth, {"a": a, "b": b})
    text = str(c)
    assert "first - second" in text
    assert text.splitlines()[-1] == f"Verdict: {c.verdict}"
    assert c.to_dict()["differences"][0]["first"] == "a"
