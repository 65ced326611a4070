"""Equality with scikit-learn, live, wherever it defines the same thing: 200 random tables, half of them weighted."""

import warnings

import numpy as np
import pytest
from sklearn import metrics as sk

import surefold as sf
from surefold import Confusion, catalogue

approx = pytest.approx


def _case(seed: int):
    rng = np.random.default_rng(seed)
    k = int(rng.integers(2, 7))
    n = int(rng.integers(k * k, 300))
    truth = np.concatenate([np.arange(k), rng.integers(0, k, n)])
    skill = rng.random()
    answer = np.where(rng.random(len(truth)) < skill, truth, rng.integers(0, k, len(truth)))
    weights = rng.uniform(0, 4, len(truth)) if seed % 2 else None
    return k, truth, answer, weights


CASES = [_case(seed) for seed in range(200)]


@pytest.fixture(scope="module")
def tallies():
    return [
        Confusion.of(sf.Predictions.of(truth, answer, labels=list(range(k)), sample_weight=weights))
        for k, truth, answer, weights in CASES
    ]


def overall(name: str, tally: Confusion, **options) -> float:
    m = catalogue.with_options(name, options)
    weights = None if m.weigh is None else m.weigh(tally.classes, m.settings)
    return float(m(tally.margins(weights)))


def per_class(name: str, tally: Confusion, **options) -> np.ndarray:
    return catalogue.with_options(name, options)(tally.one_vs_rest)


def test_confusion_matrix_and_its_one_vs_rest_parts(tallies):
    for tally, (k, truth, answer, weights) in zip(tallies, CASES, strict=True):
        labels = list(range(k))
        theirs = sk.confusion_matrix(truth, answer, labels=labels, sample_weight=weights)
        assert tally.counts == approx(theirs)
        each = sk.multilabel_confusion_matrix(truth, answer, labels=labels, sample_weight=weights)
        for ours, (row, column) in (("tn", (0, 0)), ("fp", (0, 1)), ("fn", (1, 0)), ("tp", (1, 1))):
            assert getattr(tally, ours) == approx(each[:, row, column], abs=1e-9)


@pytest.mark.parametrize(
    ("name", "options", "theirs", "arguments"),
    [
        ("accuracy", {}, sk.accuracy_score, {}),
        ("zero_one_loss", {}, sk.zero_one_loss, {}),
        ("error_rate", {}, sk.hamming_loss, {}),  # with one label a row they are the same
        ("balanced_accuracy", {}, sk.balanced_accuracy_score, {}),
        ("balanced_accuracy", {"adjusted": True}, sk.balanced_accuracy_score, {"adjusted": True}),
        ("mcc", {}, sk.matthews_corrcoef, {}),
        ("kappa", {}, sk.cohen_kappa_score, {}),
        ("kappa", {"weights": "linear"}, sk.cohen_kappa_score, {"weights": "linear"}),
        ("kappa", {"weights": "quadratic"}, sk.cohen_kappa_score, {"weights": "quadratic"}),
    ],
)
def test_measures_of_the_table(tallies, name, options, theirs, arguments):
    for tally, (_, truth, answer, weights) in zip(tallies, CASES, strict=True):
        assert overall(name, tally, **options) == approx(theirs(truth, answer, sample_weight=weights, **arguments))


def prf(case, average):
    """Their precision, recall and F1 in one call, and Jaccard."""
    k, truth, answer, weights = case
    asked = {"labels": list(range(k)), "average": average, "sample_weight": weights}
    three = sk.precision_recall_fscore_support(truth, answer, zero_division=np.nan if average is None else 0, **asked)
    jaccard = sk.jaccard_score(truth, answer, zero_division=0, **asked)  # it takes no NaN
    return dict(zip(("precision", "recall", "f1", "jaccard"), (*three[:3], jaccard), strict=True))


def test_measures_of_each_class(tallies):
    defined = dict.fromkeys(("precision", "recall", "f1", "jaccard"), 0)
    for tally, case in zip(tallies, CASES, strict=True):
        for name, theirs in prf(case, None).items():
            ours = per_class(name, tally)
            there = ~np.isnan(ours)
            defined[name] += there.sum()
            assert ours[there] == approx(theirs[there]), name
            if name in ("precision", "recall"):
                assert np.isnan(theirs[~there]).all()
    assert min(defined.values()) > 700


@pytest.mark.parametrize("beta", [0.5, 2.0])
def test_fbeta(tallies, beta):
    for tally, (k, truth, answer, weights) in zip(tallies, CASES, strict=True):
        theirs = sk.fbeta_score(
            truth, answer, beta=beta, labels=list(range(k)), average=None, sample_weight=weights, zero_division=np.nan
        )
        assert per_class("fbeta", tally, beta=beta) == approx(theirs, nan_ok=True)


@pytest.mark.parametrize("average", ["macro", "micro", "weighted"])
def test_averages(tallies, average):
    compared = dict.fromkeys(("precision", "recall", "f1", "jaccard"), 0)
    for tally, case in zip(tallies, CASES, strict=True):
        for name, theirs in prf(case, average).items():
            ours = overall(f"{name}_{average}", tally)
            if np.isnan(ours):  # a class was never called: ours has no average, theirs puts 0 for the class
                assert (tally.margins().called == 0).any()
                continue
            compared[name] += 1
            assert ours == approx(theirs), name
    assert min(compared.values()) > 150


def test_binary_calls_by_name_and_likelihood_ratios():
    compared = 0
    for k, truth, answer, weights in CASES:
        if k != 2:
            continue
        a = sf.assess(truth, answer, pos_label=1, sample_weight=weights)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            plus, minus = sk.class_likelihood_ratios(truth, answer, labels=[0, 1], sample_weight=weights)
        for ours, theirs in ((a["lr_plus"], plus), (a["lr_minus"], minus)):
            if np.isfinite(ours.value):
                assert float(ours) == approx(theirs)
                compared += 1
        for name, score in (("precision", sk.precision_score), ("recall", sk.recall_score), ("f1", sk.f1_score)):
            if a[name].defined:
                assert float(a[name]) == approx(score(truth, answer, sample_weight=weights))
        if a["specificity"].defined:
            theirs = sk.recall_score(truth, answer, pos_label=0, sample_weight=weights)
            assert float(a["specificity"]) == approx(theirs)
        assert float(a["prevalence"]) == approx(np.average(truth == 1, weights=weights))
    assert compared > 30


def test_macro_averages_run_over_the_declared_labels_where_sklearn_takes_the_union():
    # 2 of 3 right; 'c' is never true: theirs averages over three classes, ours over two and says so
    truth, answer = ["a", "b", "b"], ["a", "b", "c"]
    theirs = sk.recall_score(truth, answer, average="macro", zero_division=0)
    assert theirs == approx((1 + 1 / 2 + 0) / 3)
    a = sf.assess(truth, answer)
    assert float(a["recall_macro"]) == approx((1 + 1 / 2) / 2)
    assert "unseen_label" in {f.code for f in a.findings}


def test_brier_of_hard_labels_is_the_squared_loss_of_plus_and_minus_one():
    k, truth, answer, _ = next(c for c in CASES if c[0] == 2)
    assert k == 2
    loss = sk.mean_squared_error(2 * truth - 1, 2 * answer - 1)
    assert float(sf.measure("squared_loss", truth, answer)) == approx(loss)
