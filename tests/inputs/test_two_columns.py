"""Two columns of scores for two classes: one is used, so both must say the same; and what many-class measures are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import surefold as sf
from surefold.cli.main import main
from surefold.errors import InputError
from surefold.inputs import Predictions

Y = [0, 1, 1, 0] * 10
HALVES = np.tile([[0.2, 0.7], [0.6, 0.3], [0.1, 0.9], [0.5, 0.5]], (10, 1))
SURE = np.tile([[0.8, 0.2], [0.3, 0.7], [0.4, 0.6], [0.9, 0.1]], (10, 1))


@pytest.mark.parametrize(
    "door",
    [
        lambda s: sf.assess(Y, y_score=s),
        lambda s: sf.measure("log_loss", Y, y_score=s),
        lambda s: sf.measure("roc_auc", Y, y_score=s),
        lambda s: sf.compare(Y, {"a": SURE, "b": s}),
        lambda s: sf.gate(Y, SURE, s, measure="roc_auc"),
        lambda s: sf.gate(Y, None, s, measure="roc_auc", at_least=0.5),
        lambda s: sf.assess(Y, y_score=s.tolist()),
        lambda s: sf.assess(Y, y_score=pl.DataFrame({"0": s[:, 0], "1": s[:, 1]})),
    ],
)
def test_two_columns_that_do_not_add_up_to_one_are_refused_by_every_door(door: Any) -> None:
    with pytest.raises(InputError, match=r"the worst is row 1 with 0\.9: 20 rows, first at rows 1, 2, 5") as caught:
        door(HALVES)  # sums .9, .9, 1, 1
    assert caught.value.code == "score_sums"
    assert "one column, of the positive class" in caught.value.cure
    door(SURE)


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_two_columns_of_a_file_are_held_to_the_same(kind: str, tmp_path: Path, capsys: Any) -> None:
    path = tmp_path / f"p.{kind}"
    frame = pl.DataFrame({"y": Y, "p_0": HALVES[:, 0], "p_1": HALVES[:, 1]})
    frame.write_csv(path) if kind == "csv" else frame.write_parquet(path)
    assert main(["assess", str(path), "--truth", "y", "--score", "p_0", "--score", "p_1"]) == 2
    told = capsys.readouterr().err
    assert "[score_sums]" in told
    assert "the worst is row 1 with 0.9" in told


def test_sums_that_are_a_hair_off_are_noted() -> None:
    near = SURE.copy()
    near[7, 0] += 5e-4
    (found,) = [f for f in Predictions.of(Y, y_score=near).findings if f.code == "probability_sums"]
    assert (found.evidence["rows"], found.evidence["worst_row"]) == (1, 8)
    near[7, 0] += 6e-4  # 1.1e-3 in all
    with pytest.raises(InputError, match="row 8"):
        Predictions.of(Y, y_score=near)
    near[7, 0] = SURE[7, 0] + 5e-7
    assert not [f for f in Predictions.of(Y, y_score=near).findings if f.code == "probability_sums"]


def test_rows_are_counted_as_they_came_where_some_were_dropped() -> None:
    truth: list[Any] = [None, *Y[1:]]
    off = SURE.copy()
    off[5] = 0.3
    with pytest.raises(InputError, match=r"the worst is row 6 with 0\.6: row 6\.") as caught:
        sf.assess(truth, y_score=off, drop_missing=True)
    assert caught.value.rows == (6,)


def test_columns_that_are_no_probabilities_must_have_one_sum() -> None:
    rng = np.random.default_rng(0)
    z = rng.normal(size=40)
    area = sf.measure("roc_auc", Y, y_score=z)
    for both in ((-z, z), (1000 - z, 1000 + z)):
        assert float(sf.measure("roc_auc", Y, y_score=np.column_stack(both))) == float(area)
    with pytest.raises(InputError, match="no common sum") as caught:
        sf.assess(Y, y_score=rng.normal(size=(40, 2)))
    assert caught.value.code == "score_sums"


@pytest.mark.filterwarnings("error")
def test_infinite_scores_of_two_columns_rank() -> None:
    z = np.where(np.array(Y) == 1, np.inf, 0.0)
    assert float(sf.measure("roc_auc", Y, y_score=np.column_stack([-z, z]))) == 1.0


# measures of many classes


def test_measures_of_many_classes_of_two_by_hand() -> None:
    # (.2^2 + .2^2 + .3^2 + .3^2 + .4^2 + .4^2 + .1^2 + .1^2) / 4 rows
    e = sf.measure("brier_multiclass", Y, y_score=SURE)
    assert float(e) == pytest.approx(2 * (0.04 + 0.09 + 0.16 + 0.01) / 4)
    assert float(sf.measure("brier_multiclass", Y, y_score=SURE, scaled=True)) == pytest.approx(0.3 / 4)
    log_loss = -(np.log(0.8) + np.log(0.7) + np.log(0.6) + np.log(0.9)) / 4
    assert float(sf.measure("log_loss_multiclass", Y, y_score=SURE)) == pytest.approx(log_loss)


# Three classes of which the third never occurs and never gets a probability give the same losses, by the other road.
@pytest.mark.parametrize("name", ["brier_multiclass", "log_loss_multiclass"])
@pytest.mark.parametrize("weighted", [False, True])
def test_losses_of_two_columns_are_those_of_three_with_an_empty_one(name: str, weighted: bool) -> None:
    rng = np.random.default_rng(1)
    p = rng.uniform(size=40)
    two = np.column_stack([1 - p, p])
    three = np.column_stack([two, np.zeros(40)])
    w = rng.integers(1, 4, 40) if weighted else None
    a = sf.measure(name, Y, y_score=two, sample_weight=w)
    b = sf.measure(name, Y, y_score=three, labels=[0, 1, 2], sample_weight=w)
    assert float(a) == pytest.approx(float(b))
    assert a.se == pytest.approx(b.se)
    if name == "brier_multiclass":
        assert a.interval == pytest.approx(b.interval)  # the log loss asks what another class would have lost


@pytest.mark.parametrize("name", ["roc_auc_hand_till", "roc_auc_ovr", "roc_auc_ovo_weighted"])
def test_areas_over_many_classes_are_the_area_where_there_are_two(name: str) -> None:
    found, plain = sf.measure(name, Y, y_score=SURE), sf.measure("roc_auc", Y, y_score=SURE)
    assert found.interval == plain.interval
    assert found.name == name
    assert float(sf.assess(Y, y_score=SURE)[name]) == float(plain)


def test_they_are_shown_where_they_are_asked_for_and_not_otherwise() -> None:
    asked = sf.assess(Y, y_score=SURE, measures=["brier", "brier_multiclass"])
    assert asked.headlines == ("brier", "brier_multiclass")
    assert "brier_multiclass" not in sf.assess(Y, y_score=SURE, measures="all").headlines
    assert "brier_multiclass" not in sf.assess(Y, y_score=SURE).overall


def test_counted_rows_give_the_same(tmp_path: Path) -> None:
    p = np.random.default_rng(2).uniform(size=40)
    path = tmp_path / "p.parquet"
    pl.DataFrame({"y": Y, "p": p}).write_parquet(path)
    counted, held = sf.assess(path, truth="y", score="p"), sf.assess(Y, y_score=p)
    for name in ("brier_multiclass", "log_loss_multiclass", "roc_auc_ovr"):
        assert counted[name].interval == pytest.approx(held[name].interval)


@pytest.mark.parametrize("name", ["top_k_accuracy", "ece_multiclass", "average_precision_macro"])
def test_what_two_classes_cannot_have_is_refused_in_a_true_sentence(name: str) -> None:
    with pytest.raises(InputError, match="three classes or more, and there are two"):
        sf.measure(name, Y, y_score=SURE)


def test_models_of_two_classes_are_compared_by_the_measure_of_two() -> None:
    for call in (
        lambda: sf.compare(Y, {"a": SURE, "b": SURE[::-1].copy()}, measure="brier_multiclass"),
        lambda: sf.gate(Y, SURE, SURE, measure="brier_multiclass", margin=0.1),
    ):
        with pytest.raises(InputError, match="ask for brier, which of two classes is 1/2 of it"):
            call()


def test_one_class_against_several_is_no_two_classes() -> None:
    with pytest.raises(InputError, match="a column of scores for every class"):
        sf.measure("roc_auc_ovr", [0, 1, 2, 0], y_score=[0.1, 0.9, 0.4, 0.3], pos_label=1)
