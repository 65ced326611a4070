"""Every document of a comparison says the same figures, whoever named the models."""

import csv
import io
import json
import math
import xml.etree.ElementTree as ET
from dataclasses import replace

import numpy as np
import pytest

import surefold as sf
from surefold.comparison.compare import compare
from surefold.comparison.gate import gate
from surefold.errors import UnknownNameError
from surefold.numbers import p_text
from surefold.report.as_json import to_json
from surefold.report.comparison_export import (
    COMPARISON_COLUMNS,
    DIFFERENCE_COLUMNS,
    comparison_junit,
    gate_junit,
)
from surefold.report.frame import differences_frame
from surefold.report.records import csv_of
from surefold.show.of.catalogue import document_of
from surefold.show.of.comparison import MOST_PAIRS, adjustment_sentence, win_tie_loss
from surefold.show.write.terminal import Look, terminal

EVIL = ("=cmd()", "\x1b[31m\u202ex", "<script>alert(1)</script>|", "日本\n語")


def text_of(result, width=120):
    return terminal(document_of(result), Look(width))


def _models(count=3, n=120, seed=0, names=None):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, n)
    made = {}
    for i in range(count):
        name = f"m{i}" if names is None else names[i]
        made[name] = np.where(rng.random(n) < 0.95 - 0.05 * i, truth, 1 - truth)
    return truth, made


@pytest.fixture(name="three")
def _three():
    return compare(*_models(), margin=0.02)


def test_the_text_has_values_differences_status_and_winner(three):
    text = text_of(three)
    assert text_of(three, 80) == str(three)
    assert "120 rows, 3 models, higher is better" in text
    first = three.differences[0]
    assert f"{first.effect}" in text
    assert "p and intervals allow for all 3 pairs at once (Holm)" in text
    card = " ".join(text.split("\n\n")[1].split())
    assert str(three.verdict) in card
    assert f"allowing for the choice, {three.winner.corrected}." in card


def test_two_models_need_no_adjustment_and_no_winner():
    c = compare(*_models(2))
    assert adjustment_sentence(c) == ""
    assert "allowing for the choice" not in text_of(c)


def test_many_pairs_show_those_of_the_best_and_a_count():
    c = compare(*_models(9, n=200))
    assert len(c.differences) == 36 > MOST_PAIRS
    text = text_of(c)
    best = c.order[0]
    shown = next(part for part in text.split("\n\n") if part.startswith("first −")).splitlines()[1:]
    assert len(shown) == 8
    assert all(best in line for line in shown)
    assert f"28 of 36 pairs, those without {best}, are not shown" in text
    rows = [tuple(map(str, row)) for row in win_tie_loss(c).rows]
    assert [row[0] for row in rows] == list(c.order)
    assert all(sum(map(int, row[1:])) == 8 for row in rows)
    wins = c.wins
    for name, better, _, worse, _ in rows:
        i = list(c.values).index(name)
        assert (int(better), int(worse)) == ((wins[i] == 1).sum(), (wins[i] == -1).sum())
    assert "are not shown" in c.to_markdown()
    assert len(list(csv.DictReader(io.StringIO(csv_of(c))))) == 9 + 36


def test_csv_holds_every_figure(three):
    rows = list(csv.DictReader(io.StringIO(csv_of(three))))
    assert tuple(rows[0]) == COMPARISON_COLUMNS
    values, pairs = rows[:3], rows[3:]
    for row, (name, e) in zip(values, three.values.items(), strict=True):
        assert (row["first"], row["second"], float(row["value"])) == (name, "", e.value)
    for row, d in zip(pairs, three.differences, strict=True):
        assert (row["first"], row["second"], row["status"]) == (d.first, d.second, d.status)
        assert float(row["low"]) == d.effect.low
        assert float(row["adjusted_p"]) == d.adjusted_p
        assert float(row["margin"]) == 0.02


def test_the_frame_in_both_flavours(three):
    frame = three.to_frame()
    assert frame.columns == list(DIFFERENCE_COLUMNS)
    assert frame["difference"].to_list() == [d.effect.value for d in three.differences]
    assert frame["status"].to_list() == [d.status for d in three.differences]
    pandas = differences_frame(three, "pandas")
    assert list(pandas.columns) == list(DIFFERENCE_COLUMNS)
    several = compare(*_models(), measure=["accuracy", "mcc"])
    assert differences_frame(several)["measure"].to_list() == ["accuracy"] * 3 + ["mcc"] * 3
    with pytest.raises(UnknownNameError, match="frame"):
        differences_frame(three, "spark")  # type: ignore[arg-type]


def test_markdown_and_junit(three):
    md = three.to_markdown()
    assert f"| m0 | {three.values['m0'].texts[0]} |" in md
    assert "| m0 − m1 |" in md
    suite = ET.fromstring(comparison_junit(three).split("\n", 1)[1])
    assert suite.get("tests") == "6"
    skipped = sum(d.status == "cannot_tell" for d in three.differences)
    assert int(suite.get("skipped") or 0) == skipped


def test_undefined_is_told_with_its_reason_everywhere():
    c = compare([1, 1, 1, 1], {"a": [1, 1, 1, 1], "b": [1, 0, 1, 1]}, measure="mcc")
    assert "undefined" in text_of(c)
    assert "| undefined |" in c.to_markdown()
    pair = list(csv.DictReader(io.StringIO(csv_of(c))))[-1]
    assert (pair["value"], pair["status"]) == ("", "cannot_tell")
    assert pair["reason"]
    assert ET.fromstring(comparison_junit(c)).get("skipped") == "3"
    assert json.loads(to_json(c.to_dict()))["differences"][0]["test"]["effect"]["reason"]
    g = gate([1, 1, 1, 1], [1, 0, 1, 1], [1, 1, 1, 1], measure="mcc")
    assert "undefined" in text_of(g)
    assert "Cannot tell whether" in g.to_markdown()
    (row,) = csv.DictReader(io.StringIO(csv_of(g)))
    assert row["value"] == row["lower_bound"] == ""


def test_names_from_strangers_are_safe():
    truth, made = _models(4, names=EVIL)
    c = compare(truth, made)
    g = gate(truth, made[EVIL[0]], made[EVIL[1]], names=(EVIL[0], EVIL[1]))
    for text in (text_of(c), c.to_markdown(), csv_of(c), comparison_junit(c), text_of(g),
                 g.to_markdown(), csv_of(g), gate_junit(g)):  # fmt: skip
        assert "\x1b" not in text
        assert "\u202e" not in text
        assert "日本\n語" not in text
    for text in (c.to_markdown(), comparison_junit(c)):
        assert "<script>" not in text
    names = {row["first"] for row in csv.DictReader(io.StringIO(csv_of(c)))}
    assert "'=cmd()" in names
    assert "=cmd()" not in names
    assert ET.fromstring(comparison_junit(c)).get("failures") == "0"
    tables = [line for line in c.to_markdown().splitlines() if line.startswith("|")]
    assert {line.count("|") for line in tables} <= {5, 6, 7, 8}  # 4 to 7 cells: no name made one more


def test_several_measures_say_a_finding_once():
    truth, made = _models(2)
    several = compare(truth, made, measure=["accuracy", "f1"])
    text = text_of(several)
    codes = [f.code for f in several["accuracy"].findings]
    assert codes
    assert text.count(f"[{codes[0]}]") == 1


def test_unadjusted_p_is_said(three):
    assert "NOT adjusted for 3 pairs" in adjustment_sentence(replace(three, adjust="none"))
    assert "(Holm)" in adjustment_sentence(three)


def test_small_p_and_no_p():
    assert p_text(0.00001) == "< 0.0001"
    assert p_text(0.04321) == "0.0432"
    assert p_text(math.nan) == "–"


def test_a_gate_tells_what_was_asked():
    truth, made = _models(2)
    a, b = made.values()
    assert "not worse by more than 0.05" in text_of(gate(truth, b, a, margin=0.05))
    assert "better by more than 0.05" in text_of(gate(truth, b, a, margin=0.05, kind="superiority"))
    text = text_of(gate(truth, None, a, at_least=0.5))
    assert "at least 0.5" in text
    assert "first −" not in text
    e = sf.measure("accuracy", truth, a, method="exact")
    assert f"{e.texts[0]}  {e.bounds_text}" in text
