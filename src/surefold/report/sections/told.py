"""What the top of the page says of a result: a sentence, figures, facts, and what to know."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from surefold.estimates.estimate import Estimate
from surefold.findings import Finding
from surefold.report.safe import plain
from surefold.report.sections.tables import estimate_cells, measure_title

__all__ = ["STATUS", "Told"]

#: Headlines, the first three that there are.
FIRST = ("accuracy", "roc_auc", "roc_auc_hand_till", "brier", "log_loss_multiclass", "average_precision", "f1_macro",
         "f1", "mcc", "ks", "kappa", "brier_multiclass")  # fmt: skip
MOST_HEADLINES = 3
#: What stands before the sentence.
STATUS = {
    "better": "Better",
    "worse": "Worse",
    "cannot_tell": "Cannot tell",
    "differ": "They differ",
    "equal": "Practically equal",
    "passed": "Passed",
    "failed": "Failed",
}


@dataclass(frozen=True, eq=False)
class Told:
    """`figures` are by name of a measure, or by words; `more` are sentences after the first."""

    sentence: str
    status: str = ""
    more: tuple[str, ...] = ()
    figures: Mapping[str, Estimate] = field(default_factory=dict, repr=False)
    facts: tuple[tuple[str, str], ...] = ()
    findings: tuple[Finding, ...] = field(default=(), repr=False)
    confidence: float = 0.95

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
            "verdict": plain(self.sentence),
            "more": [plain(sentence) for sentence in self.more],
            "headlines": [
                {"name": measure_title(name), "value": cells[0], "bounds": cells[1], "method": cells[2], **_numbers(e)}
                for name, e, cells in shown
            ],
            "facts": self.facts,
            "findings": [(f.severity, plain(f.sentence), f.code) for f in self.findings],
        }


def _numbers(e: Estimate) -> dict[str, Any]:
    return {"estimate": [_plain(v) for v in (e.value, e.low, e.high)], "n": _plain(e.n)}


def _plain(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
