"""Where did the new model get worse? The paired difference of models in every slice of the rows."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from surefold._version import heading
from surefold.comparison.compared import Models, Question, pair_results
from surefold.comparison.family import Family
from surefold.comparison.judging import PairResult, judged
from surefold.comparison.result import Comparison, Difference
from surefold.comparison.slices.result import slice_name
from surefold.comparison.slices.slices import bins_of, distinct_ways, sizes_of
from surefold.counting import counted
from surefold.errors import InputError, UnknownNameError
from surefold.estimates.estimate import SameFigures
from surefold.evidence.held import Held
from surefold.evidence.slicing import ways_of
from surefold.findings import Finding
from surefold.inputs.levels import Bins, By, named_columns
from surefold.measures.catalogue import catalogue
from surefold.measures.measure import Measure
from surefold.shown import Shown

if TYPE_CHECKING:
    from surefold.verdict.verdict import Verdict

__all__ = ["ComparedSlice", "ComparedSlices", "compared_by"]


@dataclass(frozen=True, eq=False)
class ComparedSlice(SameFigures):
    """The rows of one slice: first less second there, with p and interval adjusted for all slices and pairs."""

    columns: tuple[str, ...]
    levels: tuple[str, ...]
    rows: int
    difference: Difference

    @property
    def name(self) -> str:
        """Its columns and levels."""
        return slice_name(self.columns, self.levels)

    def __str__(self) -> str:
        return f"{self.name} ({self.rows:,} rows): {self.difference}"

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        facts = {"columns": list(self.columns), "levels": list(self.levels), "rows": self.rows}
        return {"name": self.name, **facts, "difference": self.difference.to_dict()}


@dataclass(frozen=True, eq=False)
class ComparedSlices(Shown):
    """Models compared in every slice. Made by `Comparison.by`.

    whole:  the comparison on all rows.
    slices: one entry a slice and pair that were large enough, p adjusted for all of them together.
    """

    whole: Comparison
    slices: tuple[ComparedSlice, ...]
    adjust: str
    min_rows: int
    findings: tuple[Finding, ...] = ()

    def __getitem__(self, key: object) -> ComparedSlice:
        """By its name, its level, or its levels where it has two; of more than two models the first pair."""
        levels = tuple(str(part) for part in key) if isinstance(key, tuple) else (str(key),)
        for one in self.slices:
            if one.levels == levels or one.name == str(key):
                return one
        raise UnknownNameError("slice", ", ".join(levels), [one.name for one in self.slices])

    @property
    def worse(self) -> tuple[ComparedSlice, ...]:
        """Where the first model is surely worse than the second."""
        return tuple(one for one in self.slices if one.difference.status == "worse")

    @property
    def better(self) -> tuple[ComparedSlice, ...]:
        """Where it is surely better."""
        return tuple(one for one in self.slices if one.difference.status == "better")

    @property
    def verdict(self) -> Verdict:
        """In which slices one model is better or worse, in three lines."""
        from surefold.verdict.sliced import verdict_of_compared

        return verdict_of_compared(self)

    def to_dict(self) -> dict[str, Any]:
        """Plain values ready for JSON."""
        return {
            **heading("compared_slices"),
            "measure": self.whole.measure,
            "confidence": self.whole.confidence,
            "adjust": self.adjust,
            "min_rows": self.min_rows,
            "slices": [one.to_dict() for one in self.slices],
            "findings": [finding.to_dict() for finding in self.findings],
            "verdict": self.verdict.to_dict(),
        }


@dataclass(frozen=True)
class _Sliced:
    """One slice of the rows."""

    columns: tuple[str, ...]
    levels: tuple[str, ...]
    held: Held


def compared_by(
    c: Comparison,
    columns: Sequence[By],
    bins: Bins | Mapping[str, Bins] | None = None,
    pairs: bool = False,
    min_rows: int = 5,
) -> ComparedSlices:
    """Every pair of models of a comparison in every slice."""
    if c.models is None:
        cure = "compare arrays, or columns of a table that is held, and slice those"
        raise InputError("bad_option", "the rows of this comparison are not here, so they cannot be sliced", cure=cure)
    given: dict[str, Any] = {}
    for column in columns:
        given |= named_columns(column)
    if not given:
        raise InputError("bad_option", "nothing was named to slice by", cure="pass {'region': region}")
    e = c.models.sliced_by(given)
    known = e.sliceable()
    known = replace(known, columns={name: known.columns[name] for name in given})
    ways, findings = distinct_ways(ways_of(known, bins_of(bins, list(given)), pairs), known)
    weighing = np.ones(e.n, dtype=bool) if e.first.weights is None else e.first.weights > 0
    chosen, parts, small = catalogue[c.measure], [], []
    for way in ways:
        for i, (levels, size) in enumerate(zip(way.names, sizes_of(way, known).tolist(), strict=True)):
            if size < min_rows:
                small.append(slice_name(way.columns, levels))
                continue
            rows = weighing.copy()
            rows[weighing] = way.codes == i
            parts.append(_Sliced(way.columns, levels, e.kept(rows)))
    if small:
        text = f"{counted(len(small), 'slice')} of fewer than {counted(min_rows, 'row')}: not compared."
        findings = [*findings, Finding.of("small_slice", text, slices=small[:20])]
    found = _judged(c, chosen, parts)
    return ComparedSlices(c, found, c.adjust, min_rows, (*findings, *c.findings))


def _judged(c: Comparison, chosen: Measure, parts: Sequence[_Sliced]) -> tuple[ComparedSlice, ...]:
    """All slices and pairs, adjusted together."""
    names = list(c.values)
    pairs = list(combinations(range(len(names)), 2))
    if c.control is not None:
        pairs = [(i, names.index(c.control)) for i in range(len(names)) if names[i] != c.control]
    q = Question(c.control, c.margin, c.confidence, adjust=c.adjust)
    results: list[PairResult] = []
    of: list[_Sliced] = []
    for part in parts:
        results += pair_results(chosen, Models(part.held), pairs, c.values, q)
        of += [part] * len(pairs)
    told = judged(chosen, results, Family(c.confidence, c.adjust, c.margin), 1.0) if results else ()
    found = []
    for part, d in zip(of, told, strict=True):
        n = part.held.n  # rows that are needed grow with those of the slice
        needed = d.rows_needed if d.rows_needed is None or math.isinf(d.rows_needed) else math.ceil(d.rows_needed * n)
        found.append(ComparedSlice(part.columns, part.levels, n, replace(d, rows=n, rows_needed=needed)))
    return tuple(found)
