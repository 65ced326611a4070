"""Saving what is whole in a damaged store: every run and fold that can be read and matches its checksum."""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from surefold.errors import RunError
from surefold.resampling.fold import Held
from surefold.resampling.store import FOLD, Store, read_fold

__all__ = ["salvage", "salvaged"]

PAGE = 4096


def salvage(path: str | os.PathLike[str], to: str | os.PathLike[str]) -> tuple[int, int]:
    """Save what can be saved of the store at `path`, which is not touched, into a new one; (runs, folds).

    It may be cut short, and its beginning may be gone: all stores begin alike, so another's beginning will do.
    """
    path, to = Path(path), Path(to)
    if not path.is_file():
        raise RunError("unknown_run", f"there is no store at {path}", cure="check the path")
    problem = RunError("store_damaged", f"no run can be read of {path}", cure="start the run again")
    with tempfile.TemporaryDirectory(prefix="surefold-", dir=to.absolute().parent) as folder:
        for begin_anew in (False, True):
            copy, saved = Path(folder) / f"copy{begin_anew}.db", Path(folder) / f"saved{begin_anew}.db"
            for ending in ("", "-wal", "-journal"):
                if os.path.exists(f"{path}{ending}"):
                    shutil.copyfile(f"{path}{ending}", f"{copy}{ending}")
            _mend(copy, Path(folder) / "fresh.db" if begin_anew else None)
            try:
                with Store(copy) as damaged:
                    found = salvaged(damaged, saved)
            except RunError:
                continue
            if found[0]:
                if to.exists():
                    raise RunError("store_read_only", f"{to} is there already", cure="name a new file")
                os.replace(saved, to)
                return found
    raise problem


def _mend(copy: Path, fresh: Path | None) -> None:
    """Let SQLite go by the length of the file, not by what its header says; and where asked, put a fresh page first."""
    with open(copy, "r+b") as file:
        if fresh is not None:
            Store(fresh).close()
            file.write(fresh.read_bytes()[:PAGE])
        file.seek(28)
        file.write(bytes(4))


def salvaged(damaged: Store, to: Path) -> tuple[int, int]:
    """Copy what can be read of an open store into a new one; (runs, folds)."""
    if Path(to).exists():
        raise RunError("store_read_only", f"{to} is there already", cure="name a new file")
    runs = folds = 0
    with Store(to) as target:
        for name in _names(damaged):
            try:
                run = damaged.read_run(name)
            except RunError:
                continue
            if run is None:
                continue
            target.write_run(run)
            runs += 1
            starts = run.arrays.get("plan_test_starts")
            fits = (0 if starts is None else len(starts) - 1) * len(run.models)
            seen = set()
            for row in _fold_rows(damaged, 2 * fits + 1000):
                task, outcome = read_fold(name, run.facts["key"], row)
                if isinstance(outcome, Held) and task not in seen:
                    seen.add(task)
                    target.write_fold(name, run.facts["key"], task, outcome)
                    folds += 1
    return runs, folds


def _names(damaged: Store) -> list[str]:
    """By the index and by the table, for one of them may be damaged."""
    found: dict[str, None] = {}
    for query in ("SELECT name FROM runs ORDER BY name", "SELECT name FROM runs NOT INDEXED"):
        with contextlib.suppress(sqlite3.Error, ValueError):
            for row in damaged.db.execute(query):
                found[str(row[0])] = None
    return list(found)


def _fold_rows(damaged: Store, at_most: int) -> Iterator[tuple[Any, ...]]:
    """Rows of the table of folds up to where it is damaged, and behind that one by one."""
    last = 0
    for place in range(1, at_most + 1):
        if place <= last:
            continue
        query = f"SELECT {FOLD} FROM folds NOT INDEXED WHERE rowid >= ? ORDER BY rowid"
        try:
            for row in damaged.db.execute(query, (place,)):
                last = int(row[0])
                yield row
            return
        except (sqlite3.Error, ValueError, TypeError, MemoryError):
            continue
