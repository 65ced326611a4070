"""The store: one SQLite file in which every finished fold is safe the moment it is finished.

One transaction a fold, written through to the disk. SQLite notices a torn file but not a flipped bit inside a value,
so each row carries a SHA-256 of what it holds and of where it belongs; a row that does not match is treated as if it
had never been written. No pickles: JSON and raw arrays.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import sqlite3
import stat
import tempfile
import threading
import time
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from surefold.errors import RunError, SurefoldError
from surefold.resampling.fold import Failure, Held
from surefold.resampling.ledger import Task

__all__ = ["FOLD", "SCHEMA_VERSION", "Run", "Store", "read_fold"]

SCHEMA_VERSION = 1
_APPLICATION = 0x5F01D  # so that `file` and we can tell our databases from others
_SCHEMA = """
CREATE TABLE runs (name TEXT PRIMARY KEY, facts TEXT NOT NULL, arrays BLOB NOT NULL, checksum BLOB NOT NULL);
CREATE TABLE models (run TEXT, name TEXT, facts TEXT NOT NULL, checksum BLOB NOT NULL, PRIMARY KEY (run, name));
CREATE TABLE owners (id INTEGER PRIMARY KEY, machine TEXT, process INTEGER, started TEXT, beat INTEGER);
CREATE TABLE folds (
    run TEXT, model TEXT, split INTEGER,
    state TEXT NOT NULL,
    owner INTEGER, claims INTEGER NOT NULL DEFAULT 0, failures INTEGER NOT NULL DEFAULT 0,
    facts TEXT, predicted BLOB, scores BLOB, checksum BLOB,
    PRIMARY KEY (run, model, split)
);
"""
_NETWORK = (
    "nfs",
    "cifs",
    "smb",
    "smbfs",
    "sshfs",
    "fuse.sshfs",
    "afs",
    "9p",
    "glusterfs",
    "ceph",
    "lustre",
    "webdav",
    "davfs",
    "fuse.s3fs",
    "fuse.gcsfuse",
)
#: Unpacked arrays may take so many bytes, or so many times what they take packed.
_FREE_BYTES, _MOST_RATIO = 256 << 20, 200
#: Seconds to wait for a file that others have locked.
LONGEST_WAIT = 60.0
T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Run:
    """What a store knows of a run apart from its folds: plain facts, arrays by name, and facts of each model."""

    name: str
    facts: dict[str, Any]
    arrays: dict[str, NDArray[Any]]
    models: dict[str, dict[str, Any]]
    checksums: dict[str, bytes] = field(default_factory=dict)


class Store:
    """An open store. `Store(path)` makes the file if it is not there; `Store(path, read_only=True)` never writes."""

    path: Path

    def __init__(self, path: str | os.PathLike[str], *, read_only: bool = False) -> None:
        self.path = Path(path)
        self.read_only = read_only
        self.on_network = _on_network(self.path)
        self._lock = threading.RLock()
        self._durable = True
        self._copy: tempfile.TemporaryDirectory[str] | None = None
        self.db = self.guard(self._open)
        try:
            self.guard(self._prepare)
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        with contextlib.suppress(sqlite3.Error):
            self.db.close()
        if self._copy is not None:
            self._copy.cleanup()

    # opening

    def _open(self) -> sqlite3.Connection:
        if self.path.is_dir():
            raise RunError("not_a_file", f"{self.path} is a folder", cure="name a file for the store")
        if self.read_only and not self.path.exists():
            raise RunError("unknown_run", f"there is no store at {self.path}", cure="check the path")
        if not self.path.parent.is_dir():
            raise RunError("not_a_file", f"there is no folder {self.path.parent}", cure="make it, or name another")
        if self.path.exists():
            self._check_file()
        if self.read_only:
            return self._open_to_read()
        if self.path.exists() and not os.access(self.path, os.W_OK):
            raise RunError("store_read_only", f"{self.path} may not be written to", cure=_READ_ONLY_CURE)
        return _connected(str(self.path), uri=False)

    def _check_file(self) -> None:
        """Refuse what is not ours by its first bytes, before SQLite opens it: not a byte of it may change."""
        if not self.path.is_file():
            raise RunError("store_damaged", f"{self.path} is no regular file", cure="name a file for the store")
        for beside in map(self._beside, ("-wal", "-shm", "-journal")):
            if not _is_regular_or_absent(beside):  # a named pipe there would be waited for
                raise RunError("store_damaged", f"{beside} is no regular file", cure="remove it")
        for patience in (0.05, 0.2, 0.0):
            try:
                with open(os.open(self.path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)), "rb") as file:
                    head = os.read(file.fileno(), 100)
            except BlockingIOError:  # what the system shows as a file, and has nothing to say now
                raise RunError("store_damaged", f"{self.path} is no regular file", cure="name another file") from None
            whole = len(head) == 100 and head.startswith(b"SQLite format 3\0")
            if whole and int.from_bytes(head[68:72], "big") == _APPLICATION:
                return
            if not head or (not whole and _size(self._beside("-journal"))):
                return  # new, or begun and not finished: SQLite puts that right
            time.sleep(patience)  # another process may be making it this moment
        if not whole:
            raise RunError("store_damaged", f"{self.path} is no store (no database)", cure=_NO_STORE_CURE)
        problem = f"{self.path} is a database, but no store of surefold"
        raise RunError("store_damaged", problem, cure="name another file for the store")

    def _beside(self, ending: str) -> Path:
        return self.path.with_name(self.path.name + ending)

    def _open_to_read(self) -> sqlite3.Connection:
        """Without a log beside it nothing is under way, and nothing has to be made in its folder either."""
        logs = [path for path in (self._beside("-wal"), self._beside("-journal")) if path.exists()]
        if not logs:
            return _connected(f"file:{_quoted(self.path)}?mode=ro&immutable=1", uri=True)
        db = _connected(f"file:{_quoted(self.path)}?mode=ro", uri=True)
        try:
            db.execute("SELECT count(*) FROM sqlite_master").fetchone()
            return db
        except sqlite3.OperationalError:
            db.close()
        except BaseException:
            db.close()
            raise
        # What the log holds belongs to the store, and here SQLite may not work it in: it may in a copy.
        self._copy = tempfile.TemporaryDirectory(prefix="surefold-")
        for path in (self.path, *logs):
            shutil.copyfile(path, Path(self._copy.name) / path.name)
        return _connected(str(Path(self._copy.name) / self.path.name), uri=False)

    def _prepare(self) -> None:
        db = self.db
        if self.read_only:
            self._check_kind()
            return
        db.execute("BEGIN IMMEDIATE")  # a store that cannot be written to says so now, not after an hour
        try:
            empty = db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0
            if empty:
                for statement in _SCHEMA.split(";"):
                    if statement.strip():
                        db.execute(statement)
                db.execute(f"PRAGMA application_id = {_APPLICATION}")
                db.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
            db.execute("COMMIT")
        except BaseException:
            with contextlib.suppress(sqlite3.Error):
                db.execute("ROLLBACK")
            raise
        self._check_kind()
        # A shared-memory index does not work across a network; the plain journal does.
        self._set_journal("DELETE" if self.on_network else "WAL")
        db.execute("PRAGMA synchronous = FULL")

    def _set_journal(self, mode: str) -> None:
        """Changing it is the one thing for which SQLite does not wait while others have just opened the same file."""
        until = time.monotonic() + LONGEST_WAIT
        while True:
            try:
                self.db.execute(f"PRAGMA journal_mode = {mode}")
                return
            except sqlite3.OperationalError as error:
                busy = (getattr(error, "sqlite_errorname", "") or "").startswith(("SQLITE_BUSY", "SQLITE_LOCKED"))
                if not busy or time.monotonic() > until:
                    raise
                time.sleep(0.005)

    def _check_kind(self) -> None:
        kind = self.db.execute("PRAGMA application_id").fetchone()[0]
        version = self.db.execute("PRAGMA user_version").fetchone()[0]
        if kind != _APPLICATION:
            problem = f"{self.path} is a database, but no store of surefold"
            raise RunError("store_damaged", problem, cure="name another file for the store")
        if version != SCHEMA_VERSION:
            newer = "a newer" if version > SCHEMA_VERSION else "an older"
            problem = f"{self.path} was written by {newer} surefold (format {version}, this one reads {SCHEMA_VERSION})"
            raise RunError("store_version", problem, cure="use that version, or start another store")
        # Views and triggers would run when we read and write, and nobody of us made them.
        made = {str(row[0]).strip() for row in self.db.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL")}
        if made != {statement.strip() for statement in _SCHEMA.split(";") if statement.strip()}:
            problem = f"{self.path} has other tables than a store of surefold"
            raise RunError("store_damaged", problem, cure=_DAMAGED_CURE)

    # transactions

    @contextlib.contextmanager
    def transaction(self, *, durable: bool) -> Iterator[sqlite3.Connection]:
        """One all-or-nothing write. A claim may be lost in a power cut without harm, and need not wait for the disk."""
        with self._lock:
            if durable != self._durable and not self.on_network:
                self.db.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
                self._durable = durable
            if self.db.in_transaction:  # a signal came between beginning one and entering it
                self.db.execute("ROLLBACK")
            self.db.execute("BEGIN IMMEDIATE")
            try:
                yield self.db
            except BaseException:
                with contextlib.suppress(sqlite3.Error):
                    self.db.execute("ROLLBACK")
                raise
            try:
                self.db.execute("COMMIT")
            except BaseException:
                with contextlib.suppress(sqlite3.Error):
                    self.db.execute("ROLLBACK")
                raise

    def guard(self, work: Callable[[], T]) -> T:
        """Run a piece of work and tell what SQLite says in words that help."""
        try:
            return work()
        except sqlite3.Error as error:
            raise self._told(error) from error
        except OSError as error:
            raise RunError(
                "store_read_only", f"{self.path} cannot be reached ({error.strerror or error})", cure=_READ_ONLY_CURE
            ) from error
        except SurefoldError:  # some of which are a ValueError too
            raise
        except (
            ValueError,
            TypeError,
            LookupError,
            ArithmeticError,
            AttributeError,
            AssertionError,
            MemoryError,
            RecursionError,
            zlib.error,
        ) as error:
            raise RunError(
                "store_damaged",
                f"{self.path} holds what was never written to it ({type(error).__name__})",
                cure=_DAMAGED_CURE,
            ) from error

    def _told(self, error: sqlite3.Error) -> RunError:
        name = getattr(error, "sqlite_errorname", "") or ""
        if name.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM", "SQLITE_AUTH")):
            return RunError("store_read_only", f"{self.path} cannot be written to ({error})", cure=_READ_ONLY_CURE)
        if name.startswith(("SQLITE_FULL", "SQLITE_IOERR", "SQLITE_TOOBIG")):
            free = _free_bytes(self.path)
            room = "" if free is None else f"; {free / 1e6:,.0f} MB are free"
            return RunError(
                "store_full",
                f"{self.path} could not be written ({error}{room}); finished folds are kept",
                cure="make room, then run the same again: it goes on where it stopped",
            )
        if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
            return RunError(
                "store_busy",
                f"{self.path} has been locked by another process for a minute",
                cure="wait for it, or end it",
            )
        return RunError("store_damaged", f"{self.path} is damaged ({error})", cure=_DAMAGED_CURE)

    # runs

    def run_names(self) -> list[str]:
        """The names of all runs, sorted."""
        return self.guard(lambda: [str(row[0]) for row in self.db.execute("SELECT name FROM runs ORDER BY name")])

    def read_run(self, name: str) -> Run | None:
        """The run of that name; None where there is none."""
        return self.guard(lambda: self._read_run(name))

    def _read_run(self, name: str) -> Run | None:
        row = self.db.execute("SELECT facts, arrays, checksum FROM runs WHERE name = ?", (name,)).fetchone()
        if row is None:
            return None
        facts, arrays, checksum = row
        if _checksum("run", name, facts, arrays) != checksum:
            problem = f"run {name!r} in {self.path} does not match its checksum"
            raise RunError("store_damaged", problem, cure=_DAMAGED_CURE)
        models, checksums = {}, {}
        rows = self.db.execute("SELECT name, facts, checksum FROM models WHERE run = ? ORDER BY rowid", (name,))
        for model, described, kept in rows.fetchall():
            if _checksum("model", name, model, described) != kept:
                problem = f"model {model!r} of run {name!r} in {self.path} does not match its checksum"
                raise RunError("store_damaged", problem, cure=_DAMAGED_CURE)
            models[str(model)], checksums[str(model)] = json.loads(described), kept
        told = json.loads(facts)
        mappings = [told, told.get("command") or {}, *models.values()]
        if not all(isinstance(each, dict) for each in mappings):
            raise TypeError("facts are a mapping")
        return Run(name, told, _unpack(arrays), models, checksums)

    def write_run(self, run: Run) -> None:
        """Add a run, or models to a run that is there."""

        def write() -> None:
            facts, arrays = _dumped(run.facts), _pack(run.arrays)
            with self.transaction(durable=True) as db:
                db.execute(
                    "INSERT OR IGNORE INTO runs VALUES (?, ?, ?, ?)",
                    (run.name, facts, arrays, _checksum("run", run.name, facts, arrays)),
                )
                for model, described in run.models.items():
                    text = _dumped(described)
                    db.execute(
                        "INSERT OR IGNORE INTO models VALUES (?, ?, ?, ?)",
                        (run.name, model, text, _checksum("model", run.name, model, text)),
                    )

        self.guard(write)

    def forget_run(self, name: str) -> None:
        """Remove a run and its folds."""

        def forget() -> None:
            with self.transaction(durable=True) as db:
                for table, column in (("folds", "run"), ("models", "run"), ("runs", "name")):
                    db.execute(f"DELETE FROM {table} WHERE {column} = ?", (name,))

        self.guard(forget)

    def forget_idle(self, run: str, names: list[str]) -> None:
        """Remove those models of a run that have no fold done or under way: they have nothing to lose.

        One transaction, so that no fold can come in between. A process that had registered the removed model finds out
        when it writes (`registered`), and is refused.
        """

        def forget() -> None:
            with self.transaction(durable=True) as db:
                for name in names:
                    query = "SELECT count(*) FROM folds WHERE run = ? AND model = ? AND state != 'failed'"
                    if db.execute(query, (run, name)).fetchone()[0] == 0:
                        db.execute("DELETE FROM folds WHERE run = ? AND model = ?", (run, name))
                        db.execute("DELETE FROM models WHERE run = ? AND name = ?", (run, name))

        self.guard(forget)

    def checkpoint(self) -> None:
        """Move the log into the file, so that the file alone is the store; others at work may prevent it."""
        with contextlib.suppress(sqlite3.Error), self._lock:
            self.db.execute("PRAGMA busy_timeout = 0")  # it is a courtesy: nobody is waited for
            try:
                self.db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            finally:
                self.db.execute(f"PRAGMA busy_timeout = {int(LONGEST_WAIT * 1000)}")

    # folds

    def outcomes(self, run: str, key: str) -> Iterator[tuple[Task, Held | Failure | None]]:
        """Every settled fold of a run; None where what is stored does not match its checksum."""
        for row in self._fold_rows(run):
            yield read_fold(run, key, row)

    def _fold_rows(self, run: str) -> list[tuple[Any, ...]]:
        query = f"SELECT {FOLD} FROM folds WHERE run = ? AND state != 'running'"
        return self.guard(lambda: self.db.execute(query, (run,)).fetchall())

    def settled(self, run: str, key: str, *, again: bool) -> tuple[set[Task], set[Task]]:
        """The folds that need not be run, and of the others those that once took their worker down with them.

        Folds that do not match their checksum are forgotten, and with `again` also those that failed; each only if it
        still stands there as it was read, for another process may have been faster.
        """
        kept, deadly, spoilt = set(), set(), []
        for row in self._fold_rows(run):
            task, outcome = read_fold(run, key, row)
            if outcome is not None and not (again and isinstance(outcome, Failure)):
                kept.add(task)
                continue
            spoilt.append((row[0], row[-1]))
            if isinstance(outcome, Failure) and outcome.kind in ("died", "memory", "timeout"):
                deadly.add(task)

        def forget() -> None:
            with self.transaction(durable=True) as db:
                db.executemany("DELETE FROM folds WHERE rowid = ? AND checksum IS ? AND state != 'running'", spoilt)

        if spoilt:
            self.guard(forget)
        return kept, deadly

    def write_fold(
        self, run: str, key: str, task: Task, outcome: Held | Failure, registered: bytes | None = None
    ) -> None:
        """The one transaction that makes a fold safe. `registered` is the model's checksum as this process knows it."""
        if isinstance(outcome, Failure):
            state, predicted, scores = "failed", None, None
            facts = json.dumps({"kind": outcome.kind, "message": outcome.message, "traceback": outcome.traceback})
        else:
            state, (facts, predicted, scores) = "done", _laid_out(outcome)
        checksum = _checksum("fold", key, run, task.model, task.split, state, facts, predicted, scores)

        def write() -> None:
            with self.transaction(durable=True) as db:
                if registered is not None:
                    query = "SELECT checksum FROM models WHERE run = ? AND name = ?"
                    if db.execute(query, (run, task.model)).fetchone() != (registered,):
                        problem = f"another process began model {task.model!r} of run {run!r} in {self.path} otherwise"
                        raise RunError("changed_run", problem, cure="name another run (run=, --run)")
                # A fold that is done stays as it is: another process may have been faster.
                db.execute(
                    "INSERT INTO folds (run, model, split, state, failures, facts, predicted, scores, checksum, "
                    "claims) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 1) ON CONFLICT DO UPDATE SET state = excluded.state, "
                    "failures = excluded.failures, facts = excluded.facts, predicted = excluded.predicted, "
                    "scores = excluded.scores, checksum = excluded.checksum, owner = NULL WHERE state != 'done'",
                    (
                        run,
                        task.model,
                        task.split,
                        state,
                        getattr(outcome, "attempts", 0),
                        facts,
                        predicted,
                        scores,
                        checksum,
                    ),
                )

        self.guard(write)

    def salvage(self, to: Path) -> tuple[int, int]:
        """Copy every run and fold that can be read and matches its checksum into a new store; (runs, folds)."""
        from surefold.resampling.salvage import salvaged

        return salvaged(self, to)


_READ_ONLY_CURE = "give it write permission, or name another store"
_NO_STORE_CURE = "name another file; if it was a store, `surefold resume STORE --salvage` saves what is whole"
_DAMAGED_CURE = (
    "keep the file aside and start another; `surefold resume STORE --salvage` saves the folds that are whole"
)


#: What is read of a fold: where it stands first, its checksum last.
FOLD = "rowid, model, split, state, failures, facts, predicted, scores, checksum"


def read_fold(run: str, key: str, row: tuple[Any, ...]) -> tuple[Task, Held | Failure | None]:
    """The fold that a row holds; None where it does not match its checksum, or is none that we would write."""
    _, model, split, state, failures, facts, predicted, scores, checksum = row
    task = Task(str(model), split if isinstance(split, int) else -1)
    if _checksum("fold", key, run, model, split, state, facts, predicted, scores) != checksum:
        return task, None
    try:
        told = json.loads(facts)
        if state != "failed":
            return task, _held(told, predicted, scores)
        attempts = failures if isinstance(failures, int) else 1
        failure = Failure(told["kind"], str(told["message"]), str(told["traceback"]), attempts)
        str(failure)  # of a kind that there is
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
        return task, None
    return task, failure


# laying out values


def _laid_out(held: Held) -> tuple[str, bytes, bytes | None]:
    scores = None if held.scores is None else np.ascontiguousarray(held.scores, dtype="<f8")
    facts = {
        "score_kind": held.score_kind,
        "shape": None if scores is None else list(scores.shape),
        "fit_seconds": held.fit_seconds,
        "score_seconds": held.score_seconds,
        "notes": held.notes,
    }
    predicted = np.ascontiguousarray(held.predicted, dtype="<i4").tobytes()
    return _dumped(facts), predicted, None if scores is None else scores.tobytes()


def _held(facts: Mapping[str, Any], predicted: bytes, scores: bytes | None) -> Held:
    values = None if scores is None else np.frombuffer(scores, dtype="<f8").reshape(facts["shape"])
    if facts["score_kind"] not in ("probability", "decision", "none") or not isinstance(facts["notes"], dict):
        raise ValueError("no fold of ours")
    seconds = float(facts["fit_seconds"]), float(facts["score_seconds"])
    return Held(np.frombuffer(predicted, dtype="<i4"), values, facts["score_kind"], *seconds, facts["notes"])


def _dumped(facts: Mapping[str, Any]) -> str:
    return json.dumps(facts, sort_keys=True, default=_plain)


def _plain(value: object) -> Any:
    return value.item() if isinstance(value, np.generic) else str(value)


def _pack(arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """Arrays by name as a line of JSON and their bytes, compressed."""
    kept = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    head = json.dumps([[name, array.dtype.str, list(array.shape)] for name, array in kept.items()]).encode()
    return zlib.compress(head + b"\n" + b"".join(array.tobytes() for array in kept.values()), 1)


def _unpack(packed: bytes) -> dict[str, NDArray[Any]]:
    limit = max(_FREE_BYTES, _MOST_RATIO * len(packed))
    unpacked = zlib.decompressobj().decompress(packed, limit + 1)
    if len(unpacked) > limit:
        raise ValueError(f"more than {limit:,} bytes unpacked")
    head, _, body = unpacked.partition(b"\n")
    arrays, place = {}, 0
    for name, kind, shape in json.loads(head):
        dtype = np.dtype(kind)
        size = dtype.itemsize * int(np.prod(shape, dtype=np.int64))
        arrays[str(name)] = np.frombuffer(body[place : place + size], dtype=dtype).reshape(shape)
        place += size
    return arrays


def _checksum(*parts: object) -> bytes:
    """Of parts with their lengths, so that nothing can move from one into the next."""
    digest = hashlib.sha256()
    for part in parts:
        content = part if isinstance(part, bytes) else b"-" if part is None else str(part).encode("utf-8", "replace")
        digest.update(f"{type(part).__name__[:1]}{len(content)}:".encode())
        digest.update(content)
    return digest.digest()


def _connected(path: str, *, uri: bool) -> sqlite3.Connection:
    return sqlite3.connect(path, uri=uri, timeout=LONGEST_WAIT, isolation_level=None, check_same_thread=False)


def _is_regular_or_absent(path: Path) -> bool:
    """By one look: a journal that another process removes between two would be there and no file."""
    try:
        return stat.S_ISREG(path.stat().st_mode)
    except FileNotFoundError:
        return True


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _quoted(path: Path) -> str:
    from urllib.parse import quote

    return quote(os.fsencode(path.absolute()))


def _free_bytes(path: Path) -> int | None:
    try:
        return shutil.disk_usage(path.parent).free
    except OSError:
        return None


def _on_network(path: Path) -> bool:
    """Whether the folder lies on a file system across a network."""
    try:
        mounts = Path("/proc/mounts").read_text(encoding="utf-8", errors="replace").splitlines()
        place = os.path.realpath(path.parent)
    except OSError:
        return False
    best, kind = "", ""
    for line in mounts:
        fields = line.split(" ")
        if len(fields) < 3:
            continue
        point = fields[1].replace("\\040", " ")
        inside = place == point or place.startswith(point.rstrip("/") + "/")
        if inside and len(point) >= len(best):
            best, kind = point, fields[2]
    return kind in _NETWORK or kind.startswith("nfs")
