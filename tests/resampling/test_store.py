"""The store: what is written comes back, what was damaged does not, and what is not ours is not touched."""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from surefold import RunError
from surefold.resampling import store as store_module
from surefold.resampling import store_ledger
from surefold.resampling.fold import Failure, Held
from surefold.resampling.lease import Owner, Watch, this_process
from surefold.resampling.ledger import Task
from surefold.resampling.salvage import salvage
from surefold.resampling.store import SCHEMA_VERSION, Run, Store
from surefold.resampling.store_ledger import RunLedger

KEY = "key"
TASKS = [Task("m", i) for i in range(4)]
RUN = Run(
    "run", {"key": KEY, "text": "\ud800 odd\x00", "n": np.int64(3)},
    {"truth": np.arange(5, dtype=np.int32), "empty": np.empty((0, 2)), "plan_test_starts": np.arange(5)},
    {"m": {"class": "x"}},
)  # fmt: skip


def answer(i: int = 0, rows: int = 3) -> Held:
    scores = np.random.default_rng(i).random((rows, 2))
    return Held(np.arange(rows, dtype=np.int32) + i, scores, "probability", 0.5, 0.25, {"output": "tell\ud800 me"})


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "runs.db"


def filled(path: Path, folds: int = 4) -> Path:
    with Store(path) as store:
        store.write_run(RUN)
        for task in TASKS[:folds]:
            store.write_fold("run", KEY, task, answer(task.split))
    return path


def same(one: Any, two: Held) -> bool:
    assert isinstance(one, Held)
    assert one.scores is not None
    return (
        one.predicted.tobytes() == two.predicted.tobytes()
        and one.scores.tobytes() == two.scores.tobytes()  # type: ignore[union-attr]
        and (one.score_kind, one.fit_seconds, one.score_seconds, one.notes)
        == (two.score_kind, two.fit_seconds, two.score_seconds, two.notes)
    )


def test_round_trip(path: Path):
    bare = Held(np.array([1], dtype=np.int32), None, "none", 0.0, 0.0)
    decided = Held(np.array([1, 0], dtype=np.int32), np.array([np.inf, -0.0]), "decision", 0.0, 0.0)
    with Store(path) as store:
        store.write_run(RUN)
        outcomes: list[Held | Failure] = [answer(), bare, decided, Failure("died", "why", "trace\ud800", 2)]
        for i, outcome in enumerate(outcomes):
            store.write_fold("run", KEY, TASKS[i], outcome)
    with Store(path, read_only=True) as store:
        assert store.run_names() == ["run"]
        run = store.read_run("run")
        assert run is not None
        assert run.facts == {"key": KEY, "text": "\ud800 odd\x00", "n": 3}
        assert {name: array.tolist() for name, array in run.arrays.items()} == {
            name: array.tolist() for name, array in RUN.arrays.items()
        }
        assert run.arrays["empty"].shape == (0, 2)
        assert run.models == RUN.models
        found = dict(store.outcomes("run", KEY))
        assert same(found[TASKS[0]], answer())
        two = found[TASKS[1]]
        assert isinstance(two, Held)
        assert two.scores is None
        three = found[TASKS[2]]
        assert isinstance(three, Held)
        assert three.scores is not None
        assert three.scores.tobytes() == np.array([np.inf, -0.0]).tobytes()
        assert found[TASKS[3]] == Failure("died", "why", "trace\ud800", 2)
        assert store.read_run("other") is None
        # a fold of other data is no fold of ours
        assert all(outcome is None for _, outcome in store.outcomes("run", "another key"))


def test_nothing_is_left_beside_a_closed_store(path: Path):
    filled(path)
    assert [file.name for file in path.parent.iterdir()] == ["runs.db"]
    with Store(path, read_only=True) as store:
        assert len(list(store.outcomes("run", KEY))) == 4
    assert [file.name for file in path.parent.iterdir()] == ["runs.db"]


def test_several_runs_and_forgetting_one(path: Path):
    with Store(path) as store:
        for name in ("one", "two"):
            store.write_run(Run(name, {"key": name}, {}, {"m": {}}))
            store.write_fold(name, name, TASKS[0], answer())
        store.forget_run("one")
        assert store.run_names() == ["two"]
        assert list(store.outcomes("one", "one")) == []
        assert len(list(store.outcomes("two", "two"))) == 1


def test_what_is_done_stays_done(path: Path):
    with Store(filled(path)) as store:
        store.write_fold("run", KEY, TASKS[0], Failure("raised", "later"))
        store.write_fold("run", KEY, TASKS[0], answer(9))
        assert same(dict(store.outcomes("run", KEY))[TASKS[0]], answer(0))


# damage


@pytest.mark.parametrize("column", ["predicted", "scores", "facts", "checksum", "state", "split", "model"])
def test_a_fold_that_does_not_match_its_checksum_is_missing(path: Path, column: str):
    filled(path)
    change = {"state": "'dond'", "split": "17", "model": "'n'", "facts": "replace(facts, '0.5', '0.6')"}.get(
        column, f"CAST(x'00' || substr({column}, 2) AS BLOB)"
    )
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute(f"UPDATE folds SET {column} = {change} WHERE split = 2")
    db.close()
    with Store(path) as store:
        good = {task for task, outcome in store.outcomes("run", KEY) if outcome is not None}
        assert good == set(TASKS) - {TASKS[2]}
        ledger = RunLedger(store, "run", KEY, TASKS, 0)
        assert ledger.settled == 3
        assert ledger.claim() == TASKS[2]
        ledger.record(TASKS[2], answer(2))
        ledger.close()
        found = {task: outcome for task, outcome in store.outcomes("run", KEY) if task in TASKS}
        assert all(same(found[task], answer(task.split)) for task in TASKS)


def test_a_fold_moved_to_another_place_is_no_fold(path: Path):
    filled(path, 2)
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("DELETE FROM folds WHERE split = 1")
        db.execute("UPDATE folds SET split = 1")
    db.close()
    with Store(path) as store:
        assert [outcome for _, outcome in store.outcomes("run", KEY)] == [None]


@pytest.mark.parametrize(
    ("table", "change", "words"),
    [
        ("runs", "facts = replace(facts, '3', '4')", "run 'run' in .* does not match its checksum"),
        ("runs", "arrays = zeroblob(10)", "does not match its checksum"),
        ("models", "facts = replace(facts, 'x', 'y')", "model 'm' of run 'run' in .* does not match its checksum"),
    ],
)
def test_damaged_facts_are_refused(path: Path, table: str, change: str, words: str):
    filled(path)
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute(f"UPDATE {table} SET {change}")
    db.close()
    with Store(path) as store, pytest.raises(RunError, match=words) as caught:
        store.read_run("run")
    assert caught.value.code == "store_damaged"
    assert "salvage" in caught.value.cure


def test_odd_owners_and_counts_do_not_stop_a_run(path: Path):
    filled(path, 1)
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("INSERT INTO owners VALUES (7, NULL, 'x', 3, 'beat'), (8, 'm', 12, 'then', 0)")
        db.execute("INSERT INTO folds (run, model, split, state, owner) VALUES ('run', 'm', 1, 'running', 7)")
        db.execute("INSERT INTO folds (run, model, split, state, owner) VALUES ('run', 'm', 2, 'running', 99)")
    db.close()
    with Store(path) as store:
        ledger = RunLedger(store, "run", KEY, TASKS, 0)
        assert [ledger.claim() for _ in range(4)] == [TASKS[1], TASKS[2], TASKS[3], None]
        ledger.close()


@pytest.mark.parametrize("how", ["cut", "header", "page"])
def test_salvage_of_a_damaged_store(path: Path, tmp_path: Path, how: str):
    tasks = [Task("m", i) for i in range(60)]
    with Store(path) as store:
        store.write_run(RUN)
        for task in tasks:
            store.write_fold("run", KEY, task, answer(task.split, rows=200))
    size = path.stat().st_size
    if how == "cut":
        os.truncate(path, size // 2 // 4096 * 4096)
    else:
        with open(path, "r+b") as file:
            file.write(b"?" * (100 if how == "header" else 4096))
            file.seek(size // 2 // 4096 * 4096)
            file.write(b"?" * 20_000)
    before = path.read_bytes()
    with pytest.raises(RunError) as caught, Store(path, read_only=True) as store:
        list(store.outcomes("run", KEY))
    assert caught.value.code == "store_damaged"
    runs, folds = salvage(path, tmp_path / "saved.db")
    with pytest.raises(RunError, match="is there already"):
        salvage(path, tmp_path / "saved.db")
    assert path.read_bytes() == before
    assert sorted(file.name for file in tmp_path.iterdir()) == ["runs.db", "saved.db"]
    assert runs == 1
    assert 20 <= folds < 60
    with Store(tmp_path / "saved.db") as store:
        found = dict(store.outcomes("run", KEY))
        assert len(found) == folds
        assert all(same(outcome, answer(task.split, rows=200)) for task, outcome in found.items())


def test_nothing_to_salvage(path: Path, tmp_path: Path):
    path.write_bytes(b"?" * 8192)
    with pytest.raises(RunError, match="no run can be read"):
        salvage(path, tmp_path / "saved.db")
    with pytest.raises(RunError, match="there is no store"):
        salvage(tmp_path / "none.db", tmp_path / "saved.db")
    assert not (tmp_path / "saved.db").exists()


def test_salvage_leaves_out_what_is_spoilt(path: Path, tmp_path: Path):
    filled(path)
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("UPDATE folds SET scores = zeroblob(48) WHERE split = 1")
        db.execute("INSERT INTO runs VALUES ('bad', '{}', x'00', x'00')")
    db.close()
    with Store(path) as store:
        assert store.salvage(tmp_path / "saved.db") == (1, 3)


# what is not a store


def test_refusals_of_paths(tmp_path: Path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "text.db").write_text("no database\n" * 50)
    (tmp_path / "short.db").write_bytes(b"SQLite format 3\0")
    os.mkfifo(tmp_path / "pipe.db")
    for name, code, words in (
        ("folder", "not_a_file", "is a folder"),
        ("text.db", "store_damaged", "no database"),
        ("short.db", "store_damaged", "no database"),
        ("pipe.db", "store_damaged", "no regular file"),
        ("missing/runs.db", "not_a_file", "there is no folder"),
    ):
        with pytest.raises(RunError, match=words) as caught:
            Store(tmp_path / name)
        assert caught.value.code == code
    with pytest.raises(RunError, match="cannot be reached") as caught:
        Store(tmp_path / ("x" * 300))
    assert caught.value.code == "store_read_only"
    with pytest.raises(RunError, match="there is no store at") as caught:
        Store(tmp_path / "none.db", read_only=True)
    assert caught.value.code == "unknown_run"
    assert not (tmp_path / "none.db").exists()
    assert (tmp_path / "text.db").read_text().startswith("no database")


@pytest.mark.parametrize("mode", ["delete", "wal"])
@pytest.mark.parametrize("read_only", [False, True])
@pytest.mark.parametrize("empty", [False, True])
def test_the_database_of_another_program_is_not_touched(path: Path, mode: str, read_only: bool, empty: bool):
    other = sqlite3.connect(path)
    other.execute(f"PRAGMA journal_mode = {mode}")
    other.execute("CREATE TABLE precious (x)")
    if empty:
        other.execute("DROP TABLE precious")
    other.commit()
    if mode == "delete":
        other.close()
    else:
        path.with_name("runs.db-journal").write_bytes(b"left by a crash")
    before = {file.name: file.read_bytes() for file in path.parent.iterdir()}
    with pytest.raises(RunError, match="is a database, but no store of surefold") as caught:
        Store(path, read_only=read_only)
    assert caught.value.code == "store_damaged"
    assert {file.name: file.read_bytes() for file in path.parent.iterdir()} == before
    other.close()


def test_other_versions_of_the_format(path: Path):
    filled(path)
    for version, words in ((SCHEMA_VERSION + 1, "a newer surefold"), (0, "an older surefold")):
        with closing(sqlite3.connect(path, isolation_level=None)) as db:
            db.execute(f"PRAGMA user_version = {version}")
        db.close()
        before = path.read_bytes()
        for read_only in (False, True):
            with pytest.raises(RunError, match=words) as caught:
                Store(path, read_only=read_only)
            assert caught.value.code == "store_version"
        assert path.read_bytes() == before


def test_an_empty_file_becomes_a_store(path: Path):
    path.touch()
    with Store(filled(path)) as store:
        assert len(dict(store.outcomes("run", KEY))) == 4


# reading without writing


def test_reading_while_another_process_writes(path: Path):
    with Store(filled(path, 2)) as writer:
        writer.write_fold("run", KEY, TASKS[2], answer(2))
        with Store(path, read_only=True) as reader:
            assert len(list(reader.outcomes("run", KEY))) == 3
            with pytest.raises(RunError) as caught:
                reader.write_fold("run", KEY, TASKS[3], answer(3))
            assert caught.value.code == "store_read_only"
            writer.write_fold("run", KEY, TASKS[3], answer(3))
            assert len(list(reader.outcomes("run", KEY))) == 4


def test_a_log_that_cannot_be_worked_in_is_read_from_a_copy(path: Path, tmp_path: Path, monkeypatch):
    with Store(filled(path, 2)) as writer:
        writer.write_fold("run", KEY, TASKS[2], answer(2))
        place = tmp_path / "as left by a kill"
        place.mkdir()
        for file in (path, path.with_name("runs.db-wal")):
            shutil.copy(file, place / file.name)
    connect = store_module._connected

    def refuse(path: str, *, uri: bool) -> sqlite3.Connection:
        if uri:
            raise sqlite3.OperationalError("unable to open database file")
        return connect(path, uri=uri)

    class Blind:
        def execute(self, *_: object) -> None:
            raise sqlite3.OperationalError("unable to open database file")

        def close(self) -> None:
            pass

    monkeypatch.setattr(store_module, "_connected", lambda path, *, uri: Blind() if uri else connect(path, uri=uri))
    store = Store(place / "runs.db", read_only=True)
    assert len(list(store.outcomes("run", KEY))) == 3
    copy = Path(store._copy.name)  # type: ignore[union-attr]
    assert copy.exists()
    store.close()
    assert not copy.exists()


# words for what SQLite says


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("SQLITE_FULL", "store_full"),
        ("SQLITE_IOERR_WRITE", "store_full"),
        ("SQLITE_READONLY", "store_read_only"),
        ("SQLITE_CANTOPEN", "store_read_only"),
        ("SQLITE_BUSY", "store_busy"),
        ("SQLITE_CORRUPT", "store_damaged"),
        ("", "store_damaged"),
    ],
)
def test_what_sqlite_says_in_words_that_help(path: Path, name: str, code: str):
    class Said(sqlite3.OperationalError):
        sqlite_errorname = name

    def work() -> None:
        raise Said("so it is")

    with Store(path) as store, pytest.raises(RunError, match=r"so it is|locked by another") as caught:
        store.guard(work)
    assert caught.value.code == code
    assert caught.value.cure


@pytest.mark.parametrize("error", [ValueError, OverflowError, MemoryError, KeyError, TypeError, json.JSONDecodeError])
def test_whatever_damage_raises_is_a_run_error(path: Path, error: type[Exception]):
    def work() -> None:
        raise error("x", "y", 0) if error is json.JSONDecodeError else error("x")

    with Store(path) as store, pytest.raises(RunError) as caught:
        store.guard(work)
    assert caught.value.code == "store_damaged"


def test_a_network_file_system_gets_the_plain_journal(path: Path, monkeypatch):
    monkeypatch.setattr(store_module, "_on_network", lambda path: True)
    with Store(filled(path)) as store:
        assert store.db.execute("PRAGMA journal_mode").fetchone()[0] == "delete"
        assert len(list(store.outcomes("run", KEY))) == 4


def test_many_that_open_a_new_store_at_once_all_get_it(tmp_path: Path):
    """Changing the journal does not wait for others by itself: of eight at once, some were told that it is locked."""
    code = (
        "import sys\nfrom surefold.resampling.store import Store\nsys.stdout.write('r')\nsys.stdout.flush()\n"
        "for line in sys.stdin: Store(line.strip()).close(); sys.stdout.write('k'); sys.stdout.flush()"
    )
    pipes: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    processes: list[Any] = [subprocess.Popen([sys.executable, "-c", code], **pipes) for _ in range(6)]
    said = [process.stdout.read(1) for process in processes]
    for i in range(25):
        for process in processes:
            process.stdin.write(f"{tmp_path / f'{i}.db'}\n")
            process.stdin.flush()
        said += [process.stdout.read(1) for process in processes]
    for process in processes:
        process.communicate()
    assert "".join(said) == "r" * 6 + "k" * 150


def test_which_file_systems_are_across_a_network(monkeypatch):
    mounts = "proc /proc proc\n/dev/sda / ext4\nserver:/x /home/with\\040space nfs4\nbroken\n/dev/sdb /home/with ext4"
    monkeypatch.setattr(Path, "read_text", lambda *_, **__: mounts)
    assert store_module._on_network(Path("/home/with space/runs.db"))
    assert not store_module._on_network(Path("/home/with/runs.db"))
    assert not store_module._on_network(Path("/tmp/runs.db"))


# sharing out


def test_claims_are_for_one_at_a_time(path: Path):
    with Store(filled(path, 1)) as one, Store(path) as two:
        a, b = RunLedger(one, "run", KEY, TASKS, 0), RunLedger(two, "run", KEY, TASKS, 0)
        first, second = a.claim(), b.claim()
        assert {first, second} == {TASKS[1], TASKS[2]}
        assert a.claim() == TASKS[3]
        assert b.claim() is None
        assert b.others_at_work()
        a.record(TASKS[1], answer(1))
        a.close()  # gives the other back
        assert b.claim() == TASKS[3]
        for task in TASKS[2:]:
            b.record(task, answer(task.split))
        assert b.claim() is None
        assert b.settled == 4
        assert not b.others_at_work()
        b.close()


def test_a_claim_of_ours_that_could_not_be_given_back_is_no_claim(path: Path, monkeypatch):
    with Store(filled(path, 1)) as store:
        ledger = RunLedger(store, "run", KEY, TASKS, 0)
        assert ledger.claim() == TASKS[1]

        def full(**_: Any) -> None:
            raise sqlite3.OperationalError("disk full")

        with monkeypatch.context() as patch:
            patch.setattr(store, "transaction", full)
            ledger.close()
        again = RunLedger(store, "run", KEY, TASKS, 0)
        assert again.claim() == TASKS[1]
        again.close()


def test_claims_of_the_dead_are_free_and_of_other_machines_when_stale(path: Path, monkeypatch):
    with Store(filled(path, 0)) as store:
        me = this_process()
        dead = Owner(me.machine, 2**22 + 1, "1")
        far = Owner("elsewhere", 1, "1")
        for i, owner in ((7, dead), (8, far)):
            store.db.execute(
                "INSERT INTO owners VALUES (?, ?, ?, ?, 0)", (i, owner.machine, owner.process, owner.started)
            )
        store.db.execute(
            "INSERT INTO folds (run, model, split, state, owner, claims) "
            "VALUES ('run', 'm', 0, 'running', 7, 3), ('run', 'm', 1, 'running', 8, 1)"
        )
        ledger = RunLedger(store, "run", KEY, TASKS[:2], 0)
        assert ledger.claim() == TASKS[0]
        assert ledger.needs_own_process(TASKS[0])  # three processes have died on it
        assert ledger.claim() is None
        monkeypatch.setattr(Watch, "is_stale", lambda *_: True)
        assert ledger.claim() == TASKS[1]
        assert not ledger.needs_own_process(TASKS[1])
        ledger.close()


def test_failed_folds_get_another_chance_in_the_next_run_only(path: Path):
    with Store(filled(path, 1)) as store:
        ledger = RunLedger(store, "run", KEY, TASKS[:2], 1)
        assert ledger.claim() == TASKS[1]
        assert ledger.record(TASKS[1], Failure("raised", "one"))
        assert ledger.claim() == TASKS[1]
        assert not ledger.record(TASKS[1], Failure("raised", "two"))
        assert ledger.claim() is None
        ledger.close()
        assert dict(store.outcomes("run", KEY))[TASKS[1]] == Failure("raised", "two", "", 2)
        same_run = RunLedger(store, "run", KEY, TASKS[:2], 1, again=False)
        assert same_run.settled == 2
        same_run.close()
        later = RunLedger(store, "run", KEY, TASKS[:2], 1)
        assert not later.needs_own_process(TASKS[1])
        assert later.claim() == TASKS[1]
        assert later.record(TASKS[1], Failure("raised", "three"))
        assert later.claim() == TASKS[1]
        later.record(TASKS[1], answer(1))
        later.close()
        found = dict(store.outcomes("run", KEY))[TASKS[1]]
        assert isinstance(found, Held)
        assert found.notes["attempts"] == 2


@pytest.mark.parametrize("kind", ["died", "memory", "timeout"])
def test_a_fold_that_took_its_worker_down_gets_a_process_of_its_own(path: Path, kind: Any):
    with Store(filled(path, 1)) as store:
        store.write_fold("run", KEY, TASKS[1], Failure(kind, "x"))
        ledger = RunLedger(store, "run", KEY, TASKS[:2], 1)
        assert ledger.claim() == TASKS[1]
        assert ledger.needs_own_process(TASKS[1])
        ledger.close()


def test_what_another_process_did_meanwhile_is_not_forgotten(path: Path, monkeypatch):
    with Store(filled(path, 1)) as store, Store(path) as other:
        store.write_fold("run", KEY, TASKS[1], Failure("raised", "x"))
        read = Store._fold_rows

        def meanwhile(self: Store, run: str) -> Any:
            rows = read(self, run)
            if self is store:  # after we have read, and before we forget, another process mends the fold
                assert other.settled("run", KEY, again=True)[0] == {TASKS[0]}
                other.write_fold("run", KEY, TASKS[1], answer(1))
            return rows

        monkeypatch.setattr(Store, "_fold_rows", meanwhile)
        store.settled("run", KEY, again=True)
        monkeypatch.undo()
        assert same(dict(store.outcomes("run", KEY))[TASKS[1]], answer(1))


def test_the_heart_beats(path: Path, monkeypatch):
    monkeypatch.setattr(store_ledger, "BEAT_SECONDS", 0.01)
    with Store(filled(path, 1)) as store:
        ledger = RunLedger(store, "run", KEY, TASKS, 0)
        until = time.monotonic() + 10
        while not store.db.execute("SELECT beat FROM owners").fetchone()[0] and time.monotonic() < until:
            time.sleep(0.01)
        assert store.db.execute("SELECT beat FROM owners").fetchone()[0] > 0
        ledger.close()
        assert not any(thread.name == "surefold-heartbeat" for thread in threading.enumerate())


def test_a_signal_between_beginning_and_entering_a_transaction(path: Path):
    with Store(filled(path, 1)) as store:
        store.db.execute("BEGIN IMMEDIATE")
        store.write_fold("run", KEY, TASKS[1], answer(1))
        assert len(list(store.outcomes("run", KEY))) == 2
