"""A copy of the tree, to which a test adds code in one file."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import pytest

ROOT = Path(__file__).parents[2]
Tree = Callable[[str, str, str], str]


@pytest.fixture
def with_code(tmp_path: Path) -> Tree:
    """Write code into one file of a copy of `src`, at its end where it is there already, then run a script there.

    Warnings are errors; what the script printed is returned.
    """
    left_out = shutil.ignore_patterns("__pycache__", "data", "_build", "images", "book", "guides")
    for folder in ("src/surefold", "docs", "tests/laws", "tests/significance"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=left_out)
    paths = os.pathsep.join(map(str, (tmp_path / "src", tmp_path)))

    def ran(place: str, text: str, script: str) -> str:
        added = tmp_path / "src" / "surefold" / place
        with added.open("a", encoding="utf-8") as file:
            file.write(dedent(text))
        command = [sys.executable, "-W", "error", "-c", dedent(script)]
        done = subprocess.run(
            command, cwd=tmp_path, env={**os.environ, "PYTHONPATH": paths}, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return ran
