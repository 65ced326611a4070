"""What a gate found: passed, failed or cannot tell, held against which limit, and in words."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from surefold._version import heading
from surefold.comparison.result import Difference, about_rows
from surefold.estimates.estimate import Estimate
from surefold.findings import Finding
from surefold.numbers import decimals, number

if TYPE_CHECKING:
    from os import PathLike
    from pathlib import Path

__all__ = ["Gate", "GateKind", "GateStatus"]

GateStatus = Literal["passed", "failed", "cannot_tell"]
GateKind = Literal["noninferiority", "superiority", "at_least", "at_most"]
EXIT_CODES = {"passed": 0, "failed": 1, "cannot_tell": 3}


@dataclass(frozen=True)
class Gate:
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
    def sentence(self) -> str:
        """What the gate says, in a sentence."""
        opening = {"passed": "Passed:", "failed": "Failed:", "cannot_tell": "Cannot tell whether"}[self.status]
        if not self.effect.defined:
            return f"{opening} {self._claim()}: {self.effect.reason}."
        verb = "is" if self.difference is None else "differs by"
        how = " by score" if self.effect.method == "one_row_score" else ""
        found = f"{self.measure} {verb} {self.effect}{how}, {self._held()}"
        return f"{opening} {self._claim()}: {found}.{self._no_margin()}{self._warned()}{self._needed()}"

    def __str__(self) -> str:
        return self.sentence

    def _claim(self) -> str:
        c, b, by = self.candidate, self.baseline, f" by more than {self.margin:g}" if self.margin else ""
        surely = {"passed": " surely", "failed": " surely", "cannot_tell": ""}[self.status]
        if b is None:
            short = "not " if self.status == "failed" else ""
            return f"{self.measure} of {c} is{surely} {short}{self.kind.replace('_', ' ')} {self.limit:g}"
        if self.kind == "noninferiority" and self.margin:
            return f"{c} is{surely} {'not worse' if self.passed else 'worse'} than {b}{by}"
        if self.status == "failed":
            return f"{c} is surely {'not better' if self.margin else 'worse'} than {b}{by}"
        return f"{c} is{surely} better than {b}{by}"

    def _held(self) -> str:
        level, (low, high) = f"{self.confidence * 100:g}%", self.bounds
        least = max(2, decimals(*self.effect.interval))
        d = next((d for d in range(least, 9) if all(f"{x:.{d}f}" != f"{self.limit:.{d}f}" for x in self.bounds)), 9)
        spec = f".{d}f"
        limit = number(self.limit, spec)
        if self._told == "cannot_tell":
            return f"and {limit} lies between its one-sided {level} bounds {number(low, spec)} and {number(high, spec)}"
        side = "above" if (self._told == "passed") == (self.better == "higher") else "below"
        return f"and its one-sided {level} bound {number(self.bound, spec)} is {side} {limit}"

    def _warned(self) -> str:
        said = "".join(f" {finding.sentence}" for finding in self.warnings)
        return f" But, asked to be strict:{said}" if self.withheld and said else said

    def _no_margin(self) -> str:
        asked = self.kind == "noninferiority" and self.margin == 0
        return " With a margin of 0 not inferior means superior." if asked else ""

    def _needed(self) -> str:
        if self.rows_needed is None or self.more_rows is None:
            return ""
        what = "value" if self.difference is None else "difference"
        if math.isinf(self.rows_needed):
            return f" No number of rows is likely to tell: the {what} is the limit itself."
        return f" About {about_rows(self.more_rows)} more rows would tell, if the {what} stays what it is."

    def report(self, path: str | PathLike[str], *, title: str = "") -> Path:
        """Write the report, one HTML page that needs no network, and return its path."""
        from surefold.report.html import report_of

        return report_of(self, path, title=title)

    def _repr_html_(self) -> str:
        from surefold.report.notebook import result_html

        return result_html(self)

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
            "sentence": self.sentence,
        }
        return shown if self.effect.defined else shown | {"reason": self.effect.reason}
