"""Text where numbers belong: every learner says in which cell, and what to do."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

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
