"""Features and labels, checked once: what every fit of a run reads and none may write to."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefold.errors import InputError, show
from surefold.findings import Finding
from surefold.flavours import Flavour, flavour_of
from surefold.given import Features, Values
from surefold.inputs.coding import Codes
from surefold.inputs.labels import Label
from surefold.inputs.predictions import Predictions, same_index
from surefold.resampling.row_names import names_rows

__all__ = ["Dataset"]

#: What to do about a y that assessing predictions would have other advice on.
_Y_CURES = {
    "missing_label": "leave those rows out of X and y",
    "looks_like_scores": "y must hold a class a row; cut numbers into classes first",
    "bad_shape": "give one label a row",
    "multilabel": "give one label a row",
}


@dataclass(frozen=True, eq=False)
class Dataset:
    """X as models take it, y as codes and as labels, weights and groups. Arrays cannot be written to.

    >>> d = Dataset.of([[1.0], [2.0], [3.0]], ["a", "b", "a"])
    >>> d.n, d.labels, d.codes.tolist(), d.take([0, 2]).tolist()
    (3, ('a', 'b'), [0, 1, 0], [[1.0], [3.0]])
    """

    X: Any
    y: NDArray[Any]
    codes: Codes
    labels: tuple[Label, ...]
    positive: int | None = None
    weights: NDArray[np.float64] | None = None
    groups: NDArray[np.intp] | None = None
    columns: tuple[Any, ...] = ()
    findings: tuple[Finding, ...] = ()
    flavour: Flavour = "polars"

    @classmethod
    def of(
        cls,
        X: Features,
        y: Values,
        *,
        labels: Sequence[Label] | None = None,
        pos_label: Label | None = None,
        sample_weight: Values | None = None,
        groups: Values | None = None,
    ) -> Dataset:
        """Features, labels, weights and groups as they came, checked to be of the same rows."""
        try:
            p = Predictions.of(
                y,
                y,
                labels=labels,
                pos_label=pos_label,
                sample_weight=sample_weight,
                groups=groups,
                names=("y", "y", "scores"),
            )
        except InputError as error:
            if error.code not in _Y_CURES or not error.problem.startswith("y "):
                raise
            e, cure = error, _Y_CURES[error.code]
            problem = e.problem.replace("looks like scores, not labels", "looks continuous, not a class")
            raise InputError(e.code, problem, rows=e.rows, count=e.count, cure=cure) from None
        same_index([("y", y), ("X", X)], others=True)
        flavour = flavour_of(y, X)
        X = _features(X)
        n = _length(X)
        if n != p.n:
            raise InputError("length_mismatch", f"X has {n:,} rows and y has {p.n:,}", cure="pass the same rows")
        if len(p.labels) < 2 or not (p.truth != p.truth[0]).any():
            only = show(p.labels[int(p.truth[0])])
            problem = f"every row of y is {only}: there is nothing to learn"
            raise InputError("one_class_in_training", problem, cure="bring rows of at least two classes")
        columns = _columns(X)
        named = np.asarray(p.labels)
        if named.dtype.kind not in "biuU":
            named = np.empty(len(p.labels), dtype=object)
            named[:] = p.labels
        y_values = named[p.truth]
        y_values.setflags(write=False)
        kept = tuple(f for f in p.findings if f.code != "positive_class_not_said")
        return cls(X, y_values, p.truth, p.labels, p.positive, p.weights, p.groups, columns, kept, flavour)

    @property
    def n(self) -> int:
        """How many rows there are."""
        return len(self.codes)

    def __sizeof__(self) -> int:
        """With what it holds: a cluster sends large things once, and goes by this."""
        return object.__sizeof__(self) + self.codes.nbytes + self.y.nbytes + _bytes(self.X)

    def take(self, rows: Any) -> Any:
        """Rows of X, of the same kind as X; an array comes back read-only."""
        X = self.X
        if isinstance(X, np.ndarray):
            part = X[rows]
            part.setflags(write=False)
            return part
        if hasattr(X, "iloc"):
            return X.iloc[rows]
        if isinstance(X, list):
            return [X[i] for i in rows]
        return X[rows]  # polars, scipy.sparse

    @cached_property
    def fingerprint(self) -> str:
        """Of every value of X, y and the weights."""
        digest = hashlib.sha256(b"surefold data 1")
        _digest_features(digest, self.X)
        _digest_array(digest, np.asarray(self.codes, dtype=np.int64))
        digest.update(repr(self.labels).encode())
        for array in (self.weights, self.groups):
            digest.update(b"-") if array is None else _digest_array(digest, array)
        return digest.hexdigest()[:20]

    def missing(self) -> tuple[list[str], int, list[int]]:
        """Columns of X with missing or infinite values, how many values in all, and the first rows (from 1)."""
        named: list[str] = []
        bad = np.zeros(self.n, dtype=bool)
        total = 0
        for name, values in self._each_column():
            if values.dtype.kind == "f":
                where = ~np.isfinite(values)
            elif values.dtype.kind == "O":
                where = np.fromiter(map(_is_missing, values), dtype=bool, count=len(values))
            else:
                continue
            if where.any():
                named.append(name)
                total += int(where.sum())
                bad |= where
        return named, total, (np.flatnonzero(bad)[:3] + 1).tolist()

    def text_columns(self) -> list[str]:
        """Columns of X that hold text."""
        return [
            name
            for name, values in self._each_column()
            if values.dtype.kind == "U" or (values.dtype.kind == "O" and any(isinstance(v, str) for v in values[:1000]))
        ]

    def time_columns(self) -> list[str]:
        """Columns of X that hold dates or times."""
        if not hasattr(self.X, "columns"):
            return []
        return [name for name, values in self._each_column() if values.dtype.kind == "M"]

    def row_names(self) -> list[str]:
        """Columns of a frame that look like names of rows."""
        if not hasattr(self.X, "columns"):
            return []
        return [str(name) for name in self.X.columns if names_rows(np.asarray(self.X[name]))]

    def copies(self) -> int:
        """Rows of an X of numbers that have an exact copy of the same class."""
        X = self.X
        if not (isinstance(X, np.ndarray) and X.ndim == 2 and X.dtype.kind in "biuf" and X.shape[1] >= 3):
            return 0  # few columns, such as two lengths to a decimal, repeat by chance
        rows = np.ascontiguousarray(np.column_stack([X, self.codes]), dtype=np.float64)
        _, counts = np.unique(rows.view(np.dtype((np.void, rows.dtype.itemsize * rows.shape[1]))), return_counts=True)
        return int(counts[counts > 1].sum())

    def _each_column(self) -> list[tuple[str, NDArray[Any]]]:
        X = self.X
        if isinstance(X, np.ndarray) and X.ndim == 2:
            return [(f"X[:, {i}]", X[:, i]) for i in range(X.shape[1])]
        if hasattr(X, "columns"):
            return [(repr(name), np.asarray(X[name])) for name in X.columns]
        return []


def _is_missing(value: object) -> bool:
    if isinstance(value, float):
        return value != value
    return value is None or type(value).__name__ in ("NAType", "NaTType")


def _features(X: Any) -> Any:
    kind = type(X).__module__.split(".")[0]
    if type(X).__name__ == "LazyFrame":
        raise InputError("bad_features", "X is a LazyFrame, which has no rows yet", cure="pass X.collect()")
    if kind == "pyarrow" and hasattr(X, "column_names"):
        import polars as pl

        return pl.from_arrow(X)
    if kind in ("pandas", "polars"):
        if hasattr(X, "columns"):
            return X
        X = X.to_numpy()
        if not (len(X) and isinstance(X[0], str)):  # a column of texts is what vectorisers take
            raise InputError("bad_features", "X is one column, not a table", cure="pass a data frame: X.to_frame()")
    if hasattr(X, "tocsr"):
        return X.tocsr()
    if isinstance(X, list) and X and all(isinstance(value, str) for value in X):
        return X
    try:
        array = np.asarray(X)
    except ValueError:
        raise InputError(
            "bad_features", "the rows of X have different lengths", cure="give each row the same number of values"
        ) from None
    if array.ndim == 1 and array.dtype.kind in "UO" and array.size and isinstance(array[0], str):
        return array.tolist()
    if array.ndim < 2:
        problem = f"X has shape {array.shape}, not rows by columns"
        raise InputError("bad_features", problem, cure="one feature? pass X.reshape(-1, 1)")
    if array.dtype.kind == "c":
        raise InputError("bad_features", "X holds complex numbers", cure="pass real numbers")
    view = array.view()
    view.setflags(write=False)
    return view


def _length(X: Any) -> int:
    return int(X.shape[0]) if hasattr(X, "shape") else len(X)


def _bytes(X: Any) -> int:
    """Roughly."""
    if isinstance(X, list):
        return sum(map(len, X))
    if hasattr(X, "estimated_size"):  # polars
        return int(X.estimated_size())
    if hasattr(X, "memory_usage"):  # pandas
        return int(X.memory_usage().sum())
    return int(X.nbytes if hasattr(X, "nbytes") else X.data.nbytes)


def _columns(X: Features) -> tuple[Any, ...]:
    if not hasattr(X, "columns"):
        return ()
    names = tuple(X.columns)
    twice = [name for i, name in enumerate(names) if name in names[:i]]
    if twice:
        raise InputError("bad_features", f"X has two columns called {show(twice[0])}", cure="rename one of them")
    kinds = {type(name).__name__ for name in names}
    if len(kinds) > 1 and "str" in kinds:
        problem = f"X mixes column names of kinds {', '.join(sorted(kinds))}"
        raise InputError("bad_features", problem, cure="name every column by text, e.g. X.columns = X.columns.map(str)")
    return names


def _digest_features(digest: Any, X: Any) -> None:
    if isinstance(X, np.ndarray):
        _digest_array(digest, X)
    elif hasattr(X, "columns"):
        for name in X.columns:
            digest.update(repr(name).encode())
            _digest_array(digest, np.asarray(X[name]))
    elif hasattr(X, "indptr"):
        digest.update(repr(X.shape).encode())
        for part in (X.data, X.indices, X.indptr):
            _digest_array(digest, np.asarray(part))
    else:
        _digest_array(digest, np.asarray(X, dtype=object))


def _digest_array(digest: Any, array: NDArray[Any]) -> None:
    digest.update(f"{array.dtype.str}{array.shape}".encode())
    if array.dtype.kind == "O":
        digest.update("\x1f".join(map(repr, array.ravel().tolist())).encode("utf-8", "surrogatepass"))
    else:
        digest.update(np.ascontiguousarray(array).data if array.dtype.kind not in "Mm" else array.tobytes())
