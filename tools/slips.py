"""The slips of a user's script that the tests hold mypy to, under pyright: it must stop at the same lines.

    python -m tools.slips                            pyright of the path
    python -m tools.slips --pyright 'npx pyright'    one that npm fetches

pyright is no dependency of the project, so no test runs it.
"""

from __future__ import annotations

import argparse
import json
import shlex
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.test_typing import SCRIPT, WRONG

__all__ = ["lines_found", "lines_wrong"]

SOURCE = Path(__file__).parents[1] / "src"


def lines_wrong() -> list[int]:
    """The lines that are wrong on purpose."""
    return [number for number, line in enumerate(SCRIPT.splitlines(), start=1) if line.endswith(WRONG)]


def lines_found(pyright: str) -> list[int]:
    """The lines at which pyright finds an error."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "user_script.py"
        path.write_text(SCRIPT, encoding="utf-8")
        settings = {"include": [path.name], "extraPaths": [str(SOURCE)], "pythonVersion": "3.11"}
        (Path(folder) / "pyrightconfig.json").write_text(json.dumps(settings), encoding="utf-8")
        command = [*shlex.split(pyright), "--outputjson", "--pythonpath", sys.executable, "--project", folder]
        ran = subprocess.run(command, capture_output=True, text=True, check=False)
    found = json.loads(ran.stdout)["generalDiagnostics"]
    return sorted({each["range"]["start"]["line"] + 1 for each in found if each["severity"] == "error"})


def main() -> int:
    """Print both, and fail where they differ."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--pyright", default="pyright", help="how pyright is called")
    wrong, found = lines_wrong(), lines_found(parser.parse_args().pyright)
    print(f"wrong on purpose: {wrong}")
    print(f"pyright stops at: {found}")
    return 0 if wrong == found else 1


if __name__ == "__main__":
    sys.exit(main())
