"""The files around the code keep their promises."""

import re
import tomllib
from pathlib import Path

import pytest

import surefold
from surefold._version import __version__
from surefold.cli.main import main

ROOT = Path(__file__).parents[1]
LOCKS = sorted((ROOT / "requirements").glob("*.txt"))


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def requirements(lock: str) -> list[str]:
    """The requirements of a lock file, one a line, comments dropped."""
    joined = lock.replace("\\\n", " ")
    return [line for line in joined.splitlines() if line.strip() and not line.lstrip().startswith("#")]


def make_targets() -> dict[str, str]:
    """Target -> its line of help."""
    return dict(re.findall(r"^([a-z]+):.*?## (.+)$", read("Makefile"), flags=re.MULTILINE))


def test_there_are_locks() -> None:
    assert [lock.name for lock in LOCKS] == ["dev.txt", "docs.txt", "run.txt"]


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.name)
def test_a_lock_pins_and_hashes_everything(lock: Path) -> None:
    lines = requirements(lock.read_text(encoding="utf-8"))
    assert lines
    for line in lines:
        assert re.match(r"[a-z0-9][a-z0-9._-]*==\S+ ", line), line
        assert "--hash=sha256:" in line, line


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.name)
def test_a_lock_names_no_address_and_no_path(lock: Path) -> None:
    text = lock.read_text(encoding="utf-8")
    for banned in ("://", "index-url", "find-links", "file:", " @ ", " /"):
        assert banned not in text


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.name)
def test_a_lock_has_every_core_dependency(lock: Path) -> None:
    project = tomllib.loads(read("pyproject.toml"))["project"]
    wanted = {re.match(r"[\w-]+", line)[0] for line in project["dependencies"]}  # type: ignore[index]
    pinned = {line.split("==")[0] for line in requirements(lock.read_text(encoding="utf-8"))}
    assert wanted <= pinned


def test_commands_in_the_texts_are_make_targets() -> None:
    targets = make_targets()
    assert {"demo", "test"} <= set(targets)
    for name in ("README.md", "CONTRIBUTING.md"):
        spoken = set(re.findall(r"(?:^|`|\$ )make ([a-z]+)", read(name), flags=re.MULTILINE))
        assert spoken, f"{name} shows no make command"
        assert spoken <= set(targets), f"{name} shows targets that are not there: {sorted(spoken - set(targets))}"


def test_the_example_in_the_readme_is_what_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    text = read("README.md")
    command, shown = re.search(r"\$ surefold (assess .+)\n((?:.*\n)+?)```", text).groups()  # type: ignore[union-attr]
    arguments = command.replace("predictions.csv", str(ROOT / "src/surefold/data/breast_cancer.csv")).split()
    assert main(arguments) == 0
    assert " ".join(capsys.readouterr().out.split()) == " ".join(shown.split())


def test_the_changelog_knows_the_version() -> None:
    assert f"## [{__version__}]" in read("CHANGELOG.md")


def test_all_is_what_is_there() -> None:
    listed = surefold.__all__
    assert len(listed) == len(set(listed)), "a name is listed twice"
    missing = [name for name in listed if not hasattr(surefold, name)]
    assert not missing, f"listed, not there: {missing}"
    ours = {
        name
        for name, value in vars(surefold).items()
        if not name.startswith("_") and str(getattr(value, "__module__", "")).startswith("surefold")
    }
    assert ours <= set(listed), f"there, not listed: {sorted(ours - set(listed))}"


def test_types_are_shipped() -> None:
    assert (Path(surefold.__file__).parent / "py.typed").exists()


def test_the_citation_knows_the_version() -> None:
    assert f"\nversion: {__version__}\n" in read("CITATION.cff")


def test_the_workflow_runs_pinned_actions_and_targets_that_exist() -> None:
    text = read(".github/workflows/tests.yml")
    uses = re.findall(r"uses: (\S+)", text)
    assert uses
    for one in uses:
        assert re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", one), f"{one}: an action is pinned by its commit"
    assert set(re.findall(r"make ([a-z]+)", text)) <= set(make_targets())
    pythons = re.findall(r'"(3\.\d+)"', re.search(r"python: \[(.+)\]", text)[1])  # type: ignore[index]
    said = tomllib.loads(read("pyproject.toml"))["project"]["classifiers"]
    assert all(f"Programming Language :: Python :: {python}" in said for python in pythons)
