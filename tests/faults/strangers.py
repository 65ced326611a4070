"""Paths, stores and names as an accident or a stranger may make them: nothing lost, nothing run, nothing obeyed."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import os
import sqlite3
import sys
import tempfile
import unicodedata
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

from surefold.cli.main import main
from tests.cli.paths import DATA, NEEDS, SPELLINGS, content, fill, own_file, pairs, spelled, words
from tests.cli.strange import lose_a_fold, places_in, put, rewrite

from .stage import Figure

BIDI = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
#: Escape sequences, control characters, reordering, ends of lines, formulas, markup, halves of characters.
NAMES = ["a\x1b[2J", "b\x9b31m", "c\x7f", "d\u202e\u2066", "e\r=1+1", "f\u2028g\x85h", "=1+1", "+1+1", "@x",
         "\t=1+1", "\uff1d1+1", "<script>alert(1)</script>", "|x|", "[x](javascript:1)", "'=1", '"=1']  # fmt: skip
FORMATS = ("table", "json", "csv", "md", "junit")
ODD: list[Any] = [None, "", "x" * 100, -1, 1e300, True, [], {}, [[]], {"a": [{}]}, f"{BIDI}\x1b[31m", "\ud800", 10**30]
CODE = "import pathlib\npathlib.Path('ran').touch()\nfrom sklearn.dummy import DummyClassifier as make\n"


def figures() -> list[Figure]:
    return [*_over_each_other(), *_stores(), *_names()]


def _figure(part: str, what: str, bad: list[str], tried: int, wanted: str = "0") -> Figure:
    return Figure(part, f"{what} ({tried:,})", " ".join([str(len(bad)), *bad[:5]]), wanted, not bad)


@contextlib.contextmanager
def _inside() -> Iterator[Path]:
    before = os.getcwd()
    with tempfile.TemporaryDirectory(prefix="surefold-faults-") as folder:
        here = Path(folder) / "here"
        here.mkdir()
        os.chdir(here)
        try:
            yield here
        finally:
            os.chdir(before)


def _call(*said: str) -> tuple[int | str, str, str]:
    """A command in this process: its exit code, or what it raised, and what it printed."""
    out, err = io.StringIO(), io.StringIO()
    code: int | str
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = main(list(said))
        except BaseException as error:
            code = type(error).__name__
    return code, out.getvalue(), err.getvalue()


def _obeyed(text: str) -> bool:
    return any(c in BIDI or (c != "\n" and unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp")) for c in text)


# outputs over inputs


def _over_each_other() -> list[Figure]:
    part = "outputs over inputs"
    calls: dict[str, list[str]] = {}
    bad: dict[str, list[str]] = {}
    for name, other, output in pairs():
        what = f"`{name} {max(output.opts, key=len)}`"
        for how in SPELLINGS:
            with _inside() as folder:
                fill(folder)
                path = spelled(own_file(other), how)
                before = content(folder.parent)
                code, out, err = _call(*words(name, {str(output.name): path}))
                told = code == 2 and not out and "[cannot_write]" in err
                calls.setdefault(what, []).append(
                    other.opts[-1] if other.opts[-1][0] == "-" else str(other.name).upper()
                )
                bad.setdefault(what, [])
                if not told or content(folder.parent) != before:
                    bad[what].append(f"{other.name}, {how}: {code}")
    found = [
        Figure(part, f"{what} over {', '.join(dict.fromkeys(calls[what]))}; each as {len(SPELLINGS)} paths",
               f"{len(calls[what])} refused" if not bad[what] else " ".join(bad[what]), f"{len(calls[what])} refused",
               not bad[what])
        for what in calls
    ]  # fmt: skip
    return [*found, _among_many(part)]


def _among_many(part: str) -> Figure:
    bad: list[str] = []
    tried = [
        ("days/*.csv", "days/1.csv"), ("days", "days/1.csv"), ("days", "days/deep/2.csv"), ("days", "link.html"),
        ("days/**/*.csv", "days/deep/2.csv"), ("days", "days/new.csv"), ("days/*.csv", "days/new.csv"),
    ]  # fmt: skip
    for source, report in tried:
        for name in ("assess", "compare", "gate"):
            with _inside() as folder:
                fill(folder)
                (folder / "days" / "deep").mkdir(parents=True)
                for path in ("days/1.csv", "days/deep/2.csv"):
                    (folder / path).write_text(DATA)
                (folder / "link.html").symlink_to("days/1.csv")
                before = content(folder)
                needs = [word for word in NEEDS[name] if word not in ("--id", "id")]
                more = ["--baseline", "b"] if name == "gate" else []
                code, _, err = _call(name, source, *needs, *more, "--report", report)
                if code != 2 or "[cannot_write]" not in err or content(folder) != before:
                    bad.append(f"{name} {source} {report}: {code}")
    return _figure(part, "a report over or among the files of a folder or glob, not refused", bad, 3 * len(tried))


# stores from strangers


def _stores() -> list[Figure]:
    part = "stores from strangers"
    path = list(sys.path)
    raised, obeyed, wrote, ran = [], [], [], []
    with _inside() as folder:
        (folder / "data.csv").write_text(DATA)
        (folder / "strange.py").write_text(CODE)
        said = ["--target", "y", "--features", "a", "--folds", "3", "-q"]
        _call("evaluate", "data.csv", *said, "--repeats", "1", "--model", "tree", "--store", "one.db")
        _call("select", "data.csv", *said, "--models", "tree", "--store", "two.db")
        with closing(sqlite3.connect("one.db", isolation_level=None)) as db:
            facts = json.loads(db.execute("SELECT facts FROM runs").fetchone()[0])
        db.close()
        whole = {name: (folder / name).read_bytes() for name in ("one.db", "two.db")}
        orders = ["--save", "theirs.json", "--report", "theirs.html", "--save-model", "theirs.pkl", "--trust-pickle"]
        changes = [("one.db", partial(put, place, value)) for place in places_in(facts) for value in ODD]
        changes += [("one.db", partial(put, ("command", "models"), ["m=strange:make"]))]
        changes += [
            ("two.db", partial(_more_words, orders)),
            ("two.db", partial(_more_words, ["--models", "strange:make"])),
        ]
        for i, (name, change) in enumerate(changes):
            (folder / name).write_bytes(whole[name])
            rewrite(change, name)
            if i % 2 or name == "two.db":
                lose_a_fold(name)
            before = set(os.listdir())
            code, out, err = _call("resume", name, "-q")
            if code not in (0, 2, 3) or "Traceback" in err:
                raised.append(f"{i}: {code}")
            if _obeyed(out + err):
                obeyed.append(str(i))
            if set(os.listdir()) - before - {f"{name}-wal", f"{name}-shm"}:
                wrote.append(f"{i}: {set(os.listdir()) - before}")
            if (folder / "ran").exists() or "strange" in sys.modules or sys.path != path:
                ran.append(str(i))
        tables = _tables(folder, whole["one.db"])
    n = len(changes)
    return [
        _figure(part, "facts replaced by others, with the right checksum: errors without words", raised, n),
        _figure(part, "of these, that print what a terminal obeys", obeyed, n),
        _figure(part, "of these, that write a file", wrote, n),
        _figure(part, "of these, that run code which the call did not name", ran, n),
        tables,
    ]


def _more_words(more: list[str], facts: dict[str, Any]) -> None:
    facts["command"]["words"] += more


def _tables(folder: Path, whole: bytes) -> Figure:
    bad = []
    statements = (
        "CREATE TRIGGER t AFTER INSERT ON folds BEGIN DELETE FROM runs; END",
        "CREATE VIEW v AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c",
        "CREATE TABLE more (a)",
        "CREATE INDEX i ON folds (abs(split))",
    )
    for statement in statements:
        (folder / "one.db").write_bytes(whole)
        with closing(sqlite3.connect("one.db", isolation_level=None)) as db:
            db.execute(statement)
        db.close()
        code, out, err = _call("resume", "one.db")
        if code != 2 or out or "[store_damaged]" not in err:
            bad.append(statement[:14])
    return _figure("stores from strangers", "triggers, views, tables of others: not refused", bad, len(statements))


# names


def _names() -> list[Figure]:
    part = "hostile names"
    obeyed, runs, lost, raised = [], [], [], []
    tried = 0
    with _inside() as folder:
        data = folder / f"{BIDI}=\x1b[2J\udcff.csv"
        columns = ["y", f"p{NAMES[0]}", f"=q{BIDI}"]
        text = io.StringIO()
        writer = csv.writer(text)
        writer.writerow(columns)
        writer.writerows([label, label, NAMES[(i + i // 5) % len(NAMES)]] for i, label in enumerate(NAMES * 4))
        data.write_text(text.getvalue(), newline="", encoding="utf-8")
        calls = {
            "assess": ["--truth", "y", "--pred", columns[1], "-m", "all"],
            "compare": ["--truth", "y", "--pred", columns[1], "--pred", columns[2]],
            "gate": ["--truth", "y", "--candidate", columns[1], "--baseline", columns[2]],
        }
        for name, said in calls.items():
            for shape in FORMATS:
                tried += 1
                page = folder / f"\udcff\x1b{name}.html"
                code, out, err = _call(name, str(data), *said, "--format", shape, "--report", str(page))
                if code not in (0, 1, 3):
                    raised.append(f"{name} {shape}: {code}")
                if _obeyed(out + err) or _obeyed(page.read_text(encoding="utf-8")):
                    obeyed.append(f"{name} {shape}")
                if shape == "csv":
                    cells = [cell for row in csv.reader(io.StringIO(out, newline="")) for cell in row]
                    runs += [cell for cell in cells if cell[:1] in "=@\t\r\uff1d" and cell]
                if shape == "json" and name == "assess":
                    lost += sorted(set(NAMES) ^ set(json.loads(out)["labels"]))
    return [
        _figure(part, "labels, columns and files with names that would be obeyed: calls that fail", raised, tried),
        _figure(part, "of these, what a terminal or a browser would obey in print or page", obeyed, tried),
        _figure(part, "cells of CSV that a spreadsheet would run", runs, len(NAMES)),
        _figure(part, "labels that JSON does not give back as they were", lost, len(NAMES)),
    ]
