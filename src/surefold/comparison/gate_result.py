"""What a gate found: passed, failed or cannot tell, held against which limit, and in words."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from surefold._version import heading
from surefold.comparison.result import Difference
from surefold.estimates.estimate import Estimate
from surefold.findings import Finding
from surefold.shown import Shown

if TYPE_CHECKING:
    from surefold.verdict.verdict import Verdict

__all__ = ["Gate", "GateKind", "GateStatus"]

GateStatus = Literal["passed", "failed", "cannot_tell"]
GateKind = Literal["noninferiority", "superiority", "at_least", "at_most"]
EXIT_CODES = {"passed": 0, "failed": 1, "cannot_tell": 3}


@dataclass(frozen=True)
class Gate(Shown):
    """What a gate found. True where it passed.

    kind:        "noninferiority" or "superiority" against a baseline, "at_least" or "at_most" of the candidate alone.
    difference:  candidate minus baseline; None of the candidate alone. Its interval goes with the bounds: of labels
                 it is that of the score with an added row, which holds where models hardly differ too. `compare` goes
                 by score where models differ in fewer than 30 rows, and else may differ from it a little.
    bounds:      one-sided bounds from below and from above, each at `confidence`.
    limit:       what the bounds are held against, on the scale of the difference or of the value.
    rows_needed: about how many rows in all would tell, if the value stays what it is; None where it is told, infinite
                 where no number of rows would.
    warnings:    that few rows decide, or would cost the margin; said beside the verdict.
    withheld:    what it would have said but for a warning, where it was asked to be strict.
    """

    status: GateStatus
    kind: GateKind
    measure: str
    better: str
    candidate: str
    baseline: str | None
    values: dict[str, Estimate]
    difference: Difference | None
    bounds: tuple[float, float]
    limit: float
    margin: float | None
    confidence: float
    rows: float
    rows_needed: float | None = None
    findings: tuple[Finding, ...] = ()
    warnings: tuple[Finding, ...] = ()
    withheld: GateStatus | None = None

    @property
    def passed(self) -> bool:
        """Whether the question was answered with yes."""
        return self.status == "passed"

    def __bool__(self) -> bool:
        return self.passed

    @property
    def exit_code(self) -> int:
        """0 passed, 1 failed, 3 cannot tell."""
        return EXIT_CODES[self.status]

    @property
    def effect(self) -> Estimate:
        """What is held against the limit: the difference, or the candidate's value."""
        return self.values[self.candidate] if self.difference is None else self.difference.effect

    @property
    def bound(self) -> float:
        """The one-sided bound that decided.

        Where the gate passed it is the one on the good side of the limit, where it failed the one on the bad side. A
        gate that cannot tell shows the one that would have to be on the good side.
        """
        low, high = self.bounds
        return low if (self._told != "failed") == (self.better == "higher") else high

    @property
    def _told(self) -> GateStatus:
        """What the bounds alone say."""
        return self.withheld or self.status

    @property
    def more_rows(self) -> float | None:
        """How many more rows than there are would tell."""
        return None if self.rows_needed is None else max(self.rows_needed - self.rows, 0.0)

    @property
    def verdict(self) -> Verdict:
        """What was asked and what was found, in three lines."""
        from surefold.verdict.compared import verdict_of_gate

        return verdict_of_gate(self)

    @property
    def sentence(self) -> str:
        """The verdict in one line, with its status first."""
        verdict = self.verdict
        opening = {"passed": "Passed: ", "failed": "Failed: ", "cannot_tell": ""}[self.status]
        more = [str(verdict.act)] if self.rows_needed is not None and verdict.act is not None else []
        more += [] if self.withheld else [finding.sentence for finding in self.warnings]
        if verdict.doubt is not None and verdict.doubt.key == "doubt margin zero":
            more.append(str(verdict.doubt))
        return " ".join([f"{opening}{verdict.answer}", *more])

    def __str__(self) -> str:
        return self.sentence

    def to_dict(self) -> dict[str, Any]:
        """Plain values ready for JSON."""
        needed = None if self.rows_needed is None or math.isinf(self.rows_needed) else self.rows_needed
        low, high = (x if math.isfinite(x) else None for x in self.bounds)
        shown: dict[str, Any] = {
            **heading("gate"),
            "status": self.status,
            "passed": self.passed,
            "exit_code": self.exit_code,
            "question": self.kind,
            "measure": self.measure,
            "better": self.better,
            "candidate": self.candidate,
            "baseline": self.baseline,
            "values": {name: estimate.to_dict() for name, estimate in self.values.items()},
            "difference": None if self.difference is None else self.difference.to_dict(),
            "bound": self.bound if math.isfinite(self.bound) else None,
            "bounds": [low, high],
            "limit": self.limit,
            "margin": self.margin,
            "confidence": self.confidence,
            "rows": self.rows,
            "rows_needed": needed,
            "findings": [finding.to_dict() for finding in self.findings],
            "warnings": [finding.to_dict() for finding in self.warnings],
            "withheld": self.withheld,
            "verdict": self.verdict.to_dict(),
            "sentence": self.sentence,
        }
        return shown if self.effect.defined else shown | {"reason": self.effect.reason}
