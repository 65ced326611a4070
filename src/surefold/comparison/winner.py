"""The best of several models: picked on these rows, so its value needs a wider interval."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace

from surefold.comparison.result import Winner
from surefold.estimates.estimate import Estimate

__all__ = ["winner_of"]


def winner_of(
    values: Mapping[str, Estimate],
    lower_is_better: bool,
    confidence: float,
    at: Callable[[str, float], Estimate],
) -> Winner | None:
    """The model with the best value, flagged, and the interval that holds for all of them at once.

    `at` gives a model's estimate at another confidence. Bonferroni's share of the error for each of m models makes all
    m ends on the flattered side hold together, so the one of the winner holds whichever model that is. Who wins is, if
    anything, lucky: the other end needs no allowance, and stays where the model's own interval has it.
    """
    defined = [name for name, e in values.items() if math.isfinite(e.value)]
    if len(values) < 2 or not defined:
        return None
    best = (min if lower_is_better else max)(defined, key=lambda name: values[name].value)
    m = len(values)
    flagged = replace(values[best], flags=(*values[best].flags, "selected_from_m"))
    wider = at(best, 1 - (1 - confidence) / m)
    low, high = values[best].low, values[best].high
    low, high = (low, wider.high) if lower_is_better else (wider.low, high)
    method = f"{wider.method}, Bonferroni over {m} at one end"
    corrected = replace(wider, low=low, high=high, confidence=confidence, method=method, flags=flagged.flags)
    return Winner(best, m, flagged, corrected)
