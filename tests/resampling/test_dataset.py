"""Features and labels: every kind that models take, and what is refused before anything is fitted."""

import datetime
import pickle
import sys
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp

from surefold import InputError
from surefold.resampling.dataset import Dataset

Y = ["a", "b", "a", "b"]
ROWS = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]]


def test_arrays_cannot_be_written_to():
    X = np.array(ROWS)
    data = Dataset.of(X, Y)
    for array in (data.X, data.y, data.take([0, 1])):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 9
    X[0, 0] = 9.0  # the caller's own stays the caller's


@pytest.mark.parametrize(
    "X",
    [
        ROWS,
        np.array(ROWS),
        np.asfortranarray(ROWS),
        np.array(ROWS, dtype=np.float32),
        pd.DataFrame(ROWS, columns=["p", "q"]),
        pd.DataFrame(ROWS, columns=["p", "q"], index=[9, 8, 7, 6]),
        pl.DataFrame({"p": [1.0, 3.0, 5.0, 7.0], "q": [2.0, 4.0, 6.0, 8.0]}),
        pa.table({"p": [1.0, 3.0, 5.0, 7.0], "q": [2.0, 4.0, 6.0, 8.0]}),
        sp.csr_matrix(ROWS),
        sp.coo_array(np.array(ROWS)),
    ],
    ids=lambda X: type(X).__name__,
)
def test_rows_of_every_kind_of_table(X: Any):
    data = Dataset.of(X, Y)
    part = data.take(np.array([2, 0]))
    dense = part.toarray() if hasattr(part, "toarray") else np.asarray(part)
    assert dense.tolist() == [[5.0, 6.0], [1.0, 2.0]]
    assert data.fingerprint == Dataset.of(X, Y).fingerprint
    assert data.fingerprint == pickle.loads(pickle.dumps(data)).fingerprint
    assert data.missing() == ([], 0, [])
    assert sys.getsizeof(data) > 32


def test_a_list_of_texts_is_kept_for_vectorisers():
    texts = ["one two", "three", "four", "five"]
    data = Dataset.of(texts, Y)
    assert data.take([3, 1]) == ["five", "three"]
    assert sys.getsizeof(Dataset.of(["word " * 1000] * 4, Y)) > 20_000
    assert Dataset.of(np.array(texts), Y).take([0]) == ["one two"]
    assert data.fingerprint != Dataset.of([*texts[:3], "six"], Y).fingerprint


@pytest.mark.parametrize(
    ("y", "labels", "kind"),
    [
        (["no", "yes", "no", "yes"], ("no", "yes"), "U"),
        ([0, 1, 0, 1], (0, 1), "i"),
        ([2, 10, 2, 10], (2, 10), "i"),
        ([False, True, False, True], (False, True), "b"),
        (pd.Series(["x", "y", "x", "y"], dtype="category"), ("x", "y"), "U"),
        (pl.Series(["x", "y", "x", "y"]), ("x", "y"), "U"),
        ([0.0, 1.0, 0.0, 1.0], (0, 1), "i"),
    ],
)
def test_labels_reach_models_as_what_they_are(y: Any, labels: Any, kind: str):
    data = Dataset.of(ROWS, y)
    assert data.labels == labels
    assert data.y.dtype.kind == kind
    assert data.codes.tolist() == [0, 1, 0, 1]


def test_every_value_counts_in_the_fingerprint():
    base = Dataset.of(ROWS, Y).fingerprint
    other = [row[:] for row in ROWS]
    other[3][1] = np.nextafter(8.0, 9.0)
    assert Dataset.of(other, Y).fingerprint != base
    assert Dataset.of(ROWS, ["b", "a", "a", "b"]).fingerprint != base
    assert Dataset.of(ROWS, ["a", "c", "a", "c"]).fingerprint != base
    assert Dataset.of(ROWS, Y, sample_weight=[1, 1, 1, 2]).fingerprint != base
    assert Dataset.of(ROWS, Y, groups=[1, 1, 2, 2]).fingerprint != base
    assert Dataset.of(np.array(ROWS, dtype=np.float32), Y).fingerprint != base
    frame = pd.DataFrame(ROWS, columns=["p", "q"])
    assert Dataset.of(frame, Y).fingerprint != Dataset.of(frame.rename(columns={"q": "r"}), Y).fingerprint


def test_dates_and_odd_columns_have_a_fingerprint():
    frame = pd.DataFrame(
        {"day": pd.to_datetime(["2020-01-01"] * 4), "kind": pd.Categorical(Y), "o": [datetime.date(2020, 1, 1)] * 4}
    )
    assert Dataset.of(frame, Y).fingerprint == Dataset.of(frame.copy(), Y).fingerprint


@pytest.mark.parametrize(
    "X",
    [
        pd.DataFrame({"p": [1.0, np.nan, 2.0, np.nan], "q": [1.0, 2.0, 3.0, 4.0]}),
        pd.DataFrame({"p": pd.array([1, None, 2, None], dtype="Int64"), "q": [1, 2, 3, 4]}),
        pd.DataFrame({"p": ["x", None, "y", None], "q": [1, 2, 3, 4]}),
        pd.DataFrame({"p": pd.array(["x", None, "y", None], dtype="string"), "q": [1, 2, 3, 4]}),
        pl.DataFrame({"p": [1, None, 2, None], "q": [1, 2, 3, 4]}),
        pl.DataFrame({"p": ["x", None, "y", None], "q": [1, 2, 3, 4]}),
    ],
)
def test_missing_values_are_named_and_counted(X: Any):
    assert Dataset.of(X, Y).missing() == (["'p'"], 2, [2, 4])


def test_missing_values_of_arrays():
    X = np.array(ROWS)
    X[1, 1] = np.nan
    assert Dataset.of(X, Y).missing() == (["X[:, 1]"], 1, [2])
    held = np.empty((4, 1), dtype=object)
    held[:, 0] = [np.arange(2), None, "text", pd.NaT]
    assert Dataset.of(held, Y).missing() == (["X[:, 0]"], 2, [2, 4])


def test_text_columns_are_found():
    frame = pd.DataFrame({"n": [1, 2, 3, 4], "t": ["1", "2", "3", "4"]})
    assert Dataset.of(frame, Y).text_columns() == ["'t'"]
    assert Dataset.of(sp.csr_matrix(ROWS), Y).text_columns() == []


@pytest.mark.parametrize(
    ("X", "words"),
    [
        (pd.DataFrame(ROWS, columns=["p", "p"]), "two columns called 'p'"),
        (pd.DataFrame(ROWS, columns=["p", 1]), "mixes column names of kinds int, str"),
        ([1.0, 2.0, 3.0, 4.0], r"shape \(4,\), not rows by columns"),
        ([[1.0], [2.0, 3.0], [4.0], [5.0]], "different lengths"),
        (np.array(ROWS) * 1j, "complex"),
        (pd.Series([1.0, 2.0, 3.0, 4.0]), "one column, not a table"),
        (pl.Series([1.0, 2.0, 3.0, 4.0]), "one column, not a table"),
        (pl.LazyFrame({"p": [1, 2, 3, 4]}), "LazyFrame"),
    ],
)
def test_refused_features(X: Any, words: str):
    with pytest.raises(InputError, match=words) as caught:
        Dataset.of(X, Y)
    assert caught.value.code == "bad_features"
    assert caught.value.cure


def test_other_refusals():
    with pytest.raises(InputError, match="X has 4 rows and y has 3"):
        Dataset.of(ROWS, Y[:3])
    with pytest.raises(InputError, match="every row of y is 'a'"):
        Dataset.of(ROWS, ["a"] * 4)
    with pytest.raises(InputError, match="every row of y is 'a'"):
        Dataset.of(ROWS, ["a"] * 4, labels=["a", "b"])
