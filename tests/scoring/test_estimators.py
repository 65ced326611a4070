"""Fitted models in, assessments out; results of scikit-learn's cross_validate as ours; thresholds back to models."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import GroupKFold, RepeatedStratifiedKFold, StratifiedKFold, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import surefold as sf
from surefold.errors import InputError
from surefold.resampling.resampled import Resampled


def rows(classes: int = 2, n: int = 150) -> tuple[Any, Any]:
    X, y = make_classification(n, 6, n_informative=4, n_classes=classes, flip_y=0.2, random_state=5)
    return X, np.array(["b", "a", "c"])[y]  # classes_ is sorted, so columns are not in the order of the numbers


@pytest.mark.parametrize("classes", [2, 3])
def test_an_assessment_of_a_model_is_that_of_its_answers(classes: int) -> None:
    X, y = rows(classes)
    w, g = np.random.default_rng(0).uniform(1, 2, len(y)), np.arange(len(y)) // 3
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(X[:80], y[:80])
    facts: dict[str, Any] = {"sample_weight": w[80:], "groups": g[80:], "confidence": 0.9}
    a = sf.Assessment.from_estimator(model, X[80:], y[80:], pos_label="b", **facts)
    p = model.predict_proba(X[80:])
    score = p[:, 1] if classes == 2 else p
    b = sf.Assessment.from_predictions(y[80:], model.predict(X[80:]), y_score=score, pos_label="b", **facts)
    assert a.overall.keys() == b.overall.keys()
    for name, e in a.overall.items():
        assert e == b[name], name


def test_a_threshold_of_its_own() -> None:
    X, y = rows()
    model = LogisticRegression().fit(X, y)
    a = sf.Assessment.from_estimator(model, X, y, pos_label="b", threshold=0.2)
    called = model.predict_proba(X)[:, 1] >= 0.2
    assert a["recall"].value == (called & (y == "b")).sum() / (y == "b").sum()


@pytest.mark.parametrize("pos_label", ["a", "b"])
def test_decision_values_point_to_the_positive_class(pos_label: str) -> None:
    X, y = rows()
    model = RidgeClassifier().fit(X, y)
    a = sf.Assessment.from_estimator(model, X, y, pos_label=pos_label)
    assert a["roc_auc"].value > 0.5
    assert "brier" not in a


def test_a_class_that_the_model_never_saw_and_one_that_the_rows_lack() -> None:
    X, y = rows(3)
    model = LogisticRegression().fit(X[y != "c"], y[y != "c"])
    a = sf.Assessment.from_estimator(model, X, y)
    assert a.labels == ("a", "b", "c")
    assert a.per_class["c"]["recall"].value == 0.0
    few = sf.Assessment.from_estimator(model, X[y == "a"], y[y == "a"], pos_label="a")
    assert few.labels == ("a", "b")


def test_what_cannot_be_asked_is_refused() -> None:
    X, y = rows()
    model = LogisticRegression().fit(X, y)
    with pytest.raises(InputError, match="pos_label"):
        sf.Assessment.from_estimator(model, X, y)
    with pytest.raises(InputError, match=r"shape \(149,\) for 150 rows"):
        sf.Assessment.from_estimator(model, X[:-1], y, pos_label="a")
    with pytest.raises(TypeError, match="unexpected keyword argument 'poslabel'"):
        sf.Assessment.from_estimator(model, X, y, poslabel="a")  # type: ignore[call-arg]


@pytest.mark.parametrize(
    ("classes", "cv"), [(2, StratifiedKFold(4)), (3, RepeatedStratifiedKFold(n_splits=3, n_repeats=2))]
)
def test_results_of_scikit_learn_are_as_if_they_were_ours(classes: int, cv: Any) -> None:
    X, y = rows(classes)
    if hasattr(cv, "random_state"):
        cv.random_state = 0
    model = make_pipeline(StandardScaler(), LogisticRegression())
    theirs = cross_validate(model, X, y, cv=cv, return_estimator=True, return_indices=True)
    r = Resampled.from_cv_results(theirs, X, y, pos_label=None if classes == 3 else "a")
    ours = sf.cross_validate(model, X, y, cv=cv, pos_label=None if classes == 3 else "a", random_state=0)
    np.testing.assert_array_equal(r.values("accuracy"), theirs["test_score"])
    np.testing.assert_array_equal(r.fit_seconds, theirs["fit_time"])
    assert r.fingerprint == ours.fingerprint
    assert r.plan.repeats == ours.plan.repeats
    for name in ("accuracy", "f1_macro", "roc_auc", "log_loss", "brier"):
        assert r[name] == ours[name], name
    assert r["roc_auc"].name == ("roc_auc" if classes == 2 else "roc_auc_hand_till")
    assert r.name == "Pipeline"
    assert sf.Study(r.plan, {"again": r, "ours": ours}).compare("accuracy")["again", "ours"].effect.value == 0


def test_frames_and_groups_of_scikit_learn() -> None:
    X, y = rows()
    frame, truth = pd.DataFrame(X, columns=[*"uvwxyz"]), pd.Series(y, name="class")
    groups = np.arange(len(y)) % 15
    model = DecisionTreeClassifier(max_depth=2, random_state=0)
    theirs = cross_validate(
        model, frame, truth, groups=groups, cv=GroupKFold(3), return_estimator=True, return_indices=True
    )
    r = Resampled.from_cv_results(theirs, frame, truth, groups=groups, pos_label="a", name="tree")
    np.testing.assert_array_equal(r.values("accuracy"), theirs["test_score"])
    assert r.name == "tree"
    assert not [f for f in r.findings if f.code == "groups_straddle"]


def test_results_that_lack_the_models_or_are_of_other_rows() -> None:
    X, y = rows()
    model = LogisticRegression()
    with pytest.raises(InputError, match=r"no 'indices'.*return_estimator=True, return_indices=True"):
        Resampled.from_cv_results(cross_validate(model, X, y, return_estimator=True), X, y)
    kept = cross_validate(model, X, y, return_estimator=True, return_indices=True)
    with pytest.raises(InputError, match="rows beyond the 100"):
        Resampled.from_cv_results(kept, X[:100], y[:100])


def test_our_cross_validate_says_what_to_ask_instead_of_scoring() -> None:
    X, y = rows()
    with pytest.raises(InputError, match=r"scoring= is an option of scikit-learn's.*r\['f1'\]"):
        sf.cross_validate(LogisticRegression(), X, y, scoring="f1")  # type: ignore[call-overload]
    with pytest.raises(sf.UnknownNameError, match="did you mean 'folds'"):
        sf.cross_validate(LogisticRegression(), X, y, fold=3)  # type: ignore[call-overload]


def test_a_threshold_goes_back_as_a_classifier() -> None:
    X, y = rows()
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(X[:80], y[:80])
    a = sf.Assessment.from_estimator(model, X[80:], y[80:], pos_label="b")
    choice = a.best_threshold("cost", costs={"fp": 1, "fn": 5})
    wary = choice.as_classifier(model)
    again = sf.assess(y[80:], wary.predict(X[80:]), pos_label="b")
    assert again.confusion.counts.tolist() == a.at(choice.point.threshold).confusion.counts.tolist()
    assert choice.point.fn == again.confusion.counts[1, 0]
    fresh = choice.as_classifier(make_pipeline(StandardScaler(), LogisticRegression()))
    assert fresh.fit(X[:80], y[:80]).predict(X).tolist() == wary.predict(X).tolist()


def test_a_threshold_of_decision_values() -> None:
    X, y = rows()
    model = SVC().fit(X, y)
    a = sf.Assessment.from_estimator(model, X, y, pos_label="a")
    choice = a.best_threshold("recall_at_precision", precision=0.9)
    shown = choice.as_classifier(model).predict(X)
    assert (shown == "a").tolist() == (-model.decision_function(X) >= choice.point.threshold).tolist()
    probable = LogisticRegression().fit(X, y)
    beyond = sf.assess(y, y_score=-probable.decision_function(X) + 7, pos_label="a", threshold=7).best_threshold()
    with pytest.raises(InputError, match=r"no probability.*decision_function"):
        beyond.as_classifier(probable)
