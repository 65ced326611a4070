"""FullBayes and NaiveBayes: by hand, against peers, and the laws they obey."""

import pickle
from math import exp, log, pi, sqrt

import numpy as np
import pandas as pd
import pytest
from scipy.stats import multivariate_normal
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis
from sklearn.naive_bayes import GaussianNB
from sklearn.utils.estimator_checks import check_estimator

from surefold.errors import InputError
from surefold.learners import FullBayes, NaiveBayes

BOTH = pytest.mark.parametrize("learner", [FullBayes, NaiveBayes])


def some_rows(n=90, d=3, classes=3, seed=0, centre=0.0):
    """Correlated normal classes, each at least five rows more than features."""
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.repeat(np.arange(classes), d + 5), rng.integers(0, classes, n - classes * (d + 5))])
    mix = rng.normal(size=(classes, d, d)) + 2 * np.eye(d)
    X = np.einsum("ni,nij->nj", rng.normal(size=(n, d)), mix[y]) + 1.5 * y[:, None] + centre
    return X, y


def normal(x, mean, variance):
    return exp(-((x - mean) ** 2) / (2 * variance)) / sqrt(2 * pi * variance)


# by hand


@BOTH
def test_one_feature_by_hand(learner):
    model = learner().fit([[1.0], [3.0], [4.0], [8.0], [6.0]], ["a", "a", "b", "b", "b"])
    # a: mean (1 + 3) / 2, variance ((1 - 2)^2 + (3 - 2)^2) / 2; b: mean (4 + 8 + 6) / 3, variance (4 + 4 + 0) / 3
    assert model.means_.tolist() == [[2.0], [6.0]]
    spread = model.covariances_ if learner is FullBayes else model.variances_
    assert spread.ravel() == pytest.approx([1.0, 8 / 3], abs=1e-15)
    assert model.class_count_.tolist() == [2, 3]
    assert model.class_prior_ == pytest.approx([2 / 5, 3 / 5])
    a, b = 2 / 5 * normal(3.5, 2, 1), 3 / 5 * normal(3.5, 6, 8 / 3)
    assert model.predict_proba([[3.5]])[0] == pytest.approx([a / (a + b), b / (a + b)], abs=1e-14)
    assert model.predict_log_proba([[3.5]])[0] == pytest.approx([log(a / (a + b)), log(b / (a + b))], abs=1e-14)
    assert model.predict([[3.5], [2.0], [6.0]]).tolist() == ["a" if a > b else "b", "a", "b"]


def test_two_features_by_hand():
    X, y = [[0, 0], [2, 2], [0, 2], [2, 4], [9, 9], [7, 9], [9, 7], [7, 7]], [0] * 4 + [1] * 4
    model = FullBayes().fit(X, y)
    # class 0: deviations (-1,-2) (1,0) (-1,0) (1,2): products 4/4, 4/4, 8/4
    assert model.covariances_[0].tolist() == [[1.0, 1.0], [1.0, 2.0]]
    assert model.covariances_[1].tolist() == [[1.0, 0.0], [0.0, 1.0]]
    assert NaiveBayes().fit(X, y).variances_.tolist() == [[1.0, 2.0], [1.0, 1.0]]
    # at (4, 5): e = (3, 3), inverse [[2, -1], [-1, 1]], e'Ve = 9, determinant 1; e = (-4, -3): 25
    odds = exp(-9 / 2) / exp(-25 / 2)
    assert model.predict_proba([[4, 5]])[0, 0] == pytest.approx(odds / (1 + odds), abs=1e-14)


def test_ties_go_to_the_first_class():
    model = NaiveBayes().fit([[-2.0], [0.0], [2.0], [4.0]], ["b", "b", "a", "a"])
    assert model.predict_proba([[1.0]]).tolist() == [[0.5, 0.5]]
    assert model.predict([[1.0]]).tolist() == ["a"]


def test_iris_sepals_have_the_known_training_error():
    X, y = load_iris(return_X_y=True)
    error = 1 - FullBayes().fit(X[:, :2], y).score(X[:, :2], y)
    assert error == pytest.approx(30 / 150, abs=0.01)


@BOTH
def test_many_classes(learner):
    X, y = some_rows(300, 2, 20)
    model = learner().fit(X, y)
    assert model.predict_proba(X).sum(axis=1) == pytest.approx(np.ones(300))
    assert (model.predict(X) == model.predict_log_proba(X).argmax(axis=1)).all()


# against peers


@pytest.mark.parametrize("d", [1, 2, 5])
@pytest.mark.parametrize("classes", [2, 3])
def test_naive_is_gaussian_nb_without_smoothing(d, classes):
    X, y = some_rows(80, d, classes)
    w = np.random.default_rng(1).uniform(0.1, 3, len(X))
    ours, theirs = NaiveBayes(), GaussianNB(var_smoothing=0)
    for weights in (None, w):
        ours.fit(X, y, sample_weight=weights)
        theirs.fit(X, y, sample_weight=weights)
        assert ours.predict_proba(X) == pytest.approx(theirs.predict_proba(X), abs=1e-12)
        assert ours.variances_ == pytest.approx(theirs.var_, rel=1e-12)


@pytest.mark.parametrize("d", [1, 2, 6])
def test_full_is_the_multivariate_normal_density(d):
    X, y = some_rows(90, d)
    model = FullBayes().fit(X, y)
    logs = np.empty((len(X), 3))
    for c in range(3):
        rows = X[y == c]
        covariance = np.cov(rows, rowvar=False, ddof=0)
        logs[:, c] = np.log(len(rows) / len(X)) + multivariate_normal(rows.mean(axis=0), covariance).logpdf(X)
        assert model.covariances_[c] == pytest.approx(np.atleast_2d(covariance), rel=1e-12, abs=1e-13)
    expected = np.exp(logs - logs.max(axis=1, keepdims=True))
    expected /= expected.sum(axis=1, keepdims=True)
    assert model.predict_proba(X) == pytest.approx(expected, abs=1e-12)
    assert (model.predict(X) == logs.argmax(axis=1)).all()


def test_full_is_quadratic_discriminant_analysis_where_both_divide_by_n():
    X, y = some_rows(90, 4)
    theirs = QuadraticDiscriminantAnalysis(store_covariance=True).fit(X, y)
    model = FullBayes().fit(X, y)
    ratio = theirs.covariance_[0] / model.covariances_[0]  # 1, or n / (n - 1) in versions that divide by n - 1
    assert ratio == pytest.approx(np.full((4, 4), ratio[0, 0]), rel=1e-10)
    if ratio[0, 0] < 1 + 1e-9:
        assert model.predict_proba(X) == pytest.approx(theirs.predict_proba(X), abs=1e-10)


SINGULAR_DATA = {
    "check_sample_weights_shape": "its data hold a feature that does not vary in a class",
    "check_sample_weights_not_overwritten": "its data hold a feature that does not vary in a class",
    "check_sample_weight_equivalence_on_dense_data": "its data hold a class with one distinct row",
}


@BOTH
@pytest.mark.parametrize("ridge", [0.0, 1e-6])
def test_scikit_learn_accepts_it(learner, ridge):
    expected = SINGULAR_DATA if ridge == 0 else {}
    results = check_estimator(
        learner(ridge=ridge), expected_failed_checks=expected, on_skip=None, on_fail=None, legacy=True
    )
    failed = [(r["check_name"], r["exception"]) for r in results if r["status"] == "failed"]
    assert not failed
    refused = {r["check_name"]: r["exception"] for r in results if r["status"] == "xfail"}
    assert set(refused) == set(expected)
    assert all(isinstance(e, InputError) and e.code == "singular_class" for e in refused.values())
    assert len(results) > 40


# far away, badly scaled


@BOTH
def test_far_away_stays_a_probability(learner):
    X, y = some_rows()
    model = learner().fit(X, y)
    for far in (1e3, 1e6, 1e150, 1e200, 1e308):
        points = np.array([[far, far, far], [-far, far, 0.0], [0.0, 0.0, -far]])
        p, logs = model.predict_proba(points), model.predict_log_proba(points)
        assert np.isfinite(p).all()
        assert not np.isnan(logs).any()
        assert p.sum(axis=1) == pytest.approx(np.ones(3))
        assert (model.predict(points) == p.argmax(axis=1)).all()
    assert np.isfinite(model.predict_log_proba([[1e3, 0.0, 0.0]])).all()


@BOTH
def test_units_and_origin_do_not_matter(learner):
    X, y = some_rows()
    scale, shift = np.array([1e-7, 1.0, 1e9]), np.array([0.0, 1e6, -1e12])
    for options in ({}, {"ridge": 0.01}, {"shrinkage": 0.3}):
        plain = learner(**options).fit(X, y).predict_proba(X)
        moved = X * scale + shift
        assert learner(**options).fit(moved, y).predict_proba(moved) == pytest.approx(plain, abs=1e-7)


@BOTH
def test_squares_that_overflow_are_refused(learner):
    with pytest.raises(InputError, match="too large") as error:
        learner().fit([[1e200], [-1e200], [1.0], [2.0]], [0, 0, 1, 1])
    assert error.value.code == "bad_features"


# laws


@BOTH
def test_order_of_rows_and_names_of_labels_do_not_matter(learner):
    X, y = some_rows()
    p = learner().fit(X, y).predict_proba(X)
    order = np.random.default_rng(3).permutation(len(X))
    assert learner().fit(X[order], y[order]).predict_proba(X) == pytest.approx(p, abs=1e-12)
    names = np.array(["zebra", "ape", "mouse"])
    renamed = learner().fit(X, names[y])
    assert renamed.classes_.tolist() == ["ape", "mouse", "zebra"]
    assert renamed.predict_proba(X)[:, [2, 0, 1]] == pytest.approx(p, abs=1e-15)
    assert set(renamed.predict(X)) <= set(names)


@BOTH
def test_weight_is_repetition_and_zero_is_absence(learner):
    X, y = some_rows()
    w = np.random.default_rng(4).integers(0, 4, len(X))
    weighted = learner(ridge=0.01).fit(X, y, sample_weight=w)
    repeated = learner(ridge=0.01).fit(np.repeat(X, w, axis=0), np.repeat(y, w))
    assert weighted.predict_proba(X) == pytest.approx(repeated.predict_proba(X), abs=1e-12)
    assert weighted.class_count_ == pytest.approx(repeated.class_count_)
    assert learner().fit(X, y, sample_weight=7.0).predict_proba(X) == pytest.approx(
        learner().fit(X, y).predict_proba(X), abs=1e-12
    )


@BOTH
def test_a_class_without_weight_has_probability_zero(learner):
    X, y = some_rows()
    model = learner().fit(X, y, sample_weight=(y != 1).astype(float))
    assert model.class_prior_[1] == 0
    assert (model.predict_proba(X)[:, 1] == 0).all()
    assert model.predict_proba(X)[:, [0, 2]] == pytest.approx(
        learner().fit(X[y != 1], y[y != 1]).predict_proba(X), abs=1e-12
    )
    with pytest.raises(InputError, match="class 1, which has no rows"):
        learner(priors=[0.2, 0.3, 0.5]).fit(X, y, sample_weight=(y != 1).astype(float))


def test_full_with_one_feature_is_naive():
    X, y = some_rows(d=1)
    assert FullBayes().fit(X, y).predict_proba(X) == pytest.approx(NaiveBayes().fit(X, y).predict_proba(X), abs=1e-13)


@BOTH
def test_a_copy_answers_the_same(learner):
    X, y = some_rows()
    X.setflags(write=False)
    y.setflags(write=False)
    kept = X.copy()
    model = learner(ridge=0.1).fit(X, y)
    assert (pickle.loads(pickle.dumps(model)).predict_proba(X) == model.predict_proba(X)).all()
    assert (clone(model).fit(np.asfortranarray(X), y).predict_proba(X) == model.predict_proba(X)).all()
    model.add_rows(X, y).remove_rows(X, y)
    assert (kept == X).all()
    assert model.n_features_in_ == 3
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    assert learner().fit(frame, y).feature_names_in_.tolist() == ["a", "b", "c"]


# options


@BOTH
def test_priors(learner):
    X, y = some_rows()
    free, given_ = learner().fit(X, y), learner(priors=[0.5, 0.5, 0.0]).fit(X, y)
    assert given_.class_prior_ == pytest.approx([0.5, 0.5, 0])
    odds = free.predict_proba(X) / free.class_prior_ * [0.5, 0.5, 0]
    assert given_.predict_proba(X) == pytest.approx(odds / odds.sum(axis=1, keepdims=True), abs=1e-12)


def test_shrinkage_ends_at_the_simpler_model():
    X, y = some_rows()
    full = FullBayes(shrinkage=1).fit(X, y)
    assert full.predict_proba(X) == pytest.approx(NaiveBayes().fit(X, y).predict_proba(X), abs=1e-12)
    naive = NaiveBayes(shrinkage=1).fit(X, y)
    within = sum(((X[y == c] - X[y == c].mean(axis=0)) ** 2).sum(axis=0) for c in range(3)) / len(X)
    assert naive.variances_ == pytest.approx(np.tile(within, (3, 1)), rel=1e-12)
    half, none = FullBayes(shrinkage=0.5).fit(X, y), FullBayes().fit(X, y)
    assert half.covariances_[0, 0, 1] == pytest.approx(0.5 * none.covariances_[0, 0, 1], rel=1e-12)
    assert half.covariances_[0, 1, 1] == pytest.approx(none.covariances_[0, 1, 1], rel=1e-12)


def test_ridge_is_a_share_of_the_variance_over_all_rows():
    X, y = some_rows()
    expected = NaiveBayes().fit(X, y).variances_ + 0.25 * X.var(axis=0)
    assert NaiveBayes(ridge=0.25).fit(X, y).variances_ == pytest.approx(expected, rel=1e-12)
    full, none = FullBayes(ridge=0.25).fit(X, y), FullBayes().fit(X, y)
    assert full.covariances_ - none.covariances_ == pytest.approx(np.tile(np.diag(0.25 * X.var(axis=0)), (3, 1, 1)))


@BOTH
@pytest.mark.parametrize("value", [0.1, 1e6, 0.0])
def test_with_a_ridge_a_feature_that_never_varies_has_no_say(learner, value):
    X, y = some_rows()
    model = learner(ridge=1e-6).fit(np.column_stack([X, np.full(len(X), value)]), y)
    expected = learner(ridge=1e-6).fit(X, y).predict_proba(X)
    assert model.predict_proba(np.column_stack([X, np.full(len(X), value)])) == pytest.approx(expected, abs=1e-9)
    assert model.predict_proba(np.column_stack([X, np.full(len(X), value + 1)])) == pytest.approx(expected, abs=1e-3)


@BOTH
@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"shrinkage": -0.1}, "shrinkage is -0.1"),
        ({"shrinkage": 1.5}, "from 0 to 1"),
        ({"shrinkage": "auto"}, "shrinkage is 'auto'"),
        ({"shrinkage": True}, "shrinkage is True"),
        ({"ridge": -1}, "ridge is -1"),
        ({"ridge": float("nan")}, "ridge is nan"),
        ({"ridge": float("inf")}, "ridge is inf"),
        ({"priors": [0.5, 0.5]}, "2 numbers, and there are 3 classes"),
        ({"priors": [[0.5, 0.25, 0.25]]}, "shape"),
        ({"priors": [0.5, 0.7, -0.2]}, "priors holds -0.2"),
        ({"priors": [0.5, 0.4, 0.2]}, "adds up to 1.1"),
        ({"priors": "equal"}, "priors is 'equal'"),
    ],
)
def test_bad_options_are_refused_when_fitting(learner, options, said):
    X, y = some_rows()
    model = learner(**options)
    for call in (lambda: model.fit(X, y), lambda: model.held_out_proba(X, y, np.arange(90), np.arange(91))):
        with pytest.raises(InputError, match=said) as error:
            call()
        assert error.value.code == "bad_option"
