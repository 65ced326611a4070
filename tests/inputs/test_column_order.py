"""Scores without names beside categories in an order of their own: a model's columns are sorted, so nobody can tell."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import surefold as sf

SIZES = ["low", "mid", "high"]  # which is not the sorted order: high, low, mid
Y = SIZES * 20
#: A model that is right on every row, with its columns in sorted order, as scikit-learn's predict_proba has them.
SURE = np.array([[0.1, 0.8, 0.1], [0.1, 0.1, 0.8], [0.8, 0.1, 0.1]] * 20)
FORMS: dict[str, Any] = {
    "pandas": pd.Categorical(Y, categories=SIZES),
    "pandas, ordered": pd.Series(pd.Categorical(Y, categories=SIZES, ordered=True)),
    "polars": pl.Series(Y).cast(pl.Enum(SIZES)),
    "pyarrow": pa.DictionaryArray.from_arrays(pa.array([0, 1, 2] * 20), pa.array(SIZES), ordered=True),
}


@pytest.mark.parametrize("form", FORMS)
def test_columns_without_names_are_refused_where_categories_are_not_sorted(form: str) -> None:
    for scores in (SURE, SURE.tolist(), pd.DataFrame(SURE)):
        with pytest.raises(sf.InputError, match="the columns of y_score have no names, and the categories") as caught:
            sf.assess(FORMS[form], y_score=scores)
        assert caught.value.code == "bad_shape"
        assert "labels=['high', 'low', 'mid']" in caught.value.cure
    with pytest.raises(sf.InputError, match="have no names"):
        sf.compare(FORMS[form], {"a": SURE, "b": SURE[:, ::-1]}, measure="log_loss_multiclass")


@pytest.mark.parametrize("form", FORMS)
def test_names_and_a_said_order_tell(form: str) -> None:
    """-log .8 a row: .223."""
    named = {size: SURE[:, i] for i, size in enumerate(sorted(SIZES))}
    for scores, labels in ((pd.DataFrame(named), None), (pl.DataFrame(named), None), (SURE, sorted(SIZES))):
        a = sf.assess(FORMS[form], y_score=scores, labels=labels)
        assert float(a["accuracy"]) == 1.0
        assert float(a["log_loss_multiclass"]) == pytest.approx(-np.log(0.8))


def test_two_classes_are_no_exception() -> None:
    y = pd.Categorical(["yes", "no"] * 20, categories=["yes", "no"])
    columns = np.array([[0.2, 0.8], [0.9, 0.1]] * 20)  # no, yes
    with pytest.raises(sf.InputError, match="have no names"):
        sf.assess(y, y_score=columns, pos_label="yes")
    assert float(sf.assess(y, y_score=columns, pos_label="yes", labels=["no", "yes"])["roc_auc"]) == 1.0
    assert float(sf.assess(y, y_score=columns[:, 1], pos_label="yes")["roc_auc"]) == 1.0  # one column: of that class


def test_sorted_categories_are_as_any_labels() -> None:
    y = pd.Categorical(Y, categories=sorted(SIZES))
    assert float(sf.assess(y, y_score=SURE)["accuracy"]) == 1.0
