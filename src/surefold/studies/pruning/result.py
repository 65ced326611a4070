"""What pruning curves are made of, and how they are told."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from surefold._version import heading
from surefold.comparison.result import Difference
from surefold.errors import RunError, UnknownNameError
from surefold.estimates.estimate import Estimate
from surefold.findings import Finding
from surefold.resampling.frames import Flavour, estimate_columns, frame_of
from surefold.resampling.plan import Plan
from surefold.shown import Shown
from surefold.studies.study_curve import Design

if TYPE_CHECKING:
    from surefold.verdict.verdict import Verdict

__all__ = ["PruningCurves", "PruningPoint"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class PruningPoint:
    """A tree at one value of a parameter: its error on held-out rows and on those it was grown from, and its size.

    `values` has the held-out error of every split, in the same order at every point, so that points can be subtracted.
    """

    parameter: str
    value: Any
    held_out: Estimate
    training: Estimate
    size: Mapping[str, Estimate]
    values: Floats = field(repr=False)

    @property
    def name(self) -> str:
        """The parameter and its value."""
        return f"{self.parameter} = {self.value}"

    @property
    def leaves(self) -> float:
        """How many leaves the trees have on average; NaN where that is not known."""
        return self.size["leaves"].value if "leaves" in self.size else math.nan


@dataclass(frozen=True, eq=False)
class PruningCurves(Shown):
    """What `pruning_curves` found: points by parameter, and ways of pruning side by side with their differences."""

    model: str
    curves: Mapping[str, tuple[PruningPoint, ...]]
    ways: Mapping[str, PruningPoint]
    differences: tuple[Difference, ...]
    design: Design = field(repr=False)
    plan: Plan = field(repr=False)
    findings: tuple[Finding, ...] = ()

    def __getitem__(self, parameter: str) -> tuple[PruningPoint, ...]:
        """The points of a parameter; of "prune" the ways of pruning."""
        known = {**self.curves, **({"prune": tuple(self.ways.values())} if self.ways else {})}
        if parameter not in known:
            raise UnknownNameError("parameter that was varied", parameter, known)
        return known[parameter]

    @property
    def confidence(self) -> float:
        """The confidence of every interval."""
        return self.design.confidence

    @property
    def points(self) -> tuple[PruningPoint, ...]:
        """All of them, the curves first."""
        return (*(p for points in self.curves.values() for p in points), *self.ways.values())

    @property
    def best(self) -> PruningPoint:
        """The point with the least held-out error, of equal ones the smallest tree. It was chosen among many."""
        return _least(self.points)

    def best_of(self, parameter: str) -> PruningPoint:
        """The same among the values of one parameter."""
        return _least(self[parameter])

    def at(self, parameter: str, value: object) -> PruningPoint:
        """The point at a value that was run."""
        for point in self[parameter]:
            if point.value is value or point.value == value:
                return point
        raise UnknownNameError(f"value of {parameter}", value, [point.value for point in self[parameter]])

    def change(self, parameter: str, value: object, since: Any) -> Estimate:
        """The held-out error at one value less that at another, split by split on the same rows: paired."""
        last, first = self.at(parameter, value), self.at(parameter, since)
        reason = last.held_out.reason or first.held_out.reason
        return self.design.interval(last.values - first.values, (-1.0, 1.0), reason)

    # telling

    @property
    def verdict(self) -> Verdict:
        """The least held-out error, and the smallest tree within a standard error of it."""
        from surefold.verdict.studied import verdict_of_pruning

        return verdict_of_pruning(self)

    def to_dict(self) -> dict[str, Any]:
        """Plain values ready for JSON."""
        plan = {**self.plan.options, "fingerprint": self.plan.fingerprint, "random_state": self.plan.random_state}
        best = self.best
        return {
            **heading("pruning_curves"),
            "model": self.model,
            "confidence": self.confidence,
            "curves": {name: [_plain_point(p) for p in points] for name, points in self.curves.items()},
            "ways": {name: _plain_point(p) for name, p in self.ways.items()},
            "differences": [difference.to_dict() for difference in self.differences],
            "best": {"parameter": best.parameter, "value": _plain(best.value)},
            "plan": plan,
            "findings": [finding.to_dict() for finding in self.findings],
            "verdict": self.verdict.to_dict(),
        }

    def to_frame(self, flavour: Flavour = "polars") -> Any:
        """One row a point and kind of rows, "held out" or "training"; values are text, as parameters differ in kind."""
        rows = [
            {
                "parameter": p.parameter,
                "value": str(p.value),
                "rows": rows,
                **estimate_columns(e, "error_rate"),
                "leaves": None if math.isnan(p.leaves) else p.leaves,
            }
            for p in self.points
            for rows, e in (("held out", p.held_out), ("training", p.training))
        ]
        return frame_of(rows, flavour)

    def plot(self, parameter: str | None = None, ax: Any = None, **options: Any) -> Any:
        """A panel a parameter and one for the ways of pruning; or one panel alone, by name ("prune" for the ways)."""
        from surefold.show.plots import plot_panels

        return plot_panels(self, parameter, ax, **options)

    __repr__ = Shown.__str__


def _least(points: Sequence[PruningPoint]) -> PruningPoint:
    there = [point for point in points if point.held_out.defined]
    if not there:
        raise RunError("incomplete", "no tree went through every fold", cure="see the findings for what failed")
    return min(there, key=lambda p: (p.held_out.value, math.inf if math.isnan(p.leaves) else p.leaves))


def _plain_point(p: PruningPoint) -> dict[str, Any]:
    return {
        "value": _plain(p.value),
        "held_out": p.held_out.to_dict(),
        "training": p.training.to_dict(),
        "size": {what: e.to_dict() for what, e in p.size.items()},
    }


def _plain(value: object) -> Any:
    value = value.item() if isinstance(value, np.generic) else value
    return value if value is None or isinstance(value, (bool, int, float, str)) else repr(value)
