"""Intervals at every threshold of the page in one pass, of plain, weighted and grouped rows alike."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from surefold.assessment import Assessment
from surefold.estimates.intervals import table_intervals
from surefold.estimates.sample import Sample
from surefold.measures import catalogue
from surefold.report.sections.cut_codes import BOUNDED
from surefold.tallies.confusion import Confusion

__all__ = ["bounds_at"]

Array = NDArray[np.float64]


def bounds_at(a: Assessment, threshold: Array) -> dict[str, tuple[Array, Array]]:
    """Low and high of every measure at thresholds, and of the prevalence, as `a.at(threshold)` has them."""
    if a.scores is None:
        raise AssertionError("thresholds cut scores")
    cuts = a.scores.cut(threshold)
    sample = Sample.of(Confusion(cuts.counts, squares=cuts.squares), cuts.groups)
    answer = {}
    for name in (*BOUNDED, "prevalence"):
        m = catalogue.of_labels[name]
        found = table_intervals(m, sample, a.confidence)
        value, low, high = ((b[..., 1] if m.is_per_class else b) for b in (found.value, found.low, found.high))
        unknown = np.isnan(value)
        answer[name] = (np.where(unknown, np.nan, low), np.where(unknown, np.nan, high))
    return answer
