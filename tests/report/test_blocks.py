"""Charts of one line in a terminal: to scale, within the line, and plain where blocks cannot be shown."""

from pathlib import Path

import numpy as np
import pytest

import surefold as sf
from surefold.cli.main import main
from surefold.learners import NaiveBayes
from surefold.show.of.runs import splits_line
from surefold.show.sparks import BLOCKS, PLAIN, columns, scores_lines

TRUTH = np.array([1] * 4 + [0] * 4)
SCORES = np.array([0.95, 0.97, 0.99, 0.5, 0.05, 0.03, 0.01, 0.04])


@pytest.fixture(name="narrow", autouse=True)
def _narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "24")


def test_columns_are_to_scale() -> None:
    # eighths of the greatest, upwards: 1/8 is one mark, 3/8 and a little is four
    assert columns([1, 3.1, 8, 0], BLOCKS) == "▁▄█ "
    assert columns([0, 0], BLOCKS) == "  "


def test_scores_of_each_class_by_hand() -> None:
    a = sf.assess(TRUTH, y_score=SCORES, pos_label=1)
    head, positive, negative = scores_lines(a, PLAIN).split("\n")
    assert head == "scores from 0 to 1, each class to its own height"
    # COLUMNS = 24 leaves 19 bins: 0.5 is in the tenth, three positives in the last, and all others are in the first
    assert positive == f"1  |{' ' * 9}-{' ' * 8}#|"
    assert negative == f"0  |#{' ' * 18}|"
    assert max(map(len, (positive, negative))) <= 24


@pytest.mark.parametrize(("encoding", "marks"), [("utf-8", BLOCKS), ("ascii", PLAIN)])
def test_the_command_prints_them_in_tables_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, encoding: str, marks: str
) -> None:
    file = tmp_path / "p.csv"
    np.savetxt(file, np.column_stack([TRUTH, SCORES]), delimiter=",", header="y,p", comments="", fmt=["%d", "%.2f"])
    monkeypatch.setattr("surefold.show.of.assessment.marks_for", lambda: BLOCKS if encoding == "utf-8" else PLAIN)
    asked = ["assess", str(file), "--truth", "y", "--score", "p", "--pos-label", "1", "--quiet"]
    assert main(asked) == 0
    assert f" {marks[-1]}|" in capsys.readouterr().out
    assert main([*asked, "--format", "md"]) == 0
    assert "scores from" not in capsys.readouterr().out


def test_what_is_printed_in_python_stays_plain() -> None:
    assert not set(BLOCKS) & set(str(sf.assess(TRUTH, y_score=SCORES, pos_label=1)))


def test_labels_alone_and_many_classes_have_none() -> None:
    assert scores_lines(sf.assess(TRUTH, TRUTH), BLOCKS) == ""
    assert scores_lines(sf.assess([0, 1, 2] * 4, y_score=np.eye(3)[[0, 1, 2] * 4]), BLOCKS) == ""


def test_values_of_the_splits_in_their_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 90)
    r = sf.cross_validate(NaiveBayes(), rng.normal(size=(90, 2)) + truth[:, None], truth, folds=5, random_state=0)
    values = r.values("accuracy")
    line = splits_line(r, "accuracy", BLOCKS)
    assert line.startswith(f"accuracy by split, {min(values):.2f} to {max(values):.2f}  ")
    drawn = line.split("  ")[1]
    assert [drawn[i] for i in np.argsort(values, kind="stable")] == sorted(drawn)
    assert len(drawn) == 5
    assert {"▁", "█"} <= set(drawn)
    monkeypatch.setenv("COLUMNS", "20")  # too many for the line: how they are spread
    many = sf.cross_validate(NaiveBayes(), rng.normal(size=(90, 2)) + truth[:, None], truth, folds=5, repeats=4)
    assert "of 20 splits, spread from" in splits_line(many, "accuracy", BLOCKS)
