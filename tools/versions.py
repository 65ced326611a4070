"""The quick tests on the oldest and on the newest releases that pyproject.toml allows, and a page of how it went.

Run: .venv/bin/python -m tools.versions [--oldest python3.11] [--newest python3.14] [--only oldest] [tests/inputs ...]
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs/versions.md"
#: uv's rule for which release to take; `lowest-direct` is: what we ask for ourselves, as old as we say.
RULES = {"oldest": "lowest-direct", "newest": "highest"}
TESTS = "**quick tests**"
HEAD = """# Releases it runs with

The quick tests on the oldest and on the newest releases that `pyproject.toml` allows: of what surefold needs, and of
what the tests bring as inputs. Where some of the tests were run, they are named. This page is written by
`make versions`.
"""
TESTED = ("--quiet", "--numprocesses", "2", "--dist", "loadfile", "-p", "no:cacheprovider")


def direct() -> list[str]:
    """The names of the packages that pyproject.toml asks for at run time, and those that tests bring as inputs."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    asked = [*project["dependencies"], *project["optional-dependencies"]["dev"]]
    inputs = {"dask", "distributed", "matplotlib", "pandas", "pyarrow", "pyspark"}
    runtime = {_name(one) for one in project["dependencies"]}
    return sorted({_name(one) for one in asked} & (inputs | runtime))


def _name(requirement: str) -> str:
    return re.match(r"[A-Za-z0-9._-]+", requirement)[0]  # type: ignore[index]


def environment(which: str, python: str, uv: str) -> tuple[Path, dict[str, str]]:
    """A fresh environment by one rule: its Python, and name -> version of what is in it."""
    folder = ROOT / f".venv-{which}"
    run = [uv, "--quiet", "--no-config"]
    subprocess.run([*run, "venv", "--clear", "--python", python, str(folder)], check=True)
    ours = folder / "bin/python"
    asked = ["--resolution", RULES[which], "--upgrade", "-e", f"{ROOT}[dev]"]
    subprocess.run([*run, "pip", "install", "--python", str(ours), *asked], check=True)
    freeze = [*run, "pip", "freeze", "--python", str(ours)]
    shown = subprocess.run(freeze, check=True, capture_output=True, text=True).stdout
    return ours, dict(re.findall(r"^(\S+)==(\S+)$", shown, flags=re.MULTILINE))


def tested(python: Path, tests: list[str]) -> tuple[str, bool]:
    """The last line of the quick tests, all or some (how many passed), and whether all did."""
    command = [python, "-m", "pytest", *TESTED, *tests]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    sys.stderr.write(run.stdout[-20_000:] + run.stderr[-2000:] if run.returncode else "")
    last = run.stdout.strip().splitlines()[-1:] or ["did not start"]
    told = re.sub(r" in [0-9.]+s.*", "", last[0])
    return told + (f" of {', '.join(tests)}" if tests else ""), run.returncode == 0


def column(python: Path, versions: dict[str, str], result: str) -> dict[str, str]:
    """One column of the page: row -> cell."""
    number = subprocess.run([python, "-V"], check=True, capture_output=True, text=True).stdout.split()[1]
    return {"Python": number} | {name: versions.get(name, "-") for name in direct()} | {TESTS: result}


def page(columns: dict[str, dict[str, str]]) -> str:
    rows = ["Python", *direct(), TESTS]
    lines = [HEAD, "| | " + " | ".join(columns) + " |", "|---" * (len(columns) + 1) + "|"]
    lines += [f"| {row} | {' | '.join(cells.get(row, '-') for cells in columns.values())} |" for row in rows]
    return "\n".join(lines) + "\n"


def columns_of(text: str) -> dict[str, dict[str, str]]:
    """The columns of a page that was written before."""
    table = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("|")
    ]
    names = table[0][1:] if table else []
    return {name: {row[0]: row[i] for row in table[2:]} for i, name in enumerate(names, start=1)}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--oldest", default="python3", metavar="PYTHON", help="the Python for the oldest releases")
    parser.add_argument("--newest", default="python3", metavar="PYTHON", help="the Python for the newest releases")
    parser.add_argument("--uv", default="uv")
    parser.add_argument("tests", nargs="*", help="files or folders of tests; left out: all of them")
    parser.add_argument("--only", choices=tuple(RULES), help="the other column of the page stays as it is")
    asked = parser.parse_args()
    columns = columns_of(PAGE.read_text(encoding="utf-8")) if PAGE.exists() else {}
    passed = True
    for which in RULES if asked.only is None else (asked.only,):
        python, versions = environment(which, getattr(asked, which), asked.uv)
        result, well = tested(python, asked.tests)
        columns[which] = column(python, versions, result)
        passed &= well
        print(f"{which}, Python {columns[which]['Python']}: {result}", flush=True)
    PAGE.write_text(page({which: columns[which] for which in RULES if which in columns}), encoding="utf-8")
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
