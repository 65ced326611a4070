"""The verdict against the base rate, with binomial chances that can be checked by hand."""

from math import comb

import numpy as np
import pytest

from surefold import assess
from surefold.verdict.verdict import p_text

approx = pytest.approx


def two_classes(right: int, n: int = 20):
    """Half a and half b, of which `right` are called right."""
    truth = np.arange(n) % 2
    return truth, np.where(np.arange(n) < right, truth, 1 - truth)


def upper(s: int, n: int) -> float:
    """P(X >= s) for n fair coins."""
    return float(sum(comb(n, i) for i in range(s, n + 1)) / 2**n)


@pytest.mark.parametrize(
    ("right", "status"),
    [(20, "better"), (15, "better"), (14, "cannot_tell"), (10, "cannot_tell"), (6, "cannot_tell"), (5, "worse")],
)
def test_against_one_half(right, status):
    # of 20 fair coins 15 or more fall right with chance 21700/2^20 = .0207, 14 or more with .0577
    v = assess(*two_classes(right)).verdict
    assert v.status == status
    assert v.evidence["majority_share"] == approx(0.5)
    assert v.evidence["p_better"] == approx(upper(right, 20))
    assert v.evidence["p_worse"] == approx(upper(20 - right, 20))
    better, worse = (p <= 0.025 for p in (v.evidence["p_better"], v.evidence["p_worse"]))
    assert status == ("better" if better else "worse" if worse else "cannot_tell")


def test_the_printed_tail_sums():
    assert upper(15, 20) == approx(21700 / 2**20)
    assert round(upper(14, 20), 4) == 0.0577


def test_half_of_the_miss_goes_to_each_side():
    # 16 or more of 22 fair coins: .0262, above 2.5 % and below 5 %
    v = assess(*two_classes(16, 22)).verdict
    assert 0.025 < upper(16, 22) < 0.05
    assert v.evidence["p_better"] == approx(upper(16, 22))
    assert v.status == "cannot_tell"


def test_confidence_moves_the_line():
    truth, answer = two_classes(14)  # p = .0577
    assert assess(truth, answer, confidence=0.8).verdict.status == "better"  # 10 % a side
    assert assess(truth, answer, confidence=0.95).verdict.status == "cannot_tell"


def test_ninety_per_cent_accuracy_that_is_no_better_than_the_base_rate():
    truth = ["sick"] * 10 + ["well"] * 90
    a = assess(truth, ["well"] * 100)
    v = a.verdict
    assert a["accuracy"].value == approx(0.9)
    assert v.status == "cannot_tell"
    assert v.evidence["majority_label"] == "well"
    assert v.evidence["majority_share"] == approx(0.9)
    assert v.evidence["chance_agreement"] == approx(0.9)
    assert "no better than always answering 'well' (0.900)" in str(v)


def test_chance_agreement_is_that_of_kappa():
    # sartori-kappa: 82 of 200 agree by chance, 140 are right, 120 is the largest class
    counts = [[88, 14, 18], [10, 40, 10], [2, 6, 12]]
    truth = np.repeat(np.arange(3), np.sum(counts, axis=1))
    answer = np.concatenate([np.repeat(np.arange(3), row) for row in counts])
    v = assess(truth, answer).verdict
    assert v.evidence["chance_agreement"] == approx(82 / 200)
    assert v.evidence["majority_share"] == approx(120 / 200)
    p = sum(comb(200, i) * 0.6**i * 0.4 ** (200 - i) for i in range(140, 201))
    assert v.evidence["p_better"] == approx(p)
    assert v.status == "better"
    assert "0.410" in str(v)


def test_one_class_cannot_be_judged():
    v = assess(["a"] * 50, ["a"] * 50).verdict
    assert v.status == "cannot_tell"
    assert "every true row is 'a'" in str(v)
    assert "p_better" not in v.evidence


def test_grouped_rows_are_worth_fewer():
    truth, answer = two_classes(16)  # p = .0059 for single rows
    assert assess(truth, answer).verdict.status == "better"
    twice = np.repeat(np.arange(20), 4)
    a = assess(truth[twice], answer[twice], groups=twice)
    assert assess(truth[twice], answer[twice]).verdict.evidence["p_better"] < 1e-7
    assert a.verdict.evidence["p_better"] == approx(upper(16, 20), rel=0.5)
    truth, answer = two_classes(14)
    copied = assess(truth[twice], answer[twice], groups=twice).verdict
    assert copied.status == "cannot_tell"


def test_as_plain_values():
    v = assess(*two_classes(15)).verdict
    assert v.to_dict()["status"] == "better"
    assert v.to_dict()["sentence"] == str(v)
    assert str(v).startswith("Accuracy 0.750 [")


def test_p_text():
    assert [p_text(p) for p in (0.5, 0.00123, 0.00023, 0.00009)] == ["= 0.500", "= 0.001", "= 0.0002", "< 0.0001"]
