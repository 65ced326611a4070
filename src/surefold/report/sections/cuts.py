"""The thresholds that the page can move over: counts at each, and intervals, so that the script makes none."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefold.assessment import Assessment
from surefold.report.figures.thinning import hull_places, spread_places
from surefold.report.sections.cut_bounds import bounds_at
from surefold.report.sections.cut_codes import RATES, bounds_code, shown, stored, threshold_code, values_at
from surefold.report.sections.packed import packed
from surefold.tallies.ratio import ratio

__all__ = ["MOST", "Cuts", "cost_with_bounds", "cuts_of", "precision_elsewhere"]

Array = NDArray[np.float64]

#: Thresholds a model has at most.
MOST = 1024


@dataclass(frozen=True, eq=False)
class Cuts:
    """Thresholds, highest first, and the next lower score `below` each; `start` is the place to stand at first, and
    `standing` the threshold as it is said there.
    """

    threshold: Array
    below: Array
    tp: Array
    fp: Array
    positives: float
    negatives: float
    bounds: dict[str, tuple[Array, Array]]
    distinct: int
    start: int
    standing: str

    def __len__(self) -> int:
        return len(self.threshold)

    def values(self, place: int) -> dict[str, float]:
        """The measures at one threshold."""
        here = slice(place, place + 1)
        found = values_at(self.tp[here], self.fp[here], self.positives, self.negatives)
        return {name: float(value[0]) for name, value in found.items()}

    @cached_property
    def shown(self) -> tuple[str, ...]:
        """Each with four digits, or more where fewer would not cut the same rows."""
        return tuple(shown(s, b) for s, b in zip(self.threshold.tolist(), self.below.tolist(), strict=True))

    @property
    def prevalence(self) -> float:
        return float(ratio(self.positives, self.positives + self.negatives))

    def cost(
        self, place: int, costs: Mapping[str, float], prevalence: float | None = None
    ) -> tuple[float, float, float]:
        """Mean cost of a row and its bounds; at the prevalence of these rows, or another."""
        values, tp, fp = self.values(place), float(self.tp[place]), float(self.fp[place])
        rates = [(values[name], *self.held(name, place)) for name in RATES]
        found, low, high = cost_with_bounds(
            rates[0], rates[1], self.prevalence if prevalence is None else prevalence, costs
        )
        if prevalence is None:  # by the counts themselves, as the library has it
            price = {"tp": 0.0, "tn": 0.0, **costs}
            paid = tp * price["tp"] + (self.positives - tp) * price["fn"]
            paid += fp * price["fp"] + (self.negatives - fp) * price["tn"]
            exact = paid / (self.positives + self.negatives)
            return exact, exact - (found - low), exact + (high - found)
        return found, low, high

    def held(self, rate: str, place: int) -> tuple[float, float]:
        """The bounds of a rate as the page holds them."""
        low, high = (stored(rate, float(bound[place])) / 10_000 for bound in self.bounds[rate])
        return low, high

    def to_dict(self) -> dict[str, Any]:
        """For the script."""
        scale = _scale(self.tp, self.fp, self.positives, self.negatives)
        tp, fp = (np.rint(column * scale) for column in (self.tp, self.fp))
        positives, negatives = (round(total * scale) / scale for total in (self.positives, self.negatives))
        return {
            **threshold_code(self.threshold.tolist(), self.below.tolist()),
            "tp": packed(map(int, tp.tolist())),
            "fp": packed(map(int, fp.tolist())),
            "scale": scale,
            "positives": positives,
            "negatives": negatives,
            "bounds": bounds_code(self.bounds, tp / scale, fp / scale, positives, negatives),
            "start": self.start,
            "standing": self.standing,
            "distinct": self.distinct,
        }


def _scale(tp: Array, fp: Array, positives: float, negatives: float) -> int:
    """What counts are multiplied by to be whole numbers: weights, however small, keep seven digits."""
    if all(float(v).is_integer() for v in (*tp, *fp, positives, negatives)):
        return 1
    return int(10 ** max(3, 7 - math.floor(math.log10(positives + negatives))))


def cuts_of(a: Assessment, most: int = MOST) -> Cuts:
    """The thresholds of one class against the rest."""
    t = a.tally
    threshold, tp, fp = np.append(np.inf, t.score), np.append(0.0, t.tp), np.append(0.0, t.fp)
    if len(t.score) and t.score[0] == np.inf:  # nothing lies above an infinite score
        threshold, tp, fp = threshold[1:], tp[1:], fp[1:]
    tp[-1], fp[-1] = t.positives, t.negatives  # sums of weights in another order are not always the same
    x, y = ratio(fp, t.negatives), ratio(tp, t.positives)
    start = _start(a, threshold, tp, fp)
    named = [start, int(np.argmax(y - x)), int(np.searchsorted(-threshold, -0.5, side="right")) - 1]
    always = np.append(hull_places(x, y), np.maximum(named, 0)).astype(np.intp)
    kept = np.unique(np.append(spread_places(x, y, most, always), start))
    below = np.append(threshold[1:], -np.inf)[kept]
    place = int(np.searchsorted(kept, start))
    return Cuts(
        threshold[kept],
        below,
        tp[kept],
        fp[kept],
        t.positives,
        t.negatives,
        bounds_at(a, threshold[kept], tp[kept], fp[kept]),
        len(t.score),
        place,
        "0.5" if below[place] < 0.5 <= threshold[start] else "",
    )


def _start(a: Assessment, threshold: Array, tp: Array, fp: Array) -> int:
    """Where to stand at first: where the given labels were cut, at 0.5, or calling as many as there are positives."""
    if a.estimates is not None and a.positive is not None and len(a.labels) == 2:
        margins = a.confusion.margins()
        right, called = float(margins.tp[a.positive]), float(margins.called[a.positive])
        same = np.flatnonzero(np.isclose(tp, right) & np.isclose(fp, called - right))
        if len(same):
            return int(same[0])
    if a.scores is not None and a.scores.are_probabilities:
        return max(int(np.searchsorted(-threshold, -0.5, side="right")) - 1, 0)
    return int(np.argmin(np.abs(tp + fp - tp[-1])))


# what the script also does, here as its measure


def cost_with_bounds(
    recall: tuple[float, float, float],
    specificity: tuple[float, float, float],
    prevalence: float,
    costs: Mapping[str, float],
) -> tuple[float, float, float]:
    """Mean cost of a row and its bounds, from (value, low, high) of recall and specificity at a known prevalence.

    The two rates are of different rows, so their margins are squared and added (Zou & Donner 2008, Stat. Med. 27:1693).

    >>> [round(v, 4) for v in cost_with_bounds((0.8, 0.7, 0.9), (0.9, 0.85, 0.95), 0.5, {"fp": 1, "fn": 5})]
    [0.55, 0.2988, 0.8012]
    """
    p, price = prevalence, {"tp": 0.0, "tn": 0.0, **costs}
    found = p * (recall[0] * price["tp"] + (1 - recall[0]) * price["fn"])
    found += (1 - p) * ((1 - specificity[0]) * price["fp"] + specificity[0] * price["tn"])
    slopes = (p * (price["tp"] - price["fn"]), (1 - p) * (price["tn"] - price["fp"]))
    down = up = 0.0
    for slope, (value, low, high) in zip(slopes, (recall, specificity), strict=True):
        ends = sorted((slope * (low - value), slope * (high - value)))
        down, up = math.hypot(down, ends[0]), math.hypot(up, ends[1])
    return found, found - down, found + up


def precision_elsewhere(likelihood_ratio: float, prevalence: float) -> float:
    """Precision where positives are this common: the odds there times the likelihood ratio of a call.

    >>> round(precision_elsewhere(9.0, 0.1), 3)  # odds 1/9 x 9 = 1
    0.5
    """
    if math.isinf(likelihood_ratio):
        return 1.0
    odds = likelihood_ratio * prevalence
    return float(ratio(odds, odds + 1 - prevalence))
