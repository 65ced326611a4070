"""Findings: one test a code, each with data that has it and data that has not."""

import numpy as np
import pytest

import surefold as sf
from surefold import assess
from surefold.estimates import clopper_pearson

approx = pytest.approx
RNG = np.random.default_rng(0)
TRUTH = RNG.integers(0, 2, 80)
ANSWER = np.where(RNG.random(80) < 0.8, TRUTH, 1 - TRUTH)


def codes(a: sf.Assessment) -> list[str]:
    return [f.code for f in a.findings]


def finding(a: sf.Assessment, code: str) -> sf.Finding:
    (found,) = [f for f in a.findings if f.code == code]  # exactly one
    return found


def test_nothing_to_say_about_plain_rows():
    assert codes(assess(TRUTH, ANSWER)) == ["positive_class_assumed"]


def test_no_code_is_said_twice():
    for a in (
        assess([1], [1]),
        assess(["a"] * 5, ["a"] * 5, groups=[1, 2, 3, 4, 5]),
        assess([0, 0, 1, 1], [0, 1, 1, 1], sample_weight=[1, 2, 0, 0]),
    ):
        assert len(set(codes(a))) == len(codes(a)), codes(a)


def test_single_row():
    a = assess([1], [1], pos_label=1)
    assert a["accuracy"].interval == approx((0.025, 1))  # Clopper-Pearson: p = .025 gives one of one with chance .025
    assert a["accuracy"].value == 1
    assert "single_row" in codes(a)
    assert "few_rows" not in codes(a)


def test_few_rows():
    assert finding(assess(TRUTH[:29], ANSWER[:29]), "few_rows").evidence["rows"] == 29
    assert "few_rows" not in codes(assess(TRUTH[:30], ANSWER[:30]))


def test_single_class():
    a = assess(["a"] * 40, ["a"] * 30 + ["b"] * 10)
    assert "'a'" in finding(a, "single_class").sentence
    assert "single_class" not in codes(assess(TRUTH, ANSWER))


def test_constant_prediction():
    a = assess(TRUTH, np.zeros(80, int))
    assert finding(a, "constant_prediction").evidence["label"] == 0
    assert "constant_prediction" not in codes(assess(TRUTH, ANSWER))
    assert "constant_prediction" not in codes(assess(["a"] * 40, ["a"] * 40))  # one class: nothing else to answer


def test_rare_class():
    nine = ["a"] * 31 + ["b"] * 9
    a = assess(nine, nine)
    found = finding(a, "rare_class")
    assert found.evidence == {"rows": {"b": 9}, "classes": 1}
    assert "'b' (9)" in found.sentence
    ten = ["a"] * 30 + ["b"] * 10
    assert "rare_class" not in codes(assess(ten, ten))


def test_rare_by_effective_rows():
    # 20 rows of b, but one of them has nearly all the weight
    truth = ["a"] * 30 + ["b"] * 20
    weights = [1.0] * 30 + [50.0] + [0.1] * 19
    a = assess(truth, truth, sample_weight=weights)
    rows = (50 + 1.9) ** 2 / (2500 + 19 * 0.01)
    assert finding(a, "rare_class").evidence["rows"]["b"] == approx(rows)


def test_many_classes():
    labels = [f"c{i:02}" for i in range(51)]
    assert finding(assess(labels * 2, labels * 2), "many_classes").evidence["classes"] == 51
    assert "many_classes" not in codes(assess(labels[:50] * 2, labels[:50] * 2))


def test_weighted():
    weights = np.where(np.arange(80) < 40, 1.0, 3.0)
    found = finding(assess(TRUTH, ANSWER, sample_weight=weights), "weighted")
    assert found.evidence["effective_rows"] == approx((40 + 120) ** 2 / (40 + 360))  # (sum w)^2 / sum w^2 = 64
    assert "weighted" not in codes(assess(TRUTH, ANSWER, sample_weight=np.full(80, 2.5)))


def test_grouped_and_few_clusters():
    a = assess(TRUTH, ANSWER, groups=np.arange(80) // 10)
    assert finding(a, "grouped").evidence["groups"] == 8
    assert finding(a, "grouped").evidence["effective_rows"] == approx(a["accuracy"].n)
    assert finding(a, "few_clusters").evidence["groups"] == 8
    many = assess(TRUTH, ANSWER, groups=np.arange(80) // 8)
    assert "grouped" in codes(many)
    assert "few_clusters" not in codes(many)


def test_one_group_each():
    a = assess(TRUTH, ANSWER, groups=np.arange(80))
    assert "one_group_each" in codes(a)
    assert "grouped" not in codes(a)


def test_weight_removes_class():
    a = assess(TRUTH, ANSWER, sample_weight=np.where(TRUTH == 1, 0.0, 1.0))
    assert "1" in finding(a, "weight_removes_class").sentence
    assert "single_class" in codes(a)  # of what is left


def test_every_finding_has_a_registered_code_and_severity():
    from surefold.findings import FINDING_CODES

    a = assess(["a", "a", "b"], ["a", "c", "c"], groups=[1, 1, 2], sample_weight=[1, 2, 1])
    assert len(a.findings) > 3
    for f in a.findings:
        assert f.severity == FINDING_CODES[f.code][0]
        assert f.sentence.endswith(".")
        assert set(f.to_dict()) == {"code", "severity", "sentence", "evidence"}
    with pytest.raises(AssertionError, match="unregistered"):
        sf.Finding.of("no_such_code", "Nothing.")


def test_exact_interval_for_few_errors_is_flagged():
    a = assess([0, 1] * 20, [0, 1] * 19 + [1, 1])
    assert a["accuracy"].interval == approx(clopper_pearson(39, 40).interval)
    assert "few_errors" in a["accuracy"].flags


def test_one_and_many_are_told_as_such():
    one = finding(assess(TRUTH, ANSWER, labels=[0, 1, 2]), "unused_label").sentence
    two = finding(assess(TRUTH, ANSWER, labels=[0, 1, 2, 3]), "unused_label").sentence
    assert one.startswith("1 declared label occurs in no row and stays in the tables")
    assert two.startswith("2 declared labels occur in no row and stay in the tables")
