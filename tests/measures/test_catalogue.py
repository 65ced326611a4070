"""The catalogue: which measures there are, under which names and with which options."""

import math
from collections.abc import Callable
from functools import partial

import numpy as np
import pytest

import surefold as sf
from surefold import Confusion, InputError, Measure, UnknownNameError, catalogue
from surefold.learners import NaiveBayes
from surefold.measures.catalogue import Catalogue
from surefold.measures.measure import REGISTERED

approx = pytest.approx

NAMES = [
    "accuracy", "error_rate", "squared_loss", "precision", "recall", "specificity", "false_negative_rate",
    "false_positive_rate", "negative_predictive_value", "false_discovery_rate", "false_omission_rate",
    "prevalence", "f1", "fbeta", "jaccard", "fowlkes_mallows", "informedness", "markedness",
    "positive_likelihood_ratio", "negative_likelihood_ratio", "diagnostic_odds_ratio", "lift", "kappa",
    "kappa_linear", "kappa_quadratic", "mcc", "balanced_accuracy", "balanced_accuracy_adjusted",
    "geometric_mean", "precision_macro", "precision_micro", "precision_weighted", "recall_macro",
    "recall_micro", "recall_weighted", "f1_macro", "f1_micro", "f1_weighted", "jaccard_macro", "jaccard_micro",
    "jaccard_weighted", "expected_cost",
]  # fmt: skip

ALIASES = {
    "zero_one_loss": "error_rate",
    "sensitivity": "recall",
    "tpr": "recall",
    "true_positive_rate": "recall",
    "coverage": "recall",
    "hit_rate": "recall",
    "tnr": "specificity",
    "true_negative_rate": "specificity",
    "fnr": "false_negative_rate",
    "miss_rate": "false_negative_rate",
    "fpr": "false_positive_rate",
    "fall_out": "false_positive_rate",
    "ppv": "precision",
    "positive_predictive_value": "precision",
    "npv": "negative_predictive_value",
    "fdr": "false_discovery_rate",
    "dice": "f1",
    "youden": "informedness",
    "cohen_kappa": "kappa",
    "matthews_corrcoef": "mcc",
    "phi": "mcc",
    "g_mean": "geometric_mean",
    "lr_plus": "positive_likelihood_ratio",
    "lr_minus": "negative_likelihood_ratio",
    "odds_ratio": "diagnostic_odds_ratio",
    "dor": "diagnostic_odds_ratio",
}


def test_every_measure_that_was_written_is_listed_and_none_is_missing():
    assert list(catalogue.of_labels) == list(dict.fromkeys(catalogue.of_labels))
    assert set(catalogue.of_labels) == set(REGISTERED) == set(NAMES)
    assert len(catalogue.of_labels) == len(NAMES)


@pytest.mark.parametrize(("alias", "name"), ALIASES.items())
def test_aliases(alias, name):
    assert catalogue[alias] is catalogue[name]
    assert alias in catalogue[name].aliases


def test_unknown_names_get_the_nearest():
    with pytest.raises(UnknownNameError, match="did you mean 'accuracy'"):
        catalogue["acuracy"]
    with pytest.raises(KeyError):  # a mapping's own error
        catalogue["nonsense"]
    assert "nonsense" not in catalogue


def test_negated_scorer_strings_name_the_loss_and_say_so_once():
    fresh = Catalogue(dict(catalogue))
    with pytest.warns(UserWarning, match="own sign"):
        assert fresh["neg_negative_likelihood_ratio"].name == "negative_likelihood_ratio"
    fresh["neg_negative_likelihood_ratio"]  # warnings are errors here: silence is the test


@pytest.mark.parametrize(
    ("name", "options", "chosen"),
    [
        ("kappa", {"weights": None}, "kappa"),
        ("kappa", {"weights": "linear"}, "kappa_linear"),
        ("cohen_kappa", {"weights": "quadratic"}, "kappa_quadratic"),
        ("balanced_accuracy", {"adjusted": True}, "balanced_accuracy_adjusted"),
        ("balanced_accuracy", {"adjusted": False}, "balanced_accuracy"),
    ],
)
def test_options_that_pick_a_sister(name, options, chosen):
    assert catalogue.with_options(name, options).name == chosen


def test_options_are_checked():
    with pytest.raises(UnknownNameError, match="weights of kappa"):
        catalogue.with_options("kappa", {"weights": "cubic"})
    with pytest.raises(InputError, match="no option 'beta'") as error:
        catalogue.with_options("f1", {"beta": 2})
    assert error.value.code == "bad_option"


def test_two_measures_cannot_share_a_name():
    with pytest.raises(AssertionError, match="two measures"):
        Catalogue({"a": _renamed("a", ("b",)), "b": _renamed("b", ())})
    with pytest.raises(AssertionError, match="two measures"):
        Catalogue({"a": _renamed("a", ("c",)), "b": _renamed("b", ("c",))})


def _renamed(name: str, aliases: tuple[str, ...]) -> Measure:
    from dataclasses import replace

    return replace(catalogue["accuracy"], name=name, aliases=aliases)


@pytest.mark.parametrize("name", NAMES)
def test_facts_are_complete(name):
    m = catalogue[name]
    assert m.name == name
    assert m.better in ("higher", "lower", "neither")
    assert m.range[0] < m.range[1]
    for text in (m.text, m.undefined, m.source, m.meaning):
        assert text.strip()
    assert m.meaning.endswith(".")
    facts = m.to_dict()
    assert facts["name"] == name
    assert facts["per_class"] is m.is_per_class
    if m.is_share:
        assert m.range == (0.0, 1.0)


@pytest.mark.parametrize("beta", [0.5, 1.0, 2.0])
def test_fbeta(beta):
    tp, fp, fn, tn = 7, 7, 3, 13
    precision, recall = tp / (tp + fp), tp / (tp + fn)
    by_definition = (1 + beta**2) * precision * recall / (beta**2 * precision + recall)
    table = Confusion([[tp, fn], [fp, tn]], labels=["P", "N"])
    assert float(table.measure("fbeta", "P", beta=beta)) == approx(by_definition)


@pytest.mark.parametrize(
    "costs",
    [[[0, 1]], [[0, 1], [1, math.inf]], [[0, "x"], [1, 0]], 3, [[0, 1, 2], [1, 0, 1], [2, 1, 0]], [[0, 1], [1]]],
    ids=["not square", "infinite", "text", "a number", "three classes", "ragged"],
)
def test_bad_cost_matrices(costs):
    with pytest.raises(InputError) as error:
        Confusion([[3, 1], [1, 3]]).measure("expected_cost", costs=costs)
    assert error.value.code == "cost_matrix"


def test_cost_must_be_given():
    with pytest.raises(InputError, match="expected_cost needs costs") as error:
        Confusion([[3, 1], [1, 3]]).measure("expected_cost")
    assert error.value.code == "bad_option"


def test_limits_of_measures_that_depend_on_the_table():
    three = Confusion(np.ones((3, 3)))
    assert catalogue["balanced_accuracy_adjusted"].limits(three.margins()) == (-1 / 2, 1)  # -1/(k-1)
    cost = catalogue["expected_cost"].with_options(costs=[[0, 2, 5], [1, 0, 1], [1, 1, -3]])
    assert cost.limits(three.margins()) == (-3, 5)


@pytest.mark.parametrize(
    ("name", "table"),
    [
        ("precision", [[0, 3], [0, 4]]),  # nothing called 0
        ("recall", [[0, 0], [3, 4]]),  # no row is 0
        ("specificity", [[3, 4], [0, 0]]),  # every row is 0
        ("negative_predictive_value", [[3, 0], [4, 0]]),  # everything called 0
        ("f1", [[0, 0], [0, 4]]),
        ("jaccard", [[0, 0], [0, 4]]),
        ("fbeta", [[0, 0], [0, 4]]),
        ("informedness", [[3, 4], [0, 0]]),
        ("markedness", [[3, 0], [4, 0]]),
        ("fowlkes_mallows", [[0, 3], [0, 4]]),
        ("positive_likelihood_ratio", [[0, 0], [0, 4]]),  # no row is 0 and none was called 0: not infinity
        ("positive_likelihood_ratio", [[0, 3], [0, 4]]),  # 0 / 0
        ("positive_likelihood_ratio", [[3, 4], [0, 0]]),
        ("negative_likelihood_ratio", [[3, 0], [4, 0]]),
        ("negative_likelihood_ratio", [[0, 0], [4, 0]]),
        ("diagnostic_odds_ratio", [[3, 0], [4, 0]]),
        ("lift", [[0, 0], [0, 4]]),  # undefined precision over prevalence 0: not infinity
        ("lift", [[0, 3], [0, 4]]),
        ("mcc", [[3, 4], [0, 0]]),
        ("mcc", [[3, 0], [4, 0]]),
        ("kappa", [[3, 0], [0, 0]]),
        ("kappa_linear", [[3, 0], [0, 0]]),
        ("kappa_quadratic", [[3, 0], [0, 0]]),
        ("balanced_accuracy_adjusted", [[3, 4], [0, 0]]),  # one class: not minus infinity
        ("geometric_mean", [[3, 4], [0, 0]]),
        ("precision_macro", [[0, 3], [0, 4]]),
        ("recall_macro", [[0, 0], [3, 4]]),
        ("f1_macro", [[0, 0], [0, 4]]),
    ],
)
def test_undefined_is_nan_with_a_reason_never_zero_and_never_infinity(name, table):
    e = Confusion(table).measure(name, 0)
    assert math.isnan(e.value)
    assert not e.defined
    assert e.reason
    assert math.isnan(e.low) == math.isnan(e.high)


@pytest.mark.parametrize(
    ("name", "table"),
    [
        ("positive_likelihood_ratio", [[3, 1], [0, 4]]),  # recall / 0
        ("negative_likelihood_ratio", [[3, 1], [4, 0]]),  # miss rate / 0
        ("diagnostic_odds_ratio", [[3, 1], [0, 4]]),
    ],
)
def test_a_ratio_over_zero_is_infinite_and_its_interval_reaches_it(name, table):
    e = Confusion(table).measure(name, 0)
    assert e.value == math.inf
    assert e.high == math.inf
    assert 0 < e.low < math.inf
    assert "degenerate" in e.flags


def test_the_area_of_many_classes_is_that_of_hand_and_till_and_says_so() -> None:
    rng = np.random.default_rng(0)
    y, p = np.arange(60) % 3, rng.dirichlet([1, 1, 1], 60)
    run = sf.cross_validate(NaiveBayes(), rng.normal(size=(60, 2)), y, folds=2)
    assert run["roc_auc"] == run["roc_auc_hand_till"]
    e = sf.measure("roc_auc", y, p.argmax(axis=1), y_score=p)
    assert (e.name, e.value) == ("roc_auc_hand_till", sf.measure("roc_auc_hand_till", y, y_score=p).value)


def test_a_measure_of_one_class_names_those_of_all() -> None:
    """Who passed one column a class, or a model of many, is told which measures read them."""
    rng = np.random.default_rng(0)
    y, p = np.arange(60) % 3, rng.dirichlet([1, 1, 1], 60)
    run = sf.cross_validate(NaiveBayes(), rng.normal(size=(60, 2)), y, folds=2)
    for name, told in {
        "gini": "such as roc_auc_hand_till",
        "average_precision": "such as average_precision_macro",
        "ks": "such as roc_auc_hand_till",
        "recall": "such as recall_macro",
        "specificity": "such as f1_macro",
    }.items():
        calls: list[Callable[[], object]] = [
            partial(run.mean, name),
            partial(sf.measure, name, y, p.argmax(axis=1), y_score=p),
        ]
        for call in calls:
            with pytest.raises(InputError, match=told) as caught:
                call()
            assert caught.value.code == "positive_class_unknown"
            assert "one column of scores a class" not in caught.value.cure
