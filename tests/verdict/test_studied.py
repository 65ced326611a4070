"""Cards of studies: the words follow the figures, whichever way better is."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import surefold as sf
from surefold.learners import NaiveBayes
from surefold.studies import BiasVariance, bias_variance, learning_curve, noise_curve
from surefold.studies.pruning.curves import pruning_curves
from surefold.studies.study_curve import StudyCurve

RNG = np.random.default_rng(8)
X = RNG.normal(size=(200, 3))
Y = (X[:, 0] + 0.3 * RNG.normal(size=200) > 0).astype(int)
FOLDS: dict[str, Any] = {"folds": 5, "random_state": 0}


def moved(curve: StudyCurve, by: float) -> StudyCurve:
    """The same curve with its last point's values moved by so much in every split."""
    (name, points), *_ = curve.models.items()
    jitter = np.tile([-0.001, 0.001], len(points[0].values))[: len(points[0].values)]
    last = replace(points[-1], values=points[-2].values + by + jitter)
    return replace(curve, models={name: (*points[:-1], last)})


@pytest.fixture(scope="module")
def rows() -> StudyCurve:
    return learning_curve(NaiveBayes(), X, Y, sizes=[0.3, 1.0], **FOLDS)


@pytest.mark.parametrize(("by", "key", "tone"), [(-0.2, "gain", "good"), (0.2, "loss", "bad"), (0.0, "open", "open")])
def test_the_last_step_says_whether_rows_pay(rows: StudyCurve, by: float, key: str, tone: str) -> None:
    """Of an error rate less is better; in every split it moves by .2, give or take .001."""
    verdict = moved(rows, by).verdict
    assert verdict.answer.key == f"rows {key}"
    assert verdict.act is not None
    assert verdict.act.key == f"act rows {key}"
    assert verdict.mark.tone == tone
    low, high = verdict.evidence["change"]["low"], verdict.evidence["change"]["high"]
    assert (low <= 0 <= high) == (key == "open")
    if key != "open":
        assert ("better by 0.200" in verdict.sentence) == (key == "gain")


def test_wrong_labels_are_held_against_none() -> None:
    curve = noise_curve(NaiveBayes(), X, Y, shares=[0, 0.45], **FOLDS)
    assert moved(curve, 0.2).verdict.answer.key == "noise loss"
    assert "45% of the training labels wrong" in curve.verdict.sentence
    assert "0% wrong" in curve.verdict.sentence


def test_a_curve_of_one_point_says_where_it_stands() -> None:
    verdict = learning_curve(NaiveBayes(), X, Y, sizes=[1.0], **FOLDS).verdict
    assert verdict.sentence.startswith("With 160 training rows the error rate of NaiveBayes is ")


@pytest.mark.parametrize(
    ("bias", "variance", "key"),
    [((0.3, 0.25, 0.35), (0.1, 0.05, 0.15), "act bias"), ((0.1, 0.05, 0.15), (0.3, 0.25, 0.35), "act variance"),
     ((0.2, 0.1, 0.3), (0.25, 0.15, 0.35), "act parts")],
)  # fmt: skip
def test_the_larger_part_is_named_where_the_intervals_lie_apart(bias: Any, variance: Any, key: str) -> None:
    found: BiasVariance = bias_variance(NaiveBayes(), X, Y, samples=5, test="out_of_bag", random_state=0)
    parts = {"bias": sf.Estimate(*bias), "variance": sf.Estimate(*variance)}
    point = replace(found.points[0], estimates={**found.points[0].estimates, **parts})
    verdict = replace(found, points=(point,)).verdict
    assert verdict.act is not None
    assert verdict.act.key == key


def test_the_smallest_tree_within_a_standard_error_of_the_best_is_named() -> None:
    found = pruning_curves(X, Y, parameters={"leaf_size": [1, 8, 32]}, **FOLDS)
    verdict = found.verdict
    assert found.best.name in verdict.sentence
    small = str(verdict.act).removeprefix("Use ").split(":")[0].rstrip(".")
    chosen = next(p for p in found.points if p.name == small)
    assert chosen.leaves <= found.best.leaves
    assert chosen.held_out.value <= found.best.held_out.value + found.best.held_out.se


def test_plans_say_what_to_collect() -> None:
    plan = sf.sample_size("mcnemar", difference=0.02, disagreement=0.1)
    assert str(plan.verdict.act) == f"Collect {plan.n:,} rows before looking at the result."
    few = sf.power("mcnemar", n=300, difference=0.02, disagreement=0.1)
    assert few.value < 0.8
    assert few.verdict.mark.words.key == "badge too few"
    many = sf.power("mcnemar", n=4000, difference=0.02, disagreement=0.1)
    assert many.verdict.mark.tone == "good"
    wide = sf.expected_width("proportion", n=100, value=0.8)
    assert wide.verdict.sentence == str(wide)
    assert math.isfinite(wide.value)
    least = sf.smallest_difference("mcnemar", n=1000, disagreement=0.1)
    assert "smaller difference" in str(least.verdict.act)
