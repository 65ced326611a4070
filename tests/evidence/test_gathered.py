"""One column of scores a class: rows in parts are gathered as far as memory goes, and say what arrays say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars
import pytest

import surefold as sf
from surefold.errors import InputError
from surefold.evidence import evidence
from surefold.evidence.held import Held
from surefold.inputs.door import Answers, Columns, Reading
from surefold.tallies.score_matrix import ScoreMatrix
from tests.road.made_rows import EXTRAS, MATRICES, facts_of, matrix_of, parts_in, rows_of_three


def test_several_models_have_the_matrices_of_arrays(tmp_path: Path) -> None:
    frame = rows_of_three()
    source = parts_in(tmp_path, frame, (80, 81))
    named = Columns("y", {m: Answers(None, tuple(MATRICES[m])) for m in ("a", "b")}, "w", {"groups": "g"}, {"of": "g"})
    here = evidence(source, named)
    arrays = {m: Answers(None, (matrix_of(frame, m),)) for m in ("a", "b")}
    there = evidence(None, Columns(frame["y"], arrays, frame["w"], {"groups": frame["g"]}))
    for first, second in zip(there.matrices(), here.matrices(), strict=True):
        assert isinstance(first, ScoreMatrix)
        assert isinstance(second, ScoreMatrix)
        assert np.array_equal(first.scores, second.scores)
        assert first.weights is not None
        assert second.weights is not None
        assert np.array_equal(first.weights, second.weights)
    assert here.factors == there.factors
    assert not here.costs_a_pass


def test_columns_are_found_by_the_names_of_the_labels_in_any_order(tmp_path: Path) -> None:
    frame = rows_of_three().with_columns(polars.col("y").replace_strict({0: "cat", 1: "dog", 2: "emu"}))
    renamed = frame.rename({"a_0": "p_cat", "a_1": "p_dog", "a_2": "p_emu"})
    for i, part in enumerate(renamed.iter_slices(100)):
        part.write_csv(tmp_path / f"{i}.csv")
    a = sf.assess(tmp_path, truth="y", score=["p_emu", "p_cat", "p_dog"])
    b = sf.assess(frame["y"], y_score=matrix_of(frame, "a"))
    for name in ("roc_auc_hand_till", "log_loss_multiclass", "accuracy", "top_k_accuracy", "ece_multiclass"):
        assert a[name].value == pytest.approx(b[name].value, rel=1e-12)
    assert [f.code for f in a.findings] == [f.code for f in b.findings]


def test_two_columns_of_two_classes_are_one_column_of_scores(tmp_path: Path) -> None:
    p = np.linspace(0.05, 0.95, 60)
    frame = polars.DataFrame({"y": np.tile([0, 1, 1], 20), "p_0": 1 - p, "p_1": p})
    a = sf.assess(parts_in(tmp_path, frame, (7,)), truth="y", score=["p_0", "p_1"], pos_label=1)
    assert str(a["roc_auc"]) == str(sf.assess(frame["y"], y_score=frame["p_1"], pos_label=1)["roc_auc"])


def test_more_rows_than_memory_holds_are_counted(tmp_path: Path) -> None:
    frame = polars.concat([rows_of_three()] * 40)
    source = parts_in(tmp_path, frame, (4_000,))
    named: Columns[str] = Columns("y", {"a": Answers(None, tuple(MATRICES["a"]))})
    for memory, there in (("1MB", False), ("2MB", True)):  # 1,000,000 / (32 bytes of 4 columns) = 7,812 rows of 9,600
        e = evidence(source, named, None, Reading(memory=memory))
        assert isinstance(e, Held) is there
        assert e.n == 9_600


def test_parts_of_different_kinds_are_refused(tmp_path: Path) -> None:
    frame = rows_of_three()
    frame[:100].write_parquet(tmp_path / "0.parquet")
    frame[100:].with_columns(polars.col("y").cast(polars.String)).write_parquet(tmp_path / "1.parquet")
    named: Columns[str] = Columns("y", {"a": Answers(None, tuple(MATRICES["a"]))})
    with pytest.raises(InputError, match="column 'y' is Int64 in one part and String in another"):
        evidence(tmp_path, named, None, Reading())


OF_THREE = ["roc_auc_hand_till", "roc_auc_ovr_weighted", "average_precision_macro", "brier_multiclass",
            "log_loss_multiclass", "top_k_accuracy"]  # fmt: skip


@pytest.mark.parametrize("extra", EXTRAS)
def test_models_of_many_classes_are_compared_as_from_arrays(extra: str, tmp_path: Path) -> None:
    frame = rows_of_three()
    source, answers = parts_in(tmp_path, frame, (80, 81)), {m: matrix_of(frame, m) for m in ("a", "b")}
    there = sf.compare(frame["y"], answers, measure=OF_THREE, **facts_of(frame, extra))
    here = sf.compare(source, {m: MATRICES[m] for m in ("a", "b")}, truth="y", measure=OF_THREE, **EXTRAS[extra])
    for name in OF_THREE:
        first, second = (c[name].differences[0] for c in (there, here))
        assert str(second.effect) == str(first.effect)
        assert second.test.p_value == pytest.approx(first.test.p_value, rel=1e-9)
        assert second.effect.low == pytest.approx(first.effect.low, rel=1e-9)


def test_a_gate_of_many_classes_is_that_of_arrays(tmp_path: Path) -> None:
    frame = rows_of_three()
    source = parts_in(tmp_path, frame, (80, 81))
    asked: dict[str, Any] = {"measure": "log_loss_multiclass", "margin": 0.1}
    there = sf.gate(frame["y"], matrix_of(frame, "b"), matrix_of(frame, "a"), **asked)
    here = sf.gate(source, MATRICES["b"], MATRICES["a"], truth="y", **asked)
    assert here.status == there.status
    assert here.bounds == pytest.approx(there.bounds, rel=1e-9)
    assert here.candidate == "a_0, a_1, a_2"
    alone = [sf.gate(frame["y"], None, matrix_of(frame, "a"), measure="brier_multiclass", at_most=0.6),
             sf.gate(source, None, MATRICES["a"], truth="y", measure="brier_multiclass", at_most=0.6)]  # fmt: skip
    assert alone[0].bounds == pytest.approx(alone[1].bounds, rel=1e-9)


def test_without_a_measure_models_of_many_classes_are_compared_by_an_area(tmp_path: Path) -> None:
    source = parts_in(tmp_path, rows_of_three(), (80,))
    models = {m: MATRICES[m] for m in ("a", "b")}
    assert sf.compare(source, models, truth="y").measure == "roc_auc_hand_till"
    with pytest.raises(InputError, match=r"model 'a' has columns of scores \(a_0, a_1, a_2\), not labels"):
        sf.compare(source, models, truth="y", measure="accuracy")
