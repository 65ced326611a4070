"""Models over splits as records: every mean with its interval, then every split."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from surefold.measures import catalogue
from surefold.report.rows import COLUMNS, estimate_row
from surefold.resampling.bootstrapped import Bootstrapped
from surefold.show.of.splits import (
    MOST_SPLITS,
    Result,
    bootstrap_estimates,
    chosen,
    estimates_of,
    fold_values_of,
    parts_of,
)

__all__ = ["SPLIT_COLUMNS", "resampled_records"]

SPLIT_COLUMNS = ("model", "repeat", "fold", *COLUMNS[1:], "complete")


def resampled_records(
    result: Result, measures: Sequence[str] | None = None
) -> tuple[tuple[str, ...], Iterator[tuple[Any, ...]]]:
    """One row a model and measure with its interval; then, with repeat and fold from one, a row a split and measure.

    `complete` says of the first whether every fold is in it, of the others whether that fold is there.
    """
    return SPLIT_COLUMNS, _rows_of(result, measures)


def _rows_of(result: Result, measures: Sequence[str] | None) -> Iterator[tuple[Any, ...]]:
    if isinstance(result, Bootstrapped):
        for measure in measures or (result.measure,):
            for kind, e in bootstrap_estimates(result, measure).items():
                yield (result.name, None, None, *estimate_row(f"{catalogue[measure].name} {kind}", e), result.complete)
    else:
        for r in parts_of(result):
            for name, e in estimates_of(r, measures).items():
                yield (r.name, None, None, *estimate_row(name, e), r.complete)
    for r in parts_of(result):
        if len(r.plan) > MOST_SPLITS:
            continue
        named = chosen(r, measures or ((result.measure,) if isinstance(result, Bootstrapped) else None))
        found = {name: fold_values_of(r, name) for name in named}
        for i in range(len(r.plan)):
            where = (r.name, int(r.plan.repeat[i]) + 1, int(r.plan.fold[i]) + 1)
            for name, each in found.items():
                value = float(each.values[i]) if math.isfinite(each.values[i]) else None
                nothing = (None,) * 5
                n = int(r.plan.test_sizes[i])
                yield (*where, name, value, *nothing, n, "", each.reasons.get(i, ""), i not in r.failures)
