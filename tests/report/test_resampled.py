"""Documents about runs over splits: the numbers of the API, and missing folds in plain sight everywhere."""

import csv
import io
import json
import math
import xml.etree.ElementTree as ET
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.svm import SVC

from surefold.errors import UnknownNameError
from surefold.learners import FullBayes, NaiveBayes
from surefold.numbers import duration
from surefold.report.as_csv import SPLIT_COLUMNS
from surefold.report.as_json import to_json
from surefold.report.junit import resampled_junit
from surefold.report.records import csv_of
from surefold.report.resampled_json import resampled_to_dict
from surefold.resampling.bootstrapped import Bootstrapped, bootstrap
from surefold.resampling.dataset import Dataset
from surefold.resampling.evaluate import cross_validate, evaluate_plan, holdout, leave_one_out
from surefold.resampling.fold import Failure
from surefold.resampling.folds import five_by_two_plan, leave_pair_out_plan, nested_plan
from surefold.resampling.grouped import leave_one_group_out_plan
from surefold.resampling.in_time import time_order_plan
from surefold.resampling.splitter import plan_from_splitter
from surefold.resampling.study import Study
from surefold.show.names import markdown_cell, plain
from surefold.show.of.catalogue import document_of
from surefold.show.of.splits import MOST_SPLITS, plan_text
from surefold.show.write.terminal import Look, terminal

RNG = np.random.default_rng(7)
Y = np.array(["no", "yes"] * 30)
X = RNG.normal(size=(60, 2)) + 1.5 * (Y == "yes")[:, None]
EVIL = "\x1b[31m=cmd() <b>|`\u202e"


@pytest.fixture(name="r", scope="module")
def _r():
    return cross_validate(NaiveBayes(), X, Y, folds=5, repeats=2, random_state=3, pos_label="yes", shortcut=False)


@pytest.fixture(name="study", scope="module")
def _study():
    models = {"naive": NaiveBayes(), "full": FullBayes(), "svm": SVC()}
    return cross_validate(models, X, Y, folds=4, random_state=3, pos_label="yes")


@pytest.fixture(name="boot", scope="module")
def _boot():
    return bootstrap(NaiveBayes(), X, Y, samples=12, random_state=3)


def without(r, *splits, message="ValueError: no luck"):
    predicted, scores = r.held.predicted.copy(), r.held.scores.copy()
    for i in splits:
        part = slice(int(r.plan.test_starts[i]), int(r.plan.test_starts[i + 1]))
        predicted[part], scores[part] = -1, np.nan
    failures = {i: Failure("raised", message, "Traceback ...", 2) for i in splits}
    return replace(r, held=replace(r.held, predicted=predicted, scores=scores), failures=failures)


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text)))


def suite_of(text):
    return ET.fromstring(text.split("\n", 1)[1])


# text


def test_the_text_has_plan_measures_time_repeats_and_verdict(r):
    text = str(r)
    lines = text.splitlines()
    assert lines[0] == "▲ better than always answering 'no'"
    heading = f"NaiveBayes: 2 x 5 folds of 60 rows, stratified, seed 3, splits {r.fingerprint[:8]}…; 2"
    assert heading in text
    accuracy = next(line for line in lines if line.startswith("accuracy"))
    assert accuracy.split()[1] == r["accuracy"].texts[0]
    assert r["accuracy"].bounds_text in accuracy
    assert "corrected t" in accuracy
    assert "Time: fit " in text
    runs = r.runs("error_rate")
    assert f"2 repeats: error_rate has mean {runs.mean:.4f}" in text
    assert lines[-1].startswith("How we know: Accuracy")
    assert "INCOMPLETE" not in text


def test_chosen_measures_alone_are_shown(r, study, boot):
    text = terminal(document_of(r, measures=["kappa"]))
    assert "kappa" in text
    assert "balanced_accuracy" not in text
    assert "kappa" in terminal(document_of(study, measures=["kappa"]))
    shown = terminal(document_of(boot, measures=["accuracy", "mcc"]), Look(160))
    assert ".632+ is for losses of single rows" in shown
    with pytest.raises(UnknownNameError, match="accuracy"):
        terminal(document_of(r, measures=["acuracy"]))


def test_what_is_undefined_says_why(r):
    wide = leave_one_out(SVC(), X, Y, pos_label="yes")
    assert "undefined" not in str(wide)
    text = terminal(
        document_of(cross_validate(SVC(), X, Y, folds=3, random_state=0, pos_label="yes"), measures=["brier"])
    )
    assert "undefined" in text
    assert "probabilities" in text


def test_a_model_in_closed_form_has_no_times():
    quick = cross_validate(NaiveBayes(), X, Y, folds=3, random_state=0)
    assert "nothing was refitted" in str(quick)
    assert quick.to_dict()["seconds"] is None
    assert quick.to_dict()["refitted"] is False


def test_a_study_has_a_row_a_model_and_says_that_it_tests_nothing(study):
    text = str(study)
    assert "3 models: 4 folds of 60 rows, stratified, seed 3" in text
    assert str(study.compare().verdict) in " ".join(text.split())  # several models end in their differences
    assert str(study["naive"]["accuracy"]) in text
    assert "study.compare()" in text
    assert "naive: Right on" in text
    assert max(map(len, text.splitlines())) <= 80


def test_the_bootstrap_shows_its_five_estimates(boot):
    text = str(boot)
    for name, estimate in ((".632+", boot.point632plus), ("out of bag", boot.out_of_bag), ("apparent", boot.apparent)):
        line = next(line for line in text.splitlines() if line.startswith(f"{name} "))
        assert estimate.texts[0] in line
    assert f"A sample holds {boot.distinct_share:.3f} of the rows" in text


def test_plans_are_told_in_words():
    codes = (Y == "yes").astype(int)
    groups = np.repeat(np.arange(12), 5)
    told = {
        "5 x 2 folds of 60 rows": five_by_two_plan(codes, random_state=0),
        "nested: 3 folds of 60 rows and every two of them": nested_plan(codes, folds=3, random_state=0),
        "each of 12 groups of 60 rows left out": leave_one_group_out_plan(codes, groups),
        "900 pairs of 60 rows left out": leave_pair_out_plan(codes, positive=1),
        "3 folds of 60 rows in time order": time_order_plan(codes, folds=3),
        "2 splits of 60 rows": plan_from_splitter(
            [(np.arange(30), np.arange(30, 60)), (np.arange(30, 60), np.arange(30))], codes=codes
        ),
    }
    for words, plan in told.items():
        assert plan_text(plan).startswith(words)
        assert plan.fingerprint[:8] in plan_text(plan)
    assert "18 of 60 rows held out, 3 times" in str(holdout(NaiveBayes(), X, Y, repeats=3, random_state=0))
    grouped = cross_validate(NaiveBayes(), X, Y, folds=3, groups=groups, random_state=0, stratified=False)
    assert "not stratified, 12 groups kept together" in str(grouped)
    unshuffled = cross_validate(NaiveBayes(), X, Y, folds=3, shuffle=False, random_state=0)
    assert "not shuffled" in str(unshuffled)


def test_durations():
    assert [duration(s) for s in (0.0004, 0.25, 60, 600, 7500)] == ["0.4 ms", "250 ms", "60.0 s", "10 min", "2 h 5 min"]


# JSON


def test_json_has_plan_seed_versions_splits_and_figures(r):
    document = json.loads(to_json(r.to_dict()))
    assert (document["schema_version"], document["kind"], document["complete"]) == (1, "resampled", True)
    assert document["missing"] == []
    assert document["plan"]["fingerprint"] == r.fingerprint
    assert (document["plan"]["folds"], document["plan"]["repeats"], document["plan"]["random_state"]) == (5, 2, 3)
    assert document["plan"]["options"]["stratified"] is True
    assert document["seed"] == 3
    assert "numpy" in document["versions"]
    assert document["overall"]["accuracy"]["value"] == r.mean("accuracy")
    assert [s["values"]["accuracy"] for s in document["splits"]] == r.values("accuracy").tolist()
    assert [(s["repeat"], s["fold"]) for s in document["splits"]][4:6] == [(1, 5), (2, 1)]
    assert document["seconds"]["fit"]["total"] == pytest.approx(r.fit_seconds.sum())
    assert document["repeats"]["mean"] == r.runs("error_rate").mean
    assert document["verdict"]["status"] == r.verdict.status


def test_json_of_leave_one_out_has_null_and_a_reason():
    document = json.loads(to_json(leave_one_out(NaiveBayes(), X, Y, pos_label="yes").to_dict()))
    first = document["splits"][0]
    assert first["values"]["roc_auc"] is None
    assert first["reasons"]["roc_auc"]
    assert document["overall"]["roc_auc"]["value"] is not None


def test_json_of_a_study_and_of_the_bootstrap(study, boot):
    document = json.loads(to_json(study.to_dict()))
    assert document["kind"] == "study"
    assert set(document["models"]) == {"naive", "full", "svm"}
    assert document["models"]["full"]["overall"]["accuracy"]["value"] == study["full"].mean("accuracy")
    assert "plan" not in document["models"]["full"]
    document = json.loads(to_json(boot.to_dict()))
    assert document["kind"] == "bootstrap"
    assert document["estimates"]["error_rate"]["point632plus"]["value"] == boot.point632plus.value
    assert document["distribution"]["error_rate"] == boot.distribution().tolist()
    assert (document["samples"], len(document["splits"])) == (12, 12)


def test_very_many_splits_are_not_listed():
    y = np.array([0] * 80 + [1] * 70)
    x = np.random.default_rng(0).normal(size=(150, 1)) + y[:, None]
    codes = y.astype(int)
    plan = leave_pair_out_plan(codes, positive=1)
    assert len(plan) == 5600 > MOST_SPLITS
    r: Any = cross_validate(NaiveBayes(), x, y, cv=plan)
    document = resampled_to_dict(r, ["accuracy"])
    assert document["splits"] is None
    assert document["splits_not_listed"] == 5600
    assert all(row["fold"] == "" for row in rows_of(csv_of(r, ["accuracy"])))


# CSV, frames, markdown, JUnit


def test_csv_has_figures_then_splits(r):
    rows = rows_of(csv_of(r))
    assert tuple(rows[0]) == SPLIT_COLUMNS
    overall = {row["measure"]: row for row in rows if not row["fold"]}
    assert float(overall["f1"]["low"]) == r["f1"].low
    split = next(row for row in rows if (row["repeat"], row["fold"], row["measure"]) == ("2", "1", "accuracy"))
    assert float(split["value"]) == r.values("accuracy")[5]
    assert {row["complete"] for row in rows} == {"True"}


def test_frames_have_a_row_a_split(r, study):
    frame = r.to_frame()
    assert frame.height == 10
    assert frame["accuracy"].to_list() == r.values("accuracy").tolist()
    assert frame["repeat"].to_list() == [1] * 5 + [2] * 5
    both = study.to_frame("pandas")
    assert isinstance(both, pd.DataFrame)
    assert both.shape[0] == 12
    assert both[both["model"] == "svm"]["brier"].isna().all()
    with pytest.raises(UnknownNameError, match=r"did you mean .pyarrow"):
        r.to_frame("arrow")


def test_markdown_has_verdict_and_measures(r, study, boot):
    text = r.to_markdown()
    assert "| accuracy |" in text
    assert f"| {markdown_cell(r['accuracy'].bounds_text)} |" in text
    assert "- naive: Right on" in study.to_markdown()
    assert ".632+" in boot.to_markdown()


def test_junit_has_a_case_for_completeness_verdict_and_measures(r, study, boot):
    suite = suite_of(resampled_junit(r))
    assert [case.get("name") for case in suite][:3] == ["every fold is there", "beats the base rate", "error_rate"]
    assert suite.get("failures") == "0"
    assert len(suite_of(resampled_junit(study))) == sum(2 + len(each.headlines) for each in study.models.values())
    assert len(suite_of(resampled_junit(boot))) == 2 + 5


# missing folds


def test_missing_folds_are_seen_in_every_document(r):
    bad = without(r, 7)
    text = str(bad)
    assert "INCOMPLETE: 1 of 10 folds" in text
    assert "folds are missing" in next(line for line in text.splitlines() if line.startswith("accuracy"))
    assert "there is no verdict before every fold" in " ".join(text.split())
    assert "repeats: error_rate" not in text
    document = json.loads(to_json(bad.to_dict()))
    assert document["complete"] is False
    assert document["missing"] == [
        {
            "split": 7, "repeat": 2, "fold": 3, "kind": "raised", "message": "ValueError: no luck",
            "traceback": "Traceback ...", "attempts": 2,
        }
    ]  # fmt: skip
    assert document["splits"][7]["values"]["accuracy"] is None
    assert "no luck" in document["splits"][7]["reasons"]["accuracy"]
    assert document["repeats"]["means"] is None
    rows = rows_of(csv_of(bad))
    assert {row["complete"] for row in rows if not row["fold"]} == {"False"}
    assert next(row["complete"] for row in rows if (row["repeat"], row["fold"]) == ("2", "3")) == "False"
    assert next(row["complete"] for row in rows if (row["repeat"], row["fold"]) == ("1", "1")) == "True"
    assert bad.to_frame()["complete"].to_list().count(False) == 1
    assert bad.to_markdown().startswith("**incomplete**\n\n- Answer: **1 of 10 folds")
    suite = suite_of(resampled_junit(bad))
    assert suite.get("failures") == "1"
    assert suite[0].find("failure").get("type") == "incomplete"


def test_a_study_with_missing_folds_names_the_model(study):
    bad = Study(study.plan, {**study.models, "full": without(study["full"], 0)})
    text = str(bad)
    assert "INCOMPLETE: full is incomplete" in text
    assert "full (incomplete)" in text
    document = json.loads(to_json(bad.to_dict()))
    assert document["complete"] is False
    assert document["missing"][0]["model"] == "full"
    assert "| full (incomplete) |" in bad.to_markdown()
    assert suite_of(resampled_junit(bad)).get("failures") == "1"


def test_a_bootstrap_without_its_apparent_model_says_so(boot):
    bad = Bootstrapped(without(boot.resampled, 12))
    text = str(bad)
    assert "INCOMPLETE" in text
    assert "undefined" in text
    document = json.loads(to_json(bad.to_dict()))
    assert document["estimates"]["error_rate"]["on_all"]["value"] is None
    assert "missing" in document["estimates"]["error_rate"]["on_all"]["reason"]


# hostile text


def test_hostile_names_labels_and_messages_are_harmless():
    y = np.where(Y == "yes", EVIL, "=1+1")
    r = cross_validate({EVIL: NaiveBayes(), "-x": NaiveBayes()}, X, y, folds=3, random_state=0, pos_label=EVIL)
    bad = Study(r.plan, {name: without(each, 1, message=f"ValueError: {EVIL}") for name, each in r.models.items()})
    one = bad[EVIL]
    for text in (str(bad), str(one), bad.to_markdown()):
        assert not any(c in text for c in "\x1b\u202e")
    assert "<b>" not in bad.to_markdown()
    assert {row["model"] for row in rows_of(csv_of(bad))} == {plain(EVIL), "'-x"}
    assert "\x1b" not in csv_of(bad)
    suite = suite_of(resampled_junit(bad, name=EVIL))
    assert int(suite.get("failures")) == 2
    document = json.loads(to_json(bad.to_dict()))
    assert EVIL in document["models"]
    assert document["labels"] == list(one.labels)


def test_no_nan_reaches_json():
    y = np.array([0, 1] * 4)
    r = evaluate_plan(NaiveBayes(), _tiny(y), nested_plan(y, folds=3, random_state=0), shortcut=False)
    text = to_json(r.to_dict())
    assert "NaN" not in text
    assert all(v is None or math.isfinite(v) for s in json.loads(text)["splits"] for v in s["values"].values())


def _tiny(y):
    return Dataset.of(np.random.default_rng(0).normal(size=(len(y), 1)) + y[:, None], y)
