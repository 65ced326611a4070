"""The page of codes is what the code says."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from surefold.errors import ERROR_CODES
from surefold.findings import FINDING_CODES

ROOT = Path(__file__).parents[2]


def test_pages_are_current() -> None:
    from docs.generate import HERE, PAGES

    for name, text in PAGES.items():
        assert (HERE / name).read_text(encoding="utf-8") == text(), f"{name}: run python -m docs.generate"


@pytest.mark.parametrize("call", ["InputError", "Finding.of"])
def test_codes_used_at_the_door_are_registered(call: str) -> None:
    known = set(ERROR_CODES) if call == "InputError" else set(FINDING_CODES)
    used = set()
    for path in (ROOT / "src/surefold/inputs").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == call and isinstance(node.args[0], ast.Constant):
                used.add(node.args[0].value)
    assert len(used) > 15
    assert used <= known


def test_codes_are_plain_words() -> None:
    for code in [*ERROR_CODES, *FINDING_CODES]:
        assert re.fullmatch(r"[a-z][a-z0-9_]+", code)
