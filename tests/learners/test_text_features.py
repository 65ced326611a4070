"""Text where numbers belong: every learner says in which cell, and what to do."""

import datetime as dt
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone

from surefold.errors import InputError
from surefold.learners import AdaBoost, Bagging, DecisionTree, FullBayes, NaiveBayes, RandomForest, Stacking

ROWS = [[1.0, 2.0], [3.0, "red"], [1.0, 2.0], [3.0, 4.0]] * 5
Y = [0, 1, 1, 0] * 5
LEARNERS: list[Any] = [
    FullBayes(),
    NaiveBayes(),
    DecisionTree(),
    RandomForest(n_estimators=2),
    Bagging(DecisionTree(), n_estimators=2),
    AdaBoost(DecisionTree(max_depth=1), n_estimators=2),
    Stacking([("a", DecisionTree()), ("b", NaiveBayes())], NaiveBayes()),
]
FORMS = {
    "plain rows": lambda rows: rows,
    "objects": lambda rows: np.array(rows, dtype=object),
    "text": lambda rows: np.array(rows),
}


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda m: type(m).__name__)
@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_text_in_rows_is_told_by_its_cell(learner: Any, form: Any) -> None:
    with pytest.raises(InputError, match=r"X\[:, 1\] holds the text .*red.*: row 2\.") as caught:
        learner.fit(form(ROWS), Y)
    assert caught.value.code == "bad_features"
    assert caught.value.cure


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda m: type(m).__name__)
@pytest.mark.parametrize("form", [pd.DataFrame, pl.DataFrame])
def test_columns_of_text_in_a_frame_are_named(learner: Any, form: Any) -> None:
    frame = form({"size": [1.0, 2.0] * 10, "colour": ["red", "blue"] * 10})
    with pytest.raises(InputError, match=r"'colour' of X|the text '(red|blue)'") as caught:
        learner.fit(frame, Y)
    assert caught.value.code == "bad_features"


def test_text_in_rows_to_predict_is_told_too() -> None:
    numbers = np.random.default_rng(0).normal(size=(20, 2))
    for learner in LEARNERS:
        with pytest.raises(InputError, match="the text 'red'"):
            learner.fit(numbers, Y).predict([[1.0, "red"]])


def test_other_faults_of_features_stay_what_they_were() -> None:
    with pytest.raises(ValueError, match="NaN") as caught:
        NaiveBayes().fit([[1.0], [np.nan], [2.0], [3.0]], [0, 1, 0, 1])
    assert not isinstance(caught.value, InputError)


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda m: type(m).__name__)
def test_a_list_of_text_is_no_table(learner: Any) -> None:
    with pytest.raises(InputError, match="X is a list of text, such as 'red'") as caught:
        learner.fit(["red", "blue"] * 10, Y)
    assert caught.value.code == "bad_shape"


COLUMNS: dict[str, list[Any]] = {
    "text": ["red", "blue"] * 10,
    "days": [dt.date(2024, 1, 1 + i) for i in range(20)],
    "instants": [dt.datetime(2024, 1, 1 + i) for i in range(20)],
    "durations": [dt.timedelta(days=i) for i in range(20)],
    "lists": [[1.0, float(i)] for i in range(20)],
}
FRAMES: dict[str, Any] = {
    "pandas": pd.DataFrame,
    "pandas, objects": lambda columns: pd.DataFrame({k: pd.Series(v, dtype=object) for k, v in columns.items()}),
    "polars": pl.DataFrame,
    "pyarrow": pa.table,
}


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda m: type(m).__name__)
@pytest.mark.parametrize("kind", COLUMNS)
def test_what_is_no_number_is_refused_whatever_table_it_stands_in(learner: Any, kind: str) -> None:
    for frame in FRAMES.values():
        with pytest.raises(InputError, match=r"column 'odd' of X (holds|does not hold)") as caught:
            learner.fit(frame({"size": [float(i) for i in range(20)], "odd": COLUMNS[kind]}), Y)
        assert caught.value.code == "bad_features"


@pytest.mark.parametrize("learner", LEARNERS[5:], ids=lambda m: type(m).__name__)
@pytest.mark.parametrize("values", [["1.5", "2"] * 10, [Decimal(i) / 8 for i in range(20)], [True, False] * 10],
                         ids=["text of numbers", "decimals", "bools"])  # fmt: skip
def test_what_reads_as_numbers_is_read_alike_from_every_table(learner: Any, values: list[Any]) -> None:
    """Trees that take categories are among the members: what they see may not depend on the form of the table."""
    member = DecisionTree(categorical="auto")
    model = clone(learner).set_params(**({"estimator": member} if isinstance(learner, AdaBoost) else {"a": member}))
    columns = {"size": [float(i % 7) for i in range(20)], "odd": values}
    forms = [make(columns) for make in FRAMES.values()] + [[list(row) for row in zip(*columns.values(), strict=True)]]
    numbers = np.array([[float(v) for v in row] for row in zip(*columns.values(), strict=True)])
    wanted = clone(model).set_params(random_state=3).fit(numbers, Y).predict(numbers).tolist()
    for X in forms:
        assert clone(model).set_params(random_state=3).fit(X, Y).predict(X).tolist() == wanted


@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)
def test_a_tree_takes_decimals_of_every_table_and_refuses_lists(frame: Any) -> None:
    numbers = {"odd": [Decimal(i) / 8 for i in range(20)]}
    assert DecisionTree().fit(frame(numbers), Y).n_leaves > 1
    for kind in ("lists", "durations"):
        with pytest.raises(
            InputError, match=r"column 0 of X holds .*, which is not a number\. To fix: make numbers of it"
        ):
            DecisionTree(categorical=[]).fit(frame({"odd": COLUMNS[kind]}), Y)
