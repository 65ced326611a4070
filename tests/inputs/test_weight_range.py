"""Weights of many powers of ten: answered while sums can hold them, and refused with the rows beyond that."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import surefold as sf
from surefold.errors import InputError

RNG = np.random.default_rng(0)
Y, P, S = RNG.integers(0, 2, 60), RNG.integers(0, 2, 60), RNG.random(60)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    "weights",
    [10.0 ** np.linspace(0, 49, 60), np.r_[1e49, np.ones(59)], np.where(Y == 1, 1e49, 1.0), np.where(Y == 0, 1e49, 1)],
    ids=["a ladder", "one heavy row", "heavy positives", "heavy negatives"],
)
def test_weights_that_span_a_lot_are_answered(weights: Any) -> None:
    a = sf.assess(Y, P, y_score=S, sample_weight=weights, measures="all")
    for name, e in a.overall.items():
        assert not e.defined or e.low <= e.high, name  # neither is NaN
    assert sf.compare(Y, {"a": S, "b": S[::-1]}, sample_weight=weights).differences


@pytest.mark.parametrize("weights", [np.r_[1e165, np.ones(59)], 10.0 ** np.linspace(-165, 0, 60)])
def test_weights_beyond_that_are_refused_with_the_rows_that_would_be_lost(weights: Any) -> None:
    lost = np.flatnonzero(weights < weights.max() / 1e50)
    for call in (
        lambda: sf.assess(Y, P, sample_weight=weights),
        lambda: sf.measure("roc_auc", Y, y_score=S, sample_weight=weights),
        lambda: sf.compare(Y, {"a": S, "b": S[::-1]}, sample_weight=weights),
        lambda: sf.gate(Y, P, P[::-1].copy(), sample_weight=weights),
    ):
        with pytest.raises(InputError, match="beside the largest the least are lost") as caught:
            call()
        assert (caught.value.code, caught.value.count) == ("weight_range", len(lost))
        assert list(caught.value.rows) == (lost[:3] + 1).tolist()


def test_weights_that_are_all_large_or_small_count_for_what_they_are_to_each_other() -> None:
    w = RNG.random(60) + 0.5
    plain = sf.assess(Y, y_score=S, sample_weight=w)["roc_auc"]
    for scale in (1e-250, 1e250):
        assert sf.assess(Y, y_score=S, sample_weight=w * scale)["roc_auc"].interval == pytest.approx(plain.interval)


def test_parts_are_not_scaled_each_by_itself(tmp_path: Path) -> None:
    for i in (0, 1):  # by its own largest the second part would weigh what the first does
        part = slice(30 * i, 30 * i + 30)
        frame = pl.DataFrame({"y": Y[part], "p": P[part], "w": np.full(30, 10.0 ** (10 * i))})
        frame.write_parquet(tmp_path / f"{i}.parquet")
    found = sf.assess(tmp_path, truth="y", pred="p", weights="w")["accuracy"]
    assert float(found) == pytest.approx(np.mean((Y == P)[30:]), abs=1e-9)
    frame.with_columns(w=pl.lit(1e120)).write_parquet(tmp_path / "1.parquet")
    with pytest.raises(InputError, match="added up over parts") as caught:
        sf.assess(tmp_path, truth="y", pred="p", weights="w")
    assert (caught.value.code, caught.value.rows, caught.value.count) == ("weight_range", (1, 2, 3), 30)
