"""Labels, columns, models and files with names that a terminal, a spreadsheet or a page would obey: none is obeyed."""

import csv
import io
import json
import unicodedata
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

import surefold as sf
from surefold.cli.main import main
from surefold.report.as_json import to_json

ESC, C1, DEL, BIDI, CR, LINE = "a\x1b[31m", "b\x9b31m", "c\x7f", "d\u202e\u2066", "e\r=1+1", "f\u2028g\x85h"
HOSTILE = [ESC, C1, DEL, BIDI, CR, LINE, "=1+1", "+1+1", "@x", "\t=1+1", "\uff1d1+1"]
FORMATS = ["table", "json", "csv", "md", "tex", "junit"]


def obeyed(text: str) -> list[str]:
    """What a terminal would obey in a text of lines."""
    bidi = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
    return [c for c in text if c in bidi or (c != "\n" and unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp"))]


@pytest.fixture(name="data")
def _data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / f"x{BIDI}\x1b[2J=.csv"
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(["y", f"p{ESC}", f"q{BIDI}", "x"])
    for i, label in enumerate(HOSTILE * 4):
        other = HOSTILE[(i + i // 5) % len(HOSTILE)]
        writer.writerow([label, label if i % 3 else other, label if i % 4 else other, i % 7])
    path.write_text(text.getvalue(), newline="", encoding="utf-8")
    return path


@pytest.mark.parametrize("shape", FORMATS)
@pytest.mark.parametrize("command", ["assess", "compare", "gate", "evaluate"])
def test_no_format_prints_what_a_terminal_obeys(
    data: Path, capsys: pytest.CaptureFixture[str], command: str, shape: str
) -> None:
    words = {
        "assess": ["--pred", f"p{ESC}", "-m", "all"],
        "compare": ["--pred", f"p{ESC}", "--pred", f"q{BIDI}"],
        "gate": ["--candidate", f"p{ESC}", "--baseline", f"q{BIDI}"],
        "evaluate": ["--model", f"m{ESC}=majority", "--features", "x", "--folds", "4", "--repeats", "1"],
    }[command]
    truth = "--target" if command == "evaluate" else "--truth"
    assert main([command, str(data), truth, "y", *words, "--format", shape]) in (0, 1, 3)
    said = capsys.readouterr()
    assert said.out
    assert obeyed(said.out + said.err) == []
    if shape == "json":
        told = json.loads(said.out)
        if command == "assess":  # nothing is lost
            assert set(told["labels"]) == set(HOSTILE)
    if shape == "csv":
        for row in csv.reader(io.StringIO(said.out, newline="")):
            assert len(row) == len(said.out.splitlines()[0].split(","))
            assert not any(value[:1] in ("=", "@", "\t", "\r", "\uff1d") for value in row)
            assert not any(value[:1] in ("+", "-") and not value[1:2].isdigit() for value in row)
    if shape == "junit":
        ET.fromstring(said.out)


def test_a_bare_return_starts_no_row(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["assess", str(data), "--truth", "y", "--pred", f"p{ESC}", "--format", "csv"]) == 0
    out = capsys.readouterr().out
    assert "e\\x0d=1+1," in out
    assert not any(line.startswith("=") for line in out.splitlines())


def test_usage_errors_are_escaped_too(capsys: pytest.CaptureFixture[str]) -> None:
    for words in ([f"--{ESC}"], ["assess"], ["assess", "x", f"--{BIDI}"], ["assess", "x", "--rows", ESC], [ESC]):
        assert main(words) == 2
        err = capsys.readouterr().err
        assert err
        assert obeyed(err) == []


# names that are no text


BYTES = "m\udcff"  # as Python makes of the byte ff in a word or the name of a file


def test_files_may_have_names_that_are_no_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data, page, store = (str(tmp_path / f"{BYTES}.{ending}") for ending in ("csv", "html", "db"))
    Path(data).write_text("y,p,x\n" + "".join(f"{i % 2},{i % 2},{i % 5}\n" for i in range(30)))
    for shape in FORMATS:
        assert main(["assess", data, "--truth", "y", "--pred", "p", "--report", page, "--format", shape]) == 0
    words = ["--target", "y", "--model", "tree", "--folds", "3", "--repeats", "1", "--store", store, "--report", page]
    assert main(["evaluate", data, *words]) == 0
    assert main(["resume", store, "--report", page]) == 0
    said = capsys.readouterr()
    assert obeyed(said.out + said.err) == []
    assert Path(page).read_text(encoding="utf-8").startswith("<!doctype html>")


@pytest.mark.parametrize("words", [
    ["evaluate", "d.csv", "--target", "y", "--model", f"{BYTES}=tree"],
    ["evaluate", "d.csv", "--target", "y", "--model", "tree", "--store", "s.db", "--run", BYTES],
    ["select", "d.csv", "--target", "y", "--models", f"{BYTES}=tree"],
    ["assess", "d.csv", "--truth", BYTES], ["assess", "d.csv", "--encoding", BYTES],
    ["assess", "d.csv", "--delimiter", BYTES], ["assess", "d.csv", "--comment", BYTES],
    ["assess", "d.csv", "--truth", "y", "--pos-label", BYTES],
    ["compare", "d.csv", "--truth", "y", "--pred", "y", "--pred", BYTES], ["measures", BYTES], ["plan", BYTES],
    ["resume", "s.db", "--run", BYTES], ["resume", "s.db", "--trust", BYTES],
])  # fmt: skip
def test_other_words_must_be_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], words: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "d.csv").write_text("y,p,x\n" + "".join(f"{i % 2},{i % 2},{i % 5}\n" for i in range(30)))
    assert main(words) == 2
    err = capsys.readouterr().err
    assert "holds bytes that are no UTF-8" in err
    assert "[bad_encoding]" in err
    assert "m\\udcff" in err
    assert [path.name for path in tmp_path.iterdir()] == ["d.csv"]


def test_names_in_python_that_are_no_text(tmp_path: Path) -> None:
    y = np.array(["a\ud800", "b"] * 20, dtype=object)
    a = sf.assess(y, y)
    assert a.to_frame()["class"].drop_nulls()[0] == "a\\ud800"
    assert json.loads(to_json(a.to_dict()))["labels"] == ["a\ud800", "b"]
    a.report(tmp_path / "r.html").read_text(encoding="utf-8")
    sf.report({"m\ud800": a}, tmp_path / "r.html").read_text(encoding="utf-8")
    X = np.arange(40.0)[:, None] % 7
    with pytest.raises(sf.InputError, match="no name for a model"):
        sf.cross_validate({"m\ud800": DecisionTreeClassifier()}, X, y, folds=2)
    with pytest.raises(sf.InputError, match="name the run"):
        sf.cross_validate(DecisionTreeClassifier(), X, y, folds=2, store=tmp_path / "s.db", run="\ud800")
    with pytest.raises(sf.InputError) as caught:
        sf.assess(str(tmp_path / "\ud800.csv"), truth="y")
    assert caught.value.code == "not_a_file"
    with pytest.raises(sf.InputError) as caught:
        a.report(tmp_path / "\ud800.html")
    assert caught.value.code == "cannot_write"
