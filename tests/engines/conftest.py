"""Small files of predictions, in parts, and what arrays of the same rows give."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars
import pytest


def make_rows(n: int = 3000, seed: int = 0) -> polars.DataFrame:
    """Two models that are fair but not perfect, with groups and weights."""
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.35
    g = rng.integers(60, size=n)
    shared = rng.standard_normal(n) + 0.5 * rng.standard_normal(60)[g]
    columns: dict[str, Any] = {"y": y.astype(np.int8), "g": g, "w": rng.integers(1, 4, n).astype(float)}
    for m in ("a", "b"):
        x = 1.2 * y + 0.8 * shared + 0.6 * rng.standard_normal(n) - 1
        p = np.round(1 / (1 + np.exp(-1.5 * x)), 4)
        columns |= {m: (p >= 0.5).astype(np.int8), f"p_{m}": p}
    return polars.DataFrame(columns)


@pytest.fixture(scope="session")
def rows() -> polars.DataFrame:
    return make_rows()


@pytest.fixture(scope="session")
def parquet(rows: polars.DataFrame, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of three Parquet files of different lengths."""
    folder = tmp_path_factory.mktemp("parquet")
    for i, (start, stop) in enumerate(((0, 500), (500, 501), (501, 3000))):
        rows[start:stop].write_parquet(folder / f"{i}.parquet")
    return folder


@pytest.fixture(scope="session")
def csv(rows: polars.DataFrame, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("csv")
    for i, (start, stop) in enumerate(((0, 1700), (1700, 3000))):
        rows[start:stop].write_csv(folder / f"{i}.csv")
    return folder


@pytest.fixture(scope="session")
def client() -> Iterator[Any]:
    """Two Dask workers in processes of their own."""
    from distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address="127.0.0.1:0") as cluster,
        Client(cluster) as client,
    ):
        yield client
