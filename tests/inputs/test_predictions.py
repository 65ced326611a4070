"""Predictions.of: labels, positive class, weights, groups, scores, and routes that must agree."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefold.errors import InputError
from surefold.inputs import Predictions
from surefold.inputs.labels import encode_labels
from surefold.inputs.scores import labels_from_scores


def refusal(code: str, *args: Any, **options: Any) -> InputError:
    with pytest.raises(InputError) as caught:
        Predictions.of(*args, **options)
    assert caught.value.code == code, str(caught.value)
    return caught.value


def codes(predictions: Predictions) -> set[str]:
    return {f.code for f in predictions.findings}


def test_declared_labels_keep_order_and_unused_ones() -> None:
    p = Predictions.of(["b", "a"], ["a", "a"], labels=["b", "a", "c"])
    assert p.labels == ("b", "a", "c")
    assert p.truth.tolist() == [0, 1]
    assert p.declared
    assert "unused_label" in codes(p)


def test_declared_labels_refuse_others_with_rows() -> None:
    error = refusal("unknown_label", ["a", "b"], ["a", "bb"], labels=["a", "b"])
    assert error.rows == (2,)
    assert "did you mean 'b'?" in str(error)


@pytest.mark.parametrize("labels", [["a", "a"], ["a", None]])
def test_declared_labels_must_be_distinct_and_present(labels: list[Any]) -> None:
    refusal("bad_option", ["a"], ["a"], labels=labels)


def test_declared_labels_of_another_kind() -> None:
    assert "labels holds text" in str(refusal("label_types_differ", [0, 1], [0, 1], labels=["0", "1"]))


def test_categories_give_the_order_and_unused_ones_go() -> None:
    kind = pd.CategoricalDtype(["high", "unused", "mid", "low"])
    p = Predictions.of(pd.Series(["low", "high"], dtype=kind), pd.Series(["mid", "high"], dtype=kind))
    assert p.labels == ("high", "mid", "low")
    assert p.truth.tolist() == [2, 0]
    enum = pl.Enum(["high", "unused", "mid", "low"])
    q = Predictions.of(pl.Series(["low", "high"], dtype=enum), pl.Series(["mid", "high"], dtype=enum))
    assert q.labels == p.labels


@pytest.mark.parametrize(
    ("y", "positive"),
    [
        ([0, 1], 1), ([-1, 1], 1), ([True, False], True), ([1, 1], 1), (["0", "1"], "1"), (["-1", "1"], "1"),
        (["True", "False"], "True"), (["false", "true"], "true"), ([1.0, 0.0], 1), ([0, 0], None),
    ],
)  # fmt: skip
def test_plain_pairs_need_no_saying(y: list[Any], positive: Any) -> None:
    p = Predictions.of(y, y)
    assert p.pos_label == positive
    assert type(p.pos_label) is type(positive)
    assert ("positive_class_assumed" in codes(p)) == (positive is not None)


@pytest.mark.parametrize("y", [["no", "yes"], [1, 2], [0, 2]])
def test_other_pairs_are_not_guessed(y: list[Any]) -> None:
    assert Predictions.of(y, y).positive is None


def test_more_than_two_classes_need_no_positive_class() -> None:
    p = Predictions.of([0, 1, 2], [0, 1, 2])
    assert p.positive is None
    assert not codes(p)


def test_pos_label_that_is_no_label() -> None:
    error = refusal("unknown_label", ["no", "yes"], ["no", "yes"], pos_label="Yes")
    assert "'no' (1), 'yes' (1)" in str(error)
    assert "pos_label='yes' (--pos-label yes)" in str(error)
    assert "pos_label=1 (--pos-label 1)" in str(refusal("unknown_label", [0, 1], [0, 1], pos_label="1"))


def test_pos_label_of_a_lone_class_adds_it() -> None:
    p = Predictions.of(["yes", "yes"], ["yes", "yes"], pos_label="no")
    assert p.labels == ("no", "yes")
    assert p.positive == 0
    assert p.truth.tolist() == [1, 1]


@pytest.mark.parametrize("pos_label", [np.int64(1), 1.0, True])
def test_pos_label_may_be_any_one(pos_label: Any) -> None:
    assert Predictions.of([0, 1], [0, 1], pos_label=pos_label).positive == 1


def test_lone_zero_with_scores_has_its_partner() -> None:
    p = Predictions.of([0, 0], y_score=[0.2, 0.7])
    assert p.labels == (0, 1)
    assert p.positive == 1
    assert p.predicted.tolist() == [0, 1]  # type: ignore[union-attr]
    q = Predictions.of([1, 1], y_score=[0.2, 0.7])
    assert q.truth.tolist() == [1, 1]
    assert q.predicted.tolist() == [0, 1]  # type: ignore[union-attr]


def test_scores_make_labels_at_and_above_the_threshold() -> None:
    p = Predictions.of(["no", "yes", "no"], y_score=[0.2, 0.5, 0.9], pos_label="no")
    assert p.predicted.tolist() == [1, 0, 0]  # type: ignore[union-attr]
    assert "labels_from_scores" in codes(p)
    q = Predictions.of([0, 1], y_score=[-3, 3], threshold=0)
    assert q.predicted.tolist() == [0, 1]  # type: ignore[union-attr]


def test_scores_that_are_no_probabilities_make_no_labels() -> None:
    p = Predictions.of([0, 1], y_score=[-3, 3])
    assert p.predicted is None
    assert "no_labels" in codes(p)
    with pytest.raises(InputError) as caught:
        labels_from_scores(np.array([0.5, 2.0, -1.0]))
    assert caught.value.code == "score_range"
    assert caught.value.rows == (2, 3)


def test_score_matrix_takes_the_largest() -> None:
    p = Predictions.of(["a", "b", "c"], y_score=[[0.5, 0.3, 0.2], [0.4, 0.4, 0.2], [0, 0, 1]])
    assert p.predicted.tolist() == [0, 0, 2]  # type: ignore[union-attr]
    assert p.scores is not None
    assert p.scores.shape == (3, 3)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_score_matrix_is_matched_by_column_name(frame: Any) -> None:
    p = Predictions.of(["a", "b", "c"], y_score=frame({"c": [0.2, 0, 1], "a": [0.5, 0, 0], "b": [0.3, 1, 0]}))
    assert p.scores is not None
    assert p.scores.tolist() == [[0.5, 0.3, 0.2], [0, 1, 0], [0, 0, 1]]
    refusal("bad_shape", ["a", "b", "c"], y_score=frame({"x": [0.2, 0, 1], "a": [0.5, 0, 0], "b": [0.3, 1, 0]}))


def test_two_columns_become_the_one_of_the_positive_class() -> None:
    p = Predictions.of([0, 1], y_score=np.array([[0.8, 0.2], [0.3, 0.7]]))
    assert p.scores is not None
    assert p.scores.tolist() == [0.2, 0.7]
    refusal("positive_class_unknown", ["a", "b"], y_score=np.array([[0.8, 0.2], [0.3, 0.7]]))


def test_b14_wrong_number_of_columns() -> None:
    assert "2 columns and there are 3 labels" in str(refusal("bad_shape", [0, 1, 2], y_score=np.zeros((3, 2))))


@pytest.mark.parametrize(
    "scores",
    [[0.1, np.nan], [0.1, None], pl.Series([0.1, None]), pd.Series([0.1, None]), ["0.1", ""], pa.array([0.1, None])],
)
def test_b1_missing_scores(scores: Any) -> None:
    assert refusal("missing_score", [0, 1], y_score=scores).rows == (2,)
    assert Predictions.of([0, 1], y_score=scores, drop_missing=True).n == 1


def test_b2_infinite_scores() -> None:
    assert "infinite_scores" in codes(Predictions.of([0, 1], y_score=[-np.inf, 0.5]))


def test_b3_numeric_text() -> None:
    p = Predictions.of([0, 1], y_score=["0.25", "5e-1"])
    assert p.scores is not None
    assert p.scores.tolist() == [0.25, 0.5]
    assert "scores_from_text" in codes(p)


@pytest.mark.parametrize(
    ("text", "code"), [("n/a", "number_format"), ("12%", "number_format"), ("0,4", "decimal_comma"),
                       ("1,234.5", "number_format"), ("1e400", "number_format"), ("0x1", "number_format")]
)  # fmt: skip
def test_b4_b5_text_that_is_no_number(text: str, code: str) -> None:
    error = refusal(code, [0, 1, 1], y_score=["0.1", text, "0.2"])
    assert error.rows == (2,)
    assert repr(text) in str(error)


def test_b21_decimal_scores() -> None:
    p = Predictions.of([0, 1], y_score=[Decimal("0.25"), 1])
    assert p.scores is not None
    assert p.scores.tolist() == [0.25, 1.0]


@pytest.mark.parametrize("scores", [[0.1, 1j], [0.1, object()], np.array(["2024", "2025"], dtype="M8[Y]")])
def test_scores_that_are_no_numbers(scores: Any) -> None:
    refusal("number_format", [0, 1], y_score=scores)


def test_c1_negative_weights() -> None:
    assert refusal("negative_weight", [0, 1], [0, 1], sample_weight=[1, -2]).rows == (2,)


def test_c2_all_zero_weights() -> None:
    refusal("zero_weights", [0, 1], [0, 1], sample_weight=[0, 0])


@pytest.mark.parametrize("bad", [np.nan, np.inf, None])
def test_c3_missing_weights(bad: Any) -> None:
    assert refusal("missing_weight", [0, 1, 0], [0, 1, 0], sample_weight=[1, bad, 1]).rows == (2,)


def test_c4_weights_remove_a_class() -> None:
    assert "weight_removes_class" in codes(Predictions.of([0, 1, 1], [0, 1, 1], sample_weight=[1, 0, 0]))
    assert "weight_removes_class" not in codes(Predictions.of([0, 1, 1], [0, 1, 1], sample_weight=[1, 0, 1]))


def test_c5_wrong_length_weights() -> None:
    assert "sample_weight has 1" in str(refusal("length_mismatch", [0, 1], [0, 1], sample_weight=[1]))


def test_c6_weights_of_two_dimensions() -> None:
    refusal("bad_shape", [0, 1], [0, 1], sample_weight=np.ones((2, 2)))


@pytest.mark.parametrize(
    "groups",
    [
        ["x", "y", "x"], np.array(["x", "y", "x"]), [1, 2, 1], np.array([10**15, 5, 10**15]), [0.5, 1.5, 0.5],
        np.array([0.5, 1.5, 0.5]), [(1, 2), "b", (1, 2)], [b"x", b"y", b"x"], pl.Series(["x", "y", "x"]),
        pd.Series(["x", "y", "x"], index=[7, 7, 7]), [True, False, True],
        np.array(["2024-01-01", "2024-01-02", "2024-01-01"], dtype="M8[D]"),
        pd.Series(["x", "y", "x"], dtype="category"), np.array([True, False, True]),
    ],
)  # fmt: skip
def test_groups_of_any_kind(groups: Any) -> None:
    p = Predictions.of([0, 1, 0], [0, 1, 1], groups=groups)
    assert p.groups is not None
    assert p.groups[0] == p.groups[2] != p.groups[1]
    assert sorted(set(p.groups.tolist())) == [0, 1]


@pytest.mark.parametrize(
    "groups", [["x", None, "y"], [1.0, np.nan, 2.0], np.array([1.0, np.nan, 2.0]), pl.Series([1, None, 2])]
)
def test_missing_groups(groups: Any) -> None:
    assert refusal("missing_group", [0, 1, 0], [0, 1, 1], groups=groups).rows == (2,)


def test_groups_that_cannot_be_hashed() -> None:
    assert refusal("not_a_scalar", [0, 1], [0, 1], groups=[{}, {}]).rows == (1,)


def test_every_row_its_own_group() -> None:
    assert "one_group_each" in codes(Predictions.of([0, 1], [0, 1], groups=[1, 2]))


def test_nothing_to_assess() -> None:
    refusal("bad_option", [0, 1])


def test_threshold_beside_labels_and_nan() -> None:
    refusal("bad_option", [0, 1], [0, 1], threshold=0.5)
    refusal("bad_option", [0, 1], y_score=[0, 1], threshold=float("nan"))
    refusal("bad_option", [0, 1], y_score=[0, 1], threshold="0.5")
    refusal("bad_option", [0, 1, 2], y_score=np.eye(3), threshold=0.5)


def test_arrays_are_read_only_and_the_input_is_left_alone() -> None:
    y, s, w = np.array([0, 1], dtype=np.uint8), np.array([0.2, 0.8]), np.array([1.0, 2.0])
    p = Predictions.of(y, y, y_score=s, sample_weight=w, groups=np.array([0, 1]))
    for array in (p.truth, p.predicted, p.scores, p.weights, p.groups):
        assert array is not None
        assert not array.flags.writeable
    y[0], s[0], w[0] = 1, 9, 9
    assert (p.truth[0], p.scores[0], p.weights[0]) == (0, 0.2, 1.0)  # type: ignore[index]


def test_a_score_matrix_is_copied() -> None:
    scores = np.eye(3)
    p = Predictions.of([0, 1, 2], y_score=scores)
    scores[0] = 9
    assert p.scores is not None
    assert p.scores.tolist() == np.eye(3).tolist()


@pytest.mark.parametrize("pos_label", [[0, 1], float("nan"), 0.5, np.array([0, 1]), {}])
def test_pos_label_that_can_be_no_label(pos_label: Any) -> None:
    with pytest.raises(InputError):
        Predictions.of([0, 1], [0, 1], pos_label=pos_label)


def test_pos_label_meets_cast_labels() -> None:
    assert Predictions.of([0, 1], ["0", "1"], cast_labels=True, pos_label=1).pos_label == "1"


def test_pandas_sparse_and_python_text_columns() -> None:
    assert Predictions.of(pd.Series(pd.arrays.SparseArray([0, 1, 0])), [0, 1, 1]).truth.tolist() == [0, 1, 0]
    text = pd.Series(["a", "b"], dtype=pd.StringDtype("python"))
    assert Predictions.of(text, text).labels == ("a", "b")


ROUTES: dict[str, Any] = {
    "list": list,
    "tuple": tuple,
    "numpy": np.array,
    "numpy objects": lambda v: np.array(v, dtype=object),
    "numpy StringDType": lambda v: np.array(v, dtype=np.dtypes.StringDType()) if isinstance(v[0], str) else np.array(v),
    "pandas": pd.Series,
    "pandas odd index": lambda v: pd.Series(v, index=[3] * len(v)),
    "pandas objects": lambda v: pd.Series(v, dtype=object),
    "pandas index": pd.Index,
    "pandas nullable": lambda v: pd.Series(v).convert_dtypes(),
    "pandas category": lambda v: pd.Series(v, dtype="category"),
    "pandas arrow": lambda v: pd.Series(v, dtype=pd.ArrowDtype(pa.array(v).type)),
    "polars": pl.Series,
    "polars category": lambda v: pl.Series(v).cast(pl.Categorical) if isinstance(v[0], str) else pl.Series(v),
    "arrow": pa.array,
    "arrow chunks": lambda v: pa.chunked_array([v[:2], v[2:]]),
    "arrow dictionary": lambda v: pa.array(sorted(v)).dictionary_encode().take(pa.array(np.argsort(np.argsort(v)))),
}


@pytest.mark.parametrize("values", [["b", "a", "c", "b"], [3, -1, 7, 3], [True, False, True, True]], ids=str)
@pytest.mark.parametrize("route", ROUTES)
def test_all_routes_agree(route: str, values: list[Any]) -> None:
    p = Predictions.of(ROUTES[route](values), ROUTES[route](values[::-1]))
    labels = tuple(sorted(set(values)))
    assert p.labels == labels
    assert [type(v) for v in p.labels] == [type(v) for v in labels]
    assert [labels[c] for c in p.truth] == values
    assert [labels[c] for c in p.predicted] == values[::-1]  # type: ignore[union-attr]


@pytest.mark.parametrize("wide", [False, True])
def test_long_polars_text_agrees_with_a_list(wide: bool) -> None:
    values = [f"label {i % 700 if wide else i % 7}" for i in range(9000)]
    assert Predictions.of(pl.Series(values), values).truth.tolist() == Predictions.of(values, values).truth.tolist()
    with_gaps = [None if i % 11 == 0 else v for i, v in enumerate(values)]
    p = Predictions.of(pl.Series(with_gaps), values, drop_missing=True)
    assert [p.labels[c] for c in p.truth] == [v for v in with_gaps if v is not None]


def round_trip(values: Any) -> None:
    column = encode_labels(values, "y")
    assert len(set(column.values)) == len(column.values)
    assert [column.values[c] for c in column.codes] == list(values)


@given(st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=50))
def test_ints_round_trip(values: list[int]) -> None:
    round_trip(values)
    round_trip(np.array(values))


@given(st.integers(-(2**62), 2**62), st.lists(st.integers(0, 300), min_size=1), st.integers(1, 400))
def test_ints_of_every_span_round_trip(base: int, steps: list[int], scale: int) -> None:
    round_trip(np.array([base + s * scale for s in steps]))


@given(st.lists(st.integers(-(2**7), 2**7 - 1), min_size=1), st.sampled_from([np.int8, np.int16, np.int32]))
def test_narrow_ints_round_trip(values: list[int], dtype: Any) -> None:
    round_trip(np.array(values, dtype=dtype))


_TEXT = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=12)


@given(st.lists(_TEXT, min_size=1, max_size=50))
def test_text_round_trips(values: list[str]) -> None:
    round_trip(values)
    round_trip(np.array(values))


@given(st.lists(st.text("ab", max_size=3), min_size=1, max_size=50), st.integers(1, 30))
def test_text_of_every_width_round_trips(values: list[str], width: int) -> None:
    round_trip(np.array(values, dtype=f"<U{width + 2}"))
    round_trip(np.array(values, dtype=f">U{width + 2}"))


@pytest.mark.parametrize("distinct", [5, 300, 1000, 70_000])
@pytest.mark.parametrize("late", [False, True])
def test_many_values_round_trip(distinct: int, late: bool) -> None:
    rng = np.random.default_rng(distinct)
    pool = rng.integers(-(2**62), 2**62, distinct)
    values = pool[rng.integers(0, distinct, 100_000)]
    if late:  # the values come to light only after the first chunk
        values = np.concatenate([np.full(70_000, pool[0]), values])
    column = encode_labels(values, "y")
    assert (np.array(column.values)[column.codes] == values).all()
    text = values.astype(str)
    column = encode_labels(text, "y")
    assert (np.array(column.values)[column.codes] == text).all()


def test_keys_made_to_collide_are_still_told_apart() -> None:
    """Multiples of 2**48 fall into few slots under any odd multiplier."""
    values = (np.arange(2000, dtype=np.uint64) << np.uint64(52)).view(np.int64)
    values = np.concatenate([values, values[::-1] + 1, values + (1 << 40)])
    column = encode_labels(values, "y")
    assert (np.array(column.values)[column.codes] == values).all()
    assert len(column.values) == len(np.unique(values))
