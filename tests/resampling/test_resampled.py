"""Asking a result: values, means, intervals, refusals."""

import json
import math
from typing import Any

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score, log_loss, matthews_corrcoef, roc_auc_score
from sklearn.model_selection import ShuffleSplit
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

import surefold as sf
from surefold.estimates import wilson
from surefold.resampling.fold import Failure
from surefold.resampling.resampled import INTERVAL_METHODS


def data(n: int = 120, classes: int = 2, seed: int = 0) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    y = np.arange(n) % classes
    return rng.normal(size=(n, 3)) + y[:, None] * 0.8, y


def test_values_are_the_peers_fold_by_fold() -> None:
    X, y = data()
    r = sf.cross_validate(GaussianNB(), X, y, folds=4, repeats=2, random_state=3)
    expected: dict[str, list[float]] = {"f1": [], "mcc": [], "roc_auc": [], "log_loss": []}
    for split in r.plan:
        model = GaussianNB().fit(X[split.train], y[split.train])
        said, p, truth = model.predict(X[split.test]), model.predict_proba(X[split.test]), y[split.test]
        expected["f1"].append(f1_score(truth, said))
        expected["mcc"].append(matthews_corrcoef(truth, said))
        expected["roc_auc"].append(roc_auc_score(truth, p[:, 1]))
        expected["log_loss"].append(log_loss(truth, p))
    for name, values in expected.items():
        assert r.values(name) == pytest.approx(values, abs=1e-12), name
        assert r.mean(name) == pytest.approx(np.mean(values))


def test_many_classes() -> None:
    X, y = data(150, 3)
    r = sf.cross_validate(GaussianNB(), X, np.array(["x", "y", "z"])[y], folds=5, random_state=0)
    for split, value in zip(r.plan, r.values("f1_macro"), strict=True):
        said = GaussianNB().fit(X[split.train], y[split.train]).predict(X[split.test])
        assert value == pytest.approx(f1_score(y[split.test], said, average="macro"))
    assert r["roc_auc_hand_till"].defined
    assert r["log_loss"].name in ("log_loss", "log_loss_multiclass")


def test_corrected_interval_by_hand(errors_by_fold: sf.Resampled) -> None:
    """se^2 = (1/5 + 30/120) x .00833; t of 4 d.f. at 97.5 % is 2.776."""
    e = errors_by_fold.interval("error_rate")
    half = 2.776 * math.sqrt((1 / 5 + 30 / 120) * 30 / 900 / 4)
    assert e.interval == pytest.approx((7 / 30 - half, 7 / 30 + half), abs=1e-4)
    assert e.method == "corrected_t"


def test_pooled_is_the_assessment_of_all_rows(errors_by_fold: sf.Resampled) -> None:
    e = errors_by_fold.interval("error_rate", "pooled")
    assert e.value == 35 / 150
    assert e.interval == pytest.approx(wilson(35, 150).interval)


def test_one_split_and_leave_one_out_are_pooled_by_default() -> None:
    X, y = data(60)
    assert sf.holdout(GaussianNB(), X, y, random_state=0)["accuracy"].method in ("wilson", "clopper_pearson")
    assert sf.leave_one_out(GaussianNB(), X, y)["accuracy"].n == 60


def test_pooled_over_repeats_counts_each_row_once() -> None:
    """Ten repeats of the same rows must not look like ten times the rows."""
    X, y = data(80)
    once = sf.cross_validate(LogisticRegression(), X, y, folds=5, random_state=0).interval("accuracy", "pooled")
    often = sf.cross_validate(LogisticRegression(), X, y, folds=5, repeats=10, random_state=0).interval(
        "accuracy", "pooled"
    )
    assert often.width > 0.8 * once.width


def test_leave_one_out_has_no_area_per_fold() -> None:
    X, y = data(40)
    r = sf.leave_one_out(GaussianNB(), X, y)
    with pytest.raises(sf.InputError, match=r"undefined in 40 of 40 folds.*leave_pair_out"):
        r.mean("roc_auc")
    pooled = r["roc_auc"]
    assert "pooled_folds" in pooled.flags


def test_leave_pair_out_by_hand() -> None:
    """Every pair is scored by one model that saw neither: the mean of its wins."""
    X, y = data(14)
    r = sf.cross_validate(GaussianNB(), X, y, leave_pair_out=True)
    wins = []
    for i in np.flatnonzero(y == 1):
        for j in np.flatnonzero(y == 0):
            rest = np.setdiff1d(np.arange(14), [i, j])
            p = GaussianNB().fit(X[rest], y[rest]).predict_proba(X[[i, j]])[:, 1]
            wins.append(float(p[0] > p[1]) + 0.5 * float(p[0] == p[1]))
    assert len(r.plan) == 49
    assert r["roc_auc"].value == pytest.approx(np.mean(wins))
    assert r["roc_auc"].low < r["roc_auc"].value < r["roc_auc"].high
    with pytest.raises(sf.InputError, match="leave-pair-out plan"):
        r.interval("accuracy", "pairs")
    assert r["accuracy"].width > 0.2  # 14 rows, however often each was tested


def test_pooled_area_of_a_constant_classifier_is_told_apart_from_pairs() -> None:
    """The class shares of the training rows alone make a pooled area fall below one half."""
    X, y = data(40)
    dummy = DummyClassifier(strategy="prior")
    r = sf.cross_validate(dummy, X, y, folds=3, stratified=False, random_state=1)
    assert r.interval("roc_auc", "pooled").value < 0.5
    assert "pooled_folds" in r.interval("roc_auc", "pooled").flags
    assert sf.cross_validate(dummy, X, y, leave_pair_out=True)["roc_auc"].value == 0.5


def test_nested_needs_its_plan_and_a_mean_over_rows() -> None:
    X, y = data(60)
    plain = sf.cross_validate(GaussianNB(), X, y, folds=3, random_state=0)
    with pytest.raises(sf.InputError, match="nested=True"):
        plain.interval("error_rate", "nested")
    r = sf.cross_validate(GaussianNB(), X, y, folds=3, nested=True, random_state=0)
    assert len(r.plan) == 3 + 3
    assert r["error_rate"].method == "nested_cv"
    assert r["mcc"].method == "corrected_t"
    assert r.mean("error_rate") == pytest.approx(plain.mean("error_rate"))  # the same outer folds
    with pytest.raises(sf.InputError, match="no mean over rows"):
        r.interval("mcc", "nested")


def test_decision_values_rank_and_are_no_probabilities() -> None:
    X, y = data(80)
    r = sf.cross_validate(SVC(), X, y, folds=4, random_state=0)
    split = r.plan[0]
    scores = SVC().fit(X[split.train], y[split.train]).decision_function(X[split.test])
    assert r.values("roc_auc")[0] == pytest.approx(roc_auc_score(y[split.test], scores))
    flipped = r.with_positive(0).values("roc_auc")
    assert flipped == pytest.approx(r.values("roc_auc"))
    with pytest.raises(sf.InputError, match="probabilities"):
        r.values("brier")


def test_positive_class_must_be_said_for_text() -> None:
    X, y = data()
    r = sf.cross_validate(GaussianNB(), X, np.where(y, "yes", "no"), folds=3, random_state=0)
    with pytest.raises(sf.InputError, match="pos_label"):
        r.values("f1")
    assert r.values("f1", pos_label="yes") == pytest.approx(r.with_positive("yes").values("f1"))
    with pytest.raises(sf.UnknownNameError, match="maybe"):
        r.values("f1", pos_label="maybe")


def test_neighbours_are_flagged() -> None:
    X, y = data()
    assert "neighbour_learner" in sf.cross_validate(KNeighborsClassifier(), X, y, random_state=0)["accuracy"].flags


def test_unknown_method_is_told(errors_by_fold: sf.Resampled) -> None:
    with pytest.raises(sf.UnknownNameError, match="did you mean 'corrected'"):
        errors_by_fold.interval("error_rate", "corected")
    assert set(INTERVAL_METHODS) >= {"auto", "t", "normal"}


def test_assessment_of_a_repeat_holds_every_row() -> None:
    X, y = data(90)
    r = sf.cross_validate(LogisticRegression(), X, y, folds=3, repeats=2, random_state=0)
    a = r.assess(1)
    assert a.n == 90
    assert a["roc_auc"].defined
    assert any(f.code == "pooled_folds" for f in a.findings)
    with pytest.raises(sf.UnknownNameError, match="repeat"):
        r.assess(2)


class TestIncomplete:
    @pytest.fixture
    def broken(self) -> Any:
        from dataclasses import replace

        X, y = data(100)
        r = sf.cross_validate(GaussianNB(), X, y, folds=10, random_state=0)
        predicted = r.held.predicted.copy()
        predicted[r.plan.test_starts[6] : r.plan.test_starts[7]] = -1
        failed = {6: Failure("raised", "ValueError: no", "Traceback ...", 2)}
        return replace(r, held=replace(r.held, predicted=predicted), failures=failed)

    def test_says_so(self, broken: sf.Resampled) -> None:
        assert not broken.complete
        assert broken.status.startswith("incomplete: 1 of 10 folds is missing (fold 7 raised ValueError: no")
        assert "ncomplete" in str(broken)
        assert json.loads(json.dumps(broken.to_dict()))["complete"] is False

    def test_never_averages_in_silence(self, broken: sf.Resampled) -> None:
        with pytest.raises(sf.RunError, match="incomplete"):
            broken.mean("error_rate")
        with pytest.raises(sf.RunError, match="incomplete"):
            broken.interval("error_rate", "pooled")
        with pytest.raises(sf.RunError, match="incomplete"):
            broken.assess()
        nine = np.delete(broken.values("error_rate"), 6)
        assert broken.mean("error_rate", incomplete=True) == pytest.approx(nine.mean())
        assert np.isnan(broken.values("error_rate")[6])

    def test_interval_is_flagged(self, broken: sf.Resampled) -> None:
        e = broken["error_rate"]
        assert e.flags[0] == "incomplete"
        assert e.n == 90


@pytest.mark.parametrize(
    "how",
    [
        {"cv": ShuffleSplit(30, test_size=0.3, random_state=0)},
        {"leave_pair_out": True},
        {"nested": True, "folds": 5},
        {"folds": 5, "repeats": 4},
    ],
)
def test_rows_tested_often_are_not_many_rows(how: dict[str, Any]) -> None:
    """However often a row was tested, there are 60 of them: no interval may be much narrower than Wilson's on 60."""
    X, y = data(60)
    r = sf.cross_validate(LogisticRegression(), X, y, random_state=0, **how)
    for e in (r.assess()["accuracy"], r.interval("accuracy", "pooled")):
        assert e.width > 0.7 * wilson(round(60 * e.value), 60).width


def test_nested_values_are_those_of_the_outer_folds() -> None:
    X, y = data(60)
    r = sf.cross_validate(GaussianNB(), X, y, folds=4, nested=True, random_state=0)
    assert r.values("error_rate").mean() == pytest.approx(r.mean("error_rate"))
    assert len(r.values("error_rate")) == len(r.to_frame()) == len(r.to_dict()["splits"]) == 4


def test_rows_of_a_bootstrap_are_no_test_set() -> None:
    X, y = data(60)
    b = sf.bootstrap(GaussianNB(), X, y, samples=10, random_state=0)
    r = b.resampled
    assert r.mean("error_rate") == pytest.approx(b.on_all.value)  # without the model of all rows
    assert "optimistic" in r["error_rate"].flags
    with pytest.raises(sf.InputError, match="out_of_bag"):
        r.assess()
    with pytest.raises(sf.InputError, match="out_of_bag"):
        r.interval("accuracy", "pooled")
    assert r.verdict.status == "cannot_tell"
    assert b["error_rate"] == b.point632plus
    assert b["mcc"] == b.estimate("point632", "mcc")
    assert "632" in str(b.verdict.how[0])


@pytest.mark.parametrize(("how", "df"), [({"cv": "5x2"}, 5), ({"folds": 2, "repeats": 10}, 5), ({"folds": 5}, 4),
                                         ({"folds": 10, "repeats": 3}, 9), ({"folds": 2}, 1)])  # fmt: skip
def test_degrees_of_freedom(how: dict[str, Any], df: int) -> None:
    X, y = data(100)
    assert sf.cross_validate(GaussianNB(), X, y, random_state=0, **how)["accuracy"].df == df
