"""What stratified folds hide, by hand and against moving the shares of the classes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression

import surefold as sf
from surefold.resampling.fold_values import HeldOut
from surefold.resampling.hidden_shares import hidden_variance

RNG = np.random.default_rng(8)
X = RNG.normal(size=(120, 3))
Y = (X[:, 0] + RNG.normal(size=120) > 1.1).astype(int)


def held(truth: list[int], predicted: list[int], k: int = 2) -> HeldOut:
    n = len(truth)
    labels = tuple(range(k))
    return HeldOut(np.array(truth), np.array(predicted, dtype=np.int32), None, "none", np.array([0, n]), labels)


def test_of_accuracy_it_is_how_far_classes_are_from_the_whole():
    # 3 of 4 negatives right, 0 of 1 positive: .75 and 0 about .6, with shares .8 and .2
    found = hidden_variance(held([0, 0, 0, 0, 1], [0, 0, 0, 1, 0]), "accuracy", 1, {})
    assert found == pytest.approx(0.8 * 0.15**2 + 0.2 * 0.6**2)


def test_nothing_is_hidden_of_figures_that_do_not_know_the_shares():
    h = held([0] * 8 + [1] * 4, [0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 0, 1])
    for name in ("recall", "specificity", "balanced_accuracy"):
        assert hidden_variance(h, name, 1, {}) == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("name", ["precision", "f1", "mcc", "kappa", "accuracy", "f1_macro"])
def test_it_is_the_slope_by_the_share_of_the_positives(name):
    """With two classes: (change of the figure by the share of the positives)² p (1 - p)."""
    truth, predicted = [0] * 60 + [1] * 20, [0] * 50 + [1] * 10 + [1] * 14 + [0] * 6

    def at(p: float) -> float:
        counts = np.array([[50, 10], [6, 14]]) / [[60], [20]] * [[1 - p], [p]]
        return float(sf.Confusion(1e6 * counts, labels=[0, 1]).measure(name, pos_label=1))

    slope = (at(0.25 + 1e-4) - at(0.25 - 1e-4)) / 2e-4
    assert hidden_variance(held(truth, predicted), name, 1, {}) == pytest.approx(slope**2 * 0.25 * 0.75, rel=1e-4)


def test_always_the_commonest_class_is_as_unsure_as_a_share_of_its_rows():
    """Ten stratified folds of a constant answer all have the same error, and new data sets do not."""
    y = np.repeat([0, 1], [80, 20])
    r = sf.cross_validate(DummyClassifier(), np.zeros((100, 1)), y, folds=10, repeats=2, random_state=0)
    assert np.ptp(r.values("error_rate")) == 0
    e = r.interval("error_rate")
    # s² = .2 .8 / 10 rows of a fold; (1/20 + 1/9) of that
    assert e.se == pytest.approx(np.sqrt((1 / 20 + 1 / 9) * 0.16 / 10))
    assert "near_chance" in e.flags


def test_folds_that_are_not_stratified_hide_nothing():
    plain = sf.cross_validate(LogisticRegression(), X, Y, folds=5, repeats=2, random_state=1, stratified=False)
    values = plain.values("error_rate")
    assert plain.interval("error_rate").se == pytest.approx(np.sqrt((1 / 10 + 1 / 4) * values.var(ddof=1)))
    strata = sf.cross_validate(LogisticRegression(), X, Y, folds=5, repeats=2, random_state=1)
    e, alone = strata.interval("error_rate"), strata.values("error_rate").var(ddof=1)
    assert e.se > np.sqrt((1 / 10 + 1 / 4) * alone)
    assert strata.interval("roc_auc", pos_label=1).se == pytest.approx(
        np.sqrt((1 / 10 + 1 / 4) * strata.values("roc_auc", pos_label=1).var(ddof=1))
    )


def test_weights_count_as_rows_do():
    h = held([0, 0, 1, 1], [0, 1, 1, 1])
    twice = held([0, 0, 0, 1, 1], [0, 1, 1, 1, 1])
    for name in ("accuracy", "precision"):
        weighted = hidden_variance(replace(h, weights=np.array([1.0, 2.0, 1.0, 1.0])), name, 1, {})
        assert weighted == pytest.approx(hidden_variance(twice, name, 1, {}))
