"""The commands on rows that are counted in parts."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import polars
import pytest

from surefold.cli.at_scale import MANY_BYTES, MANY_ROWS, opened_rows, room, wants_parts
from surefold.cli.main import main
from surefold.comparison.compare import compare
from surefold.engines.rows import most_groups
from surefold.inputs.tables import Table
from tools.freeze import changes


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
    assert "wins and losses" in capsys.readouterr().out
    assert main(["compare", pattern, "--truth", "y", "--pred", "la", "--pred", "lb", "--format", "json"]) == 0
    size = sum(path.stat().st_size for path in folder.glob("*.csv"))
    assert json.loads(capsys.readouterr().out)["file"] == {"path": pattern, "files": 2, "bytes": size, "rows": 600}
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


def test_every_command_says_the_same_of_parts_and_of_the_whole(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = folder / "whole.data"
    frames = [polars.read_csv(folder / name) for name in ("0.csv", "1.csv")]
    polars.concat(frames).write_csv(whole)
    for command in (
        ["assess", "--pred", "la", "--score", "a", "-m", "all"],
        ["compare", "--pred", "la", "--pred", "lb", "-m", "accuracy", "-m", "mcc"],
        ["compare", "--score", "a", "--score", "b", "-m", "auc", "-m", "accuracy", "--margin", "0.05"],
        ["gate", "--baseline", "la", "--candidate", "lb", "--margin", "0.05"],
        ["gate", "--candidate", "la", "-m", "recall", "--at-least", "0.7"],
    ):
        codes, shown = [], []
        for source in (whole, folder / "*.csv"):
            codes.append(main([command[0], str(source), "--truth", "y", *command[1:]]))
            shown.append(capsys.readouterr().out)
        assert codes[0] == codes[1]
        assert shown[0] == shown[1]
        assert shown[0]


def test_pages_of_parts(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = folder / "page.html"
    for command in (
        ["assess", "--score", "a"],
        ["compare", "--score", "a", "--score", "b"],
        ["gate", "--baseline", "a", "--candidate", "b", "-m", "auc"],
    ):
        assert main([command[0], str(folder), "--truth", "y", *command[1:], "--report", str(page)]) in (0, 1, 3)
        text = page.read_text()
        assert f"surefold {command[0]} {folder}" in text
        capsys.readouterr()


@pytest.mark.parametrize(
    ("source", "extra", "told"),
    [
        ("-", ["--memory", "1GB"], "standard input cannot be read in parts"),
        ("*.tsv", [], "no file matches this pattern"),
        (".", ["--memory", "1KB"], "give at least 1MB, such as --memory 1GB"),
        (".", ["--cluster", "tcp://host:1", "--engine", "local"], "is for Dask and Spark"),
        (".", ["--pred", "nope"], "there is no column 'nope'"),
    ],
)
def test_what_cannot_be_read_in_parts(
    source: str, extra: list[str], told: str, folder: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.chdir(folder)
    assert main(["assess", source, "--truth", "y", "--pred", "la", *extra]) == 2
    assert told in capsys.readouterr().err


def test_an_extra_that_is_missing(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    assert main(["assess", str(folder), "--truth", "y", "--pred", "la", "--engine", "dask"]) == 2
    assert "pip install 'dask[dataframe]' distributed" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["compare", "gate"])
def test_help_says_what_may_be_given(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([command, "--help"]) == 0
    assert "a folder or a quoted glob of such files" in capsys.readouterr().out


def test_the_package_is_a_command(folder: Path) -> None:
    asked = [
        sys.executable,
        "-m",
        "surefold",
        "assess",
        str(folder),
        "--truth",
        "y",
        "--pred",
        "la",
        "--format",
        "json",
    ]
    done = subprocess.run(asked, capture_output=True, check=False)
    assert (done.returncode, json.loads(done.stdout)["file"]["rows"]) == (0, 600)
    assert subprocess.run(asked[:5], capture_output=True, check=False, cwd=folder).returncode == 2


def test_when_rows_are_counted_in_parts(folder: Path) -> None:
    assert wants_parts(str(folder), None, None, None)
    assert wants_parts(str(folder / "*.csv"), None, None, None)
    assert wants_parts(str(folder / "0.csv"), None, None, "1GB")
    assert not wants_parts(str(folder / "0.csv"), None, None, None)
    assert not wants_parts("-", None, None, None)
    assert not wants_parts(str(folder / "gone.csv"), None, None, None)


def test_one_file_parts_and_arrays_tell_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rng = np.random.default_rng(3)
    y = (rng.random(400) < 0.5).astype(int)
    a, b = (np.round(1 / (1 + np.exp(-(1.5 * y - 0.7 + rng.standard_normal(400)))), 2) for _ in range(2))
    columns = {"y": y, " a": a.astype("f4"), "b": b.astype("f4"), "la": (a > 0.5) * 1, "lb": (b > 0.5) * 1}
    frame = polars.DataFrame(columns | {"g": np.arange(400) // 7, "w": rng.random(400)})
    gone = polars.when(polars.col("g") == 3).then(None).otherwise(polars.col("lb"))
    frame = frame.with_columns(gone.alias("holes"))
    monkeypatch.chdir(tmp_path)
    Path("parts").mkdir()
    frame.write_parquet("whole.parquet")
    frame[:150].write_parquet("parts/0.parquet")
    frame[150:].write_parquet("parts/1.parquet")

    def told(*asked: str) -> list[tuple[int, dict[str, Any]]]:
        found = []
        for source in ("whole.parquet", "parts"):
            code = main([asked[0], source, *asked[1:], "--format", "json"])
            shown = capsys.readouterr()
            document = json.loads(shown.out) if shown.out else {"error": shown.err.partition(source)[2][-200:]}
            found.append((code, {key: value for key, value in document.items() if key != "file"}))
        return found

    for asked in (
        ("compare", "--score", "a", "--score", "b", "-m", "auc", "-m", "mcc", "-m", "log_loss"),
        ("compare", "--pred", "la", "--pred", "lb", "--groups", "g", "--weights", "w", "-m", "mcc", "-m", "recall"),
        ("compare", "--pred", "la", "--pred", "holes", "--drop-missing"),
        ("compare", "--score", "a", "--score", "b", "--threshold", "0.4", "-m", "f1"),
        ("compare", "--pred", "la", "--pred", "lb", "-m", "auc"),  # labels were said to be there
        ("gate", "--candidate", "a", "--baseline", "b", "-m", "auc", "--margin", "0.05"),
        ("gate", "--candidate", "la", "--baseline", "holes", "--drop-missing"),
    ):
        whole, parts = told(*asked)
        assert whole[0] == parts[0]
        assert list(changes(whole[1], parts[1])) == []
    (_, document), _ = told("compare", "--score", "a", "--score", "b", "-m", "auc")
    arrays = compare(y, {"a": a.astype("f4"), "b": b.astype("f4")}, measure="auc").to_dict()
    assert list(changes(document["differences"], arrays["differences"])) == []
    assert {f["code"] for f in document["findings"]} == {
        *(f["code"] for f in arrays["findings"]),
        *("guessed_columns", "header_spaces"),
    }


def test_files_of_many_rows_are_counted_in_parts_by_default(tmp_path: Path) -> None:
    few, many = tmp_path / "few.parquet", tmp_path / "many.parquet"
    polars.DataFrame({"y": np.zeros(1000, dtype=np.int8)}).write_parquet(few)
    polars.DataFrame({"y": np.zeros(MANY_ROWS + 1, dtype=np.int8)}).write_parquet(many)
    with (tmp_path / "many.csv").open("w") as file:
        file.write("y\n" + "0\n" * (MANY_BYTES // 2))
    said: Any = ({"engine": None, "cluster": None, "memory": None}, {}, True)
    for path, held in ((few, True), (many, False), (tmp_path / "many.csv", False)):
        assert not wants_parts(str(path), None, None, None)
        with opened_rows(str(path), *said) as rows:
            assert isinstance(rows, Table) is held
    with opened_rows(str(many), *said, whole=True) as rows:
        assert isinstance(rows, Table)


@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize("shape", ["table", "json", "csv"])
def test_how_many_rows_a_file_has_does_not_change_what_is_told(
    folder: Path, kind: str, shape: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = folder / f"one.{kind}"
    frame = polars.read_csv(folder / "0.csv")
    frame.write_csv(path) if kind == "csv" else frame.write_parquet(path)
    said = ["assess", str(path), "--truth", "y", "--score", "a", "--format", shape, "--quiet"]
    assert main(said) == 0
    held = capsys.readouterr().out
    monkeypatch.setattr("surefold.cli.at_scale.MANY_ROWS", 10)
    monkeypatch.setattr("surefold.cli.at_scale.MANY_BYTES", 10)
    monkeypatch.setattr("surefold.cli.at_scale.read_table", None)  # it would be called for a table that is held
    assert main(said) == 0
    assert capsys.readouterr().out == held


def test_scores_of_a_file_that_could_be_held_are_not_cut(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = str(folder / "0.csv")
    assert most_groups(room(file, None), 1, False) > 1e15
    assert room(file, "1MB") == "1MB"
    monkeypatch.setattr("surefold.cli.at_scale.memory_bytes", lambda _: 100.0)  # less than the file takes
    assert room(file, None) is None
    assert room(str(folder), None) is None
