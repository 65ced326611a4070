"""Two models on the same rows."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom, norm

import surefold as sf
from surefold.comparison import compare, disagreements, mcnemar
from surefold.errors import InputError, UnknownNameError


def test_mcnemar_mid_p_by_hand():
    # 1 against 5 of 6 disagreements: 2 (P(0) + P(1)/2) = 2 (1/64 + 3/64) = 1/8; exact: 2 (1 + 6)/64
    assert mcnemar(1, 5).p_value == pytest.approx(8 / 64)
    assert mcnemar(1, 5, method="exact").p_value == pytest.approx(14 / 64)
    assert mcnemar(1, 5, method="chi2").statistic == pytest.approx(16 / 6)
    assert mcnemar(1, 5, method="chi2_corrected").statistic == pytest.approx(9 / 6)


def test_mcnemar_without_the_rows_prints_what_it_knows():
    # 2 (P(fewer than 3 of 13) + P(3) / 2) = 2 (1 + 13 + 78 + 286 / 2) / 8192
    assert str(mcnemar(10, 3)) == (
        "McNemar (mid_p): statistic 7, p = 0.0574 (pass n= for the difference with its interval)"
    )
    assert str(mcnemar(10, 3, n=100)).startswith("McNemar (mid_p): 0.070 [")


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


def test_what_cannot_be_compared_is_refused():
    truth, a, b = _pair(6)
    with pytest.raises(InputError, match="two or more"):
        compare(truth, {"a": a})
    with pytest.raises(InputError, match="pos_label"):
        compare(truth, {"a": a, "b": b}, measure="roc_auc")
    with pytest.raises(InputError, match="neither more nor less"):
        compare(truth, {"a": a, "b": b}, measure="prevalence", pos_label=1)
    with pytest.raises(InputError, match="costs="):
        compare(truth, {"a": a, "b": b}, measure="expected_cost")
    with pytest.raises(InputError, match="length"):
        compare(truth, {"a": a, "b": b[:-1]})
    with pytest.raises(InputError, match="without names"):
        compare(truth, [a, b])
    with pytest.raises(InputError, match="nothing to compare"):
        compare(truth)
    with pytest.raises(InputError, match="no measure"):
        compare(truth, {"a": a, "b": b}, measure=[])
    misspelt: list[dict[str, Any]] = [
        {"method": "magic"},
        {"adjust": "magic"},
        {"control": "c"},
        {"measure": "acuracy"},
    ]
    for wrong in misspelt:
        with pytest.raises(UnknownNameError):
            compare(truth, {"a": a, "b": b}, **wrong)
    margins: list[Any] = [1, 2, 0, -0.1, math.nan, math.inf, True, "0.1"]
    for margin in margins:
        with pytest.raises(InputError, match="margin"):
            compare(truth, {"a": a, "b": b}, margin=margin)
    c = compare(truth, {"a": a, "b": b})
    for pair in (("a", "c"), "a", ("a", "a")):
        with pytest.raises(UnknownNameError):
            c[pair]  # type: ignore[index]


def test_a_pair_can_be_asked_either_way_round():
    truth, a, b = _pair(6)
    there, back = compare(truth, {"a": a, "b": b})["b", "a"], compare(truth, {"b": b, "a": a})["b", "a"]
    assert (there.effect.low, there.effect.high) == pytest.approx((back.effect.low, back.effect.high))
    assert there.test.statistic == pytest.approx(back.test.statistic)
    assert (there.first, there.second, there.status) == ("b", "a", back.status)


def test_kinds_of_error_may_weigh_differently():
    truth, a, b = _pair(6)
    prices = [[0, 1, 5], [1, 0, 1], [2, 1, 0]]
    d = compare(truth, {"a": a, "b": b}, measure="expected_cost", costs=prices).differences[0]
    x = np.array(prices)[truth, a] - np.array(prices)[truth, b].astype(float)
    assert d.effect.value == pytest.approx(x.mean())
    assert d.effect.se == pytest.approx(x.std() / math.sqrt(len(x)))
    assert compare(truth, {"a": a, "b": b}, measure="kappa", weights="linear").measure == "kappa_linear"


def test_models_must_speak_of_the_same_rows():
    truth, a, b = _pair(8)
    pd = pytest.importorskip("pandas")
    y, other = pd.Series(truth), pd.Series(b)[::-1]
    with pytest.raises(InputError, match="named differently") as caught:
        compare(y, {"a": pd.Series(a), "b": other})
    assert caught.value.code == "different_rows"
    whole = compare(y, {"a": pd.Series(a), "b": pd.Series(b)})
    first = sf.Predictions.of(truth, a)
    for beside in ("groups", "sample_weight"):
        with pytest.raises(InputError, match=beside):
            compare(y, {"a": pd.Series(a), "b": pd.Series(b)}, **{beside: pd.Series(1 + np.arange(len(y)))[::-1]})
    assert compare({"a": first, "b": sf.Predictions.of(truth, b)})["a", "b"].effect == whole["a", "b"].effect
    moved = sf.Predictions.of(np.roll(truth, 1), b)
    with pytest.raises(InputError, match="not scored on the same rows"):
        compare({"a": first, "b": moved})
    with pytest.raises(InputError, match="options of their own"):
        compare({"a": first, "b": first}, groups=np.arange(len(truth)))


def test_missing_answers_must_be_missing_in_the_same_rows():
    truth, a, b = (["x", "y", "x", "y"], ["x", "y", None, "y"], ["x", "x", None, "y"])
    assert compare(truth, {"a": a, "b": b}, drop_missing=True).differences[0].rows == 3
    some = compare(truth, {"a": a, "b": ["x", None, "x", "y"]}, drop_missing=True)
    assert some.differences[0].rows == 2  # rows that both answered
    assert "2 of 4 rows were left out" in str(some)
    with pytest.raises(InputError, match="no row"):
        compare(["x", "y"], {"a": ["x", None], "b": [None, "y"]}, drop_missing=True)


def test_against_a_control_only_those_pairs_count():
    truth, a, b = _pair(9)
    c = compare(truth, {"a": a, "b": b, "c": np.roll(a, 1)}, control="b")
    assert [(d.first, d.second) for d in c.differences] == [("a", "b"), ("c", "b")]
    everyone = compare(truth, {"a": a, "b": b, "c": np.roll(a, 1)})
    assert c["a", "b"].single == everyone["a", "b"].single
    assert c["a", "b"].adjusted_p <= everyone["a", "b"].adjusted_p


def test_practically_equal_is_two_one_sided_tests():
    n, apart = 4000, 20  # 10 rows only a gets right, 10 only b
    truth = np.ones(n, dtype=int)
    a, b = truth.copy(), truth.copy()
    a[: apart // 2] = 0
    b[apart // 2 : apart] = 0
    truth[-1] = a[-1] = b[-1] = 0
    d = compare(truth, {"a": a, "b": b}, margin=0.005).differences[0]
    assert d.status == "practically_equal"
    # By score, half a row added to each side: only_b = 10.5 of 4001, and were the true difference the margin L, its
    # share q would solve 2 N q² + (-21 + 2 N L) q - 10.5 L (1 - L) = 0; z = N L / sqrt(N (2 q + L (1 - L))).
    N, L = n + 1, 0.005
    middle = -(apart + 1) + 2 * N * L
    q = (math.sqrt(middle**2 + 8 * N * (apart / 2 + 0.5) * L * (1 - L)) - middle) / (4 * N)
    assert d.equal_p == pytest.approx(norm.sf(N * L / math.sqrt(N * (2 * q + L * (1 - L)))), rel=1e-6)
    assert "practically equal" in str(d)
    assert "margin of 0.005" in str(d)
    narrow = compare(truth, {"a": a, "b": b}, margin=0.001).differences[0]
    assert narrow.status == "cannot_tell"
    # (1.645 + .842) sd / margin, squared, rows in all
    wanted = n * ((norm.ppf(0.95) + norm.ppf(0.8)) * math.sqrt(apart + 1) / (n + 1) / 0.001) ** 2
    assert narrow.rows_needed == pytest.approx(wanted, abs=1)
    assert narrow.more_rows == pytest.approx(wanted - n, abs=1)
    assert "more rows would tell" in str(narrow)


def test_few_rows_apart_are_bounded_by_score():
    """Two rows of 100 that only the first gets right: the truth may well be .06, which a normal interval leaves out."""
    truth = np.repeat([0, 1], 50)
    b = truth.copy()
    b[:2] = 1
    e = compare(truth, {"a": truth, "b": b}).differences[0].effect
    assert e.method == "one_row_score"
    for bound in (e.low, e.high):  # at either end the difference found is 1.96 standard errors away
        N, only_a, only_b = 101, 2.5, 0.5
        middle = -(only_a + only_b) + (2 * N - only_a + only_b) * bound
        q = (math.sqrt(middle**2 + 8 * N * only_b * bound * (1 - bound)) - middle) / (4 * N)
        z = (only_a - only_b - N * bound) / math.sqrt(N * (2 * q + bound * (1 - bound)))
        assert abs(z) == pytest.approx(norm.ppf(0.975), rel=1e-6)
    assert e.high > 0.06
    by_counts = mcnemar(2, 0, n=100).effect
    assert (by_counts.low, by_counts.high) == pytest.approx((e.low, e.high), abs=1e-7)
    turned = mcnemar(0, 2, n=100).effect
    assert (turned.low, turned.high) == pytest.approx((-e.high, -e.low), abs=1e-7)


def test_no_number_of_rows_tells_equal_models_apart_without_a_margin():
    truth, a, _ = _pair(10)
    d = compare(truth, {"a": a, "copy": a}).differences[0]
    assert d.rows_needed == math.inf
    assert "No number of rows" in str(d)
    assert d.to_dict()["rows_needed"] is None


def test_rows_that_would_tell_by_hand():
    truth, a, b = np.repeat([1, 0], 50), np.repeat([1, 0], 50), np.repeat([1, 0], 50)
    a, b = a.copy(), b.copy()
    a[:2], b[2:8] = 0, 0  # only a right: 6, only b: 2; difference .04
    d = compare(truth, {"a": a, "b": b}).differences[0]
    assert d.status == "cannot_tell"
    centre = 4 / 101
    spread = math.sqrt((9 / 101 - centre**2) / 101)
    assert d.rows_needed == math.ceil(100 * ((norm.ppf(0.975) + norm.ppf(0.8)) * spread / 0.04) ** 2)
    assert d.smallest == pytest.approx((norm.ppf(0.975) + norm.ppf(0.8)) * spread)


def test_the_winner_is_flagged_and_its_interval_is_wider():
    truth, a, b = _pair(11)
    c = compare(truth, {"a": a, "b": b, "c": np.roll(a, 1)})
    assert c.winner is not None
    assert c.winner.name == c.order[0] == "a"
    assert "selected_from_m" in c.winner.estimate.flags
    assert c.winner.corrected == replace(
        sf.measure("accuracy", truth, a, confidence=1 - 0.05 / 3), high=c.winner.estimate.high, confidence=0.95,
        method="wilson, Bonferroni over 3 at one end", flags=c.winner.estimate.flags,
    )  # fmt: skip
    assert c.winner.corrected.low < c.winner.estimate.low
    assert "allowing for the choice" in str(c.verdict.doubt)
    worst = compare(truth, {"a": a, "b": b, "c": np.roll(a, 1)}, measure="error_rate")
    assert worst.winner is not None
    assert worst.winner.name == "a"
    assert worst.order == c.order


def test_wins_are_counted_from_both_sides():
    truth, a, _ = _pair(12)
    c = compare(truth, {"a": a, "copy": a, "noise": np.roll(truth, 1)})
    assert c.wins.tolist() == [[0, 0, 1], [0, 0, 1], [-1, -1, 0]]


def test_several_measures_at_once_are_those_of_each():
    truth, a, b = _pair(13)
    both = compare(truth, {"a": a, "b": b}, measure=["accuracy", "f1_macro"])
    assert list(both) == ["accuracy", "f1_macro"]
    assert both["f1_macro"]["a", "b"].effect == compare(truth, {"a": a, "b": b}, measure="f1_macro")["a", "b"].effect
    assert len(both) == len(both.to_dict()["measures"]) == 2
    assert "f1_macro" in str(both)
    with pytest.raises(UnknownNameError):
        both["mcc"]


def test_the_comparison_tells_itself():
    truth, a, b = _pair(7)
    c = compare(truth, {"a": a, "b": b})
    text = str(c)
    assert "first −" in text
    assert str(c.verdict) in " ".join(text.split())
    assert c.to_dict()["differences"][0]["first"] == "a"
