"""DecisionTree: missing values, categories, frames, and what it refuses."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.sparse import csr_array
from sklearn.exceptions import NotFittedError

from surefold.errors import InputError, UnknownNameError
from surefold.learners import DecisionTree

NAN = float("nan")


# missing values


def test_missing_goes_where_the_split_is_better():
    X = np.array([[1.0], [2.0], [8.0], [9.0], [NAN], [NAN]])
    for y, answer in (([0, 0, 1, 1, 0, 0], 0), ([0, 0, 1, 1, 1, 1], 1)):
        tree = DecisionTree().fit(X, y)
        assert tree.n_leaves == 2
        assert tree.predict([[NAN]]).tolist() == [answer]


def test_being_missing_can_be_the_question():
    tree = DecisionTree().fit([[1.0], [5.0], [9.0], [NAN], [NAN]], [0, 0, 0, 1, 1])
    assert tree.export_text().splitlines() == ["x0 is not missing: 0  (3 rows, error 0.000)",
                                               "x0 is missing: 1  (2 rows, error 0.000)"]  # fmt: skip
    assert tree.predict([[100.0], [NAN]]).tolist() == [0, 1]


def test_missing_where_none_was_goes_with_the_larger_side():
    assert DecisionTree().fit([[1.0], [2.0], [3.0]], [0, 0, 1]).predict([[NAN]]).tolist() == [0]
    assert DecisionTree().fit([[1.0], [2.0], [3.0]], [0, 1, 1]).predict([[NAN]]).tolist() == [1]


# categories

TABLE = {"size": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], "colour": ["red", "blue", None, "red", "blue", None],
         "new": [True, False, True, False, True, False]}  # fmt: skip
ANSWERS = ["a", "b", "c", "a", "b", "c"]


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table], ids=["pandas", "polars", "pyarrow"])
def test_frames_with_text_work(frame):
    tree = DecisionTree(categorical="auto").fit(frame(TABLE), ANSWERS)
    assert tree.predict(frame(TABLE)).tolist() == ANSWERS
    assert set(tree._columns.levels) == {1, 2}
    assert "colour" in tree.export_text()
    assert "missing" in tree.export_text()


def test_a_categorical_type_and_an_object_array_work():
    frame = pd.DataFrame(TABLE).assign(colour=lambda f: f["colour"].astype("category"))
    assert DecisionTree(categorical="auto").fit(frame, ANSWERS).score(frame, ANSWERS) == 1
    X = np.array([["x", 1.5], ["y", 2.5], ["x", None]], dtype=object)
    tree = DecisionTree(categorical="auto").fit(X, [0, 1, 0])
    assert set(tree._columns.levels) == {0}
    assert DecisionTree(categorical=[0, -1]).fit(X, [0, 1, 0]).predict(X).tolist() == [0, 1, 0]


def test_an_unknown_level_goes_with_the_larger_side():
    X = pd.DataFrame({"c": list("aaab")})
    tree = DecisionTree(categorical=["c"]).fit(X, [0, 0, 0, 1])
    assert tree.predict(pd.DataFrame({"c": ["z", None]})).tolist() == [0, 0]


def test_more_levels_than_bytes_share_one():
    rng = np.random.default_rng(0)
    names = [f"n{i}" for i in range(400)]
    often = rng.choice(names[:100], 4000).tolist() + names
    y = [int(n[1:]) % 2 for n in often]
    tree = DecisionTree(categorical=[0]).fit(np.array(often)[:, None], y)
    assert "rare levels" in tree.rules()
    assert tree.score(np.array(often)[:4000, None], y[:4000]) == 1.0


# reading the nodes


def test_the_nodes_say_where_missing_values_go():
    X = np.array([[1.0, 0.0], [2.0, 1.0], [8.0, 2.0], [9.0, NAN], [NAN, NAN], [NAN, 0.0]])
    by_number = DecisionTree().fit(X[:, :1], [0, 0, 1, 1, 0, 0]).tree_
    assert by_number.missing_left.tolist() == [True, False, False]
    by_level = DecisionTree(categorical=[0]).fit(X[:, 1:], [0, 0, 1, 1, 1, 0]).tree_
    root = by_level.sets[by_level.set_number[0]]
    assert root[[0, 1, 2, 255]].tolist() in ([1, 1, 0, 0], [0, 0, 1, 1])
    assert by_level.missing_left[0] == bool(root[255])


def test_lists_levels_of_mixed_kinds_and_one_weight_for_all():
    rows = [["a", 1], [2, 2], [2.5, 3], ["a", 4]]
    tree = DecisionTree(categorical=[0]).fit(rows, ["x", "y", "y", "x"], sample_weight=2.0)
    assert tree.predict([["a", 0], [2, 0]]).tolist() == ["x", "y"]
    assert tree.tree_.weight[0] == 8.0


# refusals


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"criterion": "chaos"}, "criterion is 'chaos'"),
        ({"leaf_size": 0}, "leaf_size is 0"),
        ({"purity": 0}, "purity is 0"),
        ({"purity": 1.5}, "above 0 to 1"),
        ({"max_depth": 0}, "max_depth is 0"),
        ({"max_features": 9}, "max_features is 9, and X has 1 columns"),
        ({"max_features": 0.0}, "max_features is 0.0"),
        ({"min_samples_split": 1}, "whole number of 2 or more"),
        ({"min_samples_leaf": True}, "min_samples_leaf is True"),
        ({"min_impurity_decrease": -1}, "of 0 or more"),
        ({"prune": "hard"}, "prune is 'hard'"),
        ({"bound": "none"}, "bound is 'none'"),
        ({"smoothing": "much"}, "smoothing is 'much'"),
        ({"prune_confidence": 0.9}, "prune_confidence is 0.9"),
        ({"ccp_alpha": 0.1}, "prune='cost_complexity'"),
        ({"class_weight": "even"}, "class_weight is 'even'"),
        ({"class_weight": {0: -1}}, "finite weights"),
        ({"categorical": "some"}, "categorical is 'some'"),
    ],
)
def test_options_that_make_no_sense_are_refused(options, said):
    with pytest.raises(InputError, match=said) as error:
        DecisionTree(**options).fit([[1.0], [2.0]], [0, 1])
    assert error.value.code == "bad_option"


def test_unknown_names_are_refused():
    with pytest.raises(UnknownNameError, match="sqrt"):
        DecisionTree(max_features="sqr").fit([[1.0], [2.0]], [0, 1])
    with pytest.raises(InputError, match="class_weight names 7") as error:
        DecisionTree(class_weight={7: 1}).fit([[1.0], [2.0]], [0, 1])
    assert error.value.code == "unknown_label"
    with pytest.raises(InputError, match="no such column"):
        DecisionTree(categorical=["z"]).fit(pd.DataFrame({"c": ["a", "b"]}), [0, 1])


@pytest.mark.parametrize(
    ("X", "options", "code", "said"),
    [
        (pd.DataFrame({"c": ["a", "b"]}), {}, "bad_features", "categorical='auto'"),
        (np.array([["a", "b"], ["c", "d"]]), {"categorical": [0]}, "bad_features", "column 1 of X holds 'b'"),
        (np.array([["a", 1.0], ["c", np.inf]], dtype=object), {"categorical": [0]}, "bad_features", "infinity"),
        (np.array(["a", "b"]), {"categorical": [0]}, "bad_shape", "1 dimensions"),
        (csr_array(np.eye(2)), {"categorical": [0]}, "bad_shape", "a sparse matrix"),
        (np.empty((0, 2)), {"categorical": [0]}, "no_rows", "0 rows"),
        (np.array([["a"], ["b"], ["c"]]), {"categorical": [0]}, "length_mismatch", "3 rows and y 2"),
    ],
)
def test_features_that_cannot_be_read_are_refused(X, options, code, said):
    with pytest.raises(InputError, match=said) as error:
        DecisionTree(**options).fit(X, [0, 1])
    assert error.value.code == code


def test_weights_of_another_length_and_asking_too_early_are_refused():
    with pytest.raises(InputError, match="sample_weight has 3 values"):
        DecisionTree().fit([[1.0], [2.0]], [0, 1], sample_weight=[1, 1, 1])
    for ask in (DecisionTree().rules, lambda: DecisionTree().n_leaves, lambda: DecisionTree().depth):
        with pytest.raises(NotFittedError):
            ask()


def test_a_new_level_goes_to_the_heavier_side_whatever_is_missing():
    """Six rows of 'a' answer no; 'b' and a missing one answer yes."""
    tree = DecisionTree(categorical="auto")
    tree.fit(pd.DataFrame({"c": ["a"] * 6 + ["b"] * 2 + [None]}), ["no"] * 6 + ["yes"] * 3)
    assert tree.predict(pd.DataFrame({"c": ["zzz", "b", None]})).tolist() == ["no", "yes", "yes"]


@pytest.mark.parametrize("kind", ["string", "Int64", "boolean"])
def test_missing_values_of_pandas_own_kinds(kind):
    values = {"string": ["a", "b", None, "a"], "Int64": [1, 2, None, 1], "boolean": [True, False, None, True]}[kind]
    frame = pd.DataFrame({"s": pd.array(values, dtype=kind)})
    tree = DecisionTree(categorical=["s"]).fit(frame, [0, 0, 1, 1])
    assert tree.predict(frame).shape == (4,)


def test_large_thresholds_keep_their_digits():
    tree = DecisionTree().fit(1_700_000_000 + np.arange(0, 4000, 1000.0)[:, None], [0, 1, 0, 1])
    for threshold in ("1700000500", "1700001500", "1700002500"):
        assert threshold in tree.rules()
