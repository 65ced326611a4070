"""Perfect, all wrong, one class, one row: no interval of zero width, and no missing value without a reason."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from surefold.estimates.of_table import TableEstimates
from surefold.measures.catalogue import catalogue
from surefold.tallies.clusters import Clusters
from surefold.tallies.confusion import Confusion

from .coverage import Array
from .page import Gate, Grid, Section

TEXT = """
Every measure of the catalogue, of the table and of every class, on {tables} tables that leave nothing to estimate a
spread from: everything right, everything wrong, a class never called, a class never seen, one class only, one row; from
1 to 10,000 rows, with weights and with groups. Each must have a width, and a value or the reason why there is none.
"""


KINDS = ("no value and no reason", "no interval and no reason", "no width", "value outside", "outside the range")


def tables() -> Iterator[tuple[str, Confusion, Clusters | None]]:
    for k in (2, 3, 10):
        for each in (1, 5, 1000):
            right = np.eye(k) * each
            shapes = {
                "all right": right,
                "all wrong": np.roll(right, 1, axis=1),
                "one class called": np.pad(np.full((k, 1), float(each)), ((0, 0), (0, k - 1))),
                "a class absent": np.where(np.arange(k)[:, None] < k - 1, right, 0),
                "one class only": np.where(np.arange(k)[:, None] == 0, right, 0),
                "one row": np.where(np.arange(k * k).reshape(k, k) == 0, 1.0, 0.0),
            }
            for name, counts in shapes.items():
                where = f"{name}, {k} classes, {counts.sum():g} rows"
                yield where, Confusion(counts), None
                yield f"{where}, weighted", Confusion(counts * 1.5, squares=counts * 3.0), None
                if counts.sum() >= 2:
                    yield f"{where}, grouped", Confusion(counts), _halves(counts)


def _halves(counts: Array) -> Clusters:
    """Four groups that share out every cell, as evenly as it goes."""
    true, predicted = np.nonzero(counts)
    group, cell = np.meshgrid(np.arange(4), np.arange(len(true)), indexing="ij")
    weight = np.repeat(counts[true, predicted][None] / 4, 4, axis=0)
    return Clusters(4, len(counts), group.ravel(), true[cell].ravel(), predicted[cell].ravel(), weight.ravel())


def faults(where: str, table: Confusion, clusters: Clusters | None) -> Iterator[str]:
    estimates = TableEstimates(table, clusters)
    for measure in catalogue.of_labels.values():
        if measure.needs_options:
            continue
        found = estimates.per_class(measure) if measure.is_per_class else (estimates.overall(measure),)
        for c, e in enumerate(found):
            one = f" of class {c}" if measure.is_per_class else ""
            what = f"{measure.name}{one} on {where}: {e.value} [{e.low}, {e.high}]"
            if math.isnan(e.value) and not e.reason:
                yield f"no value and no reason: {what}"
            if (math.isnan(e.low) or math.isnan(e.high)) and not e.reason:
                yield f"no interval and no reason: {what}"
            if e.low >= e.high:
                yield f"no width: {what}"
            if not math.isnan(e.value) and not e.low <= e.value <= e.high:
                yield f"value outside: {what}"
            if not math.isnan(e.low) and (e.low < measure.range[0] - 1e-9 or e.high > measure.range[1] + 1e-9):
                yield f"outside the range: {what}"


def run(quick: bool) -> Section:
    everything = list(tables())
    found = [fault for table in everything[:: 5 if quick else 1] for fault in faults(*table)]
    kinds: dict[str, list[str]] = {}
    for fault in found:
        kinds.setdefault(fault.split(":")[0], []).append(fault.split(": ", 1)[1])
    rows = [(kind, str(len([f for f in found if f.startswith(kind)])), kinds.get(kind, ["–"])[0]) for kind in KINDS]
    gates = [Gate("degenerate tables: faults", "0", str(len(found)), not found)]
    grids = [Grid("", ("fault", "times", "for example"), rows)]
    return Section("degenerate", "Data with nothing to go by", TEXT.format(tables=len(everything)), grids, gates)
