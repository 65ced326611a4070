"""CostStudy: ways to put costs into learning, side by side under one cost matrix."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from surefold._version import heading
from surefold.comparison.family import Family, Told
from surefold.comparison.result import Status, status_of
from surefold.costs.shown_threshold import Threshold
from surefold.errors import InputError, RunError, UnknownNameError, show
from surefold.estimates.cross_validated import corrected_interval
from surefold.estimates.estimate import Estimate, TestResult
from surefold.findings import Finding
from surefold.inputs.labels import Label
from surefold.measures import catalogue
from surefold.numbers import p_said
from surefold.resampling.frames import Flavour, estimate_columns, frame_of
from surefold.resampling.models import fresh
from surefold.resampling.resampled import Resampled
from surefold.resampling.study import Study
from surefold.shown import Shown
from surefold.significance.paired_folds import corrected_t

if TYPE_CHECKING:
    pass

__all__ = ["PLAIN", "CostCell", "CostStudy", "compared_costs", "cost_interval", "told_costs"]

PLAIN = "plain"
#: Columns of an estimate that have another meaning in the frame.
_COLUMNS = {"method": "interval_method"}


def cost_interval(each: Resampled, matrix: NDArray[np.float64], confidence: float) -> Estimate:
    """Expected cost of a row over the splits, corrected for shared training rows, and within what a row can cost."""
    nan, name = math.nan, "expected_cost"
    if not each.complete:
        return Estimate(nan, nan, nan, nan, confidence, "corrected_t", 0, (), name, each.status)
    values = each.values(name, costs=matrix)
    found = corrected_interval(
        values,
        each.plan.train_sizes,
        each.plan.test_sizes,
        folds=len(values) if each.plan.repeats == 1 else each.folds,
        df=each.degrees_of_freedom(len(values)),
        limits=(float(matrix.min()), float(matrix.max())),
        confidence=confidence,
    )
    return replace(found, name=name, flags=tuple(dict.fromkeys((*each.flags, *found.flags))))


@dataclass(frozen=True, eq=False)
class CostCell:
    """One model trained or asked in one way; `reason` says why there are no figures where there are none.

    `recall` is that of the class that is dearest to miss. `difference` is the cost less that of the same model left
    plain, over the same splits; `adjusted_p` is its p by Holm's method over all that were compared, and its interval
    holds for all of them at once.
    """

    model: str
    method: str
    cost: Estimate
    accuracy: Estimate
    recall: Estimate
    threshold: Threshold
    difference: TestResult | None = None
    adjusted_p: float = math.nan
    reason: str = ""

    @property
    def name(self) -> str:
        """The model and the method, as one name."""
        return f"{self.model}: {self.method}"

    def status(self, level: float) -> Status:
        """Whether it is cheaper ("better") than the plain model, dearer ("worse"), or cannot be told."""
        if self.difference is None or math.isnan(self.adjusted_p):
            return "cannot_tell"
        return status_of(self.difference, self.adjusted_p, lower_is_better=True, level=level)

    def to_dict(self) -> dict[str, Any]:
        """Plain values: cost, accuracy and recall with their intervals, or why there are none."""
        shown: dict[str, Any] = {"model": self.model, "method": self.method}
        if self.reason:
            return shown | {"reason": self.reason}
        return shown | {
            "expected_cost": self.cost.to_dict(),
            "accuracy": self.accuracy.to_dict(),
            "recall": self.recall.to_dict(),
            "threshold": self.threshold.to_dict(),
            "less_plain": None if self.difference is None else self.difference.to_dict(),
            "adjusted_p": None if math.isnan(self.adjusted_p) else self.adjusted_p,
        }


@dataclass(frozen=True, eq=False)
class CostStudy(Shown):
    """What each way of learning with costs costs, on the same held-out rows. Made by `cost_sensitive`.

    `table` has a cell a model and method; `study` holds every held-out answer, so that any measure can be asked
    afterwards (`estimates("precision", pos_label="slick")`) without another fit.
    """

    matrix: NDArray[np.float64]
    labels: tuple[Label, ...]
    costly: Label
    table: tuple[CostCell, ...] = field(repr=False)
    study: Study = field(repr=False)
    constant: Label = ""
    constant_cost: float = math.nan
    confidence: float = 0.95
    findings: tuple[Finding, ...] = ()
    learners: Mapping[str, Any] = field(default_factory=dict, repr=False)

    def __iter__(self) -> Iterator[CostCell]:
        return iter(self.table)

    def __len__(self) -> int:
        return len(self.table)

    def __getitem__(self, key: str | tuple[str, str]) -> CostCell:
        """`found["tree", "threshold"]`, or the method alone where there is one model."""
        if isinstance(key, str) and len(self.models) == 1:
            key = (self.models[0], key)
        for cell in self.table:
            if (cell.model, cell.method) == key:
                return cell
        known = [c.method if len(self.models) == 1 else c.name for c in self.table]
        raise UnknownNameError("cell", key if isinstance(key, str) else ": ".join(map(str, key)), known)

    @property
    def models(self) -> tuple[str, ...]:
        """The models, in the order they were given."""
        return tuple(dict.fromkeys(cell.model for cell in self.table))

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods, in the order they were asked for."""
        return tuple(dict.fromkeys(cell.method for cell in self.table))

    # choosing

    @property
    def best(self) -> CostCell:
        """The cell of least expected cost, the first of equal ones. The least of several figures flatters itself."""
        there = [cell for cell in self.table if cell.cost.defined]
        if not there:
            raise RunError("incomplete", "no model went through every fold", cure="see the findings for what failed")
        return min(there, key=lambda cell: cell.cost.value)

    def best_by(self, measure: str, **options: Any) -> CostCell:
        """The cell that another measure would choose, such as "accuracy"; the first of equal ones."""
        sign = 1 if catalogue[measure].better == "lower" else -1
        found = {key: e for key, e in self.estimates(measure, **options).items() if e.defined}
        if not found:
            raise InputError("undefined_folds", f"{measure} is undefined for every model", cure="ask for another")
        return self[min(found, key=lambda key: sign * found[key].value)]

    def estimates(self, measure: str, **options: Any) -> dict[tuple[str, str], Estimate]:
        """Another measure of every cell that was run, from the answers that were kept."""
        if catalogue[measure].name == "expected_cost" and not options:
            return {(c.model, c.method): c.cost for c in self.table if not c.reason}
        options.setdefault("confidence", self.confidence)
        return {
            (c.model, c.method): self.study[c.name].interval(measure, **options) for c in self.table if not c.reason
        }

    def learner(self, model: str | None = None, method: str | None = None) -> Any:
        """An unfitted classifier of a cell, the cheapest unless one is named: fit it to all rows to use it."""
        cell = self.best if model is None and method is None else self[model or self.models[0], method or PLAIN]
        if cell.reason:
            raise InputError("bad_model", f"{cell.name} could not be made: {cell.reason}", cure="choose another cell")
        return fresh(self.learners[cell.name])

    @property
    def rivals(self) -> tuple[CostCell, ...]:
        """Cells that are not shown to be dearer than the cheapest one, pairwise over the folds, p by Holm's method."""
        best = self.best
        others = [cell for cell in self.table if cell.cost.defined and cell is not best]
        if not others:
            return ()
        level = self.confidence
        _, told = told_costs([(self.study[c.name], self.study[best.name]) for c in others], self.matrix, level)
        return tuple(cell for cell, one in zip(others, told, strict=True) if one.status != "worse")

    @property
    def digits(self) -> str:
        """How costs are written, in any currency: three digits or so."""
        largest = max((abs(cell.cost.high) for cell in self.table if cell.cost.defined), default=1.0)
        return f".{int(np.clip(2 - math.floor(math.log10(max(largest, 1e-9) / 2)), 0, 6))}f"

    @property
    def verdict(self) -> str:
        """What to use, what it saves, what cannot be told from it, and what accuracy alone would have chosen."""
        best, by_accuracy, spec = self.best, self.best_by("accuracy"), self.digits
        text = f"{best.name} is cheapest, {best.cost:{spec}} a row"
        if best.difference is not None:
            told = {"better": "cheaper than", "worse": "dearer than", "cannot_tell": "not shown to be cheaper than"}
            text += f"; it is {told[best.status(1 - self.confidence)]} {best.model} left plain"
            text += f" ({best.difference.effect:{spec}}, {best.difference.name}, Holm {p_said(best.adjusted_p)})"
        rivals = self.rivals
        if rivals:
            which = rivals[0].name if len(rivals) == 1 else f"{len(rivals)} others"
            text += f". {which[0].upper()}{which[1:]} cannot be told from it"
        if by_accuracy is not best and best.cost.value < by_accuracy.cost.value:
            text += f". Accuracy would choose {by_accuracy.name}, which costs {by_accuracy.cost:{spec}} a row"
        if not best.cost.high < self.constant_cost:
            rival = f"always answering {show(self.constant)} ({self.constant_cost:{spec}} a row)"
            text += f". It is not shown to beat {rival}"
        return f"{text}."

    # telling

    def to_dict(self) -> dict[str, Any]:
        """Plain values ready for JSON."""
        plan = self.study.plan
        return {
            **heading("cost_study"),
            "costs": self.matrix.tolist(),
            "labels": list(self.labels),
            "costly_class": self.costly,
            "always_answering": {"label": self.constant, "expected_cost": self.constant_cost},
            "confidence": self.confidence,
            "table": [cell.to_dict() for cell in self.table],
            "best": {"model": self.best.model, "method": self.best.method},
            "verdict": self.verdict,
            "plan": {
                "kind": plan.kind,
                **plan.options,
                "fingerprint": plan.fingerprint,
                "random_state": plan.random_state,
            },
            "findings": [finding.to_dict() for finding in self.findings],
        }

    def to_frame(self, flavour: Flavour = "polars") -> Any:
        """One row a cell; empty where a cell has no figures."""
        rows = []
        for cell in self.table:
            effect = None if cell.difference is None else cell.difference.effect
            costs = estimate_columns(cell.cost, "expected_cost")
            rows.append(
                {
                    "model": cell.model,
                    "method": cell.method,
                    **{_COLUMNS.get(key, key): value for key, value in costs.items()},
                    "accuracy": _known(cell.accuracy.value),
                    "recall": _known(cell.recall.value),
                    "threshold": _known(cell.threshold.value),
                    "less_plain": None if effect is None else _known(effect.value),
                    "less_plain_low": None if effect is None else _known(effect.low),
                    "less_plain_high": None if effect is None else _known(effect.high),
                    "adjusted_p": _known(cell.adjusted_p),
                    "reason": cell.reason or cell.cost.reason or None,
                }
            )
        return frame_of(rows, flavour)

    __repr__ = Shown.__str__


def compared_costs(first: Resampled, second: Resampled, matrix: NDArray[np.float64], confidence: float) -> TestResult:
    """The cost of a row of one less that of another, fold by fold, by the corrected t."""
    a, b = (each.values("expected_cost", costs=matrix) for each in (first, second))
    plan = first.plan
    df = first.degrees_of_freedom(len(a))
    return corrected_t(a, b, plan.train_sizes, plan.test_sizes, df, confidence=confidence)


def told_costs(
    pairs: Sequence[tuple[Resampled, Resampled]], matrix: NDArray[np.float64], confidence: float
) -> tuple[list[TestResult], list[Told]]:
    """Each pair's test, and what they show together, p by Holm's method over all."""
    tests = [compared_costs(*pair, matrix, confidence) for pair in pairs]

    def at(place: int, level: float) -> Estimate:
        return compared_costs(*pairs[place], matrix, level).effect

    return tests, Family(confidence).tell(tests, at, lower_is_better=True)


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value
