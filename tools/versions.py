"""The quick tests on the oldest and on the newest releases that pyproject.toml allows, and a page of how it went.

Run: .venv/bin/python -m tools.versions [--python python3.12 ...] [--only oldest]
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


def tested(python: Path) -> str:
    """The last line of the quick tests: how many passed."""
    command = [str(python), "-m", "pytest", *TESTED]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    sys.stderr.write(run.stdout[-6000:] if run.returncode else "")
    return re.sub(r" in .*", "", run.stdout.strip().splitlines()[-1]) if run.stdout.strip() else run.stderr[-500:]


def page(found: dict[str, tuple[str, dict[str, str], str]]) -> str:
    heads = [f"{which} (Python {python})" for which, (python, _, _) in found.items()]
    lines = [
        "# Releases it runs with",
        "",
        "The quick tests, whole, on the oldest and on the newest releases that `pyproject.toml` allows.",
        "This page is written by `make versions`.",
        "",
        "| | " + " | ".join(heads) + " |",
        "|---" * (len(heads) + 1) + "|",
    ]
    rows = {name: [versions.get(name, "-") for _, versions, _ in found.values()] for name in direct()}
    rows["**quick tests**"] = [result for _, _, result in found.values()]
    lines += [f"| {name} | {' | '.join(cells)} |" for name, cells in rows.items()]
    return "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", default="python3")
    parser.add_argument("--uv", default="uv")
    parser.add_argument("--only", choices=tuple(RULES))
    asked = parser.parse_args()
    found = {}
    for which in RULES if asked.only is None else (asked.only,):
        python, versions = environment(which, asked.python, asked.uv)
        number = subprocess.run([python, "-V"], check=True, capture_output=True, text=True).stdout.split()[1]
        found[which] = number, versions, tested(python)
        print(f"{which}, Python {number}: {found[which][2]}", flush=True)
    if asked.only is None:
        PAGE.write_text(page(found), encoding="utf-8")
    return int(any("failed" in result or "error" in result for _, _, result in found.values()))


if __name__ == "__main__":
    sys.exit(main())
