"""`surefold gate` as a pipeline meets it: the exit code is the answer."""

import csv
import io
import json
import subprocess
import sys
import xml.etree.ElementTree as ET

import numpy as np
import polars as pl
import pytest

import surefold as sf
from surefold.cli.main import main
from surefold.comparison.gate import gate
from surefold.report.comparison_export import GATE_COLUMNS


def _run(capsys, *args):
    code = main([str(a) for a in args])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


@pytest.fixture(name="rows")
def _rows(tmp_path):
    """100 rows: `new` wins 12 that `old` loses and loses 2; `same` is `old`; p_ columns are scores."""
    rng = np.random.default_rng(5)
    y = np.arange(100) % 2
    old = np.where(np.arange(100) < 20, 1 - y, y)
    new = np.where(np.arange(100) < 8, 1 - y, np.where(np.arange(100) >= 98, 1 - y, y))
    p_old, p_new = (1 / (1 + np.exp(-(2 * y - 1) * s - rng.normal(size=100))) for s in (0.5, 2))
    lines = ["id,y,old,new,same,p_old,p_new,site,w"]
    lines += [f"r{i},{y[i]},{old[i]},{new[i]},{old[i]},{p_old[i]:.6f},{p_new[i]:.6f},s{i // 5},1" for i in range(100)]
    path = tmp_path / "rows.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def test_passed_failed_and_cannot_tell_are_exit_codes(capsys, rows):
    # 12 to 2: 10 / sqrt(15) = 2.58 against 1.645
    code, out, _ = _run(capsys, "gate", rows, "--truth", "y", "--baseline", "old", "--candidate", "new")
    assert code == 0
    assert out.startswith("▲ passed")
    assert "Answer  new is surely better than old" in out
    code, out, _ = _run(capsys, "gate", rows, "--truth", "y", "--baseline", "new", "--candidate", "old")
    assert code == 1
    assert "▼ failed" in out
    code, out, _ = _run(capsys, "gate", rows, "--truth", "y", "--baseline", "old", "--candidate", "same")
    assert code == 3
    assert "◆ cannot tell" in out
    code, out, _ = _run(capsys, "gate", rows, "--baseline", "old", "--candidate", "same", "--margin", "0.01")
    assert code == 3
    assert "more rows would tell" in out
    assert "guessed_columns" in out  # y was found, and that is said
    assert _run(capsys, "gate", rows, "--baseline", "old", "--candidate", "same", "--margin", "0.1")[0] == 0


def test_the_shell_sees_the_code(rows):
    command = [sys.executable, "-m", "surefold.cli.main", "gate", str(rows), "--baseline", "new", "--candidate", "old"]
    ran = subprocess.run(command, capture_output=True, check=False)
    assert ran.returncode == 1, ran.stderr


def test_json_is_the_library_s(capsys, rows):
    code, out, err = _run(capsys, "gate", rows, "--baseline", "p_old", "--candidate", "p_new", "-m", "auc", "--margin",
                          "0.01", "--format", "json")  # fmt: skip
    document = json.loads(out)
    table = list(csv.DictReader(io.StringIO(rows.read_text())))
    y, old, new = ([float(row[c]) for row in table] for c in ("y", "p_old", "p_new"))
    same = gate(y, old, new, measure="roc_auc", margin=0.01)
    assert document["bounds"] == pytest.approx(list(same.bounds))
    assert document["status"] == same.status
    assert code == same.exit_code == document["exit_code"]
    assert document["measure"] == "roc_auc"
    assert document["file"]["rows"] == 100
    assert "Gate: " in err
    assert _run(capsys, "gate", rows, "--baseline", "old", "--candidate", "new", "--format", "json", "--quiet")[2] == ""


def test_csv_md_and_junit_parse(capsys, rows):
    args = ("gate", rows, "--baseline", "old", "--candidate", "new", "--format")
    (row,) = csv.DictReader(io.StringIO(_run(capsys, *args, "csv")[1]))
    assert tuple(row) == GATE_COLUMNS
    assert row["status"] == "passed"
    assert float(row["value"]) == pytest.approx(0.1)
    assert "| new − old | 0.100 " in _run(capsys, *args, "md")[1]
    suite = ET.fromstring(_run(capsys, *args, "junit")[1].split("\n", 1)[1])
    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("1", "0", "0")
    worse = ET.fromstring(_run(capsys, "gate", rows, "--baseline", "new", "--candidate", "old", "--format", "junit")[1])
    assert worse.get("failures") == "1"
    even = ET.fromstring(_run(capsys, "gate", rows, "--baseline", "old", "--candidate", "same", "--format", "junit")[1])
    assert even.get("skipped") == "1"


def test_the_candidate_alone(capsys, rows):
    code, out, _ = _run(capsys, "gate", rows, "--candidate", "new", "--at-least", "0.8")  # 90 of 100 right
    assert code == 0
    assert "at least 0.8" in out
    assert _run(capsys, "gate", rows, "--candidate", "new", "--at-least", "0.99")[0] == 1
    assert (
        _run(capsys, "gate", rows, "--candidate", "new", "-m", "recall", "--pos-label", "1", "--at-least", "0.9")[0]
        == 3
    )
    assert _run(capsys, "gate", rows, "--candidate", "new", "-m", "error_rate", "--at-most", "0.2")[0] == 0
    assert _run(capsys, "gate", rows, "--candidate", "p_new", "-m", "auc", "--at-least", "0.6")[0] == 0


def test_superiority_threshold_groups_and_weights(capsys, rows):
    args = ("gate", rows, "--baseline", "old", "--candidate", "new", "--margin", "0.08")
    assert _run(capsys, *args)[0] == 0
    code, out, _ = _run(capsys, *args, "--superiority")
    assert code == 3
    assert "better than old by more than 0.08" in out
    code, out, _ = _run(capsys, "gate", rows, "--baseline", "p_old", "--candidate", "p_new", "--threshold", "0.5",
                        "--groups", "site", "--weights", "w", "-m", "f1", "--format", "json")  # fmt: skip
    document = json.loads(out)
    assert document["measure"] == "f1"
    assert document["difference"]["test"]["df"] == pytest.approx(19)


def test_bad_usage_is_2_and_says_the_cure(capsys, rows, tmp_path):
    cases = [
        (("--candidate", "new"), "--baseline COL"),
        (("--candidate", "new", "--baseline", "old", "--at-least", "0.9"), "leave the baseline out"),
        (("--candidate", "new", "--baseline", "new"), "both 'new'"),
        (("--candidate", "new", "--baseline", "ol"), "did you mean 'old'"),
        (("--candidate", "new", "--baseline", "old", "--id", "id"), "--baseline-file"),
        (("--candidate", "new", "--baseline", "old", "-m", "acuracy"), "did you mean 'accuracy'"),
        (("--candidate", "new", "--baseline", "old", "--margin", "-1"), "--margin -1.0"),
        (("--candidate", "new", "--baseline", "old", "--confidence", "95"), "--confidence 0.95"),
        (("--candidate", "p_new", "--baseline", "p_old"), "--measure auc"),
        (("--candidate", "new", "--at-least", "90"), "runs from 0 to 1"),
        ((), "--candidate"),
    ]
    for args, words in cases:
        code, out, err = _run(capsys, "gate", rows, *args)
        assert (code, out) == (2, "")
        assert words in err
        assert "Traceback" not in err
    holes = tmp_path / "holes.csv"
    holes.write_text("y,a,b\n1,1,1\n0,,0\n1,1,\n0,0,1\n1,1,1\n")
    code, _, err = _run(capsys, "gate", holes, "--candidate", "a", "--baseline", "b")
    assert code == 2
    assert "file line 3" in err
    code, out, _ = _run(capsys, "gate", holes, "--candidate", "a", "--baseline", "b", "--drop-missing")
    assert code == 3
    assert "2 of 5 rows were left out" in out


def test_two_files_are_matched_by_id(capsys, rows, tmp_path):
    lines = rows.read_text().splitlines()
    old = tmp_path / "old.csv"
    old.write_text("\n".join([lines[0], *reversed(lines[1:])]) + "\n")
    args = ("--candidate", "new", "--baseline-file", old, "--baseline", "old")
    one = json.loads(_run(capsys, "gate", rows, "--candidate", "new", "--baseline", "old", "--format", "json")[1])
    code, out, _ = _run(capsys, "gate", rows, *args, "--id", "id", "--format", "json")
    document = json.loads(out)
    assert code == 0
    assert document["bounds"] == one["bounds"]
    assert document["baseline"] == "old.csv: old"
    assert document["baseline_file"]["rows"] == 100
    # without --baseline the old file's column of the same name is taken
    code, out, _ = _run(capsys, "gate", rows, "--candidate", "new", "--baseline-file", old, "--id", "id")
    assert code == 3
    assert "old.csv: new" in out
    code, _, err = _run(capsys, "gate", rows, *args)
    assert code == 2
    assert "--id" in err


def test_two_files_with_other_rows_are_refused(capsys, rows, tmp_path):
    lines = rows.read_text().splitlines()
    changes = {
        "is not in both": [*lines[:-1], lines[-1].replace("r99", "r100")],
        "one row short": lines[:-1],
        "one row more": [*lines, lines[-1].replace("r99", "r100")],
        "not unique": [*lines, lines[-1]],
        "missing": [*lines[:5], lines[5].replace("r4,", ",", 1), *lines[6:]],
        "truth": [*lines[:3], lines[3].replace("r2,0", "r2,1", 1), *lines[4:]],
    }
    for what, changed in changes.items():
        old = tmp_path / "old.csv"
        old.write_text("\n".join(changed) + "\n")
        code, out, err = _run(capsys, "gate", rows, "--candidate", "new", "--baseline-file", old, "--id", "id")
        assert (code, out) == (2, ""), what
        assert "[different_rows]" in err, what
        assert "line" in err, what
    assert "rows.csv: the truth of the same rows is another in" in err
    assert "row 3 (file line 4)" in err
    bad = tmp_path / "old.csv"
    bad.write_text("\n".join([*lines[:2], lines[2].replace(",1,", ",,", 2), *lines[3:]]) + "\n")
    code, _, err = _run(capsys, "gate", rows, "--candidate", "new", "--baseline-file", bad, "--id", "id")
    assert code == 2
    assert "old.csv" in err  # told with the file it is in


def _both(capsys, new, old, *args):
    """The gate of two files, by groups and weights."""
    return _run(capsys, "gate", new, "--candidate", "new", "--baseline-file", old, "--baseline", "old", "--id", "id",
                "--truth", "y", "--groups", "site", "--weights", "w", *args, "--format", "json")  # fmt: skip


def test_groups_and_weights_of_two_files_must_agree_row_by_row(capsys, rows, tmp_path):
    header, *lines = rows.read_text().splitlines()
    old = tmp_path / "old.csv"
    for what, odd, said in (
        ("the group", lines[7].replace(",s1,", ",s9,"), "such as 's9' for 's1'"),
        ("the group", lines[7].replace(",s1,", ",,"), "such as None for 's1'"),
        ("the weight", lines[7].removesuffix("1") + "2.5", "such as 2.5 for 1.0"),
        ("the weight", lines[7].removesuffix("1"), "such as nan for 1.0"),
    ):
        old.write_text("\n".join([header, *reversed([*lines[:7], odd, *lines[8:]])]) + "\n")
        code, out, err = _both(capsys, rows, old)
        assert (code, out) == (2, "")
        assert f"{what} of the same rows is another in {old}, {said}: row 8 (file line 9)" in err
        assert "[different_rows]" in err


def test_what_two_files_write_in_two_ways_is_the_same(capsys, rows, tmp_path):
    """Parquet beside CSV: whole numbers with a point, weights in single precision, groups only in the new file."""
    table = pl.read_csv(rows).with_columns(site=pl.col("site").str.slice(1).cast(pl.Int64), w=pl.col("y") + 0.1)
    table.write_csv(new := tmp_path / "new.csv")
    kinds = [pl.col("y", "old", "site").cast(pl.Float64), pl.col("w").cast(pl.Float32)]
    table.with_columns(kinds).write_parquet(old := tmp_path / "old.parquet")
    wanted = _run(capsys, "gate", new, "--candidate", "new", "--baseline", "old", "--groups", "site", "--weights", "w",
                  "--format", "json")  # fmt: skip
    table.drop("site", "w").write_csv(bare := tmp_path / "bare.csv")
    for path in (bare, old):
        code, out, err = _both(capsys, new, path, *(["--cast-labels"] if path == old else []))
        assert code == wanted[0], err
        assert json.loads(out)["bounds"] == json.loads(wanted[1])["bounds"]


def test_truth_of_two_files_may_differ_as_the_options_allow(capsys, tmp_path):
    new, old = tmp_path / "new.csv", tmp_path / "old.csv"
    new.write_text("id,y,m\n" + "".join(f"{i},{'yes' if i % 2 else 'no'},no\n" for i in range(40)))
    old.write_text("id,y,m\n" + "".join(f"{i},{' Yes' if i % 2 else 'NO'},no\n" for i in range(40)))
    args = ("gate", new, "--candidate", "m", "--baseline-file", old, "--id", "id", "--truth", "y", "--margin", "0.1")
    assert "such as 'NO' for 'no'" in _run(capsys, *args)[2]
    assert _run(capsys, *args, "--strip-labels", "--ignore-case")[0] == 0


def test_hostile_names_stay_text(capsys, tmp_path):
    path = tmp_path / "evil.csv"
    body = "".join(f"{i % 2},{i % 2},{i % 3 % 2}\n" for i in range(40))
    path.write_text("y,=cmd(),\x1b[31m<script>\n" + body)
    args = ("gate", path, "--truth", "y", "--candidate", "=cmd()", "--baseline", "\x1b[31m<script>", "--format")
    for shape in ("table", "csv", "md", "junit"):
        code, out, err = _run(capsys, *args, shape)
        assert code == 0
        assert "\x1b" not in out + err
        assert "<script>" not in out or shape in ("table", "csv")
    (row,) = csv.DictReader(io.StringIO(_run(capsys, *args, "csv")[1]))
    assert row["candidate"] == "'=cmd()"


def test_the_alias_is_understood():
    assert sf.catalogue["auc"].name == "roc_auc"
