"""The thresholds that the page can move over: counts at each, and intervals, so that the script makes none."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefold.assessment import Assessment
from surefold.report.sections.cut_bounds import bounds_at
from surefold.report.sections.cut_codes import RATES, bounds_code, stored, threshold_code, values_at
from surefold.report.sections.packed import packed
from surefold.show.charts.thinning import hull_places, spread_places
from surefold.show.thresholds import shown
from surefold.tallies.ratio import ratio

__all__ = ["MOST", "Cuts", "cost_with_bounds", "cuts_of", "precision_elsewhere"]

Array = NDArray[np.float64]

#: Thresholds a model has at most.
MOST = 1024


@dataclass(frozen=True, eq=False)
class Cuts:
    """Thresholds, highest first, and the next lower score `below` each; `start` is the place to stand at first, and
    `standing` the threshold as it is said there. `shares` are low and high of the prevalence. `fits` is whether the
    labels that were given are those of some threshold.
    """

    threshold: Array
    below: Array
    tp: Array
    fp: Array
    positives: float
    negatives: float
    bounds: dict[str, tuple[Array, Array]]
    shares: tuple[float, float]
    distinct: int
    start: int
    standing: str
    fits: bool = True

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
        """Mean cost of a row and its bounds: at the prevalence of these rows, an estimate, or at one that is known."""
        values = self.values(place)
        rates = [(values[name], *self.held(name, place)) for name in RATES]
        share = (self.prevalence, *self.shares) if prevalence is None else (prevalence,) * 3
        found, low, high = cost_with_bounds(rates[0], rates[1], share, costs)
        if prevalence is None:  # by the counts themselves, as the library has it
            price, tp, fp = {"tp": 0.0, "tn": 0.0, **costs}, float(self.tp[place]), float(self.fp[place])
            paid = tp * price["tp"] + (self.positives - tp) * price["fn"]
            paid += fp * price["fp"] + (self.negatives - fp) * price["tn"]
            found = paid / (self.positives + self.negatives)
        return float(found), float(low), float(high)

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
            "shares": self.shares,
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
    start, said, fits = _start(a, threshold, tp, fp)
    named = [start, int(np.argmax(y - x)), int(np.searchsorted(-threshold, -0.5, side="right")) - 1]
    always = np.append(hull_places(x, y), np.maximum(named, 0)).astype(np.intp)
    kept = np.unique(np.append(spread_places(x, y, most, always), start))
    below = np.append(threshold[1:], -np.inf)[kept]
    bounds = bounds_at(a, threshold[kept])
    (low, *_), (high, *_) = bounds.pop("prevalence")  # it is the same at every threshold
    return Cuts(
        threshold[kept],
        below,
        tp[kept],
        fp[kept],
        t.positives,
        t.negatives,
        bounds,
        (float(low), float(high)),
        len(t.score),
        int(np.searchsorted(kept, start)),
        said,
        fits,
    )


def _start(a: Assessment, threshold: Array, tp: Array, fp: Array) -> tuple[int, str, bool]:
    """Where to stand at first, how that threshold is said, and whether the labels were cut there.

    That is at the threshold that made the labels; where the labels that were given would be cut; at 0.5; or calling as
    many as there are positives.
    """
    used = next((f.evidence.get("threshold") for f in a.noticed if f.code == "labels_from_scores"), None)
    if used is not None:
        return _place(threshold, float(used)), _said(float(used)), True
    fits = True
    if a.estimates is not None and a.positive is not None and len(a.labels) == 2:
        margins = a.confusion.margins()
        right, called = float(margins.tp[a.positive]), float(margins.called[a.positive])
        same = _with_counts(tp, fp, right, called - right)
        if same is not None:
            half = same == _place(threshold, 0.5) and a.scores is not None and a.scores.are_probabilities
            return same, "0.5" if half else "", True
        fits = False
    if a.scores is not None and a.scores.are_probabilities:
        return _place(threshold, 0.5), "0.5", fits
    return int(np.argmin(np.abs(tp + fp - tp[-1]))), "", fits


def _place(threshold: Array, value: float) -> int:
    """The lowest threshold that is at least the value: both call the same rows."""
    return max(int(np.searchsorted(-threshold, -value, side="right")) - 1, 0)


def _said(value: float) -> str:
    return f"{value:.15g}" if math.isfinite(value) and float(f"{value:.15g}") == value else ""


def _with_counts(tp: Array, fp: Array, right: float, wrong: float) -> int | None:
    """The place with these counts. Sums of weights come out a little different in another order, so of them it is the
    nearest, if every place with other counts is a thousand times further away.
    """
    away = np.abs(tp - right) + np.abs(fp - wrong)
    nearest = int(np.argmin(away))
    if away[nearest] == 0:
        return nearest
    others = np.abs(tp - tp[nearest]) + np.abs(fp - fp[nearest])
    least = others[others > 0].min(initial=np.inf)
    return nearest if away[nearest] <= 1e-3 * least else None


# what the script also does, here as its measure


def cost_with_bounds(
    recall: Sequence[Any], specificity: Sequence[Any], prevalence: Sequence[Any], costs: Mapping[str, float]
) -> tuple[Any, Any, Any]:
    """Mean cost of a row and its bounds, from (value, low, high) of recall, specificity and prevalence.

    The cost is p A + (1 - p) B with A the mean cost of a positive and B that of a negative. The three are uncorrelated,
    so their squared margins are added, each with its slope (Zou & Donner 2008, Stat. Med. 27:1693); those of A and B
    again with the margin of p, as the variance of a product has it (Goodman 1960, JASA 55:708). A prevalence that is
    known has no margin. Arrays will do.

    >>> known = cost_with_bounds((0.8, 0.7, 0.9), (0.9, 0.85, 0.95), (0.5, 0.5, 0.5), {"fp": 1, "fn": 5})
    >>> [round(float(v), 4) for v in known]
    [0.55, 0.2988, 0.8012]
    >>> seen = cost_with_bounds((0.8, 0.7, 0.9), (0.9, 0.85, 0.95), (0.5, 0.4, 0.6), {"fp": 1, "fn": 5})
    >>> [round(float(v), 4) for v in seen]
    [0.55, 0.2784, 0.8216]
    """
    price = {"tp": 0.0, "tn": 0.0, **costs}
    (r, *rates), (s, *others), (p, least, most) = recall, specificity, prevalence
    of_positive = r * price["tp"] + (1 - r) * price["fn"]
    of_negative = (1 - s) * price["fp"] + s * price["tn"]
    found = p * of_positive + (1 - p) * of_negative
    slopes = (
        (np.hypot(p, most - p) * (price["tp"] - price["fn"]), [bound - r for bound in rates]),
        (np.hypot(1 - p, p - least) * (price["tn"] - price["fp"]), [bound - s for bound in others]),
        (of_positive - of_negative, [least - p, most - p]),
    )
    down = up = 0.0
    for slope, margins in slopes:
        ends = [slope * margin for margin in margins]
        down, up = np.hypot(down, np.minimum(*ends)), np.hypot(up, np.maximum(*ends))
    return found, np.maximum(found - down, min(price.values())), np.minimum(found + up, max(price.values()))


def precision_elsewhere(likelihood_ratio: float, prevalence: float) -> float:
    """Precision where positives are this common: the odds there times the likelihood ratio of a call.

    >>> round(precision_elsewhere(9.0, 0.1), 3)  # odds 1/9 x 9 = 1
    0.5
    """
    if math.isinf(likelihood_ratio):
        return 1.0
    odds = likelihood_ratio * prevalence
    return float(ratio(odds, odds + 1 - prevalence))
