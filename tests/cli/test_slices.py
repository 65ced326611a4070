"""`--by` of assess, and `--min-slice` of gate: what they print, and their exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import polars
import pytest

import surefold as sf
from surefold.cli.main import main

TRUTH = [1] * 60
CALLS = [1] * 18 + [0] * 2 + [1] * 10 + [0] * 10 + [1] * 19 + [0] * 1
REGION = ["north"] * 20 + ["south"] * 20 + ["west"] * 20


@pytest.fixture
def file(tmp_path: Path) -> str:
    frame = polars.DataFrame(
        {"y": [*TRUTH, *([0] * 20)], "p": [*CALLS, *([0] * 20)], "region": [*REGION, *(["west"] * 20)]}
    )
    frame.write_csv(tmp_path / "rows.csv")
    return str(tmp_path / "rows.csv")


ASKED = ["--truth", "y", "--by", "region", "--pos-label", "1"]


def test_assess_by_says_where_it_fails(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["assess", file, *ASKED, "--pred", "p", "-m", "recall", "--format", "json"]) == 0
    said = json.loads(capsys.readouterr().out)
    found = sf.slices(TRUTH, CALLS, by={"region": REGION}, measure="recall", pos_label=1)
    assert said["kind"] == "slices"
    assert said["below"] == ["region = south"]
    for one in said["slices"]:
        same = found[one["levels"][0]]
        assert one["adjusted_p"] == pytest.approx(same.adjusted_p, rel=1e-9)
        assert one["simultaneous"]["low"] == pytest.approx(same.simultaneous.low if same.simultaneous else None)
    assert main(["assess", file, *ASKED, "--pred", "p", "-m", "recall", "-m", "f1", "--format", "junit"]) == 0
    out = capsys.readouterr().out
    assert out.count("<testcase") == 6
    assert out.count("<failure") == 2
    assert main(["assess", file, *ASKED, "--pred", "p", "--format", "csv"]) == 0
    assert capsys.readouterr().out.splitlines()[0].startswith("measure,slice,columns,levels,rows,value")


@pytest.mark.parametrize(
    ("least", "code", "status"), [("0.25", 0, "passed"), ("0.85", 1, "failed"), ("0.5", 3, "cannot_tell")]
)
def test_a_gate_asks_for_every_slice(
    file: str, least: str, code: int, status: str, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = [*ASKED, "--candidate", "p", "-m", "recall", "--min-slice", least]
    assert main(["gate", file, *asked, "--format", "json"]) == code
    said = json.loads(capsys.readouterr().out)
    assert (said["kind"], said["status"], len(said["slices"])) == ("slice_gate", status, 3)
    assert main(["gate", file, *asked, "--format", "junit"]) == code
    assert capsys.readouterr().out.count("<testcase") == 3


def test_all_rows_have_to_pass_too(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    asked = [*ASKED, "--candidate", "p", "-m", "recall", "--min-slice", "0.25", "--at-least", "0.95"]
    assert main(["gate", file, *asked, "--format", "json"]) == 1
    assert json.loads(capsys.readouterr().out)["overall"]["status"] == "failed"


def test_a_slice_without_a_limit_is_refused(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["gate", file, *ASKED, "--candidate", "p"]) == 2
    assert "--min-slice" in capsys.readouterr().err
    assert main(["assess", file, *ASKED, "--pred", "p", "--bins", "x"]) == 2
    assert "--bins 30,60" in capsys.readouterr().err
