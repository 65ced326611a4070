"""Features that are all numbers, whatever form the table has; what is none is refused by its cell, with the cure.

scikit-learn's check alone says neither the place nor the cure, and what it lets pass depends on the form of the table:
text and dates of polars, which it refuses of pandas.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import validate_data

from surefold.errors import InputError, show
from surefold.given import Features
from surefold.learners.table_columns import (
    column_names,
    column_values,
    holds_no_numbers,
    is_missing,
    is_number,
    shape_of,
)
from surefold.resampling.classifier import Classifier

__all__ = ["ENCODE", "checked_data", "refuse_cells"]

ENCODE = "encode it first, for instance with OrdinalEncoder or OneHotEncoder in a Pipeline"


def checked_data(model: Classifier, X: Features, *y: Any, cure: str = ENCODE, **checks: Any) -> Any:
    """What `validate_data` makes of X, in doubles, and of y if it is given; InputError for cells that are no numbers.

    `cure` is for text; `checks` are options of `validate_data`.
    """
    if holds_no_numbers(X):
        refuse_cells(X, cure)
    try:
        return validate_data(model, X, *y, dtype=np.float64, **checks)
    except (TypeError, ValueError):
        refuse_cells(X, cure)
        raise


def refuse_cells(X: Features, cure: str = ENCODE) -> None:
    """InputError for the first cell that is no number, or else for the first that is text; nothing without such.

    Dicts are left to scikit-learn, whose checks of estimators ask for its TypeError.
    """
    shape = shape_of(X)
    if len(shape) == 1 and shape[0]:
        first = np.asarray(X, dtype=object).item(0)
        if isinstance(first, str | bytes):
            problem = f"X is a list of text, such as {show(first, 40)}"
            raise InputError("bad_shape", problem, cure="give a table: rows, each a list of features")
    if len(shape) != 2:
        return
    names, odd = column_names(X), []
    for j in range(shape[1]):
        for i, cell in enumerate(column_values(X, j)):
            is_text = isinstance(cell, str | bytes)
            if is_text or not (is_missing(cell) or is_number(cell) or isinstance(cell, dict)):
                kind = "text" if is_text else "complex" if isinstance(cell, complex) else ""
                odd.append((is_text and is_number(cell), i, j, kind, show(cell, 40)))
    if odd:
        _, i, j, kind, cell = min(odd)
        column = f"column {show(names[j])} of X" if j < len(names) else f"X[:, {j}]"
        problem = f"{column} holds {'the text ' if kind == 'text' else ''}{cell}, not a number"
        if kind == "complex":  # the words that every estimator has for it
            problem = f"Complex data not supported: {problem}"
        raise InputError(
            "bad_features", problem, rows=[i + 1], cure=cure if kind == "text" else "make numbers of it first"
        )
