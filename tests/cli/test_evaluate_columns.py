"""The columns of a table as features: which can be learnt from, which cannot, and which look like names of rows."""

import json

import numpy as np
import pytest

from surefold.cli.main import main


def run(capsys, *args, command="evaluate"):
    code = main([command, *args])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def table(path, **columns):
    names = list(columns)
    rows = zip(*columns.values(), strict=True)
    path.write_text("\n".join([",".join(names), *(",".join(map(str, row)) for row in rows)]) + "\n")
    return str(path)


def test_what_is_learnt_to_prepare_is_learnt_in_the_training_part(tmp_path):
    from surefold.cli.features import read_features
    from surefold.cli.models import build_models
    from surefold.inputs.tables import read_table

    path = table(tmp_path / "w.csv", a=[1, 2, 3, 4], w=["u", "v", "u", "x"], y=list("abab"))
    features = read_features(read_table(path), ["a", "w"])
    model = build_models(["logistic"], features)["logistic"].fit(features.frame[:2], np.array(["a", "b"]))
    words = model.named_steps["prepare"].named_transformers_["words"].named_steps["encode"]
    assert [list(c) for c in words.categories_] == [["u", "v"]]
    assert model.named_steps["prepare"].named_transformers_["numbers"].named_steps["scale"].mean_ == pytest.approx(1.5)
    assert model.predict(features.frame[3:]).shape == (1,)  # a word that was not trained on


def test_columns_that_cannot_be_learnt_from(capsys, tmp_path):
    y = ["a", "b"] * 12
    gaps = table(tmp_path / "gaps.csv", x=["", *map(str, range(23))], word=["u"] * 23 + [""], y=y)
    code, _, err = run(capsys, gaps, "--target", "y", "--model", "tree")
    assert code == 2
    assert "'x' (1), 'word' (1)" in err
    assert "rows 1, 24 (file lines 2, 25)" in err
    assert "--impute" in err
    mixed = table(tmp_path / "mixed.csv", x=[*map(str, range(22)), "NA", "?"], z=range(24), y=y)
    code, _, err = run(capsys, mixed, "--target", "y", "--model", "tree")
    assert code == 2
    assert "'NA'" in err
    assert "rows 23, 24" in err
    assert "--categorical 'x'" in err
    assert run(capsys, mixed, "--target", "y", "--model", "tree", "--categorical", "x", "--folds", "2")[0] == 0
    assert run(capsys, mixed, "--target", "y", "--model", "tree", "--drop", "x", "--folds", "2")[0] == 0
    code, _, err = run(capsys, mixed, "--target", "y", "--model", "tree", "--drop", "x", "--drop", "z")
    assert "no column is left" in err
    code, _, err = run(capsys, mixed, "--target", "y", "--model", "tree", "--features", "y")
    assert "is the target" in err
    code, _, err = run(capsys, mixed, "--target", "y", "--model", "tree", "--features", "z", "--categorical", "x")
    assert "not among the features" in err
    comma = table(tmp_path / "comma.csv", x=['"1,5"'] + [f"{i}" for i in range(23)], y=y)
    code, _, err = run(capsys, comma, "--target", "y", "--model", "tree")
    assert "--decimal ," in err
    assert run(capsys, comma, "--target", "y", "--model", "tree", "--decimal", ",", "--folds", "2")[0] == 0
    infinite = table(tmp_path / "inf.csv", x=["inf", *map(str, range(23))], y=y)
    assert "infinite values" in run(capsys, infinite, "--target", "y", "--model", "tree")[2]
    unlabelled = table(tmp_path / "nolabel.csv", x=range(24), y=["", *y[1:]])
    code, _, err = run(capsys, unlabelled, "--target", "y", "--model", "tree")
    assert code == 2
    assert "file line 2" in err
    assert "--drop-missing" not in err


def test_parquet_keeps_its_kinds(capsys, tmp_path):
    import datetime as dt

    import polars as pl

    y = ["a", "b"] * 12
    frame = pl.DataFrame({"x": range(24), "flag": [True, False] * 12, "word": ["u", "v", "w"] * 8, "y": y})
    frame.write_parquet(tmp_path / "d.parquet")
    args = ("--target", "y", "--model", "tree", "--folds", "2", "--repeats", "1")
    assert run(capsys, str(tmp_path / "d.parquet"), *args)[0] == 0
    days = [dt.date(2024, 1, 1 + i) for i in range(24)]
    frame.with_columns(day=pl.Series(days)).write_parquet(tmp_path / "e.parquet")
    code, _, err = run(capsys, str(tmp_path / "e.parquet"), *args)
    assert code == 2
    assert "holds Date values" in err
    assert run(capsys, str(tmp_path / "e.parquet"), *args[:4], "--time", "day", "--folds", "2")[0] == 0


def test_columns_that_look_like_names_of_rows_are_told_and_kept(capsys, tmp_path):
    rng = np.random.default_rng(0)
    y = ["a", "b"] * 15
    columns = {
        "id": range(100, 130),
        "code": [f"c{i}" for i in range(30)],
        "x": rng.normal(size=30),
        "count": [1, 2, 3] * 10,
    }
    path = table(tmp_path / "ids.csv", **columns, y=y)
    small = ("--target", "y", "--folds", "3", "--format", "json")
    for command, models in (("evaluate", ("--model", "bayes")), ("select", ("--models", "bayes,tree"))):
        code, out, _ = run(capsys, path, *small, *models, command=command)
        assert code == 0
        (told,) = [f for f in json.loads(out)["findings"] if f["code"] == "like_row_names"]
        assert told["evidence"]["columns"] == ["id", "code"]  # x has fractions, count repeats
        assert "--drop" in told["sentence"]
        code, out, _ = run(capsys, path, *small, *models, "--drop", "id", "--drop", "code", command=command)
        assert code == 0
        assert "like_row_names" not in out
    few = table(tmp_path / "few.csv", id=range(12), x=rng.normal(size=12), y=y[:12])
    assert "like_row_names" not in run(capsys, few, *small, "--model", "bayes")[1]
    stored = ("--store", str(tmp_path / "ids.db"))
    out = run(capsys, path, *small[:4], "--model", "bayes", *stored)[1]
    assert "[like_row_names]" in out
    assert run(capsys, stored[1], command="resume")[1] == out
