"""Features as trees read them: a matrix of numbers, in which a category is the number of its level.

Numbers, and frames of numbers, pass as they are. Columns that are declared categories, in an array or in a frame of
pandas, polars or pyarrow, may hold text, bools or numbers: each distinct value is a level. The 254 most frequent levels
are told apart; if there are more than 255, the others count as one. A level that was not seen in fitting is a missing
value.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import validate_data

from surefold.errors import InputError, show
from surefold.given import Features
from surefold.learners.checked_features import checked_data
from surefold.learners.table_columns import column_kind, column_names, column_values, is_missing, is_number, table_shape
from surefold.resampling.classifier import Classifier

__all__ = ["FeatureColumns"]

MISSING = 255
AS_CATEGORIES = "say DecisionTree(categorical='auto'), also as the base of an ensemble"
#: How the types of columns begin that hold text or categories.
_TEXT = ("categor", "enum", "dictionary", "str", "string", "large_string", "binary", "large_binary", "<u", "|s")
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
            X, y = checked_data(model, X, y, cure=AS_CATEGORIES, ensure_all_finite="allow-nan")
            return cls({}), X, y
        y = validate_data(model, X="no_validation", y=y)
        n, d = table_shape(X)
        if n != len(y):
            raise InputError("length_mismatch", f"X has {n:,} rows and y {len(y):,}", cure="give one label a row")
        validate_data(model, X, skip_check_array=True)
        chosen = _chosen(X, d, categorical, getattr(model, "feature_names_in_", None))
        columns = cls({j: _level_numbers(column_values(X, j)) for j in chosen})
        return columns, columns._read(X, n, d), y

    def read(self, model: Classifier, X: Features) -> Floats:
        """Rows to predict as numbers."""
        if not self.levels:
            _refuse_text(X)
            checks = {"reset": False, "ensure_all_finite": "allow-nan"}
            numbers: Floats = checked_data(model, X, cure=AS_CATEGORIES, **checks)
            return numbers
        validate_data(model, X, skip_check_array=True, reset=False)
        return self._read(X, *table_shape(X))

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
                out[:, j] = [MISSING if is_missing(v) else levels.get(v, new) for v in column_values(X, j)]
        return out


def _is_category(X: Features, j: int) -> bool:
    """For "auto": text, bools and categories are; columns of numbers, with or without holes, are not."""
    if column_kind(X, j).startswith("bool"):
        return True
    return _is_text(X, j) or (column_kind(X, j) == "object" and any(map(_is_bool, column_values(X, j))))


def _is_text(X: Features, j: int) -> bool:
    """Whether a column is declared as text or categories, or is of objects that are not all numbers."""
    kind = column_kind(X, j)
    if kind != "object":
        return kind.startswith(_TEXT)
    return any(
        isinstance(v, str | bytes) or (isinstance(v, Hashable) and not is_missing(v) and not is_number(v))
        for v in column_values(X, j)
    )


def _is_bool(value: object) -> bool:
    return isinstance(value, bool | np.bool_)


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
    return {**found, None: MISSING} if any(is_missing(v) for v in values) else found


def _numbered(values: list[Any]) -> dict[Any, int]:
    counts = Counter(v for v in values if not is_missing(v))
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
        numbers = np.fromiter((np.nan if is_missing(v) else v for v in column_values(X, j)), dtype=np.float64)
    except (TypeError, ValueError):
        odd = next(v for v in column_values(X, j) if not (is_missing(v) or is_number(v)))
        cure = "declare it with categorical=[...], or pass categorical='auto'"
        if not isinstance(odd, str | bytes):
            cure = "make numbers of it first, or declare it with categorical=[...]"
        raise InputError(
            "bad_features", f"column {j} of X holds {show(odd)}, which is not a number", cure=cure
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
    text = [j for j in range(X.shape[1]) if _is_text(X, j)]
    if text:
        problem = f"column {show(column_names(X)[text[0]])} of X does not hold numbers"
        raise InputError("bad_features", problem, cure=AS_CATEGORIES)
