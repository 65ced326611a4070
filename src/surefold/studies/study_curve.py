"""A measure against something that was varied, such as training rows: what the studies with an x axis share."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from surefold._version import heading
from surefold.errors import InputError, UnknownNameError
from surefold.estimates.cross_validated import corrected_interval
from surefold.estimates.estimate import Estimate
from surefold.estimates.mean import mean_interval
from surefold.findings import Finding
from surefold.inputs.labels import Label
from surefold.measures import catalogue
from surefold.resampling.frames import Flavour, estimate_columns, frame_of
from surefold.resampling.plan import Plan
from surefold.resampling.resampled import Resampled
from surefold.resampling.study import Study
from surefold.shown import Shown

if TYPE_CHECKING:
    from surefold.verdict.verdict import Verdict

__all__ = ["CurvePoint", "Design", "StudyCurve", "curve_point", "findings_of"]

Floats = NDArray[np.float64]
PER_ROWS = 1000


@dataclass(frozen=True, eq=False)
class Design:
    """What intervals over splits have to know: the rows that training parts were drawn from, tested rows, and folds.

    The pool, and not the smaller set that was trained on, goes into the correction. In 250 simulated data sets of 150
    rows, intervals at 20, 60 and 135 training rows then held the true error .96, .99 and .99 of the time; by the
    smaller sets themselves it was nearly always, with intervals that are wider for nothing.
    """

    measure: str
    folds: int
    pool: Floats
    tested: Floats
    confidence: float

    def interval(self, values: Floats, limits: tuple[float, float], reason: str = "") -> Estimate:
        """The corrected interval of a mean over the splits; undefined where a split has no value."""
        missing = np.isnan(values)
        if missing.any():
            nan, n = math.nan, int((~missing).sum())
            why = reason or f"undefined in {int(missing.sum())} of {len(values)} splits"
            return Estimate(nan, nan, nan, nan, self.confidence, "corrected_t", n, (), self.measure, why)
        found = corrected_interval(
            values, self.pool, self.tested, folds=max(self.folds, 2), limits=limits, confidence=self.confidence
        )
        return replace(found, name=self.measure)


@dataclass(frozen=True, eq=False)
class CurvePoint:
    """One x of one model: the measure, the seconds that fitting took and that predicting 1,000 rows took, and sizes.

    `values` and `fits` have one number a split, in the same order at every x, so that points can be subtracted.
    """

    x: float
    estimate: Estimate
    fit_seconds: Estimate
    predict_seconds: Estimate
    size: Mapping[str, Estimate]
    values: Floats = field(repr=False)
    fits: Floats = field(repr=False)

    def __getitem__(self, what: str) -> Estimate:
        """The measure by "measure", the seconds by their names, a size by its name."""
        known = {"measure": self.estimate, "fit_seconds": self.fit_seconds, "predict_seconds": self.predict_seconds}
        known |= self.size
        if what not in known:
            raise UnknownNameError("figure", what, known)
        return known[what]


def curve_point(x: float, each: Resampled, splits: NDArray[Any], design: Design, pos_label: Label | None) -> CurvePoint:
    """The figures of one model over some of its splits, all of the same x."""
    values = each.values(design.measure, pos_label=pos_label)[splits]
    failed = [i for i in splits.tolist() if i in each.failures]
    reason = f"{len(failed)} of {len(splits)} fits failed: {each.failures[failed[0]]}" if failed else ""
    least, greatest = catalogue[design.measure].range
    fits = each.fit_seconds[splits]
    asked = each.score_seconds[splits] / np.diff(each.plan.test_starts)[splits] * PER_ROWS
    sizes: dict[str, Estimate] = {}
    notes = [each.notes.get(i, {}).get("size", {}) for i in splits.tolist() if i not in each.failures]
    for what in dict.fromkeys(name for note in notes for name in note):
        if all(what in note for note in notes):
            sizes[what] = _mean([note[what] for note in notes], what, design.confidence)
    return CurvePoint(
        x,
        design.interval(values, (float(least), float(greatest)), reason),
        _mean(fits, "fit_seconds", design.confidence),
        _mean(asked, "predict_seconds", design.confidence),
        sizes,
        values,
        fits,
    )


def findings_of(study: Study, measure: str) -> tuple[Finding, ...]:
    """What was noticed, each once; which class is the positive one only where the measure asks."""
    asks = measure in catalogue.of_scores or catalogue.of_labels[measure].is_per_class
    found = {str(f): f for each in study.models.values() for f in each.noticed}
    return tuple(f for f in found.values() if asks or not f.code.startswith("positive_class"))


def _mean(values: Any, name: str, confidence: float) -> Estimate:
    """The mean over splits of something that is never below zero."""
    numbers = np.asarray(values, dtype=float)
    numbers = numbers[~np.isnan(numbers)]
    if numbers.size == 0:
        nan = math.nan
        return Estimate(nan, nan, nan, nan, confidence, "t", 0, (), name, "no fit succeeded")
    found = mean_interval(numbers, confidence=confidence)
    return replace(found, low=max(found.low, 0.0) if found.low == found.low else found.low, name=name)


@dataclass(frozen=True, eq=False)
class StudyCurve(Shown):
    """Points by model, x ascending. Every point is an `Estimate`; intervals allow for training parts that overlap."""

    design: Design = field(repr=False)
    models: Mapping[str, tuple[CurvePoint, ...]]
    plan: Plan = field(repr=False)
    findings: tuple[Finding, ...] = ()

    kind = "study_curve"
    x_name = "x"
    x_column = "x"

    def __getitem__(self, model: str) -> tuple[CurvePoint, ...]:
        if model not in self.models:
            raise UnknownNameError("model", model, self.models)
        return self.models[model]

    def __iter__(self) -> Iterator[str]:
        return iter(self.models)

    def __len__(self) -> int:
        return len(self.models)

    @property
    def measure(self) -> str:
        """The measure that is drawn."""
        return self.design.measure

    @property
    def confidence(self) -> float:
        """The confidence of every interval."""
        return self.design.confidence

    @property
    def x(self) -> list[float]:
        """Where the points stand, from left to right."""
        return [point.x for point in next(iter(self.models.values()))]

    def points(self, model: str | None = None) -> tuple[CurvePoint, ...]:
        """The points of a model, which has to be named where there are several."""
        if model is not None:
            return self[model]
        if len(self.models) > 1:
            problem = f"there are {len(self.models)} models"
            raise InputError("bad_option", problem, cure=f"say which: {', '.join(map(repr, self.models))}")
        return next(iter(self.models.values()))

    def at(self, x: float, model: str | None = None) -> CurvePoint:
        """The point at an x that was run."""
        for point in self.points(model):
            if math.isclose(point.x, x, rel_tol=1e-9, abs_tol=1e-12):
                return point
        raise UnknownNameError(self.x_column, x, self.x)

    def change(self, x: float, since: float | None = None, model: str | None = None) -> Estimate:
        """The measure at x less that at `since` (the first x), split by split on the same rows: paired."""
        first = self.points(model)[0] if since is None else self.at(since, model)
        last = self.at(x, model)
        low, high = (float(end) for end in catalogue[self.measure].range)
        reason = last.estimate.reason or first.estimate.reason
        return self.design.interval(last.values - first.values, (low - high, high - low), reason)

    @property
    def verdict(self) -> Verdict:
        """Whether the last step of the curve changed the model that is best there, and what to do."""
        from surefold.verdict.studied import verdict_of_curve

        return verdict_of_curve(self)

    def to_dict(self) -> dict[str, Any]:
        """Plain values ready for JSON."""
        models = {
            name: [
                {
                    self.x_column: point.x,
                    self.measure: point.estimate.to_dict(),
                    "fit_seconds": point.fit_seconds.to_dict(),
                    "predict_seconds": point.predict_seconds.to_dict(),
                    "size": {what: e.to_dict() for what, e in point.size.items()},
                }
                for point in points
            ]
            for name, points in self.models.items()
        }
        plan = {
            "kind": self.plan.kind,
            **self.plan.options,
            "fingerprint": self.plan.fingerprint,
            "random_state": self.plan.random_state,
        }
        return {
            **heading(self.kind),
            "measure": self.measure,
            "confidence": self.confidence,
            "models": models,
            "plan": plan,
            "findings": [finding.to_dict() for finding in self.findings],
            "verdict": self.verdict.to_dict(),
        }

    def to_frame(self, flavour: Flavour = "polars") -> Any:
        """One row a model and x: the measure with its interval, seconds, and sizes (empty where a model has none)."""
        sizes = dict.fromkeys(what for points in self.models.values() for point in points for what in point.size)
        rows = [
            {
                "model": name,
                self.x_column: point.x,
                **estimate_columns(point.estimate, self.measure),
                "fit_seconds": point.fit_seconds.value,
                "predict_seconds": point.predict_seconds.value,
                **{what: point.size[what].value if what in point.size else None for what in sizes},
            }
            for name, points in self.models.items()
            for point in points
        ]
        return frame_of(rows, flavour)

    def plot(self, what: Any = None, ax: Any = None, **options: Any) -> Any:
        """The measure ("measure"), "fit_seconds", "predict_seconds" or a size, a line a model or of one `model`.

        `intervals=False` leaves the intervals away.
        """
        from surefold.show.plots import plot

        return plot(self, what, ax, **options)

    __repr__ = Shown.__str__
