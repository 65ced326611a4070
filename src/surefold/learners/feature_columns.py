"""Features as trees read them: a matrix of numbers, in which a category is the number of its level.

Numbers, and frames of numbers, pass as they are. Columns that are declared categories, in an array or in a frame of
pandas, polars or pyarrow, may hold text, bools or numbers: each distinct value is a level. The 254 most frequent levels
are told apart; if there are more than 255, the others count as one. A level that was not seen in fitting is a missing
value.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import validate_data

from surefold.errors import InputError, show
from surefold.given import Features
from surefold.learners.checked_features import checked_data
from surefold.resampling.classifier import Classifier

__all__ = ["FeatureColumns"]

MISSING = 255
AS_CATEGORIES = "say DecisionTree(categorical='auto'), also as the base of an ensemble"
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class FeatureColumns:
    """What fitting learned about the columns: the level numbers of each that is a category."""

    levels: dict[int, dict[Any, int]]

    @classmethod
    def learn(cls, model: Any, X: Any, y: Any, categorical: Any) -> tuple[FeatureColumns, Floats, NDArray[Any]]:
        """The columns, X as numbers, and y checked; sets `n_features_in_` and `feature_names_in_` of the model."""
        if categorical is None:
            _refuse_text(X)
            X, y = checked_data(model, X, y, cure=AS_CATEGORIES, dtype=np.float64, ensure_all_finite="allow-nan")
            return cls({}), X, y
        y = validate_data(model, X="no_validation", y=y)
        n, d = _shape(X)
        if n != len(y):
            raise InputError("length_mismatch", f"X has {n:,} rows and y {len(y):,}", cure="give one label a row")
        validate_data(model, X, skip_check_array=True)
        chosen = _chosen(X, d, categorical, getattr(model, "feature_names_in_", None))
        columns = cls({j: _level_numbers(_values(X, j)) for j in chosen})
        return columns, columns._read(X, n, d), y

    def read(self, model: Classifier, X: Features) -> Floats:
        """Rows to predict as numbers."""
        if not self.levels:
            _refuse_text(X)
            checks = {"dtype": np.float64, "reset": False, "ensure_all_finite": "allow-nan"}
            numbers: Floats = checked_data(model, X, cure=AS_CATEGORIES, **checks)
            return numbers
        validate_data(model, X, skip_check_array=True, reset=False)
        return self._read(X, *_shape(X))

    def categorical(self, d: int) -> NDArray[np.bool_]:
        """Which of d columns are categories."""
        return np.isin(np.arange(d), list(self.levels))

    def names(self, j: int) -> dict[int, str]:
        """Level number to what it stands for, as text; a missing value has a name if any was missing in fitting."""
        found: dict[int, list[str]] = {}
        for value, number in self.levels[j].items():
            found.setdefault(number, []).append("missing" if value is None else str(value))
        return {b: group[0] if len(group) == 1 else f"{len(group)} rare levels" for b, group in found.items()}

    def _read(self, X: Features, n: int, d: int) -> Floats:
        out = np.empty((n, d))
        for j in range(d):
            levels = self.levels.get(j)
            if levels is None:
                out[:, j] = _numbers(X, j)
            else:
                # a number that no level has, so that each split sends a new level to its heavier side
                new = min(1 + max((b for b in levels.values() if b != MISSING), default=-1), MISSING - 1)
                out[:, j] = [MISSING if _is_missing(v) else levels.get(v, new) for v in _values(X, j)]
        return out


def _shape(X: Features) -> tuple[int, int]:
    shape = getattr(X, "shape", None)
    if shape is None:
        shape = np.asarray(X, dtype=object).shape
    if len(shape) != 2:
        raise InputError("bad_shape", f"X has {len(shape)} dimensions", cure="give a table: rows and columns")
    if shape[0] == 0 or shape[1] == 0:
        raise InputError("no_rows", f"X has {shape[0]:,} rows and {shape[1]:,} columns", cure="give some of both")
    return int(shape[0]), int(shape[1])


def _column(X: Features, j: int) -> Any:
    """One column in whatever form the table has it."""
    if hasattr(X, "iloc"):
        return X.iloc[:, j]
    if hasattr(X, "to_series"):
        return X.to_series(j)
    if hasattr(X, "column_names") and hasattr(X, "column"):
        return X.column(j)
    return np.asarray(X, dtype=None if hasattr(X, "dtype") else object)[:, j]


def _values(X: Features, j: int) -> list[Any]:
    column = _column(X, j)
    for way in ("to_list", "to_pylist", "tolist"):
        if hasattr(column, way):
            return list(getattr(column, way)())
    return list(column)


def _is_missing(value: object) -> bool:
    return value is None or type(value).__name__ in ("NAType", "NaTType") or bool(value != value)


def _kind(X: Features, j: int) -> str:
    """The type of a column in the words of its table, in small letters."""
    column = _column(X, j)
    return str(getattr(column, "dtype", getattr(column, "type", ""))).lower()


def _is_category(X: Features, j: int) -> bool:
    """For "auto": text, bools and categories are; columns of numbers, with or without holes, are not."""
    kind = _kind(X, j)
    if kind.startswith(("categor", "enum", "dictionary", "bool", "str", "string", "<u", "large_string")):
        return True
    if kind != "object":
        return False
    return any(
        not isinstance(v, (int, float, np.number)) or isinstance(v, bool) for v in _values(X, j) if not _is_missing(v)
    )


def _chosen(X: Features, d: int, categorical: Any, names: NDArray[Any] | None) -> list[int]:
    if isinstance(categorical, str) and categorical == "auto":
        return [j for j in range(d) if _is_category(X, j)]
    if isinstance(categorical, str) or not np.iterable(categorical):
        problem = f"categorical is {show(categorical)}"
        raise InputError("bad_option", problem, cure="give 'auto', or a list of column names or numbers")
    places = {name: j for j, name in enumerate(names)} if names is not None else {}
    chosen = []
    for c in categorical:
        j = places.get(c) if isinstance(c, str) else int(c) if isinstance(c, (int, np.integer)) else None
        if j is None or not -d <= j < d:
            problem = f"categorical names {show(c)}, and X has no such column"
            raise InputError("unknown_column", problem, cure="give names of X's columns, or numbers from 0")
        chosen.append(j % d)
    return sorted(set(chosen))


def _level_numbers(values: list[Any]) -> dict[Any, int]:
    """The number of each level, in sorted order; None stands for a missing value, if there is one."""
    found = _numbered(values)
    return {**found, None: MISSING} if any(_is_missing(v) for v in values) else found


def _numbered(values: list[Any]) -> dict[Any, int]:
    counts = Counter(v for v in values if not _is_missing(v))
    try:
        ordered = sorted(counts)
    except TypeError:  # mixed kinds
        ordered = sorted(counts, key=lambda v: (type(v).__name__, str(v)))
    if len(ordered) <= MISSING:
        return {v: i for i, v in enumerate(ordered)}
    often = sorted(ordered, key=lambda v: -counts[v])[: MISSING - 1]
    numbers = {v: i for i, v in enumerate(v for v in ordered if v in set(often))}
    return {v: numbers.get(v, MISSING - 1) for v in ordered}


def _numbers(X: Features, j: int) -> Floats:
    try:
        numbers = np.array([np.nan if _is_missing(v) else v for v in _values(X, j)], dtype=np.float64)
    except (TypeError, ValueError):
        text = next(v for v in _values(X, j) if not isinstance(v, (int, float)) and not _is_missing(v))
        raise InputError(
            "bad_features",
            f"column {j} of X holds {show(text)}, which is not a number",
            cure="declare it with categorical=[...], or pass categorical='auto'",
        ) from None
    endless = np.flatnonzero(np.isinf(numbers))
    if len(endless):
        problem = f"column {j} of X holds infinity"
        cure = "give a number, or leave it missing"
        raise InputError("bad_features", problem, rows=(endless + 1)[:3].tolist(), count=len(endless), cure=cure)
    return numbers


def _refuse_text(X: Features) -> None:
    """A frame with text in it gets told how to say so, also where the text reads as numbers."""
    if not hasattr(X, "columns") or not hasattr(X, "shape") or len(X.shape) != 2:
        return
    text = [j for j in range(X.shape[1]) if _is_category(X, j) and "bool" not in _kind(X, j)]
    if text:
        names = [str(n) for n in getattr(X, "column_names", X.columns)]
        problem = f"column {show(names[text[0]])} of X does not hold numbers"
        raise InputError("bad_features", problem, cure=AS_CATEGORIES)
