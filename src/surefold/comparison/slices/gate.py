"""Is every slice surely at least so good? The answer for pipelines: passed, failed, or cannot tell."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from surefold._version import heading
from surefold.comparison.gate_limits import absolute_limit, gate_status, rows_needed
from surefold.comparison.gate_result import EXIT_CODES, Gate, GateKind, GateStatus
from surefold.comparison.slices.result import Slices
from surefold.errors import InputError
from surefold.estimates.estimate import Estimate, SameFigures
from surefold.estimates.quantiles import checked_confidence, normal_quantile
from surefold.findings import Finding
from surefold.measures.catalogue import catalogue
from surefold.shown import Shown

if TYPE_CHECKING:
    from surefold.verdict.verdict import Verdict

__all__ = ["SliceBound", "SliceGate", "joined_gate", "slice_gate"]


@dataclass(frozen=True, eq=False)
class SliceBound(SameFigures):
    """One slice against the limit: its value, the one-sided bounds that decide, and about how many rows would tell.

    bounds: the one on the bad side at the confidence, for passing; that on the good side shares the error among all.
    """

    name: str
    rows: int
    estimate: Estimate
    bounds: tuple[float, float]
    status: GateStatus
    rows_needed: float | None = None

    @property
    def more_rows(self) -> float | None:
        """How many more rows of the slice than there are would tell."""
        return None if self.rows_needed is None else max(self.rows_needed - self.rows, 0.0)

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        needed = None if self.rows_needed is None or math.isinf(self.rows_needed) else self.rows_needed
        return {
            "name": self.name,
            "rows": self.rows,
            "status": self.status,
            "estimate": self.estimate.to_dict(),
            "bounds": [x if math.isfinite(x) else None for x in self.bounds],
            "rows_needed": needed,
        }


@dataclass(frozen=True, eq=False)
class SliceGate(Shown):
    """What a gate of slices found. True where it passed.

    It passes where every slice's own one-sided bound is at the limit or better: no slice need be allowed for, as all
    have to pass. It fails where a bound that shares the error among the slices is on the bad side. Slices that are
    undefined or too small are left out, and named. `overall` is the gate of all rows, where one was asked for too.
    """

    status: GateStatus
    kind: GateKind
    measure: str
    better: str
    limit: float
    confidence: float
    each: tuple[SliceBound, ...]
    slices: Slices
    overall: Gate | None = None

    @property
    def passed(self) -> bool:
        """Whether every slice is surely good enough, and all rows are, where that was asked."""
        return self.status == "passed"

    def __bool__(self) -> bool:
        return self.passed

    @property
    def exit_code(self) -> int:
        """0 passed, 1 failed, 3 cannot tell."""
        return EXIT_CODES[self.status]

    def __getitem__(self, key: object) -> SliceBound:
        """One slice, named as in `Slices`."""
        name = self.slices[key].name
        found = [one for one in self.each if one.name == name]
        if not found:
            raise InputError("bad_option", f"{name} is left out of the gate", cure="read .slices for its value")
        return found[0]

    @property
    def failing(self) -> tuple[SliceBound, ...]:
        """Slices that are surely not good enough, the worst first."""
        return self._with("failed")

    @property
    def open(self) -> tuple[SliceBound, ...]:
        """Slices that hold it up: they cannot be told."""
        return self._with("cannot_tell")

    def _with(self, status: GateStatus) -> tuple[SliceBound, ...]:
        sign = -1.0 if self.better == "lower" else 1.0
        return tuple(sorted((s for s in self.each if s.status == status), key=lambda s: sign * s.estimate.value))

    @property
    def left_out(self) -> tuple[str, ...]:
        """Slices without a value, or with too few rows."""
        kept = {one.name for one in self.each}
        return tuple(s.name for s in self.slices.slices if s.name not in kept)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What was noticed about the rows and the slices."""
        return self.slices.findings

    @property
    def verdict(self) -> Verdict:
        """What was asked and what was found, in three lines."""
        from surefold.verdict.sliced import verdict_of_slice_gate

        return verdict_of_slice_gate(self)

    @property
    def sentence(self) -> str:
        """The verdict in one line, with its status first."""
        opening = {"passed": "Passed: ", "failed": "Failed: ", "cannot_tell": ""}[self.status]
        verdict = self.verdict
        more = [] if verdict.act is None else [str(verdict.act)]
        return " ".join([f"{opening}{verdict.answer}", *more])

    def to_dict(self) -> dict[str, Any]:
        """Plain values ready for JSON."""
        return {
            **heading("slice_gate"),
            "status": self.status,
            "passed": self.passed,
            "exit_code": self.exit_code,
            "question": self.kind,
            "measure": self.measure,
            "better": self.better,
            "limit": self.limit,
            "confidence": self.confidence,
            "slices": [one.to_dict() for one in self.each],
            "left_out": list(self.left_out),
            "overall": None if self.overall is None else self.overall.to_dict(),
            "findings": [finding.to_dict() for finding in self.findings],
            "verdict": self.verdict.to_dict(),
            "sentence": self.sentence,
        }


def joined_gate(of_slices: SliceGate, overall: Gate) -> SliceGate:
    """The same with the gate of all rows, which has to pass too."""
    return replace(of_slices, overall=overall, status=_together([of_slices.status, overall.status]))


def _together(statuses: Sequence[GateStatus]) -> GateStatus:
    """Failed where one failed, passed where all did."""
    if "failed" in statuses:
        return "failed"
    return "cannot_tell" if "cannot_tell" in statuses or not statuses else "passed"


def slice_gate(
    s: Slices,
    *,
    at_least: float | None = None,
    at_most: float | None = None,
    confidence: float | None = None,
    options: Mapping[str, Any] | None = None,
) -> SliceGate:
    """Every slice that counts against the limit."""
    confidence = s.confidence if confidence is None else checked_confidence(confidence)
    if confidence <= 0.5:
        cure = "give more than a half, such as confidence=0.95"
        raise InputError("bad_option", f"confidence={confidence!r} would pass by a coin", cure=cure)
    chosen = catalogue.with_options(s.measure, options or {})
    if s.better == "neither":
        cure = "choose a measure of which more or less is better"
        raise InputError("bad_option", f"of {s.measure} neither more nor less is better", cure=cure)
    limit = absolute_limit(chosen, None, 0, None, at_least, at_most)
    if s.sides is None or s.sides.estimates is None:
        raise InputError("bad_option", "the rows of these slices are not here any more", cure="slice them again")
    counted = {one.name for one in s.counted} | {one.name for one in s.slices if one.status == "no_rest"}
    count = max(len(counted), 1)
    own, shared = (s.sides.estimates(level) for level in (2 * confidence - 1, 1 - 2 * (1 - confidence) / count))
    found = []
    for one, plain, wide in zip(s.slices, own, shared, strict=True):
        if one.name in counted:
            found.append(_bound(one.name, one.rows, one.estimate, (plain, wide), (limit, s.better)))
    status = _together([one.status for one in found])
    kind: GateKind = "at_least" if s.better == "higher" else "at_most"
    return SliceGate(status, kind, s.measure, s.better, limit, confidence, tuple(found), s)


def _bound(
    name: str, rows: int, e: Estimate, both: tuple[Estimate, Estimate], against: tuple[float, str]
) -> SliceBound:
    """A slice passes by its own bound, and fails by the one that shares the error."""
    (plain, wide), (limit, better) = both, against
    bounds = (plain.low, wide.high) if better == "higher" else (wide.low, plain.high)
    status = gate_status(e.value, bounds, limit, better, strict=False)
    needed = None
    if status == "cannot_tell":
        reach = normal_quantile((1 + plain.confidence) / 2)
        spread = (e.value - plain.low if e.value > limit else plain.high - e.value) / reach
        needed = rows_needed(e.value, limit, (spread, spread), rows, reach)
    return SliceBound(name, rows, e, bounds, status, None if needed is None or np.isnan(needed) else needed)
