"""The verdict against the base rate, with binomial chances that can be checked by hand."""

from math import comb

import numpy as np
import pytest

from surefold import assess
from surefold.numbers import p_text

approx = pytest.approx


def rows(ours: int, constant: int, both: int = 0, neither: int = 0):
    """Labels where `ours` rows only the classifier gets right, `constant` only "a" does, and so on.

    "a" must be the commonest class: constant + both > ours + neither.
    """
    truth = ["b"] * ours + ["a"] * constant + ["a"] * both + ["b"] * neither
    answer = ["b"] * ours + ["b"] * constant + ["a"] * both + ["a"] * neither
    return np.array(truth), np.array(answer)


def two_sided(b: int, c: int) -> float:
    """Twice the smaller tail of b + c fair coins, at most 1."""
    n, few = b + c, min(b, c)
    return float(min(1.0, 2 * sum(comb(n, i) for i in range(few + 1)) / 2**n))


@pytest.mark.parametrize(
    ("ours", "constant", "status"),
    [
        (15, 3, "better"),  # 2 (1 + 18 + 153 + 816) / 2^18 = .0075
        (14, 5, "cannot_tell"),  # .064
        (9, 0, "better"),  # 2 / 2^9 = .0039
        (3, 15, "worse"),
        (5, 5, "cannot_tell"),
        (0, 0, "cannot_tell"),
    ],
)
def test_the_rows_that_only_one_gets_right_decide(ours, constant, status):
    v = assess(*rows(ours, constant, both=30, neither=4)).verdict
    assert v.evidence["majority_label"] == "a"
    assert v.evidence["p_value"] == approx(two_sided(ours, constant))
    assert v.evidence["test"] == "exact McNemar"
    assert v.status == status


def test_the_printed_sum():
    assert two_sided(15, 3) == approx(2 * (1 + 18 + 153 + 816) / 2**18)


def test_confidence_moves_the_line():
    truth, answer = rows(14, 5, both=30)  # p = .064
    assert assess(truth, answer, confidence=0.9).verdict.status == "better"
    assert assess(truth, answer, confidence=0.95).verdict.status == "cannot_tell"


def test_false_alarms_stay_below_nominal():
    # true accuracy equal to the majority share .6: right with chance .6 whatever the class
    rng, alarms = np.random.default_rng(0), 0
    for _ in range(400):
        truth = rng.random(200) < 0.6
        answer = np.where(rng.random(200) < 0.6, truth, ~truth)
        alarms += assess(truth, answer).verdict.status == "better"
    assert alarms / 400 < 0.045  # 2.5 % on this side, and 3 Monte-Carlo errors


def test_ninety_per_cent_accuracy_that_is_no_better_than_the_base_rate():
    truth = ["sick"] * 10 + ["well"] * 90
    a = assess(truth, ["well"] * 100)
    v = a.verdict
    assert a["accuracy"].value == approx(0.9)
    assert v.status == "cannot_tell"
    assert v.evidence["majority_label"] == "well"
    assert v.evidence["majority_share"] == approx(0.9)
    assert v.evidence["chance_agreement"] == approx(0.9)
    assert "no better than always answering 'well', right on 90%" in str(v)


def test_chance_agreement_is_that_of_kappa():
    # sartori-kappa: 82 of 200 agree by chance, 140 are right, 120 is the largest class
    counts = [[88, 14, 18], [10, 40, 10], [2, 6, 12]]
    truth = np.repeat(np.arange(3), np.sum(counts, axis=1))
    answer = np.concatenate([np.repeat(np.arange(3), row) for row in counts])
    v = assess(truth, answer).verdict
    assert v.evidence["chance_agreement"] == approx(82 / 200)
    assert v.evidence["majority_share"] == approx(120 / 200)
    # the largest class against its share, as caret prints it: liberal, because the share is of the same rows
    p = sum(comb(200, i) * 0.6**i * 0.4 ** (200 - i) for i in range(140, 201))
    assert v.evidence["share_test_p"] == approx(p)
    # only ours: 40 + 12; only the constant answer: 14 + 18
    assert v.evidence["p_value"] == approx(two_sided(52, 32))
    assert v.status == "better"
    assert "would be right 41% of the time" in str(v.how[1])


def test_one_class_cannot_be_judged():
    v = assess(["a"] * 50, ["a"] * 50).verdict
    assert v.status == "cannot_tell"
    assert "every true row is 'a'" in str(v)
    assert "p_value" not in v.evidence


def test_labels_that_never_meet_cannot_be_judged():
    a = assess(["yes", "no", "no"] * 20, ["Yes", "No", "No"] * 20)
    assert a.verdict.status == "cannot_tell"
    assert "share no label" in str(a.verdict)
    assert "no_shared_label" in {finding.code for finding in a.findings}


def test_groups_that_repeat_a_row_count_as_that_row():
    truth, answer = rows(14, 5, both=30)
    times = np.repeat(np.arange(len(truth)), 4)
    copied = assess(truth[times], answer[times], groups=times).verdict
    assert assess(truth[times], answer[times]).verdict.evidence["p_value"] < 1e-4
    assert copied.evidence["test"] == "paired t"
    assert copied.evidence["p_value"] == approx(two_sided(14, 5), abs=0.03)


def test_one_group_tells_nothing():
    truth, answer = rows(15, 3, both=30)
    v = assess(truth, answer, groups=np.zeros(len(truth))).verdict
    assert v.status == "cannot_tell"
    assert v.evidence["p_value"] == 1


def test_weights_of_one_change_little():
    truth, answer = rows(15, 3, both=30)
    weights = np.linspace(0.99, 1.01, len(truth))
    v = assess(truth, answer, sample_weight=weights).verdict
    assert v.evidence["test"] == "paired t"
    assert v.status == "better"
    # z = 12 / sqrt(19 - 12^2 / 49), one row added
    assert v.evidence["p_value"] == approx(0.0036, abs=0.0015)


def test_as_plain_values():
    v = assess(*rows(15, 3, both=30)).verdict
    assert v.to_dict()["status"] == "better"
    assert v.to_dict()["sentence"] == str(v)
    assert str(v).startswith("Right on 93.8% [")  # 45 of 48
    assert v.to_dict()["badge"] == {"words": "better than always answering 'a'", "tone": "good"}


def test_p_text():
    assert [p_text(p) for p in (0.5, 0.00123, 0.00023, 0.00009)] == ["0.500", "0.0012", "0.0002", "< 0.0001"]
