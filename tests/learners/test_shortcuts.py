"""held_out_proba: the answer of refitting, without refitting."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold

from surefold.errors import InputError
from surefold.learners import FullBayes, NaiveBayes
from surefold.resampling.shortcuts import HoldsOut

BOTH = pytest.mark.parametrize("learner", [FullBayes, NaiveBayes])
OPTIONS = pytest.mark.parametrize("options", [{}, {"ridge": 0.01}, {"shrinkage": 0.3}, {"ridge": 1e-6, "shrinkage": 1}])


def rows_of(classes, d, n=60, seed=0, centre=0.0):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % classes)
    X = rng.normal(size=(n, d)) @ (rng.normal(size=(d, d)) + 2 * np.eye(d)) * (1 + y[:, None]) + y[:, None] + centre
    return X, y


def refitted(model, X, y, test_rows, test_starts):
    """One fit a split, on all rows that it does not test."""
    classes = np.unique(y)
    out = np.zeros((len(test_rows), len(classes)))
    for start, stop in pairwise(test_starts):
        train = np.setdiff1d(np.arange(len(X)), test_rows[start:stop])
        fitted = clone(model).fit(X[train], y[train])
        out[start:stop, np.isin(classes, fitted.classes_)] = fitted.predict_proba(X[test_rows[start:stop]])
    return out


def same(model, X, y, test_rows, test_starts, tolerance=1e-9):
    ours = model.held_out_proba(X, y, test_rows, test_starts)
    theirs = refitted(model, X, y, test_rows, test_starts)
    assert np.abs(ours - theirs).max() < tolerance
    assert (ours.argmax(axis=1) == theirs.argmax(axis=1)).all()
    return ours


def folds_of(X, y, folds, repeats=1):
    tests = [
        test for r in range(repeats) for _, test in StratifiedKFold(folds, shuffle=True, random_state=r).split(X, y)
    ]
    return np.concatenate(tests), np.concatenate([[0], np.cumsum([len(t) for t in tests])])


def test_both_keep_the_protocol():
    assert isinstance(FullBayes(), HoldsOut)
    assert isinstance(NaiveBayes(), HoldsOut)


def test_leaving_one_out_by_hand():
    X, y = np.array([[1.0], [3.0], [5.0], [6.0], [9.0], [12.0]]), np.array([0, 0, 0, 1, 1, 1])
    # without the first row: class 0 has 3 and 5, so mean 4, variance 1, prior 2/5; class 1 mean 9, variance 18/3 = 6
    zero = 2 / 5 * np.exp(-((1 - 4) ** 2) / 2)
    one = 3 / 5 * np.exp(-((1 - 9) ** 2) / (2 * 6)) / np.sqrt(6)
    for model in (FullBayes(), NaiveBayes()):
        p = model.held_out_proba(X, y, np.arange(6), np.arange(7))
        assert p[0] == pytest.approx([zero / (zero + one), one / (zero + one)], abs=1e-14)


@BOTH
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("d", [1, 2, 3, 4, 5, 6])
@pytest.mark.parametrize("centre", [0.0, 1e6])
def test_equals_refitting(learner, classes, d, centre):
    X, y = rows_of(classes, d, centre=centre)
    same(learner(), X, y, np.arange(60), np.arange(61))
    same(learner(), X, y, *folds_of(X, y, 5))


@BOTH
@OPTIONS
def test_equals_refitting_with_options_and_in_any_order(learner, options):
    X, y = rows_of(3, 3)
    order = np.random.default_rng(1).permutation(60)
    same(learner(**options), X, y, order, np.arange(61))
    same(learner(**options), X, y, order[:7], np.arange(8))
    same(learner(**options), X, y, order, np.array([0, 1, 3, 20, 59, 60]))
    same(learner(**options), X, y, *folds_of(X, y, 4, repeats=3))
    same(learner(priors=[0.2, 0.5, 0.3], **options), X, y, order, np.arange(61))
    same(learner(priors=[0.2, 0.5, 0.3], **options), X, y, *folds_of(X, y, 2))


@BOTH
def test_splits_worked_on_in_several_goes(learner, monkeypatch):
    X, y = rows_of(3, 4)
    monkeypatch.setattr("surefold.learners.held_out.AT_ONCE", 100)
    same(learner(), X, y, *folds_of(X, y, 10))


@BOTH
def test_many_features_and_large_test_parts(learner):
    X, y = rows_of(2, 20, n=120)
    same(learner(), X, y, *folds_of(X, y, 2))
    same(learner(), X, y, *folds_of(X, y, 10))


@BOTH
@OPTIONS
def test_an_outlier_that_holds_nearly_all_the_scatter(learner, options):
    X, y = rows_of(2, 2)
    X[7] = [1e4, -2e5] if learner is FullBayes else [1e7, -2e8]
    same(learner(**options), X, y, np.arange(60), np.arange(61))
    same(learner(**options), X, y, *folds_of(X, y, 5))


@BOTH
def test_a_class_that_leaves_the_training_rows_has_probability_zero(learner):
    X, y = rows_of(2, 2)
    names = np.array(["b", "c"])[y]
    names[0] = "a"
    splits = np.array([0, *np.flatnonzero(y == 1)[:3]]), np.array([0, 4])
    p = same(learner(), X, names, *splits)
    assert (p[:, 0] == 0).all()
    one = same(learner(), X, names, np.array([0]), np.array([0, 1]))
    assert one[0, 0] == 0
    two = same(learner(), X, y, np.flatnonzero(y == 0), np.array([0, 30]))
    assert (two == [0.0, 1.0]).all()
    with pytest.raises(InputError, match="3 numbers, and there are 2 classes"):
        learner(priors=[0.2, 0.5, 0.3]).held_out_proba(X, names, *splits)


@BOTH
def test_a_class_that_becomes_singular_raises_what_fit_raises(learner):
    X, y = rows_of(2, 2)
    X[y == 1, 1] = 5.0
    X[np.flatnonzero(y == 1)[:2], 1] = [4.0, 6.0]
    rows = np.flatnonzero(y == 1)[:2]
    train = np.setdiff1d(np.arange(60), rows)
    frame = pd.DataFrame(X, columns=["length", "width"])
    for data in (X, frame):
        with pytest.raises(InputError) as refit:
            learner().fit(data.iloc[train] if data is frame else X[train], y[train])
        with pytest.raises(InputError) as ours:
            learner().held_out_proba(data, y, rows, np.array([0, 2]))
        assert ours.value.code == "singular_class"
        assert str(ours.value) == str(refit.value)
    same(learner(ridge=0.01), X, y, rows, np.array([0, 2]))


@BOTH
def test_a_class_that_is_singular_from_the_start(learner):
    X, y = rows_of(2, 2)
    X[y == 1, 1] = 0.1
    with pytest.raises(InputError, match=r"class 1 does not vary in feature X\[:, 1\]"):
        learner().held_out_proba(X, y, np.arange(60), np.arange(61))
    single = np.where(np.arange(60) == 3, 2, y)
    with pytest.raises(InputError, match="class 1 does not vary"):
        learner().held_out_proba(X, single, np.array([3]), np.array([0, 1]))
    X, y = rows_of(2, 2)
    single = np.where(np.arange(60) == 3, 2, y)
    with pytest.raises(InputError, match="class 2 has 1 row"):
        learner().held_out_proba(X, single, np.arange(60), np.arange(61))


@BOTH
def test_classes_out_of_reach_of_each_other(learner):
    X, y = rows_of(2, 2)
    X[y == 0] *= 1e-60
    X[y == 1] = X[y == 1] * 1e90 + 1e100  # 1e160 standard deviations of class 0 away: the square overflows
    for model in (learner(), learner(priors=[1.0, 0.0])):
        same(model, X, y, np.arange(60), np.arange(61))
        same(model, X, y, *folds_of(X, y, 5))


def test_features_that_are_nearly_tied_are_refitted():
    X, y = rows_of(2, 2)
    X[:, 1] = X[:, 0] + 1e-5 * X[:, 1]
    same(FullBayes(), X, y, np.arange(60), np.arange(61))
    same(FullBayes(), X, y, *folds_of(X, y, 5))


@BOTH
def test_variances_too_small_for_their_inverse_are_refused(learner):
    X, y = rows_of(2, 2)
    with pytest.raises(InputError, match="does not vary"):
        learner().held_out_proba(X * 1e-156, y, np.arange(60), np.arange(61))


@BOTH
def test_other_kinds_of_input_give_the_same_and_leave_the_model_alone(learner):
    X, y = rows_of(2, 3)
    splits = np.arange(60), np.arange(61)
    model = learner()
    p = model.held_out_proba(X, y, *splits)
    assert not hasattr(model, "classes_")
    assert not hasattr(model, "n_features_in_")
    locked = X.copy()
    locked.setflags(write=False)
    text = np.array(["no", "yes"])[y]
    for data, labels in (
        (locked, y), (np.asfortranarray(X), y), (X.tolist(), y.tolist()), (pd.DataFrame(X), pd.Series(y)),
        (X, text), (X, text.astype(object)), (X, y.astype(bool)), (X, y.astype(float)), (X[:, :], y.astype(np.uint8)),
    ):  # fmt: skip
        assert model.held_out_proba(data, labels, *splits) == pytest.approx(p, abs=1e-13)
    single = model.held_out_proba(X.astype(np.float32), y, *splits)
    assert single == pytest.approx(p, abs=1e-4)
    fitted = learner().fit(X[:30], y[:30])
    before = fitted.predict_proba(X)
    fitted.held_out_proba(X, y, *splits)
    assert (fitted.predict_proba(X) == before).all()


@BOTH
def test_what_fit_refuses_is_refused(learner):
    X, y = rows_of(2, 3)
    splits = np.arange(60), np.arange(61)
    holed = X.copy()
    holed[3, 1] = np.nan
    for data, labels, said in (
        (holed, y, "NaN"),
        (X, y[:-1], "inconsistent numbers of samples"),
        (X[:, 0], y, "2D array"),
        (X, np.linspace(0, 1, 60), "continuous"),
        (X, np.column_stack([y, y]), "1d array"),
    ):
        for call in (lambda: learner().fit(data, labels), lambda: learner().held_out_proba(data, labels, *splits)):  # noqa: B023
            with pytest.raises(ValueError, match=said):
                call()


@BOTH
@pytest.mark.parametrize(
    ("rows", "starts"),
    [
        ([0, 1], [0, 1]), ([0, 1], [1, 2]), ([0, 1], [0, 0, 2]), ([0, 60], [0, 1, 2]), ([-1, 0], [0, 1, 2]),
        (range(60), [0, 60]), ([], [0]),
    ],
)  # fmt: skip
def test_splits_that_do_not_fit_are_refused(learner, rows, starts):
    X, y = rows_of(2, 3)
    with pytest.raises(InputError) as error:
        learner().held_out_proba(X, y, np.array(rows, dtype=np.int64), np.array(starts))
    assert error.value.code == "bad_plan"


@settings(max_examples=40, deadline=None)
@given(
    st.integers(0, 2**32 - 1),
    st.integers(1, 5),
    st.integers(2, 4),
    st.sampled_from([{}, {"ridge": 0.1}, {"shrinkage": 0.2}]),
    st.sampled_from([FullBayes, NaiveBayes]),
)
def test_any_splits_of_any_rows_equal_refitting(seed, d, classes, options, learner):
    X, y = rows_of(classes, d, n=16 * classes, seed=seed)
    rng = np.random.default_rng(seed)
    n = len(X)
    cuts = np.sort(rng.choice(np.arange(1, n), size=n // 2, replace=False))
    same(learner(**options), X, y, np.arange(n), np.arange(n + 1), tolerance=1e-8)
    same(learner(**options), X, y, rng.permutation(n), np.concatenate([[0], cuts, [n]]), tolerance=1e-8)
