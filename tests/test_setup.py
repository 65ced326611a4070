"""The set-up installs what the locks pin, also on the day when newer releases exist."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tools.newer_releases import NEWER, empty_wheel, only_index, pins

ROOT = Path(__file__).parents[1]

#: Stands in for the tree's own package, so that the case needs no build tool.
BACKEND = """
import shutil
from pathlib import Path

def build_editable(folder, config_settings=None, metadata_directory=None):
    return Path(shutil.copy(next(Path("own").glob("*.whl")), folder)).name
"""


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tree with our Makefile: `plug` 1 asks for `core[toml]`, both are pinned, and newer ones of both exist."""
    root = tmp_path_factory.mktemp("tree")
    for name in ("index", "own", "requirements"):
        (root / name).mkdir()
    shutil.copy(ROOT / "Makefile", root)
    (root / "backend.py").write_text(BACKEND)
    (root / "pyproject.toml").write_text(
        '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n'
        '[project]\nname = "ours"\nversion = "1"\n'
    )
    empty_wheel(root / "own", "ours", "1", requires=["plug"])
    core = empty_wheel(root / "index", "core", "1", extras=["toml"])
    plug = empty_wheel(root / "index", "plug", "1", requires=["core[toml]>=1"])
    tool = empty_wheel(root / "index", "tool", "1", requires=["plug", "core[toml]"])
    for name in ("core", "plug", "tool"):
        empty_wheel(root / "index", name, NEWER, extras=["toml"])

    def lock(*wheels: Path) -> str:
        digests = {one.name.split("-")[0]: hashlib.sha256(one.read_bytes()).hexdigest() for one in wheels}
        return "".join(f"{name}==1 --hash=sha256:{digest}\n" for name, digest in digests.items())

    (root / "requirements/run.txt").write_text(lock(core, plug))
    (root / "requirements/dev.txt").write_text(lock(core, plug, tool))
    return root


def made(tree: Path, target: str) -> subprocess.CompletedProcess[str]:
    command = ["make", target, f"PYTHON={sys.executable}"]
    return subprocess.run(
        command, cwd=tree, env=only_index(tree / "index"), capture_output=True, text=True, timeout=300
    )


def installed(tree: Path) -> set[str]:
    freeze = [str(tree / ".venv/bin/python"), "-m", "pip", "freeze", "--disable-pip-version-check"]
    shown = subprocess.run(freeze, capture_output=True, text=True, check=True).stdout
    return set(shown.splitlines())


def test_newer_releases_with_extras_do_not_reach_the_environment(tree: Path) -> None:
    run = made(tree, ".venv/.installed-run")
    assert run.returncode == 0, run.stderr
    assert {"core==1", "plug==1"} <= installed(tree)
    assert not any("tool" in line for line in installed(tree)), "running needs none of the tools of development"
    dev = made(tree, ".venv/.installed-dev")
    assert dev.returncode == 0, dev.stderr
    assert {"core==1", "plug==1", "tool==1"} <= installed(tree)


def test_a_lock_that_lacks_a_package_is_told(tree: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(tree, copy, ignore=shutil.ignore_patterns(".venv"))
    lock = copy / "requirements/run.txt"
    lock.write_text("\n".join(line for line in lock.read_text().splitlines() if not line.startswith("core")) + "\n")
    run = made(copy, ".venv/.installed-run")
    assert run.returncode != 0
    assert "plug 1 requires core, which is not installed" in run.stdout + run.stderr


def test_what_runs_is_pinned_alike_for_development() -> None:
    run, dev = pins(ROOT / "requirements/run.txt"), pins(ROOT / "requirements/dev.txt")
    assert run.items() <= dev.items()
    assert not {"pytest", "mypy", "ruff", "pandas", "pyarrow", "matplotlib"} & run.keys()
