"""Labels that differ by case alone: noticed, and read as one where that is asked for, by every door."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import surefold as sf
from surefold.cli.main import main
from surefold.errors import InputError
from surefold.inputs import Predictions
from surefold.learners import DecisionTree

TRUTH = ["YES", "yes", "no", "NO"] * 10
CALLED = ["yes", "Yes", "No", "yes"] * 10
SCORES = [0.9, 0.8, 0.3, 0.6] * 10


def codes_of(p: Predictions) -> dict[str, Any]:
    return {f.code: f for f in p.findings}


def test_case_is_noticed_and_the_way_out_is_named() -> None:
    (told,) = [f for f in Predictions.of(TRUTH, CALLED).findings if f.code == "near_equal_labels"]
    assert "ignore_case=True (--ignore-case)" in told.sentence
    assert "strip_labels" not in told.sentence
    spaced = Predictions.of(["a ", "a", "b"], ["a", "a", "b"])
    assert "ignore_case" not in codes_of(spaced)["near_equal_labels"].sentence


def test_labels_that_differ_by_case_are_one() -> None:
    p = Predictions.of(TRUTH, CALLED, ignore_case=True, pos_label="Yes")
    assert p.labels == ("no", "yes")
    assert p.pos_label == "yes"
    assert p.truth.tolist() == [1, 1, 0, 0] * 10
    assert p.predicted is not None
    assert p.predicted.tolist() == [1, 1, 0, 1] * 10
    found = codes_of(p)
    assert "near_equal_labels" not in found
    assert [f.evidence["labels"] for f in p.findings if f.code == "folded_labels"] == [["YES", "NO"], ["Yes", "No"]]


def test_spaces_and_case_go_together() -> None:
    p = Predictions.of([" YES", "no"], ["yes", "NO "], ignore_case=True, strip_labels=True)
    assert p.labels == ("no", "yes")
    assert {"stripped_labels", "folded_labels"} <= set(codes_of(p))
    both = Predictions.of([" YES", "no"], ["yes", "NO "], ignore_case=True)
    assert both.labels == (" yes", "no", "no ", "yes")


def test_declared_labels_and_categories_keep_their_order() -> None:
    assert Predictions.of(TRUTH, CALLED, labels=["Yes", "No"], ignore_case=True).labels == ("yes", "no")
    column = pd.Series(pd.Categorical(["Low", "high", "low"], categories=["Low", "low", "high"]))
    assert Predictions.of(column, ["LOW", "HIGH", "LOW"], ignore_case=True).labels == ("low", "high")


def test_columns_of_scores_are_found_by_their_names_all_the_same() -> None:
    frame = pd.DataFrame({"YES": SCORES, "No": 1 - np.array(SCORES)})
    p = Predictions.of(TRUTH, y_score=frame, pos_label="yes", ignore_case=True)
    assert p.scores is not None
    assert p.scores.tolist() == SCORES


def test_numbers_are_left_alone() -> None:
    assert Predictions.of([0, 1], [1, 1], ignore_case=True).labels == (0, 1)


@pytest.mark.parametrize("form", [list, np.array, pd.Series, pl.Series])
def test_every_door_takes_it(form: Any) -> None:
    y, a, b = form(TRUTH), form(CALLED), form(TRUTH)
    said: dict[str, Any] = {"ignore_case": True, "pos_label": "YES"}
    assert float(sf.assess(y, a, **said)["accuracy"]) == 0.75
    assert float(sf.assess(y, y_score=SCORES, **said)["recall"]) == 1.0
    assert float(sf.measure("recall", y, a, **said)) == 1.0
    assert float(sf.compare(y, {"a": a, "b": b}, **said)["a", "b"].effect) == -0.25
    assert sf.gate(y, a, b, **said).status == "passed"
    with pytest.raises(InputError, match=r"Predictions\.of"):
        sf.assess(Predictions.of(TRUTH, CALLED), ignore_case=True)


@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize("groups", [None, "g"])
def test_files_and_arrays_agree(kind: str, groups: str | None, tmp_path: Path) -> None:
    frame = pl.DataFrame({"y": TRUTH, "a": CALLED, "b": TRUTH, "s": SCORES, "g": np.arange(40) // 4})
    path = tmp_path / f"p.{kind}"
    frame.write_csv(path) if kind == "csv" else frame.write_parquet(path)
    said: dict[str, Any] = {"ignore_case": True, "pos_label": "Yes"}
    g = None if groups is None else frame["g"].to_numpy()
    counted = sf.assess(path, truth="y", pred="a", score="s", groups=groups, **said)
    held = sf.assess(TRUTH, CALLED, y_score=SCORES, groups=g, **said)
    for name in ("accuracy", "recall", "f1", "roc_auc", "brier"):
        assert counted[name].interval == pytest.approx(held[name].interval), name
    assert "folded_labels" in {f.code for f in counted.findings}
    compared = sf.compare(path, ["a", "b"], truth="y", groups=groups, **said).differences[0]
    expected = sf.compare(TRUTH, {"a": CALLED, "b": TRUTH}, groups=g, **said).differences[0]
    assert compared.effect.interval == pytest.approx(expected.effect.interval)
    passed = sf.gate(path, "a", "b", truth="y", groups=groups, **said)
    assert passed.status == sf.gate(TRUTH, CALLED, TRUTH, groups=g, **said).status


@pytest.mark.parametrize("more", [[], ["--memory", "1GB"]], ids=["held", "in parts"])
def test_the_command_line_takes_it(more: list[str], tmp_path: Path, capsys: Any) -> None:
    path = tmp_path / "p.csv"
    pl.DataFrame({"y": TRUTH, "a": CALLED, "b": TRUTH}).write_csv(path)
    said = [str(path), "--truth", "y", "--ignore-case", "--pos-label", "Yes", "--format", "json", *more]
    assert main(["assess", *said, "--pred", "a"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["labels"] == ["no", "yes"]
    assert document["overall"]["accuracy"]["value"] == 0.75
    assert main(["compare", *said, "--pred", "a", "--pred", "b"]) == 0
    assert main(["gate", *said, "--baseline", "a", "--candidate", "b"]) == 0


# other slips that labels show


def test_classes_counted_from_0_and_from_1_are_told() -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 3, 60)
    called = np.where(rng.random(60) < 0.8, truth, rng.integers(0, 3, 60))
    for given, step in ((called + 1, 1), (called - 1, -1)):
        for y, p in ((truth, given), (truth.astype(str), given.astype(str))):
            found = codes_of(Predictions.of(y, p))["labels_off_by_one"]
            assert found.evidence["step"] == step
            assert found.evidence["shifted"] == pytest.approx(np.mean(called == truth))
            assert found.evidence["equal"] == pytest.approx(np.mean(given == truth))


def test_they_are_told_of_files_too(tmp_path: Path) -> None:
    truth = np.arange(60) % 3
    path = tmp_path / "p.parquet"
    pl.DataFrame({"y": truth, "p": truth + 1}).write_parquet(path)
    (found,) = [f for f in sf.assess(path, truth="y", pred="p").findings if f.code == "labels_off_by_one"]
    assert found.evidence == {"step": 1, "shifted": 1.0, "equal": 0.0}


@pytest.mark.parametrize(
    ("truth", "called"),
    [
        (np.arange(60) % 3, np.arange(60) % 3),
        (np.arange(60) % 3, np.random.default_rng(1).integers(0, 4, 60)),  # guesses that know one class more
        (np.arange(60) % 3, np.where(np.arange(60) < 2, 3, np.arange(60) % 3)),  # right but for two
        (np.zeros(60, int), np.ones(60, int)),  # of one class nothing can be told
        (np.arange(6) % 3, np.arange(6) % 3 + 1),  # too few rows
    ],
)
def test_other_unknown_labels_are_not_taken_for_that(truth: Any, called: Any) -> None:
    assert "labels_off_by_one" not in codes_of(Predictions.of(truth, called))


def test_percent_are_told_from_other_scores() -> None:
    y = [0, 1, 1, 0] * 10
    percent = codes_of(Predictions.of(y, y_score=np.array(SCORES) * 100))["no_labels"].sentence
    assert "(a scale of 0-100?)" in percent
    assert "or divide by 100" in percent
    for other in (np.array(SCORES) * 1000, np.array(SCORES) - 0.7):
        assert "0-100" not in codes_of(Predictions.of(y, y_score=other))["no_labels"].sentence


def test_a_quantity_is_no_class() -> None:
    rng = np.random.default_rng(0)
    X = rng.random((300, 2))
    for y, told in ((rng.permutation(300), "300 different values in 300 rows"), (rng.random(300), "looks continuous")):
        with pytest.raises(InputError, match=told) as caught:
            sf.cross_validate(DecisionTree(), X, y, folds=5)
        assert "cut numbers into classes" in caught.value.cure
    with pytest.raises(InputError, match="different values in") as caught:
        sf.select({"a": DecisionTree(), "b": DecisionTree(max_depth=1)}, X, rng.permutation(300), folds=5)
    assert "cut numbers into classes" in caught.value.cure
    rare = np.r_[np.arange(19), np.full(281, 20)]  # some rare classes are still classes
    with pytest.raises(InputError, match="and there are 5 folds"):
        sf.cross_validate(DecisionTree(), X, rare, folds=5)
