"""Flat figures of results, and where they are logged."""

import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import surefold as sf
from surefold.errors import InputError, MissingExtraError
from surefold.learners import NaiveBayes
from surefold.testing import assert_gate

Y = [1] * 40 + [0] * 60
OLD = [1] * 30 + [0] * 10 + [1] * 10 + [0] * 50
NEW = [1] * 38 + [0] * 2 + [1] * 4 + [0] * 56


def test_an_assessment_is_flat() -> None:
    a = sf.assess(Y, NEW, measures=["f1", "mcc", "precision"])
    found = a.metrics()
    assert [*found] == [*(f"{m}{end}" for m in ("f1", "mcc", "precision") for end in ("", "_low", "_high")), "rows"]
    assert (found["f1"], found["f1_low"], found["f1_high"]) == (a["f1"].value, a["f1"].low, a["f1"].high)
    assert found["rows"] == 100.0
    assert all(type(value) is float for value in found.values())


def test_what_is_undefined_is_left_out() -> None:
    found = sf.assess([1, 1, 0], [0, 0, 0], measures=["precision", "recall"]).metrics()
    assert [*found] == ["recall", "recall_low", "recall_high", "rows"]


def test_comparisons_gates_and_folds() -> None:
    c = sf.compare(Y, {"old": OLD, "new (v2)": NEW}, measure="f1")
    found = c.metrics()
    assert found["old.f1"] == c.values["old"].value
    assert found["old-new _v2_.f1"] == c.differences[0].effect.value  # brackets are in no tracker's names
    assert found["old-new _v2_.f1_p"] == c.differences[0].adjusted_p
    both = sf.compare(Y, {"old": OLD, "new": NEW}, measure=["f1", "mcc"]).metrics()
    assert {"old.f1", "old.mcc", "old-new.mcc_low"} <= both.keys()
    g = sf.gate(Y, OLD, NEW, measure="f1", margin=0.02)
    told = g.metrics()
    assert (told["gate_passed"], told["gate_bound"], told["f1"]) == (1.0, g.bound, g.values["candidate"].value)
    X = [[float(i % 7 + 3 * y)] for i, y in enumerate(Y)]
    r = sf.cross_validate(NaiveBayes(), X, Y, folds=5, random_state=0)
    assert r.metrics()["roc_auc_low"] == r["roc_auc"].low
    st = sf.cross_validate({"naive": NaiveBayes()}, X, Y, folds=5, random_state=0)
    assert st.metrics()["naive.accuracy"] == r["accuracy"].value
    with pytest.raises(InputError, match="no flat figures"):
        sf.bootstrap(NaiveBayes(), X, Y, samples=5, random_state=0).metrics()


def test_dvc_reads_a_file_of_figures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    a = sf.assess(Y, NEW)
    logged = a.log_to("dvc", prefix="test_")
    assert json.loads((tmp_path / "metrics.json").read_text()) == logged
    assert logged["test_f1"] == a["f1"].value
    a.log_to("dvc", tmp_path / "own.json")
    assert json.loads((tmp_path / "own.json").read_text()) == a.metrics()


@pytest.mark.parametrize("tracker", ["mlflow", "wandb"])
def test_a_tracker_that_is_not_there_says_how_to_get_it(tracker: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    absent: dict[str, ModuleType | None] = {tracker: None}  # as Python marks a module that cannot be imported
    for name, module in absent.items():
        monkeypatch.setitem(sys.modules, name, module)
    with pytest.raises(MissingExtraError, match=f"needs {tracker}: pip install {tracker}"):
        sf.assess(Y, NEW).log_to(tracker)
    with pytest.raises(sf.UnknownNameError, match="did you mean 'mlflow'"):
        sf.assess(Y, NEW).log_to("mlflov")  # type: ignore[arg-type]


def test_a_gate_as_an_assertion() -> None:
    assert assert_gate(Y, OLD, NEW).passed
    with pytest.raises(AssertionError, match="Failed: candidate is surely worse"):
        assert_gate(Y, NEW, OLD)
    few = ([1, 0, 1, 0], [1, 0, 0, 0], [1, 0, 1, 0])
    with pytest.raises(AssertionError, match="Cannot tell"):
        assert_gate(*few)
    assert assert_gate(*few, undecided="pass").status == "cannot_tell"
    with pytest.raises(pytest.skip.Exception, match="Cannot tell"):
        assert_gate(*few, undecided="skip")
    with pytest.raises(sf.UnknownNameError, match="there are fail, skip, pass"):
        assert_gate(*few, undecided="ignore")  # type: ignore[arg-type]
