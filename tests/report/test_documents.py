"""Every document says the same numbers as the API."""

import csv
import io
import json
import math
import xml.etree.ElementTree as ET

import numpy as np
import pandas as pd
import pytest

import surefold as sf
from surefold.errors import InputError, UnknownNameError
from surefold.report.as_json import to_json
from surefold.report.junit import assessment_junit
from surefold.report.records import csv_of
from surefold.report.rows import COLUMNS
from surefold.show.of.assessment import confusion_text
from surefold.show.of.catalogue import document_of
from surefold.show.write.terminal import terminal

# The chapter's table (ex. 22.1-2): predicted in rows there, so true in columns here.
TRUTH = ["c1"] * 10 + ["c2"] * 10 + ["c3"] * 10
PREDICTED = ["c1"] * 10 + ["c2"] * 7 + ["c3"] * 3 + ["c2"] * 5 + ["c3"] * 5


@pytest.fixture(name="chapter")
def _chapter():
    return sf.assess(TRUTH, PREDICTED)


def test_the_text_shows_figures_axes_and_verdict(chapter):
    text = str(chapter)
    assert "accuracy            0.73  [0.56, 0.86]  Wilson" in text  # 22/30
    assert "c2       10  0.58 [0.32, 0.81]  0.70 [0.35, 0.93]  0.64 [0.40, 0.82]" in text  # 7/12, 7/10, 14/22
    assert "true \\ predicted  c1  c2  c3" in text
    assert text.splitlines()[0] == "▲ better than always answering 'c1'"
    assert "Answer  Right on 73% [56%, 86%] of 30 rows; always answering 'c1' would be right" in text


def test_both_orientations_name_their_axes(chapter):
    assert confusion_text(chapter.confusion, "true").splitlines()[2].split() == ["c2", "0", "7", "3"]
    turned = confusion_text(chapter.confusion, "predicted").splitlines()
    assert turned[0].startswith("predicted \\ true")
    assert turned[2].split() == ["c2", "0", "7", "5"]
    assert "predicted \\ true" in terminal(document_of(chapter, rows="predicted"))


def test_json_is_strict_and_round_trips(chapter):
    document = json.loads(to_json(chapter.to_dict()))
    assert document["overall"]["accuracy"]["value"] == 22 / 30
    assert document["overall"]["squared_loss"]["value"] is None
    assert "two classes" in document["overall"]["squared_loss"]["reason"]
    again = sf.Assessment.from_dict(document)
    assert json.loads(to_json(again.to_dict())) == document
    assert again["kappa"] == chapter["kappa"]


def test_json_round_trips_weights_groups_costs_and_many_classes():
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 2, 80)
    predicted = np.where(rng.random(80) < 0.8, truth, 1 - truth)
    weighted = sf.assess(
        truth, predicted, sample_weight=rng.random(80), groups=rng.integers(0, 12, 80), costs={"fp": 1, "fn": 5}
    )
    many = sf.assess(np.arange(1500), np.roll(np.arange(1500), 1), measures=["accuracy", "recall"])
    for a in (weighted, many):
        document = json.loads(to_json(a.to_dict()))
        assert json.loads(to_json(sf.Assessment.from_dict(document).to_dict())) == document


def test_json_that_is_no_assessment_is_refused():
    with pytest.raises(InputError, match="not an assessment"):
        sf.Assessment.from_dict({"kind": "comparison", "schema_version": 1})


def test_infinity_is_null_in_json_and_says_so():
    e = sf.assess([1, 1, 1, 0, 0], [1, 1, 0, 0, 0])["positive_likelihood_ratio"]  # no false positive: (2/3)/0
    assert math.isinf(e.value)
    assert e.to_dict()["value"] is None
    assert e.to_dict()["infinite"] == ["value", "high"]


def test_csv_has_every_measure_with_its_interval(chapter):
    rows = list(csv.DictReader(io.StringIO(csv_of(chapter))))
    assert tuple(rows[0]) == COLUMNS
    found = {(row["class"], row["measure"]): row for row in rows}
    assert float(found["", "accuracy"]["value"]) == 22 / 30
    assert float(found["c2", "recall"]["low"]) == chapter.per_class["c2"]["recall"].low
    assert len(rows) == len(chapter.overall) + 3 * len(chapter.per_class["c1"])


def test_csv_does_not_hand_formulas_to_a_spreadsheet():
    a = sf.assess(["=cmd()", "b", "b"], ["=cmd()", "b", "b"])
    classes = {row["class"] for row in csv.DictReader(io.StringIO(csv_of(a)))}
    assert classes == {"", "'=cmd()", "b"}


def test_frames_come_in_the_callers_flavour(chapter):
    frame = chapter.to_frame()
    assert frame.columns == list(COLUMNS)
    assert frame.filter((frame["measure"] == "accuracy") & frame["class"].is_null())["value"].item() == 22 / 30
    from_pandas = sf.assess(pd.Series(TRUTH), pd.Series(PREDICTED)).to_frame()
    assert isinstance(from_pandas, pd.DataFrame)
    assert from_pandas.shape == frame.shape
    with pytest.raises(UnknownNameError, match="did you mean 'pyarrow'"):
        chapter.to_frame("arrow")


def test_markdown_has_verdict_measures_classes_and_table(chapter):
    text = chapter.to_markdown()
    assert "| accuracy | 0.73 | &#91;0.56, 0.86] | Wilson |" in text
    assert "| c2 | 0 | 7 | 3 |" in text
    assert text.startswith("**better than always answering 'c1'**\n\n- Answer: **Right on 73% ")


@pytest.mark.parametrize(
    ("truth", "predicted", "child"),
    [
        (["a"] * 20 + ["b"] * 20, ["a"] * 20 + ["b"] * 20, "system-out"),
        (["a"] * 20 + ["b"] * 20, ["b"] * 20 + ["a"] * 20, "failure"),
        (["a", "b"], ["a", "b"], "skipped"),
    ],
)
def test_junit_tells_better_worse_and_cannot_tell(truth, predicted, child):
    suite = ET.fromstring(assessment_junit(sf.assess(truth, predicted)).split("\n", 1)[1])
    verdict = suite[0]
    assert verdict.get("name") == "beats the base rate"
    assert verdict[0].tag == child
    assert int(suite.get("failures", -1)) == len(suite.findall(".//failure"))
    assert int(suite.get("skipped", -1)) == len(suite.findall(".//skipped"))


HOSTILE = ["\x1b[31mred", "a\nb", "\u202eevil", "<script>alert(1)</script>", "=1+1", "x" * 10_000, "日本", ""]


@pytest.mark.parametrize("label", HOSTILE)
def test_hostile_labels_are_harmless_in_every_document(label):
    a = sf.assess([label, "ok", "ok", label], [label, "ok", label, label])
    text = str(a)
    assert not any(c in text for c in "\x1b\u202e")
    assert max(map(len, text.splitlines()[:-6])) < 200
    assert json.loads(to_json(a.to_dict()))["labels"].count(label) == 1
    ET.fromstring(assessment_junit(a).split("\n", 1)[1])
    assert "<script" not in a.to_markdown()


def test_many_classes_show_the_worst_and_the_best():
    truth = np.arange(200).repeat(2)
    predicted = truth.copy()
    predicted[:20] = 199
    a = sf.assess(truth, predicted)
    text = str(a)
    assert "(150 classes between the worst and the best are not shown)" in text
    assert "largest errors" in text
    assert "many_classes" in {finding.code for finding in a.findings}


def test_a_table_without_errors_says_so():
    assert confusion_text(sf.Confusion(np.eye(30))) == "no errors"


def test_a_stack_of_tables_shows_its_repr():
    assert str(sf.Confusion(np.ones((4, 2, 2)))) == "Confusion(2 classes, total 16)"
