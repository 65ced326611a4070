"""Every worked figure of the sources on confusion tables, with its arithmetic.

The ids (ex22.1 and so on) are those of the list of worked figures that the project keeps.
"""

from math import sqrt

import numpy as np
import pytest

import surefold as sf
from surefold import Confusion, catalogue

approx = pytest.approx

# ex22.1-2: the chapter puts the predicted class in rows
IRIS = Confusion([[10, 0, 0], [0, 7, 5], [0, 3, 5]], labels=["c1", "c2", "c3"], rows="predicted")
# ex22.3: TP 7, FP 7, FN 3, TN 13
SPLIT = Confusion([[7, 3], [7, 13]], labels=["P", "N"])
# sartori-kappa: rows are true
ANSWERS = Confusion([[88, 14, 18], [10, 40, 10], [2, 6, 12]])


def test_ex22_1_counts_error_and_accuracy():
    n = 10 + 7 + 5 + 3 + 5
    assert n == 30
    assert IRIS.total == n
    assert IRIS.counts.tolist() == [[10, 0, 0], [0, 7, 3], [0, 5, 5]]
    assert float(IRIS.measure("accuracy")) == approx((10 + 7 + 5) / 30)
    assert float(IRIS.measure("error_rate")) == approx((5 + 3) / 30)


@pytest.mark.parametrize(
    ("label", "precision", "recall", "f1"),
    [
        ("c1", 10 / 10, 10 / 10, 1.0),
        ("c2", 7 / (7 + 5), 7 / (7 + 3), 2 * 7 / (12 + 10)),
        ("c3", 5 / (3 + 5), 5 / (5 + 5), 2 * 5 / (8 + 10)),
    ],
)
def test_ex22_2_per_class(label, precision, recall, f1):
    assert float(IRIS.measure("precision", label)) == approx(precision)
    assert float(IRIS.measure("recall", label)) == approx(recall)
    assert float(IRIS.measure("f1", label)) == approx(f1)


def test_ex22_2_f_overall_is_the_mean_over_classes():
    f = float(IRIS.measure("f1_macro"))
    assert f == approx((1 + 14 / 22 + 10 / 18) / 3)
    assert f == approx(0.731, abs=5e-4)  # as printed


@pytest.mark.parametrize(
    ("name", "label", "value"),
    [
        ("error_rate", None, (7 + 3) / 30),
        ("precision", "P", 7 / (7 + 7)),
        ("precision", "N", 13 / (13 + 3)),
        ("negative_predictive_value", "P", 13 / 16),
        ("sensitivity", "P", 7 / (7 + 3)),
        ("specificity", "P", 13 / (13 + 7)),
        ("fnr", "P", 3 / 10),
        ("fpr", "P", 7 / 20),
    ],
)
def test_ex22_3(name, label, value):
    assert float(SPLIT.measure(name, label)) == approx(value)


def test_ex22_3_as_printed():
    printed = {"precision": 0.5, "sensitivity": 0.7, "specificity": 0.65, "fnr": 0.3, "fpr": 0.35}
    assert {name: round(float(SPLIT.measure(name, "P")), 4) for name in printed} == printed
    assert round(float(SPLIT.measure("precision", "N")), 4) == 0.8125


def test_ex22_3_every_other_two_class_measure():
    tp, fp, fn, tn = 7, 7, 3, 13
    recall, precision, specificity, npv = 0.7, 0.5, 0.65, 13 / 16
    by_hand = {
        "prevalence": 10 / 30,
        "false_discovery_rate": 7 / 14,
        "false_omission_rate": 3 / 16,
        "jaccard": 7 / (7 + 7 + 3),
        "fowlkes_mallows": sqrt(precision * recall),
        "informedness": recall + specificity - 1,
        "markedness": precision + npv - 1,
        "positive_likelihood_ratio": 0.7 / 0.35,
        "negative_likelihood_ratio": 0.3 / 0.65,
        "diagnostic_odds_ratio": (tp * tn) / (fp * fn),
        "lift": precision / (10 / 30),
        "fbeta": 5 * tp / (5 * tp + 4 * fn + fp),  # beta = 2
        "squared_loss": 4 * 10 / 30,
        "geometric_mean": sqrt(recall * specificity),
        "balanced_accuracy": (recall + specificity) / 2,
        "balanced_accuracy_adjusted": recall + specificity - 1,  # two classes: 2 (b - 1/2)
        "mcc": (tp * tn - fp * fn) / sqrt(14 * 10 * 20 * 16),
    }
    for name, value in by_hand.items():
        assert float(SPLIT.measure(name, "P")) == approx(value), name


def test_sartori_kappa():
    right = 88 + 40 + 12
    # margins: true 120, 60, 20; called 100, 60, 40; n = 200
    by_chance = (120 * 100 + 60 * 60 + 20 * 40) / 200
    assert (right, by_chance) == (140, 82)
    assert np.trace(ANSWERS.by_chance().counts) == approx(82)
    assert ANSWERS.by_chance().counts[0].tolist() == approx([120 * 100 / 200, 120 * 60 / 200, 120 * 40 / 200])
    assert float(ANSWERS.measure("kappa")) == approx((140 - 82) / (200 - 82))
    assert float(ANSWERS.measure("kappa")) == approx(0.4915, abs=5e-5)


def test_sartori_weighted_kappa_by_hand():
    # off by one: 14 + 10 + 10 + 6; off by two: 18 + 2. By chance the same from the margins, over n = 200.
    one, two = 14 + 10 + 10 + 6, 18 + 2
    chance_one = (120 * 60 + 60 * 100 + 60 * 40 + 20 * 60) / 200
    chance_two = (120 * 40 + 20 * 100) / 200
    linear = 1 - (one + 2 * two) / (chance_one + 2 * chance_two)
    quadratic = 1 - (one + 4 * two) / (chance_one + 4 * chance_two)
    assert float(ANSWERS.measure("kappa", weights="linear")) == approx(linear)
    assert float(ANSWERS.measure("kappa", weights="quadratic")) == approx(quadratic)


def _two_class_tables(count=200):
    rng = np.random.default_rng(22)
    return rng.integers(1, 60, size=(count, 2, 2)).astype(float)


def test_sartori_kappa2_equals_the_general_formula():
    tables = _two_class_tables()
    tp, fn, fp, tn = tables[:, 0, 0], tables[:, 0, 1], tables[:, 1, 0], tables[:, 1, 1]
    binary = 2 * (tp * tn - fp * fn) / ((tp + fp) * (fp + tn) + (tp + fn) * (fn + tn))
    assert catalogue["kappa"](Confusion(tables).margins()) == approx(binary)


def test_sartori_mcc_equals_the_general_formula():
    tables = _two_class_tables()
    tp, fn, fp, tn = tables[:, 0, 0], tables[:, 0, 1], tables[:, 1, 0], tables[:, 1, 1]
    binary = (tp * tn - fp * fn) / np.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))
    assert catalogue["mcc"](Confusion(tables).margins()) == approx(binary)


@pytest.mark.parametrize("table", [IRIS, SPLIT, ANSWERS], ids=["ex22.1", "ex22.3", "sartori"])
def test_sartori_averages(table):
    accuracy = float(table.measure("accuracy"))
    for name in ("recall_micro", "recall_weighted", "precision_micro", "f1_micro"):
        assert float(table.measure(name)) == approx(accuracy), name


def test_sartori_averages_by_hand():
    recall = (88 / 120, 40 / 60, 12 / 20)
    precision = (88 / 100, 40 / 60, 12 / 40)
    f1 = (2 * 88 / 220, 2 * 40 / 120, 2 * 12 / 60)
    for name, each in (("recall", recall), ("precision", precision), ("f1", f1)):
        assert float(ANSWERS.measure(f"{name}_macro")) == approx(sum(each) / 3)
        weighted = (120 * each[0] + 60 * each[1] + 20 * each[2]) / 200
        assert float(ANSWERS.measure(f"{name}_weighted")) == approx(weighted)
    jaccard = (88 / (120 + 100 - 88), 40 / (60 + 60 - 40), 12 / (20 + 40 - 12))
    assert float(ANSWERS.measure("jaccard_macro")) == approx(sum(jaccard) / 3)
    assert float(ANSWERS.measure("jaccard_micro")) == approx(140 / (140 + 60 + 60))  # an error counts twice


def test_q22_2_accuracy_and_coverage_of_the_one_split_tree():
    # The tree splits on Z: A is class 1, B class 2 (the training rows say so without exception).
    z, truth = ["A", "B", "A", "B", "B"], [2, 1, 2, 2, 1]
    a = sf.assess(truth, [{"A": 1, "B": 2}[v] for v in z])
    assert float(a["accuracy"]) == approx(1 / 5)
    one, two = a.per_class[1], a.per_class[2]
    assert (float(one["precision"]), float(two["precision"])) == approx((0 / 2, 1 / 3))
    assert (float(one["coverage"]), float(two["coverage"])) == approx((0 / 2, 1 / 3))


def test_always_no_at_two_per_cent_prevalence():
    # Slip 5 of the sources: 98 % is the accuracy; precision of "disease" is undefined, recall 0.
    table = Confusion([[0, 20], [0, 980]], labels=["disease", "no"])
    assert float(table.measure("accuracy")) == approx(0.98)
    assert float(table.measure("recall", "disease")) == 0
    precision = table.measure("precision", "disease")
    assert not precision.defined
    assert precision.reason == "nothing was called 'disease'"


def test_cost_by_hand():
    costs = [[0, 1, 4], [1, 0, 1], [9, 2, 0]]
    total = 14 * 1 + 18 * 4 + 10 * 1 + 10 * 1 + 2 * 9 + 6 * 2
    assert float(ANSWERS.measure("expected_cost", costs=costs)) == approx(total / 200)


def test_geometric_mean_of_three_classes():
    assert float(ANSWERS.measure("g_mean")) == approx((88 / 120 * 40 / 60 * 12 / 20) ** (1 / 3))
    never_found = Confusion([[5, 1], [4, 0]])
    assert float(never_found.measure("g_mean")) == 0
