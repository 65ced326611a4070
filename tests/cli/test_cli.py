"""The command line as a person or a pipeline meets it."""

import csv
import io
import json
import os
import subprocess
import sys
import xml.etree.ElementTree as ET

import pytest

import surefold as sf
from surefold.cli.main import COMMANDS, main


@pytest.fixture(name="chapter")
def _chapter(tmp_path):
    """The chapter's 30 rows (ex. 22.1-2) as a file."""
    pairs = [("c1", "c1")] * 10 + [("c2", "c2")] * 7 + [("c2", "c3")] * 3 + [("c3", "c2")] * 5 + [("c3", "c3")] * 5
    path = tmp_path / "chapter.csv"
    path.write_text("truth,pred\n" + "".join(f"{t},{p}\n" for t, p in pairs))
    return str(path)


def _run(capsys, *args):
    code = main(list(args))
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_assess_prints_the_table_and_the_verdict(capsys, chapter):
    code, out, err = _run(capsys, "assess", chapter, "--truth", "truth", "--pred", "pred")
    assert code == 0
    assert "accuracy            0.73  [0.56, 0.86]  Wilson" in out
    assert "Right on 73% [56%, 86%] of 30 rows" in out
    assert "Next:" in err
    assert "Next:" not in out


def test_assess_finds_the_columns_and_echoes_the_guess(capsys, chapter):
    code, out, _ = _run(capsys, "assess", chapter)
    assert code == 0
    assert "truth=truth" in out
    assert "guessed_columns" in out


def test_quiet_says_nothing_on_stderr(capsys, chapter):
    assert _run(capsys, "assess", chapter, "--quiet")[2] == ""


def test_json_equals_the_library(capsys, chapter):
    code, out, _ = _run(capsys, "assess", chapter, "--format", "json", "--truth", "truth", "--pred", "pred")
    assert code == 0
    document = json.loads(out)
    again = sf.Assessment.from_dict(document)
    assert document["overall"]["kappa"]["value"] == float(again["kappa"])
    assert document["file"]["rows"] == 30
    assert len(document["file"]["sha256"]) == 64
    assert "by_chance" not in document


def test_csv_md_and_junit_parse(capsys, chapter):
    rows = list(csv.DictReader(io.StringIO(_run(capsys, "assess", chapter, "--format", "csv")[1])))
    assert {row["measure"] for row in rows} >= {"accuracy", "kappa", "recall"}
    assert "| accuracy | 0.73 |" in _run(capsys, "assess", chapter, "--format", "md")[1]
    suite = ET.fromstring(_run(capsys, "assess", chapter, "--format", "junit")[1].split("\n", 1)[1])
    assert suite.get("failures") == "0"


def test_chosen_measures_orientation_and_chance(capsys, chapter):
    code, out, _ = _run(capsys, "assess", chapter, "-m", "kappa", "-m", "recall", "--rows", "predicted", "--chance")
    assert code == 0
    assert "accuracy " not in out.split("Verdict")[0]
    assert "predicted \\ true" in out
    by_chance = out.split("By chance, with the same margins:\n")[1].splitlines()
    # rows are predicted here: 10, 12 and 8 calls, each shared evenly over three classes of 10 of the 30 rows
    assert [line.split() for line in by_chance[2:4]] == [["c2", "4", "4", "4"], ["c3", "2.67", "2.67", "2.67"]]


def test_all_measures(capsys, chapter):
    out = _run(capsys, "assess", chapter, "-m", "all", "--pos-label", "c2")[1]
    assert all(name in out for name in ("kappa_quadratic", "diagnostic_odds_ratio", "f1_weighted"))


def test_an_unknown_measure_gets_a_suggestion(capsys, chapter):
    code, out, err = _run(capsys, "assess", chapter, "-m", "acuracy")
    assert (code, out) == (2, "")
    assert "did you mean 'accuracy'" in err


def test_a_bad_label_says_row_line_count_and_cure(capsys, tmp_path):
    path = tmp_path / "bad.csv"
    path.write_text("truth,pred\na,a\n,b\nb,b\n,a\n")
    code, out, err = _run(capsys, "assess", str(path))
    assert (code, out) == (2, "")
    assert "rows 2, 4" in err
    assert "file lines 3, 5" in err
    assert "--drop-missing" in err
    assert "[missing_label]" in err
    assert "Traceback" not in err
    code, out, _ = _run(capsys, "assess", str(path), "--drop-missing")
    assert code == 0
    assert "dropped_missing" in out


def test_debug_shows_the_traceback(capsys, tmp_path):
    code, _, err = _run(capsys, "assess", str(tmp_path / "absent.csv"), "--debug")
    assert code == 2
    assert "Traceback" in err
    assert "InputError: " in err
    code, _, err = _run(capsys, "assess", str(tmp_path / "absent.csv"))
    assert code == 2
    assert "absent.csv" in err


def test_a_wrong_command_gets_a_suggestion(capsys):
    code, _, err = _run(capsys, "asess")
    assert code == 2
    assert "Did you mean 'assess'?" in err
    code, _, err = _run(capsys, "qqqq")
    assert code == 2
    assert "There are: assess" in err


def test_a_wrong_option_is_bad_usage(capsys, chapter):
    code, _, err = _run(capsys, "assess", chapter, "--turth", "x")
    assert code == 2
    assert "--truth" in err


def test_confidence_outside_zero_to_one_is_refused(capsys, chapter):
    code, _, err = _run(capsys, "assess", chapter, "--confidence", "95")
    assert code == 2
    assert "--confidence 0.95" in err


@pytest.mark.parametrize("command", COMMANDS)
def test_help_opens_with_examples(capsys, command):
    code, out, _ = _run(capsys, command, "--help")
    assert code == 0
    assert f"surefold {command}" in out.split("Options:")[0]


def test_version_and_bare_help(capsys):
    assert sf.__version__ in _run(capsys, "--version")[1]
    assert all(name in _run(capsys, "--help")[1] for name in COMMANDS)


def test_measures_lists_the_catalogue(capsys):
    out = _run(capsys, "measures")[1]
    assert all(name in out for name in sf.catalogue)
    entry = _run(capsys, "measures", "kappa", "expected_cost")[1]
    assert "Cohen" in entry
    assert "options" in entry
    assert "least to greatest cost" in entry
    document = json.loads(_run(capsys, "measures", "--format", "json")[1])
    assert [m["name"] for m in document["measures"]] == list(sf.catalogue)
    rows = list(csv.DictReader(io.StringIO(_run(capsys, "measures", "--format", "csv")[1])))
    assert len(rows) == len(sf.catalogue)
    assert len(_run(capsys, "measures", "--format", "md")[1].splitlines()) == len(sf.catalogue) + 2
    assert _run(capsys, "measures", "kapa")[0] == 2


def test_compare_two_columns(capsys, tmp_path):
    path = tmp_path / "two.csv"
    rows = ["y,a,b"] + ["1,1,1"] * 20 + ["0,0,0"] * 20 + ["1,1,0"] * 9 + ["0,1,0"] * 1
    path.write_text("\n".join(rows) + "\n")
    code, out, _ = _run(capsys, "compare", str(path), "--truth", "y", "--pred", "a", "--pred", "b")
    assert code == 0
    assert "a is better than b" in out  # 9 against 1: 2 (1 + 10/2) / 2^10 = .0117
    assert "p = 0.01" in out
    document = json.loads(
        _run(capsys, "compare", str(path), "--truth", "y", "--pred", "a", "--pred", "b", "--format", "json")[1]
    )
    assert document["differences"][0]["test"]["p_value"] == pytest.approx(12 / 1024)
    code, _, err = _run(capsys, "compare", str(path), "--truth", "y", "--pred", "a", "--pred", "c")
    assert code == 2
    assert "'c'" in err


def test_a_guessed_score_column_does_not_stand_in_the_way(capsys, tmp_path):
    path = tmp_path / "three.csv"
    path.write_text("y_true,y_pred,confidence\na,a,0.9\nb,b,0.8\nc,b,0.4\n")
    code, out, _ = _run(capsys, "assess", str(path))
    assert code == 0
    assert "scores_not_used" in out


def test_demo_of_costs_chooses_another_model_than_accuracy(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, out, err = _run(capsys, "demo", "--costs")
    assert code == 0
    assert "Simulated data" in err
    assert "naive: threshold costs least" in out
    assert "Accuracy would choose logistic: plain" in out
    assert "Rare oil slicks" in (tmp_path / "surefold-demo.html").read_text(encoding="utf-8")


def test_demo_assesses_and_compares(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, out, _ = _run(capsys, "demo")
    assert code == 0
    # 9 of 285 wrong by logistic regression, 19 by naive Bayes, in the bundled file
    assert f"{276 / 285:.3f}" in out
    assert "logistic is better than naive_bayes" in out
    document = json.loads(_run(capsys, "demo", "--format", "json")[1])
    assert document["comparison"]["differences"][0]["status"] == "better"


def test_hostile_labels_reach_the_terminal_as_escapes(capsys, tmp_path):
    path = tmp_path / "evil.csv"
    path.write_text("truth,pred\n\x1b[31mred,ok\nok,ok\n\u202ex,ok\n", encoding="utf-8")
    code, out, err = _run(capsys, "assess", str(path))
    assert code == 0
    assert "\x1b" not in out + err
    assert "\u202e" not in out + err


def _surefold(*args, **kwargs):
    command = [sys.executable, "-m", "surefold.cli.main", *args]
    return subprocess.run(command, capture_output=True, check=False, **kwargs)


def test_stdin_and_a_narrow_terminal(tmp_path):
    data = "truth,pred\n日本,日本\nb,b\nb,日本\n".encode()
    env = {**os.environ, "PYTHONIOENCODING": "latin-1", "PYTHONUTF8": "0"}
    ran = _surefold("assess", "-", input=data, env=env)
    assert ran.returncode == 0, ran.stderr
    assert b"\\u65e5\\u672c" in ran.stdout


def test_a_reader_that_goes_away_is_no_error(chapter):
    command = f"{sys.executable} -m surefold.cli.main assess {chapter} -m all --pos-label c1 --format csv | head -1"
    ran = subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert b"Traceback" not in ran.stderr


def test_interrupt_is_130(monkeypatch, capsys, chapter):
    def stop(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr("surefold.cli.assess.opened_rows", stop)
    code, _, err = _run(capsys, "assess", chapter)
    assert code == 130
    assert "interrupted" in err
