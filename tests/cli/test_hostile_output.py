"""Labels, columns, models and files with names that a terminal, a spreadsheet or a page would obey: none is obeyed."""

import csv
import io
import json
import os
import subprocess
import sys
import unicodedata
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from surefold.cli.main import main

ESC, C1, DEL, BIDI, CR, LINE = "a\x1b[31m", "b\x9b31m", "c\x7f", "d\u202e\u2066", "e\r=1+1", "f\u2028g\x85h"
HOSTILE = [ESC, C1, DEL, BIDI, CR, LINE, "=1+1", "+1+1", "@x", "\t=1+1", "\uff1d1+1"]
FORMATS = ["table", "json", "csv", "md", "junit"]


def obeyed(text: str) -> list[str]:
    """What a terminal would obey in a text of lines."""
    return [c for c in text if c != "\n" and unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp")
            or c in "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"]  # fmt: skip


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
