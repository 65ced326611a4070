"""scikit-learn's check of features, which of text says neither the place nor the cure."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import validate_data

from surefold.errors import InputError, show
from surefold.given import Features
from surefold.resampling.classifier import Classifier

__all__ = ["ENCODE", "checked_data", "refuse_text_cell"]

ENCODE = "encode it first, for instance with OrdinalEncoder or OneHotEncoder in a Pipeline"


def checked_data(model: Classifier, X: Features, *y: Any, cure: str = ENCODE, **checks: Any) -> Any:
    """What `validate_data` makes of X, and of y if it is given; InputError where X holds text."""
    try:
        return validate_data(model, X, *y, **checks)
    except ValueError:
        refuse_text_cell(X, cure)
        raise


def refuse_text_cell(X: Features, cure: str = ENCODE) -> None:
    """InputError for the first cell of a table that holds text; nothing where there is none."""
    names = [str(n) for n in getattr(X, "column_names", getattr(X, "columns", ()))]
    rows = X.to_pandas() if hasattr(X, "column_names") and hasattr(X, "to_pandas") else X  # an Arrow table
    cells = np.asarray(rows, dtype=object)
    if cells.ndim == 1 and cells.size and isinstance(cells.item(0), str | bytes):
        problem = f"X is a list of text, such as {show(cells.item(0), 40)}"
        raise InputError("bad_shape", problem, cure="give a table: rows, each a list of features")
    if cells.ndim != 2:
        return
    places = np.ndindex(cells.shape[0], cells.shape[1])
    texts = [(i, j, cell) for i, j in places if isinstance(cell := cells.item(i, j), str | bytes)]
    if texts:
        i, j, text = min(texts, key=lambda found: _is_number(found[2]))
        column = f"column {show(names[j])} of X" if j < len(names) else f"X[:, {j}]"
        problem = f"{column} holds the text {show(text, 40)}, not a number"
        raise InputError("bad_features", problem, rows=[i + 1], cure=cure)


def _is_number(text: str | bytes) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
