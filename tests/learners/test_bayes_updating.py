"""Normal Bayes with rows added and removed, and classes that are singular."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

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


# singular classes


def singular(model, X, y):
    with pytest.raises(InputError) as error:
        model.fit(X, y)
    assert error.value.code == "singular_class"
    assert "ridge=1e-6" in str(error.value)
    assert "shrinkage" in str(error.value)
    return str(error.value)


@BOTH
@pytest.mark.parametrize("value", [0.0, 0.1, 1e6 + 0.3, -1e-9])
def test_a_constant_feature_is_named(learner, value):
    X, y = some_rows()
    labels = np.array(["x", "y", "z"])[y]
    X[y == 1, 2] = value
    assert "class 'y' does not vary in feature X[:, 2]:" in singular(learner(), X, labels)
    frame = pd.DataFrame(X, columns=["length", "width", "depth"])
    assert "class 'y' does not vary in feature 'depth':" in singular(learner(), frame, labels)
    assert learner(ridge=1e-6).fit(X, labels).score(X, labels) > 0.5
    wide = np.column_stack([np.zeros((90, 7)), X])
    assert "X[:, 0], X[:, 1], X[:, 2], X[:, 3], X[:, 4] and 2 more" in singular(learner(), wide, labels)


@BOTH
def test_a_class_of_one_row(learner):
    X, y = some_rows()
    y = y.copy()
    y[5] = 9
    assert "class 9 has 1 row" in singular(learner(), X, y)
    assert learner(ridge=0.1).fit(X, y).predict(X[[5]]).tolist() == [9]


def test_shrinkage_cures_a_class_where_it_can():
    X, y = some_rows()
    X[y == 1, 2] = 4.0
    assert NaiveBayes(shrinkage=0.1).fit(X, y).variances_[1, 2] > 0
    with pytest.raises(InputError, match="does not vary"):
        FullBayes(shrinkage=0.1).fit(X, y)


def test_too_few_rows_and_tied_features():
    X, y = some_rows(90, 3)
    few = np.concatenate([np.flatnonzero(y == 0)[:3], np.flatnonzero(y > 0)])
    assert "class 0 has 3 rows, and the covariance of 3 features needs 4 or more" in singular(
        FullBayes(), X[few], y[few]
    )
    tied = np.column_stack([X, X[:, 0] - 3 * X[:, 2] + 1e3])
    assert "class 0 has features X[:, 0], X[:, 2], X[:, 3] tied by a linear relation" in singular(FullBayes(), tied, y)
    for cured in (FullBayes(ridge=1e-6), FullBayes(shrinkage=0.1), NaiveBayes()):
        assert np.isfinite(cured.fit(tied, y).predict_proba(tied)).all()
        assert np.isfinite(cured.fit(X[few], y[few]).predict_proba(X)).all()


# adding and removing rows


def same_model(one, other, X, tolerance=1e-10):
    assert one.class_count_ == pytest.approx(other.class_count_, abs=tolerance)
    assert one.means_ == pytest.approx(other.means_, rel=tolerance)
    spread = "covariances_" if isinstance(one, FullBayes) else "variances_"
    assert getattr(one, spread) == pytest.approx(getattr(other, spread), rel=tolerance, abs=tolerance)
    assert one.predict_proba(X) == pytest.approx(other.predict_proba(X), abs=tolerance * 10)


@BOTH
@pytest.mark.parametrize("centre", [0.0, 1e6])
@pytest.mark.parametrize("options", [{}, {"ridge": 0.01, "shrinkage": 0.2}])
def test_adding_and_removing_is_refitting(learner, centre, options):
    X, y = some_rows(120, centre=centre)
    new = learner(**options)
    added = clone(new).fit(X[:60], y[:60])
    for part in (slice(60, 61), slice(61, 90), slice(90, 120)):
        added.add_rows(X[part], y[part])
    same_model(added, clone(new).fit(X, y), X)
    added.remove_rows(X[60:], y[60:])
    same_model(added, clone(new).fit(X[:60], y[:60]), X)
    for _ in range(50):
        added.remove_rows(X[:20], y[:20]).add_rows(X[:20], y[:20])
    same_model(added, clone(new).fit(X[:60], y[:60]), X)


@BOTH
def test_adding_and_removing_with_weights(learner):
    X, y = some_rows(120, centre=1e6)
    w = np.random.default_rng(5).uniform(0, 3, 120)
    model = learner().fit(X[:80], y[:80], sample_weight=w[:80])
    model.add_rows(X[80:], y[80:], sample_weight=w[80:])
    same_model(model, learner().fit(X, y, sample_weight=w), X)
    model.remove_rows(X[:50], y[:50], sample_weight=w[:50])
    same_model(model, learner().fit(X[50:], y[50:], sample_weight=w[50:]), X)


@BOTH
def test_rows_far_from_the_first_ones_cost_no_digits(learner):
    X, y = some_rows(120)
    model = learner().fit(X[:60], y[:60]).add_rows(X[60:] + 1e3, y[60:]).remove_rows(X[:60], y[:60])
    same_model(model, learner().fit(X[60:] + 1e3, y[60:]), X + 1e3, tolerance=1e-9)


@BOTH
def test_a_class_may_leave_and_come_back(learner):
    X, y = some_rows(centre=1e6)
    model = learner().fit(X, y).remove_rows(X[y == 1], y[y == 1])
    assert model.class_count_[1] == 0
    assert (model.predict_proba(X)[:, 1] == 0).all()
    same_model(model.add_rows(X[y == 1] - 1e6, y[y == 1]), learner().fit(X - 1e6 * (y == 1)[:, None], y), X)


@BOTH
def test_what_cannot_be_removed_or_added_changes_nothing(learner):
    X, y = some_rows()
    model = learner().fit(X, y)
    before = model.predict_proba(X)
    ones = np.flatnonzero(y == 1)
    for call, code, said in (
        (lambda: model.remove_rows(X[[*ones, *ones]], y[[*ones, *ones]]), "too_few_of_a_class", "rows of class 1"),
        (lambda: model.remove_rows(X[ones], y[ones], sample_weight=2.0), "too_few_of_a_class", "weight of class 1"),
        (lambda: model.remove_rows(X, y), "no_rows", "leaves none"),
        (lambda: model.remove_rows(X[ones[1:]], y[ones[1:]]), "singular_class", "1 has 1 row"),
        (lambda: model.add_rows(X[:2], [0, 7]), "unknown_label", "y holds 7"),
        (lambda: model.add_rows(X[:2], ["0", "1"]), "unknown_label", "y holds '0'"),
        (lambda: model.add_rows(X[:2], y[:2], sample_weight=[1.0]), "length_mismatch", "1 values and X 2 rows"),
        (lambda: model.add_rows(X[:2], y[:2], sample_weight=[1.0, -1.0]), "negative_weight", "negative"),
    ):  # fmt: skip
        with pytest.raises(InputError, match=said) as error:
            call()
        assert error.value.code == code
        assert (model.predict_proba(X) == before).all()
    words = learner().fit(X, np.array(["x", "y", "z"], dtype=object)[y])
    with pytest.raises(InputError, match="y holds 0, which is no class"):
        words.add_rows(X, y)
    with pytest.raises(ValueError, match="3 features"):
        model.add_rows(X[:, :2], y)
    with pytest.raises(NotFittedError):
        learner().remove_rows(X, y)


@BOTH
def test_removing_what_held_all_the_digits_is_refused(learner):
    X, y = some_rows(d=1)
    model = learner().fit(np.append(X, [[1e12]], axis=0), np.append(y, 0))
    with pytest.raises(InputError, match="too little variance in feature X") as error:
        model.remove_rows([[1e12]], [0])
    assert error.value.code == "singular_class"


@settings(max_examples=40, deadline=None)
@given(
    st.integers(0, 2**32 - 1),
    st.integers(1, 4),
    st.integers(2, 4),
    st.sampled_from([0.0, 1e3, -1e6]),
    st.sampled_from([FullBayes, NaiveBayes]),
)
def test_any_model_can_be_built_in_two_steps(seed, d, classes, centre, learner):
    X, y = some_rows(30 + 12 * classes, d, classes, seed, centre)
    rng = np.random.default_rng(seed)
    later = np.zeros(len(X), dtype=bool)
    later[classes * (d + 5) :] = rng.random(len(X) - classes * (d + 5)) < 0.5  # each class keeps d + 5 rows
    if later.any():
        model = learner().fit(X[~later], y[~later]).add_rows(X[later], y[later])
        same_model(model, learner().fit(X, y), X, tolerance=1e-8)
        same_model(model.remove_rows(X[later], y[later]), learner().fit(X[~later], y[~later]), X, tolerance=1e-8)
