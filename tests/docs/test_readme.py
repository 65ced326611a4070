"""The README: its commands run, and what it says of other tools is what they do."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path

import numpy as np
import pytest
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics import f1_score, matthews_corrcoef, precision_score, roc_auc_score

import surefold as sf
from docs.executed import PRELUDES, README, blocks_of
from surefold.cli.main import main
from surefold.comparison import mcnemar

TEXT = README.read_text(encoding="utf-8")


def commands() -> Iterator[list[str]]:
    """The commands that are shown without what they print."""
    for block in blocks_of(TEXT):
        if block.info == "sh":
            for line in block.text.splitlines():
                if line.startswith("surefold "):
                    yield shlex.split(line, comments=True)[1:]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files that the README names."""
    path = tmp_path_factory.mktemp("readme")
    with chdir(path):
        exec(compile((PRELUDES / "README.py").read_text(encoding="utf-8"), "README.py", "exec"), {})
    return path


def test_every_command_runs(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = list(commands())
    assert [words[0] for words in found] == ["gate", "plan", "evaluate", "resume", "select"]
    with chdir(folder):
        for words in found:
            assert main([*words, "--quiet"]) == 0, words
            assert capsys.readouterr().out


def test_the_line_that_copies_the_file_works(tmp_path: Path) -> None:
    (line,) = [line for line in TEXT.splitlines() if line.startswith('`python -c "')]
    code = shlex.split(line.strip("`.").rstrip("`"))[2]
    with chdir(tmp_path):
        exec(code, {})
    assert (tmp_path / "predictions.csv").read_text().startswith("diagnosis,")


# what the table says of others


def test_a_perfect_score_on_20_rows() -> None:
    perfect = sf.Confusion([[10, 0], [0, 10]])
    assert str(perfect.measure("accuracy")) == "1.000 [0.832, 1.000]"
    assert perfect.measure("accuracy", method="percentile", random_state=0).interval == (1.0, 1.0)


def test_nothing_by_nothing() -> None:
    with pytest.warns(UndefinedMetricWarning):
        assert precision_score([0, 1, 1], [0, 0, 0]) == 0.0
    assert matthews_corrcoef([0, 1, 1], [0, 0, 0]) == 0.0
    assert sf.measure("precision", [0, 1, 1], [0, 0, 0], pos_label=1).reason


def test_the_last_in_the_alphabet() -> None:
    y, scores = ["ham", "spam", "ham", "spam"], [0.9, 0.1, 0.8, 0.2]  # scores of ham, all in order
    assert roc_auc_score(y, scores) == 0.0
    with pytest.raises(sf.InputError, match="pos_label"):
        sf.measure("roc_auc", y, y_score=scores)
    assert sf.measure("roc_auc", y, y_score=scores, pos_label="ham").value == 1.0


def test_a_label_that_is_only_predicted() -> None:
    truth, answers = list("aabb"), list("aabc")
    with_third = (1 + 2 / 3 + 0) / 3
    assert f1_score(truth, answers, average="macro") == pytest.approx(with_third)
    a = sf.assess(truth, answers)
    assert a["f1_macro"].value == pytest.approx((1 + 2 / 3) / 2)
    assert a.findings


def test_bad_input() -> None:
    with pytest.raises(ValueError, match=r"^Input contains NaN\.$"):
        roc_auc_score([0, 1, 1], [0.1, np.nan, 0.2])
    with pytest.raises(sf.InputError, match="row 2") as caught:
        sf.assess([0, 1, 1], y_score=[0.1, np.nan, 0.2])
    assert caught.value.code


def test_models_that_never_disagree() -> None:
    assert mcnemar(0, 0, n=20).p_value == 1
