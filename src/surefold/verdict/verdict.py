"""The verdict: one sentence that a decision can rest on, with the numbers in it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from surefold.assessment import Assessment
from surefold.errors import show
from surefold.estimates.estimate import Estimate
from surefold.estimates.proportion import proportion_test
from surefold.estimates.quantiles import t_two_sided
from surefold.numbers import p_said
from surefold.significance.paired_cases import mcnemar
from surefold.tallies.margins import Margins

__all__ = ["Verdict", "against_base_rate", "against_chance", "verdict_of"]

Status = Literal["better", "worse", "cannot_tell"]


@dataclass(frozen=True)
class Verdict:
    """What follows from the numbers: a status, a sentence, and the evidence as plain values."""

    status: Status
    sentence: str
    evidence: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.sentence

    def to_dict(self) -> dict[str, Any]:
        """Plain values ready for JSON."""
        return {"status": self.status, "sentence": self.sentence, "evidence": dict(self.evidence)}


def verdict_of(a: Assessment) -> Verdict:
    """Labels against the base rate; scores alone against chance."""
    return against_chance(a) if a.estimates is None else against_base_rate(a)


def against_chance(a: Assessment) -> Verdict:
    """Does a higher score mean a likelier positive? The area under the ROC curve against one half."""
    name = "roc_auc" if a.positive is not None else "roc_auc_hand_till"
    area = a[name]
    evidence = {name: area.to_dict()}
    if not area.defined:
        return Verdict("cannot_tell", f"Cannot tell: {area.reason}.", evidence)
    if area.low > 0.5:
        return Verdict("better", f"The area under the ROC curve, {area}, is above chance (0.5).", evidence)
    if area.high < 0.5:
        sentence = f"The area under the ROC curve, {area}, is below chance (0.5): check the positive class."
        return Verdict("worse", sentence, evidence)
    return Verdict("cannot_tell", f"Cannot tell: the area under the ROC curve, {area}, may be chance (0.5).", evidence)


def against_base_rate(a: Assessment) -> Verdict:
    """Accuracy against always answering the commonest class, on the same rows; chance agreement beside it.

    The constant answer is right on the rows of its class, so the question is a paired one: of the rows that only one of
    the two gets right, how many are the classifier's? Plain rows get the exact McNemar test, weighted or grouped rows
    Student's t of the difference with its one-row variance. p is two-sided.
    """
    margins = a.confusion.margins()
    commonest = int(np.argmax(margins.actual))
    total = float(margins.total)
    share = float(margins.actual[commonest]) / total
    accuracy, kappa = a["accuracy"], a["kappa"]
    label = show(a.labels[commonest])
    by_chance = float((margins.actual * margins.called).sum()) / total**2
    evidence: dict[str, Any] = {
        "accuracy": accuracy.to_dict(),
        "majority_label": a.labels[commonest],
        "majority_share": share,
        "chance_agreement": by_chance,
        "kappa": kappa.to_dict(),
    }
    if (margins.actual > 0).sum() < 2:
        sentence = f"Cannot tell: every true row is {label}, so always answering {label} would be right each time."
        return Verdict("cannot_tell", sentence, evidence)
    if not (margins.called * margins.actual).any():
        sentence = "Cannot tell: the truth and the predictions share no label. Are they written differently?"
        return Verdict("cannot_tell", sentence, evidence)
    p_value, test = _paired_p(a, commonest)
    evidence |= {"p_value": p_value, "test": test, "share_test_p": _share_p(accuracy, share)}
    claim, rival = f"ccuracy {accuracy}", f"always answering {label} ({share:.3f})"
    chance = f"Answers at random with the same margins would agree on {by_chance:.3f}; kappa {kappa}."
    says = f"{test} {p_said(p_value)}. {chance}"
    if p_value <= 1 - a.confidence and accuracy.value != share:
        if accuracy.value > share:
            return Verdict("better", f"A{claim} beats {rival}: {says}", evidence)
        return Verdict("worse", f"A{claim} is worse than {rival}: {says}", evidence)
    gap = "no better than" if accuracy.value <= share else "not shown to beat"
    return Verdict("cannot_tell", f"Cannot tell: a{claim} is {gap} {rival}, {says}", evidence)


def _paired_p(a: Assessment, commonest: int) -> tuple[float, str]:
    """The two-sided p of no difference between the classifier and the constant answer, and the test it is from."""
    if a.estimates is None:
        raise AssertionError("the base rate is for labels")
    sample = a.estimates.sample
    only_ours, only_constant, total = _discordant(sample.margins(), commonest)
    if not a.confusion.is_weighted and sample.clusters is None:
        return mcnemar(only_ours, only_constant, method="exact").p_value, "exact McNemar"
    ours2, constant2, total2 = _discordant(sample.squared_margins, commonest)
    centre = (only_ours - only_constant) / (total + 1)
    # One added row, half won by each side, keeps the variance from vanishing.
    won, lost, tied = ours2 + 0.5, constant2 + 0.5, total2 - ours2 - constant2
    variance = (won * (1 - centre) ** 2 + lost * (1 + centre) ** 2 + tied * centre**2) / (total + 1) ** 2
    degrees, effect = math.inf, 1.0
    if sample.clusters is not None:
        clusters = sample.clusters
        score = (clusters.true == clusters.predicted).astype(float) - (clusters.true == commonest)
        plain = (ours2 * (1 - centre) ** 2 + constant2 * (1 + centre) ** 2 + tied * centre**2) / total**2
        effect = max(1.0, clusters.variance((score - centre) / total) / plain) if plain > 0 else 1.0
        degrees = clusters.effective_groups - 1
        if degrees < 0.05:
            return 1.0, "one group, so"
    return t_two_sided(centre / math.sqrt(variance * effect), degrees), "paired t"


def _share_p(accuracy: Estimate, share: float) -> float:
    """The exact one-sided test of accuracy against the share as if that were known: what caret prints."""
    return proportion_test(accuracy.value * accuracy.n, accuracy.n, share, alternative="greater").p_value


def _discordant(margins: Margins, commonest: int) -> tuple[float, float, float]:
    """Weight of the rows that only the classifier gets right, that only the constant answer does, and of all."""
    right = float(margins.tp[commonest])
    return float(margins.correct) - right, float(margins.actual[commonest]) - right, float(margins.total)
