"""What the top of the page says of a result: a sentence, figures, facts, and what to know."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from surefold.estimates.estimate import Estimate
from surefold.findings import Finding
from surefold.phrases import measure_title
from surefold.report.sections.tables import estimate_cells
from surefold.show.names import plain
from surefold.verdict.verdict import Verdict

__all__ = ["Told", "with_titles"]

#: Headlines, the first three that there are.
FIRST = ("accuracy", "roc_auc", "roc_auc_hand_till", "brier", "log_loss_multiclass", "average_precision", "f1_macro",
         "f1", "mcc", "ks", "kappa", "brier_multiclass")  # fmt: skip
MOST_HEADLINES = 3


@dataclass(frozen=True, eq=False)
class Told:
    """`figures` are by name of a measure, or by words; `more` are sentences after the first."""

    sentence: str
    status: str = ""
    badge: str = ""
    more: tuple[str, ...] = ()
    figures: Mapping[str, Estimate] = field(default_factory=dict, repr=False)
    facts: tuple[tuple[str, str], ...] = ()
    findings: tuple[Finding, ...] = field(default=(), repr=False)
    confidence: float = 0.95

    @classmethod
    def of(
        cls,
        verdict: Verdict,
        figures: Mapping[str, Estimate],
        facts: Sequence[tuple[str, str]],
        findings: Sequence[Finding],
        confidence: float,
        more: Sequence[str] = (),
    ) -> Told:
        """What a verdict says: the answer, then what to do and what to doubt, then how we know."""
        badge = verdict.mark
        tone = {"good": "better", "bad": "worse", "open": "cannot_tell"}[badge.tone]
        status = (
            verdict.status if verdict.status in ("passed", "failed") else f"{tone}{' falls' if badge.falls else ''}"
        )
        card = [f"{name}: {text}" for name, text in verdict.lines[1:]]
        said = (*card, *more, *(str(sentence) for sentence in verdict.how))
        return cls(str(verdict), status, str(badge), said, figures, tuple(facts), tuple(findings), confidence)

    @property
    def headlines(self) -> tuple[tuple[str, Estimate], ...]:
        there = [name for name in FIRST if name in self.figures]
        there += [name for name in self.figures if name not in there]
        return tuple((name, self.figures[name]) for name in there[:MOST_HEADLINES])

    @property
    def codes(self) -> list[str]:
        """Codes of findings and flags."""
        return [*(flag for e in self.figures.values() for flag in e.flags), *(f.code for f in self.findings)]

    @cached_property
    def said(self) -> dict[str, Any]:
        """Texts ready to be shown, and the figures behind them."""
        shown = [(name, e, estimate_cells(e)) for name, e in self.headlines]
        return {
            "status": self.status,
            "badge": plain(self.badge),
            "verdict": plain(self.sentence),
            "sentence": plain(self.sentence),
            "more": [plain(sentence) for sentence in self.more],
            "headlines": [
                {"name": measure_title(name), "value": cells[0], "bounds": cells[1], "method": cells[2], **_numbers(e)}
                for name, e, cells in shown
            ],
            "facts": self.facts,
            "findings": [(f.severity, plain(f.sentence), f.code) for f in self.findings],
        }


def with_titles(sentence: str, measure: str) -> str:
    """The sentence with the measure's name as people write it.

    >>> with_titles("A beats B: roc_auc differs by 0.1.", "roc_auc"), with_titles("accuracy 0.9", "accuracy")
    ('A beats B: ROC AUC differs by 0.1.', 'accuracy 0.9')
    """
    title = measure_title(measure)
    return re.sub(rf"\b{re.escape(measure)}\b", title, sentence) if title.lower() != measure else sentence


def _numbers(e: Estimate) -> dict[str, Any]:
    return {"estimate": [_plain(v) for v in (e.value, e.low, e.high)], "n": _plain(e.n)}


def _plain(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
