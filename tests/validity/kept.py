"""Results of parts that are kept between runs, each under a fingerprint of the code that it covers.

A run that breaks off goes on where it was, and a change redoes only the parts that it can have moved.
"""

from __future__ import annotations

import ast
import hashlib
import json
from dataclasses import asdict
from functools import cache
from importlib.metadata import version
from pathlib import Path

from .page import Gate, Grid, Section
from .tables import SEED

__all__ = ["FOLDER", "fingerprint", "keep", "kept", "seconds_before"]

ROOT = Path(__file__).parents[2]
#: Not in version control: what was found on this machine.
FOLDER = ROOT / ".validity"
_HOMES = {"surefold": ROOT / "src" / "surefold", "tests": ROOT / "tests"}


def fingerprint(part: str, quick: bool) -> str:
    """Of every file that the part reaches by imports, the seed, and the releases of what it counts with.

    Packages that are only passed through on the way to a module do not count.
    """
    files = sorted(_reached(f"tests.validity.{part}"))
    found = hashlib.sha256(f"{SEED} {quick} {version('numpy')} {version('scipy')} {version('scikit-learn')}".encode())
    for file in files:
        found.update(file.relative_to(ROOT).as_posix().encode() + b"\0" + file.read_bytes() + b"\0")
    return found.hexdigest()[:16]


def _reached(module: str) -> set[Path]:
    found: set[Path] = set()
    left = [module]
    while left:
        file = _file(left.pop())
        if file is not None and file not in found:
            found.add(file)
            left += _imports(file)
    return found


@cache
def _file(module: str) -> Path | None:
    """Where a module of ours lies; None of others."""
    top, _, rest = module.partition(".")
    if top not in _HOMES:
        return None
    place = _HOMES[top].joinpath(*rest.split(".")) if rest else _HOMES[top]
    return next((f for f in (place.with_suffix(".py"), place / "__init__.py") if f.is_file()), None)


@cache
def _imports(file: Path) -> tuple[str, ...]:
    """The modules that a file imports from, at its top or inside."""
    inside = file.relative_to(ROOT / "src" if "src" in file.parts else ROOT).with_suffix("").parts
    package = inside[:-1]
    found: list[str] = []
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found += [name.name for name in node.names]
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else ()
            module = ".".join([*above, *((node.module or "").split(".") if node.module else ())])
            names = [f"{module}.{name.name}" for name in node.names]
            modules = [name for name in names if _file(name) is not None]
            found += modules if len(modules) == len(names) else [module, *modules]
    return tuple(found)


def _place(name: str, quick: bool) -> Path:
    return FOLDER / f"{name}{'-quick' if quick else ''}-{SEED}.json"


def keep(section: Section, print_of_code: str, quick: bool) -> None:
    """Written beside and moved into place, so that a run that is stopped leaves no half of a file."""
    FOLDER.mkdir(exist_ok=True)
    place = _place(section.name, quick)
    beside = place.with_suffix(".part")
    whole = {"fingerprint": print_of_code, "section": asdict(section)}
    beside.write_text(json.dumps(whole, default=lambda number: number.item()), encoding="utf-8")
    beside.replace(place)


def kept(name: str, print_of_code: str, quick: bool) -> Section | None:
    """What was found with the same code, seed and releases; None where nothing was."""
    place = _place(name, quick)
    if not place.is_file():
        return None
    found = json.loads(place.read_text(encoding="utf-8"))
    if found["fingerprint"] != print_of_code:
        return None
    section = found["section"]
    grids = [
        Grid(**{**grid, "head": tuple(grid["head"]), "rows": [tuple(row) for row in grid["rows"]]})
        for grid in section.pop("grids")
    ]
    gates = [Gate(**gate) for gate in section.pop("gates")]
    return Section(**section, grids=grids, gates=gates)


def seconds_before(name: str, quick: bool) -> float:
    """How long the part took the last time, with whatever code; the longest begin first."""
    place = _place(name, quick)
    return float(json.loads(place.read_text(encoding="utf-8"))["section"]["seconds"]) if place.is_file() else 600.0
