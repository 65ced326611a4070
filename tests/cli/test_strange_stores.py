"""A store from a stranger: it says neither where to write nor which code to run, whatever it holds."""

import json
import os
import sqlite3
import sys
import zlib
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from surefold.cli.main import main
from surefold.errors import RunError
from surefold.resampling.store import Store, _checksum
from surefold.resampling.stored import open_run
from tests.cli.strange import lose_a_fold, places_in, put, rewrite

DATA = "a,b,y\n" + "".join(f"{i % 7},{(i * i) % 11 + 3 * (i % 2)},{'yes' if i % 2 else 'no'}\n" for i in range(40))
CODE = """
from pathlib import Path

Path("ran").touch()


def make():
    from sklearn.dummy import DummyClassifier

    Path("made").touch()
    return DummyClassifier(strategy="prior")
"""
CALL = ["--target", "y", "--pos-label", "yes", "--folds", "3", "--store", "runs.db", "-q"]
Told = tuple[int, str, str]


@pytest.fixture(name="folder")
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    (tmp_path / "data.csv").write_text(DATA)
    (tmp_path / "strange.py").write_text(CODE)
    (tmp_path / "theirs.html").write_text("<!doctype html>theirs")
    (tmp_path / "theirs.json").write_text("{}")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    yield tmp_path
    sys.modules.pop("strange", None)


@pytest.fixture(name="call")
def _call(capsys: pytest.CaptureFixture[str]) -> Callable[..., Told]:
    def call(*words: str) -> Told:
        code = main(list(words))
        said = capsys.readouterr()
        return code, said.out, said.err

    return call


def kept(path: str = "runs.db") -> dict[str, Any]:
    """What the store holds of the call that began its (first) run."""
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        facts = db.execute("SELECT facts FROM runs ORDER BY name").fetchone()[0]
    found: dict[str, Any] = json.loads(facts)["command"]
    return found


# where to write


def test_a_selection_keeps_no_path_that_it_writes_to(folder: Path, call: Callable[..., Told]) -> None:
    words = ["--models", "bayes", "--save", "mine.json", "--save-model", "mine.pkl", "--trust-pickle"]
    assert call("select", "data.csv", *CALL, *words, "--report", "mine.html")[0] == 0
    assert not [word for word in kept()["words"] if "mine" in word or "save" in word or "pickle" in word]
    for name in ("mine.json", "mine.pkl", "mine.html"):
        (folder / name).unlink()
    assert call("resume", "runs.db", "-q")[0] == 0
    assert not list(folder.glob("mine.*"))
    assert call("resume", "runs.db", "-q", "--save", "now.json", "--report", "now.html")[0] == 0
    assert json.loads((folder / "now.json").read_text())["kind"] == "selection"
    assert (folder / "now.html").exists()
    code, _, err = call("resume", "runs.db", "-q", "--save-model", "now.pkl")
    assert code == 2
    assert "[pickle]" in err
    assert call("resume", "runs.db", "-q", "--save-model", "now.pkl", "--trust-pickle")[0] == 0
    assert (folder / "now.pkl").read_bytes().startswith(b"\x80")


def test_words_that_write_are_left_out_of_what_a_store_says(folder: Path, call: Callable[..., Told]) -> None:
    assert call("select", "data.csv", *CALL, "--models", "bayes")[0] == 0
    more = ["--save", str(folder / "theirs.json"), "--report", str(folder / "theirs.html"), "--store", "other.db",
            "--save-model", str(folder / "new.pkl"), "--trust-pickle", "--debug", "--help", "-h"]  # fmt: skip
    rewrite(lambda facts: facts["command"].update(words=facts["command"]["words"] + more))
    before = sorted(os.listdir())
    code, out, _ = call("resume", "runs.db", "-q")
    assert code in (0, 2)
    assert "Usage" not in out
    assert sorted(os.listdir()) == before
    assert (folder / "theirs.json").read_text() == "{}"
    assert (folder / "theirs.html").read_text() == "<!doctype html>theirs"


def test_the_resume_line_says_where_results_were_to_go(folder: Path, call: Callable[..., Told]) -> None:
    words = [word for word in CALL if word != "-q"]
    _, _, err = call("select", "data.csv", *words, "--models", "bayes,m=strange:make", "--save", "it's.json")
    assert "resume with: surefold resume runs.db --trust strange:make --save 'it'\"'\"'s.json'" in err


def test_the_data_of_a_run_are_not_replaced_by_what_resume_writes(folder: Path, call: Callable[..., Told]) -> None:
    (folder / "data.html").write_text("<!doctype html>,b,y\n" + DATA[6:])
    assert call("evaluate", "data.html", *CALL, "--repeats", "1", "--model", "bayes")[0] == 0
    lose_a_fold()
    code, _, err = call("resume", "runs.db", "--report", "data.html")
    assert code == 2
    assert "would replace the run's data" in err
    code, _, err = call("resume", "runs.db", "--save", "result.json")
    assert code == 2
    assert "--save is for selections" in err


# which code to run


def test_code_named_by_a_store_is_not_run_unless_it_is_named_again(folder: Path, call: Callable[..., Told]) -> None:
    began = call("evaluate", "data.csv", *CALL, "--repeats", "1", "--model", "m=strange:make")
    assert began[0] == 0
    for name in ("ran", "made"):
        (folder / name).unlink()
    del sys.modules["strange"]
    sys.path[:] = [place for place in sys.path if place not in ("", str(folder))]
    path = list(sys.path)
    assert call("resume", "runs.db", "-q")[0] == 0  # complete: it is shown, and no model is made
    lose_a_fold()
    for trust in ([], ["--trust", "strange"], ["--trust", "strange:other"], ["--trust", "m=strange:make"]):
        code, out, err = call("resume", "runs.db", *trust)
        assert (code, out) == (2, "")
        assert "[untrusted_code]" in err
        assert "--trust strange:make" in err
    assert not (folder / "ran").exists()
    assert "strange" not in sys.modules
    assert sys.path == path
    assert call("resume", "runs.db", "-q", "--trust", "strange:make")[0] == 0
    assert (folder / "made").exists()


def test_nor_is_that_of_a_selection(folder: Path, call: Callable[..., Told]) -> None:
    assert call("select", "data.csv", *CALL, "--models", "bayes")[0] == 0

    def name_code(facts: dict[str, Any]) -> None:
        words = facts["command"]["words"]
        words[words.index("--models") + 1] = "bayes, m = strange:make"

    rewrite(name_code)
    code, out, err = call("resume", "runs.db")
    assert (code, out) == (2, "")
    assert "[untrusted_code]" in err
    assert not (folder / "ran").exists()
    call("resume", "runs.db", "--trust", "strange:make")
    assert (folder / "ran").exists()


# whatever it holds


def test_odd_facts_are_refused_in_words(folder: Path, call: Callable[..., Told]) -> None:
    assert call("evaluate", "data.csv", *CALL, "--repeats", "1", "--model", "bayes")[0] == 0
    whole = (folder / "runs.db").read_bytes()
    with closing(sqlite3.connect("runs.db", isolation_level=None)) as db:
        facts = json.loads(db.execute("SELECT facts FROM runs").fetchone()[0])
    db.close()
    values: list[Any] = [None, "", {"a": [{}]}, "\u202e\x1b[31m\ud800"]
    for place in places_in(facts):
        for value in values:
            (folder / "runs.db").write_bytes(whole)
            rewrite(partial(put, place, value))
            for lost in (False, True):
                if lost:
                    lose_a_fold()
                code, out, err = call("resume", "runs.db", "-q")
                assert code in (0, 2, 3), (place, value)
                assert "Traceback" not in err
                assert "\x1b" not in out + err
                assert "\u202e" not in out + err


def test_views_and_triggers_are_no_store_of_ours(folder: Path, call: Callable[..., Told]) -> None:
    assert call("evaluate", "data.csv", *CALL, "--repeats", "1", "--model", "bayes")[0] == 0
    whole = (folder / "runs.db").read_bytes()
    for statement in (
        "CREATE TRIGGER t AFTER DELETE ON folds BEGIN DELETE FROM runs; END",
        "CREATE VIEW v AS SELECT name FROM runs",
        "CREATE TABLE more (a)",
        "CREATE INDEX i ON folds (abs(split))",
        "ALTER TABLE owners ADD COLUMN a GENERATED ALWAYS AS (zeroblob(1e9)) VIRTUAL",
    ):
        (folder / "runs.db").write_bytes(whole)
        with closing(sqlite3.connect("runs.db", isolation_level=None)) as db:
            db.execute(statement)
        db.close()
        for read_only in (True, False):
            with pytest.raises(RunError, match="other tables") as caught:
                Store("runs.db", read_only=read_only)
            assert caught.value.code == "store_damaged"


def test_arrays_that_unfold_without_end_are_refused(folder: Path, call: Callable[..., Told]) -> None:
    assert call("evaluate", "data.csv", *CALL, "--repeats", "1", "--model", "bayes")[0] == 0
    bomb = zlib.compress(bytes(300 << 20), 9)
    with closing(sqlite3.connect("runs.db", isolation_level=None)) as db:
        name, facts = db.execute("SELECT name, facts FROM runs").fetchone()
        db.execute("UPDATE runs SET arrays = ?, checksum = ?", (bomb, _checksum("run", name, facts, bomb)))
    db.close()
    with pytest.raises(RunError, match="never written") as caught:
        open_run("runs.db")
    assert caught.value.code == "store_damaged"


def test_json_without_end_is_refused(folder: Path, call: Callable[..., Told]) -> None:
    assert call("evaluate", "data.csv", *CALL, "--repeats", "1", "--model", "bayes")[0] == 0
    with closing(sqlite3.connect("runs.db", isolation_level=None)) as db:
        name, arrays = db.execute("SELECT name, arrays FROM runs").fetchone()
        deep = "[" * 100_000
        db.execute("UPDATE runs SET facts = ?, checksum = ?", (deep, _checksum("run", name, deep, arrays)))
    db.close()
    code, out, err = call("resume", "runs.db")
    assert (code, out) == (2, "")
    assert "[store_damaged]" in err


def test_odd_folds_are_missing_and_run_again(folder: Path, call: Callable[..., Told]) -> None:
    assert call("evaluate", "data.csv", *CALL, "--repeats", "1", "--model", "bayes")[0] == 0
    whole = (folder / "runs.db").read_bytes()
    for facts in ("[]", "null", "{}", "[" * 10_000, '{"score_kind": "x"}', '{"kind": "nope"}', '{"kind": {}}'):
        for state in ("done", "failed"):
            (folder / "runs.db").write_bytes(whole)
            with closing(sqlite3.connect("runs.db", isolation_level=None)) as db:
                key = json.loads(db.execute("SELECT facts FROM runs").fetchone()[0])["key"]
                row = "run, model, split, predicted, scores"
                run, model, split, *content = db.execute(f"SELECT {row} FROM folds WHERE split = 1").fetchone()
                checksum = _checksum("fold", key, run, model, split, state, facts, *content)
                db.execute(
                    "UPDATE folds SET state = ?, facts = ?, checksum = ? WHERE split = 1", (state, facts, checksum)
                )
            db.close()
            assert not open_run("runs.db").complete
            assert call("resume", "runs.db", "-q")[0] == 0
            assert open_run("runs.db").complete
