"""One column of scores a class, of more rows than memory holds: counted, and what arrays say where that can be had."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import polars
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import surefold as sf
from surefold.errors import InputError
from surefold.evidence import evidence
from surefold.evidence.counted_classes import CountedClasses
from surefold.inputs.door import Answers, Columns, Reading
from tests.road.made_rows import EXTRAS, MATRICES, facts_of, matrix_of, parts_in, rows_of_three
from tools.freeze import changes

#: So little memory that rows of six columns are let go from some thousand on.
LITTLE = "1MB"
ROWS = rows_of_three(n=9_000, seed=3, groups=60)
AGAINST_REST = ["roc_auc_ovr", "roc_auc_ovr_weighted", "average_precision_macro", "average_precision_weighted"]
MEANS = ["brier_multiclass", "log_loss_multiclass", "top_k_accuracy"]


@pytest.fixture(scope="module", name="source")
def _source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return parts_in(tmp_path_factory.mktemp("rows"), ROWS, (3_000, 3_001))


@pytest.mark.parametrize("extra", EXTRAS)
def test_means_and_labels_are_those_of_arrays(extra: str, source: Path) -> None:
    here = sf.assess(source, truth="y", score=MATRICES["a"], memory=LITTLE, **EXTRAS[extra])
    there = sf.assess(ROWS["y"], y_score=matrix_of(ROWS, "a"), **facts_of(ROWS, extra))
    first, second = there.to_dict(), here.to_dict()
    assert {m.split("_")[0] for m in first["overall"].keys() - second["overall"].keys()} == {"roc", "average"}
    flagged = second["overall"].pop("ece_multiclass")  # of scores that were cut
    assert "quantised_scores" in flagged["flags"]
    assert flagged["value"] == pytest.approx(first["overall"]["ece_multiclass"]["value"], abs=1e-4)
    first["overall"] = {name: e for name, e in first["overall"].items() if name in second["overall"]}
    assert list(changes(first, second)) == []
    assert set(MEANS) < first["overall"].keys()


@pytest.mark.parametrize("extra", EXTRAS)
def test_differences_and_gates_are_those_of_arrays(extra: str, source: Path) -> None:
    models, answers = {m: MATRICES[m] for m in "abc"}, {m: matrix_of(ROWS, m) for m in "abc"}
    here = sf.compare(source, models, truth="y", measure=MEANS, memory=LITTLE, **EXTRAS[extra])
    there = sf.compare(ROWS["y"], answers, measure=MEANS, **facts_of(ROWS, extra))
    assert list(changes(there.to_dict(), here.to_dict())) == []
    asked: dict[str, Any] = {"measure": "log_loss_multiclass", "margin": 0.02}
    passed = sf.gate(source, MATRICES["b"], MATRICES["a"], truth="y", memory=LITTLE, **asked, **EXTRAS[extra])
    same = sf.gate(ROWS["y"], answers["b"], answers["a"], **asked, **facts_of(ROWS, extra))
    assert passed.status == same.status
    assert passed.bounds == pytest.approx(same.bounds, rel=1e-9)


def test_labels_of_the_likeliest_class_are_compared(source: Path) -> None:
    models = {m: MATRICES[m] for m in "ab"}
    here = sf.compare(source, models, truth="y", kind="scores", measure=["accuracy", "f1_macro"], memory=LITTLE)
    called = {m: matrix_of(ROWS, m).argmax(axis=1) for m in "ab"}
    there = sf.compare(ROWS["y"], called, measure=["accuracy", "f1_macro"])
    for name in ("accuracy", "f1_macro"):
        assert list(changes(there[name].to_dict()["differences"], here[name].to_dict()["differences"])) == []


@settings(max_examples=12, deadline=None)
@given(cuts=st.lists(st.integers(1, 7_999), max_size=5), seed=st.integers(0, 3))
def test_any_split_of_the_rows_says_the_same(cuts: list[int], seed: int, tmp_path_factory: Any) -> None:
    rows = rows_of_three(n=8_000, seed=seed)
    folder = tmp_path_factory.mktemp("split")
    source = parts_in(folder, rows, tuple(sorted(set(cuts))))
    found = sf.assess(source, truth="y", score=MATRICES["b"], weights="w", groups="g", memory=LITTLE)
    p, y, w = matrix_of(rows, "b"), rows["y"].to_numpy(), rows["w"].to_numpy()
    own = -np.log(p[np.arange(8_000), y])
    assert found["log_loss_multiclass"].value == pytest.approx(float(w @ own / w.sum()), rel=1e-12)
    assert found["accuracy"].value == pytest.approx(float(w @ (p.argmax(axis=1) == y) / w.sum()), rel=1e-12)


def test_columns_are_found_by_the_names_of_the_labels_and_labels_may_be_said(tmp_path: Path) -> None:
    names = {0: "emu", 1: "cat", 2: "dog"}
    frame = ROWS.with_columns(polars.col("y").replace_strict(names), polars.col("a").replace_strict(names))
    renamed = frame.rename({f"a_{c}": f"p_{name}" for c, name in names.items()})
    source = parts_in(tmp_path, renamed, (4_000,))
    columns = ["p_emu", "p_cat", "p_dog"]
    a = sf.assess(source, truth="y", score=columns, memory=LITTLE)
    b = sf.assess(source, truth="y", pred="a", score=columns, memory=LITTLE)
    c = sf.assess(frame["y"], y_score=renamed.select("p_cat", "p_dog", "p_emu").to_numpy())
    for name in (*MEANS, "accuracy", "kappa", "f1_macro"):
        assert a[name].value == pytest.approx(c[name].value, rel=1e-12)
        assert b[name].value == pytest.approx(c[name].value, rel=1e-12)
    assert [f.code for f in a.findings] == ["labels_from_scores"]
    assert b.findings == ()
    assert a.labels == c.labels


def test_one_class_against_the_rest_is_there(source: Path) -> None:
    named = Columns("y", {"a": Answers(None, tuple(MATRICES["a"]))})
    e = evidence(source, named, None, Reading(memory=LITTLE))
    assert isinstance(e, CountedClasses)
    m, rows = e.matrix("a"), matrix_of(ROWS, "a")
    for c in range(3):
        area = sf.measure("roc_auc", ROWS["y"] == c, y_score=rows[:, c]).value
        t = m.against_rest(c)
        assert t.at_best(best=False).auc <= area <= t.at_best().auc
        assert t.tally().auc == pytest.approx(area, abs=1e-4)
    assert m.class_weights.tolist() == np.bincount(ROWS["y"]).tolist()


def test_what_reads_whole_rows_is_refused_in_a_sentence(source: Path) -> None:
    a = sf.assess(source, truth="y", score=MATRICES["a"], memory=LITTLE)
    with pytest.raises(InputError, match=r"over pairs of classes reads whole rows.*give more memory=.*of one class"):
        a["roc_auc_hand_till"]
    models = {m: MATRICES[m] for m in "ab"}
    with pytest.raises(InputError, match="a mean over classes needs scores that are not cut"):
        sf.compare(source, models, truth="y", measure="roc_auc_ovr", memory=LITTLE)
    with pytest.raises(InputError, match="ece_multiclass cannot be compared over parts of the rows"):
        sf.compare(source, models, truth="y", measure="ece_multiclass", memory=LITTLE)
    mixed: dict[str, Any] = {"a": MATRICES["a"], "b": "b_1"}
    with pytest.raises(InputError, match="not every model has three or more"):
        sf.compare(source, mixed, truth="y", kind="scores", measure="accuracy", memory=LITTLE)


def test_scores_that_do_not_add_up_are_told(tmp_path: Path) -> None:
    rough = ROWS.with_columns(polars.col("a_0") + 1e-5)
    a = sf.assess(parts_in(tmp_path / "rough", rough, (5,)), truth="y", score=MATRICES["a"], memory=LITTLE)
    assert "9,000 rows of column 'a_0', 'a_1', 'a_2' add up to 1 only roughly" in str(a.findings)
    odd = ROWS.with_columns(polars.col("a_0") * 0.9)
    with pytest.raises(InputError, match="do not add up to 1"):
        sf.assess(parts_in(tmp_path / "odd", odd, (5,)), truth="y", score=MATRICES["a"], memory=LITTLE)


def test_an_assessment_is_stored_without_its_rows(source: Path, tmp_path: Path) -> None:
    a = sf.assess(source, truth="y", score=MATRICES["a"], memory=LITTLE)
    shown = str(a["log_loss_multiclass"])
    again = pickle.loads(pickle.dumps(a))
    assert str(again["log_loss_multiclass"]) == shown
    with pytest.raises(InputError, match="the rows are not here any more"):
        again.scores.measure("top_k_accuracy", options={"k": 1})
    page = a.report(tmp_path / "page.html")
    assert "No threshold can be moved: rows were counted in parts" in Path(page).read_text(encoding="utf-8")


@pytest.mark.parametrize("extra", EXTRAS)
def test_a_class_that_is_said_to_be_positive_has_its_scores(extra: str, tmp_path: Path) -> None:
    rows = ROWS.with_columns(polars.col(MATRICES["a"]).round(3))  # few enough scores for this memory
    source = parts_in(tmp_path, rows, (2_000, 2_001))
    here = sf.assess(source, truth="y", score=MATRICES["a"], pos_label=1, memory=LITTLE, **EXTRAS[extra])
    there = sf.assess(rows["y"], y_score=matrix_of(rows, "a"), pos_label=1, **facts_of(rows, extra))
    for name in ("roc_auc", "average_precision", "brier", "recall", "ece_multiclass", *AGAINST_REST):
        assert list(changes(there[name].to_dict(), here[name].to_dict())) == []


@pytest.mark.parametrize("extra", EXTRAS)
def test_means_over_classes_against_the_rest_of_few_scores_are_those_of_arrays(extra: str, tmp_path: Path) -> None:
    rows = ROWS
    for first, second, third in (MATRICES["a"], MATRICES["b"]):  # whole hundredths that add up to 1
        rows = rows.with_columns((polars.col(first, second) * 100).floor() / 100)
        rows = rows.with_columns((1 - polars.col(first) - polars.col(second)).round(2).alias(third))
    source = parts_in(tmp_path, rows, (4_000, 4_001))
    models, answers = {m: MATRICES[m] for m in "ab"}, {m: matrix_of(rows, m) for m in "ab"}
    here = sf.compare(source, models, truth="y", measure=AGAINST_REST, memory=LITTLE, **EXTRAS[extra])
    there = sf.compare(rows["y"], answers, measure=AGAINST_REST, **facts_of(rows, extra))
    for name in AGAINST_REST:
        assert list(changes(there[name].to_dict()["differences"], here[name].to_dict()["differences"])) == []
        assert list(changes(there[name].to_dict()["values"], here[name].to_dict()["values"])) == []
