"""Rows of two and of three classes that every road is walked with: labels, scores, weights and groups, from a seed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars
from numpy.typing import NDArray

__all__ = [
    "EXTRAS",
    "MATRICES",
    "MODELS",
    "columns_of",
    "facts_of",
    "matrix_of",
    "parts_in",
    "rows_of_three",
    "rows_of_two",
]

#: What is said of the rows beside truth and answers: names of columns for files.
EXTRAS: dict[str, dict[str, Any]] = {
    "plain": {},
    "weights": {"weights": "w"},
    "groups": {"groups": "g"},
    "both": {"weights": "w", "groups": "g"},
}
MODELS = ("a", "b", "c")
#: Columns of scores, one a class, of each model of three classes.
MATRICES = {m: [f"{m}_{c}" for c in range(3)] for m in MODELS}
_SKILL = {"a": 0.7, "b": 0.8, "c": 1.3}


def rows_of_two(n: int = 240, seed: int = 7, groups: int = 30) -> polars.DataFrame:
    """Labels `a` and probabilities `p_a` of each model; rows of a group are alike in how hard they are."""
    rng = np.random.default_rng(seed)
    g, w = rng.integers(groups, size=n), rng.integers(1, 4, n).astype(float)
    y = (rng.random(n) < 0.4).astype(np.int64)
    hard = 0.8 * rng.standard_normal(groups)[g] + 0.7 * rng.standard_normal(n)
    columns: dict[str, Any] = {"y": y, "g": g, "w": w}
    for m in MODELS:
        log_odds = 1.8 * y - 0.9 + 0.6 * hard + _SKILL[m] * rng.standard_normal(n)
        p = np.round(1 / (1 + np.exp(-log_odds)), 3)
        columns |= {m: (p >= 0.5).astype(np.int64), f"p_{m}": p}
    return polars.DataFrame(columns)


def rows_of_three(n: int = 240, seed: int = 8, groups: int = 30) -> polars.DataFrame:
    """Labels `a` and probabilities `a_0`, `a_1`, `a_2` of each model."""
    rng = np.random.default_rng(seed)
    g, w = rng.integers(groups, size=n), rng.integers(1, 4, n).astype(float)
    y = rng.choice(3, size=n, p=[0.5, 0.3, 0.2])
    hard = 0.5 * rng.standard_normal((groups, 3))[g]
    columns: dict[str, Any] = {"y": y, "g": g, "w": w}
    for m in MODELS:
        each = np.exp(1.4 * np.eye(3)[y] + hard + _SKILL[m] * rng.standard_normal((n, 3)))
        p = each / each.sum(axis=1, keepdims=True)
        columns[m] = p.argmax(axis=1)
        columns |= {name: p[:, c] for c, name in enumerate(MATRICES[m])}
    return polars.DataFrame(columns)


def matrix_of(rows: polars.DataFrame, model: str) -> NDArray[np.float64]:
    return rows.select(MATRICES[model]).to_numpy()


def columns_of(rows: polars.DataFrame, *models: str) -> dict[str, Any]:
    """{model: its column} as arrays."""
    return {m: rows[m].to_numpy() for m in models}


def facts_of(rows: polars.DataFrame, extra: str) -> dict[str, Any]:
    """Weights and groups as arrays, under the names that calls on arrays have for them."""
    named = {"weights": "sample_weight", "groups": "groups"}
    return {named[what]: rows[column].to_numpy() for what, column in EXTRAS[extra].items()}


def parts_in(folder: Path, rows: polars.DataFrame, cuts: tuple[int, ...] = ()) -> Path:
    """A folder of Parquet files, cut after these rows."""
    folder.mkdir(parents=True, exist_ok=True)
    ends = (*cuts, len(rows))
    for i, (start, end) in enumerate(zip((0, *cuts), ends, strict=True)):
        rows[start:end].write_parquet(folder / f"{i}.parquet")
    return folder
