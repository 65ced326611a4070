"""Counting how often an interval holds the truth, whether it was flagged, and how wide it is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefold.estimates.intervals import Intervals, table_intervals
from surefold.estimates.of_table import FEW_WRONG, RARE
from surefold.estimates.replicate import Replicates
from surefold.estimates.sample import Sample
from surefold.measures.catalogue import catalogue
from surefold.measures.measure import Measure
from surefold.tallies.confusion import Table

from .designs import Design

Array = NDArray[Any]

CONFIDENCE = 0.95
#: Fewer draws than this say too little about a cell.
ENOUGH = 500


@dataclass(frozen=True)
class Cell:
    """What one rule did for one measure on one design.

    `unflagged` is the coverage among the draws without a flag, `clean` how many those were. A draw without a value
    carries its reason in place of a flag, and without an interval it counts as a miss.
    """

    design: str
    measure: str
    coverage: float
    draws: int
    flagged: float = 0.0
    unflagged: float = np.nan
    clean: int = 0
    undefined: float = 0.0
    no_interval: float = 0.0
    width: float = np.nan

    @property
    def error(self) -> float:
        return standard_error(self.coverage, self.draws)


def standard_error(coverage: float, draws: int) -> float:
    """Monte-Carlo standard error of a coverage; at least that of .95, so that 1.000 is not taken for certain."""
    return float(np.sqrt(max(coverage * (1 - coverage), 0.95 * 0.05) / max(draws, 1)))


def holds(low: Array, high: Array, truth: float | Array) -> NDArray[np.bool_]:
    """Whether each interval holds the truth; an interval that is not there does not."""
    slack = 1e-9 * np.maximum(1.0, np.abs(truth))
    with np.errstate(invalid="ignore"):
        return np.asarray((low <= truth + slack) & (truth - slack <= high))


def true_value(measure: Measure, population: Array, c: int = 0) -> float:
    """The measure of the population itself; of class c where it is one of each class."""
    margins = Sample(Table(population), Table(population), np.ones(len(population), dtype=bool)).margins(
        None if measure.weigh is None else measure.weigh(len(population), measure.settings)
    )
    return float(measure(margins.one_vs_rest)[c] if measure.is_per_class else measure(margins))


def samples(tables: Array, squares: Array | None = None) -> Iterator[tuple[slice, Sample]]:
    """Tables as samples, a cache-sized number at a time."""
    k = tables.shape[-1]
    size = max(20, 200_000 // (9 * k * k))
    for start in range(0, len(tables), size):
        part = slice(start, start + size)
        table = Table(tables[part])
        yield part, Sample(table, table if squares is None else Table(squares[part]), np.ones(k, dtype=bool))


def is_flagged(measure: Measure, sample: Sample, c: int) -> NDArray[np.bool_]:
    """The warning flags as `TableEstimates` gives them, for a batch; tested to be the same.

    These are `rare_class`, `rarely_called`, `few_errors` where errors are weighted, and `few_weighted_errors`.
    """
    margins = sample.margins()
    flagged = np.zeros(margins.total.shape, dtype=bool)
    if not measure.is_share:
        for rows in (sample.called,) if measure.given == "predicted" else (sample.rows, sample.called):
            least = np.minimum(rows[..., c], rows.sum(axis=-1) - rows[..., c]) if measure.is_per_class else rows.min(-1)
            flagged |= least < RARE - 1e-9
    if measure.weigh is not None:
        flagged |= margins.total - margins.correct < FEW_WRONG - 1e-9
    if sample.squares is not sample.table:
        flagged |= _few_weighted(measure, sample, c)
    return flagged


def _few_weighted(measure: Measure, sample: Sample, c: int) -> NDArray[np.bool_]:
    if not measure.is_share:
        whole, squared = sample.margins(), sample.squared_margins
        top, bottom, top2, bottom2 = whole.correct, whole.total, squared.correct, squared.total
    elif measure.is_per_class:
        parts = (*measure.shares(sample.one_vs_rest), *measure.shares(sample.squared_one_vs_rest))
        top, bottom, top2, bottom2 = (x[..., c] for x in parts)
    else:
        top, bottom, top2, bottom2 = *measure.shares(sample.margins()), *measure.shares(sample.squared_margins)
    vary = ~(np.isclose(top, top2) & np.isclose(bottom, bottom2))
    worth = np.minimum(_worth(top, top2), _worth(bottom - top, bottom2 - top2))
    return np.asarray(vary & (worth < RARE - 1e-9))


def _worth(sums: Array, squares: Array) -> Array:
    """Effective rows of weights: (sum w)^2 / (sum w^2)."""
    return np.where(squares > 0, sums**2 / np.where(squares > 0, squares, 1.0), 0.0)


def at_class(measure: Measure, found: Intervals, c: int) -> tuple[Array, Array, Array]:
    parts = (found.value, found.low, found.high)
    value, low, high = (x[..., c] for x in parts) if measure.is_per_class else parts
    return value, low, high


def cover(
    design: Design, names: tuple[str, ...], tables: Array, *, c: int = 0, squares: Array | None = None,
    truth: Array | None = None, method: str = "auto",
) -> list[Cell]:  # fmt: skip
    """The shipped interval of each measure on every drawn table."""
    held: dict[str, list[Array]] = {name: [] for name in names}
    for _, sample in samples(tables, squares):
        for name in names:
            measure = catalogue[name]
            target = true_value(measure, design.population if truth is None else truth, c)
            value, low, high = at_class(measure, table_intervals(measure, sample, CONFIDENCE, method), c)
            undefined = np.isnan(value)
            flagged = is_flagged(measure, sample, c) | undefined
            missing = np.isnan(low) | np.isnan(high)
            parts = holds(low, high, target), flagged, undefined, missing, _width(measure, low, high)
            held[name].append(np.stack([x.astype(float) for x in parts]))
    return [cell_of(design.name, name, np.concatenate(parts, axis=1)) for name, parts in held.items()]


def _width(measure: Measure, low: Array, high: Array) -> Array:
    if measure.is_ratio:
        with np.errstate(divide="ignore", invalid="ignore"):
            wide = np.log(high / low)
        return np.where(np.isfinite(wide), wide, np.nan)
    return high - low


def cell_of(design: str, measure: str, parts: Array) -> Cell:
    """One cell from rows of (held, flagged, undefined, no interval, width)."""
    inside, flagged, undefined, missing, width = parts
    clean = flagged == 0
    return Cell(
        design,
        measure,
        float(inside.mean()),
        inside.size,
        float(flagged.mean()),
        float(inside[clean].mean()) if clean.any() else np.nan,
        int(clean.sum()),
        float(undefined.mean()),
        float(missing.mean()),
        float(np.nanmean(width)) if np.isfinite(width).any() else np.nan,
    )


def cover_by_bootstrap(
    design: Design, names: tuple[str, ...], tables: Array, draws: int, *, c: int = 0
) -> dict[str, list[Cell]]:
    """Percentile and BCa on the same tables, which have to be taken one by one."""
    rows: dict[tuple[str, str], list[list[float]]] = {(m, name): [] for m in ("percentile", "bca") for name in names}
    for seed, counts in enumerate(tables):
        table = Table(counts)
        sample = Sample(table, table, np.ones(design.classes, dtype=bool))
        replicates = Replicates.draw(sample, draws, seed)
        for (method, name), held in rows.items():
            measure = catalogue[name]
            with np.errstate(all="ignore"):
                found = replicates.intervals(measure, sample, CONFIDENCE, method)
            value, low, high = (np.asarray(x) for x in at_class(measure, found, c))
            inside = holds(low, high, true_value(measure, design.population, c))
            held.append([float(inside), 0.0, float(np.isnan(value)), float(np.isnan(low)), float(high - low)])
    found_cells: dict[str, list[Cell]] = {"percentile": [], "bca": []}
    for (method, name), held in rows.items():
        found_cells[method].append(cell_of(design.name, name, np.array(held).T))
    return found_cells
