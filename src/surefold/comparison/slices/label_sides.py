"""A measure of labels in every slice and in the rest of each: the tables of all at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefold.comparison.slices.sides import Sides
from surefold.errors import InputError
from surefold.estimates.estimate import Estimate
from surefold.estimates.intervals import Intervals, enlarged_moments, table_intervals
from surefold.estimates.of_table import TableEstimates
from surefold.estimates.sample import Sample
from surefold.evidence.slicing import Way
from surefold.measures.measure import Measure
from surefold.tallies.confusion import Confusion, Table
from surefold.tallies.label_cells import LabelCells
from surefold.tallies.slice_tables import GroupsOfSlices, group_cells, slice_counts, slice_groups, without
from surefold.tallies.sparse import DENSE_CLASSES

__all__ = ["label_sides"]

Array = NDArray[np.float64]
#: Cells of tables that are held at once.
_CELLS = 1 << 22


@dataclass(frozen=True, eq=False)
class _Tables:
    """Tables of many sets of rows, and of their squared weights where rows are weighted."""

    counts: Array
    squares: Array | None
    groups: GroupsOfSlices | None
    averaged: NDArray[np.bool_]

    @property
    def sample(self) -> Sample:
        """With weights that add up to the rows that they are worth."""
        if self.squares is None:
            table = Table(self.counts)
            return Sample(table, table, self.averaged, self.groups)
        total, squared = (x.sum(axis=(-1, -2)) for x in (self.counts, self.squares))
        scale = np.where(squared > 0, total / np.where(squared > 0, squared, 1.0), 1.0)
        each, groups = scale[:, None, None], None if self.groups is None else self.groups.scaled(scale)
        return Sample(Table(self.counts * each), Table(self.squares * each**2), self.averaged, groups)


def label_sides(measure: Measure, cells: LabelCells, ways: Sequence[Way], model: int) -> tuple[Sides, Sides]:
    """Of all slices of all ways, one after the other, and of the rest of each.

    A measure of one class is read from that class against the rest: pass `cells.one_against_rest(c)`.
    """
    k = len(cells.labels)
    if k > DENSE_CLASSES:
        problem = f"slices of {k:,} classes would take a whole table each"
        raise InputError("bad_option", problem, cure=f"join classes, or choose rows of at most {DENSE_CLASSES:,}")
    parts = [_sides(measure, cells, block) for block in _blocks(cells, ways, model)]
    insides, outsides = zip(*parts, strict=True)
    return _joined(insides), _joined(outsides)


def _blocks(cells: LabelCells, ways: Sequence[Way], model: int) -> Iterator[tuple[_Tables, _Tables]]:
    """Tables of some slices at a time, and of the rest of each."""
    k = len(cells.labels)
    most = max(1, _CELLS // (k * k))
    cell = cells.truth.astype(np.intp) * k + cells.calls[model]
    weights = cells.weight if cells.rows is None or cells.weighted else cells.rows.astype(float)
    averaged, in_groups = cells.tables[model].averaged, group_cells(cells, model)
    every = [weights] if cells.squares is None else [weights, cells.squares]
    wholes = [np.bincount(cell, weights=w, minlength=k * k).astype(float) for w in every]
    for way in ways:
        for start in range(0, len(way), most):
            slices = min(most, len(way) - start)
            inside = (way.codes >= start) & (way.codes < start + slices)
            codes = np.where(inside, way.codes - start, -1)
            held = [slice_counts(codes, slices, cell, k * k, w) for w in every]
            rests = [without(whole, part) for whole, part in zip(wholes, held, strict=True)]
            groups = (None, None) if in_groups is None else slice_groups(in_groups, codes, slices, k)
            first, second = (
                _Tables(x[0].reshape(-1, k, k), x[1].reshape(-1, k, k) if len(x) > 1 else None, g, averaged)
                for x, g in zip((held, rests), groups, strict=True)
            )
            yield first, second


def _sides(measure: Measure, cells: LabelCells, both: tuple[_Tables, _Tables]) -> tuple[Sides, Sides]:
    inside, outside = (_side(measure, cells, tables) for tables in both)
    return inside, outside


def _side(measure: Measure, cells: LabelCells, tables: _Tables) -> Sides:
    sample, of_class = tables.sample, (..., 1) if measure.is_per_class else ()
    method = "exact" if measure.is_share else "auto"

    def intervals(confidence: float) -> Intervals:
        return table_intervals(measure, sample, confidence, method)

    def ends(confidence: float) -> tuple[Array, Array]:
        both = intervals(confidence)
        return both.low[of_class], both.high[of_class]

    found = intervals(0.95)
    centre, variance, groups = enlarged_moments(measure, sample)
    slices, independent = len(tables.counts), tables.squares is None and tables.groups is None
    share = None
    if measure.is_share and independent:
        with np.errstate(invalid="ignore", divide="ignore"):
            top, bottom = measure.shares(sample.one_vs_rest if measure.is_per_class else sample.margins())
        share = top[of_class], bottom[of_class]
    value = found.value[of_class]
    return Sides(
        value,
        centre[of_class],
        variance[of_class],
        np.where(np.isnan(value), 0.0, found.n[of_class]),
        groups[of_class],
        found.limits,
        np.full(slices, 0.5),
        "ratio" if measure.is_ratio else "unit",
        share,
        lambda confidence: _estimates(measure, cells, tables, intervals(confidence), confidence),
        ends,
    )


def _estimates(
    measure: Measure, cells: LabelCells, tables: _Tables, found: Intervals, confidence: float
) -> list[Estimate]:
    """With reasons and flags, each of its own table."""
    made = []
    for i, counts in enumerate(tables.counts):
        squares = None if tables.squares is None else tables.squares[i]
        confusion = Confusion(counts, cells.labels, squares=squares, declared=True, averaged=tables.averaged)
        clusters = None if tables.groups is None or not tables.groups.each[i].groups else tables.groups.each[i]
        one = TableEstimates(confusion, clusters, confidence)
        c = 1 if measure.is_per_class else None
        made.append(one.estimate_at(measure, found, (i,) if c is None else (i, c), c))
    return made


def _joined(parts: Sequence[Sides]) -> Sides:
    """One after the other."""
    first, *others = parts
    if not others:
        return first
    arrays = ("value", "centre", "variance", "rows", "groups", "shape")
    joined: dict[str, Any] = {name: np.concatenate([getattr(part, name) for part in parts]) for name in arrays}
    shares = [part.share for part in parts if part.share is not None]
    share = (np.concatenate([s[0] for s in shares]), np.concatenate([s[1] for s in shares])) if shares else None

    def estimates(confidence: float) -> list[Estimate]:
        return [e for part in parts if part.estimates is not None for e in part.estimates(confidence)]

    def ends(confidence: float) -> tuple[Array, Array]:
        both = [part.bounds(confidence) for part in parts]
        return np.concatenate([low for low, _ in both]), np.concatenate([high for _, high in both])

    return replace(first, **joined, share=share, estimates=estimates, ends=ends)
