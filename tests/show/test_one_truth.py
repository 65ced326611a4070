"""A badge never says another thing than the costs that were given, nor a card than the figures beside it."""

from __future__ import annotations

import numpy as np
import pytest

import surefold as sf
from surefold.show.of.catalogue import document_of
from surefold.show.write.markdown import markdown
from tests.show.results import RESULTS, made


@pytest.mark.parametrize("seed", range(60))
def test_a_badge_never_contradicts_the_costs(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(60, 600))
    truth = (rng.random(n) < rng.uniform(0.03, 0.6)).astype(int)
    truth[:2] = 0, 1
    score = 1 / (1 + np.exp(-(rng.normal(size=n) + rng.uniform(0, 3) * truth - rng.uniform(0, 3))))
    fp, fn = rng.uniform(0.2, 2), rng.uniform(0.2, 30)
    given = (score > rng.uniform(0.1, 0.9)).astype(int) if seed % 2 else None
    a = sf.assess(truth, given, y_score=score, pos_label=1, costs={"fp": fp, "fn": fn})
    verdict, evidence = a.verdict, a.verdict.evidence
    assert evidence["decider"] == "expected_cost"
    share = truth.mean()
    assert evidence["rival_cost"] == pytest.approx(min(share * fn, (1 - share) * fp))  # the cheaper constant answer
    gap = evidence["difference"]
    if verdict.mark.tone == "good":
        assert evidence["cost"]["value"] < evidence["rival_cost"]
        assert gap["high"] < 0
    if verdict.mark.tone == "bad":
        assert gap["low"] > 0
        assert evidence.get("least_cost_cross_fitted", np.inf) >= evidence["rival_cost"]
    if verdict.status == "cannot_tell":
        assert gap["low"] <= 0 <= gap["high"]


def test_rare_classes_are_never_judged_by_accuracy() -> None:
    rng = np.random.default_rng(1)
    truth = np.repeat([1, 0], [30, 1970])
    a = sf.assess(truth, np.zeros_like(truth), y_score=rng.random(2000), pos_label=1)
    assert a["accuracy"].value > 0.98
    assert a.verdict.evidence["decider"] == "average_precision"
    assert a.verdict.mark.tone == "open"


def test_one_measure_that_is_asked_for_decides() -> None:
    rng = np.random.default_rng(2)
    truth = rng.integers(0, 2, 200)
    a = sf.assess(truth, np.where(rng.random(200) < 0.8, truth, 1 - truth), pos_label=1, measures=["mcc"])
    assert a.verdict.evidence["decider"] == "mcc"
    assert a.verdict.status == "better"


@pytest.mark.parametrize("name", RESULTS)
def test_every_writer_writes_every_description(name: str) -> None:
    text = markdown(document_of(made(name)))
    assert "nan" not in text.split()
    assert text.endswith("\n")
    for line in text.splitlines():
        assert not line.startswith("|") or line.endswith("|")
