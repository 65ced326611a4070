"""What is said of runs over splits: findings in order, and a verdict only when every fold is there."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from surefold.findings import Finding
from surefold.learners import NaiveBayes
from surefold.resampling.bootstrapped import Bootstrapped, bootstrap
from surefold.resampling.evaluate import cross_validate, holdout, leave_one_out
from surefold.resampling.fold import Failure
from surefold.verdict.resampled import MOST_FAILURES, verdict_of_bootstrap

RNG = np.random.default_rng(7)
Y = np.array(["no", "yes"] * 30)
X = RNG.normal(size=(60, 2)) + 2.5 * (Y == "yes")[:, None]


def run(**options):
    return cross_validate(NaiveBayes(), X, Y, folds=6, random_state=0, pos_label="yes", **options)


def without(r, *splits, message="ValueError: no luck"):
    """The result as it would be had these splits failed."""
    predicted, scores = r.held.predicted.copy(), r.held.scores.copy()
    for i in splits:
        part = slice(int(r.plan.test_starts[i]), int(r.plan.test_starts[i + 1]))
        predicted[part], scores[part] = -1, np.nan
    failures = {i: Failure("raised", message, "Traceback ...", 2) for i in splits}
    return replace(r, held=replace(r.held, predicted=predicted, scores=scores), failures=failures)


def test_a_separable_problem_beats_the_base_rate():
    verdict = run().verdict
    assert verdict.status == "better"
    assert str(verdict) == (
        "Right on 93.3% [80.5%, 100.0%] of rows it was not trained on; always answering 'no' would be right on 50%."
    )
    assert str(verdict.mark) == "better than always answering 'no'"
    assert str(verdict.how[0]) == f"Accuracy {run()['accuracy']}, corrected t."
    assert verdict.evidence["majority_share"] == 0.5  # 30 of 60
    assert verdict.to_dict()["evidence"]["accuracy"]["value"] == run().mean("accuracy")


def test_labels_that_nothing_explains_cannot_be_told():
    noise = np.random.default_rng(1).permutation(Y)
    r: Any = cross_validate(NaiveBayes(), X, noise, folds=5, random_state=0)
    verdict = r.verdict
    assert verdict.status == "cannot_tell"
    assert "cannot be told from always answering" in str(verdict)


def test_answers_that_are_wrong_each_time_do_not_beat_it():
    r = run()
    wrong = replace(r, held=replace(r.held, predicted=(1 - r.held.truth).astype(np.int32)))
    assert wrong.verdict.status == "worse"
    assert "less than the 50% of always answering" in str(wrong.verdict)


def test_one_split_and_leave_one_out_use_their_own_interval():
    results: list[Any] = [holdout(NaiveBayes(), X, Y, random_state=0), leave_one_out(NaiveBayes(), X, Y)]
    for r in results:
        assert r.verdict.evidence["accuracy"]["method"] in ("wilson", "clopper_pearson")


def test_the_share_goes_by_weight():
    weights = np.where(Y == "yes", 3.0, 1.0)  # 90 of 120
    r: Any = cross_validate(NaiveBayes(), X, Y, folds=3, random_state=0, sample_weight=weights)
    assert r.verdict.evidence["majority_share"] == pytest.approx(0.75)
    assert r.verdict.evidence["majority_label"] == "yes"


def test_missing_folds_come_first_and_leave_no_verdict():
    noticed = (Finding.of("near_equal_labels", "noticed before"),)
    r = replace(without(run(), 2), noticed=noticed)
    codes = [finding.code for finding in r.findings]
    assert codes == ["incomplete", "near_equal_labels", "fold_failed"]
    assert "1 of 6 folds is missing: fold 3 raised ValueError: no luck." in r.findings[0].sentence
    assert r.findings[0].evidence["missing"] == [2]
    assert "in each of 2 attempts" in r.findings[2].sentence
    assert str(r.verdict).startswith("1 of 6 folds is missing (fold 3 raised")
    assert r.verdict.status == "cannot_tell"
    assert "beats" not in str(r.verdict)


def test_many_failures_are_counted_not_listed():
    r = without(run(repeats=2), *range(8))
    failed = [finding for finding in r.findings if finding.code == "fold_failed"]
    assert len(failed) == MOST_FAILURES + 1
    assert "3 more folds failed (3 raised)" in failed[-1].sentence
    assert "and 5 more" in r.findings[0].sentence


def test_what_the_fits_showed():
    notes = {
        0: {"attempts": 2},
        1: {"no_scores": "no predict_proba", "column_vector": True},
        2: {"warned": 7, "warnings": {"UserWarning: a": 5, "UserWarning: b": 2}},
        3: {"warned": 3, "warnings": {"UserWarning: b": 3}},
        4: {"output": "hello"},
    }
    found = {finding.code: finding for finding in replace(run(), notes=notes).findings}
    assert list(found) == ["fold_retried", "labels_only", "column_vector", "many_warnings"]
    assert "fold 1 failed at first" in found["fold_retried"].sentence
    assert "10 warnings in 2 of 6 folds; the commonest, 5 times: UserWarning: a" in found["many_warnings"].sentence
    assert run().findings == ()


def test_the_bootstrap_is_judged_by_632plus():
    b = bootstrap(NaiveBayes(), X, Y, samples=10, random_state=0)
    assert verdict_of_bootstrap(b).status == "better"
    assert str(verdict_of_bootstrap(b).how[0]).startswith(f"Accuracy (.632+) {b.estimate('point632plus', 'accuracy')}")
    broken = Bootstrapped(without(b.resampled, 3))
    assert str(verdict_of_bootstrap(broken)).startswith("1 of 11 folds is missing")
    weighted = bootstrap(NaiveBayes(), X, Y, samples=4, random_state=0, sample_weight=np.ones(60) + (Y == "yes"))
    assert verdict_of_bootstrap(weighted).status == "cannot_tell"
