"""Columns of kinds that files may hold: counted in parts they are what they are as arrays."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import surefold as sf
from surefold.errors import InputError

RNG = np.random.default_rng(0)
Y, P, S = RNG.integers(0, 2, 60), RNG.integers(0, 2, 60), RNG.random(60)
NOON = np.array(["2024-01-01T00:00", "2024-01-02T12:00"], "M8[m]")
HOURS = np.datetime64("2024-01-01", "us") + (np.arange(60) // 6).astype("m8[h]")
#: Columns of two parts, which may hold them in other units.
COLUMNS: dict[str, list[dict[str, Any]]] = {
    "instants": [{"y": NOON.astype(f"M8[{u}]")[Y], "p": NOON.astype("M8[us]")[P]} for u in ("ms", "ns")],
    "zones": [
        {"y": pa.array(NOON.astype("M8[us]")[Y], pa.timestamp("us", zone)), "p": pa.array(NOON.astype("M8[ns]")[P],
         pa.timestamp("ns", "UTC"))} for zone in ("UTC", "Europe/Berlin")
    ],
    "groups of instants": [{"y": Y, "p": P, "g": HOURS.astype(f"M8[{u}]")} for u in ("us", "ns")],
    "groups of spans": [{"y": Y, "p": P, "g": (np.arange(60) // 6).astype(f"m8[{u}]")} for u in ("ms", "ms")],
    "repeated values": [{"y": Y, "p": P, "g": pa.DictionaryArray.from_arrays(
        pa.array(np.arange(60) // 6), pa.array(list("abcdefghia")))}] * 2,
    "half floats": [{"y": Y, "s": np.where(S > 0.8, 1, S).astype(np.float16)}] * 2,
}  # fmt: skip


@pytest.mark.parametrize("name", COLUMNS)
def test_parts_and_arrays_agree(name: str, tmp_path: Path) -> None:
    halves = [pa.table(columns).slice(30 * i, 30) for i, columns in enumerate(COLUMNS[name])]
    for i, half in enumerate(halves):
        pq.write_table(half, tmp_path / f"{i}.parquet")
    whole = pa.table(COLUMNS[name][0])
    held, given = whole.column_names, {"pred": "p", "score": "s", "groups": "g"}
    named: dict[str, Any] = {key: column for key, column in given.items() if column in held}
    counted = sf.assess(tmp_path, truth="y", **named)
    arrays = {key: whole[column] for key, column in {"y_pred": "p", "y_score": "s", "groups": "g"}.items()
              if column in held}  # fmt: skip
    a = sf.assess(whole["y"], **arrays)
    assert counted.labels == a.labels
    for measure in ("accuracy", "log_loss") if "s" in held else ("accuracy",):
        assert counted[measure].interval == pytest.approx(a[measure].interval)


@pytest.mark.parametrize("groups", [[[1], [2]] * 30, [{"a": 1}, {"a": 2}] * 30])
def test_nested_groups_are_refused(groups: list[Any], tmp_path: Path) -> None:
    pq.write_table(pa.table({"y": Y, "p": P, "g": groups}), tmp_path / "a.parquet")
    with pytest.raises(InputError, match="cannot name a group") as caught:
        sf.assess(tmp_path / "a.parquet", truth="y", pred="p", groups="g")
    assert (caught.value.code, caught.value.count) == ("not_a_scalar", 60)


def test_spans_are_groups_in_memory_too() -> None:
    spans = [datetime.timedelta(hours=int(i) // 6) for i in range(60)]
    assert sf.assess(Y, P, groups=spans)["accuracy"] == sf.assess(Y, P, groups=np.arange(60) // 6)["accuracy"]
