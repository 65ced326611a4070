"""`surefold evaluate` as a person or a pipeline meets it."""

import csv
import io
import json
import os
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_iris

from surefold.cli.evaluate import bytes_asked
from surefold.cli.main import main
from surefold.cli.models import BUILT_IN
from surefold.errors import InputError
from surefold.learners import NaiveBayes
from surefold.resampling.evaluate import cross_validate
from surefold.resampling.run import Stopped

IRIS = load_iris()
CODE = '''
import os
import time

import numpy as np
from sklearn.naive_bayes import GaussianNB


class Flaky(GaussianNB):
    """Fails where the first training row is the second flower, which is so in one fold of a repeat."""

    def fit(self, X, y, sample_weight=None):
        if float(np.asarray(X)[0, 0]) == 4.9:
            raise ValueError("\\x1b[31m=cmd() <b>no luck</b>")
        return super().fit(X, y)


class Slow(GaussianNB):
    def fit(self, X, y, sample_weight=None):
        print("begun", flush=True)
        with open("begun", "w"):
            pass
        until = time.monotonic() + 30
        while time.monotonic() < until:
            try:
                time.sleep(30)
            except BaseException:  # as compiled code would
                pass
        return self


def flaky():
    return Flaky()


def slow():
    return Slow()


def plain():
    return GaussianNB()


def boom():
    raise RuntimeError("no\\x1b[31m")


def number():
    return 3


def regressor():
    from sklearn.linear_model import LinearRegression

    return LinearRegression()
'''


@pytest.fixture(name="folder")
def _folder(tmp_path, monkeypatch):
    """A folder with the flowers, and a module of models; the process is in it."""
    names = "sepal_length,sepal_width,petal_length,petal_width,species"
    lines = [",".join([*map(str, x), str(IRIS.target_names[t])]) for x, t in zip(IRIS.data, IRIS.target, strict=True)]
    (tmp_path / "iris.csv").write_text("\n".join([names, *lines]) + "\n")
    module = f"models_{abs(hash(str(tmp_path))) % 10**9}"
    (tmp_path / f"{module}.py").write_text(CODE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    yield tmp_path
    sys.modules.pop(module, None)


def code_in(folder):
    return next(path.stem for path in folder.glob("models_*.py"))


def run(capsys, *args):
    code = main(["evaluate", *args])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def flowers(capsys, *args):
    return run(capsys, "iris.csv", "--target", "species", *args)


def table(path, **columns):
    names = list(columns)
    rows = zip(*columns.values(), strict=True)
    path.write_text("\n".join([",".join(names), *(",".join(map(str, row)) for row in rows)]) + "\n")
    return str(path)


def test_one_model_by_the_defaults_of_the_design(capsys, folder):
    code, out, err = flowers(capsys, "--model", "bayes")
    assert code == 0
    assert "bayes: 10 x 10 folds of 150 rows, stratified, seed 0" in out
    same: Any = cross_validate(NaiveBayes(), IRIS.data, IRIS.target, folds=10, repeats=10, random_state=0)
    assert f"{same.mean('accuracy'):.3f}" in out
    assert "How we know: Accuracy" in out
    assert err == ""


def test_several_models_make_a_study(capsys, folder):
    args = ("--model", "tree", "--model", "other=bayes", "--folds", "3", "--repeats", "1", "--format", "json")
    code, out, _ = flowers(capsys, *args)
    assert code == 0
    document = json.loads(out)
    assert document["kind"] == "study"
    assert list(document["models"]) == ["tree", "other"]
    assert document["file"]["rows"] == 150


@pytest.mark.parametrize("name", BUILT_IN)
def test_every_built_in_model_takes_numbers_words_and_gaps(capsys, folder, name):
    rng = np.random.default_rng(0)
    y = np.array(["no", "yes"] * 40)
    x = np.where(rng.random(80) < 0.1, "", np.round(rng.normal(size=80) + 2 * (y == "yes"), 3).astype(str))
    word = np.where(rng.random(80) < 0.1, "", np.where(rng.random(80) < 0.8, y, "other"))
    path = table(folder / "mixed.csv", x=x, z=rng.normal(size=80), word=word, same=["1"] * 80, y=y)
    args = (path, "--target", "y", "--model", name, "--folds", "3", "--repeats", "1", "--pos-label", "yes")
    code, out, _ = run(capsys, *args, "--impute", "--format", "json")
    assert code == 0
    document = json.loads(out)
    assert document["complete"]
    accuracy = document["overall"]["accuracy"]["value"]
    assert accuracy == pytest.approx(0.5, abs=0.02) if name == "majority" else accuracy > 0.7


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["--holdout", "0.3"], "45 of 150 rows held out"),
        (["--holdout", "30", "--repeats", "2"], "30 of 150 rows held out, 2 times"),
        (["--leave-one-out"], "each of 150 rows left out alone"),
        (["--nested", "--folds", "3"], "nested: 3 folds of 150 rows"),
        (["--5x2"], "5 x 2 folds of 150 rows"),
        (["--bootstrap", "5"], "5 samples of 150 rows drawn with replacement"),
        (["--folds", "3", "--repeats", "1", "--no-stratify"], "3 folds of 150 rows, not stratified"),
    ],
)
def test_schemes(capsys, folder, args, words):
    code, out, _ = flowers(capsys, "--model", "bayes", *args, "-m", "accuracy")
    assert code == 0
    assert f"bayes: {words}" in out


def test_groups_time_weight_and_pairs(capsys, folder):
    rng = np.random.default_rng(1)
    y = np.array(["no", "yes"] * 15)
    columns: dict[str, Any] = {
        "x": np.round(rng.normal(size=30) + 2 * (y == "yes"), 3),
        "who": np.repeat(np.arange(10), 3),
        "when": [f"2024-{m:02d}-{d:02d}" for m in range(1, 4) for d in range(1, 11)],
        "w": rng.integers(1, 4, 30),
        "y": y,
    }
    path = table(folder / "rows.csv", **columns)
    base = (path, "--target", "y", "--model", "bayes", "--features", "x", "--pos-label", "yes", "-m", "roc_auc")
    assert "10 groups kept together" in run(capsys, *base, "--groups", "who", "--folds", "3", "--repeats", "1")[1]
    assert "3 folds of 30 rows in time order" in run(capsys, *base, "--time", "when", "--folds", "3")[1]
    weighted = run(capsys, *base, "--weight", "w", "--folds", "3", "--repeats", "1", "--format", "json")[1]
    same: Any = cross_validate(
        NaiveBayes(), columns["x"][:, None], y, folds=3, random_state=0, pos_label="yes", sample_weight=columns["w"]
    )
    assert json.loads(weighted)["overall"]["roc_auc"]["value"] == pytest.approx(same.mean("roc_auc"))
    assert "225 pairs of 30 rows left out" in run(capsys, *base, "--leave-pair-out")[1]
    code, _, err = run(capsys, *base[:4], "knn", *base[5:], "--weight", "w")
    assert code == 2
    assert "knn's fit does not take weights" in err
    assert run(capsys, *base[:4], "logistic", *base[5:], "--weight", "w", "--folds", "3")[0] == 0
    columns["when"][4] = "31/12/2024"
    path = table(folder / "rows.csv", **columns)
    code, _, err = run(capsys, *base, "--time", "when", "--folds", "3")
    assert code == 2
    assert "row 5 (file line 6)" in err


def test_formats_parse(capsys, folder):
    args = ("--model", "bayes", "--folds", "3", "--repeats", "1", "--format")
    document = json.loads(flowers(capsys, *args, "json")[1])
    assert (document["kind"], document["complete"]) == ("resampled", True)
    assert len(document["file"]["sha256"]) == 64
    rows = list(csv.DictReader(io.StringIO(flowers(capsys, *args, "csv")[1])))
    assert {row["model"] for row in rows} == {"bayes"}
    assert "| accuracy |" in flowers(capsys, *args, "md")[1]
    suite = ET.fromstring(flowers(capsys, *args, "junit")[1].split("\n", 1)[1])
    assert suite.get("failures") == "0"


def test_a_failed_fold_is_seen_in_every_format_and_exits_3(capsys, folder):
    args = ("--model", f"m={code_in(folder)}:flaky", "--folds", "5", "--repeats", "1", "--format")
    code, out, err = flowers(capsys, *args, "table")
    assert code == 3
    assert "INCOMPLETE: 1 of 5" in out
    assert "there is no verdict before every fold" in " ".join(out.split())
    assert "--store" in err
    code, out, _ = flowers(capsys, *args, "json")
    document = json.loads(out)
    assert (code, document["complete"], document["missing"][0]["fold"]) == (3, False, 1)
    assert "Traceback" in document["missing"][0]["traceback"]
    code, out, _ = flowers(capsys, *args, "csv")
    assert code == 3
    assert "\x1b" not in out
    assert {row["complete"] for row in csv.DictReader(io.StringIO(out))} == {"True", "False"}
    code, out, _ = flowers(capsys, *args, "md")
    assert out.startswith("**incomplete**")
    assert "<b>" not in out
    code, out, _ = flowers(capsys, *args, "junit")
    assert ET.fromstring(out.split("\n", 1)[1]).get("failures") == "1"


def test_hostile_columns_labels_and_errors_reach_the_terminal_as_escapes(capsys, folder):
    y = ["\x1b[31mred", "=cmd()"] * 10
    path = folder / "evil.csv"
    rows = "".join(f"{i % 7},\x1b[2J{i},{label}\n" for i, label in enumerate(y))
    path.write_text("\x1b[31mx,name,y\n" + rows, encoding="utf-8")
    for shape in ("table", "md", "csv", "junit", "json"):
        args = (str(path), "--target", "y", "--model", "tree", "--folds", "2", "--repeats", "1", "--format", shape)
        code, out, err = run(capsys, *args)
        assert code == 0
        assert "\x1b" not in out + err
    assert "--categorical or --features keeps it" in out
    code, out, err = run(capsys, str(path), "--target", "yy", "--model", "tree")
    assert code == 2
    assert "\x1b" not in err


@pytest.mark.parametrize(
    ("model", "words"),
    [
        ("nosuch:make", "there is no module 'nosuch'"),
        ("{code}:flakky", "did you mean 'flaky'"),
        ("{code}:boom", "raised RuntimeError: no\\x1b[31m"),
        ("{code}:number", "returned a int, not a classifier"),
        ("{code}:Flaky.theta", "has no 'theta'"),
        ("{code}:regressor", "is a regressor, not a classifier"),
        ("{code}:CODE", "has no 'CODE'"),
        ("math:pi", "is a float, not a function"),
        ("a b:c", "not of the form module:factory"),
        ("tre", "did you mean 'tree'"),
        ("model.pkl", "pickled model could run any code"),
        ("mine=models/best.joblib", "pickled model could run any code"),
        ("=tree", "--model NAME"),
    ],
)
def test_models_that_cannot_be_had(capsys, folder, model, words):
    code, out, err = flowers(capsys, "--model", model.format(code=code_in(folder)))
    assert (code, out) == (2, "")
    assert words in err
    assert "Traceback" not in err


def test_code_that_is_named_is_run_from_the_current_folder(capsys, folder):
    module = code_in(folder)
    code, out, _ = flowers(capsys, "--model", f"{module}:plain", "--folds", "3", "--repeats", "1")
    assert code == 0
    assert f"{module}:plain: 3 folds" in out
    (folder / f"{module}_broken.py").write_text("import not_there_at_all\n")
    code, _, err = flowers(capsys, "--model", f"{module}_broken:make")
    assert code == 2
    assert "raised ModuleNotFoundError" in err


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["--holdout", "0.3", "--nested"], "--holdout and --nested cannot be asked for together"),
        (["--holdout", "0.3", "--folds", "3"], "--folds does nothing with --holdout"),
        (["--leave-one-out", "--repeats", "3"], "--repeats does nothing with --leave-one-out"),
        (["--bootstrap", "5", "--no-stratify"], "--no-stratify does nothing with --bootstrap"),
        (["--holdout", "third"], "--holdout 'third'"),
        (["--holdout", "1.5"], "1.5"),
        (["--max-memory", "plenty"], "--max-memory 'plenty'"),
        (["--folds", "1"], "folds is 1"),
        (["--folds", "60"], "too_few_of_a_class"),
        (["--jobs", "0"], "--jobs 0"),
        (["--confidence", "95"], "--confidence 0.95"),
        (["-m", "acuracy"], "did you mean 'accuracy'"),
        (["--pos-label", "rose"], "rose"),
        (["--model", "tree"], "two models are called 'tree'"),
        (["--model", "knn", "--bootstrap", "3"], "--bootstrap takes one model"),
        (["--store", "no/such/folder/runs.db"], "there is no folder"),
    ],
)
def test_bad_usage_is_2_and_says_what(capsys, folder, args, words):
    code, out, err = flowers(capsys, "--model", "tree", *args)
    assert (code, out) == (2, "")
    assert words in err


def test_the_bootstrap_in_every_format(capsys, folder):
    args = ("--model", "bayes", "--bootstrap", "4", "-m", "accuracy", "-m", "brier_multiclass", "--format")
    document = json.loads(flowers(capsys, *args, "json")[1])
    assert set(document["estimates"]) == {"accuracy", "brier_multiclass"}
    rows = list(csv.DictReader(io.StringIO(flowers(capsys, *args, "csv")[1])))
    assert float(next(row["value"] for row in rows if row["measure"] == "accuracy point632plus")) > 0.8
    assert ".632+" in flowers(capsys, *args, "md")[1]
    assert len(ET.fromstring(flowers(capsys, *args, "junit")[1].split("\n", 1)[1])) == 2 + 10


def test_what_was_noticed_about_the_file_travels_with_every_result(capsys, folder):
    text = (folder / "iris.csv").read_text().replace(",", ";")
    (folder / "semi.csv").write_text(text)
    for how in (["--folds", "3"], ["--folds", "3", "--model", "tree"], ["--bootstrap", "3"]):
        args = ("semi.csv", "--target", "species", "--model", "bayes", *how, "--store", f"{len(how)}{how[0]}.db")
        code, out, _ = run(capsys, *args, "-m", "accuracy")
        assert code == 0
        assert "[delimiter]" in out
        main(["resume", f"{len(how)}{how[0]}.db"])
        assert capsys.readouterr().out == out


def test_standard_input_can_be_read_but_not_resumed(capsys, folder, monkeypatch):
    data = (folder / "iris.csv").read_bytes()
    model = ("--model", f"m={code_in(folder)}:flaky", "--folds", "5", "--repeats", "1", "--store", "in.db")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    assert run(capsys, "-", "--target", "species", *model)[0] == 3
    assert main(["resume", "in.db"]) == 2
    assert "standard input" in capsys.readouterr().err


@pytest.mark.parametrize(("stop", "code"), [(KeyboardInterrupt(), 130), (Stopped(signal.SIGTERM), 143)])
@pytest.mark.parametrize("store", [None, "runs.db"])
def test_being_stopped_says_how_to_go_on(capsys, folder, monkeypatch, stop, code, store):
    def stopped(*args, **options):
        raise stop

    monkeypatch.setattr("surefold.cli.experiment.cross_validate", stopped)
    options = () if store is None else ("--store", store, "--run", "a b")
    found, out, err = flowers(capsys, "--model", "tree", *options)
    assert (found, out) == (code, "")
    assert ("resume with: surefold resume runs.db --run 'a b'" in err) == (store is not None)


def test_help_lists_the_models(capsys):
    code, out, _ = run(capsys, "--help")
    assert code == 0
    assert all(f"    {name} " in out for name in BUILT_IN)


def test_sizes():
    assert bytes_asked("1.5 MB") == 1_500_000
    with pytest.raises(InputError, match="2GB"):
        bytes_asked("2XB")


def _started(folder, model, **options):
    """The command in a process of its own, once it is inside a fit."""
    args = ["evaluate", "iris.csv", "--target", "species", "--model", model, "--store", "my runs.db", "--folds", "3"]
    process = subprocess.Popen([sys.executable, "-m", "surefold.cli.main", *args], cwd=folder, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True, **options)  # fmt: skip
    until = time.monotonic() + 30
    while not (folder / "begun").exists():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < until
        time.sleep(0.02)
    return process


@pytest.mark.skipif(os.name != "posix", reason="signals")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_fit_that_does_not_react_is_left_within_two_seconds(folder, number, code):
    process = _started(folder, f"m={code_in(folder)}:slow")
    start = time.monotonic()
    process.send_signal(number)
    out, err = process.communicate(timeout=20)
    assert time.monotonic() - start < 2.5
    assert process.returncode == code
    assert "resume with: surefold resume 'my runs.db'" in err
    assert out == ""
    assert Path(folder / "my runs.db").exists()
