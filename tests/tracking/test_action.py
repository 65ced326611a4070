"""The GitHub Action, run for real: a shell stands in for the runner, which fills inputs in and reads two files."""

import os
import re
import subprocess
import sys
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
import yaml

HERE = Path(__file__).parents[2]
ACTION: dict[str, Any] = yaml.safe_load((HERE / "action.yml").read_text(encoding="utf-8"))
GUIDE = (HERE / "docs" / "guides" / "in-github-actions.md").read_text(encoding="utf-8")
DATA = files("surefold") / "data" / "breast_cancer.csv"
ASKED = {"truth": "diagnosis", "pos-label": "malignant", "measure": "f1", "margin": "0.01", "python": sys.executable}


def filled(text: str, inputs: dict[str, str]) -> str:
    """The text with expressions as the runner replaces them."""
    return re.sub(r"\$\{\{ inputs\.([\w-]+) \}\}", lambda found: inputs[found.group(1)], text)


def run(folder: Path, **given: str) -> tuple[int, str, str, str]:
    """The exit code of the step, its summary, its outputs, and what it said on stderr."""
    inputs = {name: str(said.get("default", "")) for name, said in ACTION["inputs"].items()}
    inputs |= ASKED | {name.replace("_", "-"): value for name, value in given.items()}
    missing = [name for name, said in ACTION["inputs"].items() if said.get("required") and not inputs[name]]
    assert not missing
    (folder / "rows.csv").write_bytes(DATA.read_bytes())
    step = ACTION["runs"]["steps"][1]
    written = {name: folder / name for name in ("GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT")}
    env = {**os.environ, **{name: str(path) for name, path in written.items()}}
    env |= {name: filled(text, inputs) for name, text in step["env"].items()}
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]  # as the runner starts it
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=120)
    said = [path.read_text(encoding="utf-8") if path.exists() else "" for path in written.values()]
    return done.returncode, said[0], said[1], done.stderr


def test_a_better_candidate_passes_and_leaves_a_summary_and_a_page(tmp_path: Path) -> None:
    code, summary, outputs, _ = run(tmp_path, file="rows.csv", candidate="logistic", baseline="naive_bayes")
    assert (code, outputs) == (0, "status=passed\n")
    assert summary.startswith("**passed**")
    assert "<html" in (tmp_path / "surefold.html").read_text(encoding="utf-8")


def test_a_worse_one_fails_the_job(tmp_path: Path) -> None:
    code, summary, outputs, _ = run(tmp_path, file="rows.csv", candidate="naive_bayes", baseline="logistic")
    assert (code, outputs) == (1, "status=failed\n")
    assert summary.startswith("**failed**")


@pytest.mark.parametrize(("treated", "code"), [("fail", 3), ("pass", 0)])
def test_too_few_rows(treated: str, code: int, tmp_path: Path) -> None:
    given = {"file": "rows.csv", "candidate": "logistic", "measure": "recall", "at_least": "0.93"}
    found = run(tmp_path, **given, cannot_tell=treated)
    assert (found[0], found[2]) == (code, "status=cannot_tell\n")


def test_bad_input_stops_with_its_message_and_text_is_never_run(tmp_path: Path) -> None:
    code, _, outputs, told = run(tmp_path, file="rows.csv", candidate='x"; touch hacked; "', baseline="logistic")
    assert (code, outputs) == (2, "")
    assert "unknown_column" in told
    assert not (tmp_path / "hacked").exists()


def test_every_input_reaches_the_step_and_the_workflow_of_the_guide_names_them() -> None:
    used = {name for step in ACTION["runs"]["steps"] for name in re.findall(r"inputs\.([\w-]+)", str(step["env"]))}
    assert used == set(ACTION["inputs"])
    (text,) = re.findall(r"```yaml\n(.*?)```", GUIDE, re.DOTALL)
    steps = yaml.safe_load(text)["jobs"]["gate"]["steps"]
    (ours,) = [step for step in steps if "surefold" in step.get("uses", "")]
    assert set(ours["with"]) <= set(ACTION["inputs"])
    assert {name for name, said in ACTION["inputs"].items() if said.get("required")} <= set(ours["with"])
