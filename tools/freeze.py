"""Freeze what seeded results say, and hold later results against it.

    python -m tools.freeze                 write tests/references/frozen, one JSON a case
    python -m tools.freeze --check         name every figure that moved by more than 1e-7 of itself
    python -m tools.freeze --only files    cases with this in their name

A change of figures that is meant has a decision note, and its cases are written anew.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars

from tests.road.frozen_cases import CASES

__all__ = ["FOLDER", "changes", "frozen", "plain", "read"]

FOLDER = Path(__file__).parents[1] / "tests" / "references" / "frozen"
#: How far a figure may be from the frozen one, by its size, and what is no more than a zero.
RELATIVE, ZERO = 1e-7, 1e-12
#: Entries of a list that are kept: its ends and others evenly between.
MOST = 24
#: What changes from run to run, and words, which tests of their own hold.
LEFT_OUT = frozenset(
    ("surefold", "schema_version", "versions", "made_with", "seconds", "fit_seconds", "predict_seconds", "sentence",
     "traceback", "message", "verdict", "words", "question", "assumptions", "notes")
)  # fmt: skip


def plain(found: Any) -> Any:
    """A result as what JSON holds, thinned; floats that JSON has no word for become text."""
    if isinstance(found, bool | str | int | None):
        return found
    if isinstance(found, float):
        return found if math.isfinite(found) else str(found)
    if isinstance(found, np.generic):
        return plain(found.item())
    if hasattr(found, "to_dict") and not isinstance(found, polars.DataFrame | polars.Series):
        return plain(found.to_dict())
    if is_dataclass(found) and not isinstance(found, type):
        return plain({f.name: getattr(found, f.name) for f in fields(found) if f.repr})
    if isinstance(found, polars.DataFrame):
        return plain({name: found[name].to_list() for name in found.columns})
    if isinstance(found, np.ndarray):
        return plain(found.tolist())
    if isinstance(found, dict):
        named = {str(key): plain(value) for key, value in found.items() if key not in LEFT_OUT}
        return {key: value for key, value in named.items() if value not in (None, [], {})}
    if hasattr(found, "items"):
        return plain(dict(found.items()))
    held = list(found)
    if held and all(isinstance(f, dict) and {"code", "severity"} <= f.keys() for f in held):  # findings, in any order
        return {f["code"]: plain(f["evidence"]) for f in held}
    if len(held) <= MOST:
        return [plain(each) for each in held]
    places = sorted({round(i * (len(held) - 1) / (MOST - 1)) for i in range(MOST)})
    return {"length": len(held), "places": {str(i): plain(held[i]) for i in places}}


def frozen(name: str) -> Any:
    """The case as it is now, through JSON as the frozen one went."""
    return json.loads(written(plain(CASES[name]())))


def changes(was: Any, now: Any, where: str = "$") -> Iterator[str]:
    """Each path at which two results differ."""
    if isinstance(was, dict) and isinstance(now, dict):
        for key in was | now:
            if key not in now or key not in was:
                yield f"{where}.{key}: {'gone' if key in was else 'new'}"
            else:
                yield from changes(was[key], now[key], f"{where}.{key}")
    elif isinstance(was, list) and isinstance(now, list):
        if len(was) != len(now):
            yield f"{where}: {len(was)} entries before, {len(now)} now"
        for i, (one, other) in enumerate(zip(was, now, strict=False)):
            yield from changes(one, other, f"{where}[{i}]")
    elif _is_number(was) and _is_number(now):
        if not math.isclose(was, now, rel_tol=RELATIVE, abs_tol=ZERO):
            yield f"{where}: {was!r} before, {now!r} now"
    elif was != now or type(was) is not type(now):
        yield f"{where}: {was!r} before, {now!r} now"


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def written(value: Any, indent: str = "") -> str:
    """JSON with an object's keys a line each, an estimate or a list of plain values on one, and floats in full."""
    inner = indent + " "
    if isinstance(value, dict) and any(isinstance(each, dict) for each in value.values()):
        lines = [f"{inner}{json.dumps(key)}: {written(each, inner)}" for key, each in value.items()]
        return "{\n" + ",\n".join(lines) + f"\n{indent}}}"
    if isinstance(value, list) and any(isinstance(each, dict | list) for each in value):
        return "[\n" + ",\n".join(inner + written(each, inner) for each in value) + f"\n{indent}]"
    return json.dumps(value)


def read(name: str) -> Any:
    return json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="compare, and write nothing")
    parser.add_argument("--only", default="", help="cases with this in their name")
    asked = parser.parse_args()
    moved = 0
    for name in (name for name in CASES if asked.only in name):
        if asked.check:
            for change in changes(read(name), frozen(name)):
                print(f"{name} {change}")
                moved += 1
        else:
            FOLDER.mkdir(exist_ok=True)
            (FOLDER / f"{name}.json").write_text(written(plain(CASES[name]())) + "\n", encoding="utf-8")
    print(f"{moved} figures moved" if asked.check else f"written to {FOLDER}", file=sys.stderr)
    return 1 if moved else 0


if __name__ == "__main__":
    sys.exit(main())
