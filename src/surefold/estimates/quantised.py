"""Scores that were cut to their leading bits: between which values figures lie, and what is said of that.

Every measure that only gets better when a positive's score rises or a negative's falls is between its values at the two
ends of what the scores may have been.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace

from surefold.estimates.estimate import Estimate
from surefold.findings import Finding
from surefold.measures.catalogue import catalogue
from surefold.measures.score_measure import ScoreMeasure
from surefold.tallies.against_rest import AgainstRest

__all__ = ["open_bounds", "quantised_finding", "spanning"]

Ends = tuple[float, float]


def open_bounds(measures: Iterable[ScoreMeasure], ends: AgainstRest) -> dict[str, Ends | None]:
    """The least and greatest value of each measure that has such; None where it is undefined at an end."""
    known = {m.name: m for m in measures if m.monotone}
    found: dict[str, list[float]] = {name: [] for name in known}
    for best in (True, False):
        t = ends.at_best(best=best)
        for name, m in known.items():
            found[name].append(float(m(t)))
    least = ends.at_least()
    found |= {name: list(m.ends(least)) for name, m in known.items() if m.ends is not None}
    return {name: None if any(map(math.isnan, v)) else (min(v), max(v)) for name, v in found.items()}


def spanning(found: Estimate, ends: Ends | None) -> Estimate:
    """The estimate with an interval that also spans what is open."""
    found = replace(found, flags=(*found.flags, "quantised_scores"))
    if ends is None or not found.defined:
        return found
    low, high = min(ends[0], found.value), max(ends[1], found.value)
    wider = (found.low - (found.value - low), found.high + (high - found.value))
    least, greatest = catalogue[found.name].range
    return replace(found, low=max(wider[0], least), high=min(wider[1], greatest))


def quantised_finding(ends: AgainstRest, known: Mapping[str, Ends]) -> Finding:
    """That scores were quantised, and what that leaves open."""
    counts, shown = ends.counts, ("roc_auc", "average_precision", "brier", "log_loss")
    told = "; ".join(f"{name} between {_digits(*known[name])}" for name in shown if name in known)
    sentence = (
        f"Distinct scores are more than the memory given holds: they were cut to {counts.level} of 64 bits, "
        f"which left {len(counts.bits):,} groups. Of the scores as they were, {told}; intervals span that. "
        "More memory= (--memory) tells more."
    )
    bounds = {name: list(each) for name, each in known.items()}
    return Finding.of("quantised_scores", sentence, bits=counts.level, groups=len(counts.bits), bounds=bounds)


def _digits(low: float, high: float) -> str:
    """Two numbers with as many digits as it takes to tell them apart, and two more."""
    apart = high - low
    places = 6 if apart <= 0 else min(max(3, 2 - math.floor(math.log10(apart))), 15)
    return f"{low:.{places}f} and {high:.{places}f}"
