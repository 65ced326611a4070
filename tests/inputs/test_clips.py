"""The log loss clips at the eps of the floats that the scores came as, by whatever road they came."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import surefold as sf
from surefold.inputs import Predictions
from surefold.tallies.score_groups import ScoreGroups

Y = np.array([0, 1] * 20)
SURE = np.array([0.0, 1.0] * 20)
SURE[0] = 1.0  # one row in forty is wrong beyond doubt
#: -log of the eps of each kind of float: 10, 23 and 52 bits of mantissa.
LOST = {"float16": 10 * np.log(2), "float32": 23 * np.log(2), "float64": 52 * np.log(2)}
FORMS = {
    "numpy": lambda x: x,
    "pandas": pd.Series,
    "polars": pl.Series,
    "arrow": pa.array,
    "arrow in pandas": lambda x: pd.Series(x, dtype=pd.ArrowDtype(pa.from_numpy_dtype(x.dtype))),
    "arrow dictionary": lambda x: pa.array(x).dictionary_encode(),
    "arrow dictionary in parts": lambda x: pa.chunked_array([pa.array(x[:9]), pa.array(x[9:])]).dictionary_encode(),
    "categories": lambda x: pd.Series(x).astype("category"),
    "a list": list,
    "objects": lambda x: np.array([*x, None], dtype=object)[:-1],
    "other byte order": lambda x: x.astype(x.dtype.newbyteorder()),
    "nullable": lambda x: pd.Series(x).astype({"float32": "Float32", "float64": "Float64"}[str(x.dtype)]),
}


def test_the_figures_that_are_known_for_them() -> None:
    assert LOST["float32"] == pytest.approx(15.942, abs=5e-4)
    assert LOST["float64"] == pytest.approx(36.044, abs=5e-4)


@pytest.mark.parametrize("kind", LOST)
def test_a_score_of_0_loses_what_the_eps_of_its_floats_is(kind: str) -> None:
    a = sf.assess(Y, y_score=SURE.astype(kind))
    assert float(a["log_loss"]) == pytest.approx(LOST[kind] / 40)
    assert a["log_loss"].high <= LOST[kind]
    (told,) = [f for f in a.findings if f.code == "clipped_probabilities"]
    assert f"the eps of {kind}, so each counts {LOST[kind]:.2f}" in told.sentence
    assert told.evidence["clip"] == np.finfo(kind).eps


@pytest.mark.parametrize("kind", ["float32", "float64"])
@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_columns_of_every_library_say_what_floats_they_hold(kind: str, form: Any) -> None:
    found = sf.measure("log_loss", Y, y_score=form(SURE.astype(kind)))
    assert float(found) == pytest.approx(LOST[kind] / 40)


def test_what_has_no_floats_is_taken_for_doubles() -> None:
    for scores in (SURE.tolist(), SURE.astype(int), SURE.astype(bool), SURE.astype(str), SURE.astype(np.longdouble)):
        assert float(sf.measure("log_loss", Y, y_score=scores)) == pytest.approx(LOST["float64"] / 40)


@pytest.mark.parametrize("form", [lambda m: m, lambda m: pd.DataFrame(m, columns=["0", "1"])])
def test_a_matrix_is_clipped_alike(form: Any) -> None:
    two = np.column_stack([1 - SURE, SURE]).astype(np.float32)
    assert float(sf.measure("log_loss", Y, y_score=form(two))) == pytest.approx(LOST["float32"] / 40)
    three = np.column_stack([two, np.zeros(40, np.float32)])
    found = sf.measure("log_loss", Y, y_score=three, labels=[0, 1, 2])
    assert float(found) == pytest.approx(LOST["float32"] / 40)


@pytest.mark.parametrize("groups", [None, "g"])
def test_files_are_clipped_as_their_column_says(groups: str | None, tmp_path: Path) -> None:
    g = np.arange(40) // 4
    frame = pl.DataFrame({"y": Y, "p": SURE.astype(np.float32), "g": g})
    frame.write_parquet(tmp_path / "p.parquet")
    frame.write_csv(tmp_path / "p.csv")
    for name, kind in {"p.parquet": "float32", "p.csv": "float64"}.items():
        counted = sf.assess(tmp_path / name, truth="y", score="p", groups=groups)
        held = sf.assess(Y, y_score=SURE.astype(kind), groups=None if groups is None else g)
        assert counted["log_loss"].interval == pytest.approx(held["log_loss"].interval)
        assert float(counted["log_loss"]) == pytest.approx(LOST[kind] / 40)
        assert float(counted["calibration_slope"]) == float(held["calibration_slope"])


def test_files_of_two_kinds_are_clipped_as_the_shorter_floats(tmp_path: Path) -> None:
    for i, kind in enumerate([pl.Float64, pl.Float32]):
        part = slice(20 * i, 20 * i + 20)
        pl.DataFrame({"y": Y[part], "p": pl.Series(SURE[part], dtype=kind)}).write_parquet(tmp_path / f"{i}.parquet")
    assert float(sf.assess(tmp_path, truth="y", score="p")["log_loss"]) == pytest.approx(LOST["float32"] / 40)


def test_models_are_compared_each_with_its_own_clip(tmp_path: Path) -> None:
    right = np.where(Y == 1, 0.9, 0.1)
    pl.DataFrame({"y": Y, "a": SURE.astype(np.float32), "b": right}).write_parquet(tmp_path / "p.parquet")
    held = sf.compare(Y, {"a": SURE.astype(np.float32), "b": right}, measure="log_loss")
    counted = sf.compare(tmp_path / "p.parquet", ["a", "b"], truth="y", measure="log_loss")
    expected = LOST["float32"] / 40 + np.log(0.9)
    drawn = sf.compare(Y, {"a": SURE.astype(np.float32), "b": right}, measure="log_loss", method="bootstrap", draws=20)
    for found in (held, counted, drawn):
        assert float(found.differences[0].effect) == pytest.approx(expected)
    assert counted.differences[0].effect.interval == pytest.approx(held.differences[0].effect.interval)


def test_the_clip_goes_with_the_tally(tmp_path: Path) -> None:
    a = sf.assess(Y, y_score=SURE.astype(np.float32))
    assert float(sf.Assessment.from_dict(a.to_dict())["log_loss"]) == float(a["log_loss"])
    t = ScoreGroups.of_predictions(Predictions.of(Y, y_score=SURE.astype(np.float32)))
    for other in (t + t, t.coarser(20), t.worth_less(2.0), t.mirrored()):
        assert other.clip == t.clip == np.finfo(np.float32).eps


# calibration


@pytest.mark.parametrize("side", [lambda p: p, lambda p: 1 - p])
def test_scores_that_are_all_clipped_have_no_slope_and_the_reason_is_told(side: Any) -> None:
    tiny = side(1e-30 * (1 + np.arange(40)))
    found = sf.measure("calibration_slope", Y, y_score=tiny)
    assert not found.defined
    assert "clipped to one value" in found.reason or "all scores are equal" in found.reason
    assert not sf.measure("calibration_intercept", Y, y_score=tiny, fitted="line").defined


def test_a_slope_of_scores_that_are_partly_clipped_is_flagged() -> None:
    scores = np.where(np.arange(40) % 4 == 0, 1e-30, np.linspace(0.2, 0.8, 40))
    found = sf.measure("calibration_slope", Y, y_score=scores)
    assert found.defined
    assert "clipped_probabilities" in found.flags


@pytest.mark.parametrize("kind", ["float32", "float64"])
def test_ties_of_single_precision_are_told_whatever_the_road(tmp_path: Path, kind: str) -> None:
    scores = np.round(np.random.default_rng(0).random(40), 1).astype(kind)
    pl.DataFrame({"y": Y, "s": scores}).write_parquet(tmp_path / "s.parquet")
    told = [sf.assess(Y, y_score=form(scores)).findings for form in FORMS.values()]
    told.append(sf.assess_files(tmp_path / "s.parquet", truth="y", score="s").findings)
    ties = 40 - len(np.unique(scores))
    for findings in told:
        found = [f.evidence["tied"] for f in findings if f.code == "single_precision_ties"]
        assert found == ([ties] if kind == "float32" else [])
