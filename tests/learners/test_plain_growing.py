"""Two routes to a tree: compiled loops, and numpy where there is too little to learn from. They must agree."""

import io
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surefold.learners import DecisionTree, RandomForest
from surefold.learners.trees import when_to_compile
from surefold.learners.trees.options import limits_of
from surefold.learners.trees.splitmix import Stream, drawn_below
from surefold.learners.trees.walking import add_votes, plain_leaves

NAN = float("nan")


def both(tree, X, y, weights=None, seed=5):
    """The tree in numpy and the compiled one, with the rows that they grew from."""
    rows = tree._learn_rows(X, y, weights)
    limits = limits_of(tree, rows.rows, X.shape[1])
    return rows, [rows.grow(limits, seed, None, compiled) for compiled in (False, True)]


def same(plain, compiled):
    for a, b in ((plain, compiled), (compiled, plain)):
        assert a.nodes.tobytes() == b.nodes.tobytes()
        assert a.value.dtype == b.value.dtype
        for name in ("cut", "rows", "value", "sets"):
            assert np.array_equal(getattr(a, name), getattr(b, name)), name


OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        "leaf_size": st.integers(1, 4),
        "purity": st.sampled_from([0.6, 0.9]),
        "max_depth": st.integers(1, 4),
        "min_samples_leaf": st.integers(1, 4),
        "min_weight_fraction_leaf": st.sampled_from([0.02, 0.2]),
        "min_impurity_decrease": st.sampled_from([0.01, 0.1]),
        "max_features": st.integers(1, 3),
        "class_weight": st.just("balanced"),
    },
)


@settings(deadline=None, max_examples=200)
@given(st.data(), st.sampled_from(["gini", "entropy"]), st.integers(2, 4), OPTIONS, st.booleans())
def test_numpy_grows_the_compiled_tree_to_the_last_bit(data, criterion, classes, options, with_categories):
    """Ties everywhere, missing values, levels, weights that are counts or not: the same nodes, bit by bit."""
    n = data.draw(st.integers(2, 60))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    X = np.column_stack([rng.integers(0, 5, n), rng.normal(size=n).round(1), rng.integers(0, 14, n)]).astype(float)
    X[rng.random((n, 3)) < data.draw(st.sampled_from([0.0, 0.2]))] = NAN
    y = rng.integers(0, classes, n)
    weights = data.draw(st.sampled_from([None, "counts", "halves", "any"]))
    kinds = {"counts": rng.integers(0, 3, n) + (np.arange(n) < 2), "any": rng.random(n) + 0.01}
    given_weights = {**kinds, "halves": rng.integers(1, 4, n) / 2 + 0.25}.get(weights)
    tree = DecisionTree(criterion, categorical=[0, 2] if with_categories else None, **options)
    rows, (plain, compiled) = both(tree, X, y, given_weights)
    same(plain, compiled)
    counts = rows.drawn(3)
    assert np.array_equal(*(rows.unused_votes(plain, counts, compiled=way) for way in (False, True)))


@pytest.mark.parametrize("classes", [2, 3, 12])
def test_columns_with_hundreds_of_values_and_levels(classes):
    """Bins that join values, thresholds between bins, and the principal direction over more than ten levels."""
    rng = np.random.default_rng(classes)
    X = np.column_stack([rng.normal(size=(1500, 3)), rng.integers(0, 200, 1500)])
    y = (np.digitize(X[:, 0] + X[:, 3] / 60 + rng.normal(size=1500), np.linspace(-1, 4, classes - 1))).astype(int)
    for criterion in ("gini", "entropy"):
        for weights in (None, rng.random(1500)):
            _, (plain, compiled) = both(DecisionTree(criterion, categorical=[3]), X, y, weights)
            same(plain, compiled)
            assert len(plain) > 60


def test_rows_walk_alike():
    rng = np.random.default_rng(1)
    X = np.column_stack([rng.normal(size=700), rng.integers(0, 9, 700)])
    X[rng.random(X.shape) < 0.1] = NAN
    y = rng.integers(0, 3, 700)
    forest = RandomForest(4, categorical=[1], random_state=0).fit(X, y)
    asked = forest._columns.read(forest, X)
    votes = [np.zeros((700, 3)) for _ in range(4)]
    shares = [t.shares() for t in forest.trees_]
    for compiled in (False, True):
        add_votes(forest.trees_, asked, slice(100, 900), [votes[0][:0]] * 4, votes[compiled], compiled)
        add_votes(forest.trees_, asked, slice(0, 700), shares, votes[2 + compiled], compiled)
    assert votes[0][:100].sum() == 0
    assert votes[0].sum() == 4 * 600
    assert np.array_equal(votes[0], votes[1])
    assert np.array_equal(votes[2], votes[3])
    tree = forest.trees_[0]
    leaves = plain_leaves(tree, asked, tree.nodes["threshold"])
    assert np.array_equal(forest.estimators_[0].apply(X), leaves)


def test_the_stream_is_splitmix64():
    # its reference implementation (Vigna 2015), seed 0: e220a8397b1dcdaf, 6e789e6aa1b965f4, 06c45d188009454f
    stream = Stream(0)
    upper = [0xE220A839, 0x6E789E6A, 0x06C45D18]
    assert [stream.below(1 << 32) for _ in upper] == upper == drawn_below(0, 1 << 32, 3).tolist()
    assert drawn_below(2**63 + 9, 7, 1000).max() == 6


def test_what_was_spent_without_a_compiler_buys_one(monkeypatch):
    monkeypatch.setattr(when_to_compile, "_spent", {})
    monkeypatch.setattr(when_to_compile, "_compiled", set())
    monkeypatch.setattr(when_to_compile, "_was_compiled", lambda module: module == "known")

    class Terminal(io.StringIO):
        def isatty(self):
            return True

    told = Terminal()
    monkeypatch.setattr(sys, "stderr", told)
    asked = [when_to_compile.is_worth_compiling("new", "grow", seconds) for seconds in (1.0, 1.0, 1.0, 0.0)]
    assert asked == [False, False, True, True]  # 2.5 seconds are what compiling takes
    assert "compiling" in told.getvalue()
    assert told.getvalue().count("\n") == 1
    assert not when_to_compile.is_worth_compiling("new", "another", 1.0)
    assert when_to_compile.is_worth_compiling("known", "grow", 1.0)
    assert told.getvalue().count("\n") == 1  # what is there already is loaded without a word


def test_a_first_tree_and_a_first_area_of_few_rows_ask_for_no_compiler():
    script = """
import sys
import numpy as np
import surefold
from surefold.learners import AdaBoost, Bagging, DecisionTree, RandomForest
rng = np.random.default_rng(0)
X, y = rng.normal(size=(1000, 10)), rng.integers(0, 2, 1000)
for model in (DecisionTree(), RandomForest(5), Bagging(n_estimators=3), AdaBoost(n_estimators=3)):
    model.fit(X, y).predict(X)
surefold.assess(y, y_score=X[:, 0], pos_label=1).to_dict()
assert "numba" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", script], check=True, timeout=120)
