"""DecisionTree: by hand, where it stops, weights, order and names, the contract, the picture."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.utils.estimator_checks import check_estimator

from surefold.errors import InputError
from surefold.learners import DecisionTree

NAN = float("nan")


def same_tree(a, b):
    left, right = a.tree_, b.tree_
    assert len(left) == len(right)
    assert left.column.tolist() == right.column.tolist()
    assert np.array_equal(left.threshold, right.threshold, equal_nan=True)
    assert left.value == pytest.approx(right.value)
    assert (left.sets == right.sets).all()


# by hand


def test_a_tree_worked_by_hand():
    # classes a a b a b b at x = 1 2 3 4 6 8; the impurity of each cut, times 6:
    #   1.5: 1 x 0 + 5 (1 - 4/25 - 9/25) = 2.4     2.5: 2 x 0 + 4 (1 - 1/16 - 9/16) = 1.5
    #   3.5: 3 (1 - 4/9 - 1/9) + the same = 2.67   5.0: 4 (1 - 9/16 - 1/16) + 0 = 1.5     7: 2.4
    # of the two best the lower one wins: x <= 2.5. Right of it b a b b: 3.5 and 5 give 1 x 0 + 3 (4/9) and 2 (1/2) + 0
    tree = DecisionTree().fit([[1.0], [2.0], [3.0], [4.0], [6.0], [8.0]], list("aababb"))
    t = tree.tree_
    assert t.threshold[~t.is_leaf].tolist() == [2.5, 5.0, 3.5]
    assert t.value.tolist() == [[3, 3], [2, 0], [1, 3], [1, 1], [0, 1], [1, 0], [0, 2]]
    assert t.right.tolist() == [2, -1, 6, 5, -1, -1, -1]
    assert (tree.n_leaves, tree.depth) == (4, 3)
    assert tree.export_text().splitlines() == [
        "x0 <= 2.5: a  (2 rows, error 0.000)",
        "x0 > 2.5",
        "|   x0 <= 5",
        "|   |   x0 <= 3.5: b  (1 row, error 0.000)",
        "|   |   x0 > 3.5: a  (1 row, error 0.000)",
        "|   x0 > 5: b  (2 rows, error 0.000)",
    ]
    assert tree.rules().splitlines()[2] == "if x0 > 3.5 and x0 <= 5 then a  (1 row, error 0.000)"


def test_importances_by_hand():
    X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], list("aabc")
    # root: gini 1 - 1/4 - 2/16 = .625; x0 leaves {a a} and {b c}: (0 + .5) / 2 = .25, gain .375; then x1 gains .25
    tree = DecisionTree().fit(X, y)
    assert tree.feature_importances_.tolist() == pytest.approx([0.375 / 0.625, 0.25 / 0.625])
    assert DecisionTree().fit(X, list("aaaa")).feature_importances_.tolist() == [0.0, 0.0]


def test_smoothing_by_hand():
    X, y = [[0.0]] * 3 + [[1.0]] * 2, list("aabbc")
    shares = {
        s: DecisionTree(smoothing=s, m=3).fit(X, y).predict_proba([[0.0]])[0] for s in (None, "laplace", "m_estimate")
    }
    assert shares[None] == pytest.approx([2 / 3, 1 / 3, 0])
    assert shares["laplace"] == pytest.approx([3 / 6, 2 / 6, 1 / 6])
    assert shares["m_estimate"] == pytest.approx([(2 + 1.2) / 6, (1 + 1.2) / 6, 0.6 / 6])


def test_an_m_estimate_may_change_the_answer():
    X, y = [[0.0]] + [[1.0]] * 9, ["rare"] + ["usual"] * 9
    tree = DecisionTree(smoothing="m_estimate", m=10).fit(X, y)
    assert tree.predict_proba([[0.0]])[0] == pytest.approx([(1 + 1) / 11, 9 / 11])
    assert tree.predict([[0.0]]).tolist() == ["usual"]


def test_the_exercise_with_one_split_on_z():
    train = [(15, 1, "A", 1), (20, 3, "B", 2), (25, 2, "A", 1), (30, 4, "A", 1), (35, 2, "B", 2), (25, 4, "A", 1),
             (15, 2, "B", 2), (20, 3, "B", 2)]  # fmt: skip
    test = [(10, 2, "A", 2), (20, 1, "B", 1), (30, 3, "A", 2), (40, 2, "B", 2), (15, 1, "B", 1)]
    frame = pd.DataFrame(train, columns=["X", "Y", "Z", "class"])
    asked = pd.DataFrame(test, columns=["X", "Y", "Z", "class"])
    for criterion in ("gini", "entropy"):
        tree = DecisionTree(criterion, categorical=["Z"]).fit(frame[["X", "Y", "Z"]], frame["class"])
        assert tree.export_text() == "Z is A: 1  (4 rows, error 0.000)\nZ is B: 2  (4 rows, error 0.000)"
        answers, truth = tree.predict(asked[["X", "Y", "Z"]]), asked["class"].to_numpy()
        assert answers.tolist() == [1, 2, 1, 2, 2]
        assert (answers == truth).mean() == pytest.approx(0.2)
        right = [(answers == c) & (truth == c) for c in (1, 2)]
        assert [r.sum() / (answers == c).sum() for c, r in zip((1, 2), right, strict=True)] == [
            0 / 2,
            1 / 3,
        ]  # precision
        assert [r.sum() / (truth == c).sum() for c, r in zip((1, 2), right, strict=True)] == [0 / 2, 1 / 3]  # recall


# stopping


def test_leaf_size_and_purity_stop_where_they_say():
    X, y = np.arange(8.0)[:, None], [0, 1, 0, 1, 0, 1, 0, 1]
    t = DecisionTree(leaf_size=3).fit(X, y).tree_
    assert (t.rows[~t.is_leaf] > 3).all()
    y = [0, 0, 0, 1, 1, 1, 1, 0]
    half = DecisionTree(purity=0.8).fit(X, y).tree_
    assert (1 - half.error[~half.is_leaf] < 0.8).all()
    assert DecisionTree(purity=0.5).fit(X, y).n_leaves == 1


@pytest.mark.parametrize(
    ("options", "holds"),
    [
        ({"max_depth": 3}, lambda t: t.depth <= 3),
        ({"min_samples_split": 40}, lambda t: (t.rows[~t.is_leaf] >= 40).all()),
        ({"min_samples_split": 0.2}, lambda t: (t.rows[~t.is_leaf] >= 30).all()),
        ({"min_samples_leaf": 9}, lambda t: t.rows.min() >= 9),
        ({"min_samples_leaf": 0.1}, lambda t: t.rows.min() >= 15),
        ({"min_weight_fraction_leaf": 0.1}, lambda t: t.weight.min() >= 15),
        ({"min_impurity_decrease": 0.05}, lambda t: t.n_leaves == 3),
    ],
)
def test_limits_hold(options, holds):
    X, y = load_iris(return_X_y=True)
    tree = DecisionTree(**options).fit(X, y).tree_
    assert len(tree) > 1
    assert holds(tree)


def test_a_split_without_gain_is_taken_so_that_xor_is_learned():
    X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    assert DecisionTree().fit(X, y).predict(X).tolist() == y


def test_large_nodes_with_kept_histograms_give_the_same_tree(monkeypatch):
    from surefold.learners.trees.training_rows import TrainingRows

    rng = np.random.default_rng(0)
    X = rng.normal(size=(9000, 6))
    y = (X[:, 0] * X[:, 1] + 0.3 * rng.normal(size=9000) > 0).astype(int) + (X[:, 2] > 1)
    weights = rng.random(9000) + 0.1
    monkeypatch.setattr(TrainingRows, "grows_compiled", lambda *_: True)
    kept = [DecisionTree().fit(X, y), DecisionTree(min_samples_leaf=5).fit(X, y, sample_weight=weights)]
    monkeypatch.setattr(TrainingRows, "_slots", lambda *_: 0)
    counted = [DecisionTree().fit(X, y), DecisionTree(min_samples_leaf=5).fit(X, y, sample_weight=weights)]
    for a, b in zip(kept, counted, strict=True):
        same_tree(a, b)


# weights, order, names


@pytest.mark.parametrize("options", [{}, {"leaf_size": 4}, {"min_samples_leaf": 5}, {"prune": "pessimistic"}])
def test_a_whole_weight_is_repetition(options):
    X, y = load_iris(return_X_y=True)
    weights = np.random.default_rng(1).integers(0, 4, len(y))
    weighted = DecisionTree(**options).fit(X, y, sample_weight=weights)
    same_tree(weighted, DecisionTree(**options).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights)))


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_the_scale_of_weights_does_not_matter(criterion):
    X, y = load_wine(return_X_y=True)
    weights = np.random.default_rng(2).random(len(y))
    a, b = (DecisionTree(criterion, leaf_size=3).fit(X, y, sample_weight=w) for w in (weights, weights / weights.sum()))
    assert a.tree_.column.tolist() == b.tree_.column.tolist()
    assert a.predict_proba(X) == pytest.approx(b.predict_proba(X))


def test_class_weights_are_row_weights():
    X, y = load_iris(return_X_y=True)
    X, y = X[20:, :2], y[20:]
    by_class = DecisionTree(class_weight={0: 2.5, 1: 1.0, 2: 0.5}, max_depth=4).fit(X, y)
    by_row = DecisionTree(max_depth=4).fit(X, y, sample_weight=np.array([2.5, 1.0, 0.5])[y])
    same_tree(by_class, by_row)
    root = DecisionTree(class_weight="balanced").fit(X, y).tree_.value[0]
    assert root == pytest.approx([130 / 3] * 3)


def test_class_weights_are_copies_of_rows_where_values_are_binned_too():
    """1,200 values a column are joined into bins of equal weight: a copy weighs there, and so must a class weight."""
    rng = np.random.default_rng(15)
    X = rng.normal(size=(1200, 3))
    y = (X.sum(axis=1) + rng.normal(size=1200) > 0.8).astype(int)
    copied = np.repeat(np.arange(1200), np.where(y == 1, 3, 1))
    by_class = DecisionTree(class_weight={1: 3}, max_depth=5).fit(X, y)
    by_copy = DecisionTree(max_depth=5).fit(X[copied], y[copied])
    by_row = DecisionTree(max_depth=5).fit(X, y, sample_weight=np.where(y == 1, 3, 1))
    same_tree(by_copy, by_row)
    assert by_class.tree_.column.tolist() == by_copy.tree_.column.tolist()
    assert by_class.predict_proba(X) == pytest.approx(by_copy.predict_proba(X))
    plain = DecisionTree(max_depth=5).fit(X, y)
    assert plain.predict_proba(X) != pytest.approx(by_copy.predict_proba(X))


def test_row_order_does_not_matter():
    X, y = load_breast_cancer(return_X_y=True)
    order = np.random.default_rng(3).permutation(len(y))
    same_tree(DecisionTree().fit(X, y), DecisionTree().fit(X[order], y[order]))


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_names_of_labels_do_not_matter(criterion):
    X, y = load_wine(return_X_y=True)
    named = np.array(["zinfandel", "barolo", "merlot"])[y]
    plain, other = DecisionTree(criterion).fit(X, y), DecisionTree(criterion).fit(X, named)
    assert other.classes_.tolist() == ["barolo", "merlot", "zinfandel"]
    assert np.array_equal(plain.tree_.threshold, other.tree_.threshold, equal_nan=True)
    assert (np.array(["zinfandel", "barolo", "merlot"])[plain.predict(X)] == other.predict(X)).all()


def test_columns_drawn_at_random_follow_the_seed():
    X, y = load_digits(return_X_y=True)
    a, b, c = (DecisionTree(max_features="sqrt", random_state=s).fit(X, y) for s in (0, 0, 1))
    same_tree(a, b)
    assert len(a.tree_) != len(c.tree_)
    assert all(m.score(X, y) == 1.0 for m in (a, c))  # drawing goes on until something can be split


# scikit-learn's contract


@pytest.mark.parametrize(
    "tree", [DecisionTree(), DecisionTree("entropy", prune="pessimistic"), DecisionTree(max_features=1, random_state=0)]
)
def test_scikit_learn_s_checks_pass(tree):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = check_estimator(tree, on_fail=None, on_skip=None)
    failed = {r["check_name"]: r["exception"] for r in results if r["status"] not in ("passed", "skipped")}
    assert not failed
    assert len(results) > 50


def test_clone_and_pickle():
    X, y = load_iris(return_X_y=True, as_frame=True)
    tree = DecisionTree(leaf_size=3).fit(X, y)
    again = pickle.loads(pickle.dumps(tree))
    assert (again.predict_proba(X) == tree.predict_proba(X)).all()
    assert again.feature_names_in_.tolist() == list(X.columns)
    assert "petal" in again.rules()
    assert clone(tree).get_params() == tree.get_params()


def test_one_class_is_a_leaf():
    tree = DecisionTree().fit([[1.0], [2.0]], ["only", "only"])
    assert tree.predict([[7.0]]).tolist() == ["only"]
    assert tree.export_text() == "only  (2 rows, error 0.000)" == tree.rules()
    assert tree.describe().startswith("1 leaf, depth 0, 2 rows, training error 0.000")


def test_describe_tells_size_error_and_pruning():
    X, y = load_iris(return_X_y=True)
    said = DecisionTree(leaf_size=3, prune="pessimistic").fit(X, y).describe()
    assert said.startswith("6 leaves, depth 4, 150 rows, training error 0.013; 1 of 6 subtrees pruned\n\nx2 <= 2.45: 0")
    assert " …" in DecisionTree().fit(X, y).export_text(max_depth=2)


# the picture


def test_the_picture_has_a_box_a_node_and_says_what_is_cut():
    X, y = load_iris(return_X_y=True)
    tree = DecisionTree().fit(X, y)
    texts = [t.get_text() for t in tree.plot(max_depth=10, title="Iris").texts]
    assert sum("rows" in t or "row," in t for t in texts) == len(tree.tree_)
    assert "x2 <= 2.45" in texts
    short = [t.get_text() for t in tree.plot(max_depth=1, dark=True).texts]
    assert sum("…" in t for t in short) == 1
    assert tree.plot(dark=True).figure.get_facecolor() != tree.plot().figure.get_facecolor()


def test_a_picture_that_cannot_be_read_is_refused():
    X, y = load_digits(return_X_y=True)
    tree = DecisionTree().fit(X, y)
    with pytest.raises(InputError, match="max_depth=19"):
        tree.plot(max_depth=20)
    with pytest.raises(InputError, match="max_depth=-1"):
        tree.plot(max_depth=-1)
    legend = tree.plot(max_depth=2).get_legend()
    assert legend is not None
    assert len(legend.get_texts()) == 2  # ten classes: the one answered, and the others
