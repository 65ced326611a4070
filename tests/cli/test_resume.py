"""`surefold resume`: only what is missing is run, and a store is shown, listed, mended or refused for a reason."""

import io
import json
import os
import re
import sqlite3
import stat
import sys
from contextlib import closing
from typing import Any

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from surefold.cli.main import main
from surefold.errors import RunError
from surefold.resampling.bootstrapped import Bootstrapped, bootstrap
from surefold.resampling.evaluate import cross_validate
from surefold.resampling.stored import open_run
from surefold.resampling.study import Study

RNG = np.random.default_rng(5)
Y = np.array(["no", "yes"] * 20)
X = np.round(RNG.normal(size=(40, 2)) + 1.5 * (Y == "yes")[:, None], 3)
CODE = """
import os

import numpy as np
from sklearn.naive_bayes import GaussianNB


class Counted(GaussianNB):
    # Fails where the first training row is not the file's first, unless it was mended; writes down each fit.
    def fit(self, X, y, sample_weight=None):
        with open("fits", "a") as file:
            file.write("x")
        if float(np.asarray(X)[0, 0]) != FIRST and not os.path.exists("mended"):
            raise ValueError("not yet")
        return super().fit(X, y)


def make():
    return Counted()
"""


@pytest.fixture(name="folder")
def _folder(tmp_path, monkeypatch):
    write(tmp_path / "data.csv")
    module = f"counted_{abs(hash(str(tmp_path))) % 10**9}"
    (tmp_path / f"{module}.py").write_text(CODE.replace("FIRST", repr(float(X[0, 0]))))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    yield tmp_path
    sys.modules.pop(module, None)


def write(path, x=X, y=Y, more=None):
    names = ["a", "b", "y"] if more is None else ["a", "b", "y", "more"]
    rows = [[*map(repr, map(float, row)), label] for row, label in zip(x, y, strict=True)]
    rows = rows if more is None else [[*row, more] for row in rows]
    path.write_text("\n".join(",".join(row) for row in [names, *rows]) + "\n")


def call(capsys, *args):
    code = main(list(args))
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def start(capsys, folder, *args, model="make"):
    module = next(path.stem for path in folder.glob("counted_*.py"))
    options = ("--model", f"m={module}:{model}", "--folds", "4", "--repeats", "1", "--retries", "0", *args)
    return call(capsys, "evaluate", "data.csv", "--target", "y", "--pos-label", "yes", "--store", "runs.db", *options)


def resumed(capsys, folder, *args):
    """`resume` with leave to run the code that `start` named."""
    module = next(path.stem for path in folder.glob("counted_*.py"))
    return call(capsys, "resume", "runs.db", "--trust", f"{module}:make", *args)


def fits(folder):
    return len((folder / "fits").read_text()) if (folder / "fits").exists() else 0


def spoil(path, sql, *values):
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute(sql, values)
    db.close()


def test_only_the_missing_fold_is_run_and_the_result_is_the_same(capsys, folder):
    code, out, err = start(capsys, folder)
    assert code == 3
    assert "resume with: surefold resume runs.db" in err
    assert fits(folder) == 4
    code, out, _ = resumed(capsys, folder)
    assert code == 3
    assert fits(folder) == 5  # still not mended: one fit more
    (folder / "mended").touch()
    code, out, err = resumed(capsys, folder, "--format", "json")
    assert code == 0
    assert fits(folder) == 6
    assert "makes models by" in err
    document = json.loads(out)
    whole = cross_validate(GaussianNB(), X, Y, folds=4, random_state=0, pos_label="yes")
    assert [split["values"]["accuracy"] for split in document["splits"]] == whole.values("accuracy").tolist()
    code, out, err = resumed(capsys, folder)
    assert (code, err, fits(folder)) == (0, "", 6)  # complete: nothing is fitted
    assert "m: 4 folds of 40 rows" in out


def test_a_complete_run_is_shown_from_a_read_only_store(capsys, folder):
    (folder / "mended").touch()
    assert start(capsys, folder, "-m", "kappa", "--confidence", "0.9")[0] == 0
    (folder / "data.csv").unlink()
    os.chmod("runs.db", stat.S_IRUSR)
    code, out, _ = call(capsys, "resume", "runs.db")
    assert code == 0
    assert "kappa" in out
    assert "90% interval" in out
    assert fits(folder) == 4


def test_studies_and_bootstraps_come_back_as_they_were(capsys, folder):
    options = ("--target", "y", "--pos-label", "yes", "--store", "runs.db")
    shown = {}
    for run, how in {
        "study": ["--model", "tree", "--model", "bayes", "--folds", "3", "--repeats", "2"],
        "boot": ["--model", "logistic", "--bootstrap", "6", "-m", "brier"],
    }.items():
        code, shown[run], _ = call(capsys, "evaluate", "data.csv", *options, "--run", run, *how)
        assert code == 0
    for run, text in shown.items():
        assert call(capsys, "resume", "runs.db", "--run", run)[1] == text
    assert isinstance(open_run("runs.db", "study"), Study)
    boot = open_run("runs.db", "boot")
    assert isinstance(boot, Bootstrapped)
    assert (boot.measure, boot.name) == ("brier", "logistic")


def test_several_runs_are_listed_with_their_state(capsys, folder):
    start(capsys, folder, "--run", "first")
    (folder / "mended").touch()
    start(capsys, folder, "--run", "second")
    code, out, err = call(capsys, "resume", "runs.db")
    assert code == 2
    assert "--run" in err
    lines = {line.split()[0]: line for line in out.splitlines()}
    assert "incomplete" in lines["first"]
    assert lines["second"].split()[1] == "complete"
    code, out, _ = call(capsys, "resume", "runs.db", "--format", "json")
    assert [run["name"] for run in json.loads(out)["runs"]] == ["first", "second"]
    code, _, err = call(capsys, "resume", "runs.db", "--run", "third")
    assert code == 2
    assert "holds no run 'third'" in err
    assert resumed(capsys, folder, "--run", "first")[0] == 0


def test_data_that_changed_are_refused_with_what_changed(capsys, folder):
    start(capsys, folder)
    (folder / "mended").touch()
    other = X.copy()
    other[3, 1] += 1
    write(folder / "data.csv", other)
    code, _, err = resumed(capsys, folder)
    assert code == 2
    assert "values of the data differ" in err
    assert "sha256" in err
    write(folder / "data.csv", X[:36], Y[:36])
    assert "had 40 rows and now have 36" in resumed(capsys, folder)[2]
    (folder / "data.csv").write_text("a,y\n1,no\n2,yes\n")
    code, _, err = resumed(capsys, folder)
    assert code == 2
    assert "there is no column 'b'" in err
    assert "not the file that the run began with" in err
    (folder / "data.csv").unlink()
    assert "no such file" in resumed(capsys, folder)[2]
    write(folder / "data.csv", more="unused")  # what is used of the file is the same
    code, _, err = resumed(capsys, folder)
    assert code == 0
    assert "another file than at the start" in err


def test_a_run_from_python(capsys, folder):
    r = cross_validate(GaussianNB(), X, Y, folds=4, random_state=0, store="py.db", pos_label="yes")
    code, out, _ = call(capsys, "resume", "py.db")
    assert code == 0
    assert r["accuracy"].texts[0] in out
    spoil("py.db", "DELETE FROM folds WHERE split = 2")
    code, _, err = call(capsys, "resume", "py.db")
    assert code == 2
    assert "store='py.db'" in err
    assert "fold 3 is not there: it has not been run yet" in err


def test_reading_a_store_gives_what_the_run_gave(folder):
    weights, groups = 1.0 + (Y == "yes"), np.repeat(np.arange(20), 2)
    options = {"folds": 4, "random_state": 1, "sample_weight": weights, "groups": groups, "pos_label": "yes"}
    r = cross_validate({"a": GaussianNB()}, X, Y, store="a.db", **options)["a"]
    again: Any = open_run("a.db")
    for name in r.headlines:
        assert again[name] == r[name]
    assert again.fingerprint == r.fingerprint
    assert (again.pos_label, again.seed, again.model, again.versions) == (r.pos_label, r.seed, r.model, r.versions)
    np.testing.assert_array_equal(again.fit_seconds, r.fit_seconds)
    b = bootstrap(GaussianNB(), X, Y, samples=5, random_state=0, store="b.db")
    assert open_run("b.db").point632plus == b.point632plus  # type: ignore[union-attr]


def test_a_spoilt_fold_is_missing_and_then_run_again(capsys, folder):
    (folder / "mended").touch()
    start(capsys, folder)
    spoil("runs.db", "UPDATE folds SET predicted = zeroblob(length(predicted)) WHERE split = 1")
    r = open_run("runs.db")
    assert not r.complete
    assert "fold 2 is not there: its record does not match its checksum" in r.status
    assert resumed(capsys, folder)[0] == 0
    assert fits(folder) == 5
    assert open_run("runs.db").complete


def test_salvage_keeps_the_damaged_file_aside(capsys, folder):
    (folder / "mended").touch()
    start(capsys, folder)
    assert "nothing to salvage" in resumed(capsys, folder, "--salvage")[2]
    content = (folder / "runs.db").read_bytes()
    (folder / "runs.db.damaged").write_text("an older one")
    spoil("runs.db", "UPDATE folds SET predicted = zeroblob(length(predicted)) WHERE split = 1")
    code, _out, err = resumed(capsys, folder, "--salvage")
    assert code == 0
    assert "3 folds of 1 run were saved" in err
    assert "runs.db.damaged.2" in err
    assert (folder / "runs.db.damaged").read_text() == "an older one"
    assert fits(folder) == 5
    (folder / "runs.db").write_bytes(b"garbage" + content[7:])
    code, _, err = call(capsys, "resume", "runs.db")
    assert code == 2
    assert "--salvage" in err
    code, _, err = resumed(capsys, folder, "--salvage")
    assert code == 0  # all stores begin alike, so the beginning is no loss
    assert (folder / "runs.db.damaged.3").read_bytes() == b"garbage" + content[7:]
    (folder / "runs.db").write_bytes(bytes(20_000))
    code, _, err = resumed(capsys, folder, "--salvage")
    assert code == 2
    assert "it was left as it is" in err
    assert (folder / "runs.db").read_bytes() == bytes(20_000)
    assert len(list(folder.glob("*runs.db*"))) == 4


def test_salvage_of_a_store_that_was_cut_short(capsys, folder):
    (folder / "mended").touch()
    start(capsys, folder, "--folds", "10", "--repeats", "5")
    content = (folder / "runs.db").read_bytes()
    (folder / "runs.db").write_bytes(content[: len(content) * 3 // 4])
    before = fits(folder)
    code, _, err = resumed(capsys, folder, "--salvage")
    assert code == 0
    assert "folds of 1 run were saved" in err
    assert 0 < fits(folder) - before < 50
    assert sorted(path.name for path in folder.glob("runs.db*")) == ["runs.db", "runs.db.damaged"]


def test_what_is_no_store(capsys, folder):
    for path, words in (("none.db", "there is no store at"), ("data.csv", "no database"), (".", "is a folder")):
        code, out, err = call(capsys, "resume", path)
        assert (code, out) == (2, "")
        assert words in err
    before = (folder / "data.csv").read_text()
    for path in ("none.db", "data.csv", "."):
        assert call(capsys, "resume", path, "--salvage")[0] == 2
    assert (folder / "data.csv").read_text() == before
    sqlite3.connect(folder / "other.db").execute("CREATE TABLE t (a)").connection.close()
    assert "no store of surefold" in call(capsys, "resume", "other.db")[2]


def test_a_command_of_another_version_is_refused(capsys, folder):
    from surefold.cli.experiment import Experiment

    with pytest.raises(RunError, match="does not know"):
        Experiment.from_command({"command": "evaluate", "format": 99})
    e = Experiment("data.csv", "y", ["tree"], {"scheme": "folds", "folds": 3})
    assert Experiment.from_command(json.loads(json.dumps(e.command()))) == e


def select(capsys, *args):
    words = (
        "--target",
        "y",
        "--pos-label",
        "yes",
        "--models",
        "bayes,tree",
        "--grid",
        "tree.max_depth=1,2",
        "-m",
        "f1",
    )
    return call(capsys, "select", "data.csv", *words, "--folds", "4", "--store", "runs.db", *args)


def without_times(text):
    """Times of fits stand in the table, and those that were run again took another."""
    return re.sub(r" +[\d.]+ m?s\b", "", text)


def test_a_selection_is_gone_on_with(capsys, folder, monkeypatch):
    code, out, err = select(capsys)
    assert (code, err.count("resume with: surefold resume runs.db")) == (0, 1)
    assert call(capsys, "resume", "runs.db", "-q") == (0, out, "")  # nothing is fitted again, not even timed
    spoil("runs.db", "DELETE FROM folds WHERE split = 2")
    spoil("runs.db", "DELETE FROM folds WHERE run = 'run test'")
    other = folder / "elsewhere"
    other.mkdir()
    monkeypatch.chdir(other)  # the data are found all the same
    again = call(capsys, "resume", "../runs.db", "-q")
    assert again[0] == 0
    assert without_times(again[1]) == without_times(out)
    document = json.loads(call(capsys, "resume", "../runs.db", "-q", "--format", "json")[1])
    assert document["measure"] == "f1"
    assert open_run("../runs.db", "run search").complete
    assert open_run("../runs.db", "run test").complete


def test_a_selection_that_was_killed_before_its_last_part_is_one_selection_afterwards(capsys, folder):
    """Parts that `resume` begins know which selection they are of, as those that `select` began."""
    assert select(capsys)[0] == 0
    spoil("runs.db", "DELETE FROM folds WHERE run = 'run test'")
    spoil("runs.db", "DELETE FROM runs WHERE name = 'run test'")
    code, out, _ = call(capsys, "resume", "runs.db", "-q")
    assert code == 0
    assert call(capsys, "resume", "runs.db", "-q") == (0, out, "")


def test_a_selection_beside_other_runs_is_called_by_its_name(capsys, folder):
    (folder / "mended").touch()
    assert start(capsys, folder)[0] == 0
    code, out, _ = select(capsys, "--run", "my search")
    assert code == 0
    code, listed, err = call(capsys, "resume", "runs.db")
    assert code == 2
    assert "my search search" in listed
    assert "--run 'my search' goes on with the selection" in err
    assert call(capsys, "resume", "runs.db", "--run", "my search", "-q") == (0, out, "")
    spoil("runs.db", "DELETE FROM folds WHERE run = 'my search search' AND split = 1")
    code, again, _ = call(capsys, "resume", "runs.db", "--run", "my search search", "-q")  # a part brings the whole
    assert code == 0
    assert without_times(again) == without_times(out)


def test_a_selection_from_standard_input_cannot_be_gone_on_with(capsys, folder, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO((folder / "data.csv").read_bytes())))
    words = ("--target", "y", "--models", "bayes", "--folds", "3", "--store", "runs.db", "-q")
    assert call(capsys, "select", "-", *words)[0] == 0
    code, _, err = call(capsys, "resume", "runs.db")
    assert code == 2
    assert "standard input" in err


def test_the_page_of_a_run_that_is_shown_again(folder, capsys):
    assert main(["evaluate", "data.csv", "--target", "y", "--model", "bayes", "--folds", "4", "--repeats", "1",
                 "--store", "runs.db", "--quiet"]) == 0  # fmt: skip
    assert main(["resume", "runs.db", "--report", "page.html"]) == 0
    assert "Report: page.html" in capsys.readouterr().err
    page = (folder / "page.html").read_text("utf-8")
    assert "<title>data.csv</title>" in page
    assert "surefold resume runs.db --report page.html" in page
    assert main(["resume", "runs.db", "--report", "runs.db"]) == 2
    assert "cannot_write" in capsys.readouterr().err
