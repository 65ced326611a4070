"""`surefold compare`: columns of a file, every format, and complaints at their line."""

import csv
import io
import json
import xml.etree.ElementTree as ET

import numpy as np
import pytest

import surefold as sf
from surefold.cli.main import main
from surefold.phrases import ADJUSTMENT_NAMES
from surefold.report.comparison_export import COMPARISON_COLUMNS
from surefold.significance.multiplicity import ADJUSTMENTS


def _run(capsys, *args):
    code = main([str(a) for a in args])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def _data():
    rng = np.random.default_rng(11)
    y = rng.integers(0, 2, 240)
    scores = {
        name: 1 / (1 + np.exp(-(2 * y - 1) * s - rng.normal(size=240))) for name, s in (("p_lr", 1.5), ("p_rf", 1))
    }
    labels = {name.removeprefix("p_"): (p >= 0.5).astype(int) for name, p in scores.items()}
    return y, scores, labels | {"guess": rng.integers(0, 2, 240)}


@pytest.fixture(name="rows")
def _rows(tmp_path):
    y, scores, labels = _data()
    columns = {"y": y, **labels, **scores, "site": np.arange(240) // 6, "w": np.ones(240)}
    path = tmp_path / "rows.csv"
    lines = [",".join(columns), *(",".join(str(x) for x in row) for row in zip(*columns.values(), strict=True))]
    path.write_text("\n".join(lines) + "\n")
    return path


def test_three_models_with_a_margin(capsys, rows):
    args = ("compare", rows, "--truth", "y", "--pred", "lr", "--pred", "rf", "--pred", "guess", "--margin", "0.02")
    code, out, err = _run(capsys, *args)
    assert code == 0
    assert "240 rows, 3 models" in out
    assert "first − second" in out
    assert "3 pairs, Holm" in out
    assert "How we know: " in out
    assert "picked as the best of 3" in " ".join(out.split())
    assert "allowing for the choice" in out
    assert "Next: add --report" in err


def test_scores_are_compared_by_area_and_the_truth_is_found(capsys, rows):
    code, out, _ = _run(capsys, "compare", rows, "--score", "p_lr", "--score", "p_rf", "--format", "json")
    document = json.loads(out)
    y, scores, _ = _data()
    same = sf.compare(y, scores, measure="roc_auc")
    assert code == 0
    assert document["measure"] == "roc_auc"
    assert document["differences"][0]["test"]["p_value"] == pytest.approx(same.differences[0].test.p_value)
    assert document["file"]["rows"] == 240
    assert {f["code"] for f in document["findings"]} >= {"guessed_columns"}
    assert "labels_from_scores" not in {f["code"] for f in document["findings"]}


def test_several_measures_control_groups_and_weights(capsys, rows):
    args = ("compare", rows, "--truth", "y", "--pred", "lr", "--pred", "rf", "--pred", "guess", "-m", "accuracy",
            "-m", "mcc", "--control", "guess", "--groups", "site", "--weights", "w")  # fmt: skip
    code, out, _ = _run(capsys, *args, "--format", "json")
    document = json.loads(out)
    assert code == 0
    assert list(document["measures"]) == ["accuracy", "mcc"]
    pairs = [(d["first"], d["second"]) for d in document["measures"]["mcc"]["differences"]]
    assert pairs == [("lr", "guess"), ("rf", "guess")]
    assert document["measures"]["accuracy"]["differences"][0]["test"]["df"] == pytest.approx(39)
    text = _run(capsys, *args)[1]
    assert "== accuracy ==" in text
    assert "== mcc ==" in text


def test_labels_from_scores_by_threshold(capsys, rows):
    args = ("compare", rows, "--score", "p_lr", "--score", "p_rf", "--threshold", "0.5", "--format", "json")
    found = json.loads(_run(capsys, *args)[1])
    said = json.loads(_run(capsys, "compare", rows, "--pred", "lr", "--pred", "rf", "--format", "json")[1])
    assert found["measure"] == said["measure"] == "accuracy"
    assert [e["value"] for e in found["values"].values()] == [e["value"] for e in said["values"].values()]


def test_csv_md_and_junit_parse(capsys, rows):
    args = (
        "compare",
        rows,
        "--pred",
        "lr",
        "--pred",
        "rf",
        "--pred",
        "guess",
        "-m",
        "accuracy",
        "-m",
        "f1",
        "--format",
    )
    found = list(csv.DictReader(io.StringIO(_run(capsys, *args, "csv")[1])))
    assert tuple(found[0]) == COMPARISON_COLUMNS
    assert len(found) == 2 * 3 + 2 * 3
    assert [row["second"] for row in found[:6]] == [""] * 6
    md = _run(capsys, *args, "md")[1]
    assert "### accuracy" in md
    assert "| lr − rf |" in md
    suite = ET.fromstring(_run(capsys, *args, "junit")[1].split("\n", 1)[1])
    assert suite.get("tests") == "12"
    assert suite.get("failures") == "0"


def test_a_label_that_one_model_alone_predicts(capsys, tmp_path):
    path = tmp_path / "three.csv"
    path.write_text("y,a,b\n" + "x,x,x\nz,z,z\nx,q,x\nz,z,x\n" * 10)
    code, out, _ = _run(capsys, "compare", path, "--pred", "a", "--pred", "b", "-m", "accuracy", "--format", "json")
    assert code == 0
    document = json.loads(out)
    assert [e["value"] for e in document["values"].values()] == [0.75, 0.75]
    assert "unseen_label" in {f["code"] for f in document["findings"]}


def test_rows_that_any_model_misses_are_dropped_when_asked(capsys, tmp_path):
    path = tmp_path / "holes.csv"
    path.write_text("y,a,b\n" + "1,1,1\n" * 10 + "0,,0\n" + "1,1,\n" + "0,0,1\n" * 10)
    code, out, err = _run(capsys, "compare", path, "--pred", "a", "--pred", "b")
    assert (code, out) == (2, "")
    assert "column 'a'" in err
    assert "file line 12" in err
    code, out, _ = _run(capsys, "compare", path, "--pred", "a", "--pred", "b", "--drop-missing", "--format", "json")
    document = json.loads(out)
    assert code == 0
    assert [e["value"] for e in document["values"].values()] == [1.0, 0.5]
    assert "2 of 22 rows were left out" in out
    path.write_text("y,a,b\n1,,1\n0,0,\n")
    code, _, err = _run(capsys, "compare", path, "--pred", "a", "--pred", "b", "--drop-missing")
    assert code == 2
    assert "[no_rows]" in err


def test_bad_usage_is_2_and_says_the_cure(capsys, rows):
    cases = [
        (("--pred", "lr"), "two or more columns"),
        (("--pred", "lr", "--pred", "lr"), "two or more columns"),
        ((), "two or more columns"),
        (("--pred", "lr", "--score", "p_rf"), "not both"),
        (("--pred", "lr", "--pred", "gess"), "did you mean 'guess'"),
        (("--pred", "lr", "--pred", "rf", "--control", "guess"), "no model 'guess'"),
        (("--pred", "lr", "--pred", "rf", "--adjust", "hol"), "did you mean 'holm'"),
        (("--pred", "lr", "--pred", "rf", "--method", "swp"), "did you mean 'swap'"),
        (("--pred", "lr", "--pred", "rf", "--margin", "0"), "--margin 0.0"),
        (("--pred", "lr", "--pred", "rf", "-m", "auc"), "roc_auc needs scores"),
        (("--pred", "lr", "--pred", "rf", "--groups", "sit"), "did you mean 'site'"),
        (("--pred", "p_lr", "--pred", "p_rf"), "[looks_like_scores]"),
    ]
    for args, words in cases:
        code, out, err = _run(capsys, "compare", rows, *args)
        assert (code, out) == (2, ""), args
        assert words in err
        assert "Traceback" not in err


def test_stdin_parquet_and_another_delimiter(capsys, rows, tmp_path):
    import polars as pl

    frame = pl.read_csv(rows)
    frame.write_parquet(tmp_path / "rows.parquet")
    (tmp_path / "rows.tsv").write_text(rows.read_text().replace(",", "\t"))
    args = ("--truth", "y", "--pred", "lr", "--pred", "rf", "--format", "csv")
    plain = _run(capsys, "compare", rows, *args)[1]
    assert _run(capsys, "compare", tmp_path / "rows.parquet", *args)[1] == plain
    assert _run(capsys, "compare", tmp_path / "rows.tsv", *args)[1] == plain


def test_bonferroni_multiplies_by_the_pairs(capsys, rows):
    models = ("--pred", "lr", "--pred", "rf", "--pred", "guess", "--format", "json")
    plain, adjusted = (
        json.loads(_run(capsys, "compare", rows, "--truth", "y", *models, "--adjust", how)[1])["differences"]
        for how in ("none", "bonferroni")
    )
    for raw, three_times in zip(plain, adjusted, strict=True):
        assert three_times["adjusted_p"] == pytest.approx(min(1, 3 * raw["adjusted_p"]))
    told = _run(capsys, "compare", rows, "--truth", "y", *models[:-2], "--adjust", "bonferroni")[1]
    assert "3 pairs, Bonferroni" in told
    assert set(ADJUSTMENT_NAMES) == set(ADJUSTMENTS) - {"none"}


def test_the_truth_is_no_model(capsys, rows):
    calls = [
        ("compare", rows, "--truth", "y", "--pred", "y", "--pred", "lr"),
        ("compare", rows, "--truth", "y", "--pred", "lr", "--pred", "y", "--engine", "local"),
        ("gate", rows, "--truth", "y", "--candidate", "y", "--baseline", "lr"),
        ("gate", rows, "--truth", "lr", "--candidate", "rf", "--baseline", "lr"),
        ("gate", rows, "--truth", "y", "--candidate", "y", "--at-least", "0.5"),
        ("gate", rows, "--truth", "y", "--candidate", "y", "--baseline", "lr", "--engine", "local"),
        ("assess", rows, "--truth", "y", "--pred", "y"),
        ("assess", rows, "--truth", "y", "--score", "y", "--pos-label", "1"),
    ]
    for call in calls:
        code, out, err = _run(capsys, *call)
        assert (code, out) == (2, "")
        assert "is the truth" in err
        assert "name the column that holds the answers" in err


def test_the_places_alone(capsys, rows):
    models = ("--pred", "lr", "--pred", "rf", "--pred", "guess")
    code, out, _ = _run(capsys, "compare", rows, "--truth", "y", *models, "--ranks")
    assert code == 0
    assert "places it may have" in out
    assert "first − second" not in out
    y, _, labels = _data()
    c = sf.compare(y, labels)
    assert c.ranks is not None
    assert c.best_set is not None
    code, out, _ = _run(capsys, "compare", rows, "--truth", "y", *models, "--ranks", "--format", "csv")
    told = {row["model"]: row for row in csv.DictReader(io.StringIO(out))}
    assert {n: (int(r["low"]), int(r["high"])) for n, r in told.items()} == {
        n: (r.low, r.high) for n, r in c.ranks.items()
    }
    assert {n for n, r in told.items() if r["may_be_best"] == "True"} == set(c.best_set)


def test_no_places_of_two_models_or_with_a_control(capsys, rows):
    two = ("compare", rows, "--truth", "y", "--pred", "lr", "--pred", "rf", "--ranks")
    for args in (two, (*two, "--pred", "guess", "--control", "lr")):
        code, out, err = _run(capsys, *args)
        assert (code, out) == (2, "")
        assert "name three models or more, without --control" in err
