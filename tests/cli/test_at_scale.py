"""The commands on rows that are counted in parts."""

import json
from pathlib import Path

import numpy as np
import polars
import pytest

from surefold.cli.at_scale import wants_parts
from surefold.cli.main import main


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    y = rng.random(600) < 0.5
    a, b = (np.round(1 / (1 + np.exp(-(1.5 * y - 0.7 + rng.standard_normal(600)))), 3) for _ in range(2))
    frame = polars.DataFrame({"y": y.astype(int), "a": a, "b": b, "la": (a > 0.5) * 1, "lb": (b > 0.5) * 1})
    frame[:250].write_csv(tmp_path / "0.csv")
    frame[250:].write_csv(tmp_path / "1.csv")
    return tmp_path


def test_assess_a_folder(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["assess", str(folder), "--truth", "y", "--pred", "la", "--score", "a", "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["file"] == {"path": str(folder), "files": 2, "bytes": found["file"]["bytes"], "rows": 600}
    assert found["overall"]["roc_auc"]["value"] > 0.7


def test_assess_with_memory_is_assess_without(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shown = []
    for extra in ([], ["--memory", "100MB"]):
        assert main(["assess", str(folder / "0.csv"), "--truth", "y", "--score", "a", *extra]) == 0
        shown.append(capsys.readouterr().out)
    assert shown[0] == shown[1]


def test_compare_and_gate_a_glob(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pattern = str(folder / "*.csv")
    assert main(["compare", pattern, "--truth", "y", "--score", "a", "--score", "b"]) == 0
    assert "DeLong, paired" in capsys.readouterr().out
    assert main(["compare", pattern, "--truth", "y", "--pred", "la", "--pred", "lb", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["file"] == {"path": pattern}
    asked = ["gate", pattern, "--truth", "y", "--baseline", "a", "--candidate", "b", "-m", "auc"]
    assert main([*asked, "--margin", "0.2"]) == 0
    assert main([*asked, "--superiority", "--margin", "0.2"]) == 1
    assert main(["gate", pattern, "--truth", "y", "--candidate", "la", "-m", "recall", "--at-least", "0.1"]) == 0
    assert main([*asked, "--baseline-file", "x.csv", "--id", "i"]) == 2
    assert "join them first" in capsys.readouterr().err


def test_errors_end_with_two_and_name_the_file(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "2.csv").write_text("y,a,b,la,lb\n1,0.5,0.5,,1\n")
    assert main(["assess", str(folder), "--truth", "y", "--pred", "la"]) == 2
    told = capsys.readouterr().err
    assert "2.csv: column 'la' has missing labels: row 1 (file line 2)" in told
    assert main(["assess", str(folder), "--truth", "y", "--pred", "la", "--memory", "little"]) == 2


def test_when_rows_are_counted_in_parts(folder: Path) -> None:
    assert wants_parts(str(folder), None, None, None)
    assert wants_parts(str(folder / "*.csv"), None, None, None)
    assert wants_parts(str(folder / "0.csv"), None, None, "1GB")
    assert not wants_parts(str(folder / "0.csv"), None, None, None)
    assert not wants_parts("-", None, None, None)
    assert not wants_parts(str(folder / "gone.csv"), None, None, None)
