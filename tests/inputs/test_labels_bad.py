"""Section A of BAD_INPUTS.md: one test a row, named by it."""

from __future__ import annotations

import datetime
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse

from surefold.errors import InputError
from surefold.findings import Finding
from surefold.inputs import Predictions


def refusal(code: str, *args: Any, **options: Any) -> InputError:
    with pytest.raises(InputError) as caught:
        Predictions.of(*args, **options)
    assert caught.value.code == code, str(caught.value)
    return caught.value


def finding(predictions: Predictions, code: str) -> Finding:
    found = [f for f in predictions.findings if f.code == code]
    assert len(found) == 1, predictions.findings
    return found[0]


def codes(predictions: Predictions) -> set[str]:
    return {f.code for f in predictions.findings}


MISSING = {
    "nan": np.array([1.0, np.nan, 0.0, np.nan, np.nan, np.nan]),
    "none": [1, None, 0, None, None, None],
    "none text": ["a", None, "b", None, None, None],
    "nan in text": ["a", float("nan"), "b", np.nan, np.nan, np.nan],
    "pd.NA text": pd.Series(["a", pd.NA, "b", pd.NA, pd.NA, pd.NA], dtype="string"),
    "pd.NA Int64": pd.Series([1, pd.NA, 0, pd.NA, pd.NA, pd.NA], dtype="Int64"),
    "pd.NA Float64": pd.Series([1, pd.NA, 0, pd.NA, pd.NA, pd.NA], dtype="Float64"),
    "pd.NA boolean": pd.Series([True, pd.NA, False, pd.NA, pd.NA, pd.NA], dtype="boolean"),
    "pandas str": pd.Series(["a", None, "b", None, None, None]),
    "pandas category": pd.Series(["a", None, "b", None, None, None], dtype="category"),
    "pandas arrow": pd.Series([1, None, 0, None, None, None], dtype="int64[pyarrow]"),
    "polars text": pl.Series(["a", None, "b", None, None, None]),
    "polars ints": pl.Series([1, None, 0, None, None, None]),
    "polars bools": pl.Series([True, None, False, None, None, None]),
    "polars enum": pl.Series(["a", None, "b", None, None, None], dtype=pl.Enum(["b", "a"])),
    "arrow text": pa.array(["a", None, "b", None, None, None]),
    "arrow chunks": pa.chunked_array([[1, None, 0], [None, None, None]]),
    "NaT": np.array(["2024-01-01", "NaT", "2024-01-02", "NaT", "NaT", "NaT"], dtype="M8[D]"),
    "Decimal": [Decimal(1), Decimal("NaN"), Decimal(0), None, None, None],
    "masked": np.ma.array([1, 9, 0, 9, 9, 9], mask=[False, True, False, True, True, True]),
    "masked value": [1, np.ma.masked, 0, np.ma.masked, None, None],
    "masked text": np.ma.array(["a", "z", "b", "z", "z", "z"], mask=[False, True, False, True, True, True]),
}


@pytest.mark.parametrize("kind", MISSING)
def test_a1_a2_a3_a33_missing_labels_of_every_kind_are_told_alike(kind: str) -> None:
    column = MISSING[kind]
    error = refusal("missing_label", column, column)
    assert error.rows == (2, 4, 5)
    assert error.count == 4
    assert str(error) == (
        "y_true has missing labels: 4 rows, first at rows 2, 4, 5. "
        "To fix: drop them with drop_missing=True (--drop-missing). [missing_label]"
    )


@pytest.mark.parametrize("kind", MISSING)
def test_a1_drop_missing_keeps_the_rest_and_says_so(kind: str) -> None:
    p = Predictions.of(
        MISSING[kind], MISSING[kind], drop_missing=True, sample_weight=[1, 2, 3, 4, 5, 6], groups=[0] * 6
    )
    assert p.rows is not None
    assert p.rows.tolist() == [1, 3]
    assert len(p.labels) == 2
    assert (p.truth[0], p.truth[1]) in {(0, 1), (1, 0)}
    assert p.weights is not None
    assert p.weights.tolist() == [1, 3]
    assert finding(p, "dropped_missing").evidence["dropped"] == 4


def test_a1_missing_predictions_name_y_pred() -> None:
    assert "y_pred has missing labels" in str(refusal("missing_label", [1, 0], [1, None]))


def test_a1_dropping_every_row_is_an_error() -> None:
    refusal("no_rows", [None, None], [1, 0], drop_missing=True)


def test_a4_only_one_class() -> None:
    assert "single_class" in codes(Predictions.of(["a", "a"], ["a", "b"]))
    assert "single_class" not in codes(Predictions.of(["a", "b"], ["a", "a"]))


def test_a5_a6_label_never_in_truth() -> None:
    p = Predictions.of([0, 1, 0, 1, 1], [0, 2, 2, 2, 2])
    f = finding(p, "unseen_label")
    assert f.sentence == "2 was predicted in 4 rows (rows 2, 3, 4, …) and never occurs in the truth."
    assert p.labels == (0, 1, 2)
    assert p.pos_label == 1  # the truth is 0/1, whatever was predicted


@pytest.mark.parametrize("values", [[1, "a", 2], np.array([1, "a", 2], dtype=object)], ids=["a7_list", "a8_array"])
def test_a7_a8_mixed_kinds(values: Any) -> None:
    error = refusal("mixed_label_types", values, values)
    assert "int (2 rows, first row 1) and str (1 row, first row 2)" in str(error)
    assert error.rows == (1, 2)


def test_a7_cast_labels_reads_a_mixture_as_text() -> None:
    p = Predictions.of([1, "a", 2.0], ["1", "a", "2"], cast_labels=True)
    assert p.labels == ("1", "2", "a")
    assert p.truth.tolist() == p.predicted.tolist() == [0, 2, 1]  # type: ignore[union-attr]
    assert "cast_labels" in codes(p)


@pytest.mark.parametrize(
    ("y_true", "y_pred"), [([0, 1], ["0", "1"]), ([True, False], ["True", "False"])], ids=["a9", "a11"]
)
def test_a9_a11_kinds_differ_between_truth_and_prediction(y_true: Any, y_pred: Any) -> None:
    error = refusal("label_types_differ", y_true, y_pred)
    assert "match one to one" in str(error)
    assert "cast_labels=True (--cast-labels)" in str(error)
    p = Predictions.of(y_true, y_pred, cast_labels=True)
    assert p.truth.tolist() == p.predicted.tolist()  # type: ignore[union-attr]
    assert "cast_labels" in codes(p)


def test_a9_says_which_text_has_no_partner() -> None:
    assert "as text '1', 'x' would have no match" in str(refusal("label_types_differ", [0, 1], ["0", "x"]))


def test_a10_bool_against_int() -> None:
    p = Predictions.of([True, False], [1, 0])
    assert p.labels == (0, 1)
    assert p.truth.tolist() == [1, 0]
    assert "bool_as_int" in codes(p)


def test_a12_float_one_is_int_one() -> None:
    p = Predictions.of([1.0, 0.0], [1, 0])
    assert p.labels == (0, 1)
    assert [type(v) for v in p.labels] == [int, int]
    assert codes(p) == {"positive_class_assumed"}


@pytest.mark.parametrize(
    "values",
    [[0.5, 1.0, 0.2], np.array([0.5, 1.0, 0.2]), [Decimal("0.5"), 1, Fraction(1, 5)], pl.Series([0.5, 1.0, 0.2])],
)
def test_a14_a15_fractional_labels(values: Any) -> None:
    error = refusal("looks_like_scores", values, [0, 1, 1])
    assert error.rows == (1, 3)
    assert "y_score= (--score)" in str(error)
    assert "swapped" in str(error)


def test_a14_infinite_labels() -> None:
    assert refusal("looks_like_scores", [1.0, np.inf], [1, 1]).rows == (2,)


def test_a16_trailing_space() -> None:
    p = Predictions.of(["cat", "dog"], ["cat ", "dog"])
    assert "'cat' (1) / 'cat ' (1)" in finding(p, "near_equal_labels").sentence
    assert "--strip-labels" in finding(p, "near_equal_labels").sentence
    stripped = Predictions.of(["cat", "dog"], ["cat ", "dog"], strip_labels=True)
    assert stripped.labels == ("cat", "dog")
    assert stripped.predicted.tolist() == [0, 1]  # type: ignore[union-attr]
    assert codes(stripped) == {"stripped_labels", "positive_class_not_said"}


@pytest.mark.parametrize(
    ("one", "other"), [("Yes", "yes"), ("é", "e\u0301"), ("1", "1.0"), ("a b", "a  b"), ("STRASSE", "straße")]
)
def test_a17_case_accents_and_point_zero(one: str, other: str) -> None:
    assert finding(Predictions.of([one, "z"], [other, "z"]), "near_equal_labels").evidence["groups"] == [
        sorted([one, other])
    ]


def test_a17_different_labels_are_no_pair() -> None:
    assert "near_equal_labels" not in codes(Predictions.of(["yes", "no"], ["no", "yes"]))


def test_a19_empty_label() -> None:
    assert (
        "2 rows, first at 2, 3; shown as (empty)"
        in finding(Predictions.of(["a", "", "a"], ["a", "a", ""]), "empty_label").sentence
    )


@pytest.mark.parametrize(
    "values",
    [
        np.array(["2024-01-02", "2024-01-01"], dtype="M8[D]"),
        np.array(["2024-01-02", "2024-01-01"], dtype="M8[ns]"),
        [datetime.date(2024, 1, 2), datetime.date(2024, 1, 1)],
        [datetime.datetime(2024, 1, 2), datetime.datetime(2024, 1, 1)],
        pl.Series([datetime.date(2024, 1, 2), datetime.date(2024, 1, 1)]),
        pd.Series(pd.to_datetime(["2024-01-02", "2024-01-01"])),
        pa.array([datetime.date(2024, 1, 2), datetime.date(2024, 1, 1)]),
        [np.datetime64("2024-01-02"), np.datetime64("2024-01-01")],
    ],
)
def test_a21_a22_dates(values: Any) -> None:
    p = Predictions.of(values, ["2024-01-02", "2024-01-02"])
    assert p.labels == ("2024-01-01", "2024-01-02")
    assert p.truth.tolist() == [1, 0]
    assert "dates_as_labels" in codes(p)


def test_a21_time_of_day_is_kept() -> None:
    times = np.array(["2024-01-01T00:00", "2024-01-01T10:30"], dtype="M8[ns]")
    assert Predictions.of(times, times).labels == ("2024-01-01", "2024-01-01T10:30:00")


@pytest.mark.parametrize("values", [[b"a", b"b"], np.array([b"a", b"b"])])
def test_a23_bytes(values: Any) -> None:
    assert "decode" in str(refusal("unsupported_label_type", values, values))


def test_a24_tuples() -> None:
    error = refusal("not_a_scalar", [(1, 2), (3, 4)], [1, 2])
    assert "row 1 is the tuple (1, 2)" in str(error)
    assert error.count == 2


@pytest.mark.parametrize("values", [[], np.array([]), pd.Series([], dtype=object), pl.Series([], dtype=pl.Int64), ()])
def test_a26_no_rows(values: Any) -> None:
    refusal("no_rows", values, values)


def test_a27_one_row() -> None:
    assert {"single_row", "single_class"} <= codes(Predictions.of(["a"], ["a"]))


def test_a28_lengths() -> None:
    error = refusal("length_mismatch", [0, 1], [0], sample_weight=[1, 1, 1])
    assert "y_true has 2, y_pred has 1, sample_weight has 3" in str(error)


@pytest.mark.parametrize(
    "values", [np.array([[0], [1]]), [[0], [1]], pd.DataFrame({"y": [0, 1]}), pl.DataFrame({"y": [0, 1]})]
)
def test_a29_column_vector(values: Any) -> None:
    p = Predictions.of(values, [0, 1])
    assert p.truth.tolist() == [0, 1]
    assert "column_vector" in codes(p)


@pytest.mark.parametrize("values", [[[1, 0], [0, 1]], np.array([[1, 0], [0, 1]]), pd.DataFrame({"a": [1, 0], "b": 1})])
def test_a30_multilabel(values: Any) -> None:
    assert "one" in refusal("multilabel", values, [0, 1]).cure


def test_a31_ragged() -> None:
    assert "1 to 2 labels a row" in str(refusal("multilabel", [[1], [1, 2]], [0, 1]))


def test_a32_sparse() -> None:
    assert "2 x 1" in str(refusal("sparse_labels", scipy.sparse.csr_matrix([[1], [0]]), [0, 1]))


def test_a35_generator() -> None:
    assert "list(y_true)" in str(refusal("not_an_array", (i for i in (0, 1)), [0, 1]))


@pytest.mark.parametrize("values", [{0, 1}, {0: 1}, None, "abc", b"abc", 3, np.array(3), object()])
def test_a35_other_things_that_are_no_column(values: Any) -> None:
    refusal("not_an_array", values, [0, 1])


@pytest.mark.parametrize("text", [False, True])
def test_a37_ten_thousand_classes(text: bool) -> None:
    values = np.arange(30_000) % 10_000
    p = Predictions.of(values.astype(str) if text else values, values.astype(str) if text else values)
    assert len(p.labels) == 10_000
    assert p.truth.dtype == np.uint16
    assert [int(p.labels[c]) for c in p.truth[:12_000:1000]] == [int(v) for v in values[:12_000:1000]]
    assert "many_classes" in codes(p)


@pytest.mark.parametrize("array", [False, True])
def test_a38_long_label(array: bool) -> None:
    values: Any = ["x" * 10_000, "y" * 10_000]
    p = Predictions.of(np.array(values) if array else values, values)
    assert p.labels == tuple(values)
    assert max(len(f.sentence) for f in p.findings) < 1000


def test_a39_control_characters_are_escaped_in_messages() -> None:
    p = Predictions.of(["\x1b[31m", "a\nb"], ["\x1b[31m", "a\nb"])
    assert p.labels == ("\x1b[31m", "a\nb")
    assert all("\x1b" not in f.sentence and "\n" not in f.sentence for f in p.findings)


def test_a39_nul() -> None:
    assert refusal("nul_byte", ["a", "a\0b"], ["a", "a"]).rows == (2,)


def test_a40_bidi() -> None:
    p = Predictions.of(["🐈", "\u202etac"], ["🐈", "🐈"])
    assert "\\u202etac" in finding(p, "bidi_in_label").sentence
    assert all("\u202e" not in f.sentence for f in p.findings)
    assert "bidi_in_label" not in codes(Predictions.of(["🐈", "שלום"], ["🐈", "שלום"]))


@pytest.mark.parametrize("values", [[1j, 2j], np.array([1j, 2j])])
def test_a41_complex(values: Any) -> None:
    refusal("unsupported_label_type", values, values)


@pytest.mark.parametrize(
    "values",
    [np.array([1, 2], dtype="m8[s]"), [datetime.timedelta(1)] * 2, [object(), object()], [float, int]],
)
def test_a41_other_kinds_that_name_no_class(values: Any) -> None:
    refusal("unsupported_label_type", values, values)


def test_a41_structured_array() -> None:
    assert "fields a, b" in str(refusal("bad_shape", np.zeros(2, dtype=[("a", int), ("b", int)]), [0, 1]))


def test_a43_two_classes_without_a_plain_positive() -> None:
    error = refusal("positive_class_unknown", [1, 2, 1], y_score=[0.1, 0.9, 0.2])
    assert "1 (2), 2 (1)" in str(error)
    assert "pos_label=2 (--pos-label 2)" in str(error)
    f = finding(Predictions.of([1, 2, 1], [1, 2, 2]), "positive_class_not_said")
    assert "1 (2), 2 (1)" in f.sentence
    assert "pos_label=2 (--pos-label 2)" in f.sentence


def test_a44_more_than_two_classes_for_one_column_of_scores() -> None:
    error = refusal("positive_class_unknown", ["a", "b", "c"], y_score=[0.1, 0.9, 0.2])
    assert "one class against the rest" in str(error)
    p = Predictions.of(["a", "b", "c"], y_score=[0.1, 0.9, 0.2], pos_label="b")
    assert p.pos_label == "b"
    assert p.predicted is None
    assert "no_labels" in codes(p)


def test_text_that_reads_like_missing_is_kept_and_said() -> None:
    p = Predictions.of(["nan", "a"], ["nan", "a"])
    assert p.labels == ("a", "nan")
    assert "missing_as_text" in codes(p)


def test_wide_integers() -> None:
    values = [2**70, -(2**70), 0]
    assert Predictions.of(values, values).labels == (-(2**70), 0, 2**70)
    big = np.array([2**63, 1], dtype=np.uint64)
    assert Predictions.of(big, big).labels == (1, 2**63)
