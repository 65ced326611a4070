"""`surefold book`: lists, finds, runs and writes, over no other file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from surefold.cli.main import main


def test_everything_is_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["book"]) == 0
    out = capsys.readouterr().out
    assert "Example 22.14" in out
    assert "slide 76" in out


def test_an_example_is_shown_with_its_picture(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["book", "22.5", "--folder", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert "(0.5, 1) 0.333" in out
    assert "agrees" in out
    assert (tmp_path / "roc-trapezoid.png").is_file()


def test_many_hits_are_listed_and_none_is_a_fault(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["book", "kappa"]) == 0
    assert "entries" in capsys.readouterr().out
    assert main(["book", "no such thing"]) == 2
    assert "no entry of the sources" in capsys.readouterr().err


def test_a_page_is_written_as_a_notebook_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["book", "roc", "--notebook", "--folder", str(tmp_path)]) == 0
    assert json.loads((tmp_path / "roc.ipynb").read_text(encoding="utf-8"))["nbformat"] == 4
    assert main(["book", "roc", "--notebook", "--folder", str(tmp_path)]) == 2
    assert "is there already" in capsys.readouterr().err
