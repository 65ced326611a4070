"""Stores as a stranger could make them: other facts, with checksums that are right."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from typing import Any

from surefold.resampling.store import _checksum


def rewrite(change: Callable[[dict[str, Any]], object], path: str = "runs.db") -> None:
    """Change the facts of every run as somebody would who knows how a store is made: its checksum is right."""
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        for name, text, arrays in db.execute("SELECT name, facts, arrays FROM runs").fetchall():
            facts = json.loads(text)
            change(facts)
            text = json.dumps(facts)
            db.execute("UPDATE runs SET facts = ?, checksum = ? WHERE name = ?",
                       (text, _checksum("run", name, text, arrays), name))  # fmt: skip
    db.close()


def lose_a_fold(path: str = "runs.db") -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("DELETE FROM folds WHERE split = 1")
    db.close()


def places_in(facts: dict[str, Any]) -> list[tuple[str, ...]]:
    """Where something else may be put in the facts of a run."""
    found: list[tuple[str, ...]] = [(name,) for name in facts]
    found += [("command", name) for name in facts["command"]] + [("plan", name) for name in facts["plan"]]
    return [*found, ("command", "plan", "n_jobs"), ("command", "running", "store")]


def put(place: tuple[str, ...], value: Any, facts: dict[str, Any]) -> None:
    for name in place[:-1]:
        facts = facts[name]
    facts[place[-1]] = value
