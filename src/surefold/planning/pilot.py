"""Plans for any measure from a pilot: its standard error shrinks with the root of the rows."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from surefold.errors import InputError, show
from surefold.estimates.estimate import Estimate
from surefold.estimates.quantiles import normal_quantile, normal_tail
from surefold.planning.design import Design, Facts
from surefold.significance.pairs import checked_number

__all__ = ["DESIGNS", "PilotDesign"]

DESIGNS = ("difference", "superiority", "noninferiority", "equivalence")
#: Estimates over folds: their n counts folds, or their error does not shrink with the root of it.
_OVER_FOLDS = ("corrected", "paired_t", "5x2", "nested")
_SOURCE = (
    "give estimate=, an Estimate, a test's result or a Difference; or its standard error and rows as se= and rows="
)
_MARGIN = "give the margin above 0, on the scale of the measure, such as margin=0.01"
_TRUE = "give the true difference you plan for, first minus second where higher is better, such as difference=0.02"


@dataclass(frozen=True, kw_only=True)
class PilotDesign(Design):
    """A measure, or a difference, with the standard error `se` that `rows` rows gave it.

    `design` says what is to be shown: a difference from 0 either way; that it is above a margin (superiority), above
    minus a margin (noninferiority), or within a margin (equivalence), each by one-sided tests at 1 - confidence.
    """

    kind: ClassVar[str] = "pilot"
    known: ClassVar[tuple[str, ...]] = (
        "estimate",
        "se",
        "rows",
        "width",
        "difference",
        "margin",
        "design",
        "design_effect",
    )

    se: float
    rows: float
    name: str = ""
    shift: float = 0.0
    margin: float = 0.0
    design: str = "difference"

    @classmethod
    def of(cls, facts: Facts, confidence: float) -> Self:
        """A difference, a margin or a width, and the standard error of a pilot."""
        design, common = facts.choice("design", DESIGNS), cls._common(facts, confidence)
        if "width" in facts:
            if "difference" in facts or "margin" in facts or design != "difference":
                cure = "give width= alone, or difference= and margin= without it"
                raise InputError("bad_option", "'pilot' has two goals, a width and a difference", cure=cure)
            width = facts.above_zero("width", "give the full width of the interval, above 0, such as width=0.05")
            return cls(width=width, **common)
        default = None if design in ("difference", "superiority") else 0.0
        shift = facts.number("difference", -math.inf, cure=_TRUE, default=default)
        if design == "difference":
            if "margin" in facts:
                cure = "say design='superiority', 'noninferiority' or 'equivalence' with a margin"
                raise InputError("bad_option", "a difference from 0 has no margin", cure=cure)
            facts.different(shift, 0.0, "difference")
            return cls(shift=shift, design=design, **common)
        if design == "superiority":
            margin = facts.number("margin", 0, cure=_MARGIN, default=0.0)
        else:
            margin = facts.above_zero("margin", _MARGIN)
        planned = cls(shift=shift, margin=margin, design=design, **common)
        if planned.difference <= 0:
            where = {"superiority": "above the margin", "noninferiority": "above minus the margin"}
            cure = f"give a difference {where.get(design, 'within the margin')}: else no number of rows shows it"
            problem = f"difference={shift:g} and margin={margin:g} for {design}"
            raise InputError("bad_option", problem, cure=cure)
        return planned

    @classmethod
    def _common(cls, facts: Facts, confidence: float) -> dict[str, Any]:
        name = ""
        if "estimate" in facts:
            if "se" in facts or "rows" in facts:
                raise InputError("bad_option", "the pilot is said twice", cure=_SOURCE)
            pilot = facts.given["estimate"]
            pilot = getattr(pilot, "effect", pilot)
            if not isinstance(pilot, Estimate):
                raise InputError("bad_option", f"estimate={show(pilot)}", cure=_SOURCE)
            if pilot.method.startswith(_OVER_FOLDS) or "naive_folds" in pilot.flags:
                cure = "plan from a test set: an assessment, compare() or a test on rows"
                raise InputError("bad_option", f"the pilot is over folds ({pilot.method}), not over rows", cure=cure)
            se, rows, name = pilot.se, pilot.n, pilot.name
        else:
            se, rows = facts.need("se", _SOURCE), facts.need("rows", _SOURCE)
        cure = "plan from a pilot with a standard error above 0 and its number of rows"
        se, rows = (
            checked_number(se, "se of the pilot", 0, cure=cure),
            checked_number(rows, "rows of the pilot", 1, cure=cure),
        )
        if se == 0:
            raise InputError("bad_option", "the pilot has a standard error of 0, so nothing varied in it", cure=cure)
        return {"confidence": confidence, "design_effect": facts.design_effect(), "se": se, "rows": rows, "name": name}

    @classmethod
    def around(cls, facts: Facts, confidence: float) -> tuple[Callable[[float], Design], float]:
        """The smallest difference; of noninferiority and equivalence the smallest margin."""
        design, common = facts.choice("design", DESIGNS), cls._common(facts, confidence)
        if design in ("difference", "superiority"):
            margin = facts.number("margin", 0, cure=_MARGIN, default=0.0)

            def make(d: float) -> Design:
                return cls(shift=margin + d, margin=margin, design=design, **common)

        else:
            shift = facts.number("difference", -math.inf, cure=_TRUE, default=0.0)
            needed = abs(shift) if design == "equivalence" else -shift

            def make(d: float) -> Design:
                return cls(shift=shift, margin=needed + d, design=design, **common)

        return make, 1e3 * common["se"] * math.sqrt(common["rows"])

    @property
    def method(self) -> str:
        """The normal test or interval, and how many rows the pilot had."""
        tail = "two-sided" if self.design == "difference" else "one-sided"
        ends = (
            "interval" if self.width is not None else f"{tail} z test" + ("s" if self.design == "equivalence" else "")
        )
        return f"normal {ends}, standard error of a pilot with {self.rows:,.6g} rows"

    @property
    def goal(self) -> str:
        """What is to be shown of the measure of the pilot."""
        what = self.name or "the measure"
        if self.width is not None:
            return f"around {what}"
        truth = f" when the true difference is {self.shift:.4g}"
        return {
            "difference": f"find a difference of {self.shift:.4g} in {what}",
            "superiority": f"show {what} better by more than {self.margin:.4g}{truth}",
            "noninferiority": f"show {what} not worse by {self.margin:.4g} or more{truth}",
            "equivalence": f"show {what} the same within {self.margin:.4g}{truth}",
        }[self.design]

    @property
    def difference(self) -> float:
        """How far the truth lies from what is to be ruled out."""
        if self.width is not None:
            return math.nan
        return {
            "difference": abs(self.shift),
            "superiority": self.shift - self.margin,
            "noninferiority": self.shift + self.margin,
            "equivalence": self.margin - abs(self.shift),
        }[self.design]

    @property
    def sought(self) -> float:
        """The margin of non-inferiority and of equivalence; else the difference."""
        ends = {"superiority": self.shift, "noninferiority": self.margin, "equivalence": self.margin}
        return ends.get(self.design, self.difference)

    @property
    def sought_name(self) -> str:
        """ "margin" where that is what is left open."""
        return "margin" if self.design in ("noninferiority", "equivalence") else "difference"

    def facts(self) -> dict[str, Any]:
        """The standard error and rows of the pilot, and what is to be shown."""
        facts: dict[str, Any] = {"se": self.se, "rows": self.rows, "measure": self.name or None}
        if self.width is not None:
            return facts
        facts |= {"design": self.design, "difference": self.shift}
        return facts if self.design == "difference" else facts | {"margin": self.margin}

    def _error(self, n: int) -> float:
        return self.se * math.sqrt(self.rows / n)

    def power_at(self, n: int) -> float:
        """The chance that the normal test finds it; NaN where a width is planned."""
        if self.width is not None:
            return math.nan
        se, z = self._error(n), normal_quantile(self.confidence)
        if self.design == "difference":
            away = self.difference / se
            return float(normal_tail(self.z - away) + normal_tail(self.z + away))
        if self.design == "equivalence":
            ends = (self.margin - self.shift, self.margin + self.shift)
            return max(0.0, 1 - sum(float(normal_tail(end / se - z)) for end in ends))
        return float(normal_tail(z - self.difference / se))

    def width_at(self, n: int) -> float:
        """The width with the standard error that so many rows would have."""
        return 2 * self.z * self._error(n)

    def guess(self, power: float) -> float:
        """From how a standard error falls with the rows."""
        z = self.z + max(normal_quantile(power), 0)
        distance = self.width / 2 if self.width is not None else self.difference
        return self.rows * (z * self.se / distance) ** 2
