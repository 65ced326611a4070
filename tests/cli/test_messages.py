"""What a newcomer gets wrong at first, and what the command line says to it. All of it ends with code 2."""

import gzip
import json

import pytest

from surefold.cli.main import main

ROWS = [{"y": "yes" if i % 4 == 0 else "no", "p": "no" if i % 3 else "yes", "s": i % 50 * 2.0} for i in range(50)]


@pytest.fixture(name="folder")
def _folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = "".join(f"{json.dumps(row)}\n" for row in ROWS)
    (tmp_path / "lines.jsonl").write_text(lines)
    (tmp_path / "packed.jsonl.gz").write_bytes(gzip.compress(lines.encode()))
    (tmp_path / "one.json").write_text(json.dumps(ROWS))
    (tmp_path / "spread.json").write_text(json.dumps(ROWS, indent=1))
    for name, d in (("comma", ","), ("semicolon", ";"), ("tab", "\t")):
        text = "".join(f"{d.join(map(str, row.values()))}\n" for row in ROWS)
        (tmp_path / f"{name}.csv").write_text(f"{d.join(ROWS[0])}\n{text}")
    return tmp_path


def _refused(capsys, *words):
    code = main(list(words))
    err = capsys.readouterr().err
    assert code == 2
    return err


@pytest.mark.parametrize("more", [(), ("--memory", "1GB")])
@pytest.mark.parametrize(
    ("name", "said", "seems", "cure"),
    [
        ("comma", ";", "a comma", "say --delimiter ,."),
        ("semicolon", ",", "a semicolon", "say --delimiter ';'."),
        ("tab", ",", "a tab", "say --delimiter tab."),
        ("comma", "tab", "a comma", "say --delimiter ,."),
    ],
)
def test_a_wrong_delimiter_is_told_which_it_seems_to_be(capsys, folder, name, said, seems, cure, more):
    err = _refused(capsys, "assess", f"{name}.csv", "--truth", "y", "--pred", "p", "--delimiter", said, *more)
    assert f"which seems to be separated by {seems}" in err
    assert f"leave it out, or {cure}" in err
    assert "quotes" not in err


def test_a_delimiter_that_parts_the_header_is_believed(capsys, folder):
    (folder / "both.csv").write_text("y;p,q\na;a\nb;b\n")
    assert main(["assess", "both.csv", "--truth", "y", "--pred", "p,q", "--delimiter", ";"]) == 0
    (folder / "odd.csv").write_text("y p\na a\nb b\n")
    assert main(["assess", "odd.csv", "--truth", "y", "--pred", "p", "--delimiter", " "]) == 0
    assert "there is no column 'y'" in _refused(capsys, "assess", "odd.csv", "--truth", "y", "--delimiter", ",")


@pytest.mark.parametrize("name", ["lines.jsonl", "packed.jsonl.gz", "one.json", "spread.json"])
def test_json_is_read_as_the_same_rows_in_csv(capsys, folder, name):
    asked = ("--truth", "y", "--pred", "p", "--pos-label", "yes", "--format", "csv")
    assert main(["assess", "comma.csv", *asked]) == 0
    as_csv = capsys.readouterr().out
    assert main(["assess", name, *asked]) == 0
    assert capsys.readouterr().out == as_csv


def test_braces_that_are_no_json_are_text(folder):
    (folder / "braces.csv").write_text("{y},[p]\na,a\nb,b\n")
    assert main(["assess", "braces.csv", "--truth", "{y}", "--pred", "[p]"]) == 0


@pytest.mark.parametrize("more", [(), ("--memory", "1GB")])
def test_percent_scores_are_told_what_to_do(capsys, folder, more):
    asked = ("--score", "s", "--truth", "y", "--pos-label", "yes", *more)
    err = _refused(capsys, "assess", "comma.csv", *asked, "-m", "brier")
    assert "(a scale of 0-100?). To fix: divide by 100, so that 97 is 0.97." in err
    assert main(["assess", "comma.csv", *asked]) == 0
    assert "to have them, say threshold= (--threshold), or divide by 100" in capsys.readouterr().out


@pytest.mark.parametrize("more", [(), ("--memory", "1GB")])
def test_gate_and_assess_suggest_the_same_class(capsys, folder, more):
    gate = ("gate", "comma.csv", "--truth", "y", "--candidate", "p", "--at-least", "0.5", "-m", "recall", *more)
    assert "--pos-label yes." in _refused(capsys, *gate)
    assert "--pos-label yes." in _refused(capsys, "assess", "comma.csv", "--truth", "y", "--score", "s", *more)
    assert main(["assess", "comma.csv", "--truth", "y", "--pred", "p", *more]) == 0
    assert "(--pos-label yes)" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (("asess", "comma.csv"), "Did you mean 'assess'?"),
        (("assess", "comma.csv", "--turth", "y"), "Did you mean '--truth'?"),
        (("gate", "comma.csv", "--marign", "1"), "Did you mean '--margin'?"),
        (("assess", "comma.csv", "-m", "recal"), "did you mean 'recall'?"),
        (("assess", "comma.csv", "--truth", "yy"), "did you mean 'y'?"),
        (("assess", "coma.csv"), "did you mean 'comma.csv'?"),
        (("evaluate", "comma.csv", "--target", "y", "--model", "logistics"), "did you mean 'logistic'?"),
        (("plan", "mcnemr"), "did you mean 'mcnemar'?"),
        (("measures", "kapa"), "did you mean 'kappa'"),
    ],
)
def test_an_unknown_name_gets_the_nearest_one(capsys, folder, words, hint):
    told = (
        _refused(capsys, *words)
        .replace("mean --truth?", "mean '--truth'?")
        .replace("mean --margin?", "mean '--margin'?")
    )
    assert hint in told  # older releases of click put no quotes around an option


@pytest.mark.parametrize("more", [(), ("--memory", "1GB")])
def test_labels_where_scores_belong_are_told_where_they_go(capsys, folder, more):
    err = _refused(capsys, "assess", "comma.csv", "--truth", "y", "--score", "p", "--pos-label", "yes", *more)
    assert "column 'p' holds 'yes', not a number: 50 rows" in err
    assert "To fix: choose a column of numbers; labels are given as --pred." in err
    (folder / "one.csv").write_text("y,s\n1,.5\n0,x\n1,.7\n0,.1\n")  # a slip in one row is corrected there
    err = _refused(capsys, "assess", "one.csv", "--truth", "y", "--score", "s", "--pos-label", "1", *more)
    assert "To fix: correct the value" in err


@pytest.mark.parametrize("more", [(), ("--memory", "1GB")])
def test_a_positive_class_with_spaces_around_it_is_told_how_to_strip_them(capsys, folder, more):
    (folder / "spaces.csv").write_text("y , pred\n yes , yes \nno , no\n yes,no\nno , yes\n")
    words = ("assess", "spaces.csv", "--truth", "y", "--pred", "pred", "--pos-label", "yes", *more)
    assert "To fix: strip the spaces with --strip-labels." in _refused(capsys, *words)
    assert main([*words, "--strip-labels", "--quiet"]) == 0
