"""What a user mistypes is a type error on its line, and nothing else is."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

#: Lines that end with this are wrong.
WRONG = "  # wrong"
SCRIPT = '''
import numpy as np
import polars

import surefold as sf

truth, called, other = [0, 1, 1, 0], [0, 1, 0, 0], np.array([0, 1, 1, 1])
frame = polars.DataFrame({"y": truth, "p": [0.1, 0.9, 0.4, 0.2], "g": ["a", "b", "a", None]})

sf.assess(truth, called, y_score=frame["p"], groups=frame["g"], confidence=0.9, costs={"fp": 1, "fn": 5})
sf.assess("rows.csv", truth="y", pred="a", weights=None, engine="local", memory="1GB", pos_label="yes")
sf.assess(truth, called, confidence="high")  # wrong
sf.assess(truth, called, pos_lable=1)  # wrong
sf.assess("rows.csv", truth="y", score=3)  # wrong
sf.measure("fbeta", truth, called, beta=2, pos_label=1)
sf.measure("ece", truth, y_score=frame["p"], bins=5, norm="l2")
sf.measure("ece", truth, y_score=frame["p"], norm="l3")  # wrong
sf.assess(truth, called).measure("fbeta", betta=2)  # wrong
sf.compare(truth, {"a": called, "b": other}, measure="accuracy", margin=0.1, draws=100)
sf.compare("rows.csv", ["a", "b"], truth="y", groups="g", engine="local")
sf.compare(truth, {"a": called, "b": other}, margn=0.1)  # wrong
sf.compare(truth, {"a": called, "b": other}, measure=3)  # wrong
sf.compare_files("rows.csv", {"a": ["a_0", "a_1", "a_2"], "b": ["b_0", "b_1", "b_2"]}, truth="y", memory="1GB")
sf.compare_files("rows.csv", ["a", "b"], truht="y")  # wrong
sf.gate_files("rows.csv", "a", "b", truth="y", margin=0.02)
sf.gate_files("rows.csv", "a", "b", at_lest=0.02)  # wrong
sf.gate(truth, called, other, margin=0.02, measure="f1", pos_label=1)
sf.gate(truth, called, other, margin="0.02")  # wrong
print(sf.assess(truth, called).at("0.3"))  # wrong
'''  # fmt: skip


@pytest.fixture(scope="module")
def script(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("typing") / "user_script.py"
    path.write_text(SCRIPT)
    return path


def test_mypy_finds_each_slip_of_a_users_script_and_nothing_else(script: Path) -> None:
    """With the settings of the project, so that what its own run has read is not read again."""
    command = [sys.executable, "-m", "mypy", "--config-file", str(ROOT / "pyproject.toml"), str(script)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    found = {
        int(line.split(":")[1]) for line in ran.stdout.splitlines() if f"{script.name}:" in line and ": error:" in line
    }
    wrong = {number for number, line in enumerate(SCRIPT.splitlines(), start=1) if line.endswith(WRONG)}
    assert found == wrong, ran.stdout + ran.stderr
    assert len(wrong) >= 7
