"""What candidates are judged by: a measure with its options and its direction, asked of results over splits."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefold.assessment.assess import assess
from surefold.curves.thresholds import two_costs
from surefold.errors import InputError
from surefold.estimates.estimate import Estimate
from surefold.given import Costs
from surefold.measures import catalogue
from surefold.measures.cost import cost_matrix
from surefold.measures.score_measure import ScoreMeasure
from surefold.resampling.dataset import Dataset
from surefold.resampling.fold_values import HeldOut, fold_values
from surefold.resampling.resampled import Resampled
from surefold.resampling.row_losses import loss_name

__all__ = ["Floats", "Score"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Score:
    """A measure by name, its options, and 1 where more of it is better, -1 where less is."""

    measure: str
    sign: int
    options: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, measure: str | None, costs: Costs | None, data: Dataset) -> Score:
        """Checked before anything is fitted: a direction, a positive class and costs where they are needed."""
        name = measure if measure is not None else "accuracy" if costs is None else "expected_cost"
        chosen = catalogue[loss_name(name, data.labels, data.positive)]
        if chosen.better == "neither":
            problem = f"{chosen.name} has no better end, so no model can be chosen by it"
            raise InputError("bad_option", problem, cure="choose by accuracy, error_rate, f1, roc_auc, brier, ...")
        if costs is not None and chosen.name != "expected_cost":
            problem = f"costs= price errors, and {chosen.name} does not ask what they cost"
            raise InputError("bad_option", problem, cure="leave measure= out, or say measure='expected_cost'")
        options = {} if costs is None else {"costs": _prices(costs, data)}
        score = cls(chosen.name, 1 if chosen.better == "higher" else -1, options)
        score._try_out(data)
        return score

    def _try_out(self, data: Dataset) -> None:
        """Ask the measure of answers that are all right: what it lacks is said now, not after an hour."""
        k = len(data.labels)
        right = HeldOut(
            data.codes,
            data.codes.astype(np.int32),
            np.eye(k)[data.codes],
            "probability",
            np.array([0, data.n]),
            data.labels,
        )
        fold_values(right, self.measure, data.positive, self.options)

    @property
    def needs_scores(self) -> bool:
        """Whether the measure reads scores, and not labels."""
        return isinstance(catalogue[self.measure], ScoreMeasure)

    @property
    def limits(self) -> tuple[float, float]:
        """The least and the greatest value of the measure with its options."""
        least, greatest = catalogue.with_options(self.measure, self.options).range
        if "costs" in self.options:  # a row costs no less than the cheapest answer and no more than the dearest
            least, greatest = np.min(self.options["costs"]), np.max(self.options["costs"])
        return float(least), float(greatest)

    @property
    def reach(self) -> float:
        """How far apart two values can be."""
        return self.limits[1] - self.limits[0]

    def values(self, r: Resampled) -> Floats:
        """One a split; NaN where it is undefined or the fold is missing."""
        return r.values(self.measure, **self.options)

    def estimate(self, r: Resampled, confidence: float) -> Estimate:
        """With the default interval of the plan; of rows that were trained on, that of a test set, and flagged."""
        if not r.plan.overlaps:
            e = r.interval(self.measure, confidence=confidence, **self.options)
            least, greatest = self.limits
            return replace(e, low=max(e.low, least), high=min(e.high, greatest))
        r.refuse_missing(self.measure)
        p = r.held.predictions(slice(None), r.positive, None if r.groups is None else r.groups[r.plan.test_rows])
        if not self.needs_scores:
            p = replace(p, scores=None)
        e = assess(p, confidence=confidence).measure(self.measure, **self.options)
        return replace(e, flags=tuple(dict.fromkeys(("optimistic", *e.flags))))

    def is_defined(self, r: Resampled) -> str:
        """Why the candidate cannot be judged, or nothing."""
        if not r.complete:
            return r.status
        try:
            values = self.values(r)
        except InputError as error:
            return error.problem
        undefined = int(np.isnan(values).sum())
        return f"{self.measure} is undefined in {undefined} of {len(values)} folds" if undefined else ""

    def flattery(self, claimed: float, honest: float) -> float:
        """How much better the first is than the second."""
        return self.sign * (claimed - honest) if math.isfinite(claimed - honest) else math.nan


def _prices(costs: Any, data: Dataset) -> Floats:
    """costs[true][predicted] in the order of the labels, from a matrix or, for two classes, {"fp": 1, "fn": 5}."""
    if not isinstance(costs, Mapping):
        return cost_matrix(costs, len(data.labels))
    if len(data.labels) != 2 or data.positive is None:
        cure = "say pos_label= with two classes, or give a matrix costs[true][predicted] in the order of the labels"
        raise InputError("cost_matrix", f"costs={dict(costs)!r} does not price these classes", cure=cure)
    matrix = two_costs(costs)
    return matrix if data.positive == 0 else np.ascontiguousarray(matrix[::-1, ::-1])
