"""Scorers in scikit-learn's own searches: the same ranking as its scorers, weights, thresholds, undefined figures."""

import copy
import pickle
import warnings
from typing import Any

import numpy as np
import pytest
from sklearn import config_context
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import get_scorer, get_scorer_names, make_scorer, recall_score
from sklearn.model_selection import (
    GridSearchCV,
    LeaveOneOut,
    StratifiedKFold,
    TunedThresholdClassifierCV,
    cross_val_score,
    cross_validate,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

import surefold as sf
from surefold.errors import InputError
from surefold.measures import catalogue

CANDIDATES = {"logisticregression__C": [0.05, 0.1, 0.3, 1.0, 10.0]}
FOLDS = StratifiedKFold(3, shuffle=True, random_state=0)
#: Named alike and something else: of clusters there, of labels here; or of all classes there and of one here.
OTHERS = {2: {"fowlkes_mallows_score", "top_k_accuracy"}, 3: {"fowlkes_mallows_score", "average_precision"}}


#: What scikit-learn has for rows without weights alone.
UNWEIGHTED = {"roc_auc_ovo", "roc_auc_ovo_weighted", "positive_likelihood_ratio", "neg_negative_likelihood_ratio"}


def rows(classes: int = 2, n: int = 120) -> tuple[Any, Any]:
    X, y = make_classification(n, 6, n_informative=4, n_classes=classes, flip_y=0.2, class_sep=1.5, random_state=3)
    return X, y


def pipeline() -> Any:
    return make_pipeline(StandardScaler(), LogisticRegression())


def both_have(classes: int) -> list[str]:
    """scikit-learn's names of measures that are names here too, and that it can have of so many classes."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        X, y = rows(classes)
        model, found = pipeline().fit(X, y), []
        for name in sorted(set(get_scorer_names()) - OTHERS[classes]):
            try:
                known = name in catalogue and np.isfinite(get_scorer(name)(model, X, y))
            except ValueError:
                known = False
            found += [name] if known else []
    return found


@pytest.fixture(scope="module", params=[(2, False), (2, True), (3, False), (3, True)], ids=str)
def searched(request: pytest.FixtureRequest) -> tuple[list[str], dict[str, Any]]:
    """One search by every measure that both have, each by both scorers; of two or three classes, weighted or not."""
    classes, weighted = request.param
    X, y = rows(classes)
    given = {"sample_weight": np.random.default_rng(0).uniform(0.5, 3, len(y))} if weighted else {}
    names = [name for name in both_have(classes) if not (weighted and name in UNWEIGHTED)]
    with config_context(enable_metadata_routing=True), warnings.catch_warnings():
        scorers = {f"ours {name}": sf.scorer(name) for name in names} | {
            f"theirs {name}": copy.deepcopy(get_scorer(name)) for name in names
        }
        if weighted:
            scorers = {name: one.set_score_request(sample_weight=True) for name, one in scorers.items()}
        step = LogisticRegression().set_fit_request(sample_weight=weighted)
        model = make_pipeline(StandardScaler().set_fit_request(sample_weight=False), step)
        search = GridSearchCV(model, CANDIDATES, scoring=scorers, cv=FOLDS, refit=False).fit(X, y, **given)
    return names, search.cv_results_


def test_a_search_ranks_as_with_the_scorers_of_scikit_learn(searched: tuple[list[str], dict[str, Any]]) -> None:
    names, found = searched
    assert len(names) >= 20
    for name in names:
        np.testing.assert_allclose(
            found[f"mean_test_ours {name}"], found[f"mean_test_theirs {name}"], rtol=1e-9, atol=1e-12, err_msg=name
        )
        assert len(set(found[f"mean_test_ours {name}"])) > 1, name
        # equal scores may differ in the last bit, and then rank apart
        order = np.argsort(-found[f"mean_test_ours {name}"].round(9), kind="stable")
        assert order.tolist() == np.argsort(-found[f"mean_test_theirs {name}"].round(9), kind="stable").tolist(), name


def test_weights_are_not_taken_unless_they_are_asked_for() -> None:
    X, y = rows()
    with config_context(enable_metadata_routing=True):
        model = LogisticRegression().set_fit_request(sample_weight=False)
        with pytest.raises(
            ValueError, match="sample_weight"
        ):  # of scikit-learn: requested by nobody, refused by nobody
            cross_val_score(model, X, y, scoring=sf.scorer("mcc"), params={"sample_weight": np.ones(len(y))})


def test_without_routing_weights_are_the_argument_of_the_scorer() -> None:
    X, y = rows()
    weights = np.where(np.arange(len(y)) < 60, 1.0, 0.0)
    model = pipeline().fit(X, y)
    assert sf.scorer("mcc")(model, X, y, sample_weight=weights) == sf.scorer("mcc")(model, X[:60], y[:60])


def test_a_loss_comes_with_its_sign_turned() -> None:
    X, y = rows()
    model = pipeline().fit(X, y)
    loss = sf.measure("log_loss", y, y_score=model.predict_proba(X)[:, 1]).value
    assert loss > 0
    for name in ("log_loss", "neg_log_loss"):
        assert sf.scorer(name)(model, X, y) == -loss
    assert sf.scorer("error_rate")(model, X, y) == pytest.approx(sf.scorer("accuracy")(model, X, y) - 1)


def test_options_and_the_positive_class() -> None:
    X, y = rows()
    text = np.where(y == 1, "ham", "spam")
    model = pipeline().fit(X, text)
    said = model.predict(X)
    assert sf.scorer("recall", pos_label="ham")(model, X, text) == recall_score(text, said, pos_label="ham")
    assert sf.scorer("recall", pos_label="spam")(model, X, text) == recall_score(text, said, pos_label="spam")
    assert sf.scorer("fbeta", pos_label="ham", beta=2)(model, X, text) == pytest.approx(
        sf.measure("fbeta", text, said, pos_label="ham", beta=2).value
    )
    with pytest.raises(InputError, match="pos_label"):
        sf.scorer("recall")(model, X, text)
    for label, column in (("ham", 0), ("spam", 1)):  # columns are those of classes_, whichever is positive
        expected = sf.measure("average_precision", text, y_score=model.predict_proba(X)[:, column], pos_label=label)
        assert sf.scorer("average_precision", pos_label=label)(model, X, text) == expected.value


def test_one_area_spans_two_and_many_classes() -> None:
    for classes in (2, 3):
        X, y = rows(classes)
        text = np.array(["a", "b", "c"])[y]
        model = pipeline().fit(X, text)
        p = model.predict_proba(X)
        expected = sf.measure(
            "roc_auc_hand_till" if classes == 3 else "roc_auc", y, y_score=p if classes == 3 else p[:, 1]
        )
        assert sf.scorer("roc_auc")(model, X, text) == pytest.approx(expected.value)
        assert sf.scorer("roc_auc_hand_till")(model, X, text) == pytest.approx(expected.value)


def test_decision_values_rank_and_are_no_probabilities() -> None:
    X, y = rows()
    model = LinearSVC(random_state=0).fit(X, y)
    assert sf.scorer("roc_auc")(model, X, y) == pytest.approx(get_scorer("roc_auc")(model, X, y))
    with pytest.raises(InputError, match="probabilities"):
        sf.scorer("brier")(model, X, y)


def test_a_fold_without_a_class_still_has_its_columns_named() -> None:
    X, y = rows(3, n=30)
    found = cross_val_score(pipeline(), X, y, cv=LeaveOneOut(), scoring=sf.scorer("log_loss"))
    r = sf.cross_validate(pipeline(), X, y, cv=LeaveOneOut())
    np.testing.assert_allclose(-found, r.values("log_loss"))


def test_what_is_undefined_is_nan_with_one_warning() -> None:
    X, y = rows(n=30)
    with pytest.warns(UserWarning, match="roc_auc is undefined, so its score is NaN: needs both classes") as heard:
        found = cross_val_score(pipeline(), X, y, cv=LeaveOneOut(), scoring=sf.scorer("roc_auc"))
    assert np.isnan(found).all()
    assert len([w for w in heard if "undefined" in str(w.message)]) == 2  # rows of either class, each reason once


def test_a_threshold_is_tuned_by_a_measure_of_labels() -> None:
    X, y = rows()
    text = np.where(y == 1, "bad", "good")
    for name, pos_label in (("f1", "bad"), ("mcc", None), ("error_rate", None)):
        theirs = {
            "f1": make_scorer(lambda t, p: sf.measure("f1", t, p, pos_label="bad").value),
            "mcc": get_scorer("matthews_corrcoef"),
            "error_rate": get_scorer("accuracy"),
        }[name]
        tuned = [
            TunedThresholdClassifierCV(LogisticRegression(), scoring=one, cv=FOLDS).fit(X, text)
            for one in (sf.scorer(name, pos_label=pos_label), theirs)
        ]
        if name != "f1":  # there the positive class was not said to scikit-learn
            assert tuned[0].best_threshold_ == tuned[1].best_threshold_
        assert set(tuned[0].predict(X)) <= {"bad", "good"}
    with pytest.raises(InputError, match="roc_auc is one of scores"):
        TunedThresholdClassifierCV(LogisticRegression(), scoring=sf.scorer("roc_auc"), cv=FOLDS).fit(X, y)


def test_several_at_once() -> None:
    X, y = rows()
    scoring = pickle.loads(pickle.dumps(sf.scorers(["mcc", "roc_auc", "log_loss"])))  # as a process gets them
    found = cross_validate(pipeline(), X, y, scoring=scoring, cv=FOLDS)
    for name, theirs in (("mcc", "matthews_corrcoef"), ("roc_auc", "roc_auc"), ("log_loss", "neg_log_loss")):
        np.testing.assert_allclose(found[f"test_{name}"], cross_val_score(pipeline(), X, y, scoring=theirs, cv=FOLDS))
    again = pickle.loads(pickle.dumps(sf.scorer("f1", pos_label=1)))
    assert repr(again) == "surefold.scorer('f1', pos_label=1)"


def test_what_makes_no_scorer_is_refused_at_once() -> None:
    with pytest.raises(InputError, match="neither more nor less"):
        sf.scorer("calibration_slope")
    with pytest.raises(InputError, match="needs costs"):
        sf.scorer("expected_cost")
    with pytest.raises(sf.UnknownNameError, match="did you mean 'recall'"):
        sf.scorer("recal")
    with pytest.raises(InputError, match="no option 'beta'"):
        sf.scorer("mcc", beta=2)
