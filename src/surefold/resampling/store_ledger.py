"""The folds of a run in a store, shared out between processes."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import threading
from collections.abc import Mapping

from surefold.errors import RunError
from surefold.resampling.fold import Failure, Held
from surefold.resampling.lease import BEAT_SECONDS, Owner, Watch, this_process
from surefold.resampling.ledger import Task
from surefold.resampling.store import Store

__all__ = ["RunLedger"]

#: A fold whose process died this often before it could say anything is next run in a process of its own.
SUSPICIOUS_CLAIMS = 3

#: Stores and owners that this process is at work as. An owner of ours that is not here could not sign out.
_AT_WORK: set[tuple[str, int]] = set()


class RunLedger:
    """The folds of one run in a store, shared with other processes: each claims a fold before it works on it."""

    def __init__(
        self,
        store: Store,
        run: str,
        key: str,
        tasks: list[Task],
        retries: int,
        *,
        again: bool = True,
        registered: Mapping[str, bytes] | None = None,
    ) -> None:
        """With `again`, folds that failed in an earlier run get another chance; `registered`: the models' checksums."""
        self._registered = registered or {}
        self._store, self._run, self._key, self._retries = store, run, key, retries
        self._watch = Watch()
        self._failed_here: dict[Task, int] = {}
        self._claims: dict[Task, int] = {}
        settled, self._deadly = store.settled(run, key, again=again)
        self._waiting = [task for task in reversed(tasks) if task not in settled]
        self._settled = len(tasks) - len(self._waiting)
        self._owner = store.guard(self._sign_in)
        self._here = (os.path.realpath(store.path), self._owner)
        _AT_WORK.add(self._here)
        self._stop = threading.Event()
        self._heart = threading.Thread(target=self._beat, name="surefold-heartbeat", daemon=True)
        self._heart.start()

    def close(self) -> None:
        """Sign out: what this process had claimed is free at once."""
        _AT_WORK.discard(self._here)  # even if the store cannot be written to any more
        self._stop.set()
        self._heart.join(timeout=1.0)

        def leave() -> None:
            with self._store.transaction(durable=False) as db:
                db.execute(
                    "UPDATE folds SET owner = NULL, claims = claims - 1 WHERE owner = ? AND state = 'running'",
                    (self._owner,),
                )
                db.execute("DELETE FROM owners WHERE id = ?", (self._owner,))

        with contextlib.suppress(RunError):
            self._store.guard(leave)

    def _sign_in(self) -> int:
        me = this_process()
        with self._store.transaction(durable=False) as db:
            row = db.execute(
                "INSERT INTO owners (machine, process, started, beat) VALUES (?, ?, ?, 0)",
                (me.machine, me.process, me.started),
            )
            return int(row.lastrowid or 0)

    def claim(self) -> Task | None:
        """The next fold that nobody is at work on."""
        skipped: list[Task] = []
        try:
            while self._waiting:
                task = self._waiting.pop()
                state = self._store.guard(lambda task=task: self._try(task))  # type: ignore[misc]
                if state == "mine":
                    return task
                if state == "theirs":
                    skipped.append(task)
                else:
                    self._settled += 1
            return None
        finally:
            self._waiting += reversed(skipped)

    def _try(self, task: Task) -> str:
        where = (self._run, task.model, task.split)
        with self._store.transaction(durable=False) as db:
            row = db.execute(
                "SELECT state, owner, claims FROM folds WHERE run = ? AND model = ? AND split = ?", where
            ).fetchone()
            if row is not None:
                state, owner, claims = row
                if state in ("done", "failed"):
                    return str(state)
                if owner is not None and owner != self._owner and self._is_working(db, owner):
                    return "theirs"
                self._claims[task] = int(claims)
                db.execute(
                    "UPDATE folds SET owner = ?, claims = claims + 1 WHERE run = ? AND model = ? AND split = ?",
                    (self._owner, *where),
                )
                return "mine"
            db.execute(
                "INSERT INTO folds (run, model, split, state, owner, claims) VALUES (?, ?, ?, 'running', ?, 1)",
                (*where, self._owner),
            )
            return "mine"

    def _is_working(self, db: sqlite3.Connection, owner: int) -> bool:
        row = db.execute("SELECT machine, process, started, beat FROM owners WHERE id = ?", (owner,)).fetchone()
        if row is None:
            return False
        machine, process, started, beat = row
        if not (isinstance(process, int) and isinstance(beat, int)):
            return False  # no process ever signed in like that
        who = Owner(str(machine), process, str(started))
        if who == this_process():  # this very process: an earlier call, unless it is still at it in another thread
            return (self._here[0], owner) in _AT_WORK
        if who.is_here() and who.started != "?":
            return who.is_alive()
        return not self._watch.is_stale(owner, beat)

    def record(self, task: Task, outcome: Held | Failure) -> bool:
        """Keep an outcome in the store; whether the task will be tried again."""
        tried = self._failed_here.get(task, 0)
        if isinstance(outcome, Failure):
            tried = self._failed_here[task] = tried + 1
            if tried <= self._retries:
                self._waiting.insert(0, task)
                return True
            outcome = Failure(outcome.kind, outcome.message, outcome.traceback, tried)
        elif tried:
            outcome.notes["attempts"] = tried + 1
        known = self._registered.get(task.model)
        self._store.write_fold(self._run, self._key, task, outcome, known)
        self._settled += 1
        return False

    def give_back(self, task: Task) -> None:
        """A task that was claimed and not begun."""
        self._waiting.append(task)

    def others_at_work(self) -> bool:
        """Whether folds are left that other processes hold."""
        return bool(self._waiting)

    @property
    def settled(self) -> int:
        """How many tasks are done or have failed for good."""
        return self._settled

    def needs_own_process(self, task: Task) -> bool:
        """A fold that took its process down with it several times must not take this one."""
        return task in self._deadly or self._claims.get(task, 0) >= SUSPICIOUS_CLAIMS

    def _beat(self) -> None:
        """Move our heartbeat for processes on other machines, which cannot look us up."""
        while not self._stop.wait(BEAT_SECONDS):
            with (
                contextlib.suppress(sqlite3.Error),
                contextlib.closing(sqlite3.connect(self._store.path, timeout=5.0, isolation_level=None)) as db,
            ):
                db.execute("PRAGMA synchronous = NORMAL")
                db.execute("UPDATE owners SET beat = beat + 1 WHERE id = ?", (self._owner,))
