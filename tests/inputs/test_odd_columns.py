"""Kinds of columns that nobody should send, and somebody will."""

from __future__ import annotations

import warnings
from collections import deque
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from surefold.errors import InputError
from surefold.inputs import Predictions
from surefold.inputs import coding as coding_module
from surefold.inputs.coding import code_keys, code_small_ints, code_text
from surefold.inputs.labels import encode_labels


class Tensor:
    """Has `__array__` and nothing else, as tensors of other libraries do."""

    def __init__(self, values: Any) -> None:
        self.values = np.array(values)

    @property
    def ndim(self) -> int:
        return self.values.ndim

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return self.values


def matrix(values: Any) -> Any:
    """numpy's own matrix, which warns that it may go one day; a file that is run alone would not be collected."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PendingDeprecationWarning)
        return np.matrix(values)


@pytest.mark.parametrize(
    "values",
    [
        deque([0, 1, 0]),
        range(0, -3, -1),
        Tensor([5, 6, 5]),
        matrix([[5], [6], [5]]),
        pa.array(["x", "y", "x"], pa.large_string()),
        pa.array(["x", "y", "x"], pa.string_view()),
        pa.array([Decimal(1), Decimal(2), Decimal(1)]),
        pl.Series([Decimal(1), Decimal(2), Decimal(1)]),
        [Fraction(4, 2), 3, 2.0],
        np.array([1e300, 2e300, 1e300]),
        np.array([-0.0, 1.0, 0.0]),
        np.array(["", "", ""]),
        np.array(["a", "b", "a"])[::-1],
        np.array([3, 1, 3, 9, 9])[:3],
        np.array([[3, 0], [1, 0], [3, 0]])[:, 0],
        np.array([3, 1, 3], dtype=">i4"),
        np.array(["x" * 70, "y", "x" * 70]),
        np.array([1, 2, 1], dtype=np.float16),
        [np.str_("a"), "b", "a"],
        [np.bool_(True), False, True],
        np.array([5, 900, 5]),
        np.array([5, 10**9, 5]),
    ],
    ids=lambda v: type(v).__name__,
)
def test_odd_columns_are_read(values: Any) -> None:
    column = encode_labels(values, "y")
    plain = [
        v.item() if hasattr(v, "item") else v
        for v in (
            values.to_pylist()
            if hasattr(values, "to_pylist")
            else np.asarray(values).ravel()
            if isinstance(values, Tensor | np.ndarray)
            else values
        )
    ]
    assert [column.values[c] for c in column.codes] == plain
    assert {type(v) for v in column.values} <= {str, int, bool}


@pytest.mark.parametrize(
    ("values", "code"),
    [
        (np.zeros((2, 2)), "bad_shape"),
        (np.zeros((2, 2, 2)), "bad_shape"),
        (pl.Series([[1], [2]]), "multilabel"),
        ([{}, {}], "not_a_scalar"),
        ([1, {2}], "not_a_scalar"),
        ([bytearray(b"a")] * 2, "unsupported_label_type"),
        (pd.Series([(1, 2), (3, 4)], dtype="category"), "not_a_scalar"),
        (pd.Series([1, "a"], dtype="category"), "mixed_label_types"),
        (pd.Series([0.5, 1.0], dtype="category"), "looks_like_scores"),
        ([Decimal("Infinity"), 1], "looks_like_scores"),
        (pd.Series(pd.period_range("2024", periods=2)), "unsupported_label_type"),
        (pd.MultiIndex.from_tuples([(1, 2), (3, 4)]), "not_a_scalar"),
    ],
)
def test_odd_columns_are_refused(values: Any, code: str) -> None:
    with pytest.raises(InputError) as caught:
        encode_labels(values, "y")
    assert caught.value.code == code
    assert caught.value.problem.startswith("y ")


@pytest.mark.parametrize(
    ("scores", "code"),
    [
        (np.zeros((2, 3, 4)), "bad_shape"),
        (np.zeros((0, 3)), "no_rows"),
        ([[0.1, 0.2], [0.3]], "bad_shape"),
        ({0.1, 0.2}, "not_an_array"),
        ("0.5", "not_an_array"),
        (np.array([1j, 2j]), "number_format"),
    ],
)
def test_odd_scores_are_refused(scores: Any, code: str) -> None:
    with pytest.raises(InputError) as caught:
        Predictions.of([0, 1], y_score=scores)
    assert caught.value.code == code


@pytest.mark.parametrize(
    "scores",
    [
        pd.Series(["0.25", "0.75"], dtype="category"),
        [[0.25], [0.75]],
        np.array([["0.25"], ["0.75"]]),
        [Fraction(1, 4), np.float32(0.75)],
        Tensor([0.25, 0.75]),
        pd.Series([0.25, 0.75], dtype="Float64"),
        pl.Series(["0.25", "0.75"]),
        np.array(["0.25", "0.75"]),
        np.array([[0.75, 0.25], [0.25, 0.75]]),
        Tensor([[0.75, 0.25], [0.25, 0.75]]),
        [["0.75", "0.25"], ["0.25", "0.75"]],
        np.ma.array([[0.75, 0.25], [0.25, 0.75]]),
        pd.DataFrame({0: [0.75, 0.25], 1: [0.25, 0.75]}),
        pd.DataFrame({"s": [0.25, 0.75]}),
    ],
    ids=lambda v: type(v).__name__,
)
def test_odd_scores_are_read(scores: Any) -> None:
    p = Predictions.of([0, 1], y_score=scores)
    assert p.scores is not None
    assert p.scores.tolist() == [0.25, 0.75]


@pytest.mark.parametrize("scores", [[0.5, 10**400], [Fraction(1, 2), 10**400], ["0.5", 10**400]])
def test_scores_beyond_floats_are_refused(scores: list[Any]) -> None:
    with pytest.raises(InputError, match="too large for a float") as caught:
        Predictions.of([0, 1], y_score=scores)
    assert caught.value.rows == (2,)


def test_text_among_numbers_is_told_by_its_own_row() -> None:
    with pytest.raises(InputError) as caught:
        Predictions.of([0, 1, 1], y_score=[0.5, "0.25", "x"])
    assert caught.value.rows == (3,)


def test_missing_score_in_a_matrix() -> None:
    scores = np.eye(3)
    scores[1, 2] = np.nan
    with pytest.raises(InputError) as caught:
        Predictions.of([0, 1, 2], y_score=scores)
    assert (caught.value.code, caught.value.rows) == ("missing_score", (2,))


def test_bytes_that_come_to_light_late() -> None:
    """Values beyond the sample at the front are found, whichever way they are looked for."""
    values = np.zeros(20_000, dtype=np.int64)
    values[9_000:] = 200
    values[15_000:] = 77
    found = code_small_ints(values)
    assert found is not None
    assert found[1] == [0, 77, 200]
    assert found[0][[0, 9_500, 19_000]].tolist() == [0, 2, 1]
    values[19_999] = 3
    found = code_small_ints(values % 5)
    assert found is not None
    assert found[1] == [0, 2, 3]


def test_rounds_that_do_not_end_fall_back_on_sorting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coding_module, "_MULTIPLIERS", coding_module._MULTIPLIERS[:1])
    keys = np.random.default_rng(0).integers(0, 2**63, 400_000).astype(np.uint64)
    codes, rows = code_keys(keys)
    assert (keys[rows][codes] == keys).all()
    assert len(rows) == len(np.unique(keys))


def test_texts_that_share_a_key_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """If the mixture of words made one key for two texts, the words themselves would show it."""
    values = np.array(["первая метка", "вторая метка"])
    monkeypatch.setattr(coding_module, "_pack", lambda words: (np.zeros(len(words), dtype=np.uint64), False))
    assert code_text(values) is None
    column = encode_labels(values, "y")
    assert [column.values[c] for c in column.codes] == values.tolist()


def test_mixed_bools_and_ints_in_one_column() -> None:
    p = Predictions.of([True, 0, 1], [1, 0, 0])
    assert p.labels == (0, 1)
    assert "bool_as_int" in {f.code for f in p.findings}


def test_categories_of_two_kinds_meet() -> None:
    p = Predictions.of(pd.Series([True, False], dtype="category"), pd.Series([1, 0], dtype="category"))
    assert p.labels == (0, 1)
    q = Predictions.of(pd.Series([2, 1], dtype=pd.CategoricalDtype([2, 1])), ["2", "1"], cast_labels=True)
    assert q.labels == ("2", "1")
