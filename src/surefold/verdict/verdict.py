"""The verdict: one sentence that a decision can rest on, with the numbers in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from surefold.assessment import Assessment
from surefold.errors import show
from surefold.estimates.proportion import proportion_test

__all__ = ["Verdict", "against_base_rate", "p_text"]

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
        return {"status": self.status, "sentence": self.sentence, "evidence": dict(self.evidence)}


def against_base_rate(a: Assessment) -> Verdict:
    """Accuracy against the share of the commonest class, by an exact one-sided test; chance agreement beside it.

    The exact test takes the effective number of rows where rows are weighted or grouped.
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
    n, right = accuracy.n, accuracy.value * accuracy.n
    greater, less = (
        proportion_test(right, n, share, alternative=side, confidence=a.confidence).p_value
        for side in ("greater", "less")
    )
    evidence |= {"p_better": greater, "p_worse": less}
    miss = (1 - a.confidence) / 2
    claim = f"Accuracy {accuracy}"
    rival = f"always answering {label} ({share:.3f})"
    chance = f"Answers at random with the same margins would agree on {by_chance:.3f}; kappa {kappa}."
    if greater <= miss:
        return Verdict("better", f"{claim} beats {rival}: exact p {p_text(greater)}. {chance}", evidence)
    if less <= miss:
        return Verdict("worse", f"{claim} is worse than {rival}: exact p {p_text(less)}. {chance}", evidence)
    gap = "no better than" if accuracy.value <= share else "not shown to beat"
    sentence = f"Cannot tell: accuracy {accuracy} is {gap} {rival}, exact p {p_text(greater)}. {chance}"
    return Verdict("cannot_tell", sentence, evidence)


def p_text(p: float) -> str:
    """A p-value as part of a sentence.

    >>> p_text(0.0312), p_text(1e-9)
    ('= 0.031', '< 0.0001')
    """
    return "< 0.0001" if p < 0.0001 else f"= {p:.3f}" if p >= 0.001 else f"= {p:.4f}"
