"""Tables that people bring, in every shape they come in."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from surefold.benchmarking.result import Benchmark
from surefold.benchmarking.table import ValueTable
from surefold.errors import InputError, UnknownNameError

VALUES = [[0.9, 0.8], [0.7, 0.75], [0.6, 0.5]]
ROWS, COLUMNS = ["iris", "wine", "zoo"], ["tree", "bayes"]

SHAPES: dict[str, tuple[Any, dict[str, Any]]] = {
    "list": (VALUES, {"models": COLUMNS, "datasets": ROWS}),
    "array": (np.array(VALUES), {"models": COLUMNS, "datasets": ROWS}),
    "whole numbers": (np.array(VALUES).astype(object), {"models": COLUMNS, "datasets": ROWS}),
    "columns": ({"tree": [0.9, 0.7, 0.6], "bayes": np.array([0.8, 0.75, 0.5])}, {"datasets": ROWS}),
    "nested": ({"tree": dict(zip(ROWS, (0.9, 0.7, 0.6), strict=True)),
                "bayes": dict(zip(ROWS[::-1], (0.5, 0.75, 0.8), strict=True))}, {}),
    "pandas": (pd.DataFrame(VALUES, ROWS, COLUMNS), {}),
    "pandas with a column of names": (pd.DataFrame({"data": ROWS, "tree": [0.9, 0.7, 0.6], "bayes": [0.8, 0.75, 0.5]}),
                                      {}),
    "polars": (pl.DataFrame({"data": ROWS, "tree": [0.9, 0.7, 0.6], "bayes": [0.8, 0.75, 0.5]}), {}),
    "polars without names": (pl.DataFrame({"tree": [0.9, 0.7, 0.6], "bayes": [0.8, 0.75, 0.5]}), {"datasets": ROWS}),
    "masked": (np.ma.masked_array(VALUES), {"models": COLUMNS, "datasets": ROWS}),
}  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_is_the_same_table(shape):
    values, names = SHAPES[shape]
    table = Benchmark.of_table(values, **names).table()
    assert (table.datasets, table.models) == (tuple(ROWS), tuple(COLUMNS))
    assert table.values.tolist() == VALUES


def test_names_that_are_not_given_are_made_up():
    table = Benchmark.of_table(VALUES).table()
    assert table.models == ("model 1", "model 2")
    assert table.datasets == ("data set 1", "data set 2", "data set 3")
    assert Benchmark.of_table(pd.DataFrame(VALUES, columns=COLUMNS)).table().datasets[0] == "data set 1"


@pytest.mark.parametrize(
    "values",
    [
        [[0.9, None], [0.7, 0.6]],
        [[0.9, float("nan")], [0.7, 0.6]],
        {"model 1": [0.9, 0.7], "model 2": [None, 0.6]},
        {"model 1": {"data set 1": 0.9, "data set 2": 0.7}, "model 2": {"data set 2": 0.6}},
        pl.DataFrame({"model 1": [0.9, 0.7], "model 2": [None, 0.6]}),
        pd.DataFrame({"model 1": [0.9, 0.7], "model 2": [pd.NA, 0.6]}),
        np.ma.masked_array([[0.9, 5.0], [0.7, 0.6]], [[False, True], [False, False]]),
    ],
)
def test_empty_cells_are_missing_with_a_reason(values):
    b = Benchmark.of_table(values)
    assert b.missing == {("data set 1", "model 2"): "no value was given"}
    e = b.estimate("data set 1", "model 2")
    assert not e.defined
    assert e.reason == "no value was given"
    assert b.to_dict()["values"][0] == [0.9, None]
    assert "missing" in str(b.table())
    assert b.table().to_frame()["model 2"].to_list() == [None, 0.6]


@pytest.mark.parametrize(
    ("values", "options", "code"),
    [
        ([0.9, 0.8], {}, "not_an_array"),
        ([], {}, "bad_shape"),
        ({}, {}, "no_rows"),
        ([[0.9, "x"]], {}, "not_an_array"),
        ([[0.9, 0.8], [0.7]], {}, "not_an_array"),
        ({"a": [1, 2], "b": [1]}, {}, "length_mismatch"),
        ({"a": [1, 2], "b": "12"}, {}, "length_mismatch"),
        ([[0.9, float("inf")]], {}, "missing_value"),
        (VALUES, {"models": ["a"]}, "length_mismatch"),
        (VALUES, {"datasets": ["a", "b"]}, "length_mismatch"),
        (VALUES, {"models": ["a", "a"]}, "bad_option"),
        (VALUES, {"measure": " "}, "bad_option"),
        (VALUES, {"measure": "error_rate", "better": "higher"}, "bad_option"),
        (pl.LazyFrame({"a": [1.0], "b": [2.0]}), {}, "not_an_array"),
    ],
)
def test_what_is_no_table_is_refused(values, options, code):
    with pytest.raises(InputError) as caught:
        Benchmark.of_table(values, **options)
    assert caught.value.code == code
    assert caught.value.cure


def test_direction_is_said_or_known():
    assert Benchmark.of_table(VALUES, measure="error_rate").table().better == "lower"
    assert Benchmark.of_table(VALUES, measure="error_rate", better="lower").table().better == "lower"
    assert Benchmark.of_table(VALUES, measure="accuracy").table().better == "higher"
    assert Benchmark.of_table(VALUES, measure="seconds", better="lower").table().better == "lower"
    assert Benchmark.of_table(VALUES, measure="points").table().better == "higher"
    with pytest.raises(UnknownNameError, match="higher"):
        Benchmark.of_table(VALUES, better="larger")


def test_ranks_share_what_only_rounding_parts():
    table = Benchmark.of_table([[0.1 + 0.2, 0.3, 0.5], [1.0, 2.0, 3.0]]).table()
    assert table.ranks.tolist() == [[2.5, 2.5, 1.0], [3.0, 2.0, 1.0]]
    text = str(table)
    assert text.splitlines()[-1].split() == ["average", "rank", "2.75", "2.25", "1.00"]


def test_a_table_that_has_no_better_end_is_not_ranked():
    table = ValueTable("prevalence", "neither", ("a",), ("m",), np.array([[0.5]]))
    with pytest.raises(InputError, match="better end"):
        _ = table.ranks
    assert "average rank" not in str(table)
    with pytest.raises(UnknownNameError, match="model"):
        table["a", "x"]
    assert np.asarray(table, dtype=np.float32).dtype == np.float32
