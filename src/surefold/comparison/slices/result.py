"""What slices say: each one's value, whether it is below or above the rest, and how the worst of them does."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from surefold._version import heading
from surefold.errors import UnknownNameError
from surefold.estimates.estimate import Estimate, SameFigures
from surefold.findings import Finding
from surefold.numbers import p_said
from surefold.shown import Shown

if TYPE_CHECKING:
    import polars

    from surefold.comparison.slices.gate import SliceGate
    from surefold.comparison.slices.sides import Sides
    from surefold.verdict.verdict import Verdict

__all__ = ["Slice", "SliceStatus", "Slices", "SlicesOfMeasures", "slice_name"]

SliceStatus = Literal["below", "above", "alike", "cannot_tell", "too_few", "undefined", "no_rest"]
_WORDS: dict[SliceStatus, str] = {
    "below": "below the rest",
    "above": "above the rest",
    "alike": "practically equal to the rest",
    "cannot_tell": "cannot be told from the rest",
    "too_few": "too few rows, not tested",
    "undefined": "undefined",
    "no_rest": "all rows, so there is no rest",
}


_SHORT: dict[SliceStatus, str] = {
    "below": "below",
    "above": "above",
    "alike": "alike",
    "cannot_tell": "cannot tell",
    "too_few": "too few rows",
    "undefined": "undefined",
    "no_rest": "all rows",
}


def slice_name(columns: tuple[str, ...], levels: tuple[str, ...]) -> str:
    """What a slice is called; a mask by its own name alone.

    >>> slice_name(("region", "new"), ("north", "new"))
    'region = north, new'
    """
    parts = (level if column == level else f"{column} = {level}" for column, level in zip(columns, levels, strict=True))
    return ", ".join(parts)


@dataclass(frozen=True, eq=False)
class Slice(SameFigures):
    """The rows of one level of a column, or of one of each of two, against all the others.

    estimate:      its value with the interval for it alone.
    simultaneous:  with the interval that holds for all slices at once; None where it is not counted among them.
    difference:    it less the rest, with an interval that holds for all slices at once.
    adjusted_p:    of "it is like the rest", adjusted for the number of slices; NaN where it was not tested.
    equal_p:       the adjusted p of "they differ by the margin or more"; None without a margin.
    rows_needed:   about how many rows in all would tell, if the difference stays what it is.
    reason:        why it is undefined, or was not tested.
    """

    columns: tuple[str, ...]
    levels: tuple[str, ...]
    rows: int
    estimate: Estimate
    status: SliceStatus
    simultaneous: Estimate | None = None
    difference: Estimate | None = None
    p_value: float = math.nan
    adjusted_p: float = math.nan
    equal_p: float | None = None
    rows_needed: float | None = None
    reason: str = ""

    @property
    def name(self) -> str:
        """Its columns and levels."""
        return slice_name(self.columns, self.levels)

    @property
    def told(self) -> bool:
        """Whether it is below the rest, or above it."""
        return self.status in ("below", "above")

    @property
    def words(self) -> str:
        """Its status as people say it."""
        return _WORDS[self.status]

    @property
    def short(self) -> str:
        """The same for a cell of a table."""
        return _SHORT[self.status]

    def __str__(self) -> str:
        if self.status in ("undefined", "too_few", "no_rest"):
            why = f" ({self.reason})" if self.reason and self.estimate.defined else ""
            return f"{self.name}: {self.estimate}{why}"
        gap = "" if self.difference is None else f", differs by {self.difference}"
        p = "" if math.isnan(self.adjusted_p) else f", {p_said(self.adjusted_p)}"
        return f"{self.name}: {self.estimate}, {self.words}{gap}{p}"

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        needed = None if self.rows_needed is None or math.isinf(self.rows_needed) else self.rows_needed
        return {
            "name": self.name,
            "columns": list(self.columns),
            "levels": list(self.levels),
            "rows": self.rows,
            "status": self.status,
            "estimate": self.estimate.to_dict(),
            "simultaneous": None if self.simultaneous is None else self.simultaneous.to_dict(),
            "difference": None if self.difference is None else self.difference.to_dict(),
            "p_value": None if math.isnan(self.p_value) else self.p_value,
            "adjusted_p": None if math.isnan(self.adjusted_p) else self.adjusted_p,
            "equal_p": self.equal_p,
            "rows_needed": needed,
            "reason": self.reason,
        }


@dataclass(frozen=True, eq=False)
class Slices(Shown, Mapping[str, Slice]):
    """One measure by slices. Made by `slices` and by `Assessment.by`.

    whole:     of all rows.
    slices:    every slice, in the order of the columns and their levels.
    worst:     the value of the worst slice, with an interval for the worst one whichever it is; None where none counts.
    level:     the confidence of each simultaneous interval, so that all hold together.
    adjust:    how p is adjusted for their number.
    """

    measure: str
    better: str
    whole: Estimate
    slices: tuple[Slice, ...]
    worst: Estimate | None
    adjust: str
    level: float
    confidence: float
    margin: float | None = None
    min_rows: int = 5
    rows: int = 0
    findings: tuple[Finding, ...] = ()
    sides: Sides | None = field(default=None, repr=False)

    def __getitem__(self, key: object) -> Slice:
        """By its name, its level, or its levels where it has two; `InputError` tells what there is."""
        levels = tuple(str(part) for part in key) if isinstance(key, tuple) else (str(key),)
        found = [s for s in self.slices if s.levels == levels or s.name == str(key)]
        if len(found) > 1:
            found = [s for s in found if s.name == str(key)]
            hint = "(several columns have that level: say which, as 'region = north')"
        else:
            hint = ""
        if len(found) != 1:
            raise UnknownNameError("slice", ", ".join(levels), [s.name for s in self.slices], hint)
        return found[0]

    def __iter__(self) -> Iterator[str]:
        return (s.name for s in self.slices)

    def __len__(self) -> int:
        return len(self.slices)

    def _with(self, *statuses: SliceStatus) -> tuple[Slice, ...]:
        return tuple(s for s in self.slices if s.status in statuses)

    @property
    def counted(self) -> tuple[Slice, ...]:
        """Those that are defined, large enough and not all rows: what p and intervals are adjusted for."""
        return self._with("below", "above", "alike", "cannot_tell")

    @property
    def below(self) -> tuple[Slice, ...]:
        """Those surely below the rest, the lowest first."""
        return tuple(sorted(self._with("below"), key=lambda s: s.estimate.value))

    @property
    def above(self) -> tuple[Slice, ...]:
        """Those surely above the rest, the highest first."""
        return tuple(sorted(self._with("above"), key=lambda s: -s.estimate.value))

    @property
    def worse(self) -> tuple[Slice, ...]:
        """Those surely worse than the rest: below it, or above where less is better."""
        return self.above if self.better == "lower" else self.below

    @property
    def undefined(self) -> tuple[Slice, ...]:
        """Those without a value, each with its reason."""
        return self._with("undefined")

    @property
    def too_few(self) -> tuple[Slice, ...]:
        """Those with fewer rows than `min_rows`: shown, not tested."""
        return self._with("too_few")

    @property
    def ordered(self) -> tuple[Slice, ...]:
        """Those with a value, from the worst to the best."""
        sign = -1.0 if self.better == "lower" else 1.0
        defined = [s for s in self.slices if s.estimate.defined]
        return tuple(sorted(defined, key=lambda s: sign * s.estimate.value))

    @property
    def worst_slice(self) -> Slice | None:
        """The worst of those that count."""
        counted = set(map(id, self.counted))
        return next((s for s in self.ordered if id(s) in counted), None)

    def gate(
        self, *, at_least: float | None = None, at_most: float | None = None, confidence: float | None = None
    ) -> SliceGate:
        """Is every slice surely at least so good? Passed, failed, or cannot tell."""
        from surefold.comparison.slices.gate import slice_gate

        return slice_gate(self, at_least=at_least, at_most=at_most, confidence=confidence)

    @property
    def verdict(self) -> Verdict:
        """Where it is worse than elsewhere, in three lines."""
        from surefold.verdict.sliced import verdict_of_slices

        return verdict_of_slices(self)

    def to_frame(self) -> polars.DataFrame:
        """One row a slice, as a polars frame."""
        from surefold.report.slice_export import slices_frame

        return slices_frame(self)

    def to_dict(self) -> dict[str, Any]:
        """Plain values ready for JSON."""
        worst = self.worst_slice
        return {
            **heading("slices"),
            "measure": self.measure,
            "better": self.better,
            "confidence": self.confidence,
            "level": self.level,
            "adjust": self.adjust,
            "margin": self.margin,
            "min_rows": self.min_rows,
            "rows": self.rows,
            "whole": self.whole.to_dict(),
            "slices": [s.to_dict() for s in self.slices],
            "below": [s.name for s in self.below],
            "above": [s.name for s in self.above],
            "worst": None if self.worst is None or worst is None else {"name": worst.name, **self.worst.to_dict()},
            "findings": [finding.to_dict() for finding in self.findings],
            "verdict": self.verdict.to_dict(),
        }


@dataclass(frozen=True, eq=False)
class SlicesOfMeasures(Shown, Mapping[str, Slices]):
    """The same slices by several measures: each is adjusted for its own slices."""

    each: dict[str, Slices]

    def __getitem__(self, measure: str) -> Slices:
        from surefold.measures.catalogue import catalogue

        name = measure if measure in self.each else catalogue[measure].name
        if name not in self.each:
            raise UnknownNameError("measure of these slices", measure, self.each)
        return self.each[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.each)

    def __len__(self) -> int:
        return len(self.each)

    @property
    def verdict(self) -> Verdict:
        """What the first measure says."""
        return next(iter(self.each.values())).verdict

    def to_frame(self) -> polars.DataFrame:
        """One row a measure and slice, as a polars frame."""
        from surefold.report.slice_export import slices_frame

        return slices_frame(self)

    def to_dict(self) -> dict[str, Any]:
        """Plain values: the slices under the name of each measure."""
        return {**heading("slices_of_measures"), "measures": {name: s.to_dict() for name, s in self.each.items()}}
