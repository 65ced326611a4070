"""Columns of unusual types, groups and refusals where rows are counted in parts."""

import datetime
from pathlib import Path
from typing import Any

import numpy as np
import polars
import pytest

import surefold as sf
from surefold.comparison.compare import compare_files
from surefold.comparison.gate import gate_files
from surefold.engines.progress import rows_read
from surefold.errors import InputError, UnknownNameError

ENUM = polars.Enum(["low", "high"])


def written(folder: Path, **columns: Any) -> Path:
    path = folder / "a.parquet"
    polars.DataFrame(columns).write_parquet(path)
    return path


@pytest.mark.parametrize(
    "values",
    [
        polars.Series(["low", "high", "low", "high"], dtype=ENUM),
        polars.Series(["b", "a", "b", "a"], dtype=polars.Categorical),
        polars.Series([2**63 + 1, 5, 2**63 + 1, 5], dtype=polars.UInt64),
        polars.Series([1.0, 0.0, 1.0, 0.0]),
        polars.Series([datetime.date(2024, 1, 1), datetime.date(2024, 1, 2)] * 2),
        polars.Series([-1, 1, -1, 1], dtype=polars.Int8),
    ],
    ids=lambda s: str(s.dtype),
)
def test_labels_of_any_type_are_those_of_the_door(values: polars.Series, tmp_path: Path) -> None:
    called = values.gather([0, 1, 1, 1])
    a = sf.assess(written(tmp_path, y=values, p=called), truth="y", pred="p")
    b = sf.assess(values, called)
    assert (a.labels, a.positive) == (b.labels, b.positive)
    assert a.confusion == b.confusion


def test_dates_with_gaps_and_fractions(tmp_path: Path) -> None:
    day = datetime.date(2024, 1, 1)
    with pytest.raises(InputError, match=r"missing labels: row 2"):
        sf.assess(written(tmp_path, y=[day, None], p=[day, day]), truth="y", pred="p")
    with pytest.raises(InputError, match=r"looks like scores, not labels: 0\.5.*row 2"):
        sf.assess(written(tmp_path, y=[0.0, 0.5], p=[0, 1]), truth="y", pred="p")


@pytest.mark.parametrize("groups", [["a", "b"] * 30, [1.5, 2.5] * 30, [True, False] * 30, list(range(60))])
def test_groups_of_any_type(groups: list[Any], tmp_path: Path) -> None:
    y, p = [0, 1, 1] * 20, [0, 1, 0] * 20
    a = sf.assess(written(tmp_path, y=y, p=p, g=groups), truth="y", pred="p", groups="g")
    b = sf.assess(y, p, groups=groups)
    assert a["accuracy"].interval == pytest.approx(b["accuracy"].interval)
    assert {f.code for f in a.findings} == {f.code for f in b.findings}


def test_a_group_or_a_weight_that_is_missing(tmp_path: Path) -> None:
    path = written(tmp_path, y=[0, 1], p=[0, 1], g=[1.0, np.nan], w=[1.0, -2.0])
    with pytest.raises(InputError, match=r"missing_group"):
        sf.assess(path, truth="y", pred="p", groups="g")
    with pytest.raises(InputError, match=r"column 'w' is negative.*row 2"):
        sf.assess(path, truth="y", pred="p", weights="w")


def test_every_row_dropped(tmp_path: Path) -> None:
    path = written(tmp_path, y=[0, 1], p=polars.Series([None, None], dtype=polars.Int64))
    with pytest.raises(InputError, match="every one of the 2 rows misses a value"):
        sf.assess(path, truth="y", pred="p", drop_missing=True)


def test_one_class_with_groups(tmp_path: Path) -> None:
    a = sf.assess(
        written(tmp_path, y=[1] * 9, s=[0.1, 0.5, 0.7] * 3, g=[1, 2, 3] * 3), truth="y", score="s", groups="g"
    )
    assert a["roc_auc"].reason == "needs both classes, and no row is negative"
    assert {"single_class"} <= {f.code for f in a.findings}
    two = compare_files(
        written(tmp_path, y=[1, 1], s=[0.1, 0.5], t=[0.2, 0.4]), ["s", "t"], truth="y", measure="roc_auc"
    )
    assert two.differences[0].status == "cannot_tell"
    assert "needs both classes" in two.differences[0].effect.reason


def test_weights_of_zero_leave_a_class(tmp_path: Path) -> None:
    path = written(tmp_path, y=[0, 0, 1], p=[0, 1, 1], w=[1.0, 2.0, 0.0])
    found = {f.code for f in sf.assess(path, truth="y", pred="p", weights="w").findings}
    assert "weight_removes_class" in found


def test_a_threshold_beside_labels_or_that_is_none(tmp_path: Path) -> None:
    path = written(tmp_path, y=[0, 1], p=[0, 1], s=[0.2, 0.7])
    with pytest.raises(InputError, match="beside predicted labels"):
        sf.assess(path, truth="y", pred="p", threshold=0.5)
    with pytest.raises(InputError, match="is no number"):
        sf.assess(path, truth="y", score="s", threshold=float("nan"))


def test_what_cannot_be_compared(tmp_path: Path) -> None:
    path = written(tmp_path, y=[0, 1] * 9, a=[0, 1] * 9, b=[0, 0] * 9, s=[-2.0, 3.0] * 9, t=[0.5, 9.0] * 9)
    with pytest.raises(UnknownNameError, match="adjustment"):
        compare_files(path, ["a", "b"], truth="y", adjust="hulm")
    both = compare_files(path, ["a", "b"], truth="y", measure=["accuracy", "roc_auc"])  # 0 and 1 may be either
    assert [float(both[name].values["a"]) for name in ("accuracy", "roc_auc")] == [1.0, 1.0]
    with pytest.raises(InputError, match="holds fractional numbers"):
        compare_files(path, ["s", "t"], truth="y", measure=["accuracy", "roc_auc"])
    with pytest.raises(InputError, match="expected_cost needs costs="):
        compare_files(path, ["a", "b"], truth="y", measure="expected_cost")
    with pytest.raises(InputError, match="would pass by a coin"):
        gate_files(path, "a", "b", truth="y", confidence=0.4)
    found = compare_files(path, ["s", "t"], truth="y", measure="accuracy", threshold=1.0)
    assert [float(e) for e in found.values.values()] == [1.0, 1.0]
    by_default = compare_files(path, {"first": "s", "second": "t"}, truth="y", kind="scores")
    assert by_default.measure == "roc_auc"


def test_progress_tells_rows_and_speed(capsys: pytest.CaptureFixture[str]) -> None:
    with rows_read(100, "rows", "rows", True) as advance:
        advance(60)
        advance(40)
    assert "100 rows" in capsys.readouterr().err
