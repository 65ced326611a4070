"""The threshold that answers went by, as the held-out answers of every fold show it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from surefold.inputs.labels import Label
from surefold.numbers import number
from surefold.resampling.resampled import Resampled

__all__ = ["Threshold", "shown_threshold"]


@dataclass(frozen=True)
class Threshold:
    """From which score of a class on it was answered: the median over folds, the least and the greatest.

    A fold shows it to lie between the highest score that was not answered with the class and the lowest that was; the
    middle of the two stands for it. Infinite: the class was never answered. `reason` says why there is none.
    """

    value: float
    low: float
    high: float
    label: Label = ""
    reason: str = ""

    def __str__(self) -> str:
        if math.isnan(self.value):
            return "–"
        if self.low == self.high:
            return number(self.value, ".3g")
        return f"{number(self.value, '.2g')} ({number(self.low, '.2g')} to {number(self.high, '.2g')})"

    def to_dict(self) -> dict[str, Any]:
        """Plain values; what is infinite is None and named."""
        shown: dict[str, Any] = {"label": self.label}
        for name in ("value", "low", "high"):
            found = getattr(self, name)
            shown[name] = found if math.isfinite(found) else None
        if math.isinf(self.value):
            shown["infinite"] = [name for name in ("value", "low", "high") if math.isinf(getattr(self, name))]
        return shown | ({"reason": self.reason} if self.reason else {})


def shown_threshold(each: Resampled, costly: int, known: Sequence[float] = ()) -> Threshold:
    """The threshold on the score of the costly class of two; one of `known` where every fold agrees with it."""
    nan, label = math.nan, each.labels[costly]
    held = each.held
    if len(each.labels) > 2:
        return Threshold(nan, nan, nan, label, "many classes have no single threshold")
    scores = held.scores_for(costly)
    if scores is None:
        return Threshold(nan, nan, nan, label, "the model gives labels only")
    below, above = [], []
    for i in range(held.splits):
        part = slice(int(held.starts[i]), int(held.starts[i + 1]))
        if held.predicted[held.starts[i]] < 0:
            continue  # the fold is missing
        s, called = scores[part], held.predicted[part] == costly
        below.append(float(s[~called].max(initial=-np.inf)))
        above.append(float(s[called].min(initial=np.inf)))
    low, high = np.array(below), np.array(above)
    if not len(low) or (low > high).any():
        why = "no fold is there" if not len(low) else "the labels do not go by the scores alone"
        return Threshold(nan, nan, nan, label, why)
    for one in known:
        if ((low <= one) & (one <= high)).all():
            return Threshold(one, one, one, label)
    one_sided = np.isinf(low) | np.isinf(high)
    middle = np.where(one_sided, high, (np.where(one_sided, 0, low) + np.where(one_sided, 0, high)) / 2)
    return Threshold(float(np.median(middle)), float(middle.min()), float(middle.max()), label)
