"""`surefold select` as a person or a pipeline meets it."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris

from surefold.cli.main import main
from surefold.cli.models import BUILT_IN
from surefold.cli.select import GRIDS

IRIS = load_iris()


@pytest.fixture(name="folder")
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the flowers and the tumours; the process is in it."""
    lines = [",".join([*map(str, x), str(IRIS.target_names[t])]) for x, t in zip(IRIS.data, IRIS.target, strict=True)]
    (tmp_path / "iris.csv").write_text("\n".join(["a,b,c,d,species", *lines]) + "\n")
    data, target = load_breast_cancer(return_X_y=True)
    rows = [",".join([*map(str, x[:4]), "ill" if t == 0 else "well"]) for x, t in zip(data, target, strict=True)]
    (tmp_path / "tumours.csv").write_text("\n".join(["r,t,p,s,state", *rows]) + "\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(capsys: Any, *args: str) -> tuple[int, str, str]:
    code = main(["select", *args])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def flowers(capsys: Any, *args: str) -> tuple[int, str, str]:
    return run(capsys, "iris.csv", "--target", "species", "--models", "bayes,tree", "--folds", "3", *args)


def test_what_a_person_sees(folder: Path, capsys: Any) -> None:
    code, out, err = flowers(capsys, "--grid", "tree.max_depth=1,3")
    assert code == 0
    assert "claimed by the search" in out
    assert "How we know:" in out
    assert "Cross-validation: 3 candidates by accuracy, 11 fits" in err  # 3 x 3 + a test + the last, told beforehand
    assert "Rows: 112 rows choose" in err


def test_json_is_the_result_alone(folder: Path, capsys: Any) -> None:
    code, out, err = flowers(capsys, "--format", "json", "--quiet", "--strategy", "nested", "--outer-folds", "3")
    found = json.loads(out)
    assert (code, err) == (0, "")
    assert found["kind"] == "selection"
    assert found["file"]["rows"] == 150
    assert len(found["outer_folds"]) == 3
    assert found["selected_from"] == 1 + len(GRIDS["tree"]["max_depth"]) * len(GRIDS["tree"]["min_samples_leaf"])
    assert found["estimate"]["low"] < found["estimate"]["high"]


def test_csv_and_markdown(folder: Path, capsys: Any) -> None:
    _, out, _ = flowers(capsys, "--format", "csv", "--race", "--folds", "6")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert len(rows) == 13
    assert sum(row["chosen"] == "True" for row in rows) == 1
    _, out, _ = flowers(capsys, "--format", "md")
    assert out.startswith("**")
    assert "| candidate | accuracy |" in out


def test_costs_choose(folder: Path, capsys: Any) -> None:
    options = ["tumours.csv", "--target", "state", "--pos-label", "ill", "--models", "bayes,tree", "--folds", "3"]
    code, out, _ = run(capsys, *options, "--costs", "fp=1,fn=10", "--format", "json")
    found = json.loads(out)
    assert code == 0
    assert found["measure"] == "expected_cost"
    assert found["costs"] == [[0, 10], [1, 0]]  # ill before well, as labels sort
    assert found["threshold"]["least_cost"]["value"] < 0.5
    code, _, err = run(capsys, *options, "--costs", "fp:1")
    assert code == 2
    assert "write --costs fp=1,fn=5" in err


def test_the_result_is_saved_and_describes_itself(folder: Path, capsys: Any) -> None:
    code, _, err = flowers(capsys, "--save", "result.json")
    found = json.loads((folder / "result.json").read_text())
    assert code == 0
    assert "wrote result.json" in err
    assert found["chosen"]["class"]
    assert found["data"]["fingerprint"]
    assert found["file"]["sha256"]
    assert [path.name for path in folder.glob(".result*")] == []


def test_a_model_is_pickled_only_with_consent(folder: Path, capsys: Any) -> None:
    code, _, err = flowers(capsys, "--save-model", "model.joblib")
    assert code == 2
    assert "--trust-pickle" in err
    assert not (folder / "model.joblib").exists()
    code, _, err = flowers(capsys, "--save-model", "model.joblib", "--trust-pickle")
    assert code == 0
    assert "load it only where" in err
    import polars as pl

    model = joblib.load("model.joblib")
    X = pl.read_csv("iris.csv").drop("species")
    assert (model.predict(X) == IRIS.target_names[IRIS.target]).mean() > 0.9


def test_a_store_goes_on(folder: Path, capsys: Any) -> None:
    first = flowers(capsys, "--store", "runs.db", "--format", "json")
    second = flowers(capsys, "--store", "runs.db", "--format", "json")
    assert first[0] == second[0] == 0
    assert first[1] == second[1]
    assert "resume with: surefold resume" in first[2]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--models", "tre"], "did you mean 'tree'"),
        (["--models", ","], "names none"),
        (["--grid", "tree=2"], "write --grid"),
        (["--grid", "forest.max_depth=2"], "no model 'forest'"),
        (["--grid", "tree.depth=2"], "no parameter of tree 'depth'"),
        (["--measure", "acuracy"], "did you mean 'accuracy'"),
        (["--no-test", "--test", "0.2"], "cannot be asked for together"),
        (["--no-test", "--strategy", "quick"], "does nothing with"),
        (["--strategy", "best"], "is not one of"),
        (["--save", "nowhere/result.json"], "there is no folder"),
        (["--save", "."], "is a folder"),
    ],
)
def test_what_is_refused_before_any_fit(folder: Path, capsys: Any, options: list[str], says: str) -> None:
    code, out, err = flowers(capsys, *options)
    assert (code, out) == (2, "")
    assert says in err


def test_grids_are_of_built_in_models_and_their_parameters(folder: Path, capsys: Any) -> None:
    """Every grid runs: the parameters it names are there, in a pipeline too."""
    assert set(GRIDS) <= set(BUILT_IN)
    names = ",".join(name for name in GRIDS if name not in ("forest", "boosting"))
    code, out, _ = run(capsys, "iris.csv", "--target", "species", "--models", names, "--folds", "2", "--no-test",
                       "--format", "json")  # fmt: skip
    found = json.loads(out)
    assert code == 0
    for name, grid in GRIDS.items():
        if name in names:
            there = [row for row in found["table"] if row["model"] == name]
            assert len(there) == np.prod([len(values) for values in grid.values()])


def test_help_lists_strategies_and_grids(capsys: Any) -> None:
    code, out, _ = run(capsys, "--help")
    assert code == 0
    assert "train_validation_test" in out
    assert "max_depth 2, 4, 8, None" in out
