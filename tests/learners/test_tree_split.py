"""The split taken: by brute force, and beside scikit-learn."""

import itertools
from math import log2

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.tree import DecisionTreeClassifier

from surefold.learners import DecisionTree

NAN = float("nan")


def gini(labels):
    return 1 - sum((labels.count(c) / len(labels)) ** 2 for c in set(labels)) if labels else 0.0


def entropy(labels):
    shares = [labels.count(c) / len(labels) for c in set(labels)]
    return -sum(p * log2(p) for p in shares)


# by brute force

LEVELS = st.sampled_from([0.0, 1.0, 2.0, 3.0, NAN])


def impurity_after(sides, impurity):
    n = sum(map(len, sides))
    return sum(len(s) * impurity(s) for s in sides if s) / n


def best_by_force(X, y, impurity, categorical):
    """The least impurity over every column, cut and side for missing values; None if nothing can be split."""
    best = None
    for column in np.asarray(X).T:
        seen = sorted({v for v in column if v == v})
        missing = bool(np.isnan(column).any())
        if categorical:
            levels = [*seen, *([NAN] if missing else [])]
            cuts = [
                [(any(v == s or (v != v and s != s) for s in chosen)) for v in column]
                for size in range(1, len(levels))
                for chosen in itertools.combinations(levels, size)
            ]
        else:
            cuts = [[v <= at or (v != v and side) for v in column] for at in seen for side in (False, True)]
        for left in cuts:
            sides = (
                [c for c, go in zip(y, left, strict=True) if go],
                [c for c, go in zip(y, left, strict=True) if not go],
            )
            if all(sides):
                after = impurity_after(sides, impurity)
                best = after if best is None else min(best, after)
    return best


@settings(deadline=None, max_examples=120)
@given(st.data(), st.sampled_from(["gini", "entropy"]), st.booleans(), st.sampled_from([2, 3, 4]))
def test_no_split_is_better_than_the_one_taken(data, criterion, categorical, classes):
    n = data.draw(st.integers(2, 12))
    X = data.draw(st.lists(st.tuples(LEVELS, LEVELS), min_size=n, max_size=n))
    y = data.draw(st.lists(st.integers(0, classes - 1), min_size=n, max_size=n))
    impurity = gini if criterion == "gini" else entropy
    tree = DecisionTree(criterion, max_depth=1, categorical=[0, 1] if categorical else None).fit(np.array(X), y)
    best = best_by_force(X, y, impurity, categorical)
    t = tree.tree_
    if len(t) == 1:
        assert best is None or len(set(y)) == 1
        return
    found = t.impurity(criterion)
    assert (found[1:] * t.weight[1:]).sum() / t.weight[0] == pytest.approx(best, abs=1e-12)


def test_many_levels_and_classes_come_near_the_best_set():
    rng = np.random.default_rng(0)
    worst = 0.0
    for _ in range(20):
        level = rng.integers(0, 12, 300)
        y = (rng.random((300, 4)) * rng.dirichlet(np.ones(4) * 0.5, 12)[level]).argmax(axis=1)
        tree = DecisionTree(max_depth=1, categorical=[0]).fit(level[:, None], y).tree_
        counts = np.array([[((level == a) & (y == c)).sum() for c in range(4)] for a in range(12)])
        sets = (np.arange(1, 2**11)[:, None] >> np.arange(12)) & 1
        left, right = sets @ counts, (1 - sets) @ counts
        best = max((left**2).sum(1) / left.sum(1) + (right**2).sum(1) / right.sum(1))
        value = tree.value.astype(float)
        ours = sum((v**2).sum() / v.sum() for v in value[1:])
        base = (value[0] ** 2).sum() / value[0].sum()
        worst = max(worst, (best - ours) / (best - base))
    assert worst < 0.12  # of the gain of the best set


@settings(deadline=None, max_examples=60)
@given(st.data())
def test_rows_walk_to_the_leaves_they_grew(data):
    n = data.draw(st.integers(1, 40))
    values = st.one_of(LEVELS, st.floats(-1e300, 1e300))
    X = np.array(data.draw(st.lists(st.tuples(values, LEVELS), min_size=n, max_size=n)))
    y = data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n))
    tree = DecisionTree(categorical=[1], min_samples_leaf=data.draw(st.integers(1, 3))).fit(X, y)
    leaves = tree.apply(X)
    t = tree.tree_
    assert np.bincount(leaves, minlength=len(t))[t.is_leaf].tolist() == t.rows[t.is_leaf].tolist()
    assert (t.rows[~t.is_leaf] == t.rows[t.left[~t.is_leaf]] + t.rows[t.right[~t.is_leaf]]).all()


@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer, load_digits])
@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_few_distinct_values_give_the_tree_of_scikit_learn(load, criterion):
    X, y = load(return_X_y=True)
    rows = np.random.default_rng(0).permutation(len(X))[:250]  # at most 250 distinct values a column: nothing is binned
    X, y = X[rows], y[rows]
    options = {"criterion": criterion, "min_samples_leaf": 12, "max_depth": 2}
    ours, theirs = DecisionTree(**options).fit(X, y), DecisionTreeClassifier(**options, random_state=0).fit(X, y)
    assert ours.n_leaves == theirs.get_n_leaves()
    t = ours.tree_
    ours_impurity = (t.impurity(criterion) * t.weight)[t.is_leaf].sum() / len(y)
    leaf = theirs.tree_.children_left < 0
    assert ours_impurity == pytest.approx((theirs.tree_.impurity * theirs.tree_.n_node_samples)[leaf].sum() / len(y))


def test_thresholds_of_continuous_columns_are_those_of_scikit_learn():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(200, 3))
    y = (X[:, 0] + 0.5 * X[:, 1] + rng.normal(size=200) > 0).astype(int)
    ours = DecisionTree(min_samples_leaf=25).fit(X, y)
    theirs = DecisionTreeClassifier(min_samples_leaf=25, random_state=0).fit(X, y).tree_
    inner = theirs.feature >= 0
    assert ours.tree_.column.tolist() == np.where(inner, theirs.feature, -1).tolist()
    assert ours.tree_.threshold[inner] == pytest.approx(theirs.threshold[inner], abs=1e-6)  # it reads 32 bits
    assert ours.feature_importances_ == pytest.approx(theirs.compute_feature_importances())
