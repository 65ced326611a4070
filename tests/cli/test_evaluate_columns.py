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


def ids(path, n=30):
    """An id, a code and a count; "far" is whole numbers that are all different too, but with gaps."""
    rng = np.random.default_rng(0)
    columns = {
        "id": range(100, 100 + n),
        "code": [f"c{i}" for i in range(n)],
        "far": range(0, 7 * n, 7),
        "x": rng.normal(size=n),
        "count": [1, 2, 3] * (n // 3),
    }
    return table(path, **columns, y=["a", "b"] * (n // 2))


def codes(out):
    return {f["code"]: f["evidence"].get("columns") for f in json.loads(out)["findings"]}


SMALL = ("--target", "y", "--folds", "3", "--format", "json")


@pytest.mark.parametrize(("command", "models"), [("evaluate", ("--model", "bayes")), ("select", ("--models", "bayes"))])
def test_columns_that_look_like_names_of_rows_are_left_out_or_told(capsys, tmp_path, command, models):
    path = ids(tmp_path / "ids.csv")
    code, out, err = run(capsys, path, *SMALL, *models, command=command)
    assert code == 0
    told = codes(out)
    assert told["row_names_left_out"] == ["id", "code"]  # x has fractions, count repeats
    assert told["like_row_names"] == ["far"]  # with gaps it may well count something: it stays
    assert err.startswith("Left out columns 'id', 'code'")  # before anything is fitted
    assert json.loads(out)["findings"][0]["sentence"] in err
    told = codes(run(capsys, path, *SMALL, *models, "--categorical", "code", command=command)[1])
    assert told["row_names_left_out"] == ["id"]
    named = [word for name in ("id", "code", "x") for word in ("--features", name)]
    told = codes(run(capsys, path, *SMALL, *models, *named, command=command)[1])
    assert "row_names_left_out" not in told
    assert told["like_row_names"] == ["id", "code"]
    dropped = [word for name in ("id", "code", "far") for word in ("--drop", name)]
    assert not {"row_names_left_out", "like_row_names"} & set(
        codes(run(capsys, path, *SMALL, *models, *dropped, command=command)[1])
    )


def test_what_names_rows_in_few_rows_or_alone_is_not_left_out(capsys, tmp_path):
    few = table(tmp_path / "few.csv", id=range(12), x=np.arange(12) / 3, y=["a", "b"] * 6)
    assert "row_names" not in run(capsys, few, *SMALL, "--model", "bayes")[1]
    alone = table(tmp_path / "alone.csv", x=range(30), y=["a"] * 15 + ["b"] * 15)
    assert "row_names_left_out" not in codes(run(capsys, alone, *SMALL, "--model", "bayes")[1])


def test_half_of_the_words_decide(capsys, tmp_path):
    words = [f"w{i}" for i in range(15)] + ["same"] * 15  # of 30 rows 15 have a word of their own: half, and not more
    path = table(tmp_path / "half.csv", word=words, x=np.arange(30) / 3, y=["a", "b"] * 15)
    assert "row_names_left_out" not in codes(run(capsys, path, *SMALL, "--model", "tree")[1])
    path = table(tmp_path / "more.csv", word=["w", *words[1:29], "v"], x=np.arange(30) / 3, y=["a", "b"] * 15)
    assert codes(run(capsys, path, *SMALL, "--model", "tree")[1])["row_names_left_out"] == ["word"]


def test_a_stored_run_leaves_out_the_same_columns_when_it_is_resumed(capsys, tmp_path):
    path, store = ids(tmp_path / "ids.csv"), str(tmp_path / "ids.db")
    for more in ((), ("--features", "id", "--features", "x")):
        out = run(capsys, path, *SMALL[:4], "--model", "bayes", "--store", store, "--run", f"r{len(more)}", *more)[1]
        assert ("[row_names_left_out]" in out) == (not more)
        assert run(capsys, store, "--run", f"r{len(more)}", command="resume")[1] == out
        code, again, _ = run(
            capsys, path, *SMALL[:4], "--model", "bayes", "--store", store, "--run", f"r{len(more)}", *more
        )
        assert (code, again) == (0, out)  # the same data as before: nothing is refused


def test_levels_seen_once_are_one_and_many_levels_stay_sparse(tmp_path):
    from surefold.cli.features import read_features
    from surefold.cli.models import BUILT_IN, build_models
    from surefold.inputs.tables import read_table

    # 300 levels twice, 40 once: 300 columns and one of the rare levels, or 254 of the commonest and one of the others
    words = [f"w{i // 2:03}" for i in range(600)] + [f"once{i}" for i in range(40)] + ["w000"] * 5
    x = np.random.default_rng(0).normal(size=645).round(3)
    path = table(tmp_path / "w.csv", w=words, x=x, y=["a" if value > 0 else "b" for value in x])
    data = read_table(path)
    features = read_features(data, ["w", "x"])
    assert features.prepared == (
        "Words as one column a level, those that a training part has once count as one: 'w' (340).",
    )
    y = data.column("y").to_numpy()
    for name, model in build_models(list(BUILT_IN), features).items():
        prepare = model.fit(features.frame, y).named_steps["prepare"]
        made = prepare.transform(features.frame)
        is_sparse = name in ("logistic", "tree", "forest")
        assert hasattr(made, "tocsr") == is_sparse, name
        assert made.shape == (645, (301 if is_sparse else 255) + 1), name
        (encoder,) = (step for _, step in prepare.named_transformers_["words"].steps)
        rare = encoder.transform(features.frame[[0, 600, 601], ["w"]].vstack(features.frame[:1, ["w"]]))
        rows = rare.toarray() if is_sparse else rare
        assert (rows[1] == rows[2]).all()
        assert (rows[0] == rows[3]).all()
        assert rows[1].argmax() == rows.shape[1] - 1
        assert model.score(features.frame, y) > 0.5
